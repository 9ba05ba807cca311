"""Lexical channels: BM25 by bm25s, and token overlap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import bm25s
import numpy as np

from recallreach.memory.bank import Bank
from recallreach.memory.retrieval import Scores
from recallreach.memory.types import Record
from recallreach.memory.words import content_words

K1, B = 1.5, 0.75


def record_text(record: Record) -> str:
    """What a record says: page text and caption, whichever there are."""
    return "\n".join(filter(None, [record.text, record.caption]))


class Bm25:
    """BM25 over the records of a bank, indexed again only when the bank has changed.

    Okapi term weights with the idf of Lucene, ln(1 + (N - n + 0.5) / (n + 0.5)), which is never negative
    (bm25s, arXiv 2407.03618). Grammar words do not count.

    Args:
        text: what a record says.
        k1, b: saturation of a term, and how far the length of a text matters.
    """

    def __init__(self, text: Callable[[Record], str] = record_text, k1: float = K1, b: float = B) -> None:
        self._text, self._k1, self._b = text, k1, b
        self._state: object = None
        self._index: Any = None

    def scores(self, bank: Bank, query: str) -> Scores:
        """(len(bank),); 0 for a record without a word of the query."""
        if bank.state != self._state:
            self._state, self._index = bank.state, self._built(bank)
        asked = sorted(set(content_words(query)))
        if self._index is None or not asked:
            return np.zeros(len(bank))
        return np.asarray(self._index.get_scores(asked), np.float64)

    def _built(self, bank: Bank) -> Any:
        corpus = [list(content_words(self._text(record))) for record in bank]
        if not any(corpus):
            return None
        index = bm25s.BM25(k1=self._k1, b=self._b, method="lucene")
        index.index(corpus, show_progress=False)
        return index


def overlap(query: str, text: str) -> float:
    """Share of the distinct words of a query that a text has; 0 for a query without a word of content."""
    asked = _distinct(query)
    return len(asked & _distinct(text)) / len(asked) if asked else 0.0


def overlaps(query: str, texts: Sequence[str]) -> Scores:
    """`overlap` with each text."""
    return np.array([overlap(query, text) for text in texts], np.float64)


@lru_cache(maxsize=65_536)
def _distinct(text: str) -> frozenset[str]:
    return frozenset(content_words(text))
