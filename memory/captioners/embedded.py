"""The embedded captioner: two sentences from one look at the whole frame."""

from __future__ import annotations

import colorsys
from typing import Self

import numpy as np
from numpy.typing import NDArray

from recallreach.memory.encoders.embedded import Pixels, RetrievalEncoder, shrunk
from recallreach.memory.pictures import decode

NAMING_THRESHOLD = 0.9
CAPTION_SIZE = 64
_BORDER = CAPTION_SIZE // 16
_DISTINCT = 24
_HUES = (
    (0.045, "red"),
    (0.11, "orange"),
    (0.18, "yellow"),
    (0.45, "green"),
    (0.53, "turquoise"),
    (0.70, "blue"),
    (0.83, "purple"),
    (0.94, "pink"),
    (1.01, "red"),
)


class EmbeddedCaptioner:
    """Says what stands in a picture by its colours, and names a small object only when it is sure.

    It reads the picture with the network of the coarse encoder, once, at 64 px, which is twice as sharp as
    what retrieval keeps, and without knowing what will be asked. So it misses and sometimes mistakes objects.
    It never sees the ground truth.

    Args:
        encoder: the coarse encoder.
        threshold: the object is named when its share of the probability over all phrases of the vocabulary
            (softmax of their log odds) reaches this.
    """

    def __init__(self, encoder: RetrievalEncoder, threshold: float = NAMING_THRESHOLD) -> None:
        self._encoder, self._threshold = encoder, threshold
        self.name = f"embedded-caption-3-{encoder.name}-{threshold:g}"

    @classmethod
    def load(cls, threshold: float = NAMING_THRESHOLD) -> Self:
        """On the shipped coarse encoder."""
        return cls(RetrievalEncoder.load(), threshold)

    def caption(self, picture: bytes) -> str:
        """Two sentences.

        Raises:
            PictureError: the bytes cannot be decoded.
        """
        return f"{_scene(shrunk(decode(picture), CAPTION_SIZE))} {self._object(picture)}"

    def guess(self, picture: bytes) -> tuple[str, float]:
        """The most likely phrase of the vocabulary and its share of the probability."""
        log_odds = self._encoder.pair_log_odds(picture, CAPTION_SIZE).astype(np.float64)
        shares = np.exp(log_odds - log_odds.max())
        name, color = np.unravel_index(int(shares.argmax()), shares.shape)
        return self._encoder.vocabulary.phrase(int(name), int(color)), float(shares.max() / shares.sum())

    def _object(self, picture: bytes) -> str:
        phrase, share = self.guess(picture)
        if share < self._threshold:
            return "Something small is placed with it, too small to make out."
        return f"Placed with it: {phrase}."


def color_word(rgb: NDArray[np.float64]) -> str:
    """A plain word for a colour, three numbers of 0 to 255."""
    hue, lightness, saturation = colorsys.rgb_to_hls(*(rgb / 255.0))
    if saturation < 0.12:
        shades = ("black", "dark grey", "grey", "light grey", "white")
        return shades[min(4, int(lightness * 5))]
    word = next(name for limit, name in _HUES if hue < limit)
    if word in ("orange", "red") and lightness < 0.4 and saturation < 0.75:
        word = "brown"
    return f"dark {word}" if lightness < 0.25 else f"light {word}" if lightness > 0.7 else word


def _scene(pixels: Pixels) -> str:
    values = pixels.astype(np.float64)
    backdrop = np.median(_border(values), axis=0)
    differs = np.abs(values - backdrop).max(axis=2) > _DISTINCT
    share = float(differs.mean())
    if share < 0.01:
        return f"A product photograph of a {color_word(backdrop)} surface."
    body = np.median(values[differs], axis=0)
    size = "large" if share > 0.35 else "medium-sized" if share > 0.15 else "small"
    return (
        f"A product photograph of a {size} {color_word(body)} piece before a {color_word(backdrop)} backdrop."
    )


def _border(values: NDArray[np.float64]) -> NDArray[np.float64]:
    inner = np.ones(values.shape[:2], bool)
    inner[_BORDER:-_BORDER, _BORDER:-_BORDER] = False
    return values[inner]
