"""The embedded text encoder: a hashed bag of words and character n-grams. Nothing is learned."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from recallreach.errors import ConfigError
from recallreach.memory.types import Vectors
from recallreach.memory.words import content_words

GRAM_WEIGHT = 0.7


class HashedTextEncoder:
    """Words and the 3- to 5-grams of their letters, hashed with a sign into a fixed number of cells.

    A word weighs 1 and its grams together 0.7 (in length).

    Feature hashing (Weinberger et al. 2009, arXiv 0902.2206) with sublinear term frequency, 1 + ln(count).
    Words of English grammar are left out. It sees shared words and shared stems, not meaning: "sofa" and
    "couch" have nothing in common for it.

    Args:
        dimension: number of cells.

    Raises:
        ConfigError: `dimension` is no number of cells.
    """

    def __init__(self, dimension: int = 1024) -> None:
        if not isinstance(dimension, int) or dimension < 1:
            raise ConfigError(f"dimension is a number of cells from 1, got {dimension!r}")
        self.dimension = dimension
        self.name = f"hashed-ngrams-1-{dimension}"

    def encode_texts(self, texts: Sequence[str]) -> Vectors:
        """(n, dimension) from n texts; rows have length 1, or 0 for a text without a word of content."""
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in zip(rows, texts, strict=True):
            self._fill(row, text)
        return rows

    def _fill(self, row: Vectors, text: str) -> None:
        counts = Counter(content_words(text))
        for word, count in sorted(counts.items()):
            for feature, weight in _features(word):
                cell, sign = _cell(feature, self.dimension)
                row[cell] += sign * weight * (1.0 + math.log(count))
        length = float(np.linalg.norm(row))
        if length:
            row /= np.float32(length)


def _features(word: str) -> Iterator[tuple[str, float]]:
    yield f"w:{word}", 1.0
    framed = f"<{word}>"
    grams = [framed[i : i + size] for size in (3, 4, 5) for i in range(len(framed) - size + 1)]
    for gram in grams:
        yield f"g:{gram}", GRAM_WEIGHT / math.sqrt(len(grams))


@lru_cache(maxsize=65_536)
def _cell(feature: str, dimension: int) -> tuple[int, float]:
    digest = hashlib.blake2b(feature.encode(), digest_size=8).digest()
    value = int.from_bytes(digest, "little")
    return (value >> 1) % dimension, 1.0 if value & 1 else -1.0
