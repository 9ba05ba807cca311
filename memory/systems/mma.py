"""MMA: how far each retrieved item can be trusted, told to the reader (arXiv 2602.16493)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from difflib import SequenceMatcher
from functools import lru_cache
from typing import ClassVar

import numpy as np

from recallreach.errors import DataError, UnknownNameError
from recallreach.memory.lexical import record_text
from recallreach.memory.parts import Parts
from recallreach.memory.retrieval import top_k
from recallreach.memory.systems.base import VERBAL, BankMemory, Ranking, said
from recallreach.memory.types import Experience, Query, Record, Retrieved, Vectors

SOURCES = {
    "user": 1.0,
    "knowledge": 0.9,
    "web": 0.7,
    "system": 0.6,
    "model": 0.6,
    "import": 0.5,
    "other": 0.6,
}
"""How far each source is trusted."""


class MMA(BankMemory):
    """Ranked by the cosine of page text and caption; each hit says its confidence, which re-ranks nothing.

    confidence = (0.45 source + 0.40 recency + 0.15 consensus) / the weights used, within [0, 1].

    - Recency halves every 30 days before the newest record; 0.5 where a date is unknown.
    - Consensus is taken over at most 10 links to the records nearest in meaning: the mean of the neighbour's
      own confidence (from source and recency) times its signed cosine, weighted by 0.7 cosine + 0.3 string
      ratio, at least 0.01. Without another record it is not used.
    - Below 0.4 the hit advises not to answer from it.

    Args:
        parts: what it is built from.
        source: where all records come from, a key of `SOURCES`.
        one_per_page: as in `BankMemory`.
    """

    name: ClassVar[str] = "mma"
    default_delivery: ClassVar[str] = "caption+pixels"

    SOURCE_WEIGHT, RECENCY_WEIGHT, CONSENSUS_WEIGHT = 0.45, 0.40, 0.15
    HALF_LIFE_DAYS, UNKNOWN_AGE = 30.0, 0.5
    LINKS, COSINE_SHARE, STRING_SHARE, LEAST_LINK = 10, 0.7, 0.3, 0.01
    ABSTAIN = 0.4

    def __init__(self, parts: Parts, source: str = "web", *, one_per_page: bool = False) -> None:
        super().__init__(parts, one_per_page=one_per_page)
        if source not in SOURCES:
            raise UnknownNameError("source of memories", str(source), SOURCES)
        self._trust = SOURCES[source]

    def _store(self, experience: Experience) -> None:
        caption = self._captioned(experience)
        vectors: dict[str, Vectors | None] = {VERBAL: self._text_vector(said(experience, caption))}
        self.bank.append(experience, vectors, text=experience.text, caption=caption)

    def _rank(self, query: Query) -> Ranking:
        relevance = self._verbal(query)
        return Ranking(relevance, {VERBAL: relevance})

    def _hit(self, position: int, ranking: Ranking) -> Retrieved:
        hit = super()._hit(position, ranking)
        confidence = self.confidence(position)
        advice = "" if confidence >= self.ABSTAIN else "; too low to answer from this item"
        note = f"(confidence {confidence:.2f}{advice})"
        return replace(hit, channels={**hit.channels, "confidence": confidence}, note=note)

    def confidence(self, position: int) -> float:
        """How far the record at a position can be trusted, 0 to 1."""
        own = self._basis(self.bank[position])
        consensus = self._consensus(position)
        if consensus is None:
            return float(np.clip(own, 0.0, 1.0))
        basis = self.SOURCE_WEIGHT + self.RECENCY_WEIGHT
        return float(np.clip(own * basis + self.CONSENSUS_WEIGHT * consensus, 0.0, 1.0))

    def _basis(self, record: Record) -> float:
        """Confidence from source and recency alone."""
        weighed = self.SOURCE_WEIGHT * self._trust + self.RECENCY_WEIGHT * self._recency(record)
        return weighed / (self.SOURCE_WEIGHT + self.RECENCY_WEIGHT)

    def _recency(self, record: Record) -> float:
        newest = self._newest()
        if not record.seen_at or newest is None:
            return self.UNKNOWN_AGE
        age = (newest - _moment(record)).total_seconds() / 86_400
        return float(0.5 ** (max(0.0, age) / self.HALF_LIFE_DAYS))

    def _newest(self) -> datetime | None:
        """When the newest record that has a date was seen."""
        for position in range(len(self.bank) - 1, -1, -1):
            if self.bank[position].seen_at:
                return _moment(self.bank[position])
        return None

    def _consensus(self, position: int) -> float | None:
        cosines = self.bank.cosine(VERBAL, self.bank.vectors(VERBAL)[position])
        cosines[position] = -np.inf
        nearest = [int(place) for place in top_k(cosines, self.LINKS) if place != position]
        if not nearest:
            return None
        own = record_text(self.bank[position])
        links = [self._link(own, place, float(cosines[place])) for place in nearest]
        weights = [weight for weight, _ in links]
        return sum(weight * agreement for weight, agreement in links) / sum(weights)

    def _link(self, own: str, place: int, cosine: float) -> tuple[float, float]:
        """Weight of the link to a neighbour, and how far the neighbour agrees, with its sign."""
        neighbour = self.bank[place]
        alike = self.COSINE_SHARE * cosine + self.STRING_SHARE * string_ratio(own, record_text(neighbour))
        return max(self.LEAST_LINK, alike), self._basis(neighbour) * cosine


@lru_cache(maxsize=200_000)
def string_ratio(one: str, other: str) -> float:
    """How alike two strings are, 0 to 1: twice the matching characters over all (difflib), by words."""
    return SequenceMatcher(None, one.split(), other.split(), autojunk=False).ratio()


def _moment(record: Record) -> datetime:
    try:
        return datetime.fromisoformat(record.seen_at)
    except ValueError as error:
        raise DataError(
            f"record {record.id} was seen at {record.seen_at!r}, which is not ISO 8601"
        ) from error
