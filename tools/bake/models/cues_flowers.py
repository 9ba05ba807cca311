"""Flowers. The tint goes to the blooms that carry the name."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from toolkit import (
    airy,
    ball_template,
    cue,
    group,
    lathe,
    leaf_template,
    material,
    patch,
    place_at,
    point_along,
    scatter,
    sphere,
    tint,
    tube,
)
from toolkit.scatter import VIEWER, Placed

Point = tuple[float, float, float]
STEM = (64, 84, 52)
TWIG = (82, 72, 64)


def _bloom(
    origin: Sequence[float],
    facing: Sequence[float],
    size: float,
    count: int = 5,
    open_: float = 0.95,
    spin: float = 0,
) -> list[Placed]:
    """Frames of ``count`` petals round a centre that looks along ``facing``."""
    _, (x, _, z) = place_at(origin, (0.1, 0.02, 1), facing)
    front = np.asarray(facing, float) / np.linalg.norm(facing)
    frames = []
    for k in range(count):
        turn = spin + 2 * math.pi * k / count
        out = math.cos(turn) * z + math.sin(turn) * x
        frames.append(place_at(origin, open_ * out + (1 - open_) * front, front - 0.2 * out, size))
    return frames


@cue("dried rose", technique="plant", thin=True)
def dried_rose() -> list[Any]:
    """A single rose with crinkled petals, a stiff stem with thorns and withered leaves."""
    bloom, stalk = (
        airy(tint("bloom", 0.8, sheen=0.2, bump=(260, 0.3)), 0.16),
        material("stalk", (88, 86, 62), 0.8),
    )
    petals = [_rose_petal(k, *row) for row in ROSE_ROWS for k in range(row[0])]
    head = group([patch(s, bloom, 15, 13, 0.0012) for s in petals], (0, -0.004, 0.135), (34, 8, 0), 1.12)
    stem = [(0.006, 0, 0), (-0.002, 0, 0.05), (0.002, 0, 0.1), (0, 0, 0.135)]
    cup = sphere((0, 0, 0.13), 0.011, stalk, (1, 1, 0.8))
    thorns = [
        tube([(s * 0.002, 0, z), (s * 0.009, -0.002, z + 0.003)], 0.0022, stalk, taper=[1, 0.1])
        for s, z in ((1, 0.03), (-1, 0.06), (1, 0.095))
    ]
    leaf = leaf_template(0.27, 0.9, 0.25, 0.9)
    places = [
        ((0, 0, 0.07), (1, -0.1, 0.35), 0.052),
        ((0, 0, 0.045), (-1, -0.1, 0.5), 0.05),
        ((0, 0, 0.085), (-0.8, 0, 0.9), 0.034),
    ]
    leaves = scatter(leaf, [place_at(o, w, (0, -1, 0.5), s) for o, w, s in places], stalk)
    return [head, tube(stem, 0.0036, stalk), cup, *thorns, leaves]


ROSE_ROWS = (
    (3, 0.011, 0.034, 0.02, 0.3),
    (4, 0.018, 0.036, 0.06, 0.8),
    (5, 0.026, 0.034, 0.25, 1.7),
    (6, 0.033, 0.026, 0.55, 2.6),
)


def _rose_petal(
    k: int, count: int, radius: float, height: float, flare: float, shift: float
) -> Callable[[float, float], Point]:
    """A petal of the ring at ``radius``: it wraps the middle and rolls out at the top by ``flare``."""

    def surface(u: float, v: float) -> Point:
        across = 2 * v - 1
        turn = (
            shift
            + 2 * math.pi * k / count
            + across * 1.25 * math.pi / count * 1.3 * math.sin(math.pi * (0.2 + 0.62 * u))
        )
        out = (
            radius * (math.sin(math.pi / 2 * min(u * 1.7, 1)) + flare * max(u - 0.55, 0) ** 1.5 * 1.6)
            + 0.0022 * across
        )
        rise = (
            height * (u - 0.14 * flare * u**5 * 2)
            - 0.005 * across * across * u
            + 0.0012 * math.sin(9 * v + k) * u
        )
        return out * math.cos(turn), out * math.sin(turn), rise - 0.006

    return surface


@cue("baby's-breath cluster", technique="plant", thin=True)
def babys_breath_cluster() -> list[Any]:
    """A cloud of tiny double blossoms on thin branching stems, tied with twine."""
    random = np.random.default_rng(4)
    green = material("stem", STEM, 0.7)
    heads, stems = [], []
    for _ in range(92):
        way = random.normal(size=3) * (1, 0.8, 0.72)
        way *= random.uniform(0.75, 1) ** 0.5 / np.linalg.norm(way)
        heads.append(np.array([0, 0, 0.118]) + way * (0.058, 0.045, 0.044))
    for head in heads[::2]:
        fork = np.array([head[0] * 0.45, head[1] * 0.45, 0.068 + 0.1 * abs(head[0])])
        stems.append(tube([(head[0] * 0.08, 0, 0.03), tuple(fork), tuple(head)], 0.0009, green))
    foot = [
        tube([(0.02 * s, 0.004 * (-1) ** k, 0), (0.0, 0, 0.032), (-0.012 * s, 0, 0.066)], 0.0013, green)
        for k, s in enumerate((-1, -0.6, -0.2, 0.2, 0.6, 1))
    ]
    florets = [
        place_at(h + random.normal(size=3) * 0.0036, (0, 0, 1), VIEWER, 0.0052)
        for h in heads
        for _ in range(4)
    ]
    twine = [
        tube(
            [(0.0055 * math.cos(a), 0.0055 * math.sin(a), 0.031 + z) for a in np.linspace(0, 6.1, 14)],
            0.0016,
            material("twine", (150, 138, 120), 0.9),
            cyclic=True,
        )
        for z in (-0.003, 0, 0.003)
    ]
    paint = airy(tint("floret", 0.9, sheen=0.2), 0.12)
    return [scatter(ball_template(segments=8), florets, paint), *stems, *foot, *twine]


@cue("orchid stem", technique="plant", thin=True)
def orchid_stem() -> list[Any]:
    """An arching stem with four moth-orchid blooms, buds at its tip and two leaves at its foot."""
    paint, green = tint("bloom", 0.6, sheen=0.2), material("stem", STEM, 0.6)
    line = [
        (-0.03, 0, 0),
        (-0.036, 0, 0.06),
        (-0.028, 0, 0.115),
        (0.0, 0, 0.15),
        (0.04, 0, 0.152),
        (0.068, -0.004, 0.13),
    ]
    places = [
        (-0.036, -0.012, 0.098, 1.0),
        (0.0, -0.018, 0.14, 1.05),
        (0.044, -0.014, 0.132, 0.95),
        (0.014, -0.01, 0.083, 0.85),
    ]
    parts: list[Any] = [tube(line, 0.0027, green)]
    parts.append(tube([(0.0, 0, 0.148), (0.012, 0, 0.115), (0.014, -0.004, 0.086)], 0.0018, green))
    for x, y, z, size in places:
        parts += _orchid_bloom((x, y, z), size, paint)
    buds = [
        place_at(p, (0.3, 0, -1), VIEWER, r)
        for p, r in (((0.07, -0.004, 0.126), 0.0085), ((0.078, -0.004, 0.108), 0.0068))
    ]
    blades = [place_at((-0.03, 0, 0.002), (s, -0.15, 0.42), (0, -1, 0.9), 0.066) for s in (-0.9, 1)]
    return [
        *parts,
        scatter(ball_template(), buds, paint),
        scatter(leaf_template(0.17, 0.5, 0.3, 0.6), blades, green),
    ]


def _orchid_bloom(at: Point, size: float, paint: Any) -> list[Any]:
    x, y, z = at
    facing = (x * 3, -1, -0.1)
    sepals = [
        place_at((x, y + 0.002, z), (math.sin(a), 0.05, math.cos(a)), facing, 0.031 * size)
        for a in (0, 2.35, -2.35)
    ]
    wings = [place_at((x, y, z), (s, 0.0, 0.22), facing, 0.034 * size) for s in (-1, 1)]
    lip = place_at((x, y - 0.003, z), (0, -0.5, -1), facing, 0.016 * size)
    heart = sphere((x, y - 0.006, z - 0.001), 0.0044 * size, material("heart", (240, 236, 224), 0.5))
    tongue = scatter(leaf_template(0.4, -0.8, -0.3, 0.6), [lip], material("lip", (112, 104, 110), 0.5))
    return [
        scatter(leaf_template(0.33, 0.2, 0.1, 0.7), sepals, paint),
        scatter(leaf_template(0.53, 0.2, 0.08, 0.5), wings, paint),
        heart,
        tongue,
    ]


@cue("cherry blossom branch", technique="plant", thin=True)
def cherry_blossom_branch() -> list[Any]:
    """A forked dark twig covered with five-petalled blossoms and buds."""
    bark = material("bark", (70, 60, 56), 0.9, bump=(300, 0.5))
    twigs = [[(-0.07, 0, 0.0), (-0.03, 0, 0.036), (0.0, 0.002, 0.064), (0.03, 0, 0.098), (0.07, 0, 0.128)]]
    twigs += [
        [(-0.022, 0, 0.042), (-0.034, 0, 0.082), (-0.026, 0, 0.122)],
        [(0.014, 0, 0.076), (0.05, -0.004, 0.072), (0.076, 0, 0.08)],
    ]
    parts = [
        tube(t, 0.0046 if k == 0 else 0.0028, bark, taper=[1.2, *[0.85] * (len(t) - 2), 0.4])
        for k, t in enumerate(twigs)
    ]
    spots = [
        (0, 0.42),
        (0, 0.58),
        (0, 0.72),
        (0, 0.86),
        (0, 1),
        (1, 0.4),
        (1, 0.72),
        (1, 1),
        (2, 0.5),
        (2, 1),
        (0, 0.25),
    ]
    random, petals, hearts = np.random.default_rng(3), [], []
    for k, (branch, t) in enumerate(spots):
        centre = point_along(twigs[branch], t) + np.array(
            (0.009 * (-1) ** k, -0.007, 0.005 * (-1) ** (k // 2))
        )
        facing = (random.uniform(-0.5, 0.5), -1, random.uniform(-0.2, 0.6))
        petals += _bloom(centre, facing, random.uniform(0.018, 0.0215), spin=k)
        hearts.append(place_at(centre - np.array((0, 0.0016, 0)), (0, 0, 1), VIEWER, 0.0034))
    buds = [
        place_at(point_along(twigs[b], t) + np.array((dx, -0.003, 0.008)), (dx, 0, 1), VIEWER, 0.0055)
        for b, t, dx in ((0, 0.94, -0.008), (1, 0.88, 0.011), (2, 0.78, 0.004), (0, 0.34, -0.012))
    ]
    paint = tint("petal", 0.7, sheen=0.2)
    flowers = [
        scatter(leaf_template(0.44, 0.25, -0.12, 0.55, 0.16), petals, paint),
        scatter(ball_template(), buds, paint),
    ]
    return [*parts, *flowers, scatter(ball_template(), hearts, material("heart", (238, 226, 200), 0.7))]


@cue("lily-of-the-valley", technique="plant", thin=True)
def lily_of_the_valley() -> list[Any]:
    """An arching stem of hanging bells in front of one broad leaf."""
    paint, green = tint("bell", 0.55, sheen=0.2), material("leaf", (52, 82, 50), 0.6)
    line = [(-0.01, 0, 0), (-0.018, 0, 0.06), (-0.008, 0, 0.115), (0.026, 0, 0.146), (0.058, -0.002, 0.142)]
    parts = [tube(line, 0.0024, green)]
    bells = [
        (0.3, -0.03, 0.9),
        (0.44, 0.032, 1.05),
        (0.54, -0.036, 1.0),
        (0.66, 0.03, 1.05),
        (0.74, -0.014, 0.95),
        (0.87, 0.016, 0.9),
        (1.0, 0.012, 0.75),
    ]
    for t, side, size in bells:
        root = point_along(line, t)
        top = root + np.array((side, -0.012, -0.01))
        parts.append(
            tube(
                [tuple(root), tuple(root + np.array((side * 0.6, -0.006, 0.006))), tuple(top)], 0.0012, green
            )
        )
        parts.append(
            lathe(BELL, paint, (top[0], top[1], top[2] - 0.029 * size), (12, side * 500, 0), sharp=70)
        )
        parts[-1].scale = (size * 1.15,) * 3
    blade = leaf_template(0.18, 0.9, 0.12, 0.75)
    leaves = [
        place_at((-0.01, 0.012, 0), (-0.42, 0.1, 1), (0.5, -1, 0), 0.125),
        place_at((-0.006, 0.012, 0), (0.5, 0.1, 1), (-0.5, -1, 0), 0.095),
    ]
    return [*parts, scatter(blade, leaves, green)]


BELL = [
    (0.0155, 0.0),
    (0.0165, 0.0012),
    (0.0142, 0.0045),
    (0.0132, 0.010),
    (0.0125, 0.018),
    (0.009, 0.025),
    (0.003, 0.028),
    (0, 0.0285),
]
