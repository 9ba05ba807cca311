"""The published controls as figures: chain length, bank size at fixed reach, encoding position; power."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import TypeVar

from recallreach.study.decompose.paired import PairedTest, paired_family, paired_test
from recallreach.study.stats import (
    Interval,
    Slope,
    chain_interval,
    chain_spread,
    chains_for_difference,
    chains_for_width,
    slope,
    tallies,
)
from recallreach.study.units import Unit

ConditionT = TypeVar("ConditionT", int, str)

THIRDS = ("first third", "middle third", "last third")
HALF_WIDTHS = (0.1, 0.05, 0.025)
"""Half widths of the intervals that the precision table plans for."""
WORTH_FINDING = 0.05
"""The paired difference that the precision table plans for, with a power of 80 %."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Success of one system under one condition.

    Attributes:
        system: label.
        reach: reach that is held fixed, or None where all count.
        condition: what is varied, for instance the chain length.
        bank: mean number of stored records.
        probes, correct: "ok" probes and right answers.
        interval: 95 % bootstrap over chains, or None with fewer than two.
    """

    system: str
    reach: int | None
    condition: int | str
    bank: float
    probes: int
    correct: int
    interval: Interval | None

    @property
    def rate(self) -> float:
        """Share of right answers."""
        return self.correct / self.probes


def by_length(systems: Mapping[str, Sequence[Unit]], lengths: Sequence[int], seed: int) -> list[Cell]:
    """Success on chains of each length J: probes asked after the first J sessions.

    Chains share their prefixes, so the probes of a shorter chain are among those of a longer one.
    """
    found = []
    for label, units in systems.items():
        for length in lengths:
            there = [unit for unit in units if unit.ok and unit.session < length]
            found += _cells(label, None, {length: there}, seed, "length")
    return found


def by_bank(systems: Mapping[str, Sequence[Unit]], seed: int) -> list[Cell]:
    """Success by the session of the question, which is to say by bank size, at each fixed reach."""
    found = []
    for label, units in systems.items():
        for reach in sorted({unit.reach for unit in units if unit.ok}):
            there = _grouped((unit for unit in units if unit.ok and unit.reach == reach), _session)
            found += _cells(label, reach, there, seed, "bank")
    return found


def by_position(systems: Mapping[str, Sequence[Unit]], seed: int) -> list[Cell]:
    """Success by where in its session the target was seen, among the products of that session."""
    found = []
    for label, units in systems.items():
        known = [unit for unit in units if unit.ok and unit.places > 0]
        there = _grouped(known, lambda unit: THIRDS[min(2, 3 * unit.place // unit.places)])
        ordered = {third: there[third] for third in THIRDS if third in there}
        found += _cells(label, None, ordered, seed, "position")
    return found


def slopes(systems: Mapping[str, Sequence[Unit]], seed: int) -> dict[str, Slope]:
    """How fast success falls with reach, by system; those with one reach only are left out."""
    found = {}
    for label, units in systems.items():
        points = ((unit.tree, float(unit.reach), float(unit.correct)) for unit in units if unit.ok)
        fitted = slope(points, seed, "slope", label)
        if fitted is not None:
            found[label] = fitted
    return found


def paired(systems: Mapping[str, Sequence[Unit]], seed: int) -> list[PairedTest]:
    """All pairs of systems as one family, later systems against earlier ones, with Holm's correction."""
    pairs = [(second, first) for first, second in combinations(systems, 2)]
    return paired_family(paired_test(systems[one], systems[two], seed) for one, two in pairs)


@dataclass(frozen=True, slots=True)
class Precision:
    """What a run's own spread between chains says about the size of the next one.

    Attributes:
        what: a system, or two of them that are compared.
        chains: chains of this run.
        spread: standard deviation between chains.
        widths: chains for a 95 % interval of +- each of `HALF_WIDTHS`; None for a comparison and where there
            is no spread: chains that all agree say nothing about how many it takes.
        difference: chains to find a difference of `WORTH_FINDING` with a power of 80 %; None for one system
            and where there is no spread.
    """

    what: str
    chains: int
    spread: float
    widths: tuple[int, ...] | None
    difference: int | None


def precision(systems: Mapping[str, Sequence[Unit]]) -> list[Precision]:
    """How many chains the next run should have; nothing with fewer than two chains."""
    found = []
    for label, units in systems.items():
        chains = tallies((unit.tree, float(unit.correct)) for unit in units if unit.ok)
        spread = chain_spread(chains)
        if spread is not None:
            widths = tuple(chains_for_width(spread, half) for half in HALF_WIDTHS) if spread else None
            found.append(Precision(label, len(chains), spread, widths, None))
    for first, second in combinations(systems, 2):
        found += _comparison(second, first, systems)
    return found


def _comparison(one: str, two: str, systems: Mapping[str, Sequence[Unit]]) -> list[Precision]:
    other = {unit.probe: unit for unit in systems[two] if unit.ok}
    pairs = [(unit, other[unit.probe]) for unit in systems[one] if unit.ok and unit.probe in other]
    chains = tallies((left.tree, float(left.correct) - float(right.correct)) for left, right in pairs)
    spread = chain_spread(chains)
    if spread is None:
        return []
    needed = chains_for_difference(spread, WORTH_FINDING) if spread else None
    return [Precision(f"{one} against {two}", len(chains), spread, None, needed)]


def _session(unit: Unit) -> int:
    return unit.session


def _grouped(units: Iterable[Unit], key: Callable[[Unit], ConditionT]) -> dict[ConditionT, list[Unit]]:
    groups: dict[ConditionT, list[Unit]] = {}
    for unit in units:
        groups.setdefault(key(unit), []).append(unit)
    return dict(sorted(groups.items(), key=lambda group: str(group[0]).zfill(9)))


def _cells(
    label: str,
    reach: int | None,
    groups: Mapping[int, list[Unit]] | Mapping[str, list[Unit]],
    seed: int,
    name: str,
) -> list[Cell]:
    found = []
    for condition, units in groups.items():
        if units:
            chains = tallies((unit.tree, float(unit.correct)) for unit in units)
            where = (name, label, -1 if reach is None else reach, condition)
            interval = chain_interval(chains, seed, *where)
            correct, bank = sum(unit.correct for unit in units), fmean(unit.bank for unit in units)
            found.append(Cell(label, reach, condition, bank, len(units), correct, interval))
    return found
