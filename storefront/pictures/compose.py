"""The compositor: a furniture piece in a studio, and a recoloured cue object planted into it.

Light is linear float32 in planes (3, h, w), which NumPy works through several times faster than (h, w, 3).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from recallreach.storefront.pictures.art import FRAME, Anchor, Bytes, FurnitureLayers
from recallreach.storefront.pictures.colors import LINEAR, Floats, NamedColor, floats, linear, oklab
from recallreach.storefront.pictures.looks import Look
from recallreach.storefront.pictures.sprites import Sprite, Window

FURNITURE_SHADOW, CUE_SHADOW = 0.85, 0.8
SINK = 0.05
"""Part of its height that a cue stands in front of its anchor."""

MARGIN = 4
FIT_SLACK = 1.05
WALL_FADE = 60
"""Half height of the soft step between wall and floor, in pixels."""


WHOLE: Window = (slice(0, FRAME), slice(0, FRAME))


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
    return floats(1.10 - 0.22 * (((columns - 190) / 420) ** 2 + ((rows - 230) / 460) ** 2))


def _studio_light(horizon: float) -> Floats:
    step = np.clip((np.arange(FRAME, dtype=np.float32) - (horizon - WALL_FADE)) / (2 * WALL_FADE), 0, 1)
    rows = 0.92 + 0.14 * (step * step * (3 - 2 * step))
    return floats(rows[:, None] * _vignette())


def _shifted(layer: Bytes, shift: tuple[int, int]) -> Bytes:
    """The layer moved right and down; what comes into view repeats the edge."""
    rows = np.clip(np.arange(FRAME) - shift[1], 0, FRAME - 1)
    columns = np.clip(np.arange(FRAME) - shift[0], 0, FRAME - 1)
    return layer[rows[:, None], columns]


def compose_scene(layers: FurnitureLayers, look: Look) -> Floats:
    """Planes of linear light (3, 512, 512) of the piece in its studio, without a cue."""
    shadow = _shifted(layers.shadow, look.shift).astype(np.float32)
    studio = _studio_light(layers.horizon + look.shift[1]) * (1 - shadow * np.float32(FURNITURE_SHADOW / 255))
    light = studio * linear(look.backdrop)[:, None, None]
    shown, part = _shown(layers, look.shift)
    piece = layers.diffuse[:, *part] * linear(look.body)[:, None, None]
    piece += layers.rest[:, *part]
    if layers.second is not None:
        piece += layers.second[:, *part] * linear(look.second)[:, None, None]
    behind = light[:, *shown]
    behind += (piece - behind) * layers.alpha[part]
    return light


def _shown(layers: FurnitureLayers, shift: tuple[int, int]) -> tuple[Window, Window]:
    """Where in the frame the shifted piece shows, and that part of its layers."""
    return clipped(layers.alpha.shape, (layers.left + shift[0], layers.top + shift[1]), WHOLE)


def clipped(shape: tuple[int, ...], corner: tuple[int, int], view: Window) -> tuple[Window, Window]:
    """The part of the frame that an image covers within a view, and that part of the image.

    Args:
        shape: height and width of the image.
        corner: left and top of the image in the frame; may lie outside.
        view: rows and columns of the frame.
    """
    left, top = corner
    rows = slice(max(view[0].start, top), min(view[0].stop, top + shape[0]))
    columns = slice(max(view[1].start, left), min(view[1].stop, left + shape[1]))
    return (rows, columns), moved((rows, columns), -top, -left)


def moved(window: Window, down: int, right: int) -> Window:
    """The same window elsewhere."""
    rows, columns = window
    return slice(rows.start + down, rows.stop + down), slice(columns.start + right, columns.stop + right)


def shifted_anchors(layers: FurnitureLayers, look: Look) -> tuple[Anchor, ...]:
    """The piece's anchors in the frame of one look."""
    right, down = look.shift
    return tuple(replace(anchor, x=anchor.x + right, y=anchor.y + down) for anchor in layers.anchors)


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


def plant(light: Floats, sprite: Sprite, color: NamedColor, part: Window) -> Floats:
    """Linear light (3, h, w) of a window of the scene with `part` of the sprite, and its shadow, in it."""
    behind = (1 - np.float32(CUE_SHADOW) * sprite.shadow[part]) * (1 - sprite.alpha[part])
    return light * behind + sprite.light(color, part)
