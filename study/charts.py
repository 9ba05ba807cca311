"""The retention curve: target success rate over recall reach, one line per system."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator, PercentFormatter

from recallreach.files import write_atomically
from recallreach.study.scoring import SystemScore

PALETTE = ("#6B7280", "#B0528A", "#D55E00", "#0072B2", "#00805E", "#8A6D00", "#7A4FB0", "#2E8B9E")
"""Colours that a colour-blind reader can tell apart (after Okabe and Ito), dark enough to read text in."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
INK, FAINT = "#22272e", "#6e7781"
LABEL_GAP = 0.058
"""Least distance of two labels at the line ends, as a share of the axis."""

STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 11,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "svg.hashsalt": "recallreach",
    "svg.fonttype": "path",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One curve: reaches, shares, and where known the lower and upper ends of their intervals."""

    label: str
    reaches: tuple[int, ...]
    rates: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


def line_of(score: SystemScore) -> Line:
    """The curve of one system; a point without an interval gets a band of no width."""
    points = score.retention
    return Line(
        label=score.system,
        reaches=tuple(point.reach for point in points),
        rates=tuple(point.rate for point in points),
        low=tuple(point.interval.low if point.interval else point.rate for point in points),
        high=tuple(point.interval.high if point.interval else point.rate for point in points),
    )


def retention_figure(scores: Sequence[SystemScore], chance: Mapping[int, float], note: str) -> Figure:
    """Draw the curves of all systems that have one.

    Args:
        scores: one per system, in the order of the legend.
        chance: reach to expected success of a guess among the products seen so far.
        note: line under the chart, for instance what the bands are.
    """
    lines = [line_of(score) for score in scores if score.retention]
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(8.2, 4.6), dpi=200, layout="constrained")
        axes = figure.add_subplot()
        for number, line in enumerate(lines):
            _draw(axes, line, PALETTE[number % len(PALETTE)], MARKERS[number % len(MARKERS)])
        _draw_chance(axes, chance)
        _dress(axes, sorted({reach for line in lines for reach in line.reaches}))
        _label_ends(axes, lines)
        figure.supxlabel(note, fontsize=8.5, color=FAINT, x=0.01, ha="left")
    return figure


def _draw(axes: Axes, line: Line, color: str, marker: str) -> None:
    axes.fill_between(line.reaches, line.low, line.high, color=color, alpha=0.14, linewidth=0)
    axes.plot(
        line.reaches,
        line.rates,
        color=color,
        marker=marker,
        markersize=6,
        markeredgecolor="white",
        markeredgewidth=0.8,
        linewidth=2,
        clip_on=False,
        zorder=3,
    )


def _draw_chance(axes: Axes, chance: Mapping[int, float]) -> None:
    if chance:
        reaches = sorted(chance)
        rates = [chance[reach] for reach in reaches]
        axes.plot(reaches, rates, color=FAINT, linewidth=1.2, linestyle=(0, (4, 3)), zorder=2)


def _dress(axes: Axes, reaches: Sequence[int]) -> None:
    axes.set_ylim(0, 1)
    span = max(reaches[-1] - reaches[0], 1) if reaches else 1
    axes.set_xlim((reaches[0] - 0.04 * span, reaches[-1] + 0.01 * span) if reaches else (0, 1))
    axes.xaxis.set_major_locator(MultipleLocator(1 if len(reaches) <= 12 else 5))
    axes.yaxis.set_major_locator(MultipleLocator(0.2))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.grid(axis="y", color=FAINT, alpha=0.25, linewidth=0.8)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(length=0, pad=7)
    axes.set_xlabel("Recall reach: sessions since the product was last seen")
    axes.set_title("Target success rate", loc="left", fontsize=12, fontweight="bold", pad=12)


def _label_ends(axes: Axes, lines: Sequence[Line]) -> None:
    if not lines:
        return
    right = max(line.reaches[-1] for line in lines)
    heights = spread([line.rates[-1] for line in lines], LABEL_GAP)
    for number, (line, height) in enumerate(zip(lines, heights, strict=True)):
        axes.annotate(
            line.label,
            xy=(right, height),
            xytext=(12, 0),
            textcoords="offset points",
            color=PALETTE[number % len(PALETTE)],
            fontweight="bold",
            va="center",
            annotation_clip=False,
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


def _bottom(group: Sequence[int], wanted: Sequence[float], gap: float) -> float:
    span = gap * (len(group) - 1)
    middle = sum(wanted[index] for index in group) / len(group)
    return min(max(middle - span / 2, 0.0), max(1.0 - span, 0.0))


def _top(group: Sequence[int], wanted: Sequence[float], gap: float) -> float:
    return _bottom(group, wanted, gap) + gap * (len(group) - 1)


def encode(figure: Figure, kind: str) -> bytes:
    """The figure as "png" or "svg" bytes; equal figures give equal bytes."""
    buffer = io.BytesIO()
    with mpl.rc_context(STYLE):
        metadata = {"Date": None} if kind == "svg" else None
        FigureCanvasAgg(figure).print_figure(buffer, format=kind, metadata=metadata, facecolor="white")
    return buffer.getvalue()


def save(figure: Figure, folder: Path, stem: str) -> dict[str, bytes]:
    """Write `<stem>.png` and `<stem>.svg` and return their bytes by kind."""
    made = {kind: encode(figure, kind) for kind in ("png", "svg")}
    for kind, data in made.items():
        write_atomically(folder / f"{stem}.{kind}", data)
    return made
