"""Contact sheets: what there is, to be looked at by people."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from recallreach.errors import ConfigError, DataError
from recallreach.files import write_atomically
from recallreach.seeding import stream
from recallreach.storefront.data import COLORS, shop_words
from recallreach.storefront.pictures.art import Art, Bytes
from recallreach.storefront.pictures.colors import backdrops, cue_color, linear
from recallreach.storefront.pictures.compose import clipped, compose_scene, plant
from recallreach.storefront.pictures.light import develop
from recallreach.storefront.pictures.looks import draw_look
from recallreach.storefront.pictures.renderer import Pictures
from recallreach.storefront.pictures.sprites import scale_sprite

CUE_SIZES = (150, 56)
"""Tile sizes of the cue sheets, in pixels: to judge the look, and whether it still reads when small."""

OBJECTS_PER_SHEET = 20
FILL = 0.84
"""Part of a cue tile that the object's longer side takes."""

LINE = 11
QUALITY = 75
FONT = ImageFont.load_default(10)
PAPER, INK = (24, 26, 28), (225, 225, 225)


def write_sheets(pictures: Pictures, folder: Path, *, products: int = 60) -> list[Path]:
    """Write sheets of all cue objects x colours, of all furniture and of some products; return their paths.

    Args:
        pictures: whose catalogue and art.
        folder: gets `cues-150-1.jpg` ..., `cues-56-1.jpg` ..., `furniture.jpg`, `products.jpg`.
        products: how many products to show, evenly spread over the catalogue.

    Raises:
        ConfigError: `products` is less than one.
        DataError: a layer is missing or damaged, or the folder cannot be written.
    """
    art, listed = pictures.catalog.art, pictures.catalog.products
    if products < 1:
        raise ConfigError(f"a sheet of {products} products shows nothing; ask for one or more")
    if folder.exists() and not folder.is_dir():
        raise DataError(f"{folder} is no folder; name one for the sheets")
    sheets = {
        f"cues-{size}-{page + 1}.jpg": cue_sheet(art, art.cues[start : start + OBJECTS_PER_SHEET], size)
        for size in CUE_SIZES
        for page, start in enumerate(range(0, len(art.cues), OBJECTS_PER_SHEET))
    }
    sheets["furniture.jpg"] = furniture_sheet(art)
    chosen = np.linspace(0, len(listed) - 1, min(products, len(listed))).round().astype(int)
    sheets["products.jpg"] = product_sheet(pictures, [listed[index].id for index in chosen])
    for name, sheet in sheets.items():
        write_atomically(folder / name, _jpeg(sheet))
    return [folder / name for name in sheets]


def cue_sheet(art: Art, objects: Sequence[str], size: int) -> Image.Image:
    """Objects in columns, colours in rows, each in a tile of `size` pixels on the studio's first backdrop."""
    tiles = [[_cue_tile(art, slug, color, size) for slug in objects] for color in COLORS]
    return _grid(tiles, [art.cue_names[slug] for slug in objects])


def furniture_sheet(art: Art, size: int = 200) -> Image.Image:
    """Categories in rows, styles in columns, each piece in a body colour of its style."""
    categories = [slug for slug in shop_words()["categories"] if any(slug == c for c, _ in art.furniture)]
    styles = [slug for slug in shop_words()["styles"] if any(slug == s for _, s in art.furniture)]
    tiles = [[_piece_tile(art, category, style, size) for style in styles] for category in categories]
    return _grid(tiles, styles)


def product_sheet(pictures: Pictures, product_ids: Sequence[str], size: int = 200) -> Image.Image:
    """Products with their cues, in a grid about as wide as high."""
    columns = math.ceil(math.sqrt(len(product_ids)))
    tiles = [_shrunk(pictures.render(product_id).cued, size) for product_id in product_ids]
    labels = [pictures.catalog.cue_of(product_id).phrase for product_id in product_ids]
    rows = [tiles[start : start + columns] for start in range(0, len(tiles), columns)]
    named = [labels[start : start + columns] for start in range(0, len(labels), columns)]
    return _stacked([_grid([row], names) for row, names in zip(rows, named, strict=True)])


def _cue_tile(art: Art, slug: str, color: str, size: int) -> Bytes:
    layers = art.cue(slug)
    native = scale_sprite(layers, 1)
    left, top, right, bottom = native.box
    sprite = scale_sprite(layers, FILL * size / max(right - left, bottom - top))
    left, top, right, bottom = sprite.box
    corner = (size - left - right) // 2, (size - top - bottom) // 2
    shown, part = clipped(sprite.alpha.shape, corner, (slice(0, size), slice(0, size)))
    light = np.tile(linear(backdrops()[0])[:, None, None], (1, size, size))
    light[:, *shown] = plant(light[:, *shown], sprite, cue_color(color), part)
    return develop(light, (0, 0))


def _piece_tile(art: Art, category: str, style: str, size: int) -> Bytes:
    if (category, style) not in art.furniture:
        return np.full((size, size, 3), PAPER, np.uint8)
    rng = stream(0, "furniture sheet", category, style)
    look = draw_look(rng, style, int(rng.integers(1 << 16)))
    return _shrunk(develop(compose_scene(art.piece(category, style), look), look.grain), size)


def _shrunk(pixels: Bytes, size: int) -> Bytes:
    return np.asarray(Image.fromarray(pixels).resize((size, size), Image.Resampling.LANCZOS))


def _grid(rows: Sequence[Sequence[Bytes]], labels: Sequence[str]) -> Image.Image:
    pixels = np.concatenate([np.concatenate(row, axis=1) for row in rows], axis=0)
    width = rows[0][0].shape[1]
    told = [_wrapped(label, width - 6, FONT.getlength) for label in labels]
    head = max(map(len, told)) * LINE + 4
    sheet = Image.new("RGB", (pixels.shape[1], pixels.shape[0] + head), PAPER)
    sheet.paste(Image.fromarray(pixels), (0, head))
    draw = ImageDraw.Draw(sheet)
    for column, lines in enumerate(told):
        for line, text in enumerate(lines):
            draw.text((column * width + 3, 1 + line * LINE), text, INK, FONT)
    return sheet


def _wrapped(label: str, width: int, length: Callable[[str], float]) -> list[str]:
    """The label in lines, broken at spaces and after hyphens; a word longer than the width keeps its line."""
    lines = [""]
    for part in re.findall(r"[^\s-]+-?|\s+", label):
        if lines[-1] and length((lines[-1] + part).rstrip()) > width:
            lines.append("")
        lines[-1] += part if lines[-1] else part.lstrip()
    return [line.rstrip() for line in lines if line.strip()]


def _stacked(strips: Sequence[Image.Image]) -> Image.Image:
    width = max(strip.width for strip in strips)
    sheet = Image.new("RGB", (width, sum(strip.height for strip in strips)), PAPER)
    top = 0
    for strip in strips:
        sheet.paste(strip, (0, top))
        top += strip.height
    return sheet


def _jpeg(sheet: Image.Image) -> bytes:
    raw = io.BytesIO()
    sheet.save(raw, "JPEG", quality=QUALITY)
    return raw.getvalue()
