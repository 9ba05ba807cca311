"""Search in channels too long for an exact one: FAISS, tuned to a recall that is measured and stated."""

from __future__ import annotations

import importlib
import logging
import math
from typing import Any

import numpy as np

from recallreach.errors import MissingExtraError
from recallreach.memory.retrieval import Scores, cosine
from recallreach.memory.types import Vectors

log = logging.getLogger(__name__)

EXACT_LIMIT = 200_000
"""Records up to which a bank is searched exactly."""

TARGET_RECALL = 0.99
CANDIDATES = 1000
_NOISE = (1.0, 4.0, 1000.0)
"""Length of the noise that makes a query of a stored row: a question in the words of its answer (cosine about
0.7), one from another tower of the encoder, as texts are to pictures (about 0.25), and one near nothing."""

_POINTS_PER_CELL = 64
_QUERIES, _NEAREST = 66, 10
_REGROWTH = 4


class ApproximateIndex:
    """An inverted file over one channel (FAISS IVFFlat, inner product), extended as the channel grows.

    How many cells a search visits is raised until the 10 nearest rows of 66 drawn queries, near and far ones,
    are found as often as `TARGET_RECALL` asks; rows that do not fall into groups end at all cells, which is
    an exact search. Found rows are scored again exactly, so equal rows score equal.

    Args:
        dimension: of the rows.

    Attributes:
        recall: measured share of the true 10 nearest rows that a search finds, for the near or the far
            queries or those near nothing, whichever is lowest; 0 before the first search.
        cells: cells visited by a search, of how many (a pair).

    Raises:
        MissingExtraError: FAISS is not installed.
    """

    def __init__(self, dimension: int) -> None:
        self._faiss = _library()
        self._dimension = dimension
        self._index: Any = None
        self._trained_on = 0
        self.recall = 0.0

    @property
    def cells(self) -> tuple[int, int]:
        """Cells visited and cells there are; (0, 0) before the first search."""
        return (self._index.nprobe, self._index.nlist) if self._index is not None else (0, 0)

    def scores(self, matrix: Vectors, query: Vectors) -> Scores:
        """(n,) cosines: exact for the nearest `CANDIDATES` rows, the lowest cosine for all others.

        Args:
            matrix: (n, dimension) rows of length 1 or zero; what was indexed before must be a prefix of it,
                or it a prefix of what was indexed.
            query: (dimension,), any length.

        Raises:
            VectorError: the query is not finite or has another dimension.
        """
        cosine(matrix[:1], query)  # refuses what cannot be asked
        self._extend(matrix)
        best = self._nearest(query, len(matrix))
        worst = self._nearest(-query, len(matrix))
        found = np.unique(np.concatenate([best, worst]))
        exact = cosine(matrix[found], query)
        scores = np.full(len(matrix), exact.min() if len(exact) else 0.0)
        scores[found] = exact
        return scores

    def _nearest(self, query: Vectors, length: int) -> np.ndarray[Any, np.dtype[np.intp]]:
        _, places = self._index.search(np.ascontiguousarray(query[None], np.float32), CANDIDATES)
        return places[0][(places[0] >= 0) & (places[0] < length)].astype(np.intp)  # type: ignore[no-any-return]

    def _extend(self, matrix: Vectors) -> None:
        if self._index is None or len(matrix) > _REGROWTH * self._trained_on:
            self._train(matrix)
        if len(matrix) > self._index.ntotal:
            self._index.add(matrix[self._index.ntotal :])

    def _train(self, matrix: Vectors) -> None:
        cells = max(1, round(math.sqrt(len(matrix))))
        quantizer = self._faiss.IndexFlatIP(self._dimension)
        index = self._faiss.IndexIVFFlat(quantizer, self._dimension, cells, self._faiss.METRIC_INNER_PRODUCT)
        index.cp.max_points_per_centroid = _POINTS_PER_CELL
        index.cp.min_points_per_centroid = 1
        index.train(matrix)
        index.add(matrix)
        self._index, self._trained_on = index, len(matrix)
        self._tune(matrix)

    def _tune(self, matrix: Vectors) -> None:
        queries = _drawn(matrix)
        truth = [np.argpartition(-(matrix @ query), _NEAREST - 1)[:_NEAREST] for query in queries]
        nprobe = 1
        while True:
            self._index.nprobe = nprobe
            _, found = self._index.search(queries, _NEAREST)
            pairs = zip(truth, found, strict=True)
            shares = np.array([len(np.intersect1d(*pair)) / len(pair[0]) for pair in pairs])
            self.recall = float(shares.reshape(len(_NOISE), -1).mean(axis=1).min())
            if self.recall >= TARGET_RECALL or nprobe >= self._index.nlist:
                break
            nprobe = min(nprobe * 2, self._index.nlist)
        told = (len(matrix), self.recall, *self.cells)
        log.info("%d records are searched by FAISS: recall %.3f with %d of %d cells", *told)


def _drawn(matrix: Vectors) -> Vectors:
    """Stored rows moved by noise: first the near queries, then ever farther ones."""
    rng = np.random.default_rng(0)
    rows = matrix[rng.integers(0, len(matrix), _QUERIES)]
    noise = rng.standard_normal(rows.shape) / math.sqrt(rows.shape[1])
    scales = np.repeat(_NOISE, _QUERIES // len(_NOISE))
    return np.ascontiguousarray(rows + scales[:, None] * noise, np.float32)


def _library() -> Any:
    try:
        return importlib.import_module("faiss")
    except ImportError as error:
        part = f"a bank of more than {EXACT_LIMIT:,} records"
        raise MissingExtraError(part, "faiss-cpu", "faiss") from error
