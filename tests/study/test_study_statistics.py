"""Slopes, chains needed, the published controls, and the tables in CSV and LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from scipy import stats as reference

from recallreach.study.analysis import by_bank, by_length, by_position, paired, precision, slopes
from recallreach.study.decompose.paired import holm, sign_test
from recallreach.study.run_tables import run_tables
from recallreach.study.scoring import chance_curve, score_system
from recallreach.study.stats import (
    Tally,
    chain_interval,
    chain_spread,
    chains_for_difference,
    chains_for_width,
    slope,
)
from recallreach.study.tables import Column, Table, latex_text, shown
from recallreach.study.units import Unit

MakeUnit = Callable[..., Unit]


def test_the_slope_is_that_of_least_squares() -> None:
    random = np.random.default_rng(3)
    points = [(int(c), float(x), float(y)) for c, x, y in random.random((60, 3)) * (7, 5, 1)]
    fitted = slope(points, 0)
    assert fitted is not None
    expected = reference.linregress([x for _, x, _ in points], [y for _, _, y in points]).slope
    assert fitted.value == pytest.approx(expected)
    assert fitted.interval is not None
    assert fitted.interval.low < fitted.value < fitted.interval.high


def test_an_interval_of_a_slope_draws_whole_chains() -> None:
    """Copies of a probe inside its chain tell nothing new; copies as further chains do."""
    random = np.random.default_rng(5)
    chains = [(c, float(x), float(x * s + 1)) for c, s in enumerate(random.normal(size=12)) for x in range(4)]
    wide = [(c, x, y) for c, x, y in chains for _ in range(5)]
    more = [(c + 12 * copy, x, y) for c, x, y in chains for copy in range(5)]

    def width(points: list[tuple[int, float, float]]) -> float:
        fitted = slope(points, 0)
        assert fitted is not None
        assert fitted.interval is not None
        return fitted.interval.high - fitted.interval.low

    assert width(wide) == pytest.approx(width(chains))
    assert width(more) < 0.6 * width(chains)


def test_a_slope_needs_two_reaches_and_an_interval_two_chains() -> None:
    assert slope([], 0) is None
    assert slope([(0, 1.0, 0.0), (1, 1.0, 1.0)], 0) is None
    alone = slope([(0, 0.0, 1.0), (0, 2.0, 0.0)], 0)
    assert alone is not None
    assert (alone.value, alone.interval) == (-0.5, None)


def test_the_number_of_chains_gives_the_wanted_interval() -> None:
    """A pilot of 40 chains says how many it takes; that many chains then give an interval of that width."""
    random = np.random.default_rng(1)

    def chains(count: int) -> dict[int, Tally]:
        rates = random.beta(2, 2, size=count)
        return {number: Tally(float(random.binomial(30, rate)), 30) for number, rate in enumerate(rates)}

    spread = chain_spread(chains(40))
    assert spread is not None
    needed = chains_for_width(spread, 0.05)
    interval = chain_interval(chains(needed), 0)
    assert interval is not None
    assert (interval.high - interval.low) / 2 == pytest.approx(0.05, rel=0.25)


@pytest.mark.parametrize(("spread", "power"), [(0.03, 0.8), (0.1, 0.8), (0.2, 0.8), (0.2, 0.9), (0.4, 0.95)])
def test_the_number_of_chains_finds_a_difference_with_the_wanted_power(spread: float, power: float) -> None:
    """Against the exact power of a two-sided t test, from the noncentral t distribution."""

    def exact(chains: int) -> float:
        centre, edge = 0.05 / spread * np.sqrt(chains), reference.t.ppf(0.975, chains - 1)
        found = reference.nct(chains - 1, centre)
        return float(found.sf(edge) + found.cdf(-edge))

    needed = chains_for_difference(spread, 0.05, power)
    least = next(chains for chains in range(2, 10_000) if exact(chains) >= power)
    assert abs(needed - least) <= 1


def clustered(random: np.random.Generator, chains: int, mean: float) -> dict[int, Tally]:
    """Chains of 20 to 40 probes whose rates scatter (an intraclass correlation of 0.1)."""
    counts = random.integers(20, 41, size=chains)
    right = random.binomial(counts, random.beta(9 * mean, 9 * (1 - mean), size=chains))
    return {n: Tally(float(right[n]), int(counts[n])) for n in range(chains)}


def test_the_interval_is_that_of_another_bootstrap_over_chains() -> None:
    """Its ends are quantiles of the same bootstrap, further out by what the t distribution asks for."""
    tail = reference.norm.cdf(-np.sqrt(15 / 14) * reference.t.ppf(0.975, 14))
    chains = clustered(np.random.default_rng(11), 15, 0.6)
    totals, counts = np.array([(tally.total, tally.count) for tally in chains.values()]).T
    other = reference.bootstrap(
        (np.arange(15),),
        lambda drawn, axis: totals[drawn].sum(axis) / counts[drawn].sum(axis),
        n_resamples=20_000,
        confidence_level=1 - 2 * tail,
        method="percentile",
        rng=np.random.default_rng(1),
    ).confidence_interval
    interval = chain_interval(chains, 0)
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((other.low, other.high), abs=0.006)


def test_the_spread_between_chains_is_the_robust_standard_error() -> None:
    """The sandwich of a regression on a constant, clustered by chain (CR1)."""
    chains = clustered(np.random.default_rng(12), 15, 0.6)
    scores = [(n, float(k < tally.total)) for n, tally in chains.items() for k in range(tally.count)]
    mean = np.mean([score for _, score in scores])
    sums = [sum(score - mean for n, score in scores if n == chain) for chain in chains]
    robust = np.sqrt(15 / 14 * np.sum(np.square(sums))) / len(scores)
    spread = chain_spread(chains)
    assert spread is not None
    assert spread / np.sqrt(15) == pytest.approx(robust)


@pytest.mark.parametrize(("chains", "mean"), [(6, 0.5), (12, 0.5), (25, 0.5), (25, 0.9)])
def test_intervals_hold_the_true_rate_about_as_often_as_they_say(chains: int, mean: float) -> None:
    random, trials = np.random.default_rng(13), 400
    hits = 0
    for trial in range(trials):
        interval = chain_interval(clustered(random, chains, mean), trial, resamples=1000)
        assert interval is not None
        hits += interval.low <= mean <= interval.high
    assert 0.9 <= hits / trials <= 0.97


def test_intervals_of_a_slope_hold_the_true_one_about_as_often_as_they_say() -> None:
    random, trials = np.random.default_rng(14), 200
    hits = 0
    for trial in range(trials):
        points = []
        for chain, (level, tilt) in enumerate(random.normal(0, (0.08, 0.02), size=(25, 2))):
            rates = 0.7 + level + (tilt - 0.05) * np.arange(5)
            points += [(chain, float(x), float(random.random() < rates[x])) for x in [*range(5)] * 3]
        fitted = slope(points, trial, resamples=400)
        assert fitted is not None
        assert fitted.interval is not None
        hits += fitted.interval.low <= -0.05 <= fitted.interval.high
    assert 0.9 <= hits / trials <= 0.98


def test_the_corrected_sign_test_finds_a_difference_where_there_is_none_in_one_of_twenty_at_most() -> None:
    """Four equal systems, each with chains that suit it and others that do not: six comparisons."""
    random, trials = np.random.default_rng(15), 400
    false = alone = 0
    for _ in range(trials):
        rates = np.clip(random.beta(3, 3, size=12) + random.normal(0, 0.15, size=(4, 12)), 0, 1)
        means = random.binomial(30, rates) / 30
        family = [sign_test(means[one] - means[two]).p for one, two in combinations(range(4), 2)]
        false += min(holm(family)) < 0.05
        alone += min(family) < 0.05
    assert false / trials <= 0.05
    assert alone / trials > 0.05, "without a correction it is more"


def test_plans_of_precision_refuse_what_cannot_be() -> None:
    for call in (chains_for_width, chains_for_difference):
        with pytest.raises(ValueError, match="above 0"):
            call(0.2, 0.0)
    assert chains_for_width(0.0, 0.05) == 2
    assert chain_spread({0: Tally(1, 2)}) is None


@pytest.fixture
def systems(make_unit: MakeUnit) -> dict[str, list[Unit]]:
    """Two systems on three chains of four sessions; the second forgets with reach."""

    def of(label: str, forgets: bool) -> list[Unit]:
        return [
            make_unit(
                number,
                system=label,
                chain=chain,
                session=session,
                reach=reach,
                place=number * 5,
                places=12,
                bank=12 * (session + 1),
                correct=not forgets or number >= reach,
            )
            for chain in range(3)
            for session in range(4)
            for reach in range(session + 1)
            for number in range(3)
        ]

    return {"keeps": of("keeps", False), "forgets": of("forgets", True)}


def test_a_chain_length_counts_the_probes_of_its_first_sessions(systems: dict[str, list[Unit]]) -> None:
    cells = by_length(systems, [2, 4], 0)
    assert [(cell.system, cell.condition, cell.probes) for cell in cells] == [
        ("keeps", 2, 27),
        ("keeps", 4, 90),
        ("forgets", 2, 27),
        ("forgets", 4, 90),
    ]
    assert cells[0].rate == 1.0


def test_bank_size_varies_while_reach_is_fixed(systems: dict[str, list[Unit]]) -> None:
    cells = [cell for cell in by_bank(systems, 0) if (cell.system, cell.reach) == ("keeps", 2)]
    assert [(cell.condition, cell.bank, cell.probes) for cell in cells] == [(2, 36, 9), (3, 48, 9)]


def test_positions_are_thirds_of_the_session(systems: dict[str, list[Unit]], make_unit: MakeUnit) -> None:
    unknown = make_unit(9, system="keeps", places=0)
    cells = by_position({"keeps": [*systems["keeps"], unknown]}, 0)
    assert [(cell.condition, cell.probes) for cell in cells] == [
        ("first third", 30),
        ("middle third", 30),
        ("last third", 30),
    ]


def test_what_never_falls_has_a_flat_slope(systems: dict[str, list[Unit]]) -> None:
    found = slopes(systems, 0)
    assert found["keeps"].value == pytest.approx(0)
    assert found["forgets"].value < 0


def test_intervals_draw_trees_not_the_chains_that_share_them(make_unit: MakeUnit) -> None:
    """Many chains of two trees are two independent things."""
    units = [make_unit(n, chain=n, tree=n % 2, correct=n % 2 == 0) for n in range(40)]
    interval = score_system("dualmem", units, seed=0).interval
    assert interval is not None
    assert (interval.low, interval.high) == (0.0, 1.0)


def test_the_family_of_pairs_is_corrected(systems: dict[str, list[Unit]]) -> None:
    third = {**systems, "again": list(systems["keeps"])}
    tests = paired(third, 0)
    assert (tests[0].first, tests[0].second) == ("forgets", "keeps")
    assert all(test.holm_mcnemar >= test.mcnemar for test in tests)
    assert {entry.what for entry in precision(systems)} == {"keeps", "forgets", "forgets against keeps"}
    assert all(
        (entry.spread, entry.widths, entry.difference) == (0, None, None) for entry in precision(systems)
    )


def test_every_table_is_whole_in_csv_and_latex(systems: dict[str, list[Unit]]) -> None:
    scores = [score_system(label, units, 0) for label, units in systems.items()]
    chance = chance_curve(systems["keeps"])
    tables = {table.name: table for table in run_tables(systems, scores, chance, [2, 4], 0)}
    assert set(tables) == {
        *("summary", "retention", "slopes", "differences", "lengths", "banks", "positions", "errors"),
        "precision",
    }
    for table in tables.values():
        rows = list(csv.DictReader(io.StringIO(table.csv())))
        assert len(rows) == len(table.rows)
        assert all(None not in row for row in rows)
        lines = table.latex().splitlines()
        assert sum(line.endswith("\\\\") for line in lines) == len(table.rows) + 1
        cells = [line.count(" & ") for line in lines if line.endswith("\\\\")]
        assert set(cells) == {len(table.columns) - 1}
    assert tables["summary"].rows[0][:4] == ("keeps", 90, 90, 1.0)
    assert "keeps & 2 & 27 & 27 & 100.0 & 100.0 & 100.0 \\\\" in tables["lengths"].latex()


def test_latex_takes_labels_literally() -> None:
    assert latex_text(r"a_b & 50% {x} \y ~^#$") == (
        r"a\_b \& 50\% \{x\} \textbackslash{}y \textasciitilde{}\textasciicircum{}\#\$"
    )
    assert latex_text("<i>|[x]*") == r"\textless{}i\textgreater{}\textbar{}{[}x]{*}"
    table = Table("x", "c", (Column("a", "A", "text"), Column("b", "B", "p")), (("z", None), ("y", 1e-9)))
    assert r"z & -- \\" in table.latex()
    assert r"y & $<$0.001 \\" in table.latex()
    assert (shown(-0.0001, "points"), shown(5, "text")) == ("$+0.0$", "5")
    assert (shown(0.123, "share"), shown(-0.05, "points"), shown(1234, "count")) == (
        "12.3",
        "$-5.0$",
        "1,234",
    )


def test_a_latex_table_without_rows_has_no_blank_line() -> None:
    """TeX reads one as a paragraph."""
    table = Table("x", "c", (Column("a", "A", "text"),), ())
    assert "\\midrule\n\\bottomrule\n" in table.latex()
    assert "\n\n" not in table.latex()
