"""Plant pots in ten forms, each with a plain green plant; the floor stays free left, right and in front."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from toolkit import (
    Anchor,
    Camera,
    Piece,
    box,
    cylinder,
    furniture,
    lathe,
    leg,
    material,
    sphere,
    tint,
    tint_wood,
    tube,
)
from toolkit.shapes import mesh_object

Point = tuple[float, float, float]
Point2 = tuple[float, float]
Blade = np.ndarray
CAMERA = Camera((1.1, -3.6, 1.24), (0.0, 0.0, 0.25), 152)
FRONT = Anchor("floor_front", "floor", (0.2, -0.41, 0), 0.18, 0.234)
UPRIGHT = (20.0, 20.0, 1.5)
GREENS = ((58, 82, 54), (46, 68, 46), (74, 96, 64))
WALL = 0.011
ROWS = 9


@furniture("plant-pot")
def plant_pot(style: str) -> Piece:
    """The pot in the first colour; its stand, hoops or trim in the second one; leaves always plain green."""
    makers: dict[str, Callable[[], list[Any]]] = {
        "modern": _ring_stand_pot,
        "minimalist": _cylinder_pot,
        "vintage": _urn,
        "industrial": _concrete_cube,
        "scandinavian": _three_legged_bowl,
        "bohemian": _basket,
        "mid-century": _bullet_planter,
        "rustic": _stave_bucket,
        "japandi": _shallow_bowl,
        "art-deco": _fluted_pot,
    }
    return Piece(makers[style](), [FRONT], CAMERA)


def _leaf(
    root: Point, way: Point2, size: Point2, bend: float = 0.0, shape: str = "oval", fold: float = 0.25
) -> Blade:
    """A leaf of ``size`` (length, width) growing ``way`` (degrees round, up), sinking by ``bend``."""
    (a, e), (length, width) = map(math.radians, way), size
    ahead = np.array([math.cos(a) * math.cos(e), math.sin(a) * math.cos(e), math.sin(e)])
    above = np.array([-math.cos(a) * math.sin(e), -math.sin(a) * math.sin(e), math.cos(e)])
    side = np.cross(ahead, above)
    rows, middle = [], np.array(root, float)
    for k in range(ROWS):
        u = k / (ROWS - 1)
        sink = math.radians(bend) * u
        up = above * math.cos(sink) + ahead * math.sin(sink)
        half = width / 2 * _outline(shape, u)
        rows += [middle + half * (v * side + fold * abs(v) * up) for v in (-1, 0, 1)]
        middle = middle + (ahead * math.cos(sink) - above * math.sin(sink)) * length / (ROWS - 1)
    return np.array(rows)


def _outline(shape: str, u: float) -> float:
    """Half width of a leaf at ``u`` of its length, 1 at the widest place."""
    if shape == "strap":
        return min(1.0, 0.55 + 2.5 * u) * (1 - u**3) ** 0.8
    if shape == "sword":
        return (0.55 + 0.9 * u) * (1 - u**5) if u < 0.5 else (1 - ((u - 0.5) / 0.5) ** 3)
    if shape == "spike":
        return (1 - u) ** 0.75 * min(1.0, 0.7 + 2 * u)
    if shape == "round":
        return math.sqrt(max(1 - (2 * u - 1) ** 2, 0))
    return math.sin(math.pi * u**0.85) ** 0.8


def _foliage(blades: Sequence[Blade]) -> list[Any]:
    """All leaves as one mesh for each shade of green."""
    return [_leaves(blades[k :: len(GREENS)], green) for k, green in enumerate(GREENS)]


def _leaves(blades: Sequence[Blade], green: tuple[int, int, int]) -> Any:
    vertices: list[Point] = []
    faces: list[tuple[int, int, int, int]] = []
    for points in blades:
        base = len(vertices)
        vertices += [(x, y, z) for x, y, z in points.tolist()]
        cells = [base + i * 3 + k for i in range(ROWS - 1) for k in range(2)]
        faces += [(c, c + 3, c + 4, c + 1) for c in cells]
    return mesh_object(vertices, faces, material("leaf", green, 0.42))


def _plain(part: str) -> Any:
    """The material of stem, bark, soil or the shade inside a tuft."""
    colours = {"stem": (70, 74, 52), "bark": (84, 72, 62), "shade": (40, 56, 40), "soil": (52, 46, 42)}
    return material(part, colours[part], 0.9, bump=(70, 0.6) if part in ("bark", "soil") else None)


def _soil(radius: float, height: float) -> Any:
    return cylinder((0, 0, height), radius, 0.012, _plain("soil"))


def _curve(points: Sequence[Point2], steps: int = 6) -> list[Point2]:
    """A smooth profile through the points (Catmull-Rom, open)."""
    p = np.array([points[0], *points, points[-1]])[:, None]
    a, b, c, d = p[:-3], p[1:-2], p[2:-1], p[3:]
    t = np.arange(steps)[:, None] / steps
    bends = 2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3
    return [(r / 2, z / 2) for r, z in bends.reshape(-1, 2).tolist()] + [points[-1]]


def _vessel(outer: Sequence[Point2], paint: Any, wall: float = WALL, sharp: float = 50) -> Any:
    """An open pot from its outer profile, foot first, with a round rim."""
    r, z = outer[-1]
    turns = [math.pi * k / 6 for k in range(1, 6)]
    rim = [(r - wall / 2 + wall / 2 * math.cos(a), z + wall / 2 * math.sin(a)) for a in turns]
    inside = [(r - wall, z), (r - wall, z - 0.06)]
    return lathe([(0, outer[0][1]), *outer, *rim, *inside], paint, segments=96, sharp=sharp)


def _ring_stand_pot() -> list[Any]:
    """A smooth tapered pot hung in a ring on four rods, with a rubber plant."""
    glaze, steel = tint("glaze", 0.4), tint("stand", 0.35, zone=2, metallic=0.4)
    pot = [(0.09, 0.07), (0.099, 0.076), (0.105, 0.09), (0.13, 0.27)]
    parts = [_vessel(pot, glaze), _soil(0.12, 0.25)]
    for c, s in _spread(4, 25):
        rod = [(0.14 * c, 0.14 * s, 0), (0.132 * c, 0.132 * s, 0.21)]
        parts.append(tube(rod, 0.0075, steel, smooth=False))
    for radius, z in ((0.127, 0.205), (0.112, 0.068)):
        parts.append(tube(_circle(radius, z), 0.007, steel, cyclic=True))
    parts += [tube([(0, 0, 0.064), (0.108 * c, 0.108 * s, 0.066)], 0.005, steel) for c, s in _spread(4, 25)]
    return [*parts, *_rubber_plant(0.25, 0.28)]


def _spread(count: int, start: float = 0) -> list[Point2]:
    turns = [math.radians(start + 360 * k / count) for k in range(count)]
    return [(math.cos(a), math.sin(a)) for a in turns]


def _circle(radius: float, height: float, count: int = 40) -> list[Point]:
    return [(radius * c, radius * s, height) for c, s in _spread(count)]


def _rubber_plant(base: float, rise: float) -> list[Any]:
    """Two upright stems with large glossy oval leaves."""
    blades, parts = [], []
    for x, tall in ((-0.025, 1.0), (0.035, 0.72), (0.0, 0.45)):
        top = base + rise * tall
        parts.append(tube([(x, 0, base), (x * 1.4, 0.01, top)], 0.0065, _plain("stem"), smooth=False))
        for k in range(9):
            t = (k + 1) / 9
            root = (x * (1 + 0.4 * t), 0, base + rise * tall * (0.12 + 0.88 * t))
            way = (137.5 * k + 900 * x - 60, 25 + 45 * t)
            blades.append(_leaf(root, way, (0.18 - 0.045 * t, 0.098), 40, fold=0.18))
    return [*parts, *_foliage(blades)]


def _cylinder_pot() -> list[Any]:
    """A plain cylinder on a saucer, with arching strap leaves."""
    glaze, plate = tint("bisque", 0.6), tint("saucer", 0.45, zone=2)
    pot = [(0.118, 0.02), (0.124, 0.026), (0.125, 0.04), (0.125, 0.225)]
    saucer = [(0, 0), (0.14, 0), (0.158, 0.022), (0.158, 0.026), (0.152, 0.026), (0.138, 0.01), (0, 0.01)]
    rng = np.random.default_rng(3)
    blades = []
    for k in range(34):
        rise, length = 88 - 1.3 * k + rng.normal(0, 4), 0.34 - 0.002 * k
        root = (0.02 * rng.normal(), 0.02 * rng.normal(), 0.2)
        blades.append(_leaf(root, (137.5 * k, rise), (length, 0.026), 75 + 1.4 * k, "strap", 0.4))
    return [_vessel(pot, glaze), lathe(saucer, plate, segments=96), _soil(0.115, 0.2), *_foliage(blades)]


def _urn() -> list[Any]:
    """A fluted urn on a square plinth, with a fern."""
    clay, plinth = tint("clay", 0.65, bump=(70, 0.12)), tint("plinth", 0.6, zone=2)
    foot = _curve([(0.078, 0.05), (0.08, 0.062), (0.05, 0.08), (0.034, 0.105), (0.044, 0.125), (0.04, 0.132)])
    bowl = [(0.045, 0.13), (0.1, 0.15), (0.126, 0.19), (0.122, 0.23), (0.112, 0.255)]
    lip = [(0.11, 0.25), (0.118, 0.262), (0.148, 0.276), (0.15, 0.284)]
    parts = [box((-0.095, -0.095, 0), (0.19, 0.19, 0.05), plinth, 0.006, (0, 0, 14))]
    parts += [lathe(foot, clay, segments=96), _carved(_curve(bowl), clay, 20, 0.06), _vessel(lip, clay)]
    return [*parts, _soil(0.13, 0.268), *_fern(0.27)]


def _carved(profile: Sequence[Point2], paint: Any, ribs: int, depth: float) -> Any:
    """An open turned skin with ``ribs`` rounded ribs."""
    count, turns = len(profile), ribs * 12 + 1
    vertices: list[Point] = []
    for i in range(turns):
        a = math.pi / 2 + 2 * math.pi * i / (turns - 1)
        swell = 1 - depth + depth * abs(math.cos(ribs * a / 2)) ** 0.7
        vertices += [(r * swell * math.cos(a), r * swell * math.sin(a), z) for r, z in profile]
    cells = [i * count + k for i in range(turns - 1) for k in range(count - 1)]
    return mesh_object(vertices, [(c, c + count, c + count + 1, c + 1) for c in cells], paint)


def _fern(base: float) -> list[Any]:
    """Arching fronds with small leaflets on both sides."""
    blades: list[Blade] = []
    rng = np.random.default_rng(5)
    for k in range(26):
        rise, length = 82 - 1.7 * k + rng.normal(0, 4), 0.31 - 0.002 * k
        blades += _frond((0, 0, base), (137.5 * k, rise), length, 95 + k, (0.06, 0.016), 20)
    return _foliage(blades)


def _frond(root: Point, way: Point2, length: float, bend: float, leaflet: Point2, pairs: int) -> list[Blade]:
    """A midrib with pairs of leaflets, the largest of size ``leaflet`` (length, width)."""
    blades = [_leaf(root, way, (length, 0.007), bend, "spike")]
    spine = blades[0][1::3]
    for k in range(pairs):
        u = 0.12 + 0.86 * k / (pairs - 1)
        low = min(int(u * (ROWS - 1)), ROWS - 2)
        part = u * (ROWS - 1) - low
        point = spine[low] * (1 - part) + spine[low + 1] * part
        size = (leaflet[0] * math.sin(math.pi * min(0.15 + 0.83 * u, 1)) ** 0.7, leaflet[1])
        ways = [(way[0] + side, (way[1] - bend * u) * 0.4 + 6) for side in (-68, 68)]
        blades += [_leaf(tuple(point), side, size, 35, fold=0.1) for side in ways]
    return blades


def _concrete_cube() -> list[Any]:
    """A concrete cube in a steel angle frame, with an aloe."""
    concrete, steel = tint("concrete", 0.85, bump=(55, 0.25)), tint("frame", 0.35, zone=2, metallic=0.4)
    half, low, high = 0.115, 0.06, 0.28
    parts: list[Any] = [box((-half, -half, low), (2 * half, 2 * half, high - low), concrete, 0.007)]
    parts.append(box((-0.1, -0.1, high - 0.008), (0.2, 0.2, 0.0095), _plain("soil"), 0.001))
    edges = (-half - 0.008, half - 0.004)
    parts += [box((x, y, 0), (0.012, 0.012, 0.2), steel, 0.002) for x in edges for y in edges]
    for e in edges:
        parts.append(box((e, -half, 0.085), (0.012, 2 * half, 0.012), steel, 0.002))
        parts.append(box((-half, e, 0.085), (2 * half, 0.012, 0.012), steel, 0.002))
    sizes = [((137.5 * k, 84 - 2.6 * k), (0.28 - 0.004 * k, 0.06)) for k in range(24)]
    aloe = [_leaf((0, 0, high - 0.01), way, size, -18, "spike", 0.5) for way, size in sizes]
    return [*(_turned(part, 24) for part in parts), *_foliage(aloe)]


def _turned(part: Any, degrees: float) -> Any:
    """Turn an object about the z axis of the scene."""
    a = math.radians(degrees)
    x, y, z = part.location
    part.location = (x * math.cos(a) - y * math.sin(a), x * math.sin(a) + y * math.cos(a), z)
    part.rotation_euler[2] += a
    return part


def _three_legged_bowl() -> list[Any]:
    """A round bowl on three splayed wooden legs, with round leaves on thin stalks."""
    glaze, wood = tint("glaze", 0.45), tint_wood("legs", zone=2, scale=UPRIGHT)
    bowl = _curve([(0.03, 0.1), (0.1, 0.118), (0.142, 0.17), (0.15, 0.23), (0.145, 0.275)])
    parts = [_vessel(bowl, glaze), _soil(0.132, 0.262)]
    for c, s in _spread(3, 32):
        parts.append(leg("tapered", (0.09 * c, 0.09 * s, 0.15), (0.145 * c, 0.145 * s, 0), wood, 0.019))
    return [*parts, *_coin_plant(0.265)]


def _coin_plant(base: float) -> list[Any]:
    blades, stalks, rng = [], [], np.random.default_rng(8)
    for k in range(44):
        a, rise = math.radians(137.5 * k), math.radians(86 - 1.55 * k)
        reach = 0.17 + 0.045 * rng.random()
        x, y = reach * math.cos(a) * math.cos(rise), reach * math.sin(a) * math.cos(rise)
        tip = (x, y, base + reach * math.sin(rise) + 0.04)
        knee = (x * 0.6, y * 0.6, base + 0.75 * (tip[2] - base))
        stalks.append(tube([(0, 0, base), knee, tip], 0.0022, _plain("stem")))
        size = 0.062 + 0.016 * rng.random()
        back = (tip[0] - 0.3 * size * math.cos(a), tip[1] - 0.3 * size * math.sin(a), tip[2])
        blades.append(_leaf(back, (137.5 * k, 24 - 1.55 * k), (size, size), 30, "round", 0.08))
    return [*stalks, *_foliage(blades)]


def _basket() -> list[Any]:
    """A woven basket with a coloured band and two handles, with a feather palm."""
    cane, band = tint("cane", 0.8, bump=(160, 0.4)), tint("band", 0.8, zone=2, bump=(160, 0.4))
    parts: list[Any] = [_soil(0.125, 0.19)]
    for k in range(19):
        z = 0.008 + 0.0118 * k
        paint = band if k in (6, 7, 8, 9, 12) else cane
        radius = 0.108 + 0.032 * math.sin(math.pi * (0.1 + 0.75 * z / 0.22))
        parts.append(tube(_wave(radius, z, k % 2), 0.0075, paint, cyclic=True))
    for side in (-1, 1):
        half = [(0.128, 0.035, 0.2), (0.15, 0.035, 0.245), (0.155, 0.0, 0.262)]
        loop = [*half, *((x, -y, z) for x, y, z in half[1::-1])]
        parts.append(_turned(tube([(side * x, y, z) for x, y, z in loop], 0.0085, cane), -20))
    blades: list[Blade] = []
    for k in range(9):
        way = (137.5 * k + 20, 90 - 3.2 * k)
        blades += _frond((0, 0, 0.19), way, 0.4 - 0.008 * k, 40 + 7 * k, (0.12, 0.019), 15)
    return [*parts, *_foliage(blades)]


def _wave(radius: float, height: float, phase: int, waves: int = 22) -> list[Point]:
    """A ring that goes in and out, as a strand round upright canes."""
    radii = [radius + 0.0035 * (-1) ** (k + phase) for k in range(waves * 2)]
    return [(r * c, r * s, height) for r, (c, s) in zip(radii, _spread(waves * 2), strict=True)]


def _bullet_planter() -> list[Any]:
    """A bullet-shaped planter in a tripod of bent rods, with sword leaves."""
    glaze, steel = tint("glaze", 0.3), tint_wood("tripod", zone=2, scale=UPRIGHT)
    bullet = _curve([(0.012, 0.06), (0.055, 0.085), (0.095, 0.14), (0.118, 0.21), (0.124, 0.29)])
    parts = [_vessel(bullet, glaze), _soil(0.112, 0.275)]
    for c, s in _spread(3, 38):
        post = [(0.15 * c, 0.15 * s, 0), (0.108 * c, 0.108 * s, 0.22)]
        parts.append(tube(post, 0.012, steel, smooth=False, taper=[0.7, 1.1]))
        parts.append(tube([(0, 0, 0.075), (0.142 * c, 0.142 * s, 0.045)], 0.007, steel, smooth=False))
    rng, blades = np.random.default_rng(4), []
    for k in range(15):
        spot = (0.06 * math.cos(2.4 * k) * (k / 15) ** 0.5, 0.06 * math.sin(2.4 * k) * (k / 15) ** 0.5, 0.27)
        length = 0.29 - 0.009 * k + 0.02 * rng.random()
        blades.append(_leaf(spot, (137.5 * k, 88 - 1.1 * k), (length, 0.046), -6, "sword", 0.3))
    return [*parts, *_foliage(blades)]


def _stave_bucket() -> list[Any]:
    """A bucket of wooden staves with two hoops, with a clipped round bush."""
    wood, hoop = tint_wood("staves", scale=UPRIGHT), tint("hoop", 0.45, zone=2, metallic=0.4)
    staves = [(0.0, 0.004), (0.112, 0.004), (0.114, 0.006), (0.148, 0.23), (0.146, 0.236)]
    staves += [(0.134, 0.236), (0.13, 0.19)]
    parts = [_carved(staves, wood, 18, 0.025), _soil(0.13, 0.21)]
    for z in (0.05, 0.17):
        r = 0.1135 + 0.034 * z / 0.224
        ring = [(r, z), (r + 0.0045, z), (r + 0.009, z + 0.026), (r, z + 0.026)]
        parts.append(lathe(ring, hoop, segments=96))
    centre, size = (0.0, 0.0, 0.4), (0.165, 0.165, 0.15)
    parts += [cylinder((0, 0, 0.24), 0.014, 0.12, _plain("bark")), _core(centre, size)]
    return [*parts, *_foliage(_tuft(centre, size, 620, 0.045, 6))]


def _tuft(centre: Point, size: Point, count: int, length: float, seed: int) -> list[Blade]:
    """Small leaves all over an ellipsoid, pointing outwards."""
    rng, blades = np.random.default_rng(seed), []
    for k in range(count):
        z = 1 - 2 * (k + 0.5) / count
        a = 2.39996 * k
        flat = math.sqrt(1 - z * z)
        depth = 0.72 + 0.22 * rng.random()
        unit = (flat * math.cos(a), flat * math.sin(a), z)
        root = tuple(c + s * u * depth for c, s, u in zip(centre, size, unit, strict=True))
        rise = math.degrees(math.asin(z)) * 0.7 + 14 + rng.normal(0, 22)
        blades.append(_leaf(root, (math.degrees(a) + rng.normal(0, 28), rise), (length, length * 0.6), 25))
    return blades


def _core(centre: Point, size: Point) -> Any:
    """The shady inside of a tuft."""
    return sphere(centre, 0.8, _plain("shade"), size)


def _shallow_bowl() -> list[Any]:
    """A wide shallow bowl on a wooden base, with a small cloud-pruned tree."""
    glaze, wood = tint("glaze", 0.6, bump=(35, 0.08)), tint_wood("base", zone=2)
    bowl = _curve([(0.12, 0.036), (0.17, 0.05), (0.196, 0.085), (0.2, 0.13)])
    base = box((-0.15, -0.1, 0), (0.3, 0.2, 0.036), wood, 0.008)
    parts: list[Any] = [_vessel(bowl, glaze), _soil(0.185, 0.118), base]
    spots = ((0.02, 0.11), (0.0, 0.19), (-0.07, 0.24), (-0.03, 0.33), (0.05, 0.38), (0.03, 0.46))
    trunk = [(x, 0, z) for x, z in spots]
    parts.append(tube(trunk, 0.018, _plain("bark"), taper=[1.3, 1.1, 0.95, 0.8, 0.6, 0.4]))
    for x, z, x1, z1 in ((-0.05, 0.26, -0.13, 0.3), (0.0, 0.35, 0.12, 0.36)):
        parts.append(tube([(x, 0, z), (x1, 0, z1)], 0.008, _plain("bark"), smooth=False))
    blades: list[Blade] = []
    pads = (((-0.135, 0.0, 0.335), 0.095), ((0.135, -0.02, 0.385), 0.1), ((0.02, 0.0, 0.48), 0.12))
    for k, (centre, wide) in enumerate(pads):
        parts.append(_core(centre, (wide, wide * 0.8, wide * 0.5)))
        blades += _tuft(centre, (wide, wide * 0.8, wide * 0.5), 230, 0.032, k)
    return [*parts, *_foliage(blades)]


def _fluted_pot() -> list[Any]:
    """A flared fluted pot between stepped rims, with fan leaves."""
    glaze, trim = tint("glaze", 0.3), tint("trim", 0.25, zone=2, metallic=0.45)
    flare = [(0.088, 0.04), (0.094, 0.09), (0.104, 0.15), (0.118, 0.2), (0.126, 0.232)]
    parts = [_carved(_curve(flare), glaze, 24, 0.07), _soil(0.122, 0.245)]
    parts += [cylinder((0, 0, z), r, 0.022, trim) for r, z in ((0.112, 0.011), (0.098, 0.032))]
    parts += [_vessel([(0.13, 0.226), (0.138, 0.23), (0.138, 0.252)], trim, 0.014)]
    blades: list[Blade] = []
    for k in range(8):
        turn, rise, reach = 137.5 * k - 70, 84 - 5.5 * k, 0.2 - 0.006 * k
        a, e = math.radians(turn), math.radians(rise)
        flat = reach * math.cos(e)
        hub = (flat * math.cos(a), flat * math.sin(a), 0.25 + reach * math.sin(e))
        parts.append(tube([(0, 0, 0.24), hub], 0.0035, _plain("stem"), smooth=False))
        rays = [(turn + s, rise * 0.75 - abs(s) * 0.1) for s in range(-110, 111, 20)]
        blades += [_leaf(hub, way, (0.14, 0.03), 30, "spike", 0.3) for way in rays]
    return [*parts, *_foliage(blades)]
