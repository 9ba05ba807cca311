"""Small hard things: a game pad, a paper clip, a hairbrush and the like."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from toolkit import (
    arc,
    circle,
    cue,
    cylinder,
    group,
    inflate,
    lathe,
    material,
    sphere,
    tint,
    tint_metal,
    tube,
)

UNIT = 0.0018
Point = tuple[float, float, float]


@cue("gaming controller", technique="inflate")
def gaming_controller() -> list[Any]:
    """A two-handled game pad with sticks, a direction cross and four buttons, leaning back."""
    shell, dark = tint("shell", 0.35), material("dark", (52, 53, 58), 0.6)
    shape = [
        (26, 66),
        (50, 62),
        (74, 66),
        (88, 62),
        (97, 40),
        (101, 12),
        (95, 2),
        (86, 4),
        (75, 22),
        (64, 27),
        (50, 28),
    ]
    shape += [(36, 27), (25, 22), (14, 4), (5, 2), (-1, 12), (3, 40), (12, 62)]
    parts = [inflate(shape, shell, 10, 17)]
    parts += [part for x in (34, 66) for part in _stick(x, 34, dark)]
    for size in ((15, 5), (5, 15)):
        cross = [
            (22 + a * size[0] / 2, 49 + b * size[1] / 2) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ]
        parts.append(inflate(cross, dark, 2.6, 1.5, -10.2, False, step=0.5))
    grey = material("button", (168, 170, 176), 0.4)
    spots = [(x * UNIT, -0.0195, z * UNIT) for x, z in ((78, 57), (78, 41), (70, 49), (86, 49))]
    parts += [sphere(p, 0.0062, grey, (1, 0.6, 1)) for p in spots]
    parts.append(sphere((50 * UNIT, -0.0175, 52 * UNIT), 0.0075, grey, (1, 0.4, 1)))
    bumpers = [
        [(14, 64), (22, 69), (36, 66), (34, 60), (16, 58)],
        [(86, 64), (78, 69), (64, 66), (66, 60), (84, 58)],
    ]
    parts += [inflate(b, dark, 6, 4, 4) for b in bumpers]
    return [group(parts, rotation=(-30, 0, -10))]


def _stick(x: float, z: float, paint: Any) -> list[Any]:
    ring = cylinder((x * UNIT, -0.018, z * UNIT), 0.0135, 0.006, paint, (90, 0, 0), 0.0015)
    cap = lathe(
        [(0.006, -0.004), (0.006, 0.006), (0.0105, 0.008), (0.0105, 0.011), (0.009, 0.0125), (0, 0.0112)],
        paint,
    )
    return [ring, group([cap], (x * UNIT, -0.02, z * UNIT), (90, 0, 0))]


@cue("paper clip", technique="sweep", thin=True)
def paper_clip() -> list[Any]:
    """One big wire clip with its three bends, leaning back."""
    wire = tint_metal("wire", roughness=0.3)
    line = [(-0.009, 0.028), (-0.009, 0.070), *arc((0.0075, 0.072), 0.0165, 180, 0, 11), (0.024, 0.022)]
    line += [
        *arc((0.0045, 0.020), 0.0195, 0, -180, 13),
        (-0.015, 0.084),
        *arc((0.0075, 0.088), 0.0225, 180, 0, 13),
    ]
    line += [(0.030, 0.05), (0.030, 0.034)]
    path = _dense([(x, 0.0015 * math.sin(k * 0.5), z) for k, (x, z) in enumerate(line)])
    clip = tube(path, 0.0036, wire)
    ends = [sphere(path[k], 0.0036, wire) for k in (0, -1)]
    return [group([clip, *ends], rotation=(-18, 14, -16))]


def _dense(points: list[Point]) -> list[Point]:
    """The polyline with points added on its long pieces, so that a smooth tube keeps them straight."""
    out = [points[0]]
    for a, b in pairwise(points):
        parts = max(1, round(math.dist(a, b) / 0.006))
        out += [
            tuple(p + (q - p) * k / parts for p, q in zip(a, b, strict=True)) for k in range(1, parts + 1)
        ]  # type: ignore[misc]
    return out


@cue("small hairbrush", technique="inflate")
def small_hairbrush() -> list[Any]:
    """A paddle brush, bristles to the viewer, standing on its handle and leaning back."""
    back, pad = tint("back", 0.3), material("pad", (128, 126, 128), 0.7)
    shape = [
        (50, -34),
        (57, -32),
        (58, -10),
        (57, 18),
        (64, 30),
        (76, 44),
        (80, 66),
        (75, 88),
        (62, 100),
        (50, 103),
    ]
    shape += [(100 - x, z) for x, z in reversed(shape[1:-1])]
    body = inflate(shape, back, 9, 11)
    cushion = inflate([(50 + 21 * c, 68 + 27 * s) for c, s in circle(1, 24)], pad, 4, 8, -8)
    pins, tip = [], material("pin", (226, 224, 218), 0.4)
    for x, z in ((x, z) for z in range(46, 92, 7) for x in range(34, 68, 8)):
        place = x + 4 * (z // 7 % 2)
        if ((place - 50) / 18) ** 2 + ((z - 68) / 24) ** 2 < 1:
            pins += [
                tube([(place * UNIT, -0.02, z * UNIT), (place * UNIT, -0.04, z * UNIT)], 0.0012, tip),
                sphere((place * UNIT, -0.0405, z * UNIT), 0.0025, tip),
            ]
    rim = tube(
        [((50 + 21.5 * c) * UNIT, -0.0155, (68 + 27.5 * s) * UNIT) for c, s in circle(1, 32)],
        0.0024,
        back,
        cyclic=True,
    )
    hole = sphere((50 * UNIT, -0.0135, -26 * UNIT), 0.0042, tip, (1, 0.5, 1))
    return [group([body, cushion, rim, hole, *pins], rotation=(-12, 14, -44))]
