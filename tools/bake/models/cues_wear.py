"""Clothes and accessories, most of them inflated from outlines (100 units are 18 cm)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from toolkit import (
    airy,
    band,
    circle,
    cue,
    cylinder,
    group,
    inflate,
    material,
    metal,
    patch,
    sphere,
    tint,
    tint_fabric,
    tint_knit,
    tube,
)
from toolkit.shapes import mesh_object

UNIT = 0.0018
Point = tuple[float, float, float]
Outline = list[tuple[float, float]]
SLEEVE: Outline = [(20, 86), (25, 60), (22, 20), (19, 10), (6, 12), (5, 40), (8, 76), (14, 86)]


def _ridged(profile: Callable[[float], tuple[float, float]], ribs: int, depth: float, paint: Any) -> Any:
    """A body of revolution (seam at the back) whose radius ripples ``ribs`` times round."""

    def surface(u: float, v: float) -> Point:
        turn = math.pi / 2 + 2 * math.pi * u
        radius, z = profile(v)
        radius *= 1 + depth * math.cos(ribs * turn)
        return radius * math.cos(turn), radius * math.sin(turn), z

    return patch(surface, paint, ribs * 8 + 1, 22, 0.002)


@cue("baseball cap", technique="inflate")
def baseball_cap() -> list[Any]:
    """A six-panel cap with a curved brim, seen from the side of the brim."""
    cloth = tint("twill", 0.85, sheen=0.25, bump=(500, 0.2))

    def crown(v: float) -> tuple[float, float]:
        rise = v * math.pi / 2
        return 0.078 * math.cos(rise) ** 0.8, 0.012 + 0.088 * math.sin(rise) ** 0.9

    parts = [_ridged(crown, 6, 0.022, cloth), patch(_brim, cloth, 41, 41, 0.003)]
    parts += [_cap_seam(crown, k, tint("seam", 0.9, shade=0.6)) for k in range(6)]
    parts.append(sphere((0, 0, 0.1), 0.008, cloth, (1, 1, 0.6)))
    parts += [tube([(*p, 0.013) for p in circle(0.0795, 32)], 0.0022, cloth, cyclic=True)]
    return [group(parts, rotation=(-6, 0, -38))]


def _brim(u: float, v: float) -> Point:
    """The brim: ``u`` across, ``v`` outwards, ridged by lines of stitches."""
    turn = math.radians(-78 + 156 * u)
    reach = 0.074 + v * 0.072 * max(math.cos(turn * 90 / 79), 0) ** 0.55
    x, y = reach * math.sin(turn), -reach * math.cos(turn)
    return x, y, 0.018 - 2.2 * x * x - v * 0.012 + 0.0007 * math.cos(2 * math.pi * 6 * v)


def _cap_seam(crown: Callable[[float], tuple[float, float]], index: int, paint: Any) -> Any:
    turn = math.pi / 2 + math.pi / 6 + index * math.pi / 3
    points = [crown(v / 12) for v in range(12)]
    return tube(
        [(r * 0.982 * math.cos(turn), r * 0.982 * math.sin(turn), z) for r, z in points], 0.0013, paint
    )


@cue("wool beanie", technique="inflate")
def wool_beanie() -> list[Any]:
    """A ribbed hat with a turned-up cuff and a bobble."""
    yarn = tint("yarn", 0.95, sheen=0.35, bump=(420, 0.5))

    def dome(v: float) -> tuple[float, float]:
        rise = v * math.pi / 2
        return 0.074 * math.cos(rise) ** 0.7 + 0.002, 0.03 + 0.088 * math.sin(rise)

    def cuff(v: float) -> tuple[float, float]:
        return 0.076 + 0.007 * math.sin(math.pi * v) ** 0.5, 0.048 * v

    parts = [_ridged(dome, 30, 0.025, yarn), _ridged(cuff, 36, 0.02, yarn)]
    return [group([*parts, _bobble((0, 0, 0.136), 0.03, yarn)], rotation=(0, 7, 0))]


def _bobble(centre: Point, radius: float, paint: Any, count: int = 900) -> Any:
    """A ball of wool ends."""
    random = np.random.default_rng(5)
    ways = random.normal(size=(count, 3))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    lengths = radius * random.uniform(0.88, 1.06, (count, 1))
    side = np.cross(ways, random.normal(size=(count, 3)))
    side *= 0.0032 / np.linalg.norm(side, axis=1, keepdims=True)
    other = np.cross(ways, side)
    middle, tips = ways * radius * 0.5, ways * lengths
    rings = [
        middle + side,
        middle + other,
        middle - side,
        middle - other,
        tips + side * 0.55,
        tips - other * 0.4,
    ]
    points = np.stack(rings, 1).reshape(-1, 3) + centre
    faces = [
        [6 * k + i for i in face]
        for k in range(count)
        for face in ((0, 1, 4), (1, 2, 4), (2, 5, 4), (2, 3, 5), (3, 0, 5), (0, 4, 5))
    ]
    return mesh_object([tuple(p) for p in points.tolist()], faces, paint)


@cue("cardigan", technique="inflate")
def cardigan() -> list[Any]:
    """A knitted cardigan with a deep V neck, a ribbed front band, pockets and big buttons."""
    knit, rib = tint_knit("knit", "X", 34), tint_knit("rib", "Z", 60)
    half = [(37, 95), (20, 86), (23, 60), (21, 8), (51, 8), (51, 52), (42, 78)]
    front = [(34, 96), (40, 98), (46, 78), (54, 54), (54, 3), (46, 3), (46, 52), (39, 74)]
    pocket = [(27, 32), (42, 32), (42, 14), (27, 14)]
    parts = []
    for m in (False, True):
        parts.append(inflate(SLEEVE, knit, 6, 8, 3, wrinkle=0.5, seed=3 + m, mirror=m))
        parts.append(inflate([(4, 14), (24, 13), (21, 2), (5, 3)], rib, 5, 6, 3, False, mirror=m))
        parts.append(inflate(half, knit, 8, 13, -0.5 * m, False, wrinkle=0.4, seed=m, mirror=m))
        parts.append(inflate(front, rib, 4, 3.5, -6.5 - m, False, mirror=m))
        parts.append(inflate(pocket, rib, 2.5, 2, -7.5, False, [[(27, 28.5), (42, 28.5)]], mirror=m))
    hem = inflate([(20, 10), (80, 10), (79, 1), (21, 1)], rib, 7, 8, -0.5, False)
    inside = inflate(
        [(34, 97), (66, 97), (60, 70), (50, 50), (40, 70)], tint("inside", 0.95, shade=0.45), 2, 4, 3, False
    )
    horn = material("horn", (128, 120, 112), 0.4)
    buttons = [
        cylinder((50 * UNIT, -0.0225, z * UNIT), 0.0058, 0.004, horn, (90, 0, 0), 0.0012)
        for z in (8, 22, 36, 50)
    ]
    return [*parts, hem, inside, *buttons]


@cue("cotton hoodie", technique="inflate")
def cotton_hoodie() -> list[Any]:
    """A hooded sweatshirt with a kangaroo pocket and pale drawstrings."""
    cotton, rib = tint("cotton", 0.95, sheen=0.3, bump=(300, 0.25)), tint_knit("rib", "X", 60)
    body = [(40, 84), (20, 80), (22, 55), (21, 8), (79, 8), (78, 55), (80, 80), (60, 84), (50, 80)]
    pocket = [(32, 32), (68, 32), (77, 16), (77, 9), (23, 9), (23, 16)]
    parts = [inflate(body, cotton, 9, 15, spline=False, wrinkle=0.6, seed=2)]
    parts.append(inflate(pocket, cotton, 3, 2.5, -8, False, wrinkle=0.2))
    parts.append(inflate([(20, 10), (80, 10), (78, 1), (22, 1)], rib, 8, 8, 0, False))
    for m in (False, True):
        arm = [(x, z - 5) for x, z in SLEEVE]
        parts.append(inflate(arm, cotton, 6.5, 8, 3, wrinkle=0.6, seed=5 + m, mirror=m))
        parts.append(inflate([(5, 8), (23, 8), (21, -2), (7, -2)], rib, 5, 6, 3, False, mirror=m))
    return parts + _hood(cotton)


def _hood(cotton: Any) -> list[Any]:
    outer = [
        (50, 70),
        (34, 76),
        (25, 90),
        (27, 108),
        (38, 119),
        (50, 122),
        (62, 119),
        (73, 108),
        (75, 90),
        (66, 76),
    ]
    mouth = [(50, 77), (40, 84), (35, 95), (37, 106), (50, 112), (63, 106), (65, 95), (60, 84)]
    hood = inflate(outer, cotton, 9, 12, 1, wrinkle=0.4, seed=9)
    hole = inflate(mouth, tint("shade", 1, shade=0.3), 3, 8, -6.5)
    rim = tube([(x * UNIT, -0.0165, z * UNIT) for x, z in mouth], 0.0062, cotton, cyclic=True)
    cord = material("cord", (206, 204, 198), 0.9)
    strings = []
    for s in (-1, 1):
        line = [(50 + 4 * s, 78), (50 + 6 * s, 70), (50 + 6.5 * s, 58), (50 + 6 * s, 48)]
        strings.append(tube([(x * UNIT, -0.0225, z * UNIT) for x, z in line], 0.002, cord))
        strings.append(
            tube(
                [(x * UNIT, -0.0225, z * UNIT) for x, z in ((50 + 6 * s, 48), (50 + 6 * s, 43))], 0.003, cord
            )
        )
    return [hood, hole, rim, *strings]


@cue("leather belt", technique="sweep")
def leather_belt() -> list[Any]:
    """A coiled belt whose outer end, with a steel buckle, lies to the right."""
    hide = airy(tint("hide", 0.5), 0.06)
    path: Outline = []
    for k in range(110):
        turn = math.radians(270 - 700 * (1 - k / 109))
        radius = 0.026 + 0.032 * k / 109
        path.append((radius * math.cos(turn), radius * math.sin(turn)))
    path += [(0.012 * k, -0.058 + 0.0009 * k * k * 0.3) for k in range(1, 6)]
    strap = band(path, 0.034, hide, 0.0042)
    edge = [
        band(path, 0.0016, tint("stitch", 0.7, shade=0.96), 0.0052, at=(0, y, 0)) for y in (-0.0135, 0.0135)
    ]
    holes = [
        sphere((x, 0, -0.0585 + 0.002), 0.0026, material("hole", (30, 30, 32)), (1, 1, 3))
        for x in (-0.005, 0.008)
    ]
    return [group([strap, *edge, *holes, *_buckle(0.071, -0.052)], rotation=(103, 0, -14))]


def _buckle(x: float, z: float) -> list[Any]:
    steel = metal("steel", (200, 202, 206), 0.22)
    ring = [(-0.014, -0.023), (0.016, -0.023), (0.02, -0.018), (0.02, 0.018), (0.016, 0.023), (-0.014, 0.023)]
    frame = tube([(x + a, b, z) for a, b in ring], 0.0036, steel, cyclic=True, smooth=False)
    prong = tube([(x - 0.016, 0, z - 0.002), (x + 0.022, 0, z - 0.003)], 0.0026, steel)
    return [frame, prong]


@cue("silk tie", technique="inflate")
def silk_tie() -> list[Any]:
    """A knotted tie with its neck loop and a broad pointed blade."""
    silk, under = tint("silk", 0.42, sheen=0.2), tint("under", 0.5, shade=0.75)
    blade = [(42, 66), (58, 66), (64, 48), (74, 10), (52, -10), (30, 10), (38, 46)]
    twill = [[(20, k), (90, k + 44)] for k in range(-30, 60, 10)]
    wide = inflate(blade, silk, 5, 8, -2, False, twill, 1.3, 0.9)
    slim = inflate([(50, 60), (62, 60), (84, 16), (77, 6), (66, 14)], under, 2, 4, 5, False)
    knot = [(40, 82), (60, 82), (58, 70), (54, 62), (46, 62), (42, 70)]
    parts = [
        wide,
        slim,
        inflate(knot, silk, 8, 8, -5, False, [[(38, 66), (62, 82)], [(38, 76), (52, 86)]], 1.3, 0.9),
    ]
    loop = [
        (46, 73),
        (43, 83),
        (35, 89),
        (33, 95),
        (40, 101),
        (50, 103),
        (50, 112),
        (34, 109),
        (23, 97),
        (26, 86),
        (36, 76),
    ]
    return [*parts, *(inflate(loop, silk, 4, 5, 1, mirror=m) for m in (False, True))]


GLOVE: Outline = [
    *[(14, 0), (44, 0), (43, 12), (45, 26), (57, 42), (63, 53), (60, 60), (53, 57), (46.5, 47)],
    *[
        (47, 60),
        (48, 76),
        (45.5, 85),
        (40.5, 84),
        (38.8, 75),
        (37.6, 61),
        (37.4, 76),
        (36.5, 91),
        (32.5, 94.5),
    ],
    *[
        (28.6, 91),
        (28.2, 76),
        (28.2, 61),
        (27, 74),
        (25.5, 86),
        (21.5, 89),
        (18.2, 85),
        (18.6, 72),
        (19.6, 58),
    ],
    *[(16.5, 66), (13, 75), (8.5, 76), (6.6, 71), (9.5, 58), (11.5, 44), (12, 28), (15, 14)],
]


@cue("leather gloves", technique="inflate")
def leather_gloves() -> list[Any]:
    """A pair of gloves standing side by side, fingers up, with stitched backs."""
    hide = tint("hide", 0.48, bump=(400, 0.2))
    back = [[(23, 36), (23.5, 54)], [(30, 34), (31, 56)], [(36.5, 34), (39, 54)], [(13, 15), (43, 14)]]
    parts = []
    for m, offset, shift in ((False, -5, (-0.01, 0, 0)), (True, 6, (-0.028, 0, 0.003))):
        glove = inflate(
            GLOVE, hide, 5, 4.6, offset, True, back, 1.0, 1.3, 0.25, seed=3 + m, mirror=m, step=0.7
        )
        hem = [(12.5, 4.5), (45.5, 4.5), (45, -1), (13, -1)]
        cuff = inflate(hem, tint("cuff", 0.5, shade=0.8), 6, 4, offset, False, mirror=m)
        parts.append(group([glove, cuff], shift, (0, 9 if m else -7, 0)))
    return parts


@cue("eye sleep mask", technique="inflate")
def eye_sleep_mask() -> list[Any]:
    """A padded mask with closed eyes stitched on and its elastic strap."""
    satin, piping = tint("satin", 0.5, sheen=0.25), tint("piping", 0.5, shade=0.75)
    shape = [
        (2, 40),
        (8, 56),
        (28, 62),
        (50, 58),
        (72, 62),
        (92, 56),
        (98, 40),
        (92, 20),
        (74, 12),
        (58, 20),
        (50, 30),
    ]
    shape += [(42, 20), (26, 12), (8, 20)]
    pad = inflate(shape, satin, 9, 14, wrinkle=0.25)
    edge = tube([(x * UNIT, -0.001, z * UNIT) for x, z in shape], 0.0034, piping, cyclic=True)
    grey = material("thread", (126, 126, 132), 0.8)
    lashes = [part for x in (27, 73) for part in _closed_eye(x, grey)]
    loop = [(0.006, 0.004, 0.075), (-0.008, 0.03, 0.09), (0.03, 0.06, 0.118), (0.09, 0.07, 0.126)]
    loop += [(0.18 - x, y, z) for x, y, z in reversed(loop[:3])]
    strap = tube(loop, 0.0055, tint_fabric("strap", shade=0.6))
    strap.data.extrude = 0.004
    return [group([pad, edge, strap, *lashes], rotation=(-16, 0, -6))]


def _closed_eye(x: float, paint: Any) -> list[Any]:
    depth = -0.0178
    lid = [
        ((x + 15 * k) * UNIT, depth + 0.0022 * k * k, (36 + 7 * k * k) * UNIT)
        for k in (-1, -0.6, -0.2, 0.2, 0.6, 1)
    ]
    lines = [lid]
    for k in (-0.8, -0.3, 0.3, 0.8):
        start = ((x + 15 * k) * UNIT, depth + 0.001, (36 + 7 * k * k) * UNIT)
        lines.append([start, (start[0] + 5 * k * UNIT, depth + 0.002, start[2] - 6.5 * UNIT)])
    return [tube(points, 0.0017, paint) for points in lines]
