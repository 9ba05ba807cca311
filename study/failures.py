"""What kept a probe from being right: the first stage at which its answer was lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from recallreach.study.charts import Stack, Stacks
from recallreach.study.store import Unit

Failure = Literal["right", "not retrieved", "wrong choice", "no answer", "invalid", "error"]
FAILURES: tuple[Failure, ...] = get_args(Failure)
MEANINGS: Mapping[Failure, str] = {
    "right": "the agent ended on the right page",
    "not retrieved": "the right page was not among the records that memory returned",
    "wrong choice": "it was among them, and the agent ended on another product",
    "no answer": "it was among them, and the agent ended on no product page",
    "invalid": "the question could not be asked or answered by the rules",
    "error": "a technical failure; not counted in accuracy",
}


COLORS: Mapping[Failure, str] = {
    "right": "#00805e",
    "not retrieved": "#c3cad4",
    "wrong choice": "#e8a33d",
    "no answer": "#8a5a9e",
    "invalid": "#6b7280",
    "error": "#b3261e",
}


def failure_of(status: str, correct: bool, rank: int | None, answer: str | None) -> Failure:
    """The first stage at which a probe went wrong, or "right"."""
    if status == "error":
        return "error"
    if status == "invalid":
        return "invalid"
    if correct:
        return "right"
    if rank is None:
        return "not retrieved"
    return "wrong choice" if answer is not None else "no answer"


def failures_chart(systems: Mapping[str, Sequence[Unit]]) -> Stacks:
    """What became of the probes of each system; kinds that never happened are left out."""
    counts = {
        label: Counter(failure_of(unit.status, unit.correct, unit.rank, unit.answer) for unit in units)
        for label, units in systems.items()
    }
    kinds = tuple(kind for kind in FAILURES if any(count[kind] for count in counts.values()))
    bars = tuple(Stack(label, tuple(count[kind] for kind in kinds)) for label, count in counts.items())
    return Stacks("Where answers are lost", kinds, tuple(COLORS[kind] for kind in kinds), bars)
