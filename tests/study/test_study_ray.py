"""The engine `ray` on a real local cluster of two nodes, one of which is killed in the middle of the run."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import ray
from ray.cluster_utils import Cluster

from recallreach.study.config import StudyConfig
from recallreach.study.engines.crew import Hand
from recallreach.study.engines.dispatch import Dispatcher
from recallreach.study.engines.ray import Parcel
from recallreach.study.progress import Advance, Silent
from recallreach.study.run import run_study

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
    cluster, second = nodes
    replaced: list[str] = []
    replace = Dispatcher._replace

    def noted(self: Dispatcher, hand: Hand, kind: str, what: str) -> None:
        replaced.append(kind)
        replace(self, hand, kind, what)

    monkeypatch.setattr(Dispatcher, "_replace", noted)
    alone = run_study(StudyConfig.parse({"name": "alone", "out": str(tmp_path), **STUDY}))
    config = StudyConfig.parse({"name": "ray", "out": str(tmp_path), "engine": "ray", "workers": 2, **STUDY})
    lost = Counting(6, lambda: cluster.remove_node(second, allow_graceful=False))
    results = run_study(config, lost)
    assert lost.moment < 0
    assert replaced == ["died"]
    assert results.complete
    assert results.digest == alone.digest
    assert all(score.error_rate == 0 for score in results.scores)


def test_a_parcel_says_what_it_lacks() -> None:
    with pytest.raises(Exception, match="did not travel with its session"):
        Parcel({}, {}).get("ab")
