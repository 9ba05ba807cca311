"""How a product is photographed: body colour, backdrop, framing and grain, from its id and never its cue."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from recallreach.seeding import stream
from recallreach.storefront.pictures.colors import Rgb, backdrops, palette
from recallreach.storefront.pictures.light import GRAIN_SIDE

if TYPE_CHECKING:
    from recallreach.storefront.catalog import Catalog

SHIFT = (10, 6)
"""Largest shift of the piece in the frame, in pixels: horizontal, vertical."""


@dataclass(frozen=True, slots=True)
class Look:
    """Everything a base picture depends on beside the piece.

    Attributes:
        body: colour of the piece, 8-bit sRGB.
        second: colour of its second tint, where it has one.
        backdrop: colour of floor and wall.
        shift: of the piece in the frame, in pixels: right, down.
        grain: row and column of the film grain tile.
    """

    body: Rgb
    second: Rgb
    backdrop: Rgb
    shift: tuple[int, int]
    grain: tuple[int, int]


def look_of(catalog: Catalog, product_id: str) -> Look:
    """The look of one product; depends on the catalogue's seed and the ids of its collection only.

    Variants of a collection get different body colours as long as the palette has enough.
    """
    product = catalog.by_id(product_id)
    siblings = [entry.id for entry in catalog.products_in(product.collection)]
    ranked = sorted(siblings, key=lambda sibling: _digest(catalog.seed, sibling))
    return draw_look(stream(catalog.seed, "look", product_id), product.style, ranked.index(product_id))


def draw_look(rng: np.random.Generator, style: str, body: int) -> Look:
    """A look in the palette of `style`; `body` counts through its body colours."""
    colors, studios = palette(style), backdrops()
    right, down = (int(rng.integers(-most, most + 1)) for most in SHIFT)
    row, column = (int(value) for value in rng.integers(0, GRAIN_SIDE // 2, 2))
    return Look(
        body=colors.body[body % len(colors.body)],
        second=colors.second[int(rng.integers(len(colors.second)))],
        backdrop=studios[int(rng.integers(len(studios)))],
        shift=(right, down),
        grain=(row, column),
    )


def _digest(seed: int, product_id: str) -> bytes:
    return hashlib.sha256(f"body {seed} {product_id}".encode()).digest()
