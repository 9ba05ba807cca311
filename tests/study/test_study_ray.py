"""The engine `ray` on a real local cluster of two nodes, one of which is killed in the middle of the run."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import ray
from ray.cluster_utils import Cluster

from recallreach.study.config import StudyConfig
from recallreach.study.engines.crew import Hand
from recallreach.study.engines.dispatch import Dispatcher
from recallreach.study.engines.ray import Parcel, RayCrew, RayHand
from recallreach.study.progress import Advance, Silent
from recallreach.study.run import run_study
from recallreach.study.work import Message, WorkError

STUDY = {
    "chains": 2,
    "sessions": 2,
    "probes": 1,
    "transport": "in_process",
    "memories": ["no-memory", "dualmem"],
    "catalog": {
        "categories": ["bookshelf", "chair"],
        "styles": ["modern"],
        "objects": ["ceramic-mug", "plush-teddy", "wool-scarf"],
    },
}


pytestmark = pytest.mark.timeout(900)


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Cluster, Any]]:
    """A cluster of two nodes with one core each, and its second node."""
    monkeypatch.setenv("RAY_agent_register_timeout_ms", "240000")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        second = cluster.add_node(num_cpus=1, include_dashboard=False)
        ray.init(address=cluster.address, log_to_driver=False)
        yield cluster, second
        ray.shutdown()
        cluster.shutdown()


class Counting(Silent):
    """Does something once, when so many steps of the run are done."""

    def __init__(self, moment: int, deed: Callable[[], None]) -> None:
        self.moment, self.deed = moment, deed

    @contextmanager
    def phase(self, name: str, total: int, done: int = 0) -> Iterator[Advance]:
        """Count down."""

        def advance(steps: int) -> None:
            self.moment -= steps
            if self.moment == 0:
                self.deed()

        yield advance


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_that_loses_a_node_gives_the_results_of_an_undisturbed_run(
    nodes: tuple[Cluster, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The node is killed as soon as both actors have said something, and no silent one is relieved before."""
    cluster, second = nodes
    heard: set[Hand] = set()
    replaced: list[str] = []
    replace, hear, relieve = Dispatcher._replace, Dispatcher._hear, Dispatcher._relieve

    def listening(self: Dispatcher, hand: Hand, message: Message) -> None:
        hear(self, hand, message)
        if len(heard) < 2 and len(heard | {hand}) == 2:
            cluster.remove_node(second, allow_graceful=False)
        heard.add(hand)

    def noted(self: Dispatcher, hand: Hand, kind: str, what: str) -> None:
        replaced.append(kind)
        replace(self, hand, kind, what)

    monkeypatch.setattr(Dispatcher, "_hear", listening)
    monkeypatch.setattr(Dispatcher, "_replace", noted)
    monkeypatch.setattr(Dispatcher, "_relieve", lambda self: relieve(self) if len(heard) > 1 else None)
    alone = run_study(StudyConfig.parse({"name": "alone", "out": str(tmp_path), **STUDY}))
    config = StudyConfig.parse({"name": "ray", "out": str(tmp_path), "engine": "ray", "workers": 2, **STUDY})
    results = run_study(config)
    assert replaced == ["died"]
    assert results.complete
    assert results.digest == alone.digest
    assert all(score.error_rate == 0 for score in results.scores)


def children(mark: bytes) -> list[int]:
    """Child processes of this one with these words in their command line."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and mark in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("moment", [0, 1], ids=["before the first actor", "between two sessions"])
def test_a_run_whose_own_ray_is_killed_stops_and_goes_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    monkeypatch.setenv("RAY_agent_register_timeout_ms", "240000")
    hire = RayCrew.hire

    def hired(crew: RayCrew) -> RayHand:
        if moment == 0:
            kill()
        return hire(crew)

    def kill() -> None:
        for pid in children(b"raylet/raylet"):
            os.kill(pid, signal.SIGKILL)

    monkeypatch.setattr(RayCrew, "hire", hired)
    config = StudyConfig.parse({"name": "ray", "out": str(tmp_path), "engine": "ray", "workers": 2, **STUDY})
    with pytest.raises(WorkError, match=r"stopped: (Ray's own processes|4 workers in a row)"):
        run_study(config, Counting(moment, kill))
    again = run_study(config.model_copy(update={"engine": "inline"}))
    alone = run_study(StudyConfig.parse({"name": "alone", "out": str(tmp_path), **STUDY}))
    assert again.digest == alone.digest


def test_a_parcel_says_what_it_lacks() -> None:
    with pytest.raises(Exception, match="did not travel with its session"):
        Parcel({}, {}).get("ab")
