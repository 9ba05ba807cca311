"""The search of M2A over its semantic store (arXiv 2602.07624)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from recallreach.memory.bank import Bank
from recallreach.memory.fusion import fuse_lists
from recallreach.memory.lexical import Bm25
from recallreach.memory.parts import Parts
from recallreach.memory.retrieval import Scores, top_k
from recallreach.memory.systems.base import VERBAL, Ranking
from recallreach.memory.tiles import TiledChannel

VISUAL, LEXICAL = "visual", "bm25"


class SemanticSearch:
    """Three short lists, fused twice by reciprocal rank.

    The best 5 by dense cosine and the best 5 by BM25 (of entries that share a word) are fused to 5; those and
    the best 3 by picture are fused to 8. Entries in neither list are not returned.
    """

    DENSE, WORDS, TEXTS, PICTURES, FINAL = 5, 5, 5, 3, 8
    RRF_K = 60.0

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.visual = TiledChannel(parts.encoder)
        self._lexical = Bm25()

    def rank(self, store: Bank, asked: str) -> Ranking:
        """Scores of all entries of a store, and which of them are in the final list."""
        dense = store.cosine(VERBAL, self._parts.text_encoder.encode_texts([asked])[0])
        lexical = self._lexical.scores(store, asked)
        visual, _ = self.visual.score(store, self._parts.encoder.encode_texts([asked])[0])
        texts = [best(dense, self.DENSE, store.present(VERBAL)), best(lexical, self.WORDS, lexical > 0)]
        joined = self._fused(texts, len(store))
        lists = [
            best(joined, self.TEXTS, joined > 0),
            best(visual, self.PICTURES, self.visual.present(store)),
        ]
        scores = self._fused(lists, len(store))
        listed = np.zeros(len(store), np.bool_)
        listed[best(scores, self.FINAL, scores > 0)] = True
        return Ranking(scores, {VERBAL: dense, LEXICAL: lexical, VISUAL: visual}, listed)

    def _fused(self, lists: Sequence[Sequence[int]], length: int) -> Scores:
        return fuse_lists(lists, length, self.RRF_K)


def best(scores: Scores, count: int, allowed: NDArray[np.bool_]) -> list[int]:
    """Positions of the best allowed records, best first; ties go to the older."""
    places = np.flatnonzero(allowed)
    return [int(place) for place in places[top_k(scores[places], count)]]
