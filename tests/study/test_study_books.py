"""Studies whose agents call a model: limits stop them, resumes go on, and a replay asks nobody."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from recallreach.agents.budget import BudgetSpentError
from recallreach.agents.errors import ReplayMissError
from recallreach.errors import ConfigError
from recallreach.memory.errors import CaptionError
from recallreach.study import bench
from recallreach.study.config import StudyConfig
from recallreach.study.reading import StoreReader
from recallreach.study.run import config_of, run_study

MODEL = '''
import os

from recallreach.agents.types import Completion, Usage


class Terse:
    """Answers everything with the wishlist; counts how often it was asked in a file."""

    name = "terse"
    max_tokens = 20

    def identity(self):
        return {"model": "terse"}

    def complete(self, messages):
        if os.environ.get("TERSE_IS_AWAY"):
            raise AssertionError("the model was asked in a replay")
        return Completion("Thought: 6 pictures.\\nAction: add_to_wishlist", Usage(1, 6, 600, 900, 10))
'''
STUDY: dict[str, Any] = {
    "chains": 1,
    "sessions": 1,
    "probes": 4,
    "transport": "in_process",
    "memories": ["dualmem"],
    "agent": {"name": "react", "model": "terse_model:Terse"},
    "catalog": {"categories": ["chair"], "styles": ["modern"], "objects": ["ceramic-mug", "wool-scarf"]},
}


@pytest.fixture
def out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for runs, and the model's module on the path."""
    (tmp_path / "terse_model.py").write_text(MODEL)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path / "runs"


def study(out: Path, name: str, **changes: Any) -> StudyConfig:
    return StudyConfig.parse({"name": name, "out": str(out), **STUDY, **changes})


def test_a_limit_stops_the_run_a_higher_one_goes_on_and_a_replay_asks_nobody(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BudgetSpentError, match="max_calls is 3"):
        run_study(study(out, "asked", max_calls=3))
    with StoreReader(out / "asked" / "results.sqlite") as store:
        assert store.count() == 2
    asked = run_study(config_of(out / "asked", {"max_calls": 50}))
    assert asked.complete
    assert (asked.manifest["spent"]["calls"], asked.scores[0].attempted) == (6, 4)
    monkeypatch.setitem(os.environ, "TERSE_IS_AWAY", "1")
    again = run_study(study(out, "replayed", replay=True))
    assert again.digest == asked.digest
    assert again.manifest["spent"]["cached"] == again.manifest["spent"]["calls"] == 4
    with pytest.raises(ReplayMissError, match="holds no reply"):
        run_study(study(out, "other", replay=True, trial=1))


def test_money_is_limited_by_a_price_file_only(out: Path) -> None:
    with pytest.raises(ConfigError, match="max_cost needs a price file"):
        run_study(study(out, "poor", max_cost=1.0))
    prices = out / "prices.toml"
    prices.write_text('currency = "EUR"\n[models.terse]\ninput = 1000.0\n')
    with pytest.raises(BudgetSpentError, match="EUR"):
        run_study(study(out, "poor", max_cost=2.0, prices=str(prices)))


def test_where_a_memorys_own_model_fails_its_later_questions_are_errors(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = bench.remember

    def failing(memory: Any, trajectory: Any, pictures: Any) -> None:
        if memory.name == "caption" and trajectory.plan.index == 1:
            raise CaptionError("the captioner is gone")
        whole(memory, trajectory, pictures)

    changes = {"agent": "matcher", "memories": ["caption", "dualmem"], "sessions": 3, "probes": 1}
    with monkeypatch.context() as broken:
        broken.setattr(bench, "remember", failing)
        results = run_study(study(out, "mute", error_threshold=1.0, **changes))
    with StoreReader(results.path.parent / "results.sqlite") as store:
        troubled = [unit for unit in store.units() if not unit.ok]
        assert {(unit.system, unit.session, unit.kind) for unit in troubled} == {
            ("caption", 1, "caption"),
            ("caption", 2, "caption"),
        }
        assert {unit.reason for unit in troubled} == {"the captioner is gone"}
    resumed = run_study(config_of(results.path.parent))
    assert sum(sum(score.errors.values()) for score in resumed.scores) == 0
