"""What a run says at its end: one compact table and where the report lies."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from recallreach.study.report import Results, percent
from recallreach.study.scoring import SystemScore

MOST_REACHES = 6
"""Columns for reaches; of a longer curve as many are shown, evenly spread, first and last among them."""


def print_summary(console: Console, results: Results) -> None:
    """Print the table, the chance check, the digest and, as the last line, the path of the report."""
    reaches = _spread(sorted(results.chance))
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("system", overflow="fold")
    heads = ["TSR", "95 %", *(f"r{reach}" for reach in reaches), "errors", "images", "sec"]
    for head in heads:
        table.add_column(head, justify="right", no_wrap=True)
    for score in results.scores:
        table.add_row(*_cells(score, reaches))
    console.print()
    console.print(table)
    if len(reaches) < len(results.chance):
        console.print(f"({len(reaches)} of {len(results.chance)} reaches; all are in the report)")
    for check in results.checks:
        console.print(
            f"{check.system}: {check.verdict} ({check.correct} right of {check.probes}; "
            f"guessing gives {check.low} to {check.high})",
            highlight=False,
            markup=False,
        )
    if not results.complete:
        console.print(
            "Not complete: some probes are still to be asked; "
            f"go on with: recallreach resume {results.path.parent}",
            highlight=False,
            markup=False,
            soft_wrap=True,
        )
    console.print(f"Results digest: {results.digest[:16]}", highlight=False)
    console.print(f"Report: {results.path}", highlight=False, markup=False, soft_wrap=True)


def _spread(reaches: list[int]) -> list[int]:
    if len(reaches) <= MOST_REACHES:
        return reaches
    last = len(reaches) - 1
    return [reaches[round(step * last / (MOST_REACHES - 1))] for step in range(MOST_REACHES)]


def _cells(score: SystemScore, reaches: list[int]) -> list[str | Text]:
    curve = {point.reach: f"{100 * point.rate:.0f}" for point in score.retention}
    costs = [f"{score.costs.images:.1f}", f"{score.costs.seconds:.2f}"] if score.costs else ["–", "–"]
    interval = score.interval
    ends = f"{100 * interval.low:.0f}–{100 * interval.high:.0f}" if interval else "–"
    points = (curve.get(reach, "–") for reach in reaches)
    return [Text(score.system), percent(score.tsr), ends, *points, percent(score.error_rate), *costs]
