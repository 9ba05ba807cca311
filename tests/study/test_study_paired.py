"""Paired tests: against hand-made counts, against scipy, and over families."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from recallreach.study.decompose.paired import holm, mcnemar, paired_family, paired_test, sign_test
from recallreach.study.stats import Tally, chain_interval
from recallreach.study.store import Unit

MakeUnit = Callable[..., Unit]


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_exact_binomial_test_of_one_half(one: int, two: int) -> None:
    expected = binomtest(one, one + two).pvalue if one + two else 1.0
    assert mcnemar(one, two) == pytest.approx(expected, rel=1e-9)
    assert mcnemar(one, two) == mcnemar(two, one)


def test_mcnemar_by_hand() -> None:
    assert mcnemar(0, 5) == 2 / 32
    assert mcnemar(1, 5) == 2 * (1 + 6) / 64
    assert mcnemar(0, 0) == 1.0
    assert 0 < mcnemar(0, 1000) < 1e-300
    with pytest.raises(ValueError, match="negative"):
        mcnemar(-1, 2)


def test_the_sign_test_leaves_ties_out() -> None:
    found = sign_test([0.5, 0.25, 0.1, 0.1, 0.0, -0.3])
    assert (found.better, found.worse, found.ties) == (4, 1, 1)
    assert found.p == 2 * (1 + 5) / 32
    assert sign_test([0.0, 0.0]).p == 1.0


def test_holm_by_hand() -> None:
    # Sorted: .01 x 4, .02 x 3 = .06, .03 x 2 = .06, .04 x 1 lifted to .06.
    assert holm([0.03, 0.01, 0.04, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_lies_between_raw_and_bonferroni_and_keeps_the_order(values: list[float]) -> None:
    adjusted = holm(values)
    for raw, found in zip(values, adjusted, strict=True):
        assert raw <= found <= min(1.0, raw * len(values)) or found == pytest.approx(raw)
    for one, two in product(range(len(values)), repeat=2):
        assert values[one] > values[two] or adjusted[one] <= adjusted[two]


def _systems(make_unit: MakeUnit, right: dict[str, list[list[bool]]]) -> dict[str, list[Unit]]:
    return {
        name: [
            make_unit(number, system=name, tree=chain, chain=chain, correct=correct)
            for chain, answers in enumerate(chains)
            for number, correct in enumerate(answers)
        ]
        for name, chains in right.items()
    }


def test_a_comparison_by_hand(make_unit: MakeUnit) -> None:
    systems = _systems(
        make_unit,
        {
            "a": [[True, True, True], [True, False, True], [False, True, False]],
            "b": [[True, False, False], [True, False, False], [False, True, True]],
        },
    )
    found = paired_test(systems["a"], systems["b"], seed=3)
    assert found is not None
    assert (found.first, found.second, found.probes, found.chains) == ("a", "b", 9, 3)
    assert (found.both, found.only_first, found.only_second, found.neither) == (3, 3, 1, 2)
    assert found.difference == pytest.approx(2 / 9)
    assert found.mcnemar == mcnemar(3, 1)
    assert (found.sign.better, found.sign.worse, found.sign.ties) == (2, 1, 0)
    by_chain = {0: Tally(2, 3), 1: Tally(1, 3), 2: Tally(-1, 3)}
    assert found.interval == chain_interval(by_chain, 3, "difference", "a", "b")


def test_probes_that_failed_in_either_system_are_left_out(make_unit: MakeUnit) -> None:
    one = [make_unit(1, system="a", correct=True), make_unit(2, system="a", status="error", correct=False)]
    two = [make_unit(1, system="b", correct=False), make_unit(2, system="b", correct=True)]
    found = paired_test(one, two, seed=0)
    assert found is not None
    assert (found.probes, found.only_first, found.interval) == (1, 1, None)
    assert paired_test(one[1:], two, seed=0) is None


def test_labels_may_be_given_where_two_runs_use_the_same(make_unit: MakeUnit) -> None:
    units = [make_unit(1, system="a", correct=True)]
    found = paired_test(units, units, seed=0, names=("a here", "a there"))
    assert found is not None
    assert (found.first, found.second, found.difference) == ("a here", "a there", 0.0)


def test_a_family_is_corrected_for_its_size(make_unit: MakeUnit) -> None:
    right = [[True] * 6 for _ in range(6)]
    wrong = [[False] * 6 for _ in range(6)]
    mixed = [[True] * 5 + [False] for _ in range(6)]
    systems = _systems(make_unit, {"right": right, "wrong": wrong, "mixed": mixed})
    tests = [paired_test(systems["right"], systems[name], 0) for name in ("wrong", "mixed")]
    alone = [test for test in tests if test is not None]
    family = paired_family([*tests, None])
    assert len(family) == 2
    assert family[0].holm_mcnemar == pytest.approx(2 * alone[0].mcnemar)
    assert family[1].holm_mcnemar == alone[1].mcnemar
    assert [test.holm_sign for test in family] == pytest.approx([2 * 2 / 64, 2 * 2 / 64])
    assert alone[0].holm_sign == alone[0].sign.p
