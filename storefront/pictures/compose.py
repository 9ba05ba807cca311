"""The compositor: a furniture piece in a studio, and a recoloured cue object planted into it.

Everything is linear float32. A tinted surface is `rest + diffuse * albedo`: one baked sprite gives all colours.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from PIL import Image

from recallreach.storefront.pictures.art import FRAME, Anchor, Bytes, CueLayers, FurnitureLayers, Sized
from recallreach.storefront.pictures.colors import LINEAR, Floats, NamedColor, linear, oklab
from recallreach.storefront.pictures.looks import Look

FURNITURE_SHADOW, CUE_SHADOW = 0.85, 0.8
SHADOW_FLOOR = 0.05
"""Shadow below this is render noise; cutting it off avoids a visible crop edge."""

SHADOW_FADE = 0.08
"""Part of a sprite's width over which its shadow fades out, so that a long one is not cut."""

LONGEST_SIDE = 0.26
"""Longest side of a cue as a fraction of the frame; thin objects end up below the asked area."""

SINK = 0.05
"""Part of its height that a cue stands in front of its anchor."""

MARGIN = 4
FIT_SLACK = 1.05
WALL_FADE = 60
"""Half height of the soft step between wall and floor, in pixels."""


Window = tuple[slice, slice]
"""Rows and columns."""

ALL: Window = (slice(None), slice(None))


@dataclass(frozen=True)
class Sprite(Sized):
    """A cue object at its size in the frame; colours are linear and premultiplied with alpha.

    Attributes:
        diffuse: response to the tint, (h, w, 3).
        rest: light that does not depend on the tint, (h, w, 3).
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

    def light(self, color: NamedColor, part: Window = ALL) -> Floats:
        """Premultiplied linear light of a part in one colour, (h, w, 3)."""
        tinted = self.diffuse[part] * color.albedo
        if color.gloss == 1:
            return tinted + self.rest[part]
        gloss = 1 - np.float32(1 - color.gloss) * self.tint[part]
        return tinted + self.rest[part] * gloss[..., None]

    def seen(self, color: NamedColor) -> Floats:
        """OKLab of the median tint pixel in one colour, (3,)."""
        light = self.light(color)[self.tinted] / self.alpha[self.tinted][:, None]
        return np.median(oklab(np.minimum(light, 1)), axis=0).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a cue stands.

    Attributes:
        anchor: name of the place on the piece.
        corner: left and top of the sprite in the frame; may be negative, the object itself is whole.
        contrast: OKLab distance between the cue's median tint pixel and the median pixel behind the cue.
    """

    anchor: str
    corner: tuple[int, int]
    contrast: float


@functools.cache
def _vignette() -> Floats:
    rows, columns = np.mgrid[0:FRAME, 0:FRAME].astype(np.float32)
    return 1.10 - 0.22 * (((columns - 190) / 420) ** 2 + ((rows - 230) / 460) ** 2)


def _studio_light(horizon: float) -> Floats:
    step = np.clip((np.arange(FRAME, dtype=np.float32) - (horizon - WALL_FADE)) / (2 * WALL_FADE), 0, 1)
    step = step * step * (3 - 2 * step)
    rows: Floats = (0.92 + 0.14 * step)[:, None]
    return rows * _vignette()


def _shifted(layer: Bytes, shift: tuple[int, int]) -> Bytes:
    rows = np.clip(np.arange(FRAME) - shift[1], 0, FRAME - 1)
    columns = np.clip(np.arange(FRAME) - shift[0], 0, FRAME - 1)
    return layer[rows[:, None], columns]


def _extent(alpha: Bytes, shift: tuple[int, int]) -> Window:
    """Rows and columns of a layer that hold the piece and stay in the frame after the shift."""
    found = []
    for axis, move in ((1, shift[1]), (0, shift[0])):
        used = np.flatnonzero(alpha.any(axis))
        found.append(slice(max(int(used[0]), -move), min(int(used[-1]) + 1, FRAME - move)))
    return found[0], found[1]


def compose_scene(layers: FurnitureLayers, look: Look) -> Floats:
    """Linear light (512, 512, 3) of the piece in its studio, without a cue."""
    shadow = _shifted(layers.shadow, look.shift).astype(np.float32)
    studio = _studio_light(layers.horizon + look.shift[1]) * (1 - shadow * np.float32(FURNITURE_SHADOW / 255))
    light = studio[..., None] * linear(look.backdrop)
    rows, columns = _extent(layers.diffuse[..., 3], look.shift)
    piece = LINEAR[layers.rest[rows, columns]]
    piece += LINEAR[layers.diffuse[rows, columns, :3]] * linear(look.body)
    if layers.second is not None:
        piece += LINEAR[layers.second[rows, columns]] * linear(look.second)
    alpha = layers.diffuse[rows, columns, 3:].astype(np.float32) / 255
    behind = light[moved((rows, columns), look.shift[1], look.shift[0])]
    behind += (piece - behind) * alpha
    return light


def moved(window: Window, down: int, right: int) -> Window:
    """The same window elsewhere."""
    rows, columns = window
    return slice(rows.start + down, rows.stop + down), slice(columns.start + right, columns.stop + right)


def shifted_anchors(layers: FurnitureLayers, look: Look) -> tuple[Anchor, ...]:
    """The piece's anchors in the frame of one look."""
    right, down = look.shift
    return tuple(replace(anchor, x=anchor.x + right, y=anchor.y + down) for anchor in layers.anchors)


def make_sprite(layers: CueLayers, fraction: float) -> Sprite:
    """A cue object whose mask covers `fraction` of the frame, unless its longest side forbids it."""
    solid = layers.diffuse[..., 3] > 127
    rows, columns = np.flatnonzero(solid.any(1)), np.flatnonzero(solid.any(0))
    side = max(rows[-1] - rows[0], columns[-1] - columns[0]) + 1
    wanted = fraction * FRAME * FRAME
    most = LONGEST_SIDE * FRAME / side
    scale = min((wanted / solid.sum()) ** 0.5, most)
    sprite = _scaled(layers, scale)
    for _ in range(3):
        refined = min(scale * (wanted / max(int(sprite.mask.sum()), 1)) ** 0.5, most)
        if abs(refined - scale) < 0.002 * scale:
            break
        scale = refined
        sprite = _scaled(layers, scale)
    return sprite


def _scaled(layers: CueLayers, scale: float) -> Sprite:
    height, width = layers.shadow.shape
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    coverage = layers.diffuse[..., 3].astype(np.float32) / 255
    alpha = np.clip(_resized(coverage, size), 0, 1)
    alpha[alpha < 1 / 255] = 0
    diffuse = _resized_light(layers.diffuse[..., :3], coverage, size) * (alpha > 0)[..., None]
    rest = _resized_light(layers.rest, coverage, size) * (alpha > 0)[..., None]
    return Sprite(diffuse, rest, alpha, _resized_shadow(layers.shadow, size), _tint(diffuse, rest), layers.thin)


def _resized(plane: Floats, size: tuple[int, int]) -> Floats:
    resized = Image.fromarray(np.ascontiguousarray(plane)).resize(size, Image.Resampling.BICUBIC)
    return np.asarray(resized, np.float32).copy()


def _resized_light(pixels: Bytes, coverage: Floats, size: tuple[int, int]) -> Floats:
    light = LINEAR[pixels] * coverage[..., None]
    return np.maximum(np.dstack([_resized(light[..., channel], size) for channel in range(3)]), 0)


def _resized_shadow(shadow: Bytes, size: tuple[int, int]) -> Floats:
    value = (shadow.astype(np.float32) / 255 - SHADOW_FLOOR) / (1 - SHADOW_FLOOR)
    fade = _edge_fade(shadow.shape[0])[:, None] * _edge_fade(shadow.shape[1])
    return np.clip(_resized(np.clip(value, 0, 1) * fade, size), 0, 1)


def _edge_fade(length: int) -> Floats:
    inward = np.minimum(np.arange(length), np.arange(length)[::-1]).astype(np.float32)
    return np.minimum(inward / max(1.0, SHADOW_FADE * length), 1)


def _tint(diffuse: Floats, rest: Floats) -> Floats:
    """Weight of the tint: 0 on white dials and glass, 1 on painted parts."""
    tinted = diffuse.max(2)
    share = tinted / (tinted + rest.max(2) + 1e-4)
    return np.clip((share - 0.35) / 0.4, 0, 1).astype(np.float32)


def fits(sprite: Sprite, anchor: Anchor) -> bool:
    """Whether the object is no larger than the free place; on the floor everything fits."""
    left, top, right, bottom = sprite.box
    room = right - left <= anchor.width * FIT_SLACK and bottom - top <= anchor.height * FIT_SLACK
    return anchor.kind == "floor" or room


def corner_at(sprite: Sprite, x: float, y: float) -> tuple[int, int]:
    """Left and top of the sprite that stands at a point of the frame, kept whole within the frame."""
    left, top, right, bottom = sprite.box
    at = round(x - (left + right) / 2), round(y - bottom + SINK * (bottom - top))
    column = max(MARGIN - left, min(at[0], FRAME - MARGIN - right))
    row = max(MARGIN - top, min(at[1], FRAME - MARGIN - bottom))
    return column, row


def place(
    sprite: Sprite, color: NamedColor, base: Bytes, anchors: Sequence[Anchor], enough: float
) -> Placement:
    """The first anchor where the cue stands out, else the one where it stands out most.

    Args:
        sprite: the cue object at its size.
        color: its colour.
        base: the picture without the cue, (512, 512, 3).
        anchors: where to try, in order.
        enough: the OKLab distance that settles the choice.
    """
    seen = sprite.seen(color)
    best: Placement | None = None
    for anchor in [entry for entry in anchors if fits(sprite, entry)] or anchors:
        left, top = corner_at(sprite, anchor.x, anchor.y)
        rows, columns = np.nonzero(sprite.mask)
        behind = np.median(oklab(LINEAR[base[rows + top, columns + left]]), axis=0)
        found = Placement(anchor.name, (left, top), float(np.linalg.norm(seen - behind)))
        if best is None or found.contrast > best.contrast:
            best = found
        if found.contrast >= enough:
            return found
    assert best is not None, "a piece has at least one anchor"
    return best


def overlap(sprite: Sprite, corner: tuple[int, int], view: Window) -> tuple[Window, Window]:
    """The part of the frame that a sprite covers within a view, and that part of the sprite.

    Args:
        sprite: the cue object at its size.
        corner: its left and top in the frame.
        view: rows and columns of the frame.
    """
    left, top = corner
    height, width = sprite.alpha.shape
    rows = slice(max(view[0].start, top), min(view[0].stop, top + height))
    columns = slice(max(view[1].start, left), min(view[1].stop, left + width))
    return (rows, columns), moved((rows, columns), -top, -left)


def plant(light: Floats, sprite: Sprite, color: NamedColor, part: Window) -> Floats:
    """Linear light of a window of the scene with `part` of the sprite, and its shadow, in it."""
    behind = (1 - np.float32(CUE_SHADOW) * sprite.shadow[part]) * (1 - sprite.alpha[part])
    return light * behind[..., None] + sprite.light(color, part)
