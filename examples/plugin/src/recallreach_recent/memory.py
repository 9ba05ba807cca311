"""A memory that prefers what was seen lately."""

from __future__ import annotations

import numpy as np

from recallreach.memory.parts import Parts
from recallreach.memory.systems.base import VERBAL, BankMemory, Ranking
from recallreach.memory.types import Experience, Query


class Recent(BankMemory):
    """Captions by cosine, worth half as much for every few sessions that have passed.

    Args:
        parts: encoders and captioner.
        half_life: sessions after which a memory counts half.
    """

    name = "recent"
    default_delivery = "caption+pixels"

    def __init__(self, parts: Parts, half_life: float = 3.0) -> None:
        super().__init__(parts)
        if half_life <= 0:
            raise ValueError(f"half_life is a number of sessions above 0, got {half_life}")
        self.half_life = half_life

    def _store(self, experience: Experience) -> None:
        caption = self._captioned(experience)
        self.bank.append(experience, {VERBAL: self._text_vector(caption)}, caption=caption)

    def _rank(self, query: Query) -> Ranking:
        sessions = np.array([record.session for record in self.bank])
        worth = 0.5 ** ((sessions.max() - sessions) / self.half_life)
        cosines = self._verbal(query)
        return Ranking(cosines * worth, {VERBAL: cosines, "worth": worth})
