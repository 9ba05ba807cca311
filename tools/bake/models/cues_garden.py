"""Small ornaments for the garden and the flower pot."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from toolkit import airy, cue, group, inflate, lathe, material, metal, sphere, tint, tube
from toolkit.shapes import mesh_object

UNIT = 0.0018
Point = tuple[float, float, float]


@cue("butterfly stake", technique="inflate")
def butterfly_stake() -> list[Any]:
    """A butterfly with dark wing veins on a short metal rod with a coiled foot."""
    wing, dark = tint("wing", 0.45), material("body", (58, 56, 58), 0.5)
    upper = [(51, 52), (54, 66), (66, 84), (84, 94), (98, 92), (101, 76), (94, 58), (76, 48), (60, 46)]
    lower = [(51, 50), (62, 47), (80, 46), (90, 34), (88, 18), (76, 10), (64, 18), (56, 34)]
    parts = []
    for m in (False, True):
        halves = [inflate(upper, wing, 3.5, 6, 0, mirror=m), inflate(lower, wing, 3.5, 6, 1.5, mirror=m)]
        lines = [
            [(53, 53), (72, 72), (92, 86)],
            [(53, 52), (74, 62), (94, 70)],
            [(54, 47), (70, 34), (80, 20)],
        ]
        veins = [tube([(_side(x, m), -0.0072, z * UNIT) for x, z in line], 0.0013, dark) for line in lines]
        spots = [
            sphere((_side(x, m), -0.0068, z * UNIT), r, dark, (1, 0.3, 1))
            for x, z, r in ((90, 80, 0.006), (80, 30, 0.005))
        ]
        parts.append(group([*halves, *veins, *spots], (0, 0, 0)))
    body = sphere((50 * UNIT, -0.005, 50 * UNIT), 0.008, dark, (0.85, 0.85, 4))
    head = sphere((50 * UNIT, -0.006, 70 * UNIT), 0.0085, dark)
    feelers = [
        tube(
            [
                (50 * UNIT, -0.006, 72 * UNIT),
                ((50 + 6 * s) * UNIT, -0.008, 86 * UNIT),
                ((50 + 15 * s) * UNIT, -0.008, 92 * UNIT),
            ],
            0.0016,
            dark,
        )
        for s in (-1, 1)
    ]
    rod = tube(
        [(50 * UNIT, 0.006, 60 * UNIT), (50 * UNIT, 0.006, -30 * UNIT)],
        0.0028,
        metal("rod", (120, 122, 128), 0.4),
    )
    return [group([*parts, body, head, *feelers, rod], rotation=(0, 0, -14))]


def _side(x: float, mirror: bool) -> float:
    return (100 - x if mirror else x) * UNIT


@cue("ladybug ornament", technique="spheres")
def ladybug_ornament() -> list[Any]:
    """A domed beetle with seven dark spots, a dark head with pale cheeks and feelers."""
    shell, dark = airy(tint("shell", 0.35), 0.06), material("dark", (48, 47, 50), 0.35)
    pale = material("cheek", (232, 230, 222), 0.5)
    radius = np.array([0.058, 0.05, 0.047])
    dome = sphere((0, 0, 0.008), 1, shell, tuple(radius.tolist()))
    belly = lathe([(0, 0), (0.045, 0), (0.05, 0.006), (0.05, 0.012), (0, 0.012)], dark)
    belly.scale = (1.12, 0.96, 1)
    seam = [
        (0.0585 * math.cos(t), 0, 0.008 + 0.0474 * math.sin(t)) for t in np.linspace(0.05, math.pi - 0.4, 24)
    ]
    parts = [dome, belly, tube(seam, 0.0016, dark)]
    for turn, rise, size in (
        (-62, 40, 0.0125),
        (-112, 52, 0.0115),
        (-28, 22, 0.0095),
        (-140, 20, 0.0105),
        (-88, 16, 0.0115),
        (62, 45, 0.012),
        (118, 50, 0.011),
        (-20, 58, 0.009),
    ):
        parts.append(_spot(turn, rise, size, radius, dark))
    parts += [sphere((-0.055, 0, 0.026), 0.023, dark, (0.85, 1.05, 0.95))]
    for s in (-1, 1):
        parts.append(sphere((-0.066, s * 0.0125, 0.035), 0.0068, pale, (0.7, 1, 1)))
        parts.append(
            tube(
                [(-0.06, s * 0.008, 0.044), (-0.068, s * 0.014, 0.062), (-0.08, s * 0.02, 0.068)],
                0.0016,
                dark,
            )
        )
        parts.append(sphere((-0.08, s * 0.02, 0.068), 0.0032, dark))
    return [group(parts, rotation=(0, 0, 38))]


def _spot(turn: float, rise: float, size: float, radius: Any, paint: Any) -> Any:
    a, b = math.radians(turn), math.radians(rise)
    way = np.array([math.cos(b) * math.cos(a), math.cos(b) * math.sin(a), math.sin(b)])
    across = np.cross((0, 0, 1), way)
    across /= np.linalg.norm(across)
    up = np.cross(way, across)
    ring = [
        size * (math.cos(t) * across + math.sin(t) * up) / 0.05
        for t in np.linspace(0, 2 * math.pi, 24, False)
    ]
    points = [way * 1.022, *((way + r) / np.linalg.norm(way + r) * 1.008 for r in ring)]
    vertices = [tuple((p * radius + (0, 0, 0.008)).tolist()) for p in points]
    return mesh_object(vertices, [[0, 1 + k, 1 + (k + 1) % 24] for k in range(24)], paint)


@cue("polished pebble pile", technique="spheres")
def polished_pebble_pile() -> list[Any]:
    """Smooth flat stones heaped into a small cairn, three shades of one colour."""
    paints = [tint(f"stone{k}", 0.28, shade=shade, coat=0.15) for k, shade in enumerate((1.0, 0.86, 0.94))]
    stones = [
        *[
            (-0.055, -0.02, 0.018, 0.034, 0.55, 12),
            (0.012, -0.042, 0.017, 0.036, 0.5, -10),
            (0.068, -0.012, 0.017, 0.032, 0.56, 30),
        ],
        *[
            (0.02, 0.03, 0.018, 0.04, 0.5, 0),
            (-0.04, 0.035, 0.017, 0.034, 0.52, 40),
            (0.093, -0.045, 0.011, 0.02, 0.6, 0),
        ],
        *[
            (-0.02, -0.008, 0.048, 0.034, 0.5, -20),
            (0.04, 0.0, 0.046, 0.032, 0.52, 25),
            (-0.088, -0.046, 0.012, 0.021, 0.6, 15),
        ],
        (0.008, -0.004, 0.077, 0.031, 0.5, 8),
        (0.006, -0.003, 0.103, 0.022, 0.55, -30),
    ]
    parts = []
    for k, (x, y, z, size, flat, turn) in enumerate(stones):
        parts.append(
            sphere((x, y, z), size, paints[k % 3], (1.18, 0.92, flat), (4 * (k % 3 - 1), 5 * (k % 2), turn))
        )
    return parts


@cue("snail figurine", technique="sweep")
def snail_figurine() -> list[Any]:
    """A snail with a large grooved spiral shell and a pale glazed body."""
    shell, body = tint("shell", 0.3), material("body", (206, 200, 188), 0.4)
    steps, path, taper = 110, [], []
    for k in range(steps + 1):
        t = k / steps
        turn = math.radians(-128 + 1040 * (1 - t))
        radius = 0.003 + 0.0365 * t**1.35
        path.append((radius * math.cos(turn) + 0.012, -0.016 * (1 - t), radius * math.sin(turn) + 0.062))
        taper.append(0.22 + 0.78 * t)
    whorl = tube(path, 0.0225, shell, taper=taper)
    line = [
        (0.075, 0, 0.007),
        (0.04, 0, 0.013),
        (0, 0, 0.0155),
        (-0.04, 0, 0.0155),
        (-0.062, 0, 0.026),
        (-0.07, 0, 0.05),
        (-0.074, 0, 0.062),
    ]
    foot = tube(line, 0.0145, body, taper=[0.15, 0.75, 1.05, 1.05, 0.95, 0.85, 0.8])
    foot.scale = (1, 1.35, 1)
    head = sphere((-0.0745, 0, 0.064), 0.0145, body, (1.05, 1.15, 0.95))
    dark = material("dark", (40, 39, 41), 0.3)
    horns = []
    for s in (-1, 1):
        tip = (-0.088, s * 0.016, 0.099)
        horns += [
            tube([(-0.076, s * 0.006, 0.07), (-0.081, s * 0.011, 0.086), tip], 0.0028, body),
            sphere(tip, 0.0046, body),
        ]
        horns.append(sphere((-0.0865, s * 0.009 - 0.002, 0.068), 0.0026, dark))
    return [group([whorl, foot, head, *horns], rotation=(0, 0, 20))]
