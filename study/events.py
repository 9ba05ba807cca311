"""The trace of a probe: typed events in the order in which they happened, never changed once written."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from recallreach.agents.results import HitTrace, ItemTrace, PartTrace, RecallResult, TurnTrace
from recallreach.errors import DataError


@dataclass(frozen=True, slots=True)
class Asked:
    """The question was put.

    Attributes:
        goal: the instruction as the agent read it.
        pictures: SHA-256 of the shop's own picture, of target and answer.
    """

    goal: str
    pictures: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Memory was asked: its hits, best first."""

    hits: tuple[HitTrace, ...]


@dataclass(frozen=True, slots=True)
class Delivered:
    """What the agent was given: parts in reading order, and the items they belong to."""

    parts: tuple[PartTrace, ...]
    items: tuple[ItemTrace, ...]


@dataclass(frozen=True, slots=True)
class Acted:
    """One turn of the agent."""

    turn: TurnTrace


@dataclass(frozen=True, slots=True)
class Graded:
    """How it ended: everything of the result that no event before this one holds."""

    result: RecallResult


Event = Asked | Retrieved | Delivered | Acted | Graded

_TYPES: tuple[type[Any], ...] = (Asked, Retrieved, Delivered, Acted, Graded)
KINDS = {kind.__name__.lower(): kind for kind in _TYPES}
"""Event types by the name that the results store has for them."""

_ADAPTERS = {name: TypeAdapter(kind) for name, kind in KINDS.items()}


@dataclass(frozen=True, slots=True)
class Trace:
    """All that one probe left behind.

    Attributes:
        goal: the instruction.
        pictures: SHA-256 of the shop's own pictures of target and answer, by product id.
        result: hits, delivered parts and items, turns, answer and costs.
    """

    goal: str
    pictures: Mapping[str, str]
    result: RecallResult

    def events(self) -> list[Event]:
        """The trace as events, in order."""
        result = self.result
        rest = replace(result, retrieved=(), delivered=(), items=(), turns=())
        return [
            Asked(self.goal, self.pictures),
            Retrieved(result.retrieved),
            Delivered(result.delivered, result.items),
            *map(Acted, result.turns),
            Graded(rest),
        ]

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values: the result's own (`RecallResult.to_json`), and `goal` and `pictures`."""
        return {"goal": self.goal, **self.result.to_json(), "pictures": dict(self.pictures)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Trace:
        """The trace that `to_json` wrote."""
        rest = {key: value for key, value in data.items() if key not in ("goal", "pictures")}
        return cls(data["goal"], data["pictures"], RecallResult.from_json(rest))

    @classmethod
    def of(cls, events: Iterable[Event]) -> Trace:
        """The trace that these events make up.

        Raises:
            DataError: there is no question or no end among them.
        """
        told = list(events)
        asked = next((event for event in told if isinstance(event, Asked)), None)
        graded = next((event for event in told if isinstance(event, Graded)), None)
        if asked is None or graded is None:
            raise DataError("a trace needs a question and an end")
        result = graded.result
        for event in told:
            match event:
                case Retrieved(hits):
                    result = replace(result, retrieved=hits)
                case Delivered(parts, items):
                    result = replace(result, delivered=parts, items=items)
                case Acted(turn):
                    result = replace(result, turns=(*result.turns, turn))
        return cls(asked.goal, asked.pictures, result)


def to_row(event: Event) -> tuple[str, str]:
    """Kind and JSON body of an event."""
    body = json.dumps(dataclasses.asdict(event), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return type(event).__name__.lower(), body


def from_row(kind: str, body: str) -> Event:
    """The event of a row.

    Raises:
        DataError: an unknown kind, or a body that is not of that kind.
    """
    if kind not in _ADAPTERS:
        raise DataError(f"unknown kind of event {kind!r}; known: {', '.join(sorted(_ADAPTERS))}")
    try:
        event: Event = _ADAPTERS[kind].validate_json(body)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the top level"
        raise DataError(f"an event {kind!r} is damaged: {place}: {first['msg'].lower()}") from error
    return event
