"""Cue objects at their size in the frame: one baked sprite that takes any colour."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image

from recallreach.storefront.pictures.art import FRAME, Bytes, CueLayers, Sized
from recallreach.storefront.pictures.colors import LINEAR, Floats, NamedColor, floats, oklab

Window = tuple[slice, slice]
"""Rows and columns."""

ALL: Window = (slice(None), slice(None))

SHADOW_FLOOR = 0.05
"""Shadow below this is render noise; cutting it off avoids a visible crop edge."""

SHADOW_FADE = 0.08
"""Part of a sprite's width over which its shadow fades out, so that a long one is not cut."""

LONGEST_SIDE = 0.26
"""Longest side of a cue as a fraction of the frame; thin objects end up below the asked area."""


@dataclass(frozen=True)
class Sprite(Sized):
    """A cue object at its size in the frame; colours are linear and premultiplied with alpha.

    Attributes:
        diffuse: response to the tint, (3, h, w).
        rest: light that does not depend on the tint, (3, h, w).
        alpha: coverage, (h, w).
        shadow: 0..1, (h, w).
        tint: how far a pixel's light comes from the tint, 0..1, (h, w).
        thin: the object is only a few pixels wide.
    """

    diffuse: Floats
    rest: Floats
    alpha: Floats
    shadow: Floats
    tint: Floats
    thin: bool

    @functools.cached_property
    def mask(self) -> npt.NDArray[np.bool_]:
        """Where the object is, (h, w)."""
        return self.alpha >= 0.5

    @functools.cached_property
    def box(self) -> tuple[int, int, int, int]:
        """Left, top, right, bottom of the mask within the sprite; right and bottom are exclusive."""
        rows, columns = np.flatnonzero(self.mask.any(1)), np.flatnonzero(self.mask.any(0))
        return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1

    @functools.cached_property
    def tinted(self) -> npt.NDArray[np.bool_]:
        """Mask pixels that show the tint, (h, w)."""
        return self.mask & (self.tint > 0.5)

    @functools.cached_property
    def centre(self) -> tuple[float, float]:
        """Column and row of the middle of the tinted part within the sprite."""
        rows, columns = np.nonzero(self.tinted)
        return float(columns.mean()), float(rows.mean())

    def light(self, color: NamedColor, part: Window = ALL) -> Floats:
        """Premultiplied linear light (3, h, w) of a part in one colour."""
        light = self.diffuse[:, *part] * color.albedo[:, None, None]
        if color.gloss == 1:
            light += self.rest[:, *part]
        else:
            light += self.rest[:, *part] * (1 - np.float32(1 - color.gloss) * self.tint[part])
        return light

    def seen(self, color: NamedColor) -> Floats:
        """OKLab of the median tint pixel in one colour, (3,)."""
        light = self.light(color)[:, self.tinted] / self.alpha[self.tinted]
        return floats(np.median(oklab(np.minimum(light, 1).T), axis=0))


def make_sprite(layers: CueLayers, fraction: float) -> Sprite:
    """A cue object whose mask covers `fraction` of the frame, unless its longest side forbids it."""
    solid = layers.diffuse[..., 3] > 127
    rows, columns = np.flatnonzero(solid.any(1)), np.flatnonzero(solid.any(0))
    side = max(rows[-1] - rows[0], columns[-1] - columns[0]) + 1
    wanted = fraction * FRAME * FRAME
    most = LONGEST_SIDE * FRAME / side
    scale = min((wanted / solid.sum()) ** 0.5, most)
    sprite = scale_sprite(layers, scale)
    for _ in range(3):
        refined = min(scale * (wanted / max(int(sprite.mask.sum()), 1)) ** 0.5, most)
        if abs(refined - scale) < 0.002 * scale:
            break
        scale = refined
        sprite = scale_sprite(layers, scale)
    return sprite


def scale_sprite(layers: CueLayers, scale: float) -> Sprite:
    """A cue object at `scale` times the size of its layers."""
    height, width = layers.shadow.shape
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    coverage = layers.diffuse[..., 3].astype(np.float32) / np.float32(255)
    alpha = _resized(coverage, size)
    alpha[alpha < 1 / 255] = 0
    np.minimum(alpha, 1, out=alpha)
    diffuse = _resized_light(layers.diffuse, coverage, size) * (alpha > 0)
    rest = _resized_light(layers.rest, coverage, size) * (alpha > 0)
    shadow = _resized_shadow(layers.shadow, size)
    return Sprite(diffuse, rest, alpha, shadow, _tint(diffuse, rest), layers.thin)


def _resized(plane: Floats, size: tuple[int, int]) -> Floats:
    resized = Image.fromarray(np.ascontiguousarray(plane)).resize(size, Image.Resampling.BICUBIC)
    return np.asarray(resized, np.float32).copy()


def _resized_light(pixels: Bytes, coverage: Floats, size: tuple[int, int]) -> Floats:
    planes = [_resized(LINEAR[pixels[..., channel]] * coverage, size) for channel in range(3)]
    return floats(np.maximum(np.stack(planes), 0))


def _resized_shadow(shadow: Bytes, size: tuple[int, int]) -> Floats:
    value = np.maximum((shadow.astype(np.float32) / 255 - SHADOW_FLOOR) / (1 - SHADOW_FLOOR), 0)
    fade = _edge_fade(shadow.shape[0])[:, None] * _edge_fade(shadow.shape[1])
    return floats(np.clip(_resized(floats(value * fade), size), 0, 1))


def _edge_fade(length: int) -> Floats:
    inward = np.minimum(np.arange(length), np.arange(length)[::-1]).astype(np.float32)
    return floats(np.minimum(inward / max(1.0, SHADOW_FADE * length), 1))


def _tint(diffuse: Floats, rest: Floats) -> Floats:
    """Weight of the tint: 0 on white dials and glass, 1 on painted parts."""
    tinted = diffuse.max(0)
    share = tinted / (tinted + rest.max(0) + 1e-4)
    return floats(np.clip((share - 0.35) / 0.4, 0, 1))
