"""A chart's specification drawn by Matplotlib: PNG for slides, SVG for the web, PDF for a paper."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, MultipleLocator, PercentFormatter

from recallreach.files import dump_json, write_atomically
from recallreach.study.charts import PALETTE, Chart, Curves, Line, Stacks, as_json, spread

KINDS = ("png", "svg", "pdf")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
INK, FAINT = "#22272e", "#6e7781"
LABEL_GAP = 0.058
"""Least distance of two labels at the line ends, as a share of the axis."""
MOST_LABELS = 12
"""Lines that can be labelled at their ends; more get a legend."""
LONGEST_LABEL = 34
SMALLEST_WRITTEN = 0.07
"""Least share of a bar's part that carries its own figure."""

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
    "pdf.fonttype": 42,
}


def figure_of(chart: Chart) -> Figure:
    """Draw a specification."""
    with mpl.rc_context(STYLE):
        return _curves(chart) if isinstance(chart, Curves) else _stacks(chart)


def encode(figure: Figure, kind: str) -> bytes:
    """The figure as "png", "svg" or "pdf" bytes; equal figures give equal bytes."""
    buffer = io.BytesIO()
    with mpl.rc_context(STYLE):
        metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
        FigureCanvasAgg(figure).print_figure(buffer, format=kind, metadata=metadata, facecolor="white")
    return buffer.getvalue()


def save(chart: Chart, folder: Path, stem: str) -> dict[str, bytes]:
    """Write the specification as `<stem>.json` and its drawings; returns the drawings' bytes by kind.

    Raises:
        DataError: the folder cannot be written.
    """
    write_atomically(folder / f"{stem}.json", dump_json(as_json(chart)))
    figure = figure_of(chart)
    made = {kind: encode(figure, kind) for kind in KINDS}
    for kind, data in made.items():
        write_atomically(folder / f"{stem}.{kind}", data)
    return made


def _curves(chart: Curves) -> Figure:
    figure = Figure(figsize=(8.2, 4.6), dpi=200, layout="constrained")
    axes = figure.add_subplot()
    for number, line in enumerate(chart.lines):
        _draw(axes, line, number)
    if chart.reference:
        xs, ys = _columns(chart.reference)
        axes.plot(xs, ys, color=FAINT, linewidth=1.2, linestyle=(0, (4, 3)), zorder=2)
    _dress(axes, chart)
    _name_lines(axes, chart.lines)
    figure.supxlabel(chart.note, fontsize=8.5, color=FAINT, x=0.01, ha="left")
    return figure


def _columns(line: Line) -> tuple[list[float], list[float]]:
    return [point.x for point in line.points], [point.y for point in line.points]


def _draw(axes: Axes, line: Line, number: int) -> None:
    xs, ys = _columns(line)
    color = PALETTE[number % len(PALETTE)]
    low = [point.y if point.low is None else point.low for point in line.points]
    high = [point.y if point.high is None else point.high for point in line.points]
    axes.fill_between(xs, low, high, color=color, alpha=0.14, linewidth=0)
    axes.plot(
        xs,
        ys,
        label=shortened(line.label),
        color=color,
        marker=MARKERS[number % len(MARKERS)],
        linestyle="-" if number < len(PALETTE) else (0, (5, 1.5)),
        markersize=6 if len(xs) <= 12 else 3.5,
        markeredgecolor="white",
        markeredgewidth=0.8,
        linewidth=2,
        clip_on=False,
        zorder=3,
    )


def _dress(axes: Axes, chart: Curves) -> None:
    xs = chart.xs
    axes.set_ylim(0, 1)
    span = (xs[-1] - xs[0] or 1) if xs else 1
    axes.set_xlim((xs[0] - 0.04 * span, xs[-1] + 0.01 * span) if xs else (0, 1))
    whole = all(x == int(x) for x in xs)
    axes.xaxis.set_major_locator(MaxNLocator(12 if span <= 12 else 10, integer=whole))
    axes.yaxis.set_major_locator(MultipleLocator(0.2))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.grid(axis="y", color=FAINT, alpha=0.25, linewidth=0.8)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(length=0, pad=7)
    axes.set_xlabel(chart.x_label)
    axes.set_title(chart.title, loc="left", fontsize=12, fontweight="bold", pad=12)


def _name_lines(axes: Axes, lines: Sequence[Line]) -> None:
    if len(lines) > MOST_LABELS:
        found = axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
        for text in found.get_texts():
            text.set_parse_math(False)
        return
    drawn = [line for line in lines if line.points]
    right = max((line.points[-1].x for line in drawn), default=0.0)
    heights = spread([line.points[-1].y for line in drawn], LABEL_GAP)
    for line, height in zip(drawn, heights, strict=True):
        axes.annotate(
            shortened(line.label),
            parse_math=False,
            xy=(right, height),
            xytext=(12, 0),
            textcoords="offset points",
            color=PALETTE[lines.index(line) % len(PALETTE)],
            fontweight="bold",
            va="center",
            annotation_clip=False,
        )


def _stacks(chart: Stacks) -> Figure:
    height = 1.5 + 0.5 * max(len(chart.bars), 1)
    figure = Figure(figsize=(8.2, height), dpi=200, layout="constrained")
    axes = figure.add_subplot()
    places = range(len(chart.bars))
    left = [0.0] * len(chart.bars)
    for number, kind in enumerate(chart.kinds):
        shares = [bar.shares()[number] for bar in chart.bars]
        color = chart.colors[number]
        axes.barh(places, shares, left=left, label=kind, color=color, height=0.62)
        _write_shares(axes, left, shares, color)
        left = [start + share for start, share in zip(left, shares, strict=True)]
    axes.set_yticks(list(places), [shortened(bar.label) for bar in chart.bars], parse_math=False)
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.spines[["top", "right", "left", "bottom"]].set_visible(False)
    axes.tick_params(length=0)
    axes.set_title(chart.title, loc="left", fontsize=12, fontweight="bold", pad=12)
    figure.legend(frameon=False, fontsize=8.5, ncols=4, loc="outside lower left")
    return figure


def _write_shares(axes: Axes, left: Sequence[float], shares: Sequence[float], color: str) -> None:
    for place, (start, share) in enumerate(zip(left, shares, strict=True)):
        if share >= SMALLEST_WRITTEN:
            axes.text(
                start + share / 2,
                place,
                f"{share:.0%}",
                ha="center",
                va="center",
                fontsize=9,
                color=readable_on(color),
            )


def shortened(label: str) -> str:
    """A label that leaves room for the plot."""
    return label if len(label) <= LONGEST_LABEL else f"{label[: LONGEST_LABEL - 1]}…"


def readable_on(color: str) -> str:
    """Black or white, whichever reads better on a fill "#rrggbb" (WCAG relative luminance)."""
    channels = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#ffffff" if luminance < 0.22 else INK
