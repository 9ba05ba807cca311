"""The table of the viewer's first page: systems by reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recallreach.study.reading import Tally

SHADES = 10
"""Steps of the fill that tells a share."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Right answers among the "ok" probes of one cell."""

    ok: int = 0
    correct: int = 0

    @property
    def rate(self) -> float | None:
        """Share of right answers, or None without probes."""
        return self.correct / self.ok if self.ok else None

    @property
    def shade(self) -> int:
        """0 to `SHADES`."""
        return round(SHADES * (self.rate or 0.0))

    def __add__(self, other: Cell) -> Cell:
        return Cell(self.ok + other.ok, self.correct + other.correct)


@dataclass(frozen=True, slots=True)
class Row:
    """One system: all its probes, those that are not "ok", and a cell per reach."""

    system: str
    all: Cell
    lost: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Reaches and one row per system."""

    reaches: tuple[int, ...]
    rows: tuple[Row, ...]


def table(tallies: Sequence[Tally], order: Sequence[str]) -> Table:
    """The table from counts by system and reach."""
    reaches = tuple(sorted({tally.reach for tally in tallies}))
    cells = {(tally.system, tally.reach): Cell(tally.ok, tally.correct) for tally in tallies}
    rows = []
    for system in order:
        mine = [tally for tally in tallies if tally.system == system]
        if mine:
            row = tuple(cells.get((system, reach), Cell()) for reach in reaches)
            lost = sum(tally.attempted - tally.ok for tally in mine)
            rows.append(Row(system, sum(row, Cell()), lost, row))
    return Table(reaches, tuple(rows))
