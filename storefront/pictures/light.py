"""From linear light to 8-bit pixels: tone curve, sRGB and film grain, by one integer table."""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from recallreach.seeding import stream
from recallreach.storefront.pictures.art import FRAME, Bytes
from recallreach.storefront.pictures.colors import Floats, srgb

GRAIN_SIDE = 2 * FRAME
GRAIN_AMPLITUDE = 24
"""Largest grain, in sixteenths of a level."""

SHOULDER = 0.8
"""Linear light above which highlights are compressed towards 1."""

TABLE_RANGE, TABLE_STEPS = 4.0, 1 << 17
"""Light up to 4 can be looked up: two tints and gloss at full reflectance stay below."""


@functools.cache
def tone_table() -> npt.NDArray[np.int16]:
    """sRGB in sixteenths of a level for each step of linear light, with a rational shoulder."""
    light = np.linspace(0, TABLE_RANGE, TABLE_STEPS, endpoint=False)
    over = np.maximum(light - SHOULDER, 0)
    rolled = np.where(light > SHOULDER, SHOULDER + (1 - SHOULDER) * over / (over + 1 - SHOULDER), light)
    return np.round(srgb(rolled) * (255 * 16)).astype(np.int16)


@functools.cache
def grain_tile() -> npt.NDArray[np.int16]:
    """Uniform integer noise in sixteenths of a level, shape (1024, 1024)."""
    shape = (GRAIN_SIDE, GRAIN_SIDE)
    return stream(0, "film grain").integers(-GRAIN_AMPLITUDE, GRAIN_AMPLITUDE + 1, shape, dtype=np.int16)


def develop(light: Floats, grain: tuple[int, int]) -> Bytes:
    """8-bit sRGB pixels (h, w, 3) of planes of linear light (3, h, w) in 0..4.

    Args:
        light: what falls on the film.
        grain: row and column of the grain tile at the top left pixel.
    """
    _, height, width = light.shape
    steps = light * np.float32(TABLE_STEPS / TABLE_RANGE)
    steps += np.float32(0.5)
    levels = tone_table().take(steps.astype(np.int32))
    levels += grain_tile()[grain[0] : grain[0] + height, grain[1] : grain[1] + width] + np.int16(8)
    np.clip(levels, 0, 255 * 16 + 15, out=levels)
    levels >>= 4
    return np.ascontiguousarray(np.moveaxis(levels.astype(np.uint8), 0, 2))
