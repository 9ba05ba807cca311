"""Two systems on the same probes: exact McNemar, sign test over chains, paired bootstrap over chains, Holm.

McNemar counts probes and takes them for independent; probes of one chain share a bank and a shopper, so its p
is the optimistic one. The sign test and the bootstrap take whole chains. All three are reported side by side,
as DeliverMem does (arXiv 2609.32590).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from recallreach.study.stats import Interval, Tally, chain_interval, tallies
from recallreach.study.store import Unit


@dataclass(frozen=True, slots=True)
class SignTest:
    """A two-sided exact sign test over chains.

    Attributes:
        better: chains in which the first system was right more often.
        worse: chains in which the second one was.
        ties: chains in which both were right equally often; they do not count.
        p: probability of a split at least as uneven if either sign is as likely; 1 without untied chains.
    """

    better: int
    worse: int
    ties: int
    p: float


@dataclass(frozen=True, slots=True)
class PairedTest:
    """How much more often `first` is right than `second`, over the probes that ended "ok" in both.

    Attributes:
        first, second: labels of the two systems.
        probes, chains: how many were compared; of a study with branching, its trees count as chains.
        both, only_first, only_second, neither: probes by who was right.
        difference: share right of `first` minus that of `second`, -1 to 1.
        interval: 95 % paired bootstrap over chains (10,000 draws), or None with fewer than two chains.
        mcnemar: exact two-sided p over the probes on which they differ.
        sign: the sign test over chains.
        holm_mcnemar, holm_sign: the same p after Holm's correction over the family it was asked in (alone:
            the same).
    """

    first: str
    second: str
    probes: int
    chains: int
    both: int
    only_first: int
    only_second: int
    neither: int
    difference: float
    interval: Interval | None
    mcnemar: float
    sign: SignTest
    holm_mcnemar: float
    holm_sign: float


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact two-sided p of McNemar's test (McNemar 1947; exact form: a binomial test of one half).

    Args:
        only_first, only_second: probes that only one of the two systems got right.

    Returns:
        Twice the smaller tail, at most 1; 1 where they never differ.

    Raises:
        ValueError: a count is negative.
    """
    if min(only_first, only_second) < 0:
        raise ValueError(f"counts of probes must not be negative, got {only_first} and {only_second}")
    flips, fewer = only_first + only_second, min(only_first, only_second)
    ways = term = 1
    for taken in range(fewer):
        term = term * (flips - taken) // (taken + 1)
        ways += term
    return float(min(Fraction(1), Fraction(2 * ways, 2**flips)))


def sign_test(differences: Iterable[float]) -> SignTest:
    """The sign test over one difference a chain."""
    values = list(differences)
    better, worse = sum(value > 0 for value in values), sum(value < 0 for value in values)
    return SignTest(better, worse, len(values) - better - worse, mcnemar(better, worse))


def holm(p_values: Sequence[float]) -> list[float]:
    """Step-down adjusted p values (Holm 1979), in the order given; at most 1, never below the raw ones."""
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda one: p_values[one])):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted


def paired_test(
    first: Sequence[Unit], second: Sequence[Unit], seed: int, *, names: tuple[str, str] | None = None
) -> PairedTest | None:
    """Compare two systems on the probes that both answered; errors of either leave the pair out.

    Args:
        first, second: units of one system each, of the same study design.
        seed: the study's seed; with the two labels it decides the bootstrap's draws.
        names: labels to use instead of the units' own, for instance where both come from runs with equal
            labels.

    Returns:
        The comparison, or None without a common "ok" probe.
    """
    other = {unit.probe: unit for unit in second if unit.ok}
    pairs = [(unit, other[unit.probe]) for unit in first if unit.ok and unit.probe in other]
    if not pairs:
        return None
    one, two = names or (pairs[0][0].system, pairs[0][1].system)
    right = [(left.correct, right.correct) for left, right in pairs]
    chains = tallies((left.tree, float(left.correct) - float(right.correct)) for left, right in pairs)
    only_first, only_second = right.count((True, False)), right.count((False, True))
    p, signs = mcnemar(only_first, only_second), sign_test(_means(chains.values()))
    return PairedTest(
        first=one,
        second=two,
        probes=len(pairs),
        chains=len(chains),
        both=right.count((True, True)),
        only_first=only_first,
        only_second=only_second,
        neither=right.count((False, False)),
        difference=(only_first - only_second) / len(pairs),
        interval=chain_interval(chains, seed, "difference", one, two),
        mcnemar=p,
        sign=signs,
        holm_mcnemar=p,
        holm_sign=signs.p,
    )


def paired_family(tests: Iterable[PairedTest | None]) -> list[PairedTest]:
    """The tests of one family with Holm's correction over it; comparisons without a common probe drop out."""
    found = [test for test in tests if test is not None]
    by_probe, by_chain = holm([test.mcnemar for test in found]), holm([test.sign.p for test in found])
    return [
        replace(test, holm_mcnemar=one, holm_sign=two)
        for test, one, two in zip(found, by_probe, by_chain, strict=True)
    ]


def _means(chains: Iterable[Tally]) -> list[float]:
    return [tally.total / tally.count for tally in chains]
