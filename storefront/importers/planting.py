"""A cue planted into a picture of one's own: chosen by contrast, with its exact mask."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageOps

from recallreach.storefront.pictures.art import FRAME, Bytes
from recallreach.storefront.pictures.colors import LINEAR, NamedColor, oklab, srgb
from recallreach.storefront.pictures.compose import WHOLE, Placement, clipped, corner_at, plant
from recallreach.storefront.pictures.renderer import ENOUGH_CONTRAST, ENOUGH_CONTRAST_THIN, Rendered
from recallreach.storefront.pictures.sprites import Sprite

COLUMNS = np.linspace(0.1, 0.9, 9)
ROWS = np.linspace(0.5, 0.98, 7)
"""Where a cue may stand: the lower half of the picture, where floors, tables and laps are."""

CALM = 0.09
"""Spread of OKLab lightness behind the cue up to which a place counts as calm."""

CHANGE = 1 / 255
"""Shadow and coverage below this change no pixel."""


@dataclass(frozen=True, slots=True)
class _Place:
    corner: tuple[int, int]
    contrast: float
    unrest: float


def framed(picture: Image.Image, *, crop: bool) -> Bytes:
    """The picture at 512 x 512: cropped to a square, or whole with its own edge colour around it."""
    size = (FRAME, FRAME)
    if crop:
        return np.asarray(ImageOps.fit(picture, size, Image.Resampling.LANCZOS))
    edge = np.asarray(picture.resize((32, 32), Image.Resampling.BOX))
    rim = np.concatenate([edge[0], edge[-1], edge[:, 0], edge[:, -1]])
    color = tuple(int(value) for value in np.median(rim, axis=0))
    return np.asarray(ImageOps.pad(picture, size, Image.Resampling.LANCZOS, color=color))


def plant_cue(base: Bytes, sprite: Sprite, color: NamedColor, rng: np.random.Generator) -> Rendered:
    """Put a cue object into a picture.

    Places are tried in random order; the first that is calm and far enough in colour from the cue is taken,
    else the one where the cue stands out most. Outside the object and its shadow not one pixel changes.

    Args:
        base: (512, 512, 3) 8-bit sRGB.
        sprite: the cue object at its size.
        color: its colour.
        rng: of the order of places.
    """
    places = list(_places(base, sprite, color))
    enough = ENOUGH_CONTRAST_THIN if sprite.thin else ENOUGH_CONTRAST
    shuffled = [places[int(at)] for at in rng.permutation(len(places))]
    good = (place for place in shuffled if place.contrast >= enough and place.unrest <= CALM)
    chosen = next(good, None) or max(shuffled, key=lambda place: place.contrast - place.unrest)
    return _planted(base, sprite, color, Placement("picture", chosen.corner, chosen.contrast))


def _places(base: Bytes, sprite: Sprite, color: NamedColor) -> Iterator[_Place]:
    lab = oklab(LINEAR[base])
    seen = sprite.seen(color)
    rows, columns = np.nonzero(sprite.mask)
    corners = {corner_at(sprite, x * FRAME, y * FRAME) for x in COLUMNS for y in ROWS}
    for left, top in sorted(corners):
        behind = lab[rows + top, columns + left]
        contrast = float(np.linalg.norm(seen - np.median(behind, axis=0)))
        yield _Place((left, top), contrast, float(behind[:, 0].std()))


def _planted(base: Bytes, sprite: Sprite, color: NamedColor, placement: Placement) -> Rendered:
    frame, part = clipped(sprite.alpha.shape, placement.corner, WHOLE)
    light = np.moveaxis(LINEAR[base[frame]], 2, 0)
    lit = np.moveaxis(np.round(255 * srgb(plant(light, sprite, color, part))), 0, 2).astype(np.uint8)
    touched = (sprite.alpha[part] >= CHANGE) | (sprite.shadow[part] >= CHANGE)
    cued, mask = base.copy(), np.zeros(base.shape[:2], bool)
    cued[frame] = np.where(touched[..., None], lit, base[frame])
    mask[frame] = sprite.mask[part]
    changed: npt.NDArray[np.bool_] = (cued != base).any(2)
    return Rendered(base, cued, mask, changed, placement)
