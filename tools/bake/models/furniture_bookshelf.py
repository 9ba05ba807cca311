"""Bookshelves in ten styles: a few plain grey books, and room for a cue on most levels."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from toolkit import (
    Anchor,
    Camera,
    Piece,
    arc,
    box,
    cylinder,
    extrude,
    furniture,
    leg,
    material,
    metal,
    sphere,
    tint,
    tint_wood,
    tube,
)

BOOK_COLOURS = ((120, 126, 130), (146, 142, 136), (92, 98, 104), (190, 186, 178), (134, 138, 136))
CAMERA = Camera((0.95, -3.9, 1.36), (0.0, 0.0, 0.63), 66)
UPRIGHT = (20.0, 20.0, 1.5)
FRONT, BACK = -0.16, 0.16
Bay = tuple[float, float, float, float]
Shelf = tuple[list[Any], list[Bay], list[tuple[float, float, int]]]


@furniture("bookshelf")
def bookshelf(style: str) -> Piece:
    """Boards and case in the body colour; frame, legs or trim in the second one."""
    makers: dict[str, Callable[[], Shelf]] = {
        "modern": _grid,
        "minimalist": _spine,
        "vintage": _cabinet,
        "industrial": _steel_rack,
        "scandinavian": _ladder,
        "bohemian": _arched,
        "mid-century": _low_case,
        "rustic": _planks,
        "japandi": _steps,
        "art-deco": _skyscraper,
    }
    parts, bays, books = makers[style]()
    for number, (x, z, count) in enumerate(books):
        parts += _books(x, z, count, number)
    anchors = [Anchor(f"shelf_{k}", "shelf", (x, -0.07, z), w, h) for k, (x, z, w, h) in enumerate(bays)]
    return Piece(parts, anchors, CAMERA)


def _books(left: float, foot: float, count: int, number: int) -> list[Any]:
    """``count`` plain books standing side by side."""
    parts, x = [], left
    for k in range(count):
        paint = material("book", BOOK_COLOURS[(number * 2 + k) % 5], 0.6)
        thick, height = 0.03 + 0.008 * ((k + number) % 3), 0.17 + 0.02 * ((number + 2 * k) % 3)
        parts.append(box((x, -0.1, foot), (thick - 0.002, 0.18, height), paint, 0.003))
        x += thick
    return parts


def _case(
    x: Sequence[float], z: Sequence[float], paint: Any, thick: float = 0.024, back: bool = True
) -> list[Any]:
    """Sides at x[0] and x[-1], boards whose upper faces lie at each of ``z``; the last one closes the top."""
    side = tint_wood("side", scale=UPRIGHT) if "board" in paint.name else paint
    depth, low = BACK - FRONT, z[0] - thick
    parts = [
        box((at - thick / 2, FRONT, low), (thick, depth, z[-1] - thick - low), side, 0.003)
        for at in (x[0], x[-1])
    ]
    width = x[-1] - x[0] - thick
    parts += [_board(x[0] + thick / 2, width, top, thick, paint) for top in z[:-1]]
    parts.append(_board(x[0] - thick / 2, width + 2 * thick, z[-1], thick, paint))
    if back:
        wall = tint("back", 0.55, shade=0.86)
        parts.append(
            box((x[0], BACK - 0.012, z[0] - thick / 2), (x[-1] - x[0], 0.01, z[-1] - z[0]), wall, 0.001)
        )
    return parts


def _board(left: float, width: float, top: float, thick: float, paint: Any) -> Any:
    return box((left, FRONT + 0.003, top - thick), (width, BACK - FRONT - 0.006, thick), paint, 0.003)


def _upright(x: float, low: float, high: float, paint: Any, thick: float = 0.024) -> Any:
    return box((x - thick / 2, FRONT + 0.003, low), (thick, BACK - FRONT - 0.016, high - low), paint, 0.002)


def _grid() -> Shelf:
    """A closed case with staggered dividers."""
    body, foot = tint("lacquer", 0.4), tint("plinth", 0.4, zone=2)
    z = (0.08, 0.46, 0.90, 1.30)
    parts = _case((-0.5, 0.5), z, body)
    parts += [
        _upright(x, low, high - 0.02, body)
        for x, low, high in ((-0.1, z[0], z[1]), (0.16, z[1], z[2]), (-0.16, z[2], z[3]))
    ]
    parts.append(box((-0.47, FRONT + 0.03, 0), (0.94, 0.26, 0.058), foot, 0.003))
    bays = [(0.19, z[0], 0.5, 0.34), (-0.17, z[1], 0.6, 0.40), (0.17, z[2], 0.6, 0.36)]
    return parts, bays, [(-0.45, z[0], 4), (0.36, z[1], 3), (-0.46, z[2], 3)]


def _spine() -> Shelf:
    """Thin boards pushed through one upright slab, long to the left and to the right in turn."""
    body, foot = tint("slab", 0.45), tint("foot", 0.4, zone=2, metallic=0.3)
    parts = [box((-0.12, BACK - 0.05, 0.0), (0.24, 0.04, 1.34), body, 0.003)]
    parts.append(box((-0.3, FRONT, 0), (0.6, 0.32, 0.016), foot, 0.003))
    boards = ((0.34, 0.08), (0.70, -0.08), (1.06, 0.08))
    parts += [box((-0.44 + x, FRONT, z - 0.016), (0.88, 0.31, 0.016), body, 0.003) for z, x in boards]
    bays = [(0.12, 0.34, 0.5, 0.32), (-0.16, 0.70, 0.5, 0.32), (0.14, 1.06, 0.6, 0.4)]
    return parts, bays, [(-0.34, 0.34, 4), (0.22, 0.70, 3), (-0.34, 1.06, 2)]


def _cabinet() -> Shelf:
    """A case with cornice, fluted pilasters and two panelled doors below."""
    board, trim = tint_wood("board"), tint_wood("trim", zone=2)
    z = (0.09, 0.45, 0.86, 1.24)
    parts = _case((-0.48, 0.48), z, board)
    for low, out, rise in (
        (0.0, 0.03, 0.07),
        (0.43, 0.016, 0.024),
        (1.24, 0.02, 0.03),
        (1.27, 0.042, 0.03),
        (1.30, 0.06, 0.022),
    ):
        parts.append(box((-0.49 - out, FRONT - out, low), (0.98 + 2 * out, 0.32 + out, rise), trim, 0.008))
    for x in (-0.48, 0.48):
        parts.append(box((x - 0.035, FRONT - 0.012, 0.454), (0.07, 0.02, 0.786), board, 0.003))
        parts += [
            tube([(x + dx, FRONT - 0.012, 0.5), (x + dx, FRONT - 0.012, 1.19)], 0.007, board, smooth=False)
            for dx in (-0.018, 0, 0.018)
        ]
    for x in (-0.235, 0.235):
        parts.append(box((x - 0.228, FRONT - 0.006, 0.078), (0.456, 0.02, 0.345), board, 0.005))
        parts.append(box((x - 0.15, FRONT - 0.014, 0.14), (0.3, 0.016, 0.22), board, 0.012))
        parts.append(sphere((x * 0.22, FRONT - 0.02, 0.26), 0.016, metal("knob", (196, 164, 96), 0.3)))
    bays = [(0.1, z[1], 0.6, 0.37), (-0.1, z[2], 0.6, 0.34)]
    return parts, bays, [(-0.42, z[1], 4), (0.28, z[2], 4)]


def _steel_rack() -> Shelf:
    """Thick boards in an open steel frame with cross bracing."""
    board, steel = tint_wood("board"), tint("steel", 0.4, zone=2, metallic=0.4)
    corners = [(x, y) for x in (-0.5, 0.5) for y in (FRONT, BACK)]
    parts = [box((x - 0.015, y - 0.015, 0), (0.03, 0.03, 1.36), steel, 0.002) for x, y in corners]
    z = (0.14, 0.54, 0.98, 1.32)
    parts += [box((-0.485, FRONT - 0.01, top - 0.036), (0.97, 0.34, 0.036), board, 0.004) for top in z]
    parts += [
        box((x - 0.012, FRONT, top - 0.062), (0.024, 0.32, 0.026), steel, 0.002)
        for x in (-0.5, 0.5)
        for top in z
    ]
    parts += [
        tube([(-0.5 * s, BACK, 0.15), (0.5 * s, BACK, 1.3)], 0.008, steel, smooth=False) for s in (-1, 1)
    ]
    bays = [(0.12, z[0], 0.6, 0.36), (-0.12, z[1], 0.6, 0.4), (0.1, z[2], 0.5, 0.3)]
    return parts, bays, [(-0.46, z[0], 4), (0.3, z[1], 4), (-0.46, z[2], 3)]


def _ladder() -> Shelf:
    """Boards that grow deeper downwards between two leaning ladders."""
    board, post = tint("board-paint", 0.5), tint_wood("post", zone=2, scale=UPRIGHT)
    parts = []
    z = (0.12, 0.53, 0.96)
    for x in (-0.44, 0.44):
        parts.append(tube([(x, FRONT - 0.1, 0), (x, BACK - 0.02, 1.36)], 0.021, post, smooth=False))
        parts.append(tube([(x, BACK + 0.02, 0), (x, BACK, 1.36)], 0.021, post, smooth=False))
        parts.append(sphere((x, BACK - 0.01, 1.36), 0.03, post))
    for top in z:
        lead = FRONT - 0.1 + (BACK - FRONT + 0.08) * top / 1.36
        parts.append(box((-0.5, lead - 0.02, top - 0.02), (1.0, BACK - lead + 0.04, 0.02), board, 0.006))
        parts.append(box((-0.5, BACK + 0.01, top), (1.0, 0.014, 0.045), board, 0.005))
    parts.append(tube([(-0.44, BACK - 0.01, 1.3), (0.44, BACK - 0.01, 1.3)], 0.014, post, smooth=False))
    bays = [(0.12, z[0], 0.55, 0.38), (-0.14, z[1], 0.55, 0.4), (0.1, z[2], 0.6, 0.34)]
    return parts, bays, [(-0.4, z[0], 4), (0.22, z[1], 4), (-0.36, z[2], 3)]


def _arched() -> Shelf:
    """Bent cane arches front and back, laced sides and slim boards."""
    board, cane = tint_wood("board"), tint_wood("cane", zone=2, scale=UPRIGHT)
    z = (0.16, 0.56, 0.98)
    parts = [box((-0.41, FRONT, top - 0.022), (0.82, 0.32, 0.022), board, 0.006) for top in z]
    for y in (FRONT - 0.012, BACK + 0.012):
        bend = [(x, y, h) for x, h in arc((0, 0.96), 0.43, 180, 0, 24)]
        parts.append(tube([(-0.43, y, 0), *bend, (0.43, y, 0)], 0.02, cane, smooth=False))
        parts += [
            tube([(-0.43, y, top - 0.03), (0.43, y, top - 0.03)], 0.013, cane, smooth=False) for top in z
        ]
    for k in range(7):
        x, h = arc((0, 0.96), 0.43, 165, 15, 7)[k]
        parts.append(tube([(x, BACK + 0.012, h), (x * 0.55, BACK + 0.012, z[2])], 0.008, cane, smooth=False))
    for x in (-0.43, 0.43):
        for low, high in ((z[0], z[1]), (z[1], z[2])):
            parts += [
                tube([(x, FRONT * s, low), (x, BACK * s, high - 0.03)], 0.008, cane, smooth=False)
                for s in (-1, 1)
            ]
        parts += [
            tube([(x, FRONT, top - 0.03), (x, BACK, top - 0.03)], 0.012, cane, smooth=False) for top in z
        ]
    bays = [(0.1, z[0], 0.5, 0.36), (-0.1, z[1], 0.5, 0.38), (0.02, z[2], 0.5, 0.38)]
    return parts, bays, [(-0.37, z[0], 4), (0.22, z[1], 3)]


def _low_case() -> Shelf:
    """A wide low case on tapered legs with one sliding door."""
    board, post = tint_wood("board"), tint_wood("legs", zone=2, scale=UPRIGHT)
    z = (0.30, 0.66, 1.02)
    parts = _case((-0.56, 0.56), z, board)
    parts += [
        _upright(x, low, high - 0.02, board) for x, low, high in ((0.06, z[0], z[1]), (-0.16, z[1], z[2]))
    ]
    parts.append(
        box((-0.545, FRONT + 0.012, z[0]), (0.595, 0.016, 0.335), tint_wood("door", scale=UPRIGHT), 0.003)
    )
    parts.append(cylinder((-0.02, FRONT + 0.008, z[0] + 0.17), 0.024, 0.014, post, (90, 0, 0)))
    parts += [
        leg("tapered", (x, y, z[0] - 0.02), (x * 1.1, y * 1.25, 0), post, 0.026)
        for x in (-0.46, 0.46)
        for y in (-0.11, 0.11)
    ]
    bays = [
        (0.32, z[0], 0.4, 0.32),
        (0.14, z[1], 0.55, 0.32),
        (-0.25, z[2], 0.5, 0.45),
        (0.3, z[2], 0.45, 0.45),
    ]
    return parts, bays, [(-0.5, z[1], 5), (0.42, z[1], 2)]


def _planks() -> Shelf:
    """Heavy boards on square posts, planked back, braced sides."""
    plank, post = tint_wood("plank"), tint_wood("post", zone=2, scale=UPRIGHT)
    upright = tint_wood("wall", scale=UPRIGHT)
    z = (0.16, 0.58, 1.02, 1.34)
    parts = [box((-0.53, FRONT - 0.02, top - 0.05), (1.06, 0.35, 0.05), plank, 0.01) for top in z]
    parts += [
        box((-0.45 + 0.151 * k, BACK - 0.02, 0.12), (0.147, 0.02, 1.2), upright, 0.004) for k in range(6)
    ]
    parts += [
        box((x - 0.04, y - 0.04, 0), (0.08, 0.08, 1.3), post, 0.008)
        for x in (-0.46, 0.46)
        for y in (-0.12, 0.12)
    ]
    for low, high in ((z[0], z[1]), (z[1], z[2])):
        lean = math.degrees(math.atan2(high - low - 0.05, 0.24))
        middle = (low + high - 0.05) / 2
        parts.append(box((0.448, -0.22, middle - 0.02), (0.024, 0.44, 0.04), post, 0.004, (lean, 0, 0)))
    bays = [(0.06, z[0], 0.5, 0.35), (-0.08, z[1], 0.5, 0.38), (-0.26, z[3], 0.4, 0.3)]
    return parts, bays, [(-0.4, z[0], 3), (0.2, z[1], 4), (-0.38, z[2], 4)]


def _steps() -> Shelf:
    """Open boxes stacked like a staircase."""
    board, post = tint_wood("board"), tint_wood("rail", zone=2)
    z = (0.1, 0.48, 0.86, 1.24)
    rights = (0.56, 0.19, -0.18)
    parts = []
    for k, right in enumerate(rights):
        parts += _case((-0.55, right), (z[k] + 0.012 * (k > 0), z[k + 1]), board)
        parts += [_upright(x, z[k], z[k + 1] - 0.02, board) for x in rights if x < right]
    parts.append(box((-0.57, FRONT + 0.02, 0.02), (1.14, 0.28, 0.056), post, 0.004))
    parts += [
        box((right - 0.002, FRONT - 0.008, top - 0.03), (0.018, 0.33, 0.034), post, 0.004)
        for right, top in zip(rights, z[1:], strict=True)
    ]
    bays = [
        (0.38, z[1], 0.34, 0.5),
        (0.0, z[2], 0.34, 0.45),
        (-0.37, z[1] + 0.012, 0.33, 0.33),
        (-0.37, z[3], 0.34, 0.3),
        (0.0, z[0], 0.33, 0.34),
    ]
    return parts, bays, [(-0.52, z[2] + 0.012, 4), (0.22, z[0], 4)]


def _skyscraper() -> Shelf:
    """A tall middle with stepped head between quarter-round wings."""
    body, trim = tint("lacquer", 0.3), tint("trim", 0.25, zone=2, metallic=0.4)
    z = (0.1, 0.52, 0.95, 1.28)
    parts = _case((-0.3, 0.3), z, body)
    for half, low, rise in ((0.27, 1.28, 0.035), (0.2, 1.315, 0.035), (0.12, 1.35, 0.035)):
        parts.append(box((-half, FRONT + 0.02, low), (2 * half, 0.28, rise), body, 0.004))
    parts += [box((x - 0.014, FRONT - 0.008, 0.04), (0.028, 0.012, 1.24), trim, 0.002) for x in (-0.3, 0.3)]
    for side in (-1, 1):
        for top in z[:3]:
            parts += _wing(side, top, 0.024, 0.0, body)
            parts += _wing(side, top - 0.008, 0.01, 0.006, trim)
        parts += _wing(side, 0.06, 0.06, -0.02, trim)
        parts.append(
            box(
                (side * 0.42 - 0.115, BACK - 0.012, 0.08),
                (0.23, 0.01, 0.86),
                tint("back", 0.55, shade=0.86),
                0.001,
            )
        )
    parts.append(box((-0.3, FRONT + 0.01, 0), (0.6, 0.3, 0.08), trim, 0.003))
    bays = [(0.03, z[0], 0.48, 0.38), (0.03, z[1], 0.48, 0.39), (-0.04, z[2], 0.42, 0.29)]
    return parts, bays, [(0.15, z[2], 3)]


def _wing(side: int, top: float, thick: float, out: float, paint: Any) -> list[Any]:
    """One shelf of a wing: a quarter ellipse beside the middle part."""
    reach, depth = 0.25 + out, 0.3 + out
    curve = [
        (0.3 + reach * math.cos(a), BACK - depth * math.sin(a))
        for a in (math.pi / 2 * k / 20 for k in range(21))
    ]
    outline = [(side * x, y) for x, y in [(0.3, BACK), *curve]]
    return [extrude(outline, thick, paint, 0.002, at=(0, 0, top - thick / 2), rotation=(-90, 0, 0))]
