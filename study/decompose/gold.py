"""Gold retrieval: the retriever's own items, with the target among them. A check of the harness, no memory.

It is the corner of the decomposition (arXiv 2609.32590): what is right with it and wrong without was lost in
retrieval; what is wrong with it was lost in delivery or reading.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, Protocol, Self, get_args, runtime_checkable

from recallreach.env.actions import product_id_of
from recallreach.errors import ConfigError, DataError, UnknownNameError
from recallreach.memory.parts import Parts
from recallreach.memory.systems import build_memory
from recallreach.memory.types import Experience, MemorySystem, Query, Record, Retrieved
from recallreach.seeding import stream

Place = Literal["kept", "first", "drawn"]
NAME = "recallreach.study.decompose.gold:GoldRetrieval"
"""What a study file calls it."""


@runtime_checkable
class UsesAnswers(Protocol):
    """A memory that checks the harness and is told the ground truth for it."""

    def with_answers(self, answers: Mapping[str, str]) -> MemorySystem:
        """The same memory, told which product is meant by which cue phrase (lower case)."""


class GoldRetrieval:
    """A memory whose hits always hold the target, where the target is stored.

    k stays the same: the target takes the place of the retriever's last item, and the others are the
    retriever's own, in its own order.

    Args:
        parts: what the inner memory is built from.
        memory: name of the inner memory, or the memory itself.
        place: where the target stands. "kept": where the retriever put it, or last where it missed it, so
            that nothing but its presence differs; "first": always at rank 1; "drawn": at a seeded place, so
            that rank tells nothing.
        options: options of the inner memory.
    """

    name = "gold"

    def __init__(
        self, parts: Parts, memory: str | MemorySystem = "dualmem", place: Place = "kept", **options: Any
    ) -> None:
        if place not in get_args(Place):
            raise ConfigError(str(UnknownNameError("place of the gold item", place, get_args(Place))))
        self._inner = build_memory(memory, parts, **options) if isinstance(memory, str) else memory
        self._place: Place = place
        self._answers: Mapping[str, str] = {}

    def with_answers(self, answers: Mapping[str, str]) -> Self:
        """The same memory, told which product is meant by which cue phrase (lower case)."""
        self._answers = answers
        return self

    @property
    def default_delivery(self) -> str:
        """That of the inner memory."""
        return self._inner.default_delivery

    @property
    def bank(self) -> Iterable[Record] | None:
        """The inner memory's records, where it lists them."""
        return getattr(self._inner, "bank", None)

    def write(self, experience: Experience) -> None:
        """As the inner memory."""
        self._inner.write(experience)

    def end_session(self) -> None:
        """As the inner memory."""
        self._inner.end_session()

    def fork(self) -> Self:
        """An independent continuation."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._inner = self._inner.fork()
        return twin

    def __len__(self) -> int:
        return len(self._inner)

    def retrieve(self, query: Query, k: int) -> list[Retrieved]:
        """The retriever's hits with the target among them; without it where it was never stored.

        Raises:
            DataError: the question names no cue of the shop, or nobody said which product shows it.
        """
        target, own = self._target(query), self._inner.retrieve(query, k)
        if not own:
            return own
        mine = next((hit for hit in own if _shows(hit, target)), None) or self._stored(query, target)
        if mine is None or (self._place == "kept" and mine in own):
            return own
        others = [hit for hit in own if hit is not mine][: len(own) - 1]
        place = self._drawn_place(query, len(others))
        return [*others[:place], mine, *others[place:]]

    def _stored(self, query: Query, target: str) -> Retrieved | None:
        """The best hit of the target in the whole bank."""
        everything = self._inner.retrieve(query, len(self._inner))
        return next((hit for hit in everything if _shows(hit, target)), None)

    def _drawn_place(self, query: Query, last: int) -> int:
        if self._place == "drawn":
            return int(stream(0, "gold", query.text).integers(last + 1))
        return 0 if self._place == "first" else last

    def _target(self, query: Query) -> str:
        asked = [phrase for phrase in self._answers if phrase in query.text.casefold()]
        if not asked:
            raise DataError(
                f"gold retrieval does not know which product this question means: {query.text!r}"
                if self._answers
                else "gold retrieval was not told which product shows which cue; use it in a study"
            )
        return self._answers[max(asked, key=len)]


def _shows(hit: Retrieved, product: str) -> bool:
    return product_id_of(hit.record.url) == product
