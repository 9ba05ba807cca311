"""Jewellery and hair things."""

from __future__ import annotations

import math
from typing import Any

from toolkit import (
    circle,
    cue,
    cylinder,
    group,
    inflate,
    material,
    metal,
    patch,
    smooth_outline,
    sphere,
    tint,
    tint_metal,
    tube,
)

UNIT = 0.0018
Point = tuple[float, float, float]
HEART = [(50, 84), (62, 97), (80, 98), (94, 86), (96, 66), (84, 42), (66, 22), (50, 6)]
HEART += [(100 - x, z) for x, z in reversed(HEART[1:-1])]


@cue("silk hair scrunchie", technique="sweep")
def silk_hair_scrunchie() -> list[Any]:
    """A ruffled ring of silk, tilted towards the viewer."""
    silk = tint("silk", 0.42, sheen=0.2)

    def ruffle(u: float, v: float) -> Point:
        around, across = 2 * math.pi * u, 2 * math.pi * v
        fold = math.sin(21 * around + 1.6 * math.sin(3 * around))
        swell = 0.0225 * (
            1 + 0.2 * fold * (0.45 + 0.55 * math.cos(across)) + 0.06 * math.sin(34 * around + 2 * across)
        )
        ring = 0.047 + swell * math.cos(across)
        lift = 0.0035 * math.sin(5 * around) + 0.0025 * fold * math.sin(across + 0.6)
        return ring * math.cos(around), ring * math.sin(around), swell * 0.92 * math.sin(across) + lift

    return [group([patch(ruffle, silk, 361, 25, 0.001)], rotation=(38, 0, 0))]


@cue("silver locket", technique="inflate")
def silver_locket() -> list[Any]:
    """A heart locket opened like a book, a grey portrait in each half, on its chain."""
    case, steel = tint_metal("case", roughness=0.32), metal("chain", (196, 198, 204), 0.28)
    halves = [group(_locket_half(case, x), rotation=(0, 0, turn)) for x, turn in ((1, -8), (-101, 48))]
    hinge = [cylinder((0, 0.001, z), 0.0042, 0.016, steel, bevel=0.001) for z in (0.112, 0.134)]
    bail = tube(
        [(51 * UNIT + 0.0085 * c, 0.01, 0.165 + 0.0115 * s) for c, s in circle(1, 20)],
        0.0026,
        steel,
        cyclic=True,
    )
    return [group([*halves, *hinge, bail, *_chain(steel)], rotation=(-8, 0, -6))]


def _locket_half(case: Any, shift: float) -> list[Any]:
    """One heart-shaped half moved ``shift`` units along x; the hinge is the z axis."""
    grey = material("portrait", (112, 113, 117), 0.8)
    heart = [(x + shift, z) for x, z in HEART]
    inner = [(50 + shift + (x - 50) * 0.62, 54 + (z - 54) * 0.62) for x, z in HEART]
    plate = inflate(heart, case, 4, 9)
    photo = inflate(inner, material("photo", (226, 223, 216), 0.6), 1.6, 3, -3.2)
    rims = [((heart, 0.0056), (-0.003)), ((inner, 0.003), (-0.0075))]
    edges = [tube([(x * UNIT, y, z * UNIT) for x, z in line], r, case, cyclic=True) for (line, r), y in rims]
    outline = [(-17, 36), (-12, 45), (-5, 49), (-5, 53), (-9, 60), (-8, 70), (0, 75)]
    outline += [(-x, z) for x, z in reversed(outline[:-1])] + [(12, 31), (0, 22), (-12, 31)]
    bust = inflate([(50 + shift + x, z) for x, z in outline], grey, 1, 2, -4.6, step=0.7)
    return [plate, photo, *edges, bust]


def _chain(paint: Any) -> list[Any]:
    """Links rising from the bail in a loop and meeting above it."""
    links = []
    for k in range(34):
        turn = math.radians(-90 + 360 * (k + 0.5) / 34)
        centre = (51 * UNIT + 0.062 * math.cos(turn), 0.01, 0.222 + 0.048 * math.sin(turn))
        link = tube([(0.0078 * c, 0.0, 0.0046 * s) for c, s in circle(1, 10)], 0.0017, paint, cyclic=True)
        links.append(group([link], centre, (90 * (k % 2), -math.degrees(turn) - 90, 0)))
    return links


@cue("pearl earring", technique="spheres")
def pearl_earring() -> list[Any]:
    """A pair of large pearl drops with silver caps and ear hooks."""
    pearl, steel = tint("pearl", 0.25, coat=0.2), metal("hook", (198, 200, 206), 0.25)
    parts = []
    for x, y, turn in ((-0.034, -0.004, 14), (0.034, 0.01, -12)):
        drop = [
            sphere((0, 0, 0.0275), 0.0275, pearl, (1, 1, 1.06)),
            sphere((0, 0, 0.055), 0.0085, steel, (1, 1, 0.6)),
        ]
        hook = [
            (0, 0, 0.056),
            (0, 0, 0.074),
            (-0.004, 0, 0.092),
            (0.002, 0, 0.108),
            (0.016, 0, 0.11),
            (0.024, 0, 0.096),
            (0.023, 0, 0.07),
        ]
        drop += [tube(hook, 0.0022, steel), sphere((0, 0, 0.068), 0.005, pearl)]
        drop.append(
            tube([(0.0042 * c, 0, 0.0605 + 0.0042 * s) for c, s in circle(1, 12)], 0.0013, steel, cyclic=True)
        )
        parts.append(group(drop, (x, y, 0), (0, 0, turn)))
    return parts


@cue("enamel charm", technique="inflate")
def enamel_charm() -> list[Any]:
    """A five-pointed enamel star edged with silver wire, on a lobster clasp."""
    enamel, steel = tint("enamel", 0.22), metal("silver", (198, 200, 206), 0.25)
    star = [
        (
            50 + (50 if k % 2 == 0 else 25) * math.sin(math.pi * k / 5),
            50 + (50 if k % 2 == 0 else 25) * math.cos(math.pi * k / 5),
        )
        for k in range(10)
    ]
    plate = inflate(star, enamel, 4.5, 9, -2, False)
    rim = tube([(x * UNIT, 0, z * UNIT) for x, z in star], 0.0045, steel, cyclic=True, smooth=False)
    joints = [sphere((x * UNIT, 0, z * UNIT), 0.0045, steel) for x, z in star]
    ring = tube([(0.09, 0.011 * c, 0.193 + 0.011 * s) for c, s in circle(1, 20)], 0.0024, steel, cyclic=True)
    clasp = [
        (x * UNIT, z * UNIT)
        for x, z in smooth_outline(
            [(40, 118), (38, 132), (44, 146), (50, 150), (57, 146), (62, 132), (58, 118), (50, 112)]
        )
    ]
    hook = tube([(x, 0, z) for x, z in clasp], 0.0042, steel, cyclic=True)
    lever = tube([(0.108, 0, 0.226), (0.118, 0, 0.24)], 0.0028, steel)
    return [group([plate, rim, *joints, ring, hook, lever], rotation=(-10, 0, -12))]
