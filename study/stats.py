"""Intervals: bootstrap over chains for rates and paired differences, exact counts under chance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recallreach.seeding import stream

RESAMPLES = 10_000
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """Both ends of an interval, as shares."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Tally:
    """Sum of scores and number of scores of one chain."""

    total: float
    count: int


def tallies(scored: Iterable[tuple[int, float]]) -> dict[int, Tally]:
    """Chain number to tally, from (chain, score) pairs."""
    sums: dict[int, Tally] = {}
    for chain, score in scored:
        before = sums.get(chain, Tally(0.0, 0))
        sums[chain] = Tally(before.total + score, before.count + 1)
    return sums


def rate(chains: Mapping[int, Tally]) -> float | None:
    """Mean score over all probes of all chains, or None without probes."""
    count = sum(tally.count for tally in chains.values())
    return sum(tally.total for tally in chains.values()) / count if count else None


def chain_interval(
    chains: Mapping[int, Tally], seed: int, *purpose: str | int, resamples: int = RESAMPLES
) -> Interval | None:
    """95 % percentile interval of the pooled mean, from a bootstrap that draws whole chains.

    Probes of one chain share a bank and a shopper, so the chain is the unit that is drawn (with replacement,
    as many as there are); a resample's value is its summed score over its summed count. With few chains such
    an interval is too narrow rather than too wide; the report therefore states their number.

    Args:
        chains: tallies by chain.
        seed: seed of the study.
        purpose: names the draw, so that one interval does not shift another.
        resamples: number of bootstrap draws.

    Returns:
        The interval, or None with fewer than two chains, which say nothing about each other.
    """
    if len(chains) < 2:
        return None
    ordered = [chains[number] for number in sorted(chains)]
    totals = np.array([tally.total for tally in ordered])
    counts = np.array([tally.count for tally in ordered], dtype=float)
    size = len(ordered)
    draws = stream(seed, "bootstrap", *purpose).multinomial(size, np.full(size, 1 / size), size=resamples)
    means = (draws @ totals) / (draws @ counts)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(low), float(high))


def chance_counts(probabilities: Sequence[float]) -> tuple[int, int]:
    """Central 95 % range of the number of right answers if each probe is guessed on its own.

    The exact distribution of a sum of unequal coin flips (for equal probabilities: the binomial), so that
    probes with different numbers of candidates need no common chance level.
    """
    below = np.cumsum(_count_distribution(probabilities))
    tail = (1 - LEVEL) / 2
    return int(np.searchsorted(below, tail, side="right")), int(np.searchsorted(below, 1 - tail))


def _count_distribution(probabilities: Sequence[float]) -> NDArray[np.float64]:
    distribution = np.ones(1)
    for chance in probabilities:
        distribution = np.convolve(distribution, [1 - chance, chance])
    return distribution
