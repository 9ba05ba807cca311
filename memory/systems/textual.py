"""Systems without a visual channel: the floor, page text, captions, and the whole transcript."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np

from recallreach.errors import ConfigError
from recallreach.memory.delivery.cost import text_tokens
from recallreach.memory.parts import Parts
from recallreach.memory.systems.base import VERBAL, BankMemory, Ranking
from recallreach.memory.types import Experience, Query, Retrieved, Vectors


class NoMemory:
    """Stores nothing and returns nothing: what an agent scores without any memory."""

    name: ClassVar[str] = "no-memory"
    default_delivery: ClassVar[str] = "nothing"

    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    def write(self, experience: Experience) -> None:
        """Forget the view at once."""

    def retrieve(self, query: Query, k: int) -> list[Retrieved]:
        """Always empty."""
        return []

    def end_session(self) -> None:
        """Nothing to do."""

    def fork(self) -> Self:
        """Another empty memory."""
        return type(self)(self.parts)

    def __len__(self) -> int:
        return 0


class VerbalMemory(BankMemory):
    """One text a record, ranked by cosine with the retrieval text (instruction and current URL)."""

    default_delivery: ClassVar[str] = "text"

    def _rank(self, query: Query) -> Ranking:
        scores = self._verbal(query)
        return Ranking(scores, {VERBAL: scores})

    def _encode(self, text: str) -> dict[str, Vectors | None]:
        return {VERBAL: self._text_vector(text)}


class TextOnly(VerbalMemory):
    """The visible text of each product page. Pictures are neither read nor stored."""

    name: ClassVar[str] = "text-only"

    def _store(self, experience: Experience) -> None:
        self.bank.append(without_picture(experience), self._encode(experience.text), text=experience.text)


class Caption(VerbalMemory):
    """A caption of each product picture; the picture itself is not kept."""

    name: ClassVar[str] = "caption"

    def _store(self, experience: Experience) -> None:
        caption = self._captioned(experience)
        self.bank.append(without_picture(experience), self._encode(caption), caption=caption)


class LongContext(BankMemory):
    """The page text of all views, newest first, cut where a token budget is spent.

    The whole transcript is the point of this baseline, so `k` does not limit it; `k = 0` still gives nothing.

    Args:
        parts: not used; taken for the common form.
        budget_tokens: budget for the page texts, by `delivery.cost.text_tokens`.
    """

    name: ClassVar[str] = "long-context"
    default_delivery: ClassVar[str] = "text"
    ignores_k: ClassVar[bool] = True

    def __init__(self, parts: Parts, budget_tokens: int = 32_000) -> None:
        super().__init__(parts)
        if budget_tokens < 1:
            raise ConfigError(f"budget_tokens must be at least 1, got {budget_tokens}")
        self.budget_tokens = budget_tokens

    def retrieve(self, query: Query, k: int) -> list[Retrieved]:
        """All views that fit the budget, newest first; the score is minus the age in records."""
        return super().retrieve(query, min(k, 1) * self._fitting())

    def _store(self, experience: Experience) -> None:
        self.bank.append(without_picture(experience), {}, text=experience.text)

    def _rank(self, query: Query) -> Ranking:
        return Ranking(np.arange(1 - len(self.bank), 1, dtype=np.float64))

    def _fitting(self) -> int:
        left = self.budget_tokens
        for count in range(len(self.bank)):
            left -= text_tokens(self.bank[-1 - count].text)
            if left < 0:
                return count
        return len(self.bank)


def without_picture(experience: Experience) -> Experience:
    """The view as a system stores it that keeps no pictures."""
    return Experience(
        url=experience.url,
        title=experience.title,
        text=experience.text,
        picture=None,
        session=experience.session,
        step=experience.step,
        seen_at=experience.seen_at,
    )
