"""Turns, model calls, and the contract of an agent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from recallreach.env.types import Observation
from recallreach.memory.types import Delivered, Part


@dataclass(frozen=True, slots=True)
class Usage:
    """Cost of one or more model calls; embedded agents count what a call would have held.

    Seconds are wall-clock time and no part of equality.
    """

    calls: int = 0
    images: int = 0
    visual_tokens: int = 0
    text_tokens: int = 0
    seconds: float = field(default=0.0, compare=False)

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.images + other.images,
            self.visual_tokens + other.visual_tokens,
            self.text_tokens + other.text_tokens,
            self.seconds + other.seconds,
        )


@dataclass(frozen=True, slots=True)
class Turn:
    """One reply of an agent: the raw ReAct text, which the shared parser reads, and its cost."""

    reply: str
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message: interleaved text and image parts."""

    role: Literal["system", "user", "assistant"]
    parts: tuple[Part, ...]


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
