"""Cosine, the best k, and the two fusions, against values worked out by hand."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra.numpy import arrays

from recallreach.memory.errors import VectorError
from recallreach.memory.fusion import min_max, reciprocal_rank, weighted
from recallreach.memory.retrieval import cosine, top_k

ALL = np.ones(4, bool)


def test_cosine_takes_the_length_of_the_query_out() -> None:
    matrix = np.array([[1, 0], [0, 1], [0.6, 0.8], [0, 0]], np.float32)
    np.testing.assert_allclose(cosine(matrix, np.array([0, 5], np.float32)), [0, 1, 0.8, 0], rtol=1e-6)


def test_cosine_of_a_zero_query_or_an_empty_bank() -> None:
    assert cosine(np.eye(2, dtype=np.float32), np.zeros(2, np.float32)).tolist() == [0, 0]
    assert cosine(np.zeros((0, 2), np.float32), np.ones(2, np.float32)).shape == (0,)
    assert cosine(np.zeros((3, 0), np.float32), np.ones(2, np.float32)).tolist() == [0, 0, 0]


def test_cosine_refuses_another_dimension_and_nan() -> None:
    with pytest.raises(VectorError, match=r"\(3,\) meets a channel of dimension 2"):
        cosine(np.eye(2, dtype=np.float32), np.ones(3, np.float32))
    with pytest.raises(VectorError, match="NaN"):
        cosine(np.eye(2, dtype=np.float32), np.array([np.nan, 0], np.float32))


def test_equal_rows_score_equal_wherever_they_stand() -> None:
    rng = np.random.default_rng(0)
    matrix = rng.standard_normal((2003, 768)).astype(np.float32)
    matrix[::7] = matrix[0]
    scores = cosine(matrix, rng.standard_normal(768).astype(np.float32))
    assert len(np.unique(scores[::7])) == 1
    assert len(np.unique(scores)) > 1000


def test_top_k_gives_ties_to_the_older_record() -> None:
    scores = np.array([0.2, 0.9, 0.5, 0.9, 0.5, 0.5])
    assert top_k(scores, 4).tolist() == [1, 3, 2, 4]
    assert top_k(scores, 10).tolist() == [1, 3, 2, 4, 5, 0]
    assert top_k(scores, 0).tolist() == []
    assert top_k(np.zeros(0), 3).tolist() == []


def test_top_k_refuses_a_negative_k() -> None:
    with pytest.raises(ValueError, match="-1"):
        top_k(np.ones(2), -1)


@settings(deadline=None)
@given(arrays(np.float64, st.integers(0, 40), elements=st.integers(-3, 3)), st.integers(0, 50))
def test_top_k_is_a_stable_sort_cut_off(scores: np.ndarray, k: int) -> None:
    assert top_k(scores, k).tolist() == sorted(range(len(scores)), key=lambda i: (-scores[i], i))[:k]


def test_min_max_stretches_to_zero_and_one() -> None:
    np.testing.assert_allclose(min_max(np.array([0.2, 0.6, 0.4, 0.3]), ALL), [0, 1, 0.5, 0.25])


def test_min_max_of_a_constant_channel_is_one_half() -> None:
    assert min_max(np.full(4, 0.7), ALL).tolist() == [0.5] * 4
    assert min_max(np.array([0.7]), np.ones(1, bool)).tolist() == [0.5]


def test_min_max_leaves_missing_vectors_out_of_the_range_and_scores_them_zero() -> None:
    present = np.array([True, False, True, True])
    np.testing.assert_allclose(min_max(np.array([0.2, -9.0, 0.6, 0.4]), present), [0, 0, 1, 0.5])
    assert min_max(np.ones(2), np.zeros(2, bool)).tolist() == [0, 0]


def test_reciprocal_rank_counts_from_one_and_breaks_ties_by_age() -> None:
    scores = np.array([0.1, 0.9, 0.9, 0.5])
    np.testing.assert_allclose(reciprocal_rank(scores, ALL, 1), [1 / 5, 1 / 2, 1 / 3, 1 / 4])
    np.testing.assert_allclose(reciprocal_rank(scores, ALL), [1 / 64, 1 / 61, 1 / 62, 1 / 63])


def test_reciprocal_rank_of_a_missing_vector_is_zero() -> None:
    present = np.array([True, True, False, True])
    scores = np.array([0.1, 0.9, 0.99, 0.5])
    np.testing.assert_allclose(reciprocal_rank(scores, present, 1), [1 / 4, 1 / 2, 0, 1 / 3])


def test_weighted_adds_up() -> None:
    np.testing.assert_allclose(
        weighted([(0.75, np.array([1.0, 0.0])), (0.25, np.array([0.0, 1.0]))]), [0.75, 0.25]
    )
