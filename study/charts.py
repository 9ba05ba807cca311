"""Charts as data: one specification, drawn for a page (`charts_page`) and as files (`charts_files`)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from recallreach.study.scoring import SystemScore

PALETTE = ("#6B7280", "#B0528A", "#D55E00", "#0072B2", "#00805E", "#8A6D00", "#7A4FB0", "#2E8B9E")
"""Colours that a colour-blind reader can tell apart (after Okabe and Ito), dark enough to read text in."""
PALETTE_DARK = ("#9AA4B2", "#DB8CBB", "#F58A42", "#58AEE8", "#3DBE97", "#CDAE3F", "#B595E6", "#62C3D4")
"""The same hues, light enough to read on a dark page."""


@dataclass(frozen=True, slots=True)
class Point:
    """One value of a line: a share, the ends of its interval where there is one, and how many probes it rests
    on."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    count: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """One curve of a chart, its points by ascending x."""

    label: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Curves:
    """Shares over a number: one line a system, and where known a dashed line of what guessing gives.

    Attributes:
        title: what is drawn, for instance "Target success rate".
        x_label: what the number is.
        x_name: the same in a word, for labels of single values ("reach 3").
        lines: the curves, in the order of their colours.
        reference: dashed, without a band, or None.
        note: a line under the chart.
    """

    title: str
    x_label: str
    x_name: str
    lines: tuple[Line, ...]
    reference: Line | None = None
    note: str = ""

    @property
    def xs(self) -> tuple[float, ...]:
        """All values of x at which a line has a point, ascending; without any, those of the reference."""
        found = {point.x for line in self.lines for point in line.points}
        known = self.reference.points if self.reference else ()
        return tuple(sorted(found or {point.x for point in known}))


@dataclass(frozen=True, slots=True)
class Stack:
    """One bar: how many of its `total` probes ended in each way, in the order of `Stacks.kinds`."""

    label: str
    counts: tuple[int, ...]

    @property
    def total(self) -> int:
        """All probes of the bar."""
        return sum(self.counts)

    def shares(self) -> tuple[float, ...]:
        """Each count over the total; zeros where there is nothing."""
        return tuple(count / self.total if self.total else 0.0 for count in self.counts)


@dataclass(frozen=True, slots=True)
class Stacks:
    """What became of the probes of each system: one bar a system, one fill ("#rrggbb") a kind."""

    title: str
    kinds: tuple[str, ...]
    colors: tuple[str, ...]
    bars: tuple[Stack, ...]


Chart = Curves | Stacks


def as_json(chart: Chart) -> dict[str, object]:
    """The specification as plain JSON values."""
    return {"kind": type(chart).__name__.lower(), **dataclasses.asdict(chart)}


def retention_chart(scores: Sequence[SystemScore], chance: Mapping[int, float], note: str) -> Curves:
    """Target success rate over recall reach (DMV-Bench, section 4), for all systems that have a curve.

    Args:
        scores: one per system, in the order of the legend.
        chance: reach to expected success of a guess among the products seen so far.
        note: line under the chart, for instance what the bands are.
    """
    guess = Line("a guess", tuple(Point(reach, chance[reach]) for reach in sorted(chance)))
    return Curves(
        title="Target success rate",
        x_label="Recall reach: sessions since the product was last seen",
        x_name="reach",
        lines=tuple(line_of(score) for score in scores if score.retention),
        reference=guess if chance else None,
        note=note,
    )


def line_of(score: SystemScore) -> Line:
    """The retention curve of one system."""
    return Line(
        score.system,
        tuple(
            Point(
                point.reach,
                point.rate,
                point.interval.low if point.interval else None,
                point.interval.high if point.interval else None,
                point.probes,
            )
            for point in score.retention
        ),
    )


def spread(wanted: Sequence[float], gap: float) -> list[float]:
    """Heights near `wanted`, in the same order, no two closer than `gap`, evenly pushed apart in [0, 1]."""
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    groups: list[list[int]] = []
    for index in order:
        groups.append([index])
        while len(groups) > 1 and _bottom(groups[-1], wanted, gap) - _top(groups[-2], wanted, gap) < gap:
            last = groups.pop()
            groups[-1] += last
    placed = [0.0] * len(wanted)
    for group in groups:
        for offset, index in enumerate(group):
            placed[index] = _bottom(group, wanted, gap) + offset * gap
    return placed


def label_of(number: float) -> str:
    """A number as an axis writes it: 3.0 -> "3", 0.75 -> "0.75"."""
    return f"{number:g}"


def widest(labels: Iterable[str]) -> int:
    """Length of the longest label."""
    return max(map(len, labels), default=0)


def _bottom(group: Sequence[int], wanted: Sequence[float], gap: float) -> float:
    span = gap * (len(group) - 1)
    middle = sum(wanted[index] for index in group) / len(group)
    return min(max(middle - span / 2, 0.0), max(1.0 - span, 0.0))


def _top(group: Sequence[int], wanted: Sequence[float], gap: float) -> float:
    return _bottom(group, wanted, gap) + gap * (len(group) - 1)
