"""The whole path without a browser: run, kill, resume, report, and one run through real Chromium."""

from __future__ import annotations

import csv
import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from recallreach.agents import loops
from recallreach.agents.types import Turn
from recallreach.env.errors import TransportError
from recallreach.errors import ConfigError, DataError
from recallreach.study import bench, runner
from recallreach.study.config import StudyConfig
from recallreach.study.folder import claimed
from recallreach.study.progress import Silent
from recallreach.study.report import Results, write_report
from recallreach.study.run import config_of, run_study
from recallreach.study.runner import ErrorThresholdError
from recallreach.study.store import ResultStore

SYSTEMS = ("no-memory", "text-only", "caption", "dualmem")
SHOP = {
    "categories": ["bookshelf", "chair"],
    "styles": ["modern"],
    "objects": ["ceramic-mug", "plush-teddy", "wool-scarf"],
}


def tiny(out: Path, name: str = "tiny", **changes: Any) -> StudyConfig:
    values = {"chains": 2, "sessions": 2, "probes": 1, "transport": "in_process", "catalog": SHOP}
    return StudyConfig.parse({"name": name, "out": str(out), **values, **changes})


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return run_study(tiny(tmp_path_factory.mktemp("runs")))


@pytest.fixture
def copied(undisturbed: Results, tmp_path: Path) -> Path:
    return Path(shutil.copytree(undisturbed.path.parent, tmp_path / "tiny"))


def test_a_study_leaves_all_its_files_and_every_probe_once(undisturbed: Results) -> None:
    folder = undisturbed.path.parent
    made = {"manifest.json", "catalog.json", "results.sqlite", "results.csv", "tables"}
    made |= {"retention.png", "retention.svg", "report.html", "trajectories"}
    assert made <= {entry.name for entry in folder.iterdir()}
    with ResultStore(folder / "results.sqlite") as store:
        units = store.units()
    # 2 chains x (reach 0 after session 1; reaches 0 and, if a product was not seen again, 1 after session 2)
    probes = {unit.probe for unit in units}
    assert len(units) == len(SYSTEMS) * len(probes)
    assert {unit.reach for unit in units} == {0, 1}
    assert [score.system for score in undisturbed.scores] == list(SYSTEMS)
    assert all(unit.status == "ok" for unit in units)


def test_the_manifest_tells_what_ran(undisturbed: Results) -> None:
    manifest = json.loads((undisturbed.path.parent / "manifest.json").read_text())
    assert manifest["config"]["chains"] == 2
    assert manifest["finished_at"] >= manifest["started_at"]
    assert manifest["results_digest"] == undisturbed.digest
    assert manifest["browser"] is None
    assert manifest["weights"]
    assert (manifest["products"], manifest["objects"], manifest["unknown"]) == (20, 3, [])
    assert {"torch", "flask", "recallreach"} <= set(manifest["versions"])


def test_two_runs_with_one_seed_are_equal_and_another_seed_is_not(
    undisturbed: Results, tmp_path: Path
) -> None:
    again = run_study(tiny(tmp_path, "again", memories=list(SYSTEMS)))
    assert again.digest == undisturbed.digest
    other = run_study(tiny(tmp_path, "other", seed=1))
    assert other.digest != undisturbed.digest


def test_running_a_finished_study_again_changes_nothing(copied: Path) -> None:
    before = (copied / "results.sqlite").stat().st_size
    digest = json.loads((copied / "manifest.json").read_text())["results_digest"]
    assert run_study(config_of(copied)).digest == digest
    assert (copied / "results.sqlite").stat().st_size == before


KILLED = """
import os, signal, sqlite3
from pathlib import Path
from recallreach.env.trajectory import TrajectoryStore
from recallreach.study import reading
from recallreach.study.run import config_of, run_study
from recallreach.study.config import StudyConfig

sessions, transactions = {sessions}, {transactions}
save = TrajectoryStore.save
left = {{"sessions": sessions, "transactions": transactions}}

def die(kind):
    left[kind] -= 1
    if left[kind] == 0:
        os.kill(os.getpid(), signal.SIGKILL)

def saving(self, trajectory):
    die("sessions")
    return save(self, trajectory)

class Cursor(sqlite3.Connection):
    def executemany(self, *arguments):
        if "pictures" in arguments[0]:
            die("transactions")
        return super().executemany(*arguments)

connect = sqlite3.connect
reading.sqlite3.connect = lambda *a, **k: connect(*a, factory=Cursor, **k)
TrajectoryStore.save = saving
run_study(StudyConfig.parse({config!r}))
"""


@pytest.mark.parametrize("moments", [[(3, 0), (0, 5)]])
def test_kill_9_at_several_moments_and_resume_equals_an_undisturbed_run(
    undisturbed: Results, tmp_path: Path, moments: Sequence[tuple[int, int]]
) -> None:
    """Killed once while a session is saved and once in the middle of a unit's transaction."""
    config = tiny(tmp_path)
    for sessions, transactions in moments:
        script = KILLED.format(sessions=sessions, transactions=transactions, config=config.model_dump())
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
        assert done.returncode == -signal.SIGKILL, done.stderr
    with ResultStore(config.folder / "results.sqlite") as store:
        assert len(store.units()) == moments[-1][1] - 1
    assert run_study(config).digest == undisturbed.digest


def test_a_run_is_found_from_inside_its_folder(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(copied)
    assert config_of(Path(".")).folder.resolve() == copied.resolve()


def test_a_run_with_another_configuration_is_refused(copied: Path) -> None:
    config = config_of(copied).model_copy(update={"seed": 5, "k": 3})
    with pytest.raises(ConfigError) as caught:
        run_study(config)
    for part in (
        "holds another study",
        "seed was 0 and is now 5",
        "k was 5 and is now 3",
        "--name",
        "--fresh",
    ):
        assert part in str(caught.value)


def test_fresh_throws_the_old_results_away(copied: Path) -> None:
    config = config_of(copied).model_copy(update={"memories": config_of(copied).memories[:1], "chains": 1})
    assert [score.system for score in run_study(config, fresh=True).scores] == ["no-memory"]


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    letter = tmp_path / "tiny" / "letter.txt"
    letter.parent.mkdir()
    letter.write_text("dear")
    with pytest.raises(ConfigError, match="not empty and not a run folder"):
        run_study(tiny(tmp_path), fresh=True)
    assert letter.read_text() == "dear"


def test_a_run_folder_is_used_by_one_process_at_a_time(copied: Path) -> None:
    with claimed(copied), pytest.raises(DataError, match="another process is running"):
        run_study(config_of(copied))


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="cannot write to the run folder"):
        run_study(tiny(tmp_path / "file"))


def test_a_trajectory_of_another_study_is_refused(copied: Path, tmp_path: Path) -> None:
    run_study(tiny(tmp_path, "other", seed=1, memories=["no-memory"]))
    (copied / "results.sqlite").unlink()
    shutil.copy(tmp_path / "other/trajectories/c0000-s0000.json", copied / "trajectories/c0000-s0000.json")
    with pytest.raises(DataError, match="was recorded for another study"):
        run_study(config_of(copied))


def failing(every: int) -> Any:
    """A recall loop whose browser fails at every n-th probe."""
    calls = 0

    def recall(env: Any, *arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls % every == 0:
            env = BrokenEnv()
        return loops.recall(env, *arguments, **options)

    return recall


def interrupt(*_: Any, **__: Any) -> Any:
    """A recall loop at which the user presses Ctrl-C."""
    raise KeyboardInterrupt


class BrokenEnv:
    """An environment whose browser is gone."""

    def reset(self, **_: Any) -> Any:
        raise TransportError("crash", "the browser is gone")


def test_errors_are_no_misses_and_run_again_on_resume(
    undisturbed: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(bench, "recall", failing(every=5))
        results = run_study(tiny(tmp_path, error_threshold=1.0))
    errors = sum(sum(score.errors.values()) for score in results.scores)
    assert errors == sum(score.attempted for score in results.scores) // 5 > 0
    assert all(score.attempted == score.probes + sum(score.errors.values()) for score in results.scores)
    assert "the browser is gone" in results.path.read_text()
    folder = results.path.parent
    with monkeypatch.context() as interrupted:
        interrupted.setattr(bench, "recall", interrupt)
        with pytest.raises(KeyboardInterrupt):
            run_study(config_of(folder))
    assert not write_report(folder).complete
    resumed = run_study(config_of(folder))
    assert (resumed.digest, resumed.complete) == (undisturbed.digest, True)


def test_too_many_errors_stop_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "recall", failing(every=2))
    monkeypatch.setattr(runner, "FEWEST_PROBES", 6)
    with pytest.raises(ErrorThresholdError, match=r"3 of 6 probes .* threshold 2\.0%.*the browser is gone"):
        run_study(tiny(tmp_path))
    assert (tmp_path / "tiny" / "results.sqlite").exists()


class Rude:
    """An agent whose words are HTML."""

    name = "rude"

    def begin(self, goal: str, seed: int) -> None:
        """Nothing to prepare."""

    def act(self, observation: object, delivered: object) -> Turn:
        """Writes a script into its thought."""
        return Turn("Thought: <script>alert('x')</script><img src=x onerror=alert(1)>\nAction: done")


class Tags(HTMLParser):
    """Collects tags, event handlers and addresses of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs


def test_what_an_agent_writes_is_text_in_the_report_and_nothing_is_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recallreach.study.run.make_agent", lambda part: _agent(part.name))
    results = run_study(tiny(tmp_path, chains=1, memories=["dualmem"]))
    page = results.path.read_text()
    assert "&lt;script&gt;alert(" in page
    parser = Tags()
    parser.feed(page)
    assert "script" not in parser.tags
    assert not [name for name, _ in parser.attributes if name.startswith("on")]
    sources = [value or "" for name, value in parser.attributes if name in {"src", "href"}]
    assert sources
    assert all(source.startswith(("data:", "#")) for source in sources)


def _agent(name: str) -> Any:
    from recallreach.agents.registry import build_agent

    return Rude() if name == "matcher" else build_agent(name)


def test_tables_agree_with_the_scores(undisturbed: Results) -> None:
    folder = undisturbed.path.parent
    with (folder / "tables" / "retention.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    expected = [
        (score.system, str(point.reach), str(point.probes), str(point.correct))
        for score in undisturbed.scores
        for point in score.retention
    ]
    assert [(row["system"], row["reach"], row["probes"], row["correct"]) for row in rows] == expected
    with (folder / "results.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == sum(score.attempted for score in undisturbed.scores)


def test_the_report_names_the_embedded_default_and_its_few_chains(undisturbed: Results) -> None:
    page = undisturbed.path.read_text()
    for part in ("Embedded default", "Only 2 chains", "Results digest", undisturbed.digest, "at chance"):
        assert part in page


def test_objects_the_encoders_do_not_know_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recallreach.study.assembly.known_objects", lambda art: ("ceramic-mug",))
    heard = Heard()
    results = run_study(tiny(tmp_path, chains=1, sessions=1, memories=["no-memory"]), heard)
    assert "Note: the shipped encoders do not know 2 of the 3 cue objects in this shop" in heard.said
    assert "2 of the 3 cue objects" in results.path.read_text()


class Heard(Silent):
    """Keeps what is said."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, text: str) -> None:
        """Keep it."""
        self.said.append(text)


def test_a_report_needs_a_run(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not a run folder"):
        write_report(tmp_path)


@pytest.mark.browser
def test_the_whole_path_through_chromium_equals_the_one_in_process(tmp_path: Path) -> None:
    changes: dict[str, Any] = {"chains": 1, "memories": ["text-only", "dualmem"]}
    real = run_study(tiny(tmp_path, "real", transport="chromium", **changes))
    fast = run_study(tiny(tmp_path, "fast", **changes))
    assert real.manifest["browser"]["version"]
    assert [(score.correct, score.probes) for score in real.scores] == [
        (score.correct, score.probes) for score in fast.scores
    ]
    assert real.digest == fast.digest
