"""Intervals by chain for rates, differences and slopes; chains an interval takes; counts under chance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

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
    """95 % expanded percentile interval of the pooled mean, from a bootstrap that draws whole chains.

    Probes of one chain share a bank and a shopper, so the chain is the unit that is drawn (with replacement,
    as many as there are); a resample's value is its summed score over its summed count. `ends` says how far
    the interval reaches.

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
    return ends(means, size)


def ends(values: NDArray[np.float64], size: int) -> Interval:
    """Both ends of the expanded percentile interval of a bootstrap that drew `size` chains.

    A plain percentile interval of few chains is too narrow, by the bias of a standard deviation and by the
    tails of the t distribution; quantiles further out make up for both (Hesterberg 2015, The American
    Statistician 69(4)).

    Args:
        values: one a resample; NaN where it has none.
        size: chains, at least 2.
    """
    reach = sqrt(size / (size - 1)) * _student(size - 1)
    tail = NormalDist().cdf(-reach)
    low, high = np.nanquantile(values, [tail, 1 - tail])
    return Interval(float(low), float(high))


@dataclass(frozen=True, slots=True)
class Slope:
    """A straight line's slope: change of the success rate for one more session of reach.

    Attributes:
        value: least squares over probes, as a share per session.
        interval: 95 % bootstrap over chains, or None with fewer than two chains.
    """

    value: float
    interval: Interval | None


def slope(
    points: Iterable[tuple[int, float, float]],
    seed: int,
    *purpose: str | int,
    resamples: int = RESAMPLES,
) -> Slope | None:
    """Least-squares slope of y over x with a bootstrap that draws whole chains.

    A draw in which all x are equal has no slope and is left out.

    Args:
        points: (chain, x, y) of every probe.
        seed: seed of the study.
        purpose: names the draw.
        resamples: number of bootstrap draws.

    Returns:
        The slope, or None where fewer than two different x are there.
    """
    moments: dict[int, NDArray[np.float64]] = {}
    for chain, x, y in points:
        before = moments.get(chain, np.zeros(5))
        moments[chain] = before + np.array([1.0, x, y, x * x, x * y])
    if not moments:
        return None
    sums = np.array([moments[chain] for chain in sorted(moments)])
    (value,) = _slopes(sums.sum(axis=0, keepdims=True))
    if np.isnan(value):
        return None
    size = len(sums)
    if size < 2:
        return Slope(float(value), None)
    draws = stream(seed, "bootstrap", *purpose).multinomial(size, np.full(size, 1 / size), size=resamples)
    return Slope(float(value), ends(_slopes(draws @ sums), size))


def _slopes(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """One slope a row of (count, sum x, sum y, sum xx, sum xy); NaN where x does not vary."""
    count, x, y, xx, xy = sums.T
    spread = count * xx - x * x
    flat = spread <= 1e-9 * np.maximum(1.0, count * xx)
    return np.where(flat, np.nan, (count * xy - x * y) / np.where(flat, 1.0, spread))


def chain_spread(chains: Mapping[int, Tally]) -> float | None:
    """Standard deviation between chains of what one chain adds to the pooled mean.

    The pooled mean is a ratio of sums; its linear form (Cochran 1977, section 6.3) is one residual a chain,
    (total - mean * count) / mean count.

    Returns:
        The deviation as a share, or None with fewer than two chains.
    """
    mean, size = rate(chains), len(chains)
    if mean is None or size < 2:
        return None
    average = sum(tally.count for tally in chains.values()) / size
    residuals = [(tally.total - mean * tally.count) / average for tally in chains.values()]
    return sqrt(sum(entry * entry for entry in residuals) / (size - 1))


def chains_for_width(spread: float, half_width: float) -> int:
    """Chains that a 95 % interval of the mean +- `half_width` takes, as far as a pilot run can tell.

    Args:
        spread: `chain_spread` of the pilot.
        half_width: half of the wanted interval, as a share.

    Raises:
        ValueError: `half_width` is not above 0.
    """
    _check_positive(half_width=half_width)
    chains = max(2, ceil((_quantile(LEVEL) * spread / half_width) ** 2))
    while _student(chains - 1) * spread / sqrt(chains) > half_width:
        chains += 1
    return chains


def chains_for_difference(spread: float, difference: float, power: float = 0.8) -> int:
    """Chains that it takes to tell a paired difference from 0 (t test over chains, two-sided, 5 %).

    The normal approximation, with the few chains more that the t distribution costs (Guenther 1981).

    Args:
        spread: `chain_spread` of the per-probe differences of the pilot.
        difference: the true difference to be found, as a share.
        power: probability of finding it, between 0 and 1.

    Raises:
        ValueError: `difference` is not above 0.
    """
    _check_positive(difference=difference)
    error = _quantile(LEVEL)
    both = error + NormalDist().inv_cdf(power)
    return max(2, ceil((both * spread / difference) ** 2 + error**2 / 2))


def _quantile(level: float) -> float:
    return NormalDist().inv_cdf((1 + level) / 2)


def _student(freedom: int) -> float:
    """How many standard errors a 95 % interval of so many degrees of freedom reaches."""
    return float(stdtrit(freedom, (1 + LEVEL) / 2))


def _check_positive(**values: float) -> None:
    for name, value in values.items():
        if not value > 0:
            raise ValueError(f"{name} is a share above 0, got {value}")


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
