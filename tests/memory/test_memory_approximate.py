"""FAISS beyond the exact limit: the same interface, the same answers within the recall it states."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from recallreach.errors import MissingExtraError
from recallreach.memory import bank as banks
from recallreach.memory.approximate import CANDIDATES, TARGET_RECALL, ApproximateIndex
from recallreach.memory.bank import Bank
from recallreach.memory.errors import VectorError
from recallreach.memory.fusion import min_max
from recallreach.memory.retrieval import cosine, top_k
from recallreach.memory.types import Experience, Vectors

RNG = np.random.default_rng(0)
VIEW = Experience("/", "", "", None, 0, 0)


def _rows(count: int, groups: int = 60, dimension: int = 24) -> Vectors:
    """Rows of length 1 in groups, as pictures of one kind lie."""
    centres = RNG.standard_normal((groups, dimension))
    rows = centres[RNG.integers(0, groups, count)] + 0.3 * RNG.standard_normal((count, dimension))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_the_nearest_are_those_of_an_exact_search_within_the_stated_recall() -> None:
    matrix, index = _rows(6000), ApproximateIndex(24)
    found = 0
    for query in _rows(40):
        exact, scores = cosine(matrix, query), index.scores(matrix, query)
        found += len(np.intersect1d(top_k(exact, 10), top_k(scores, 10)))
        told_apart = np.flatnonzero(scores > scores.min())
        np.testing.assert_array_equal(scores[told_apart], exact[told_apart])
        assert scores.min() == pytest.approx(exact.min(), abs=0.15)
    assert index.recall >= TARGET_RECALL
    assert found / 400 >= TARGET_RECALL - 0.02
    visited, cells = index.cells
    assert 1 <= visited < cells == 77
    assert len(matrix) > CANDIDATES


def test_rows_without_groups_end_in_an_exact_search() -> None:
    matrix = RNG.standard_normal((3000, 64)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    index = ApproximateIndex(64)
    query = RNG.standard_normal(64).astype(np.float32)
    best = top_k(index.scores(matrix, query), 5)
    assert index.recall >= TARGET_RECALL
    assert best.tolist() == top_k(cosine(matrix, query), 5).tolist()


def test_equal_rows_score_equal_and_ties_go_to_the_older() -> None:
    matrix = _rows(3000)
    matrix[[100, 2000]] = matrix[5]
    scores = ApproximateIndex(24).scores(matrix, matrix[5])
    assert top_k(scores, 3).tolist() == [5, 100, 2000]
    assert len({float(scores[place]) for place in (5, 100, 2000)}) == 1


def test_it_grows_with_its_channel_and_serves_a_shorter_fork() -> None:
    matrix = _rows(9000)
    index = ApproximateIndex(24)
    index.scores(matrix[:1500], matrix[0])
    first = index._trained_on
    assert top_k(index.scores(matrix[:4000], matrix[3999]), 1).tolist() == [3999]
    assert index._trained_on == first
    assert index.scores(matrix[:1500], matrix[3999]).shape == (1500,)
    index.scores(matrix, matrix[0])
    assert index._trained_on == 9000


def test_a_bank_switches_at_its_limit_and_min_max_keeps_its_range(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, query = _rows(2500), _rows(1)[0]
    bank = Bank()
    for row in rows:
        bank.append(VIEW, {"visual": row})
    exact = bank.cosine("visual", query)
    np.testing.assert_array_equal(exact, cosine(rows, query))
    monkeypatch.setattr(banks, "EXACT_LIMIT", 2000)
    found = bank.cosine("visual", query)
    assert top_k(found, 5).tolist() == top_k(exact, 5).tolist()
    everyone = np.ones(len(bank), bool)
    top = top_k(exact, 5)
    np.testing.assert_allclose(min_max(found, everyone)[top], min_max(exact, everyone)[top], atol=0.02)
    assert bank.cosine("none", query).tolist() == [0] * 2500


def test_what_cannot_be_asked_is_refused() -> None:
    index = ApproximateIndex(24)
    with pytest.raises(VectorError, match="NaN"):
        index.scores(_rows(10), np.full(24, np.nan, np.float32))
    with pytest.raises(VectorError, match="dimension 24"):
        index.scores(_rows(10), np.ones(3, np.float32))


def test_without_faiss_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(MissingExtraError, match=r"more than 200,000 records.*recallreach\[faiss\]"):
        ApproximateIndex(4)
