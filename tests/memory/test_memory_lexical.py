"""BM25 and token overlap, against values worked out by hand."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from recallreach.memory.bank import Bank
from recallreach.memory.fusion import by_largest, fuse_lists
from recallreach.memory.lexical import Bm25, overlap, overlaps
from recallreach.memory.types import Experience


def _bank(*texts: str) -> Bank:
    bank = Bank()
    for text in texts:
        bank.append(Experience("/", "", "", None, 0, 0), {}, text=text)
    return bank


def test_bm25_by_hand() -> None:
    bank = _bank("red mug", "blue chair red", "oak")
    mean, k1, b = 2.0, 1.5, 0.75
    red, mug = log(1 + 1.5 / 2.5), log(1 + 2.5 / 1.5)
    first = (red + mug) / (1 + k1 * (1 - b + b * 2 / mean))
    second = red / (1 + k1 * (1 - b + b * 3 / mean))
    np.testing.assert_allclose(Bm25().scores(bank, "The RED mug?"), [first, second, 0], rtol=1e-5)


def test_bm25_counts_a_repeated_word_less_and_less() -> None:
    once, twice, _ = Bm25().scores(_bank("red oak", "red red", "blue oak"), "red")
    assert once < twice < 2 * once
    assert twice / once == pytest.approx((2 / (2 + 1.5)) / (1 / (1 + 1.5)), rel=1e-5)


def test_bm25_of_nothing_is_nothing() -> None:
    bm25 = Bm25()
    assert bm25.scores(_bank(), "red").tolist() == []
    assert bm25.scores(_bank("", "the of"), "red").tolist() == [0, 0]
    assert bm25.scores(_bank("red", "oak"), "of the").tolist() == [0, 0]
    assert bm25.scores(_bank("red", "oak"), "zebra").tolist() == [0, 0]


def test_bm25_sees_what_a_bank_and_its_forks_have_become() -> None:
    bm25, trunk = Bm25(), _bank("red mug", "oak")
    assert bm25.scores(trunk, "plum").tolist() == [0, 0]
    fork = trunk.fork()
    trunk.append(Experience("/", "", "", None, 0, 0), {}, text="plum")
    fork.append(Experience("/", "", "", None, 0, 0), {}, text="pear")
    assert [score > 0 for score in bm25.scores(trunk, "plum")] == [False, False, True]
    assert bm25.scores(fork, "plum").tolist() == [0, 0, 0]
    trunk.delete([0])
    assert [score > 0 for score in bm25.scores(trunk, "plum")] == [False, True]


def test_equal_texts_have_equal_bm25_scores() -> None:
    scores = Bm25().scores(_bank(*["red mug on oak", "blue mug"] * 20), "red oak mug")
    assert len(set(scores[::2])) == 1


def test_overlap_is_the_share_of_the_distinct_words_asked() -> None:
    assert overlap("the red Red mug of clay", "Mug, red!") == pytest.approx(2 / 3)
    assert overlap("of the", "of the") == 0
    assert overlaps("red mug", ["red", "mug red", "oak"]).tolist() == [0.5, 1, 0]


def test_by_largest_divides_by_the_largest_absolute_score() -> None:
    np.testing.assert_allclose(by_largest(np.array([0.2, -0.4, 0.1])), [0.5, -1, 0.25])
    assert by_largest(np.zeros(2)).tolist() == [0, 0]
    assert by_largest(np.zeros(0)).tolist() == []


def test_lists_are_fused_by_reciprocal_rank() -> None:
    np.testing.assert_allclose(fuse_lists([[2, 0], [0]], 3), [1 / 62 + 1 / 61, 0, 1 / 61])
    np.testing.assert_allclose(fuse_lists([[1]], 2, k=1), [0, 1 / 2])
