"""Side tables in ten styles; the top and one floor place on each side stay free."""

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
    lathe,
    leg,
    metal,
    tint,
    tint_metal,
    tube,
)
from toolkit import tint_wood as wood_of

CAMERA = Camera((1.15, -3.6, 1.32), (0.0, 0.0, 0.33), 108)
FLOOR = [
    Anchor("floor_right", "floor", (0.485, 0.02, 0), 0.27, 0.36),
    Anchor("floor_left", "floor", (-0.415, -0.27, 0), 0.27, 0.36),
]
UPRIGHT = (20.0, 20.0, 1.5)
Point2 = tuple[float, float]


@furniture("table")
def table(style: str) -> Piece:
    """The top (and what carries the style) in the body colour, the base in the second one."""
    makers: dict[str, Callable[[], tuple[list[Any], float, float]]] = {
        "modern": _pedestal_table,
        "minimalist": _c_table,
        "vintage": _tripod_table,
        "industrial": _cart_table,
        "scandinavian": _tray_table,
        "bohemian": _cane_table,
        "mid-century": _drawer_table,
        "rustic": _plank_table,
        "japandi": _slab_table,
        "art-deco": _drum_table,
    }
    parts, height, width = makers[style]()
    return Piece(parts, [Anchor("top", "top", (0, -0.02, height), width, 0.4), *FLOOR], CAMERA)


def _disc(radius: float, height: float, thickness: float, paint: Any, round_off: float = 0.006) -> Any:
    """A round board whose upper face is at ``height``."""
    edge = min(round_off, thickness * 0.49)
    low = height - thickness
    rim = [(radius - edge * (1 - s), low + edge * (1 - c)) for s, c in _quarter()]
    upper = [(r, height - (z - low)) for r, z in reversed(rim)]
    return lathe([(0, low), *rim, *upper, (0, height)], paint, segments=96)


def _quarter() -> list[Point2]:
    return [(math.sin(a), math.cos(a)) for a in (math.pi / 8 * i for i in range(5))]


def _board(
    outline: Sequence[Point2], height: float, thickness: float, paint: Any, bevel: float = 0.006
) -> Any:
    """A flat board cut along ``outline`` (x, y), its upper face at ``height``."""
    return extrude(outline, thickness, paint, bevel, at=(0, 0, height - thickness / 2), rotation=(-90, 0, 0))


def _rounded(half_x: float, half_y: float, radius: float) -> list[Point2]:
    """Outline of a rectangle with round corners."""
    x, y = half_x - radius, half_y - radius
    corners = ((x, y, 0), (-x, y, 90), (-x, -y, 180), (x, -y, 270))
    return [p for cx, cy, start in corners for p in arc((cx, cy), radius, start, start + 90, 14)]


def _ring(radius: float, height: float, count: int = 48) -> list[tuple[float, float, float]]:
    turns = [2 * math.pi * i / count for i in range(count)]
    return [(radius * math.cos(a), radius * math.sin(a), height) for a in turns]


def _pedestal_table() -> tuple[list[Any], float, float]:
    """A lacquered disc on a flared trumpet foot."""
    top, foot = tint("lacquer", 0.3), tint_metal("foot", zone=2)
    profile = [(0, 0), (0.185, 0), (0.19, 0.006), (0.18, 0.012), (0.1, 0.03), (0.045, 0.075), (0.026, 0.15)]
    profile += [(0.022, 0.28), (0.026, 0.4), (0.05, 0.475), (0.11, 0.515), (0.11, 0.52)]
    return [_disc(0.285, 0.545, 0.026, top, 0.012), lathe(profile, foot, sharp=70)], 0.545, 0.5


def _c_table() -> tuple[list[Any], float, float]:
    """One bent sheet: top, back and foot, with a thin steel rail."""
    sheet = tint("sheet", 0.45)
    thick, radius = 0.022, 0.05
    outer = _c_path(0.25, 0.0, 0.54, radius)
    inner = _c_path(0.25, thick, 0.54 - thick, radius - thick * 0.6, thick)
    made = extrude([*outer, *reversed(inner)], 0.4, sheet, 0.003)
    return [made], 0.54, 0.42


def _c_path(half: float, low: float, high: float, radius: float, inset: float = 0.0) -> list[Point2]:
    """Open outline of a C, from the end of its top to the end of its foot."""
    left = -half + inset
    upper = arc((left + radius, high - radius), radius, 90, 180, 10)
    lower = arc((left + radius, low + radius), radius, 180, 270, 10)
    return [(half, high), *upper, *lower, (half, low)]


def _tripod_table() -> tuple[list[Any], float, float]:
    """A moulded round top on a turned pillar with three curved feet."""
    top, frame = wood_of("top"), wood_of("pillar", zone=2, scale=UPRIGHT)
    rim = [
        (0, 0.53),
        (0.2, 0.53),
        (0.235, 0.535),
        (0.262, 0.548),
        (0.275, 0.552),
        (0.282, 0.562),
        (0.278, 0.572),
    ]
    rim += [(0.266, 0.574), (0.256, 0.566), (0, 0.564)]
    pillar = [
        (0, 0.13),
        (0.03, 0.13),
        (0.045, 0.15),
        (0.045, 0.2),
        (0.03, 0.215),
        (0.042, 0.235),
        (0.06, 0.28),
    ]
    pillar += [(0.05, 0.33), (0.026, 0.37), (0.022, 0.4), (0.036, 0.41), (0.036, 0.42), (0.024, 0.432)]
    pillar += [(0.026, 0.48), (0.05, 0.51), (0.11, 0.52), (0.11, 0.535), (0, 0.535)]
    parts = [lathe(rim, top, segments=96), lathe(pillar, frame, sharp=55)]
    for turn in (-90, 30, 150):
        a = math.radians(turn)
        path = [(0.02, 0.17), (0.09, 0.19), (0.15, 0.13), (0.2, 0.04), (0.24, 0.012), (0.27, 0.02)]
        points = [(r * math.cos(a), r * math.sin(a), z) for r, z in path]
        parts.append(tube(points, 0.03, frame, taper=[1, 1.05, 0.9, 0.65, 0.62, 0.75]))
    return parts, 0.565, 0.46


def _cart_table() -> tuple[list[Any], float, float]:
    """A steel frame on castors, wooden top and slatted lower shelf."""
    board, steel = wood_of("board"), tint("steel", 0.4, zone=2, metallic=0.4)
    half, depth, high = 0.26, 0.2, 0.54
    parts = [
        box(
            (-half - 0.01, -depth - 0.01, high - 0.035),
            (2 * half + 0.02, 2 * depth + 0.02, 0.035),
            board,
            0.004,
        )
    ]
    parts += [_bar(x, y, 0.065, high - 0.035, steel) for x in (-half, half) for y in (-depth, depth)]
    for z in (0.15, high - 0.06):
        parts += [box((-half, y - 0.01, z), (2 * half, 0.02, 0.025), steel, 0.002) for y in (-depth, depth)]
        parts += [box((x - 0.01, -depth, z), (0.02, 2 * depth, 0.025), steel, 0.002) for x in (-half, half)]
    parts += [box((-half, y, 0.172), (2 * half, 0.1, 0.018), board, 0.003) for y in (-0.19, -0.05, 0.09)]
    parts.append(tube([(-half, depth, 0.17), (half, depth, high - 0.05)], 0.007, steel, smooth=False))
    parts.append(tube([(half, depth, 0.17), (-half, depth, high - 0.05)], 0.007, steel, smooth=False))
    return parts + _castors(half, depth, steel), high, 0.5


def _bar(x: float, y: float, low: float, high: float, paint: Any) -> Any:
    return box((x - 0.013, y - 0.013, low), (0.026, 0.026, high - low), paint, 0.002)


def _castors(half: float, depth: float, steel: Any) -> list[Any]:
    rubber = tint("rubber", 0.7, zone=2, shade=0.4)
    spots = [(x, y) for x in (-half, half) for y in (-depth, depth)]
    wheels = [cylinder((x, y, 0.03), 0.03, 0.02, rubber, (0, 90, 20)) for x, y in spots]
    return wheels + [box((x - 0.017, y - 0.014, 0.03), (0.034, 0.028, 0.036), steel, 0.004) for x, y in spots]


def _tray_table() -> tuple[list[Any], float, float]:
    """A round tray with a raised rim on three splayed tapered legs."""
    tray, frame = tint("tray", 0.45), wood_of("legs", zone=2, scale=UPRIGHT)
    rim = [
        (0, 0.485),
        (0.262, 0.485),
        (0.27, 0.49),
        (0.282, 0.55),
        (0.28, 0.555),
        (0.274, 0.553),
        (0.264, 0.503),
    ]
    parts = [lathe([*rim, (0.258, 0.499), (0, 0.499)], tray, segments=96)]
    for turn in (-70, 50, 170):
        c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
        parts.append(leg("tapered", (0.16 * c, 0.16 * s, 0.487), (0.265 * c, 0.265 * s, 0), frame, 0.021))
        parts.append(tube([(0, 0, 0.46), (0.18 * c, 0.18 * s, 0.46)], 0.016, frame, smooth=False))
    return parts, 0.5, 0.46


def _cane_table() -> tuple[list[Any], float, float]:
    """A waisted drum of crossed canes between woven rings, with a wooden lid."""
    cane, lid = wood_of("cane", scale=UPRIGHT), wood_of("lid", zone=2)
    parts = [_disc(0.26, 0.52, 0.018, lid, 0.008)]
    for radius, z in ((0.255, 0.02), (0.238, 0.05), (0.255, 0.495), (0.24, 0.468), (0.164, 0.26)):
        parts.append(tube(_ring(radius, z), 0.016, cane, cyclic=True))
    count = 18
    starts = [(2 * math.pi * k / count, twist) for k in range(count) for twist in (-1, 1)]
    parts += [tube(_cane(start, twist), 0.0085, cane, smooth=False) for start, twist in starts]
    return parts, 0.52, 0.46


def _cane(start: float, twist: int) -> list[tuple[float, float, float]]:
    """One cane from the lower to the upper ring, leaning by ``twist``, following the waist."""
    points = []
    for i in range(13):
        t = i / 12
        turn = start + twist * 1.5 * t
        radius = 0.16 + 0.09 * (2 * t - 1) ** 2
        points.append((radius * math.cos(turn), radius * math.sin(turn), 0.03 + 0.46 * t))
    return points


def _drawer_table() -> tuple[list[Any], float, float]:
    """A floating box with one drawer and an open slot on splayed tapered legs."""
    case, frame, brass = (
        wood_of("case"),
        wood_of("legs", zone=2, scale=UPRIGHT),
        metal("brass", (196, 164, 96), 0.3),
    )
    w, d, low, high = 0.28, 0.21, 0.29, 0.53
    parts = [
        box((-w, -d, high - 0.02), (2 * w, 2 * d, 0.02), case, 0.005),
        box((-w, -d, low), (2 * w, 2 * d, 0.02), case, 0.005),
    ]
    parts += [
        box((x, -d, low + 0.019), (0.02, 2 * d, high - low - 0.038), case, 0.001) for x in (-w, w - 0.02)
    ]
    parts.append(
        box((-w + 0.01, d - 0.02, low + 0.01), (2 * w - 0.02, 0.012, high - low - 0.02), case, 0.002)
    )
    parts.append(box((-w + 0.01, -d + 0.01, low + 0.13), (2 * w - 0.02, 2 * d - 0.03, 0.012), case, 0.002))
    parts.append(box((-w + 0.023, -d + 0.006, low + 0.022), (2 * w - 0.046, 0.02, 0.105), case, 0.004))
    parts.append(
        tube([(-0.05, -d - 0.016, low + 0.075), (0.05, -d - 0.016, low + 0.075)], 0.006, brass, smooth=False)
    )
    parts += [
        tube([(x, -d - 0.016, low + 0.075), (x, -d + 0.01, low + 0.075)], 0.004, brass, smooth=False)
        for x in (-0.04, 0.04)
    ]
    for x, y in ((x, y) for x in (-0.22, 0.22) for y in (-0.15, 0.15)):
        parts.append(leg("tapered", (x, y, low), (x * 1.22, y * 1.22, 0.0), frame, 0.02))
    return parts, high, 0.5


def _plank_table() -> tuple[list[Any], float, float]:
    """Thick planks on square posts with a plank shelf low down."""
    plank, post = wood_of("plank"), wood_of("post", zone=2, scale=UPRIGHT)
    parts = [box((-0.28, -0.235 + 0.158 * k, 0.475), (0.56, 0.154, 0.055), plank, 0.008) for k in range(3)]
    parts += [
        box((x - 0.034, y - 0.034, 0), (0.068, 0.068, 0.48), post, 0.007)
        for x in (-0.22, 0.22)
        for y in (-0.175, 0.175)
    ]
    parts += [box((-0.21, y - 0.015, 0.415), (0.42, 0.03, 0.055), post, 0.004) for y in (-0.175, 0.175)]
    parts += [box((x - 0.015, -0.16, 0.415), (0.03, 0.32, 0.055), post, 0.004) for x in (-0.22, 0.22)]
    parts += [box((-0.21, y, 0.1), (0.42, 0.105, 0.03), plank, 0.005) for y in (-0.165, -0.053, 0.059)]
    return parts, 0.53, 0.5


def _slab_table() -> tuple[list[Any], float, float]:
    """A low pill-shaped top on two upright rounded slabs with a flat stretcher."""
    top, base = wood_of("top"), wood_of("slab", zone=2, scale=UPRIGHT)
    parts = [_board(_rounded(0.33, 0.19, 0.185), 0.44, 0.034, top, 0.012)]
    for x in (-0.17, 0.17):
        slab = extrude(_rounded(0.05, 0.13, 0.049), 0.4, base, 0.004, at=(x, 0, 0.205), rotation=(-90, 0, 0))
        parts.append(slab)
    parts.append(box((-0.17, -0.06, 0.12), (0.34, 0.12, 0.03), base, 0.006))
    return parts, 0.44, 0.52


def _drum_table() -> tuple[list[Any], float, float]:
    """A fluted drum on a stepped plinth under a brass-edged lacquer top."""
    body, trim = tint("lacquer", 0.3), tint("trim", 0.25, zone=2, metallic=0.4)
    parts = [_disc(0.285, 0.545, 0.022, body, 0.004), _disc(0.289, 0.54, 0.012, trim, 0.004)]
    parts += [_disc(0.25, 0.518, 0.022, body), _disc(0.222, 0.496, 0.016, trim)]
    parts += [
        _disc(0.25, 0.07, 0.035, body),
        _disc(0.285, 0.035, 0.035, body),
        _disc(0.289, 0.012, 0.01, trim, 0.004),
    ]
    parts.append(lathe([(0, 0.06), (0.175, 0.06), (0.175, 0.485), (0, 0.485)], body))
    for k in range(24):
        turn = 2 * math.pi * k / 24
        parts.append(cylinder((0.185 * math.cos(turn), 0.185 * math.sin(turn), 0.275), 0.024, 0.41, body))
    return parts, 0.545, 0.5
