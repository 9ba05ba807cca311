"""Empty vases in ten forms; the floor stays free left, right and in front."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from toolkit import Anchor, Camera, Piece, cylinder, furniture, lathe, sphere, tint, tint_wood, tube
from toolkit.shapes import mesh_object

Point = tuple[float, float, float]
Point2 = tuple[float, float]
Relief = Callable[[float, float], float]
CAMERA = Camera((1.1, -3.6, 1.24), (0.0, 0.0, 0.2), 160)
FRONT = Anchor("floor_front", "floor", (0.2, -0.40, 0), 0.18, 0.234)
UPRIGHT = (20.0, 20.0, 1.5)
WALL = 0.009


@furniture("vase")
def vase(style: str) -> Piece:
    """The body in the first colour; a dip, band, stand or collar in the second one."""
    makers: dict[str, Callable[[], list[Any]]] = {
        "modern": _ring_vase,
        "minimalist": _cylinder_vase,
        "vintage": _amphora,
        "industrial": _faceted_vase,
        "scandinavian": _ribbed_vase,
        "bohemian": _gourd_vase,
        "mid-century": _bottle_vase,
        "rustic": _olive_jar,
        "japandi": _moon_jar,
        "art-deco": _trumpet_vase,
    }
    return Piece(makers[style](), [FRONT], CAMERA)


def _curve(points: Sequence[Point2], steps: int = 7) -> list[Point2]:
    """A smooth profile through the points (Catmull-Rom, open)."""
    padded = [points[0], *points, points[-1]]
    out: list[Point2] = []
    for a, b, c, d in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        for k in range(steps):
            t = k / steps
            out.append((_cubic(a[0], b[0], c[0], d[0], t), _cubic(a[1], b[1], c[1], d[1], t)))
    return [*out, points[-1]]


def _cubic(a: float, b: float, c: float, d: float, t: float) -> float:
    low, mid = 2 * a - 5 * b + 4 * c - d, 3 * b - a - 3 * c + d
    return 0.5 * (2 * b + (c - a) * t + low * t * t + mid * t**3)


def _hollow(outer: Sequence[Point2], wall: float = WALL) -> list[Point2]:
    """The outer profile from foot to rim, a round rim, and the inside back down to a floor."""
    rim_r, rim_z = outer[-1]
    rim = [
        (rim_r - wall / 2 + wall / 2 * math.cos(a), rim_z + wall / 2 * math.sin(a))
        for a in (math.pi * k / 6 for k in range(1, 6))
    ]
    inner = [(max(r - wall, 0.002), z) for r, z in reversed(outer) if z > outer[0][1] + wall]
    return [(0.0, outer[0][1]), *outer, *rim, *inner, (0.0, inner[-1][1])]


def _pot(points: Sequence[Point2], paint: Any, sharp: float = 60, wall: float = WALL) -> Any:
    """A hollow vessel turned from the smooth outer profile through ``points``."""
    return lathe(_hollow(_curve(points), wall), paint, segments=96, sharp=sharp)


def _carved(points: Sequence[Point2], paint: Any, relief: Relief, segments: int = 240) -> Any:
    """A hollow vessel whose radius is scaled by ``relief(turn, height)``, turn in radians."""
    outer = _curve(points)
    profile = _hollow(outer)
    solid = len(outer) + 1
    vertices: list[Point] = []
    for i in range(segments + 1):
        turn = math.pi / 2 + 2 * math.pi * i / segments
        for k, (r, z) in enumerate(profile):
            scaled = r * (relief(turn, z) if k < solid + 5 else 0.94)
            vertices.append((scaled * math.cos(turn), scaled * math.sin(turn), z))
    return mesh_object(vertices, _grid(segments + 1, len(profile)), paint)


def _grid(rows: int, columns: int) -> list[tuple[int, int, int, int]]:
    cells = [(i * columns + k, columns) for i in range(rows - 1) for k in range(columns - 1)]
    return [(a, a + n, a + n + 1, a + 1) for a, n in cells]


def _sleeve(points: Sequence[Point2], low: float, high: float, paint: Any, out: float = 0.0012) -> Any:
    """A thin coat of another glaze over the part of the profile between two heights."""
    skin = [(r + out, z) for r, z in _curve(points, 14) if low <= z <= high]
    (r0, z0), (r1, z1) = skin[0], skin[-1]
    return lathe([(r0 - 2 * out, z0), *skin, (r1 - 2 * out, z1)], paint, segments=96)


def _glaze(name: str = "glaze", roughness: float = 0.35) -> Any:
    return tint(name, roughness)


def _ring_vase() -> list[Any]:
    """An upright ring with a short neck, standing on a small block."""
    glaze, foot = tint("clay", 0.6, bump=(120, 0.06)), tint("foot", 0.5, zone=2)
    ring = [(0.125 * math.cos(a), 0.0, 0.205 + 0.125 * math.sin(a)) for a in _turns(40)]
    neck = [(0.04, 0.366), (0.034, 0.388), (0.03, 0.42), (0.033, 0.44), (0.042, 0.46)]
    parts = [tube(ring, 0.057, glaze, cyclic=True), _pot(neck, glaze, wall=0.007)]
    base = [(0, 0), (0.078, 0), (0.082, 0.004), (0.082, 0.03), (0.076, 0.036), (0, 0.036)]
    return [*parts, lathe(base, foot, segments=96)]


def _turns(count: int) -> list[float]:
    return [2 * math.pi * i / count for i in range(count)]


def _cylinder_vase() -> list[Any]:
    """A plain tall cylinder, its lower part dipped in the second colour."""
    glaze, dip = tint("bisque", 0.6), tint("dip", 0.3, zone=2)
    wall = [(0.088, 0), (0.095, 0.006), (0.096, 0.02), (0.096, 0.42)]
    body = lathe(_hollow(wall, 0.011), glaze, segments=96)
    coat = [(0.086, -0.0005), (0.0955, 0.005), (0.0972, 0.02), (0.0972, 0.11), (0.09, 0.11)]
    return [body, lathe(coat, dip, segments=96)]


AMPHORA: tuple[Point2, ...] = (
    (0.068, 0.0), (0.07, 0.012), (0.05, 0.026), (0.034, 0.05), (0.045, 0.075), (0.092, 0.14),
    (0.128, 0.225), (0.13, 0.275), (0.1, 0.325), (0.056, 0.36), (0.046, 0.39), (0.05, 0.42), (0.074, 0.442),
)  # fmt: skip


def _amphora() -> list[Any]:
    """A footed amphora with two tall handles and a band round its shoulder."""
    glaze, band = _glaze("glaze", 0.4), tint("band", 0.4, zone=2)
    parts = [_pot(AMPHORA, glaze)]
    for side in (-1, 1):
        ear = [(0.045, 0.405), (0.085, 0.432), (0.135, 0.425), (0.15, 0.375), (0.135, 0.325), (0.112, 0.3)]
        parts.append(tube([(side * x, 0, z) for x, z in ear], 0.0115, glaze))
    stripes = ((0.2, 0.215), (0.222, 0.268), (0.275, 0.29))
    return [*parts, *(_sleeve(AMPHORA, low, high, band) for low, high in stripes)]


def _faceted_vase() -> list[Any]:
    """A cut block of concrete with a steel collar."""
    concrete, steel = tint("concrete", 0.8, bump=(60, 0.15)), tint("collar", 0.3, zone=2, metallic=0.5)
    rings = [(0.08, 0.0, 0), (0.15, 0.12, 0.5), (0.125, 0.27, 0), (0.056, 0.37, 0.5)]
    body = _facets(rings, 6, concrete)
    collar = [(0.03, 0.36), (0.058, 0.36), (0.06, 0.364), (0.06, 0.43), (0.0575, 0.433), (0.055, 0.43)]
    return [body, lathe([*collar, (0.054, 0.38), (0, 0.375)], steel, segments=96)]


def _facets(rings: Sequence[tuple[float, float, float]], sides: int, paint: Any) -> Any:
    """Rings of (radius, height, turn in sides) joined by flat triangles."""
    vertices: list[Point] = []
    for r, z, turn in rings:
        steps = [2 * math.pi * (i + turn) / sides + 0.3 for i in range(sides)]
        vertices += [(r * math.cos(a), r * math.sin(a), z) for a in steps]
    faces: list[Sequence[int]] = [range(sides)]
    for k in range(len(rings) - 1):
        faces += _strip(k * sides, (k + 1) * sides, sides, rings[k + 1][2] >= rings[k][2])
    made = mesh_object(vertices, faces, paint)
    made.data.shade_flat()
    return made


def _strip(low: int, high: int, sides: int, ahead: bool) -> list[tuple[int, int, int]]:
    out: list[tuple[int, int, int]] = []
    for i in range(sides):
        j = (i + 1) % sides
        if ahead:
            out += [(low + i, low + j, high + i), (low + j, high + j, high + i)]
        else:
            out += [(low + i, low + j, high + j), (low + i, high + j, high + i)]
    return out


TULIP: tuple[Point2, ...] = (
    (0.062, 0.03), (0.1, 0.07), (0.132, 0.15), (0.136, 0.22), (0.115, 0.3), (0.092, 0.36), (0.098, 0.41),
)  # fmt: skip


def _ribbed_vase() -> list[Any]:
    """A tulip form with soft vertical ribs on a turned wooden foot."""
    glaze, foot = tint("bisque", 0.5), tint_wood("foot", zone=2, scale=UPRIGHT)
    ribs = _carved(TULIP, glaze, lambda turn, z: 0.95 + 0.05 * abs(math.sin(13 * turn)) ** 0.7, 312)
    base = [(0, 0), (0.07, 0), (0.075, 0.005), (0.075, 0.026), (0.068, 0.034), (0, 0.034)]
    return [ribs, lathe(base, foot, segments=96)]


GOURD: tuple[Point2, ...] = (
    (0.07, 0.0), (0.112, 0.03), (0.142, 0.095), (0.128, 0.17), (0.075, 0.222), (0.066, 0.24),
    (0.086, 0.275), (0.096, 0.32), (0.078, 0.37), (0.042, 0.402), (0.034, 0.42), (0.048, 0.45),
)  # fmt: skip


def _gourd_vase() -> list[Any]:
    """A double gourd, its belly wound with cord, a cord with beads at the waist."""
    glaze, cord = _glaze("glaze", 0.45), tint("cord", 0.8, zone=2)
    parts = [_pot(GOURD, glaze)]
    coils = [(_radius(GOURD, z) + 0.003, z) for z in _steps(0.012, 0.128, 12)]
    parts += [tube(_circle(r, z), 0.0058, cord, cyclic=True) for r, z in coils]
    parts.append(tube(_circle(0.072, 0.231), 0.008, cord, cyclic=True))
    for k in range(15):
        a = 2 * math.pi * k / 15 + 0.2
        parts.append(sphere((0.088 * math.cos(a), 0.088 * math.sin(a), 0.276), 0.0085, cord))
    return parts


def _steps(start: float, stop: float, count: int) -> list[float]:
    return [start + (stop - start) * k / (count - 1) for k in range(count)]


def _circle(radius: float, height: float, count: int = 40) -> list[Point]:
    return [(radius * math.cos(a), radius * math.sin(a), height) for a in _turns(count)]


def _radius(points: Sequence[Point2], height: float) -> float:
    """Radius of the smooth profile at ``height``."""
    return min(_curve(points, 20), key=lambda p: abs(p[1] - height))[0]


BOTTLE: tuple[Point2, ...] = (
    (0.09, 0.0), (0.128, 0.012), (0.15, 0.06), (0.128, 0.125), (0.072, 0.185), (0.036, 0.25), (0.025, 0.34),
    (0.023, 0.42), (0.036, 0.475),
)  # fmt: skip


def _bottle_vase() -> list[Any]:
    """A drop-shaped bottle with a long neck and glazed bands at its foot."""
    glaze, band = _glaze("glaze", 0.28), tint("band", 0.35, zone=2)
    parts = [_pot(BOTTLE, glaze, wall=0.006)]
    return [*parts, _sleeve(BOTTLE, 0.028, 0.085, band), _sleeve(BOTTLE, 0.1, 0.11, band)]


JAR: tuple[Point2, ...] = (
    (0.07, 0.0), (0.078, 0.015), (0.118, 0.1), (0.158, 0.22), (0.16, 0.29), (0.125, 0.35), (0.082, 0.378),
    (0.078, 0.395), (0.082, 0.412), (0.09, 0.422),
)  # fmt: skip


def _olive_jar() -> list[Any]:
    """A big-bellied jar on a narrow foot, rope tied round its short neck."""
    clay, rope = tint("clay", 0.85, bump=(45, 0.35)), tint("rope", 0.9, zone=2, bump=(90, 0.6))
    parts = [_carved(JAR, clay, _thrown)]
    parts += [tube(_circle(r, z), 0.0085, rope, cyclic=True) for r, z in ((0.088, 0.378), (0.084, 0.393))]
    for reach, drop in ((0.05, 0.30), (0.02, 0.285)):
        fall = [(reach * 0.6, -0.125, 0.365), (reach, -0.156, 0.335), (reach, -0.17, drop)]
        parts.append(tube([(0.01, -0.092, 0.385), *fall], 0.0065, rope))
    return [*parts, sphere((0.012, -0.096, 0.386), 0.014, rope)]


def _thrown(turn: float, z: float) -> float:
    """Marks of the potter's fingers."""
    return 1 + 0.006 * math.sin(z * 260) + 0.006 * math.sin(2 * turn + 9 * z)


MOON: tuple[Point2, ...] = (
    (0.07, 0.055), (0.12, 0.085), (0.166, 0.16), (0.172, 0.23), (0.142, 0.31), (0.08, 0.362), (0.058, 0.374),
    (0.056, 0.392),
)  # fmt: skip


def _moon_jar() -> list[Any]:
    """A wide round jar with a small mouth on a low wooden stand."""
    glaze, wood = tint("glaze", 0.55, bump=(30, 0.08)), tint_wood("stand", zone=2)
    parts = [_pot(MOON, glaze)]
    parts.append(cylinder((0, 0, 0.044), 0.125, 0.022, wood, bevel=0.006))
    for k in range(4):
        a = math.pi / 4 + math.pi / 2 * k
        parts.append(cylinder((0.092 * math.cos(a), 0.092 * math.sin(a), 0.018), 0.016, 0.036, wood))
    return parts


def _trumpet_vase() -> list[Any]:
    """A fluted trumpet rising from stepped discs."""
    glaze, trim = tint("glaze", 0.25), tint("trim", 0.25, zone=2, metallic=0.45)
    form = [(0.045, 0.09), (0.05, 0.13), (0.06, 0.2), (0.078, 0.28), (0.108, 0.37), (0.155, 0.46)]
    parts = [_carved(form, glaze, _flutes)]
    for radius, low, high in ((0.11, 0, 0.022), (0.088, 0.022, 0.042), (0.066, 0.042, 0.06)):
        parts.append(cylinder((0, 0, (low + high) / 2), radius, high - low, trim))
    knob = _curve([(0.03, 0.058), (0.058, 0.07), (0.06, 0.08), (0.046, 0.096), (0.03, 0.1)])
    return [*parts, lathe(knob, trim, segments=64)]


def _flutes(turn: float, z: float) -> float:
    return 0.9 + 0.1 * abs(math.cos(8 * turn))
