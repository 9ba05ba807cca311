"""One plan, any engine: the same results, also when workers are killed; parts of a study made one."""

from __future__ import annotations

import dataclasses
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from recallreach.env.trajectory import TrajectoryStore
from recallreach.errors import ConfigError
from recallreach.study.agenda import Agenda
from recallreach.study.assembly import Materials
from recallreach.study.bench import Bench
from recallreach.study.config import StudyConfig
from recallreach.study.engines import local
from recallreach.study.engines.crew import Assignment
from recallreach.study.engines.hired import Hired
from recallreach.study.merging import merge_runs
from recallreach.study.planning import plan_study
from recallreach.study.progress import Advance, Silent
from recallreach.study.reading import StoreReader
from recallreach.study.report import Results
from recallreach.study.run import config_of, run_study
from recallreach.study.units import Unit
from recallreach.study.work import Answered, Ask, Recorded, Session, WorkError

SHOP = {
    "categories": ["bookshelf", "chair", "lamp"],
    "styles": ["modern"],
    "objects": ["ceramic-mug", "plush-teddy", "wool-scarf"],
}
TIMES = {"seconds": 0.0, "finished_at": ""}


pytestmark = pytest.mark.timeout(900)
FACTS = ("goal", "pictures", "retrieved", "delivered", "items", "turns")


def tree(out: Path, name: str, **changes: Any) -> StudyConfig:
    """A tree of seven sessions and four paths, for memories of different makes."""
    values = {
        "chains": 1,
        "sessions": 3,
        "branching": 2,
        "probes": 1,
        "transport": "in_process",
        "catalog": SHOP,
        "memories": ["caption", "dualmem", "m2a-dmv"],
    }
    return StudyConfig.parse({"name": name, "out": str(out), **values, **changes})


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return run_study(tree(tmp_path_factory.mktemp("runs"), "tree"))


def stored(folder: Path) -> dict[str, tuple[Unit, list[Any]]]:
    """Everything in a store but times: units by key with the facts of their traces."""
    found = {}
    with StoreReader(folder / "results.sqlite") as store:
        for unit in store.units():
            trace = store.trace(unit.key)
            found[unit.key] = (dataclasses.replace(unit, **TIMES), [trace[name] for name in FACTS])
    return found


def tables(folder: Path) -> dict[str, str]:
    """All tables; the summary without its last column, the mean seconds of a probe."""
    texts = {path.name: path.read_text() for path in sorted((folder / "tables").glob("*.csv"))}
    lines = texts["summary.csv"].splitlines()
    return {**texts, "summary.csv": "\n".join(line.rpartition(",")[0] for line in lines)}


class At(Silent):
    """Does something when so many steps of a run are done, counted over all phases."""

    def __init__(self, **deeds: Any) -> None:
        self.deeds = {int(moment.removeprefix("step")): deed for moment, deed in deeds.items()}
        self.steps = 0

    @contextmanager
    def phase(self, name: str, total: int, done: int = 0) -> Iterator[Advance]:
        """Count."""

        def advance(steps: int) -> None:
            self.steps += steps
            if deed := self.deeds.pop(self.steps, None):
                deed()

        yield advance


def test_a_tree_shares_its_prefixes(undisturbed: Results) -> None:
    folder = undisturbed.path.parent
    assert len(list((folder / "trajectories").glob("c*.json"))) == 7
    told = undisturbed.manifest["tree"]
    assert (told["runs"], told["paths"], told["flat_runs"], told["saved"]) == (7, 4, 12, 5)
    with StoreReader(folder / "results.sqlite") as store:
        assert {(unit.tree, unit.chain) for unit in store.units()} == {(0, chain) for chain in range(4)}


def test_a_leaf_path_equals_the_same_chain_run_flat(undisturbed: Results, tmp_path: Path) -> None:
    """Each path is browsed anew and replayed into memories of its own, sharing and forking nothing."""
    folder = undisturbed.path.parent
    materials = Materials.gather(config_of(folder))
    recorded = TrajectoryStore(folder / "trajectories")
    agenda, forest = Agenda(materials, recorded), materials.config.forest
    tasks, _ = agenda.tasks(set())
    expected = stored(folder)
    with Bench(materials, agenda.source, None) as bench:
        for leaf in [place for place in forest.places_of(0) if place[1] == 2]:
            path = forest.path_to(leaf)
            for place in path:
                (again,) = [found for found in bench.browse(Session(place)) if isinstance(found, Recorded)]
                assert again.trajectory == recorded.load(*place)
            for task in tasks:
                mine = tuple(question for question in task.questions if question.at in path)
                for found in bench.ask(Ask(task.memory, 0, mine), recorded):
                    if isinstance(found, Answered):
                        trace = found.trace.to_json()
                        flat = (dataclasses.replace(found.unit, **TIMES), [trace[name] for name in FACTS])
                        assert flat == expected[found.unit.key]


def test_processes_give_the_same_store_also_when_workers_are_killed(
    undisturbed: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands: list[local.LocalHand] = []
    start = local.LocalHand.__init__

    def noted(self: local.LocalHand, *arguments: Any) -> None:
        start(self, *arguments)
        hands.append(self)

    def kill(number: int) -> Any:
        return lambda: os.kill(hands[number].pid, signal.SIGKILL)

    monkeypatch.setattr(local.LocalHand, "__init__", noted)
    config = tree(tmp_path, "killed", engine="local", workers=2)
    results = run_study(config, At(step3=kill(0), step30=kill(1)))
    assert len(hands) == 4, [hand.name for hand in hands]
    assert results.digest == undisturbed.digest
    assert stored(config.folder) == stored(undisturbed.path.parent)
    assert tables(config.folder) == tables(undisturbed.path.parent)


@pytest.mark.parametrize("workers", [1, 4])
def test_any_number_of_workers_gives_the_same_tables(
    undisturbed: Results, tmp_path: Path, workers: int
) -> None:
    config = tree(tmp_path, "several", engine="local", workers=workers)
    assert run_study(config).digest == undisturbed.digest
    assert tables(config.folder) == tables(undisturbed.path.parent)


HANGING = """
import threading
from pathlib import Path
from recallreach.memory.systems.textual import TextOnly

class Hanging(TextOnly):
    name = "hanging"

    def retrieve(self, query, k):
        fault = Path(__file__).with_name("fault")
        if fault.exists() and fault.read_text() in query.text:
            threading.Event().wait()
        return super().retrieve(query, k)
"""


def test_a_unit_that_hangs_is_cut_and_an_error_until_it_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hanging.py").write_text(HANGING)
    monkeypatch.syspath_prepend(tmp_path)
    memory = {"memories": ["hanging:Hanging"], "branching": 1}
    expected = stored(run_study(tree(tmp_path, "expected", **memory)).path.parent)
    phrase = next(iter(expected.values()))[0].phrase
    (tmp_path / "fault").write_text(phrase)
    config = tree(tmp_path, "hangs", engine="local", workers=2, time_limit=20, error_threshold=1, **memory)
    run_study(config)
    for key, (unit, facts) in stored(config.folder).items():
        if expected[key][0].phrase == phrase:
            assert (unit.status, unit.kind) == ("error", "hung")
            assert unit.reason == "it took longer than 20 seconds and was cut"
        else:
            assert (unit, facts) == expected[key]
    (tmp_path / "fault").unlink()
    run_study(config)
    assert stored(config.folder) == expected


RUN = """
import os, signal, sys
from recallreach.study.config import StudyConfig
from recallreach.study.engines.crew import Assignment
from recallreach.study.engines.local import LocalCrew
from pathlib import Path

crew = LocalCrew(Assignment(StudyConfig(), {}, {}, Path("."), tuple(sys.path)))
print(crew.hire().pid, flush=True)
sys.stdin.read()
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_worker_ends_with_a_run_that_is_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", RUN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as run:
        assert run.stdin is not None
        assert run.stdout is not None
        worker = os.pidfd_open(int(run.stdout.readline()))
        run.stdin.close()
        ended, _, _ = select.select([worker], [], [], 120)
        os.close(worker)
    assert ended
    assert run.returncode == -signal.SIGKILL


def test_a_worker_that_finds_another_catalogue_stops_the_run_in_one_sentence(tmp_path: Path) -> None:
    config = tree(tmp_path, "missing", engine="local", workers=1)
    hired = Hired(config, Assignment(config, {"catalog": "another"}, {}, tmp_path, tuple(sys.path)))
    with closing(hired), pytest.raises(WorkError, match="another catalog than the one that started"):
        hired.run([Session((0, 0))], lambda result: None)


# Parts of a study run apart.


def test_runs_of_some_chains_or_some_memories_merge_into_the_whole(
    tmp_path: Path,
) -> None:
    design = {"branching": 1, "sessions": 2, "chains": 2, "memories": ["caption", "dualmem"]}
    whole = run_study(tree(tmp_path, "whole", **design))
    parts = {
        "first": {"chains": 1},
        "second": {"chains": 1, "first_chain": 1, "memories": ["dualmem"]},
        "third": {"chains": 1, "first_chain": 1, "memories": ["dualmem", "caption"]},
    }
    folders = [
        run_study(tree(tmp_path, name, **{**design, **changes})).path.parent
        for name, changes in parts.items()
    ]
    merged = merge_runs(folders, tmp_path / "merged")
    assert merged.complete
    assert merged.digest == whole.digest
    assert tables(tmp_path / "merged") == tables(whole.path.parent)
    again = config_of(tmp_path / "merged")
    assert (again.chains, again.memories) == (2, config_of(whole.path.parent).memories)
    with pytest.raises(ConfigError, match="holds a run already"):
        merge_runs(folders, tmp_path / "merged")
    with pytest.raises(ConfigError, match="is named twice"):
        merge_runs([folders[0], folders[0]], tmp_path / "doubled")
    partial = merge_runs(folders[:2], tmp_path / "partial")
    assert not partial.complete
    assert run_study(config_of(tmp_path / "partial")).digest == whole.digest


@pytest.mark.parametrize(
    ("changes", "told"),
    [({"seed": 1, "first_chain": 1}, "different studies: seed"), ({"first_chain": 5}, "leave out chain 1")],
)
def test_runs_that_do_not_belong_together_are_refused(
    undisturbed: Results, tmp_path: Path, changes: Mapping[str, Any], told: str
) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    manifest = json.loads((undisturbed.path.parent / "manifest.json").read_text())
    manifest["config"].update(changes)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ConfigError, match=told):
        merge_runs([undisturbed.path.parent, folder], tmp_path / "merged")
    assert not (tmp_path / "merged" / "manifest.json").exists()


def test_a_plan_says_what_there_is_to_do(undisturbed: Results, tmp_path: Path) -> None:
    before = plan_study(tree(tmp_path, "none"))
    assert (before.runs, before.recorded, before.answered, before.exact) == (7, 0, 0, False)
    after = plan_study(config_of(undisturbed.path.parent))
    with StoreReader(undisturbed.path.parent / "results.sqlite") as store:
        assert (after.recorded, after.answered, after.exact) == (7, store.count(), True)
        assert after.units == store.count()
    assert not (tmp_path / "none").exists()
    assert any("5 saved by sharing" in line for line in after.lines())
