"""The tables of a run, each as CSV with full figures and as LaTeX for a paper."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from recallreach.files import write_atomically
from recallreach.study.units import COLUMNS, Unit

Kind = Literal["text", "count", "share", "points", "number", "p"]
Value = str | int | float | None

FOLDER = "tables"
_SPECIAL = re.compile(r"[&%$#_{}]")
_ESCAPED = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"\ensuremath{\pm}",
    # At the head of a row a bracket or a star would be an option of the line break before it.
    "[": "{[}",
    "*": "{*}",
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name in CSV, its head in LaTeX, and what its values are."""

    name: str
    head: str
    kind: Kind = "count"


@dataclass(frozen=True, slots=True)
class Table:
    """A table: file name, caption, columns, and rows of plain values (None where there is nothing)."""

    name: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]

    def csv(self) -> str:
        """The table as CSV, figures in full."""
        return _csv([column.name for column in self.columns], self.rows)

    def latex(self) -> str:
        """The table as LaTeX (package booktabs), figures as a paper prints them."""
        heads = " & ".join(latex_text(column.head) for column in self.columns)
        body = "".join(f"{self._line(row)} \\\\\n" for row in self.rows)
        form = "".join("l" if column.kind == "text" else "r" for column in self.columns)
        return (
            f"% needs \\usepackage{{booktabs}}\n\\begin{{table}}\n\\centering\n"
            f"\\caption{{{latex_text(self.caption)}}}\n\\label{{tab:{self.name}}}\n"
            f"\\begin{{tabular}}{{{form}}}\n\\toprule\n{heads} \\\\\n\\midrule\n{body}"
            "\\bottomrule\n\\end{tabular}\n\\end{table}\n"
        )

    def _line(self, row: tuple[Value, ...]) -> str:
        return " & ".join(shown(value, column.kind) for value, column in zip(row, self.columns, strict=True))


def shown(value: Value, kind: Kind) -> str:
    """A value as LaTeX."""
    if value is None:
        return "--"
    if isinstance(value, str) or kind == "text":
        return latex_text(str(value))
    if kind == "share":
        return f"{100 * value:.1f}"
    if kind == "points":
        return f"${100 * value:+z.1f}$"
    if kind == "p":
        return "$<$0.001" if value < 0.001 else f"{value:.3f}"
    return f"{value:,}" if kind == "count" else f"{value:.2f}"


def latex_text(text: str) -> str:
    """Text with what LaTeX would read as commands taken literally."""
    parts = (_ESCAPED.get(sign, sign) for sign in text)
    plain = "".join(part if len(part) > 1 else _SPECIAL.sub(r"\\\g<0>", part) for part in parts)
    return plain.replace("–", "--")


def write_tables(folder: Path, units: Sequence[Unit], tables: Iterable[Table]) -> None:
    """Write results.csv with a row per probe, and each table into `tables/` as CSV and LaTeX.

    Raises:
        DataError: the folder cannot be written.
    """
    write_atomically(folder / "results.csv", _csv(COLUMNS, map(_result_row, units)))
    for table in tables:
        write_atomically(folder / FOLDER / f"{table.name}.csv", table.csv())
        write_atomically(folder / FOLDER / f"{table.name}.tex", table.latex())


def _result_row(unit: Unit) -> list[object]:
    values = {name: getattr(unit, name) for name in COLUMNS}
    values.update(correct=int(unit.correct), actions=" | ".join(unit.actions))
    return [values[name] for name in COLUMNS]


def _csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(["" if value is None else value for value in row] for row in rows)
    return buffer.getvalue()
