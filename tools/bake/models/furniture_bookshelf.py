"""Bookshelves: four bays, a few grey books, room for a cue on every level."""

from __future__ import annotations

from typing import Any

from toolkit import STYLES, Anchor, Camera, Piece, Style, box, furniture, leg, material, metal, tint, tint_wood, tube

WIDTH, DEPTH, HEIGHT = 1.0, 0.32, 1.3
BOOK_COLOURS = ((120, 134, 138), (150, 140, 128), (92, 100, 110), (196, 190, 178), (140, 146, 138))


@furniture("bookshelf")
def bookshelf(style: str) -> Piece:
    """Sides, back and boards in the body colour; frame or legs in the second one where the style has them."""
    look = STYLES[style]
    foot = 0.16 if look.leg in ("tapered", "turned", "hairpin", "rod") and style != "modern" else 0.0
    levels = _levels(foot)
    body = tint("board", 0.35) if look.frame == "lacquer" or style == "minimalist" else tint_wood("board")
    parts = _open_frame(levels, body) if style == "industrial" else _carcass(look, foot, levels, body)
    parts += _books(levels)
    anchors = [_shelf_anchor(i, levels) for i in range(4)]
    return Piece(parts, anchors, Camera((0.95, -3.9, 1.3), (0, 0, 0.6), 60))


def _levels(foot: float) -> list[float]:
    """Heights of the boards: a taller bay in the middle."""
    bays = (0.27, 0.30, 0.36, 0.27)
    low = foot + 0.05
    scale = (HEIGHT - low - 0.03) / sum(bays)
    heights = [low]
    for bay in bays:
        heights.append(heights[-1] + bay * scale)
    return heights


def _carcass(look: Style, foot: float, levels: list[float], body: Any) -> list[Any]:
    thick = 0.024 * look.slim
    left, rise = -WIDTH / 2, HEIGHT - foot
    parts = [box((left, -DEPTH / 2, foot), (thick, DEPTH, rise), body, 0.003)]
    parts.append(box((-left - thick, -DEPTH / 2, foot), (thick, DEPTH, rise), body, 0.003))
    parts.append(box((left + 0.01, DEPTH / 2 - 0.012, foot + 0.02), (WIDTH - 0.02, 0.01, rise - 0.03), body, 0.001))
    parts += [_board(z, look.slim, body) for z in levels]
    if look.leg in ("block", "fluted") or look.rounded:
        parts.append(box((left - 0.03, -DEPTH / 2 - 0.025, HEIGHT), (WIDTH + 0.06, DEPTH + 0.03, 0.035), body, 0.012))
    return parts + _feet(look, foot)


def _board(z: float, slim: float, body: Any) -> Any:
    return box((-WIDTH / 2 + 0.015, -DEPTH / 2 + 0.004, z - 0.02), (WIDTH - 0.03, DEPTH - 0.016, 0.02 * slim), body, 0.002)


def _feet(look: Style, foot: float) -> list[Any]:
    if not foot:
        return []
    paint = metal("feet", (60, 60, 64), 0.4) if look.frame == "metal" else tint_wood("feet", zone=2, scale=(20, 20, 1))
    out = 1.06 if look.leg == "tapered" else 1.0
    spots = [(x, y) for x in (-0.44, 0.44) for y in (-0.12, 0.12)]
    return [leg(look.leg, (x, y, foot), (x * out, y * out, 0), paint, 0.024) for x, y in spots]


def _open_frame(levels: list[float], body: Any) -> list[Any]:
    """Boards in an open steel frame with cross bracing."""
    steel = tint("steel", 0.4, zone=2, metallic=0.4)
    corners = [(x, y) for x in (-WIDTH / 2, WIDTH / 2) for y in (-DEPTH / 2, DEPTH / 2)]
    parts = [box((x - 0.014, y - 0.014, 0), (0.028, 0.028, HEIGHT + 0.03), steel, 0.002) for x, y in corners]
    parts += [_board(z, 1.6, body) for z in levels]
    back = DEPTH / 2
    parts.append(tube([(-WIDTH / 2, back, 0.08), (WIDTH / 2, back, HEIGHT)], 0.007, steel, smooth=False))
    parts.append(tube([(WIDTH / 2, back, 0.08), (-WIDTH / 2, back, HEIGHT)], 0.007, steel, smooth=False))
    return parts


def _books(levels: list[float]) -> list[Any]:
    rows = ((-0.46, 0, 3), (0.32, 1, 3), (-0.46, 2, 4), (0.35, 3, 2))
    parts = []
    for left, level, count in rows:
        room = levels[level + 1] - levels[level]
        for k in range(count):
            paint = material("book", BOOK_COLOURS[(level * 2 + k) % 5], 0.6)
            height = room * (0.62 + 0.07 * ((level + 2 * k) % 3))
            parts.append(box((left + 0.042 * k, -0.1, levels[level]), (0.037, 0.18, height), paint, 0.003))
    return parts


def _shelf_anchor(level: int, levels: list[float]) -> Anchor:
    shift = (0.09, -0.09, 0.1, -0.06)[level]
    room = levels[level + 1] - levels[level] - 0.03
    return Anchor(f"shelf_{level}", "shelf", (shift, -0.09, levels[level]), 0.58, room)
