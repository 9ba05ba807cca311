"""Floor and table lamps in ten styles; the floor stays free left, right and in front."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from toolkit import (
    Anchor,
    Camera,
    Piece,
    box,
    cylinder,
    furniture,
    group,
    lathe,
    material,
    metal,
    patch,
    sphere,
    tint,
    tint_fabric,
    tint_metal,
    tint_wood,
    tube,
)

Point = tuple[float, float, float]
Point2 = tuple[float, float]
UPRIGHT = (20.0, 20.0, 1.5)
TALL = Camera((1.2, -4.4, 1.85), (0.0, 0.0, 0.68), 75)
SMALL = Camera((1.1, -3.6, 1.24), (0.0, 0.0, 0.25), 155)
FLOOR_TALL: tuple[Point2, ...] = ((-0.575, -0.45), (0.724, -0.1), (0.376, -0.735))
FLOOR_SMALL: tuple[Point2, ...] = ((-0.214, -0.26), (0.323, -0.1), (0.2, -0.414))


@furniture("lamp")
def lamp(style: str) -> Piece:
    """The shade in the body colour, stem and foot in the second one."""
    makers: dict[str, tuple[Callable[[], list[Any]], Camera]] = {
        "modern": (_arc_lamp, TALL),
        "minimalist": (_globe_lamp, SMALL),
        "vintage": (_fringed_lamp, SMALL),
        "industrial": (_jointed_lamp, SMALL),
        "scandinavian": (_tripod_lamp, TALL),
        "bohemian": (_wicker_lamp, SMALL),
        "mid-century": (_cone_lamp, TALL),
        "rustic": (_post_lamp, SMALL),
        "japandi": (_paper_lamp, SMALL),
        "art-deco": (_dome_lamp, SMALL),
    }
    make, camera = makers[style]
    return Piece(make(), _floor(camera), camera)


def _floor(camera: Camera) -> list[Anchor]:
    """Places left, right and in front for a cue a fifth of the frame tall."""
    spots = FLOOR_TALL if camera is TALL else FLOOR_SMALL
    unit = 0.46 if camera is TALL else 0.18
    names = ("floor_left", "floor_right", "floor_front")
    return [Anchor(n, "floor", (x, y, 0), unit, unit * 1.3) for n, (x, y) in zip(names, spots, strict=True)]


def _shade(bottom: Point2, top: Point2, paint: Any, at: Point = (0, 0, 0)) -> list[Any]:
    """A straight shade between two (radius, height) rims with hemmed edges, spokes and a bulb inside."""
    wire, bulb = metal("wire", (150, 150, 152), 0.35), material("bulb", (240, 238, 230), 0.3)
    x, y, z = at
    (r0, z0), (r1, z1) = bottom, top
    skin = [(r0 - 0.003, z0), (r0, z0), (r1, z1), (r1 - 0.003, z1), (r0 - 0.003, z0)]
    parts = [lathe(skin, paint, at=at, segments=96)]
    parts += [tube(_circle(r, h, at), 0.0035 + r * 0.008, paint, cyclic=True) for r, h in (bottom, top)]
    for turn in (0.5, 2.6, 4.7):
        end = (x + r1 * math.cos(turn), y + r1 * math.sin(turn), z + z1 - 0.004)
        parts.append(tube([(x, y, z + z1 - 0.012), end], 0.002 + r1 * 0.006, wire, smooth=False))
    parts.append(sphere((x, y, z + z0 * 0.4 + z1 * 0.6), r1 * 0.28, bulb))
    return parts


def _circle(radius: float, height: float, at: Point = (0, 0, 0), count: int = 40) -> list[Point]:
    turns = [2 * math.pi * i / count for i in range(count)]
    return [(at[0] + radius * math.cos(a), at[1] + radius * math.sin(a), at[2] + height) for a in turns]


def _curve(points: Sequence[Point2], steps: int = 6) -> list[Point2]:
    """A smooth profile through the points (Catmull-Rom, open)."""
    padded = [points[0], *points, points[-1]]
    out = []
    for a, b, c, d in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        out += [
            (_cubic(a[0], b[0], c[0], d[0], k / steps), _cubic(a[1], b[1], c[1], d[1], k / steps))
            for k in range(steps)
        ]
    return [*out, points[-1]]


def _cubic(a: float, b: float, c: float, d: float, t: float) -> float:
    low, mid = 2 * a - 5 * b + 4 * c - d, 3 * b - a - 3 * c + d
    return 0.5 * (2 * b + (c - a) * t + low * t * t + mid * t**3)


def _ribbed(
    profile: Sequence[Point2], paint: Any, ribs: int, depth: float, at: Point = (0, 0, 0), sharp: bool = False
) -> Any:
    """A lathe whose radius swells and shrinks ``ribs`` times round by ``depth`` (a share of the radius)."""
    last = len(profile) - 1

    def surface(u: float, v: float) -> Point:
        r, z = profile[round(v * last)]
        wave = abs(math.sin(math.pi * ribs * u)) if sharp else 0.5 + 0.5 * math.cos(2 * math.pi * ribs * u)
        turn = 2 * math.pi * u + math.pi / 2
        return (
            r * (1 - depth + depth * wave) * math.cos(turn),
            r * (1 - depth + depth * wave) * math.sin(turn),
            z,
        )

    return patch(surface, paint, ribs * 8 + 1, last + 1, 0.002, at)


def _arc_lamp() -> list[Any]:
    """A dome hanging from a long steel arc on a heavy disc."""
    shade, steel = tint("shade", 0.35), tint_metal("steel", zone=2)
    parts = [
        lathe(
            [(0, 0), (0.17, 0), (0.175, 0.006), (0.175, 0.05), (0.168, 0.058), (0, 0.058)],
            steel,
            at=(0.38, 0.05, 0),
        )
    ]
    path = [(0.38, 0.05), (0.38, 0.7), (0.36, 1.15), (0.2, 1.46), (-0.08, 1.52), (-0.3, 1.38), (-0.36, 1.26)]
    parts.append(tube([(x, 0.05, z) for x, z in path], 0.014, steel))
    dome = _curve([(0.0, 0.2), (0.06, 0.198), (0.15, 0.17), (0.22, 0.1), (0.25, 0.0)])
    inner = [(r - 0.006, z) for r, z in reversed(dome[2:])]
    parts.append(lathe([*dome, *inner], shade, at=(-0.36, 0.05, 1.06), segments=96))
    parts.append(cylinder((-0.36, 0.05, 1.275), 0.026, 0.05, steel))
    parts.append(sphere((-0.36, 0.05, 1.09), 0.06, material("bulb", (240, 238, 230), 0.3)))
    return parts


def _globe_lamp() -> list[Any]:
    """A plain globe resting on a slim column and a flat disc."""
    glass, foot = tint("opal", 0.25), tint("foot", 0.35, zone=2, metallic=0.3)
    parts = [cylinder((0, 0, 0.009), 0.095, 0.018, foot), cylinder((0, 0, 0.13), 0.012, 0.24, foot)]
    parts.append(lathe([(0.012, 0.235), (0.03, 0.24), (0.055, 0.262), (0.06, 0.275), (0, 0.275)], foot))
    return [*parts, sphere((0, 0, 0.375), 0.128, glass)]


def _fringed_lamp() -> list[Any]:
    """A fluted bell shade with a fringe on a turned foot."""
    cloth, frame = tint("silk", 0.7, sheen=0.25), tint_wood("foot", zone=2, scale=UPRIGHT)
    bell = _curve([(0.165, 0.3), (0.148, 0.345), (0.118, 0.4), (0.088, 0.45), (0.07, 0.5)], 4)
    parts = [_ribbed(bell, cloth, 16, 0.09)]
    parts += [tube(_circle(0.071, 0.5), 0.005, cloth, cyclic=True)]
    for k in range(110):
        a = 2 * math.pi * k / 110
        x, y = 0.16 * math.cos(a), 0.16 * math.sin(a)
        parts.append(
            tube([(x, y, 0.305), (x * 1.01, y * 1.01, 0.262)], 0.0032, cloth, smooth=False, taper=[1, 1.3])
        )
    foot = [
        (0, 0),
        (0.092, 0),
        (0.095, 0.012),
        (0.082, 0.022),
        (0.06, 0.03),
        (0.03, 0.042),
        (0.026, 0.056),
        (0.05, 0.085),
    ]
    foot += [
        (0.062, 0.125),
        (0.05, 0.17),
        (0.026, 0.205),
        (0.02, 0.22),
        (0.032, 0.232),
        (0.02, 0.246),
        (0.014, 0.3),
        (0.014, 0.46),
    ]
    parts.append(lathe(_curve(foot, 4), frame, sharp=60))
    brass = metal("brass", (196, 164, 96), 0.3)
    return [*parts, cylinder((0, 0, 0.487), 0.008, 0.05, brass), sphere((0, 0, 0.52), 0.013, brass)]


def _jointed_lamp() -> list[Any]:
    """A sprung two-arm lamp with a metal cone on a weighted foot."""
    paint, steel = tint("enamel", 0.35), tint_metal("steel", zone=2)
    parts = [
        lathe(
            [(0, 0), (0.1, 0), (0.104, 0.005), (0.104, 0.02), (0.09, 0.034), (0.03, 0.042), (0, 0.042)],
            paint,
            at=(0.07, 0, 0),
        )
    ]
    foot, elbow, head = (0.07, 0.06), (0.17, 0.27), (-0.06, 0.45)
    parts.append(cylinder((0.07, 0, 0.055), 0.016, 0.04, steel))
    for a, b in ((foot, elbow), (elbow, head)):
        parts += [
            tube([(a[0], y, a[1]), (b[0], y, b[1])], 0.0065, steel, smooth=False) for y in (-0.014, 0.014)
        ]
    parts += [cylinder((x, 0, z), 0.018, 0.05, steel, (90, 0, 0)) for x, z in (foot, elbow, head)]
    parts.append(tube(_coil(foot, elbow), 0.0028, steel))
    cone = [
        (0, 0.0),
        (0.026, 0.0),
        (0.032, -0.012),
        (0.034, -0.06),
        (0.05, -0.078),
        (0.098, -0.165),
        (0.1, -0.172),
    ]
    inner = [(0.094, -0.168), (0.046, -0.078), (0, -0.07)]
    parts.append(lathe([*cone, *inner], paint, at=(-0.07, 0, 0.458), rotation=(0, 28, 0), sharp=50))
    return parts


def _coil(a: Point2, b: Point2, turns: int = 16) -> list[Point]:
    """A spring along the lower part of an arm."""
    out = []
    for k in range(turns * 8):
        t, turn = 0.12 + 0.5 * k / (turns * 8), math.pi * k / 4
        out.append(
            (
                a[0] + (b[0] - a[0]) * t + 0.008 * math.cos(turn),
                0.008 * math.sin(turn),
                a[1] + (b[1] - a[1]) * t,
            )
        )
    return out


def _tripod_lamp() -> list[Any]:
    """A wide drum shade on three straight wooden legs."""
    cloth, frame = tint_fabric(weave=70), tint_wood("legs", zone=2, scale=UPRIGHT)
    parts = _shade((0.25, 1.1), (0.22, 1.44), cloth)
    for turn in (-80, 40, 160):
        c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
        parts.append(
            tube(
                [(0.36 * c, 0.36 * s, 0), (0.02 * c, 0.02 * s, 1.08)],
                0.02,
                frame,
                smooth=False,
                taper=[0.75, 1.2],
            )
        )
        parts.append(tube([(0, 0, 0.62), (0.165 * c, 0.165 * s, 0.59)], 0.009, frame, smooth=False))
    return [
        *parts,
        cylinder((0, 0, 1.07), 0.05, 0.05, frame),
        cylinder((0, 0, 1.2), 0.014, 0.24, metal("stem")),
    ]


def _wicker_lamp() -> list[Any]:
    """A bulging basket shade of woven cane on a beaded wooden foot."""
    cane, frame = tint_wood("cane", scale=UPRIGHT), tint_wood("foot", zone=2, scale=UPRIGHT)
    parts = [
        tube(_circle(_basket(z), z), 0.0075, cane, cyclic=True)
        for z in (0.215 + 0.0131 * k for k in range(23))
    ]
    count = 34
    for k in range(count):
        a = 2 * math.pi * k / count
        path = [
            (_basket(z) * math.cos(a), _basket(z) * math.sin(a), z)
            for z in (0.213 + 0.02925 * i for i in range(11))
        ]
        parts.append(tube(path, 0.0088, cane))
    parts.append(sphere((0, 0, 0.36), 0.05, material("bulb", (240, 238, 230), 0.3)))
    for radius, z in ((0.085, 0.016), (0.05, 0.055), (0.042, 0.11), (0.034, 0.16), (0.026, 0.2)):
        parts.append(sphere((0, 0, z), radius, frame, (1, 1, 0.5 if z < 0.02 else 0.85)))
    return parts


def _basket(z: float) -> float:
    """Radius of the basket shade at height ``z``."""
    t = (z - 0.213) / 0.2925
    return 0.075 + 0.095 * math.sin(math.pi * min(0.12 + 0.86 * t, 1.0)) ** 0.8


def _cone_lamp() -> list[Any]:
    """Three cone spots at different heights on one thin pole."""
    paint, steel, brass = tint("cone", 0.4), tint_metal("pole", zone=2), metal("brass", (196, 164, 96), 0.3)
    parts = [lathe([(0, 0), (0.15, 0), (0.152, 0.01), (0.13, 0.03), (0.03, 0.045), (0, 0.045)], steel)]
    parts.append(tube([(0, 0, 0.03), (0, 0, 1.5)], 0.013, steel, smooth=False))
    cone = [
        (0, 0.02),
        (0.03, 0.018),
        (0.04, 0.0),
        (0.1, -0.2),
        (0.112, -0.26),
        (0.106, -0.258),
        (0.03, -0.02),
        (0, -0.01),
    ]
    for z, turn, tilt in ((1.42, -60, 42), (1.14, 140, 40), (0.88, -35, 36)):
        a = math.radians(turn)
        reach = 0.19
        x, y = reach * math.cos(a), reach * math.sin(a)
        parts.append(tube([(0, 0, z), (x * 0.7, y * 0.7, z + 0.035), (x, y, z)], 0.008, brass))
        parts.append(lathe(_curve(cone, 3), paint, at=(x, y, z), rotation=(0, -tilt, turn), sharp=60))
        parts.append(sphere((0, 0, z), 0.02, brass))
    return [*parts, sphere((0, 0, 1.5), 0.02, brass)]


def _post_lamp() -> list[Any]:
    """A coarse linen shade over a stack of rough beams."""
    cloth, beam = tint_fabric(weave=110, strength=0.5), tint_wood("beam", zone=2)
    parts = _shade((0.16, 0.29), (0.11, 0.5), cloth)
    turns = ((0.0, 0.17), (12, 0.135), (-8, 0.135), (6, 0.135))
    for k, (turn, side) in enumerate(turns):
        low = 0.0 if k == 0 else 0.035 + 0.066 * (k - 1)
        rise = 0.034 if k == 0 else 0.064
        parts.append(box((-side / 2, -side / 2, low), (side, side, rise), beam, 0.006, (0, 0, turn)))
    iron = material("iron", (60, 58, 56), 0.5, metallic=0.6)
    return [*parts, cylinder((0, 0, 0.34), 0.01, 0.26, iron), sphere((0, 0, 0.505), 0.014, iron)]


def _paper_lamp() -> list[Any]:
    """A square paper lantern in a thin wooden lattice on short feet."""
    paper, frame = tint("paper", 0.85), tint_wood("lattice", zone=2, scale=UPRIGHT)
    half, low, high = 0.115, 0.05, 0.46
    parts = [box((-half, -half, low), (2 * half, 2 * half, high - low - 0.02), paper, 0.002, (0, 0, 12))]
    bars = [
        box((x - 0.009, y - 0.009, 0), (0.018, 0.018, high), frame, 0.002)
        for x in (-half, half)
        for y in (-half, half)
    ]
    for z, thick in ((low, 0.016), (0.14, 0.007), (0.37, 0.007), (high - 0.022, 0.016)):
        bars += [box((-half, y - 0.005, z), (2 * half, 0.01, thick), frame, 0.001) for y in (-half, half)]
        bars += [box((x - 0.005, -half, z), (0.01, 2 * half, thick), frame, 0.001) for x in (-half, half)]
    bars += [
        box((x - 0.004, y - 0.005, low), (0.008, 0.01, high - low - 0.02), frame, 0.001)
        for x in (-0.04, 0.04)
        for y in (-half, half)
    ]
    bars += [
        box((x - 0.005, y - 0.004, low), (0.01, 0.008, high - low - 0.02), frame, 0.001)
        for x in (-half, half)
        for y in (-0.04, 0.04)
    ]
    return [*parts, group(bars, rotation=(0, 0, 12))]


def _dome_lamp() -> list[Any]:
    """A scalloped dome on a fluted column with stepped discs."""
    glass, trim = tint("dome", 0.3), tint("trim", 0.25, zone=2, metallic=0.45)
    dome = _curve([(0.175, 0.315), (0.17, 0.35), (0.14, 0.4), (0.085, 0.438), (0.02, 0.452)], 5)
    parts = [_ribbed(dome, glass, 22, 0.075, sharp=True)]
    parts.append(
        lathe([(0, 0.44), (0.028, 0.446), (0.03, 0.456), (0.014, 0.464), (0.012, 0.5), (0, 0.512)], trim)
    )
    for radius, low, high in (
        (0.11, 0, 0.018),
        (0.088, 0.018, 0.034),
        (0.066, 0.034, 0.05),
        (0.055, 0.29, 0.304),
    ):
        parts.append(cylinder((0, 0, (low + high) / 2), radius, high - low, trim))
    parts.append(cylinder((0, 0, 0.17), 0.03, 0.25, trim))
    for k in range(12):
        a = 2 * math.pi * k / 12
        parts.append(cylinder((0.032 * math.cos(a), 0.032 * math.sin(a), 0.17), 0.0085, 0.24, trim))
    return [*parts, cylinder((0, 0, 0.318), 0.16, 0.006, material("diffuser", (236, 234, 226), 0.4))]
