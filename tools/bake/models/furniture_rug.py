"""Rugs in ten forms, seen from higher up; two places on the pile and two on the floor in front stay free."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.ndimage import gaussian_filter
from toolkit import Anchor, Camera, Piece, furniture, sphere, tint_fabric, tint_wood, tube
from toolkit.materials import add_bump, noise
from toolkit.shapes import mesh_object

Field = np.ndarray
Point = tuple[float, float, float]
Drawing = Callable[[Field, Field], Field]
CAMERA = Camera((0.45, -3.45, 2.75), (0.0, -0.13, 0.0), 70)
CELL = 0.005
THICK = 0.016
HALF = (0.80, 0.66)
FLOOR = (("floor_left", -0.64, -1.02), ("floor_right", 0.72, -1.0))
PILE = (("top_left", -0.4, -0.22), ("top_right", 0.42, -0.16), ("top_middle", 0.02, 0.1))


@furniture("rug")
def rug(style: str) -> Piece:
    """The ground in the first colour, the drawing in the second one."""
    makers: dict[str, Callable[[], list[Any]]] = {
        "modern": _pebble,
        "minimalist": _framed,
        "vintage": _medallion,
        "industrial": _worn_squares,
        "scandinavian": _shaggy,
        "bohemian": _mandala,
        "mid-century": _half_circles,
        "rustic": _braided,
        "japandi": _matting,
        "art-deco": _scallops,
    }
    places = [Anchor(name, "top", (x, y, THICK), 0.4, 0.5) for name, x, y in PILE]
    places += [Anchor(name, "floor", (x, y, 0), 0.4, 0.5) for name, x, y in FLOOR]
    return Piece(makers[style](), places, CAMERA, horizon=30)


def _wool(name: str, zone: int, mottle: Point = (45, 45, 45), strength: float = 0.6) -> Any:
    """Heathered pile."""
    made = tint_wood(name, zone, mottle, 0.95)
    add_bump(made, noise(made, 150), strength)
    return made


def _grid() -> tuple[Field, Field]:
    """Middle of every cell of the largest rug."""
    xs, ys = (np.arange(-h - 0.06, h + 0.06, CELL) + CELL / 2 for h in HALF)
    return np.meshgrid(xs, ys)


def _weave(
    shape: Drawing,
    drawing: Drawing,
    relief: float = 0.0,
    ground: Any = None,
    figure: Any = None,
    ribs: float = 0.0,
) -> Any:
    """A flat rug cut to ``shape``; where ``drawing`` is true it has the second colour, ``relief`` higher."""
    x, y = _grid()
    inside, second = shape(x, y), drawing(x, y)
    rows, columns = x.shape
    height = np.zeros((rows + 1, columns + 1))
    surface = THICK + relief * gaussian_filter(second.astype(float), 0.8)
    surface = surface + ribs * np.sin(y * 2 * math.pi / 0.02)
    height[1:, 1:] = np.where(inside, surface, 0)
    full = np.pad(inside, 1)
    whole = full[1:, 1:] & full[:-1, 1:] & full[1:, :-1] & full[:-1, :-1]
    height = np.where(whole, height, 0)
    corner_x, corner_y = (
        np.pad(v, ((0, 1), (0, 1)), "reflect", reflect_type="odd") - CELL / 2 for v in (x, y)
    )
    vertices = np.stack([corner_x, corner_y, height], -1).reshape(-1, 3)
    cells = np.flatnonzero(inside)
    first = cells // columns * (columns + 1) + cells % columns
    faces = np.stack([first, first + 1, first + columns + 2, first + columns + 1], 1)
    made = mesh_object(vertices.tolist(), faces.tolist(), ground or _wool("ground", 1))
    made.data.materials.append(figure or _wool("figure", 2))
    made.data.polygons.foreach_set("material_index", second[inside].astype(np.int32))
    return made


def _box_distance(x: Field, y: Field, a: float = HALF[0], b: float = HALF[1], corner: float = 0.0) -> Field:
    """Distance inwards from the edge of a rectangle with round corners."""
    dx, dy = np.abs(x) - a + corner, np.abs(y) - b + corner
    outer = np.hypot(np.maximum(dx, 0), np.maximum(dy, 0)) + np.minimum(np.maximum(dx, dy), 0)
    return corner - outer


def _rectangle(x: Field, y: Field) -> Field:
    return _box_distance(x, y, corner=0.02) > 0


def _pebble_reach(x: Field, y: Field) -> Field:
    """How far out a point lies in the pebble outline, 1 on its edge."""
    turn = np.arctan2(y / HALF[1], x / HALF[0])
    edge = 0.93 + 0.07 * np.cos(2 * turn + 0.8) + 0.06 * np.cos(3 * turn - 0.9) + 0.02 * np.sin(5 * turn)
    return np.hypot(x / HALF[0], y / HALF[1]) / edge


def _pebble() -> list[Any]:
    """A pebble-shaped rug with sweeping fields and carved lines."""

    def drawing(x: Field, y: Field) -> Field:
        sweep = y - 0.26 * np.sin(2.4 * x + 0.5) - 0.08
        blob = np.hypot((x - 0.3) / 1.25, y + 0.27) - 0.2
        lines = (np.abs(sweep + 0.2) < 0.012) | (np.abs(blob - 0.05) < 0.01)
        return (sweep > 0) | (blob < 0) | lines

    return [_weave(lambda x, y: _pebble_reach(x, y) < 1, drawing, 0.006)]


def _framed() -> list[Any]:
    """A plain rug with soft corners and one thin frame."""

    def drawing(x: Field, y: Field) -> Field:
        inwards = _box_distance(x, y, corner=0.16)
        return (inwards > 0.075) & (inwards < 0.1)

    return [_weave(lambda x, y: _box_distance(x, y, corner=0.16) > 0, drawing, 0.0, ribs=0.0012)]


def _medallion() -> list[Any]:
    """A rug with borders, corner fields, a lobed medallion, and a fringe at both ends."""

    def drawing(x: Field, y: Field) -> Field:
        inwards = _box_distance(x, y)
        border = ((inwards > 0.03) & (inwards < 0.045)) | ((inwards > 0.165) & (inwards < 0.185))
        return np.where(inwards < 0.165, border | _flowers(x, y, inwards), border | _centre(x, y))

    return [_weave(_rectangle, drawing, 0.002), *_fringe()]


def _flowers(x: Field, y: Field, inwards: Field) -> Field:
    """Rosettes along the middle of the border."""
    along = np.where(HALF[0] - np.abs(x) < HALF[1] - np.abs(y), y, x)
    u, v = (along + 0.07) % 0.14 - 0.07, inwards - 0.105
    reach, turn = np.hypot(u, v), np.arctan2(v, u)
    return (reach < 0.042 + 0.012 * np.cos(6 * turn)) & ~((reach > 0.012) & (reach < 0.02))


def _centre(x: Field, y: Field) -> Field:
    """The medallion, its rings and pendants, and the quarter medallions in the corners."""

    def lobed(u: Field, v: Field, size: float) -> Field:
        turn = np.arctan2(v / 0.8, u)
        return np.hypot(u, v / 0.8) / (size * (1 + 0.07 * np.abs(np.cos(6 * turn)) + 0.12 * np.cos(2 * turn)))

    middle = lobed(x, y, 0.33)
    corner = lobed(HALF[0] - 0.18 - np.abs(x), HALF[1] - 0.18 - np.abs(y), 0.26)
    rings = (middle < 0.24) | ((middle > 0.42) & (middle < 0.5)) | ((middle > 0.8) & (middle < 1))
    drops = np.hypot(np.abs(x) - 0.5, y * 1.3) < 0.045
    turn = np.arctan2(y, x)
    petals = (middle > 0.5) & (middle < 0.8) & (np.cos(12 * turn) > 0.25)
    edge = (corner < 0.72) & ~((corner > 0.4) & (corner < 0.5)) | ((corner > 0.85) & (corner < 0.95))
    return rings | petals | drops | edge


def _fringe() -> list[Any]:
    """Knotted threads at the left and right end."""
    yarn, parts, rng = tint_fabric("yarn", 2), [], np.random.default_rng(2)
    for side in (-1, 1):
        for k in range(72):
            y = -HALF[1] + 0.012 + (2 * HALF[1] - 0.024) * k / 71
            end = (side * (HALF[0] + 0.055 + 0.006 * rng.normal()), y + 0.006 * rng.normal(), 0.004)
            parts.append(tube([(side * (HALF[0] - 0.01), y, 0.01), end], 0.0052, yarn, smooth=False))
    return parts


def _worn_squares() -> list[Any]:
    """Large squares, worn through in places."""
    worn = gaussian_filter(np.random.default_rng(7).normal(size=_grid()[0].shape), 2.2)
    broad = gaussian_filter(np.random.default_rng(8).normal(size=worn.shape), 22)
    wear = worn / worn.std() + 0.9 * broad / broad.std()
    streaks: Point = (4, 60, 10)

    def drawing(x: Field, y: Field) -> Field:
        squares = (np.floor((x + 0.8) / 0.2) + np.floor((y + 0.66) / 0.22)) % 2 == 0
        return squares & (wear < 1.35)

    return [_weave(_rectangle, drawing, 0.0, _wool("ground", 1, streaks), _wool("figure", 2, streaks))]


def _shaggy() -> list[Any]:
    """A deep pile with a lattice of diamonds."""

    def drawing(x: Field, y: Field) -> Field:
        u, v = (x / 0.4 + y / 0.33) % 1, (x / 0.4 - y / 0.33) % 1
        return (np.minimum(u, 1 - u) < 0.075) | (np.minimum(v, 1 - v) < 0.075)

    yarns = [tint_fabric(f"yarn{zone}", zone, 150, 0.4) for zone in (1, 2)]
    base = _weave(_rectangle, drawing, 0.0, *yarns)
    rng = np.random.default_rng(11)
    x, y = (rng.uniform(-h, h, 52000) for h in HALF)
    second = drawing(x, y)
    return [base, _strands(x[~second], y[~second], yarns[0], 0), _strands(x[second], y[second], yarns[1], 1)]


def _strands(x: Field, y: Field, paint: Any, seed: int) -> Any:
    """One leaning blade of yarn for every point."""
    rng, count = np.random.default_rng(seed), len(x)
    turn, lean = rng.uniform(0, 2 * math.pi, count), 0.02 * rng.random(count)
    foot = np.stack([x, y, np.full(count, THICK * 0.8)], 1)
    tip = foot + np.stack([lean * np.cos(turn), lean * np.sin(turn), 0.016 + 0.012 * rng.random(count)], 1)
    facing = rng.uniform(0, math.pi, count)
    side = 0.0032 * np.stack([np.cos(facing), np.sin(facing), np.zeros(count)], 1)
    vertices = np.stack([foot - side, foot + side, tip + side * 0.5, tip - side * 0.5], 1).reshape(-1, 3)
    return mesh_object(vertices.tolist(), np.arange(4 * count).reshape(-1, 4).tolist(), paint)


def _mandala() -> list[Any]:
    """A round rug with petals in rings and tassels all round."""
    size = 0.66

    def drawing(x: Field, y: Field) -> Field:
        reach, turn = np.hypot(x, y) / size, np.arctan2(y, x)
        lines = [np.abs(reach - r) < 0.018 for r in (0.2, 0.5, 0.8, 0.95)]
        core = reach < 0.1 + 0.035 * np.cos(8 * turn)
        inner = (reach > 0.22) & (reach < 0.26 + 0.2 * np.abs(np.cos(6 * turn)))
        hollow = (reach > 0.28) & (reach < 0.22 + 0.16 * np.abs(np.cos(6 * turn)))
        outer = np.abs(reach - 0.54 - 0.2 * np.abs(np.sin(8 * turn))) < 0.028
        dots = np.hypot((reach - 0.63) * 8, np.sin(8 * (turn - math.pi / 16)) * 1.1) < 0.42
        teeth = (reach > 0.82) & (reach < 0.82 + 0.1 * np.abs((turn * 16 / math.pi) % 2 - 1))
        return np.any(lines, 0) | core | (inner & ~hollow) | outer | dots | teeth

    return [_weave(lambda x, y: np.hypot(x, y) < size, drawing, 0.002), *_tassels(size)]


def _tassels(size: float, count: int = 40) -> list[Any]:
    yarn, parts = tint_fabric("yarn", 2), []
    for k in range(count):
        a = 2 * math.pi * k / count
        c, s = math.cos(a), math.sin(a)
        parts.append(sphere(((size + 0.012) * c, (size + 0.012) * s, 0.012), 0.012, yarn))
        path = [((size + r) * c, (size + r) * s, 0.008) for r in (0.015, 0.075)]
        parts.append(tube(path, 0.011, yarn, smooth=False, taper=[0.7, 1.2]))
    return parts


def _half_circles() -> list[Any]:
    """Rows of half circles and rings, turned this way and that."""

    def drawing(x: Field, y: Field) -> Field:
        i, k = np.floor((x + 0.8) / 0.32), np.floor((y + 0.66) / 0.33)
        u, v = (x + 0.8) / 0.32 - i, (y + 0.66) / 0.33 - k
        turn = (2 * i + k) % 4
        away = np.select([turn == 0, turn == 1, turn == 2], [u, v, 1 - u], 1 - v)
        across = np.where(turn % 2 == 0, v, u) - 0.5
        reach = np.hypot(away, across)
        return (reach < 0.22) | ((reach > 0.31) & (reach < 0.46))

    return [_weave(_rectangle, drawing, 0.007)]


def _braided() -> list[Any]:
    """Cords braided and coiled into an oval."""
    cords = [tint_fabric("braid", zone, weave=140, strength=0.5) for zone in (1, 2)]
    parts, step = [], 0.04
    for k in range(16):
        reach = 0.02 + step * k
        paint = cords[1] if k in (4, 5, 9, 13, 14) else cords[0]
        parts += [
            tube(_twist(reach, phase), 0.0145, paint, cyclic=True, smooth=False) for phase in (0, math.pi)
        ]
    return parts


def _twist(reach: float, phase: float, straight: float = 0.17) -> list[Point]:
    """One of two strands wound about an oval ``reach`` away from a straight middle line."""
    length = 2 * math.pi * reach + 4 * straight
    count = max(24, round(length / 0.012))
    winds = max(2, round(length / 0.085))
    out: list[Point] = []
    for i in range(count):
        t = 2 * math.pi * i / count
        swing = 0.011 * math.cos(winds * t + phase)
        middle = straight * max(-1.0, min(1.0, 1.6 * math.cos(t)))
        x, y = middle + (reach + swing) * math.cos(t), (reach + swing) * math.sin(t)
        out.append((x, y, 0.017 + 0.009 * math.sin(winds * t + phase)))
    return out


def _matting() -> list[Any]:
    """Two panels of ribbed matting, bound with cloth."""

    def drawing(x: Field, y: Field) -> Field:
        return (np.abs(np.abs(x) - 0.4) > 0.345) | (np.abs(y) > HALF[1] - 0.012)

    straw = _wool("straw", 1, (6, 60, 10), 0.3)
    return [_weave(_rectangle, drawing, 0.002, straw, tint_fabric("binding", 2), ribs=0.0035)]


def _scallops() -> list[Any]:
    """A rug with stepped corners, filled with fans."""

    def steps(x: Field, y: Field) -> Field:
        dx, dy = HALF[0] - np.abs(x), HALF[1] - np.abs(y)
        return (np.minimum(dx, dy) > 0) & ~((dx < 0.16) & (dy < 0.08)) & ~((dx < 0.08) & (dy < 0.16))

    def drawing(x: Field, y: Field) -> Field:
        inwards = _box_distance(x, y)
        cut = np.minimum(HALF[0] - 0.06 - np.abs(x), HALF[1] - 0.06 - np.abs(y))
        field = (inwards > 0.1) & (np.abs(x) < 0.7) & (cut > 0.0) & _fan_field(x, y)
        return ((inwards > 0.05) & (inwards < 0.075)) | _fans(x, y) & field

    return [_weave(steps, drawing, 0.004)]


def _fan_field(x: Field, y: Field) -> Field:
    """All but the corners, where the steps are."""
    return (HALF[0] - np.abs(x) > 0.2) | (HALF[1] - np.abs(y) > 0.2)


def _fans(x: Field, y: Field, wide: float = 0.2) -> Field:
    """Overlapping rows of ribbed fans."""
    best = np.full(x.shape, False)
    found = np.full(x.shape, False)
    for row in range(-9, 10):
        low = row * wide * 0.5
        u = (x + (row % 2) * wide / 2) % wide - wide / 2
        reach = np.hypot(u, y - low) / (wide / 2)
        here = (reach < 1) & (y > low - 1e-6) & ~found
        ring = (reach > 0.88) | (np.abs(reach - 0.5) < 0.06) | (reach < 0.2)
        best |= here & ring
        found |= here
    return best
