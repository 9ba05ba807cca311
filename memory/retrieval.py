"""Exact search: cosine scores over a bank's channel, and the best k with ties to the older record."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recallreach.memory.errors import VectorError
from recallreach.memory.types import Vectors

Scores = NDArray[np.float64]


def cosine(matrix: Vectors, query: Vectors) -> Scores:
    """Cosine of each row with a query.

    `einsum` instead of a BLAS product: BLAS kernels treat rows differently by their position, so that equal
    rows differ in the last bit and a tie would go to either.

    Args:
        matrix: (n, dimension), rows of length 1 or zero.
        query: (dimension,), any length; zero scores every row 0.

    Returns:
        (n,) float64 in [-1, 1]; equal rows have equal scores.

    Raises:
        VectorError: the query is not finite or has another dimension.
    """
    if not len(matrix) or not matrix.shape[1]:
        return np.zeros(len(matrix))
    if query.shape != matrix.shape[1:]:
        raise VectorError(f"a query of shape {query.shape} meets a channel of dimension {matrix.shape[1]}")
    if not np.isfinite(query).all():
        raise VectorError("the query vector holds NaN or infinity")
    length = float(np.linalg.norm(query))
    unit = query / np.float32(length) if length else query
    scores: Scores = np.einsum("ij,j->i", matrix, unit.astype(np.float32, copy=False)).astype(np.float64)
    return scores


def top_k(scores: Scores, k: int) -> NDArray[np.intp]:
    """Positions of the k largest scores, best first; among equals the smaller one, the older record, first.

    Raises:
        ValueError: k is negative.
    """
    if k < 0:
        raise ValueError(f"k must not be negative, got {k}")
    k = min(k, len(scores))
    if k == 0:
        return np.zeros(0, np.intp)
    threshold = np.partition(scores, len(scores) - k)[len(scores) - k]
    candidates = np.flatnonzero(scores >= threshold)
    order = np.argsort(-scores[candidates], kind="stable")
    return candidates[order[:k]]
