from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from recallreach.agents.models import build_model, models
from recallreach.agents.registry import agents, build_agent
from recallreach.errors import ConfigError, RecallReachError, UnknownNameError

DOCS = Path(__file__).parents[2] / "docs" / "agents.md"
OPTIONS: dict[str, dict[str, Any]] = {
    "oracle": {"answers": {"red ball": "/product/00000001"}},
    "react": {"model": "scripted", "model_options": {"replies": ["Action: done"]}},
}


@pytest.mark.parametrize("name", agents.names())
def test_every_agent_is_built_and_called_by_its_name(name: str) -> None:
    agent = build_agent(name, **OPTIONS.get(name, {}))
    assert agent.name == name


@pytest.mark.parametrize("name", [*agents.names(), *models.names()])
def test_every_name_is_documented(name: str) -> None:
    assert re.search(rf"`{re.escape(name)}`", DOCS.read_text(encoding="utf-8"))


def test_unknown_names_get_close_matches() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'matcher'"):
        build_agent("macher")
    with pytest.raises(UnknownNameError, match="Did you mean 'scripted'"):
        build_model("scriptd")


def test_unknown_options_are_named() -> None:
    with pytest.raises(ConfigError, match="It knows: eye, sure, possible"):
        build_agent("matcher", shure=0.4)
    with pytest.raises(ConfigError, match="matcher"):
        build_agent("oracle")


def test_own_classes_are_named_by_path() -> None:
    assert build_agent("recallreach.agents.bounds:Guesser", products=["/product/00000001"]).name == "guess"
    with pytest.raises(RecallReachError, match="cannot load agent"):
        build_agent("recallreach.agents.bounds:Nobody")
