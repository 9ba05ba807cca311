"""Contact sheets to look at. NumPy and Pillow only."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from .colour import BACKDROPS, COLOURS, coloured, tone
from .pack import Layers, from_srgb, to_srgb

LARGE, SMALL, CAPTION = 150, 56, 12
SMALL_AREA = 0.42 * SMALL * SMALL
BODIES = ((240, 238, 232), (206, 170, 122), (112, 72, 44), (96, 120, 134), (50, 50, 54))
SECONDS = ((60, 60, 64), (112, 72, 44), (206, 170, 122), (240, 238, 232), (176, 140, 60))


def cue_sheet(items: Sequence[tuple[str, Layers]]) -> Image.Image:
    """Each sprite in all ten colours, at 150 px and at 56 px, one row a sprite."""
    row = LARGE + SMALL + CAPTION
    sheet = Image.new("RGB", (LARGE * len(COLOURS), row * len(items)), BACKDROPS[0])
    draw = ImageDraw.Draw(sheet)
    for index, (name, layers) in enumerate(items):
        top = index * row
        draw.text((4, top), name, fill=(20, 20, 20))
        for column, colour in enumerate(COLOURS):
            place = (column * LARGE, top + CAPTION)
            _paste_sprite(sheet, layers, colour, LARGE, place)
            _paste_sprite(sheet, layers, colour, SMALL, (place[0] + (LARGE - SMALL) // 2, place[1] + LARGE))
    return sheet


def compact_cue_sheet(items: Sequence[tuple[str, Layers]], columns: int = 5) -> Image.Image:
    """Many sprites, each once large and in four colours small; for looking over the whole set."""
    shown = ("red", "blue", "white", "black")
    width, height = LARGE + SMALL * 2, LARGE + CAPTION
    rows = -(-len(items) // columns)
    sheet = Image.new("RGB", (width * columns, height * rows), BACKDROPS[0])
    draw = ImageDraw.Draw(sheet)
    for index, (name, layers) in enumerate(items):
        left, top = index % columns * width, index // columns * height
        draw.text((left + 4, top), name, fill=(20, 20, 20))
        _paste_sprite(sheet, layers, list(COLOURS)[index % 6], LARGE, (left, top + CAPTION))
        for k, colour in enumerate(shown):
            place = (left + LARGE + k % 2 * SMALL, top + CAPTION + 15 + k // 2 * (SMALL + 8))
            _paste_sprite(sheet, layers, colour, SMALL, place)
    return sheet


def _paste_sprite(sheet: Image.Image, layers: Layers, colour: str, box: int, place: tuple[int, int]) -> None:
    """Composite one sprite with its shadow into a square of ``box`` pixels."""
    alpha = Image.fromarray(layers.tint[..., 3])
    area = (layers.tint[..., 3] > 127).sum()
    fit = (box - 4) / max(alpha.size)
    scale = min(fit, (SMALL_AREA / max(area, 1)) ** 0.5 * 1.2) if box == SMALL else fit
    size = tuple(max(1, round(s * scale)) for s in alpha.size)
    left, top = place[0] + (box - size[0]) // 2, place[1] + box - size[1] - 2
    under = from_srgb(np.asarray(sheet.crop((left, top, left + size[0], top + size[1]))))
    cover = np.asarray(alpha.resize(size, Image.Resampling.LANCZOS), np.float32)[..., None] / 255
    shadow = np.asarray(Image.fromarray(layers.shadow).resize(size), np.float32)[..., None] / 255
    picture = Image.fromarray(to_srgb(tone(coloured(layers, colour)))).resize(size, Image.Resampling.LANCZOS)
    lit = under * (1 - 0.8 * np.clip((shadow - 0.05) / 0.95, 0, 1))
    mixed = lit * (1 - cover) + from_srgb(np.asarray(picture)) * cover
    sheet.paste(Image.fromarray(to_srgb(mixed)), (left, top))


def backdrop(rgb: tuple[int, int, int], size: int, horizon: float) -> np.ndarray:
    """Linear backdrop with a soft wall/floor step and vignette (size, size, 3)."""
    unit = size / 512
    y, x = np.mgrid[0:size, 0:size].astype(np.float32) / unit
    step = np.clip((y - (horizon - 60)) / 120, 0, 1)
    step = step * step * (3 - 2 * step)
    light = (0.92 * (1 - step) + 1.06 * step) * (
        1.10 - 0.22 * (((x - 190) / 420) ** 2 + ((y - 230) / 460) ** 2)
    )
    return from_srgb(rgb) * light[..., None]


def furniture_picture(layers: Layers, variant: int = 0, horizon: float = 250) -> Image.Image:
    """One piece in body colour number ``variant`` on its backdrop."""
    size = layers.tint.shape[0]
    pick = variant % len(BODIES)
    scene = backdrop(BACKDROPS[variant % len(BACKDROPS)], size, horizon)
    scene = scene * (1 - 0.85 * layers.shadow[..., None] / 255)
    colour = from_srgb(layers.rest) + from_srgb(layers.tint[..., :3]) * from_srgb(BODIES[pick])
    if layers.second is not None:
        colour = colour + from_srgb(layers.second) * from_srgb(SECONDS[pick])
    cover = layers.tint[..., 3:].astype(np.float32) / 255
    return Image.fromarray(to_srgb(tone(scene * (1 - cover) + colour * cover)))


def furniture_sheet(items: Sequence[tuple[str, Layers, dict[str, Any]]], cell: int = 300) -> Image.Image:
    """Each piece in five body colours; the last column shows its anchors."""
    sheet = Image.new("RGB", (cell * (len(BODIES) + 1), cell * len(items)))
    for row, (name, layers, record) in enumerate(items):
        for variant in range(len(BODIES)):
            picture = furniture_picture(layers, variant, record["horizon"])
            sheet.paste(picture.resize((cell, cell), Image.Resampling.LANCZOS), (variant * cell, row * cell))
        last = anchored_picture(layers, record).resize((cell, cell), Image.Resampling.LANCZOS)
        sheet.paste(last, (len(BODIES) * cell, row * cell))
        ImageDraw.Draw(sheet).text((4, row * cell + 2), name, fill=(20, 20, 20))
    return sheet


def compact_furniture_sheet(
    items: Sequence[tuple[str, Layers, dict[str, Any]]], cell: int = 200
) -> Image.Image:
    """Many pieces, one picture each, ten to a row."""
    rows = -(-len(items) // 10)
    sheet = Image.new("RGB", (cell * 10, cell * rows))
    for index, (name, layers, record) in enumerate(items):
        place = (index % 10 * cell, index // 10 * cell)
        picture = furniture_picture(layers, index, record["horizon"])
        sheet.paste(picture.resize((cell, cell), Image.Resampling.LANCZOS), place)
        ImageDraw.Draw(sheet).text((place[0] + 4, place[1] + 2), name, fill=(20, 20, 20))
    return sheet


def anchored_picture(layers: Layers, record: dict[str, Any]) -> Image.Image:
    """The piece with a frame for the free space of every anchor (anchors are in 512-pixel units)."""
    picture = furniture_picture(layers, 3, record["horizon"])
    unit = picture.width / record["size"][0]
    draw = ImageDraw.Draw(picture)
    for anchor in record["anchors"]:
        x, y, w, h = (anchor[key] * unit for key in ("x", "y", "width", "height"))
        draw.rectangle((x - w / 2, y - h, x + w / 2, y), outline=(220, 40, 40))
        draw.text((x - w / 2 + 2, y - 11), anchor["name"], fill=(220, 40, 40))
    return picture


def save_sheet(sheet: Image.Image, path: Path) -> Path:
    """Write a sheet as PNG and return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    sheet.save(path)
    return path
