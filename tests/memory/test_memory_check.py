"""The public checkers catch parts that break a promise."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
import pytest

from recallreach.memory.check import (
    ContractError,
    check_captioner,
    check_delivery,
    check_encoder,
    check_memory,
    check_text_encoder,
)
from recallreach.memory.encoders import encoders, text_encoders
from recallreach.memory.parts import Parts
from recallreach.memory.systems.dualmem import DualMem
from recallreach.memory.systems.textual import TextOnly
from recallreach.memory.types import Delivered, DeliveredItem, Experience, Query, Retrieved, TextPart, Vectors


class SharedFork(TextOnly):
    def fork(self) -> Self:
        return self


class Backwards(TextOnly):
    def retrieve(self, query: Query, k: int) -> list[Retrieved]:
        return super().retrieve(query, k)[::-1]


class TooMany(TextOnly):
    def retrieve(self, query: Query, k: int) -> list[Retrieved]:
        return super().retrieve(query, k + 1)


class Pictureless(DualMem):
    def retrieve(self, query: Query, k: int) -> list[Retrieved]:
        return [Retrieved(hit.record, hit.score, hit.channels) for hit in super().retrieve(query, k)]


class Forgetful(TextOnly):
    def retrieve(self, query: Query, k: int) -> list[Retrieved]:
        hits = super().retrieve(query, k)
        self.bank = type(self.bank)()
        return hits


class Prefilled(TextOnly):
    def __init__(self, parts: Any) -> None:
        super().__init__(parts)
        self.write(Experience("/", "", "text", b"x", 0, 0))


class Nameless(TextOnly):
    name = ""


class Unnamed:
    def __init__(self, parts: Parts) -> None: ...


class SilentSharedFork(TextOnly):
    """Returns nothing, so that only its length tells that a fork is its origin."""

    def retrieve(self, query: Query, k: int) -> list[Retrieved]:
        return []

    def fork(self) -> Self:
        return self


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (SharedFork, "a fork sees what its origin wrote"),
        (Backwards, "best first"),
        (TooMany, "hits for k = 0"),
        (Pictureless, "its hit carries None"),
        (Forgetful, "retrieve changes"),
        (Prefilled, "fresh system is not empty"),
        (Nameless, "needs a name"),
        (Unnamed, "Unnamed lacks name, default_delivery, write()"),
        (SilentSharedFork, "a fork sees what its origin wrote"),
    ],
)
def test_a_broken_memory_is_caught(broken: Callable[..., Any], complaint: str) -> None:
    with pytest.raises(ContractError, match=re.escape(complaint)):
        check_memory(broken)


def test_two_instances_that_differ_are_caught() -> None:
    made: list[TextOnly] = []

    class Odd(TextOnly):
        def retrieve(self, query: Query, k: int) -> list[Retrieved]:
            hits = super().retrieve(query, k)
            return hits[1:] if made.index(self) % 2 else hits

    def factory(parts: Parts) -> TextOnly:
        made.append(Odd(parts))
        return made[-1]

    with pytest.raises(ContractError, match="two fresh instances"):
        check_memory(factory)


class ImagesAtTheEnd:
    name = "images-at-the-end"

    def deliver(self, query: Query, hits: Sequence[Retrieved]) -> Delivered:
        from recallreach.memory.delivery import build_delivery

        bound = build_delivery("caption+pixels").deliver(query, hits)
        texts = [part for part in bound.parts if isinstance(part, TextPart)]
        images = [part for part in bound.parts if not isinstance(part, TextPart)]
        return Delivered((*texts, *images), bound.items)


class SameTag:
    name = "same-tag"

    def deliver(self, query: Query, hits: Sequence[Retrieved]) -> Delivered:
        items = tuple(
            DeliveredItem("M1", hit.record.url, hit.record.id, f"item {hit.record.id}") for hit in hits
        )
        return Delivered(tuple(TextPart(item.text) for item in items), items)


@pytest.mark.parametrize(
    ("broken", "complaint"), [(ImagesAtTheEnd, "does not follow"), (SameTag, "share a tag")]
)
def test_a_broken_delivery_is_caught(broken: Callable[[], Any], complaint: str) -> None:
    with pytest.raises(ContractError, match=complaint):
        check_delivery(broken)


class BatchMean:
    name, dimension = "batch-mean", 2

    def encode_texts(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, 2), np.float32)
        angles = np.array([len(text) for text in texts], np.float32) / sum(len(text) + 1 for text in texts)
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)


class Unscaled:
    name, dimension = "unscaled", 1

    def encode_texts(self, texts: Sequence[str]) -> Vectors:
        return np.array([[float(len(text))] for text in texts], np.float32).reshape(-1, 1)


class Doubles(Unscaled):
    def encode_texts(self, texts: Sequence[str]) -> Any:
        return np.ones((len(texts), 1))


@pytest.mark.parametrize(
    ("broken", "complaint"), [(BatchMean, "batches of one"), (Unscaled, "lengths"), (Doubles, "float64")]
)
def test_a_broken_encoder_is_caught(broken: Callable[[], Any], complaint: str) -> None:
    with pytest.raises(ContractError, match=complaint):
        check_text_encoder(broken)


def test_the_shipped_encoders_keep_the_contract() -> None:
    for name in ("embedded",):
        check_encoder(encoders.factory(name))
    check_text_encoder(text_encoders.factory("hashed"))


class Empty:
    pass


class OnlyTexts:
    name, dimension, encode_images = "half", 4, 3

    def encode_texts(self, texts: Sequence[str]) -> Vectors:
        return np.zeros((len(texts), 4), np.float32)


@pytest.mark.parametrize(
    ("checker", "factory", "missing"),
    [
        (check_encoder, OnlyTexts, "OnlyTexts lacks encode_images(); recallreach.memory.types.Encoder says"),
        (check_encoder, Empty, "Empty lacks encode_images(), encode_texts(), name, dimension; "),
        (check_text_encoder, Empty, "Empty lacks encode_texts(), name, dimension; "),
        (check_captioner, Empty, "Empty lacks caption(), name; "),
        (check_delivery, Empty, "Empty lacks name, deliver(); "),
        (
            check_memory,
            lambda parts: Empty(),
            "name, default_delivery, write(), retrieve(), end_session(), fork(), __len__(); ",
        ),
    ],
)
def test_everything_that_a_part_lacks_is_named(
    checker: Callable[[Any], None], factory: Callable[..., Any], missing: str
) -> None:
    with pytest.raises(ContractError, match=re.escape(missing)):
        checker(factory)
