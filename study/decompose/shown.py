"""Analyses as tables: for the terminal, as Markdown and as CSV, all from the same cells."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table as RichTable

from recallreach.study.decompose.analysis import Analysis
from recallreach.study.decompose.attribution import FAILURES
from recallreach.study.decompose.conditions import Help
from recallreach.study.decompose.growth import MEASURES, Growth
from recallreach.study.decompose.paired import PairedTest
from recallreach.study.stats import Interval

FEWEST_LETTERS = 9
"""The name of a column is not broken into shorter lines than this."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One table: its title, the names of its columns, and its cells as text; the first column is a label.

    `spare` names the columns that a narrow terminal goes without, the least needed first; files have all.
    """

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    spare: tuple[str, ...] = ()

    def markdown(self) -> str:
        """A heading line and the table."""
        lines = [self.head, ("---", *["---:"] * (len(self.head) - 1)), *self.rows]
        told = ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]
        return f"**{self.title}**\n\n" + "\n".join(told) + "\n"

    def csv(self) -> str:
        """The table alone."""
        buffer = io.StringIO(newline="")
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerows([self.head, *self.rows])
        return buffer.getvalue()

    def print_to(self, console: Console) -> None:
        """The table on a terminal, without the spare columns that it has no room for."""
        left_out: list[str] = []
        table, wide = self._drawn(left_out), console.options.update(width=10_000)
        while (
            len(left_out) < len(self.spare) and Measurement.get(console, wide, table).maximum > console.width
        ):
            left_out.append(self.spare[len(left_out)])
            table = self._drawn(left_out)
        console.print(f"\n{self.title}", highlight=False, soft_wrap=True)
        console.print(table)

    def _drawn(self, left_out: Sequence[str]) -> RichTable:
        table = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
        kept = [number for number, name in enumerate(self.head) if name not in left_out]
        for number in kept:
            widest = max((len(row[number]) for row in self.rows), default=0)
            name = fill(self.head[number], max(FEWEST_LETTERS, widest), break_long_words=False)
            table.add_column(name, justify="right" if number else "left", no_wrap=number > 0)
        for row in self.rows:
            table.add_row(*(row[number] for number in kept))
        return table


def tables_of(analysis: Analysis) -> list[Shown]:
    """Rates, differences by family, stages, and where the decisions could help."""
    about = f"{analysis.title}, agent {analysis.agent}, {analysis.chains} chains"
    found = [_rates(analysis, about), _differences(analysis, about), _stages(analysis, about)]
    return [*found, *([_helps(analysis, about)] if any(one.judged for one in analysis.comparisons) else [])]


def probes_table(analysis: Analysis) -> Shown:
    """The three conditions probe by probe, for every comparison about a decision."""
    rows = [
        (
            other,
            str(one.family.decision),
            probe.probe,
            *(str(int(getattr(probe.conditions, name))) for name in ("survived", "needed", "there", "met")),
            str(int(probe.correct)),
            str(int(probe.without)),
        )
        for one in analysis.comparisons
        for other, probes in one.judged.items()
        for probe in probes
    ]
    head = (
        "without",
        "decision",
        "probe",
        "survived",
        "needed",
        "there",
        "met",
        "right with",
        "right without",
    )
    return Shown("Conditions by probe", head, tuple(rows))


def growth_table(found: Sequence[Growth], chains: int) -> Shown:
    """Cost at delivery by session, and its slope."""
    sessions = sorted({session for one in found for session in one.means})
    first, last = (f"session {sessions[end]}" for end in (0, -1)) if sessions else ("first", "last")
    rows = [
        (
            one.system,
            one.measure.replace("_", " "),
            *(
                f"{one.means[session]:.1f}" if session in one.means else "–"
                for session in (sessions[0], sessions[-1])
            ),
            f"{one.slope:+.2f}",
            _ends(one.interval, 1.0, 2),
        )
        for measure in MEASURES
        for one in found
        if one.measure == measure
    ]
    head = ("system", "cost per probe", first, last, "per session", "95 %")
    return Shown(f"Cost at delivery, {chains} chains", head, tuple(rows), (first, "95 %"))


def _rates(analysis: Analysis, about: str) -> Shown:
    rows = [
        (
            row.system,
            f"{row.correct} of {row.probes}",
            _percent(row.rate),
            _ends(row.interval),
            _percent(row.first),
            _percent(row.among),
            str(row.errors),
        )
        for row in analysis.rows
    ]
    head = ("system", "right", "share %", "95 %", "target first %", "target among k %", "errors")
    return Shown(about, head, tuple(rows), ("share %", "target first %", "errors"))


def _differences(analysis: Analysis, about: str) -> Shown:
    rows = [
        (test.first, one.family.title, *_test(test)) for one in analysis.comparisons for test in one.tests
    ]
    head = (
        "against the corner",
        "family",
        "points",
        "95 %",
        "lost / won",
        "McNemar p",
        "chains -/+",
        "sign p",
    )
    spare = ("chains -/+", "McNemar p", "lost / won", "family")
    return Shown(f"Differences. {about}; p after Holm by family", head, tuple(rows), spare)


def _test(test: PairedTest) -> tuple[str, ...]:
    """Lost: right in the corner alone; won: right in the other system alone."""
    return (
        f"{100 * test.difference:+.1f}",
        _ends(test.interval),
        f"{test.only_second} / {test.only_first}",
        _p(test.holm_mcnemar),
        f"{test.sign.worse}/{test.sign.better}",
        _p(test.holm_sign),
    )


def _stages(analysis: Analysis, about: str) -> Shown:
    kinds = [kind for kind in FAILURES if any(row.stages[kind] for row in analysis.rows)]
    rows = tuple((row.system, *(str(row.stages[kind]) for kind in kinds)) for row in analysis.rows)
    return Shown(f"Where answers were lost. {about}", ("system", *kinds), rows)


def _helps(analysis: Analysis, about: str) -> Shown:
    rows = [_help_row(other, found) for one in analysis.comparisons for other, found in one.helps()]
    head = (
        "without the decision",
        "survived",
        "needed",
        "there",
        "all met",
        "won / lost",
        "not met",
        "won / lost ",
    )
    title = f"Where the decision of the corner could help. {about}"
    return Shown(title, head, tuple(rows), ("survived", "needed", "there"))


def _help_row(other: str, found: Help) -> tuple[str, ...]:
    return (
        other,
        str(found.survived),
        str(found.needed),
        str(found.there),
        str(found.probes),
        f"{found.gained} / {found.lost}",
        str(found.other_probes),
        f"{found.other_gained} / {found.other_lost}",
    )


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}"


def _ends(interval: Interval | None, scale: float = 100.0, digits: int = 1) -> str:
    if interval is None:
        return "–"
    return f"{scale * interval.low:.{digits}f} to {scale * interval.high:.{digits}f}"


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
