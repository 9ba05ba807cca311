"""The parts that memory systems share: encoders of pictures and of texts, a captioner, a chat model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Self, TypeVar

import numpy as np

from recallreach.files import sha256
from recallreach.memory.errors import CaptionError, VectorError
from recallreach.memory.shelf import Shelf
from recallreach.memory.types import Captioner, Encoder, LanguageModel, TextEncoder, Vectors

ItemT = TypeVar("ItemT")


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
        shelf: Shelf | None = None,
    ) -> Self:
        """The same parts, each remembering its results by content, so that all systems of a study share them.

        A part's `name` must tell its weights, revision and prompt apart: it is part of every key.

        Args:
            encoder, text_encoder, captioner, model: as above; the model is not cached here.
            shelf: where results are kept beyond this process; None keeps them in memory only.
        """
        return cls(
            CachedEncoder(encoder, shelf),
            CachedTextEncoder(text_encoder, shelf),
            CachedCaptioner(captioner, shelf),
            model,
        )


class CachedTextEncoder:
    """A text encoder that encodes each text once, and with a shelf once on this machine."""

    def __init__(self, inner: TextEncoder, shelf: Shelf | None = None) -> None:
        self._encode = inner.encode_texts
        self.name, self.dimension = inner.name, inner.dimension
        self._texts = _Rows(f"texts/{inner.name}", inner.dimension, shelf)

    def encode_texts(self, texts: Sequence[str]) -> Vectors:
        """As the wrapped encoder.

        Raises:
            VectorError: the wrapped encoder gave another number of rows, or another dimension than it states.
        """
        keys = [sha256(text.encode("utf-8", "surrogatepass")) for text in texts]
        return self._texts.through(keys, list(texts), self._encode)


class CachedEncoder(CachedTextEncoder):
    """An encoder that encodes each picture, by SHA-256, and each text once."""

    def __init__(self, inner: Encoder, shelf: Shelf | None = None) -> None:
        super().__init__(inner, shelf)
        self._encode_images = inner.encode_images
        self._pictures = _Rows(f"pictures/{inner.name}", inner.dimension, shelf)

    def encode_images(self, pictures: Sequence[bytes]) -> Vectors:
        """As the wrapped encoder.

        Raises:
            VectorError: as `encode_texts`.
        """
        return self._pictures.through(list(map(sha256, pictures)), list(pictures), self._encode_images)


class CachedCaptioner:
    """A captioner that describes each picture, by SHA-256, once; failures are not remembered."""

    def __init__(self, inner: Captioner, shelf: Shelf | None = None) -> None:
        self._inner, self._shelf = inner, shelf
        self.name = inner.name
        self._captions: dict[str, str] = {}

    def caption(self, picture: bytes) -> str:
        """As the wrapped captioner.

        Raises:
            CaptionError: the captioner returned blank text.
        """
        key = sha256(picture)
        if key not in self._captions:
            self._captions[key] = self._shelved(key) or self._made(key, picture)
        return self._captions[key]

    def _shelved(self, key: str) -> str:
        kept = self._shelf.get([self._place(key)]) if self._shelf is not None else {}
        return kept[self._place(key)].decode() if kept else ""

    def _made(self, key: str, picture: bytes) -> str:
        text = self._inner.caption(picture).strip()
        if not text:
            raise CaptionError(f"captioner {self.name!r} returned no text for picture {key}")
        if self._shelf is not None:
            self._shelf.put({self._place(key): text.encode()})
        return text

    def _place(self, key: str) -> str:
        return f"captions/{self.name}/{key}"


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


class _Rows:
    """Vectors of one encoder by the SHA-256 of what they encode, in memory and perhaps on a shelf."""

    def __init__(self, place: str, dimension: int, shelf: Shelf | None) -> None:
        self._place, self._dimension, self._shelf = place, dimension, shelf
        self._rows: dict[str, Vectors] = {}

    def through(
        self, keys: list[str], items: list[ItemT], encode: Callable[[list[ItemT]], Vectors]
    ) -> Vectors:
        """(n, dimension): rows that are known, and those of the other items, encoded once each."""
        self._fetch([key for key in dict.fromkeys(keys) if key not in self._rows])
        missing = {key: item for key, item in zip(keys, items, strict=True) if key not in self._rows}
        if missing:
            self._add(list(missing), encode(list(missing.values())))
        rows = [self._rows[key] for key in keys]
        return np.stack(rows) if rows else np.zeros((0, self._dimension), np.float32)

    def _fetch(self, keys: list[str]) -> None:
        if self._shelf is None or not keys:
            return
        size = self._dimension * np.dtype(np.float32).itemsize
        found = self._shelf.get([f"{self._place}/{key}" for key in keys])
        for key in keys:
            data = found.get(f"{self._place}/{key}", b"")
            if len(data) == size:
                self._rows[key] = np.frombuffer(data, np.float32)

    def _add(self, keys: list[str], rows: Vectors) -> None:
        if rows.shape != (len(keys), self._dimension):
            raise VectorError(
                f"an encoder of dimension {self._dimension} gave {rows.shape} for {len(keys)} items"
            )
        if self._shelf is not None:
            entries = {f"{self._place}/{key}": row.tobytes() for key, row in zip(keys, rows, strict=True)}
            self._shelf.put(entries)
        self._rows.update(zip(keys, rows, strict=True))
