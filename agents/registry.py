"""Agents by name. What each does: docs/agents.md."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from recallreach.agents.types import Agent
from recallreach.registry import Registry

agents: Registry[Agent] = Registry("agent", "recallreach.agents")


def build_agent(name: str, **options: Any) -> Agent:
    """A fresh agent.

    Args:
        name: a registered name, or `package.module:attribute` of a factory called as `factory(**options)`.
        options: the agent's own options.

    Raises:
        UnknownNameError: no such agent; close matches are listed.
        ConfigError: the agent has no such option, or not with that value.
    """
    return agents.make(name, **options)


def _shopper() -> Callable[..., Agent]:
    from recallreach.agents.shopper import ScriptedShopper

    return ScriptedShopper


def _matcher() -> Callable[..., Agent]:
    from recallreach.agents.matcher import Matcher

    return Matcher


def _guess() -> Callable[..., Agent]:
    from recallreach.agents.bounds import Guesser

    return Guesser


def _oracle() -> Callable[..., Agent]:
    from recallreach.agents.bounds import Oracle

    return Oracle


def _react() -> Callable[..., Agent]:
    from recallreach.agents.react import ReActAgent

    return ReActAgent


agents.add("shopper", "scripted comparison shopper; browses, reads no picture", _shopper)
agents.add("matcher", "reads what memory delivered with a small trained eye; recalls", _matcher)
agents.add("guess", "uniform over the products it was given; the floor", _guess)
agents.add("oracle", "is told the answers by a check of the harness; the ceiling", _oracle)
agents.add("react", "ReAct agent over any chat model; browses and recalls", _react)
