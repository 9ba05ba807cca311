"""The two embedded encoders: a coarse one for retrieval and a sharp one, the eye of the matcher.

Both are trained by this repository on its own pictures (docs/embedded-encoders.md) and know its closed
vocabulary of objects and colours, nothing else.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from recallreach.files import sha256
from recallreach.memory.encoders.checkpoint import SHIPPED, Checkpoint, load_checkpoint
from recallreach.memory.encoders.network import DIMENSION, STRIDE, threads
from recallreach.memory.encoders.vocabulary import NONE, Vocabulary
from recallreach.memory.pictures import decode
from recallreach.memory.types import Vectors

COARSE_SIZE = 32
EYE_SIZE = 512
Pixels = NDArray[np.uint8]
Table = NDArray[np.float32]


class RetrievalEncoder:
    """One vector a picture, from the whole frame at 32 px; texts by the object and colour they name.

    Pictures are encoded one at a time, so a vector never depends on its batch.
    """

    def __init__(self, checkpoint: Checkpoint, *, torch_threads: int = 1) -> None:
        self.checkpoint = checkpoint
        self.vocabulary: Vocabulary = checkpoint.vocabulary
        self.name = f"embedded-coarse-{checkpoint.hash[:12]}"
        self.dimension = DIMENSION
        self._threads = torch_threads
        with torch.no_grad():
            self._pairs: Vectors = checkpoint.network.pair_texts().numpy()
            self._objects: Vectors = checkpoint.network.objects.numpy()
            self._colors: Vectors = checkpoint.network.colors.numpy()
            self._scale = float(checkpoint.network.log_scale.exp())
            self._bias = float(checkpoint.network.bias)

    @classmethod
    def load(cls, path: Path | str = SHIPPED / "coarse.safetensors", *, torch_threads: int = 1) -> Self:
        """The shipped encoder, or the one in `path`.

        Raises:
            DataError: the weights are missing or damaged.
        """
        return cls(load_checkpoint(path, "coarse"), torch_threads=torch_threads)

    def encode_images(self, pictures: Sequence[bytes]) -> Vectors:
        """(n, dimension) from n encoded pictures of any size; rows have length 1.

        Raises:
            PictureError: bytes that cannot be decoded.
        """
        rows = [self._row(picture) for picture in pictures]
        return np.stack(rows) if rows else np.zeros((0, self.dimension), np.float32)

    def encode_texts(self, texts: Sequence[str]) -> Vectors:
        """(n, dimension): object + colour embedding of length 1; a zero row for a text that names neither."""
        rows = [self._text(text) for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self.dimension), np.float32)

    def pair_log_odds(self, picture: bytes, size: int = COARSE_SIZE) -> Table:
        """(objects, colors) log odds that the picture shows each phrase, seen `size` pixels wide and high."""
        similarity = self._pairs @ self._row(picture, size)
        return (similarity * self._scale + self._bias).astype(np.float32)

    def _row(self, picture: bytes, size: int = COARSE_SIZE) -> Vectors:
        pixels = shrunk(decode(picture), size)
        with threads(self._threads), torch.no_grad():
            row: Vectors = self.checkpoint.network.pooled(as_tensor(pixels[None]))[0].numpy()
        return row

    def _text(self, text: str) -> Vectors:
        name, color = self.vocabulary.find(text)
        row = np.zeros(self.dimension, np.float32)
        if name != NONE:
            row += self._objects[name]
        if color != NONE:
            row += self._colors[color]
        length = float(np.linalg.norm(row))
        return row / np.float32(length) if length else row


class Eye:
    """How well a picture shows each of some phrases, looked at densely at full resolution.

    Args:
        checkpoint: weights of kind "eye".
        torch_threads: threads of one forward pass.
        cache: pictures whose result is kept, oldest dropped first; one takes 4 bytes a phrase of the
            vocabulary.
    """

    def __init__(self, checkpoint: Checkpoint, *, torch_threads: int = 1, cache: int = 4096) -> None:
        self.checkpoint = checkpoint
        self.vocabulary: Vocabulary = checkpoint.vocabulary
        self.name = f"embedded-eye-{checkpoint.hash[:12]}"
        self._threads, self._capacity = torch_threads, cache
        self._tables: OrderedDict[str, Table] = OrderedDict()

    @classmethod
    def load(
        cls, path: Path | str = SHIPPED / "eye.safetensors", *, torch_threads: int = 1, cache: int = 4096
    ) -> Self:
        """The shipped eye, or the one in `path`.

        Raises:
            DataError: the weights are missing or damaged.
        """
        return cls(load_checkpoint(path, "eye"), torch_threads=torch_threads, cache=cache)

    def score(self, picture: bytes, phrases: Sequence[str]) -> Table:
        """(len(phrases),) log odds that the picture shows each phrase.

        A phrase that names only an object, or only a colour, scores as its best completion; one that names
        neither scores like a phrase that nothing in the picture resembles (the learned bias).

        Raises:
            PictureError: the bytes cannot be decoded.
        """
        table = self.table(picture)
        return np.array([self._lookup(table, phrase) for phrase in phrases], np.float32)

    def table(self, picture: bytes) -> Table:
        """(objects, colors) log odds for every phrase of the vocabulary; cached by the picture's SHA-256."""
        key = sha256(picture)
        if key in self._tables:
            self._tables.move_to_end(key)
            return self._tables[key]
        table = self._look(picture)
        self._tables[key] = table
        if len(self._tables) > self._capacity:
            self._tables.popitem(last=False)
        return table

    def _look(self, picture: bytes) -> Table:
        pixels = fitted(decode(picture))
        with threads(self._threads), torch.no_grad():
            table: Table = self.checkpoint.network.local_logits(as_tensor(pixels[None]))[0].numpy()
        return table

    def _lookup(self, table: Table, phrase: str) -> float:
        name, color = self.vocabulary.find(phrase)
        if name == NONE and color == NONE:
            return float(self.checkpoint.network.bias)
        rows = table if name == NONE else table[name : name + 1]
        return float(rows.max() if color == NONE else rows[:, color].max())


def shrunk(image: Image.Image, size: int) -> Pixels:
    """(size, size, 3): the picture averaged down (or up) to a square."""
    return np.asarray(image.resize((size, size), Image.Resampling.BOX))


def fitted(image: Image.Image) -> Pixels:
    """(h, w, 3): the picture with its longer side at most 512 px and both sides at least one stride."""
    scale = min(1.0, EYE_SIZE / max(image.size))
    width, height = (max(STRIDE, round(side * scale)) for side in image.size)
    return np.asarray(image if (width, height) == image.size else image.resize((width, height)))


def as_tensor(pixels: Pixels) -> torch.Tensor:
    """(n, h, w, 3) of 0 to 255 to (n, 3, h, w) of -1 to 1, channels last in memory."""
    values = pixels.astype(np.float32) / np.float32(127.5) - np.float32(1.0)
    return torch.from_numpy(values).permute(0, 3, 1, 2)
