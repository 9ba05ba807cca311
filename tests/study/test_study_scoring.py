from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recallreach.study.scoring import (
    by_system,
    chance_check,
    chance_curve,
    score_system,
)
from recallreach.study.stats import Tally, chain_interval, chance_counts, rate, tallies
from recallreach.study.store import Unit

MakeUnit = Callable[..., Unit]


def test_rates_counts_and_errors_by_hand(make_unit: MakeUnit) -> None:
    units = [
        make_unit(1, chain=0, correct=True, rank=1),
        make_unit(2, chain=0, correct=False, rank=None),
        make_unit(3, chain=1, correct=True, rank=3, reach=1),
        make_unit(4, chain=1, correct=True, rank=1, reach=1),
        make_unit(5, chain=1, correct=False, status="error", kind="browser", reach=1),
        make_unit(6, chain=1, correct=False, status="invalid", kind="invalid", reach=1),
    ]
    score = score_system("dualmem", units, seed=0)
    assert (score.probes, score.correct, score.attempted) == (4, 3, 6)
    assert score.tsr == 0.75
    assert score.retrieved == 0.75
    assert (score.errors, score.invalid) == ({"browser": 1}, {"invalid": 1})
    assert score.error_rate == pytest.approx(1 / 6)
    assert [(p.reach, p.probes, p.correct, p.rate) for p in score.retention] == [(0, 2, 1, 0.5), (1, 2, 2, 1)]
    assert [point.interval for point in score.retention] == [None, None]


def test_costs_are_means_over_ok_probes(make_unit: MakeUnit) -> None:
    units = [
        make_unit(1, images=5, seconds=0.1, steps=2),
        make_unit(2, images=10, seconds=0.3, steps=4),
        make_unit(3, images=99, status="error", correct=False),
    ]
    costs = score_system("dualmem", units, seed=0).costs
    assert costs is not None
    assert (costs.images, costs.steps) == (7.5, 3)
    assert costs.seconds == pytest.approx(0.2)


def test_a_system_that_only_failed_has_no_rate(make_unit: MakeUnit) -> None:
    score = score_system("dualmem", [make_unit(1, status="error", correct=False, kind="x")], seed=0)
    assert (score.tsr, score.interval, score.retrieved, score.costs) == (None, None, None, None)
    assert score.error_rate == 1


def test_systems_keep_the_order_of_the_study(make_unit: MakeUnit) -> None:
    units = [make_unit(1, system=name) for name in ("z", "a", "m")]
    assert list(by_system(units, ["m", "absent", "z"])) == ["m", "z", "a"]


def test_the_interval_of_two_chains_by_hand() -> None:
    chains = {0: Tally(10, 10), 1: Tally(0, 10)}
    interval = chain_interval(chains, 0, "test")
    assert interval is not None
    assert (interval.low, interval.high) == (0, 1)


def test_one_chain_gives_no_interval() -> None:
    assert chain_interval({0: Tally(3, 4)}, 0) is None
    assert rate({}) is None


def test_equal_chains_give_an_interval_without_width() -> None:
    interval = chain_interval({number: Tally(3, 4) for number in range(5)}, 0)
    assert interval is not None
    assert interval.low == pytest.approx(0.75)
    assert interval.high == pytest.approx(0.75)


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(12, 20)), min_size=2, max_size=8), st.integers(0, 99)
)
def test_the_interval_holds_the_mean_stays_within_the_chains_and_repeats(
    chains: list[tuple[int, int]], seed: int
) -> None:
    counted = {number: Tally(*chain) for number, chain in enumerate(chains)}
    interval = chain_interval(counted, seed, "x", resamples=2000)
    assert interval is not None
    shares = [tally.total / tally.count for tally in counted.values()]
    mean = rate(counted)
    assert mean is not None
    assert min(shares) - 1e-12 <= interval.low <= mean + 1e-12
    assert mean - 1e-12 <= interval.high <= max(shares) + 1e-12
    assert interval == chain_interval(counted, seed, "x", resamples=2000)


def test_the_interval_matches_the_exact_bootstrap_of_three_chains() -> None:
    shares = [0.2, 0.5, 0.9]
    means = sorted(sum(drawn) / 3 for drawn in product(shares, repeat=3))
    interval = chain_interval({n: Tally(10 * share, 10) for n, share in enumerate(shares)}, 0)
    assert interval is not None
    # One of 27 equally likely resamples (3.7 %) lies at either end, which is more than 2.5 %.
    assert interval.low == pytest.approx(means[0])
    assert interval.high == pytest.approx(means[-1])


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 60), st.floats(0.01, 0.99))
def test_equal_chances_give_the_binomial_range(count: int, chance: float) -> None:
    low, high = chance_counts([chance] * count)
    masses = [comb(count, k) * chance**k * (1 - chance) ** (count - k) for k in range(count + 1)]
    assert sum(masses[:low]) <= 0.025 + 1e-9
    assert sum(masses[high + 1 :]) <= 0.025 + 1e-9
    assert sum(masses[: low + 1]) > 0.025 - 1e-9
    assert sum(masses[high:]) > 0.025 - 1e-9


def test_unequal_chances_by_hand() -> None:
    # Both right has probability 0.02, so two are outside the central 95 %.
    assert chance_counts([0.1, 0.2]) == (0, 1)
    assert chance_counts([1.0, 1.0, 0.0]) == (2, 2)


@pytest.mark.parametrize(("right", "verdict"), [(0, "at chance"), (4, "at chance"), (20, "above chance")])
def test_text_only_is_held_against_a_guess_among_products_seen(
    make_unit: MakeUnit, right: int, verdict: str
) -> None:
    units = [make_unit(n, system="t", seen=12, correct=n < right) for n in range(24)]
    check = chance_check("text-only", units, products=130)
    assert check is not None
    assert check.expected == pytest.approx(1 / 12)
    assert (check.correct, check.verdict) == (right, verdict)


def test_too_few_right_answers_are_called_below_chance(make_unit: MakeUnit) -> None:
    units = [make_unit(n, system="t", seen=2, correct=False) for n in range(40)]
    check = chance_check("text-only", units, products=130)
    assert check is not None
    assert check.verdict == "below chance"


def test_no_memory_is_held_against_the_whole_shop_and_others_against_nothing(make_unit: MakeUnit) -> None:
    units = [make_unit(n, correct=False) for n in range(10)]
    check = chance_check("no-memory", units, products=130)
    assert check is not None
    assert check.expected == pytest.approx(1 / 130)
    assert "130 products" in check.rule
    assert chance_check("dualmem", units, products=130) is None


def test_the_chance_curve_counts_each_probe_once(make_unit: MakeUnit) -> None:
    units = [
        make_unit(1, system="a", probe="p", seen=10),
        make_unit(1, system="b", probe="p", seen=10),
        make_unit(2, system="a", probe="q", seen=20),
        make_unit(3, system="a", probe="r", seen=40, reach=1),
    ]
    assert chance_curve(units) == {0: pytest.approx((1 / 10 + 1 / 20) / 2), 1: pytest.approx(1 / 40)}


def test_tallies_sum_by_chain() -> None:
    assert tallies([(0, 1.0), (1, 0.0), (0, 0.0)]) == {0: Tally(1, 2), 1: Tally(0, 1)}
