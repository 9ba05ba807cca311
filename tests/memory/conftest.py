"""Small stand-ins for encoders and captioners, with vectors that a reader can check by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from recallreach.memory.check import sample_picture
from recallreach.memory.parts import Parts
from recallreach.memory.types import Experience, Vectors


class TableEncoder:
    """Rows looked up in a table; whatever is not in it gets zeros."""

    name = "table"

    def __init__(self, rows: dict[str | bytes, Sequence[float]], dimension: int = 2) -> None:
        self.dimension = dimension
        self._rows = rows

    def encode_texts(self, texts: Sequence[str]) -> Vectors:
        return self._look_up(texts)

    def encode_images(self, pictures: Sequence[bytes]) -> Vectors:
        return self._look_up(pictures)

    def _look_up(self, items: Sequence[str] | Sequence[bytes]) -> Vectors:
        rows = [self._rows.get(item, [0.0] * self.dimension) for item in items]
        return np.array(rows, np.float32).reshape(len(items), self.dimension)


class TableCaptioner:
    """Captions looked up in a table."""

    name = "table"

    def __init__(self, captions: dict[bytes, str]) -> None:
        self._captions = captions

    def caption(self, picture: bytes) -> str:
        return self._captions[picture]


def unit(cosine: float) -> list[float]:
    """The vector of length 1 whose cosine with (1, 0) is given."""
    return [cosine, float(np.sqrt(1 - cosine**2))]


PICTURES = [sample_picture(seed, 32) for seed in range(6)]


def view(index: int, picture: bytes | None = None, text: str = "") -> Experience:
    """The view of product number `index`."""
    shown = PICTURES[index] if picture is None else picture
    return Experience(f"/product/{index:08x}", f"Item {index}", text, shown, 0, index, "2024-05-11T19:33:00")


@pytest.fixture
def make_view() -> Callable[..., Experience]:
    return view


@pytest.fixture
def make_parts() -> Callable[..., Parts]:
    """Parts in which picture i has the given visual and verbal cosines with the query "q"."""

    def build(visual: Sequence[float], verbal: Sequence[float]) -> Parts:
        pictures: dict[str | bytes, Sequence[float]] = {"q": [1.0, 0.0]}
        texts: dict[str | bytes, Sequence[float]] = {"q": [1.0, 0.0]}
        captions = {}
        for index, (seen, said) in enumerate(zip(visual, verbal, strict=True)):
            pictures[PICTURES[index]] = unit(seen)
            texts[f"caption {index}"] = unit(said)
            captions[PICTURES[index]] = f"caption {index}"
        return Parts(TableEncoder(pictures), TableEncoder(texts), TableCaptioner(captions))

    return build
