from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from recallreach.agents.check import check_agent
from recallreach.agents.models.scripted import ScriptedModel
from recallreach.agents.react import ReActAgent
from recallreach.agents.registry import agents, build_agent
from recallreach.agents.types import Turn, Usage
from recallreach.memory.check import ContractError


class Sees:
    def score(self, picture: bytes, phrases: Any) -> Any:
        return np.full(len(phrases), 1.0)


def echo(messages: Any) -> str:
    return f"Thought: I have seen {len(messages)} messages.\nAction: back"


OPTIONS: dict[str, dict[str, Any]] = {
    "matcher": {"eye": Sees()},
    "oracle": {"answers": {"red ceramic mug": "/product/00000001"}},
    "react": {"model": ScriptedModel(echo)},
}


@pytest.mark.parametrize("name", agents.names())
def test_every_agent_keeps_the_contract(name: str) -> None:
    check_agent(lambda: build_agent(name, **OPTIONS.get(name, {})))


class Sloppy:
    """Breaks one promise at a time."""

    name = "sloppy"
    count = 0

    def __init__(self, fault: str) -> None:
        self._fault = fault
        self._own = 0

    def begin(self, goal: str, seed: int) -> None:
        if self._fault != "keeps":
            self._own = 0

    def act(self, observation: Any, delivered: Any) -> Turn:
        self._own += 1
        Sloppy.count += 1
        number = Sloppy.count if self._fault == "differs" else self._own
        usage = Usage(calls=-1) if self._fault == "cost" else Usage()
        return Turn("" if self._fault == "silent" else f"Thought: {number}\nAction: back", usage)


@pytest.mark.parametrize(
    ("fault", "promise"),
    [
        ("differs", "two fresh agents"),
        ("keeps", "does not wipe"),
        ("silent", "no text"),
        ("cost", "negative"),
    ],
)
def test_broken_promises_are_named(fault: str, promise: str) -> None:
    with pytest.raises(ContractError, match=promise):
        check_agent(lambda: Sloppy(fault))


def test_a_sound_agent_passes() -> None:
    check_agent(lambda: Sloppy("none"))
    check_agent(lambda: ReActAgent(ScriptedModel(echo)))


def test_everything_that_an_agent_lacks_is_named() -> None:
    lacking = r"object lacks begin\(\), act\(\), name; recallreach\.agents\.types\.Agent says"
    with pytest.raises(ContractError, match=lacking):
        check_agent(object)  # type: ignore[arg-type]
