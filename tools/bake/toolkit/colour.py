"""The ten cue colours and the run-time compositing maths, for previews."""

from __future__ import annotations

import numpy as np

from .pack import Layers, from_srgb

COLOURS: dict[str, tuple[int, int, int]] = {
    "red": (200, 24, 36),
    "orange": (246, 124, 12),
    "yellow": (250, 216, 30),
    "green": (12, 112, 46),
    "blue": (18, 92, 214),
    "purple": (138, 48, 170),
    "brown": (104, 62, 34),
    "beige": (218, 190, 150),
    "white": (238, 238, 236),
    "black": (16, 16, 18),
}
GLOSS = {"brown": 0.7, "black": 0.3}
REFERENCE = {**COLOURS, "black": (28, 28, 32)}
BACKDROPS = ((140, 151, 156), (141, 141, 161), (130, 154, 163), (150, 141, 134), (143, 143, 143))
_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def oklab(linear: np.ndarray) -> np.ndarray:
    """OKLab of linear RGB (..., 3)."""
    return np.cbrt(np.clip(linear, 0, None) @ _LMS.T) @ _LAB.T


def tone(linear: np.ndarray) -> np.ndarray:
    """Roll off highlights above 0.8."""
    return np.where(linear > 0.8, 0.8 + 0.2 * (linear - 0.8) / np.maximum(linear - 0.6, 1e-6), linear)


def tint_share(layers: Layers) -> np.ndarray:
    """How far each pixel takes the tint, 0..1 (h, w)."""
    response = from_srgb(layers.tint[..., :3]).max(2)
    rest = from_srgb(layers.rest).max(2)
    return np.clip((response / (response + rest + 1e-4) - 0.35) / 0.4, 0, 1)


def coloured(layers: Layers, name: str) -> np.ndarray:
    """Linear RGB of a sprite in one of the ten colours, with the gloss cut of dark colours."""
    cut = 1 - (1 - GLOSS.get(name, 1.0)) * tint_share(layers)[..., None]
    return from_srgb(layers.rest) * cut + from_srgb(layers.tint[..., :3]) * from_srgb(COLOURS[name])


def nearest_share(layers: Layers, name: str) -> tuple[str, float]:
    """The colour name nearest to the median tinted pixel, and the share of tinted pixels nearest to
    ``name``."""
    tinted = (layers.tint[..., 3] > 127) & (tint_share(layers) > 0.5)
    if not tinted.any():
        return "nothing tinted", 0.0
    pixels = oklab(tone(coloured(layers, name))[tinted])
    names = list(REFERENCE)
    table = oklab(from_srgb([REFERENCE[n] for n in names]))
    nearest = np.linalg.norm(pixels[:, None] - table[None], axis=2).argmin(1)
    middle = np.linalg.norm(np.median(pixels, 0) - table, axis=1).argmin()
    return names[int(middle)], float((nearest == names.index(name)).mean())


def colour_report(layers: Layers) -> list[str]:
    """One sentence for each colour the sprite does not show well."""
    lines = []
    for name in COLOURS:
        median, share = nearest_share(layers, name)
        if median != name or share < 0.6:
            lines.append(f"{name}: median reads as {median}, {share:.0%} of tinted pixels read as {name}")
    return lines
