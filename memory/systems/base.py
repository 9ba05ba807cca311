"""What all built-in systems share: a bank, which views they store, and how hits are made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from recallreach.memory.bank import Bank
from recallreach.memory.parts import Parts
from recallreach.memory.retrieval import Scores, top_k
from recallreach.memory.types import Experience, Query, Retrieved


def is_product_view(experience: Experience) -> bool:
    """Only product pages carry a picture; the published protocol stores those page views and no others."""
    return experience.picture is not None


class BankMemory:
    """A system on one bank: one record a product-page view, in order; a product seen twice gives two records.

    Subclasses say what a record holds (`_store`) and how it is scored (`_rank`).
    """

    name: ClassVar[str]
    default_delivery: ClassVar[str]

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
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
            ValueError: k is negative.
        """
        if not len(self.bank) or k == 0:
            return []
        scores, channels = self._rank(query)
        return [self._hit(int(index), scores, channels) for index in top_k(scores, k)]

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

    def _rank(self, query: Query) -> tuple[Scores, Mapping[str, Scores]]:
        """Fused scores and the scores of each channel before fusion, all of shape (len(self),)."""
        raise NotImplementedError

    def _hit(self, index: int, scores: Scores, channels: Mapping[str, Scores]) -> Retrieved:
        record = self.bank[index]
        raw = {name: float(values[index]) for name, values in channels.items()}
        return Retrieved(record, float(scores[index]), raw, self.bank.picture(record))
