"""The parts that memory systems share: one encoder of pictures, one of texts, one captioner, each cached."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np

from recallreach.files import sha256
from recallreach.memory.errors import CaptionError, VectorError
from recallreach.memory.types import Captioner, Encoder, LanguageModel, TextEncoder, Vectors

KeyT = TypeVar("KeyT")


@dataclass(frozen=True, slots=True)
class Parts:
    """What a memory system may be built from.

    Attributes:
        encoder: pictures and texts to one space (the visual channel).
        text_encoder: texts only (the verbal channel).
        captioner: a picture to sentences.
        model: manages the memory in systems that have it managed; None lets each system's rule do it.
    """

    encoder: Encoder
    text_encoder: TextEncoder
    captioner: Captioner
    model: LanguageModel | None = None

    @classmethod
    def cached(
        cls,
        encoder: Encoder,
        text_encoder: TextEncoder,
        captioner: Captioner,
        model: LanguageModel | None = None,
    ) -> Parts:
        """The same parts, each remembering its results by content, so that all systems of a study share them.

        A part's `name` must tell its weights apart: it is part of every key.
        """
        return cls(CachedEncoder(encoder), CachedTextEncoder(text_encoder), CachedCaptioner(captioner), model)


class CachedTextEncoder:
    """A text encoder that encodes each text once."""

    def __init__(self, inner: TextEncoder) -> None:
        self._encode = inner.encode_texts
        self.name, self.dimension = inner.name, inner.dimension
        self._rows: dict[str, Vectors] = {}

    def encode_texts(self, texts: Sequence[str]) -> Vectors:
        """As the wrapped encoder."""
        return _through(self._rows, list(texts), list(texts), self._encode, self.dimension)


class CachedEncoder(CachedTextEncoder):
    """An encoder that encodes each picture, by SHA-256, and each text once."""

    def __init__(self, inner: Encoder) -> None:
        super().__init__(inner)
        self._encode_images = inner.encode_images
        self._pictures: dict[str, Vectors] = {}

    def encode_images(self, pictures: Sequence[bytes]) -> Vectors:
        """As the wrapped encoder."""
        keys = [sha256(picture) for picture in pictures]
        return _through(self._pictures, keys, list(pictures), self._encode_images, self.dimension)


class CachedCaptioner:
    """A captioner that describes each picture, by SHA-256, once; failures are not remembered."""

    def __init__(self, inner: Captioner) -> None:
        self._inner = inner
        self.name = inner.name
        self._captions: dict[str, str] = {}

    def caption(self, picture: bytes) -> str:
        """As the wrapped captioner.

        Raises:
            CaptionError: the captioner returned blank text.
        """
        key = sha256(picture)
        if key not in self._captions:
            text = self._inner.caption(picture).strip()
            if not text:
                raise CaptionError(f"captioner {self.name!r} returned no text for picture {key}")
            self._captions[key] = text
        return self._captions[key]


@lru_cache(maxsize=1)
def embedded_parts() -> Parts:
    """The parts that ship with the package: no network, no GPU, no key. Built once a process.

    Raises:
        DataError: the shipped weights are missing or damaged.
    """
    from recallreach.memory.captioners.embedded import EmbeddedCaptioner
    from recallreach.memory.encoders.embedded import RetrievalEncoder
    from recallreach.memory.encoders.hashed import HashedTextEncoder

    encoder = RetrievalEncoder.load()
    return Parts.cached(encoder, HashedTextEncoder(), EmbeddedCaptioner(encoder))


def _through(
    cache: dict[str, Vectors],
    keys: list[str],
    items: list[KeyT],
    encode: Callable[[list[KeyT]], Vectors],
    dimension: int,
) -> Vectors:
    missing = {key: item for key, item in zip(keys, items, strict=True) if key not in cache}
    if missing:
        rows = encode(list(missing.values()))
        if rows.shape != (len(missing), dimension):
            raise VectorError(
                f"an encoder of dimension {dimension} gave {rows.shape} for {len(missing)} items"
            )
        cache.update(zip(missing, rows, strict=True))
    return np.stack([cache[key] for key in keys]) if keys else np.zeros((0, dimension), np.float32)
