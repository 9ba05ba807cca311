"""What became of the probes of each system, by the stage at which an answer was lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from recallreach.study.charts import Stack, Stacks
from recallreach.study.decompose.attribution import FAILURES
from recallreach.study.units import Unit

RIGHT, UNKNOWN = "right", "not attributed"
MEANINGS: Mapping[str, str] = {
    RIGHT: "the agent ended on the right page",
    **FAILURES,
    UNKNOWN: "answered by an earlier recallreach, which did not tell",
}
"""What each part of a bar means, in the order of the stages."""
COLORS: Mapping[str, str] = {
    RIGHT: "#00805e",
    "error": "#7d1d17",
    "never seen": "#6b7280",
    "not written": "#9aa3af",
    "not retrieved": "#c9d0d9",
    "not delivered": "#f0cf8e",
    "misread": "#e39a36",
    "opened wrong": "#c9602b",
    "navigation failed": "#8a5a9e",
    UNKNOWN: "#e5e7eb",
}


def ending_of(unit: Unit) -> str:
    """The part of the bar that a probe belongs to."""
    return RIGHT if unit.correct else unit.stage or UNKNOWN


def failures_chart(systems: Mapping[str, Sequence[Unit]]) -> Stacks:
    """What became of the probes of each system; kinds that never happened are left out."""
    counts = {label: Counter(map(ending_of, units)) for label, units in systems.items()}
    kinds = tuple(kind for kind in MEANINGS if any(count[kind] for count in counts.values()))
    bars = tuple(Stack(label, tuple(count[kind] for kind in kinds)) for label, count in counts.items())
    return Stacks("Where answers are lost", kinds, tuple(COLORS[kind] for kind in kinds), bars)
