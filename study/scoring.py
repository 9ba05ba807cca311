"""From rows of the result store to the figures of the report. Errors stand beside accuracy, never in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from recallreach.study.stats import Interval, chain_interval, chance_counts, rate, tallies
from recallreach.study.store import Unit


@dataclass(frozen=True, slots=True)
class ReachScore:
    """One point of a retention curve.

    Attributes:
        reach: sessions between last view and recall.
        probes: probes that ended "ok".
        correct: how many of them were right.
        interval: 95 % bootstrap over chains, or None with fewer than two chains.
    """

    reach: int
    probes: int
    correct: int
    interval: Interval | None

    @property
    def rate(self) -> float:
        """Share of right answers."""
        return self.correct / self.probes


@dataclass(frozen=True, slots=True)
class Costs:
    """Means per "ok" probe: what the agent was given and how long the probe took."""

    images: float
    visual_tokens: float
    text_tokens: float
    calls: float
    steps: float
    seconds: float


@dataclass(frozen=True, slots=True)
class SystemScore:
    """One system's row.

    Attributes:
        system: label.
        probes, correct: "ok" probes and right answers among them.
        tsr: target success rate, correct / ok (DMV-Bench, section 4), or None without "ok" probes.
        interval: 95 % bootstrap over chains.
        errors, invalid: probes with another status, by kind.
        retrieved: share of "ok" probes with the target's page among the k hits.
        retention: the curve, by ascending reach.
        costs: means per "ok" probe, or None without any.
    """

    system: str
    probes: int
    correct: int
    tsr: float | None
    interval: Interval | None
    errors: Mapping[str, int]
    invalid: Mapping[str, int]
    retrieved: float | None
    retention: tuple[ReachScore, ...]
    costs: Costs | None

    @property
    def attempted(self) -> int:
        """All probes, whatever their status."""
        return self.probes + sum(self.errors.values()) + sum(self.invalid.values())

    @property
    def error_rate(self) -> float:
        """Share of probes lost to technical errors."""
        return sum(self.errors.values()) / self.attempted if self.attempted else 0.0

    @property
    def invalid_rate(self) -> float:
        """Share of probes without a usable final answer."""
        return sum(self.invalid.values()) / self.attempted if self.attempted else 0.0


@dataclass(frozen=True, slots=True)
class ChanceCheck:
    """A system that cannot see pictures, held against guessing.

    Attributes:
        system: label.
        rule: how a guess is made, in words.
        expected: share of right guesses.
        probes, correct: what happened.
        low, high: central 95 % range of right guesses over these probes.
    """

    system: str
    rule: str
    expected: float
    probes: int
    correct: int
    low: int
    high: int

    @property
    def verdict(self) -> str:
        """ "at chance", "above chance" (a leak?) or "below chance"."""
        if self.correct > self.high:
            return "above chance"
        return "below chance" if self.correct < self.low else "at chance"


def by_system(units: Sequence[Unit], order: Sequence[str] = ()) -> dict[str, list[Unit]]:
    """Units by system label, in the given order, further labels after it."""
    labels = [*order, *sorted({unit.system for unit in units} - set(order))]
    grouped = {label: [unit for unit in units if unit.system == label] for label in labels}
    return {label: rows for label, rows in grouped.items() if rows}


def score_system(system: str, units: Sequence[Unit], seed: int) -> SystemScore:
    """All figures of one system from its units."""
    ok = [unit for unit in units if unit.ok]
    chains = tallies((unit.tree, unit.correct) for unit in ok)
    return SystemScore(
        system=system,
        probes=len(ok),
        correct=sum(unit.correct for unit in ok),
        tsr=rate(chains),
        interval=chain_interval(chains, seed, system),
        errors=Counter(unit.kind for unit in units if unit.status == "error"),
        invalid=Counter(unit.kind for unit in units if unit.status == "invalid"),
        retrieved=fmean(unit.rank is not None for unit in ok) if ok else None,
        retention=retention(ok, seed, system),
        costs=mean_costs(ok),
    )


def retention(ok: Sequence[Unit], seed: int, system: str) -> tuple[ReachScore, ...]:
    """Target success rate by reach."""
    points = []
    for reach in sorted({unit.reach for unit in ok}):
        there = [unit for unit in ok if unit.reach == reach]
        interval = chain_interval(tallies((u.tree, u.correct) for u in there), seed, system, "reach", reach)
        points.append(ReachScore(reach, len(there), sum(unit.correct for unit in there), interval))
    return tuple(points)


def mean_costs(ok: Sequence[Unit]) -> Costs | None:
    """Means per probe, or None without probes."""
    if not ok:
        return None
    return Costs(
        images=fmean(unit.images for unit in ok),
        visual_tokens=fmean(unit.visual_tokens for unit in ok),
        text_tokens=fmean(unit.text_tokens for unit in ok),
        calls=fmean(unit.calls for unit in ok),
        steps=fmean(unit.steps for unit in ok),
        seconds=fmean(unit.seconds for unit in ok),
    )


def chance_of(memory: str, unit: Unit, products: int) -> float | None:
    """Chance that a guess is right, for memories that hold no pictures; None for others.

    Without any memory each of the shop's products is as likely; with text alone each distinct product seen
    so far is, because nothing written says which cue its picture shows.
    """
    if memory == "no-memory":
        return 1 / products
    return 1 / unit.seen if memory == "text-only" else None


RULES = {
    "no-memory": "a guess among all {products} products of the shop",
    "text-only": "a guess among the distinct products seen so far in the chain",
}


def chance_check(memory: str, units: Sequence[Unit], products: int) -> ChanceCheck | None:
    """Hold a picture-less system against guessing, or None where that says nothing."""
    ok = [unit for unit in units if unit.ok]
    chances = [chance for unit in ok if (chance := chance_of(memory, unit, products)) is not None]
    if not chances:
        return None
    low, high = chance_counts(chances)
    rule = RULES[memory].format(products=products)
    correct = sum(unit.correct for unit in ok)
    return ChanceCheck(ok[0].system, rule, fmean(chances), len(ok), correct, low, high)


def chance_curve(units: Sequence[Unit]) -> dict[int, float]:
    """Expected success of a guess among the products seen so far, by reach, over the distinct probes."""
    probes = {unit.probe: unit for unit in units}.values()
    reaches = sorted({unit.reach for unit in probes})
    return {reach: fmean(1 / unit.seen for unit in probes if unit.reach == reach) for reach in reaches}
