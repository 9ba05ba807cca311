"""From scores of several channels to one.

Sources: min-max and rank fusion of DualMem and division by the largest score (DMV-Bench, arXiv 2606.27499);
fusion of short lists by reciprocal rank (M2A, arXiv 2602.07624).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from recallreach.memory.retrieval import Scores

CONSTANT = 0.5
MISSING = 0.0


def min_max(scores: Scores, present: NDArray[np.bool_]) -> Scores:
    """Scores of one channel stretched to [0, 1] over the bank.

    Args:
        scores: (n,) raw scores.
        present: (n,) which records have a vector; the others do not count for the range.

    Returns:
        (n,); 0.5 for all present records of a constant channel, 0 for a missing vector.
    """
    scaled = np.full(len(scores), MISSING)
    values = scores[present]
    if not len(values):
        return scaled
    low, high = values.min(), values.max()
    scaled[present] = CONSTANT if high == low else (values - low) / (high - low)
    return scaled


def reciprocal_rank(scores: Scores, present: NDArray[np.bool_], k: float = 60.0) -> Scores:
    """1 / (k + rank), rank 1 for the best; equal scores rank by age, a missing vector scores 0."""
    fused = np.zeros(len(scores))
    order = np.flatnonzero(present)
    order = order[np.argsort(-scores[order], kind="stable")]
    fused[order] = 1.0 / (k + np.arange(1, len(order) + 1))
    return fused


def by_largest(scores: Scores) -> Scores:
    """(n,) scores divided by the largest absolute one; all zero stays zero."""
    largest = np.abs(scores).max(initial=0.0)
    return scores / largest if largest else scores


def fuse_lists(lists: Sequence[Sequence[int]], length: int, k: float = 60.0) -> Scores:
    """(length,) sums of 1 / (k + rank) over ranked lists of positions, rank 1 first; 0 in none."""
    fused = np.zeros(length)
    for ranked in lists:
        for rank, position in enumerate(ranked, start=1):
            fused[position] += 1.0 / (k + rank)
    return fused


def weighted(channels: Sequence[tuple[float, Scores]]) -> Scores:
    """The sum of (weight, scores) pairs, each of shape (n,)."""
    total = np.zeros(len(channels[0][1]))
    for weight, scores in channels:
        total += weight * scores
    return total
