"""The ten cue colours, OKLab distances, and the colours a furniture piece is shown in."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from recallreach.errors import UnknownNameError
from recallreach.files import read_json
from recallreach.storefront.data import COLORS, data_file

Floats = npt.NDArray[np.float32]
Rgb = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class NamedColor:
    """One cue colour.

    Attributes:
        rgb: what a tinted surface is painted with, 8-bit sRGB.
        seen: what it looks like at its median, for distances; black keeps some gloss and differs from `rgb`.
        gloss: factor on the tint-independent light of tinted parts; without it dark paint would read grey.
    """

    rgb: Rgb
    seen: Rgb
    gloss: float = 1.0

    @property
    def albedo(self) -> Floats:
        """Linear reflectance, shape (3,)."""
        return linear(self.rgb)


def _same(*rgb: int, gloss: float = 1.0) -> NamedColor:
    red, green, blue = rgb
    return NamedColor((red, green, blue), (red, green, blue), gloss)


CUE_COLORS: Mapping[str, NamedColor] = {
    "red": _same(200, 24, 36),
    "orange": _same(246, 124, 12),
    "yellow": _same(250, 216, 30),
    "green": _same(12, 112, 46),
    "blue": _same(18, 92, 214),
    "purple": _same(138, 48, 170),
    "brown": _same(104, 62, 34, gloss=0.7),
    "beige": _same(218, 190, 150),
    "white": _same(238, 238, 236),
    "black": NamedColor((16, 16, 18), (28, 28, 32), gloss=0.3),
}


def cue_color(name: str) -> NamedColor:
    """The colour of this name, or UnknownNameError."""
    if name not in CUE_COLORS:
        raise UnknownNameError("colour", name, CUE_COLORS)
    return CUE_COLORS[name]


def floats(values: npt.ArrayLike) -> Floats:
    """The values as float32; no copy if they are already."""
    return np.asarray(values, np.float32)


def linear(rgb: npt.ArrayLike) -> Floats:
    """8-bit sRGB values to linear light in 0..1 (IEC 61966-2-1), same shape."""
    value = np.asarray(rgb, np.float32) / 255
    low, high = value / 12.92, ((value + 0.055) / 1.055) ** 2.4
    return np.where(value <= 0.04045, low, high).astype(np.float32)


def srgb(light: npt.ArrayLike) -> Floats:
    """Linear light in 0..1 to sRGB in 0..1, same shape; the inverse of `linear` up to the factor 255."""
    value = np.clip(np.asarray(light, np.float32), 0, 1)
    low, high = value * 12.92, 1.055 * value ** (1 / 2.4) - 0.055
    return np.where(value <= 0.0031308, low, high).astype(np.float32)


LINEAR: Floats = linear(np.arange(256))
"""Linear light of each 8-bit sRGB value."""

_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    np.float32,
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ],
    np.float32,
)


def oklab(light: npt.ArrayLike) -> Floats:
    """Linear sRGB light (..., 3) to OKLab (..., 3); Ottosson, "A perceptual color space", 2020."""
    lab: Floats = np.cbrt(np.asarray(light, np.float32) @ _TO_LMS.T) @ _TO_LAB.T
    return lab


@functools.cache
def seen_lab() -> Floats:
    """OKLab of the ten colours as seen, shape (10, 3), in the order of `COLORS`."""
    return oklab(linear([CUE_COLORS[name].seen for name in COLORS]))


def nearest_color(lab: npt.ArrayLike) -> npt.NDArray[np.intp]:
    """Index in `COLORS` of the named colour nearest to each OKLab value (..., 3)."""
    apart = np.asarray(lab, np.float32)[..., None, :] - seen_lab()
    nearest: npt.NDArray[np.intp] = np.argmin((apart * apart).sum(-1), axis=-1)
    return nearest


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours one style is sold in, 8-bit sRGB: body, and second tint (legs, trim)."""

    body: tuple[Rgb, ...]
    second: tuple[Rgb, ...]


def palette(style: str) -> Palette:
    """The palette of one style, or UnknownNameError."""
    styles = _looks()["styles"]
    if style not in styles:
        raise UnknownNameError("style", style, styles)
    return Palette(*(tuple((r, g, b) for r, g, b in styles[style][part]) for part in ("body", "second")))


def backdrops() -> tuple[Rgb, ...]:
    """Mid-tone studio colours that keep every cue colour tellable."""
    return tuple((r, g, b) for r, g, b in _looks()["backdrops"])


@functools.cache
def _looks() -> Mapping[str, Any]:
    looks: Mapping[str, Any] = read_json(data_file("looks.json"))
    return looks
