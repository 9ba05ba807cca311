"""A unit of work: one probe put to one system, what it is called, and how it becomes a row."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from recallreach.files import sha256


@dataclass(frozen=True, slots=True)
class Unit:
    """One probe put to one system.

    Attributes:
        key: SHA-256 of everything that changes the result.
        system: label of the system (memory, delivery, agent).
        tree: number of the independent tree of sessions it belongs to; without branching, the chain.
            Intervals draw whole trees.
        chain: number of the chain: in a tree, of the first path that leads through the session.
        session, probe, target, phrase, first_seen, last_seen, reach: as in `env.types.Probe`, the reach by
            the study's own definition.
        place: place of the target among the distinct products of the session that its reach is counted
            from, from 0.
        places: how many distinct products that session showed; 0 where it is not known.
        seen: distinct products seen in the chain when the question was asked.
        bank: records in the bank when the question was asked.
        status: "ok", "error" (technical) or "invalid" (a reply that could not be used to the end).
        correct: right product page at the final action; only ever true with status "ok".
        answer: product id graded, or None.
        kind, reason: what sort of trouble kept the status from "ok", and its message, or "".
        stage: the first stage at which an answer that is not right was lost (`decompose.attribution`), or "".
        rank: rank of the first retrieved record of the target's page, from 1, or None.
        steps: actions taken.
        actions: their canonical texts.
        calls, images, visual_tokens, text_tokens, reply_tokens: what the agent was given, and of the text
            what it wrote, over the probe.
        seconds: wall-clock time of the probe.
        finished_at: ISO 8601, UTC.
    """

    key: str
    system: str
    tree: int
    chain: int
    session: int
    probe: str
    target: str
    phrase: str
    first_seen: int
    last_seen: int
    reach: int
    place: int
    places: int
    seen: int
    bank: int
    status: Literal["ok", "error", "invalid"]
    correct: bool
    answer: str | None
    kind: str
    reason: str
    stage: str
    rank: int | None
    steps: int
    actions: tuple[str, ...]
    calls: int
    images: int
    visual_tokens: int
    text_tokens: int
    reply_tokens: int
    seconds: float
    finished_at: str

    @property
    def ok(self) -> bool:
        """Whether the probe counts for accuracy."""
        return self.status == "ok"


COLUMNS = tuple(field.name for field in dataclasses.fields(Unit))
_TIMINGS = frozenset({"seconds", "finished_at", "reason"})


def unit_key(facts: Mapping[str, Any]) -> str:
    """SHA-256 of the facts that decide a unit's result."""
    return sha256(compact(facts).encode())


def results_digest(units: Iterable[Unit]) -> str:
    """SHA-256 over what the units did and how they were graded, without times and error wordings.

    Two runs of one configuration have equal digests exactly when every action and every score is equal.
    """
    kept = [name for name in COLUMNS if name not in _TIMINGS]
    rows = sorted(compact({name: getattr(unit, name) for name in kept}) for unit in units)
    return sha256("\n".join(rows).encode())


def compact(value: object) -> str:
    """JSON on one line, keys sorted."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def to_row(unit: Unit) -> tuple[object, ...]:
    """The unit as SQL values, in the order of `COLUMNS`."""
    values = {name: getattr(unit, name) for name in COLUMNS}
    values.update(correct=int(unit.correct), actions=compact(unit.actions))
    return tuple(values[name] for name in COLUMNS)


def from_row(row: tuple[Any, ...]) -> Unit:
    """The unit of SQL values in the order of `COLUMNS`."""
    values = dict(zip(COLUMNS, row, strict=True))
    values.update(correct=bool(values["correct"]), actions=tuple(json.loads(values["actions"])))
    return Unit(**values)
