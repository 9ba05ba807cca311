"""From the units of a design to its table: rates, paired differences by family, stages, conditions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, get_args

from recallreach.study.decompose.attribution import FailureKind
from recallreach.study.decompose.conditions import Help, Judged, help_of, judged
from recallreach.study.decompose.designs import Design, Family
from recallreach.study.decompose.paired import PairedTest, paired_family, paired_test
from recallreach.study.scoring import by_system
from recallreach.study.stats import Interval, chain_interval, rate, tallies
from recallreach.study.store import Unit

TraceOf = Callable[[str], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Row:
    """One system on the fixed set of probes.

    Attributes:
        system: label.
        probes, correct: "ok" probes and right answers among them.
        errors: probes that ended otherwise.
        rate: correct / probes, or None without any.
        interval: 95 % bootstrap over chains.
        first, among: share of probes with the target at rank 1, and among the k retrieved.
        stages: where the answers that are not right were lost, by stage.
    """

    system: str
    probes: int
    correct: int
    errors: int
    rate: float | None
    interval: Interval | None
    first: float | None
    among: float | None
    stages: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One family.

    Attributes:
        family: what was compared.
        tests: each the other system minus the corner.
        judged: by the other system's label, the three conditions of every probe; empty where the family is
            about no decision.
    """

    family: Family
    tests: tuple[PairedTest, ...]
    judged: Mapping[str, Sequence[Judged]]

    def helps(self) -> list[tuple[str, Help]]:
        """Where the corner's decision could help, against each other system."""
        decision = self.family.decision
        return [(other, help_of(decision, probes)) for other, probes in self.judged.items() if decision]


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything that a design's table says of one agent."""

    title: str
    agent: str
    rows: tuple[Row, ...]
    comparisons: tuple[Comparison, ...]
    chains: int


def analyse(
    design: Design,
    agent: str,
    units: Sequence[Unit],
    trace_of: TraceOf,
    seed: int,
    order: Sequence[str] = (),
) -> Analysis:
    """Score a design.

    Args:
        design: what was asked.
        agent: who answered, for the heading.
        units: rows of the results store.
        trace_of: for instance `store.trace`.
        seed: the study's seed.
        order: labels in the order of the rows; by default that of the design.
    """
    crossed = [f"{memory.title} + {part.title}" for memory in design.memories for part in design.deliveries]
    grouped = by_system(units, order or crossed)
    return Analysis(
        title=design.title,
        agent=agent,
        rows=tuple(_row(label, rows, seed) for label, rows in grouped.items()),
        comparisons=tuple(_comparison(family, grouped, trace_of, seed) for family in design.families),
        chains=len({unit.tree for unit in units}),
    )


def _row(system: str, units: Sequence[Unit], seed: int) -> Row:
    ok = [unit for unit in units if unit.ok]
    chains = tallies((unit.tree, unit.correct) for unit in ok)
    lost = Counter(unit.stage for unit in units if unit.stage)
    return Row(
        system=system,
        probes=len(ok),
        correct=sum(unit.correct for unit in ok),
        errors=len(units) - len(ok),
        rate=rate(chains),
        interval=chain_interval(chains, seed, system),
        first=fmean(unit.rank == 1 for unit in ok) if ok else None,
        among=fmean(unit.rank is not None for unit in ok) if ok else None,
        stages={kind: lost[kind] for kind in get_args(FailureKind)},
    )


def _comparison(
    family: Family, grouped: Mapping[str, Sequence[Unit]], trace_of: TraceOf, seed: int
) -> Comparison:
    corner = grouped.get(family.corner, ())
    tests = [paired_test(grouped.get(other, ()), corner, seed) for other in family.others]
    told: dict[str, Sequence[Judged]] = {}
    if family.decision is not None:
        for other in family.others:
            pairs = _pairs(corner, grouped.get(other, ()))
            told[other] = judged(family.decision, pairs, trace_of)
    return Comparison(family, tuple(paired_family(tests)), told)


def _pairs(corner: Sequence[Unit], other: Sequence[Unit]) -> list[tuple[Unit, Unit]]:
    """The probes that are "ok" in both, with the decision and without."""
    without = {unit.probe: unit for unit in other if unit.ok}
    return [(unit, without[unit.probe]) for unit in corner if unit.ok and unit.probe in without]
