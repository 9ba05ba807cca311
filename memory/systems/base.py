"""What all built-in systems share: a bank, which views they store, and how hits are made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from recallreach.errors import ConfigError
from recallreach.memory.bank import Bank
from recallreach.memory.lexical import record_text
from recallreach.memory.parts import Parts
from recallreach.memory.retrieval import Scores, top_k
from recallreach.memory.types import Experience, Query, Record, Retrieved, Vectors

VERBAL = "verbal"


def is_product_view(experience: Experience) -> bool:
    """Only product pages carry a picture; the published protocol stores those page views and no others."""
    return experience.picture is not None


@dataclass(frozen=True)
class Ranking:
    """How a query scores the records of a bank; all arrays of shape (n,).

    Attributes:
        scores: fused scores, larger is better.
        channels: scores of each channel before fusion.
        listed: which records may be returned; None for all.
        tiles: the winning tile of each record; None where no tiles were looked at.
    """

    scores: Scores
    channels: Mapping[str, Scores] = field(default_factory=dict)
    listed: NDArray[np.bool_] | None = None
    tiles: NDArray[np.intp] | None = None

    def order(self, k: int) -> NDArray[np.intp]:
        """Positions of the best k that may be returned; among equals the older first."""
        if self.listed is None:
            return top_k(self.scores, k)
        allowed = np.flatnonzero(self.listed)
        return allowed[top_k(self.scores[allowed], k)]


class BankMemory:
    """A system on one bank: one record a product-page view, in order; a product seen twice gives two records.

    Subclasses say what a record holds (`_store`) and how records are ranked (`_rank`).

    Args:
        parts: what it is built from.
        one_per_page: return at most one record a page, its best (the older among equals). The published
            systems do not: a product seen several times may fill several of the k places.
    """

    name: ClassVar[str]
    default_delivery: ClassVar[str]

    def __init__(self, parts: Parts, *, one_per_page: bool = False) -> None:
        if not isinstance(one_per_page, bool):
            raise ConfigError(f"one_per_page is true or false, got {one_per_page!r}")
        self.parts, self.one_per_page = parts, one_per_page
        self.bank = Bank()

    def write(self, experience: Experience) -> None:
        """Store a product-page view; other pages are passed over.

        Raises:
            PictureError, CaptionError, VectorError: the view cannot be stored; the bank is unchanged.
        """
        if is_product_view(experience):
            self._store(experience)

    def retrieve(self, query: Query, k: int) -> list[Retrieved]:
        """At most k hits, best first; ties go to the older record.

        Raises:
            ValueError: k is negative, or `_rank` gave something else than one number a record.
        """
        if not len(self.bank) or k == 0:
            return []
        ranking = self._ranked(query)
        if not self.one_per_page:
            return [self._hit(int(position), ranking) for position in ranking.order(k)]
        return [self._hit(position, ranking) for position in self._one_per_page(ranking, k)]

    def end_session(self) -> None:
        """Nothing to do: the bank is all there is, and it stays."""

    def fork(self) -> Self:
        """An independent continuation in O(1)."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.bank = self.bank.fork()
        return twin

    def __len__(self) -> int:
        return len(self.bank)

    def _store(self, experience: Experience) -> None:
        raise NotImplementedError

    def _rank(self, query: Query) -> Ranking:
        raise NotImplementedError

    def _ranked(self, query: Query) -> Ranking:
        ranking, expected = self._rank(query), (len(self.bank),)
        if ranking.scores.shape != expected or np.isnan(ranking.scores).any():
            raise ValueError(
                f"{type(self).__name__}._rank gives one number a record, here an array of shape {expected}; "
                f"got {ranking.scores.shape}, {int(np.isnan(ranking.scores).sum())} of them NaN"
            )
        return ranking

    def _hit(self, position: int, ranking: Ranking) -> Retrieved:
        record = self.bank[position]
        raw = {name: float(values[position]) for name, values in ranking.channels.items()}
        return Retrieved(record, float(ranking.scores[position]), raw, self.bank.picture(record))

    def _one_per_page(self, ranking: Ranking, k: int) -> list[int]:
        if k < 0:
            raise ValueError(f"k must not be negative, got {k}")
        best: dict[str, int] = {}
        for position in ranking.order(len(self.bank)):
            best.setdefault(page_of(self.bank[int(position)]), int(position))
        return list(best.values())[:k]

    # Parts that several systems store and look up alike.

    def _text_vector(self, text: str) -> Vectors:
        row: Vectors = self.parts.text_encoder.encode_texts([text])[0]
        return row

    def _verbal(self, query: Query) -> Scores:
        """Cosine of the verbal channel with the retrieval text (instruction and current URL)."""
        return self.bank.cosine(VERBAL, self._text_vector(query.retrieval_text))

    def _captioned(self, experience: Experience) -> str:
        assert experience.picture is not None
        return self.parts.captioner.caption(experience.picture)


def page_of(record: Record) -> str:
    """The page a record was seen on, whatever query or slash its address ended with."""
    return record.url.split("?")[0].split("#")[0].rstrip("/") or "/"


def said(experience: Experience, caption: str) -> str:
    """Page text and caption of a view, as `record_text` gives them of its record."""
    return record_text(Record(0, "", "", experience.text, None, 0, 0, caption=caption))


def checked_number(name: str, value: Any, low: float, high: float) -> float:
    """An option that is a number in a range.

    Raises:
        ConfigError: it is not.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise ConfigError(f"{name} is a number from {low:g} to {high:g}, got {value!r}")
    return float(value)
