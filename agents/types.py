"""Turns, model calls, and the contract of an agent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from recallreach.env.types import Observation
from recallreach.memory.types import Delivered
from recallreach.memory.types import Message as Message


@dataclass(frozen=True, slots=True)
class Usage:
    """Cost of one or more model calls; embedded agents count what a call would have held.

    Attributes:
        calls: turns of a model, however they were answered.
        images, visual_tokens: pictures read, and their tokens by the model's own patch rule.
        text_tokens: text read and written.
        reply_tokens: those of them that the model wrote.
        tries: requests sent, retries included; 0 for a reply from the cache.
        cached: calls that the cache answered.
        seconds: wall-clock time.

    Tries, cache and time say how a reply came about, not what it is, and are no part of equality.
    """

    calls: int = 0
    images: int = 0
    visual_tokens: int = 0
    text_tokens: int = 0
    reply_tokens: int = 0
    tries: int = field(default=0, compare=False)
    cached: int = field(default=0, compare=False)
    seconds: float = field(default=0.0, compare=False)

    def __add__(self, other: Usage) -> Usage:
        return Usage(*(getattr(self, name) + getattr(other, name) for name in _USAGE))


_USAGE = ("calls", "images", "visual_tokens", "text_tokens", "reply_tokens", "tries", "cached", "seconds")


@dataclass(frozen=True, slots=True)
class Turn:
    """One reply of an agent: the raw ReAct text, which the shared parser reads, and its cost."""

    reply: str
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer."""

    text: str
    usage: Usage


class ChatModel(Protocol):
    """Any multimodal chat model."""

    name: str

    def complete(self, messages: Sequence[Message]) -> Completion:
        """One completion, or an error from `recallreach.agents.errors`; never an empty stand-in."""


class Agent(Protocol):
    """Acts from its goal, its observations and what was delivered; sees nothing else."""

    name: str

    def begin(self, goal: str, seed: int) -> None:
        """Start an episode with a wiped context; every random draw comes from `seed`."""

    def act(self, observation: Observation, delivered: Delivered | None) -> Turn:
        """Reply with `Thought: ...` and `Action: ...` text."""
