"""Wall art in ten forms above a slim ledge; both ends of the ledge and the floor stay free."""

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
    circle,
    cylinder,
    extrude,
    furniture,
    group,
    material,
    sphere,
    tint,
    tint_fabric,
    tint_wood,
    tube,
)

Point = tuple[float, float, float]
Point2 = tuple[float, float]
Maker = Callable[[Any], list[Any]]
WALL = 0.12
LEDGE = 0.55
HALF = 0.72
MIDDLE = 1.0
UPRIGHT = (20.0, 20.0, 1.5)
CAMERA = Camera((0.5, -4.0, 1.5), (0.0, 0.0, 0.72), 84)
HORIZON = 448
ENDS = (("ledge_left", -0.56), ("ledge_right", 0.57))
FLOOR = (("floor_left", -0.56, -0.16), ("floor_right", 0.62, -0.12), ("floor_middle", 0.03, -0.14))


@furniture("wall-art")
def wall_art(style: str) -> Piece:
    """The picture's ground in the first colour; frame, ledge and a part of the shapes in the second one."""
    makers: dict[str, tuple[Maker, str]] = {
        "modern": (_circles, "slab"),
        "minimalist": (_single_line, "sheet"),
        "vintage": (_oval, "corbels"),
        "industrial": (_steel_panels, "brackets"),
        "scandinavian": (_pair, "rail"),
        "bohemian": (_woven_discs, "pegs"),
        "mid-century": (_spindles, "sheet"),
        "rustic": (_planks, "beam"),
        "japandi": (_triptych, "slab"),
        "art-deco": (_arch, "steps"),
    }
    make, kind = makers[style]
    trim = _trim(style)
    places = [Anchor(name, "shelf", (x, 0.03, LEDGE), 0.3, 0.5) for name, x in ENDS]
    places += [Anchor(name, "floor", (x, y, 0), 0.3, 0.4) for name, x, y in FLOOR]
    return Piece([*make(trim), *_ledge(kind, trim)], places, CAMERA, WALL, HORIZON)


def _trim(style: str) -> Any:
    """The second colour as lacquer, steel or wood."""
    if style in ("modern", "minimalist", "industrial", "vintage"):
        return tint("trim", 0.4, zone=2, metallic=0.3)
    return tint("trim", 0.25, zone=2, metallic=0.4) if style == "art-deco" else tint_wood("trim", zone=2)


def _ledge(kind: str, paint: Any) -> list[Any]:
    """A shelf along the wall with its top at the height of the ledge."""
    thick = {"sheet": 0.014, "beam": 0.075, "slab": 0.05, "rail": 0.022}.get(kind, 0.03)
    deep = 0.2
    board = box((-HALF, WALL - deep, LEDGE - thick), (2 * HALF, deep, thick), paint, 0.004)
    return [board, *_support(kind, paint, WALL - deep, LEDGE - thick)]


def _support(kind: str, paint: Any, front: float, under: float) -> list[Any]:
    """What carries or decorates the ledge, for the kinds that show it."""
    makers: dict[str, Callable[[float], Any]] = {
        "corbels": lambda x: extrude(_scroll(front, under), 0.045, paint, 0.004, (), (x, 0, 0), (0, 0, 90)),
        "brackets": lambda x: _angle(x, front, under, paint),
        "pegs": lambda x: _stick([(x, WALL, under - 0.09), (x, front + 0.05, under)], 0.013, paint),
        "rail": lambda x: cylinder((x, WALL - 0.03, under - 0.035), 0.016, 0.06, paint, (90, 0, 0)),
    }
    parts = [makers[kind](x) for x in (-HALF * 0.72, HALF * 0.72)] if kind in makers else []
    for share, y, z, top in _boards(kind, front, under):
        deep = 0.014 if kind == "rail" else WALL - y
        parts.append(box((-HALF * share, y, z), (2 * HALF * share, deep, top - z), paint, 0.003))
    return parts


def _stick(path: Sequence[Point], radius: float, paint: Any) -> Any:
    return tube(path, radius, paint, smooth=False)


def _boards(kind: str, front: float, under: float) -> list[tuple[float, float, float, float]]:
    """Extra boards as (share of the width, front, low, high)."""
    if kind == "steps":
        return [
            (1 - 0.07 * k, front + 0.05 * k, under - 0.022 * k, under - 0.022 * (k - 1)) for k in (1, 2, 3)
        ]
    known = {
        "sheet": (1.0, WALL - 0.01, under, LEDGE + 0.046),
        "rail": (1.0, front, under - 0.001, under + 0.039),
    }
    return [known[kind]] if kind in known else []


def _scroll(front: float, under: float) -> list[Point2]:
    """Outline of a curved bracket, first axis from the wall to the front."""
    bow = arc((front + 0.03, under - 0.16), 0.155, 88, 8, 14)
    return [(WALL, under), (front + 0.02, under), *bow, (WALL, under - 0.2)]


def _angle(x: float, front: float, under: float, paint: Any) -> Any:
    wall = box((x - 0.014, WALL - 0.008, under - 0.2), (0.028, 0.008, 0.2), paint, 0.002)
    top = box((x - 0.014, front + 0.02, under - 0.008), (0.028, WALL - front - 0.02, 0.008), paint, 0.002)
    return group(
        [wall, top, _stick([(x, WALL - 0.01, under - 0.18), (x, front + 0.04, under - 0.01)], 0.007, paint)]
    )


def _rect(width: float, height: float, x: float = 0.0, z: float = MIDDLE) -> list[Point2]:
    w, h = width / 2, height / 2
    return [(x - w, z - h), (x + w, z - h), (x + w, z + h), (x - w, z + h)]


def _layer(outline: Sequence[Point2], paint: Any, level: int = 0, thick: float = 0.005) -> Any:
    """A flat shape lying ``level`` layers above the ground of the picture."""
    return extrude(outline, thick, paint, 0.0008, (), (0, WALL - 0.024 - 0.004 * level, 0))


def _ground(outline: Sequence[Point2], paint: Any) -> Any:
    return extrude(outline, 0.02, paint, 0.001, (), (0, WALL - 0.011, 0))


def _border(outer: Sequence[Point2], inner: Sequence[Point2], paint: Any, deep: float = 0.046) -> Any:
    """A frame between two outlines."""
    return extrude(outer, deep, paint, 0.003, [inner], (0, WALL - deep / 2, 0))


def _framed(width: float, height: float, paint: Any, bar: float = 0.022, x: float = 0.0) -> Any:
    return _border(_rect(width, height, x), _rect(width - 2 * bar, height - 2 * bar, x), paint)


def _canvas(shade: float = 1.0) -> Any:
    return tint_fabric("canvas", 1, 200, 0.2, shade)


def _mat() -> Any:
    """Neutral card round a picture."""
    return material("mat", (212, 211, 207), 0.9)


def _disc(x: float, z: float, radius: float, start: float = 0, stop: float = 360) -> list[Point2]:
    """A circle, or a segment of one."""
    return circle(radius, 72, (x, z)) if stop - start >= 360 else arc((x, z), radius, start, stop, 48)


def _ring(x: float, z: float, radius: float, width: float, start: float, stop: float) -> list[Point2]:
    """An arched band."""
    return [*arc((x, z), radius, start, stop, 48), *arc((x, z), radius - width, stop, start, 48)]


def _circles(trim: Any) -> list[Any]:
    """A square canvas with large overlapping discs and arches."""
    paint, pale, deep = tint("figure", 0.8, zone=2), _mat(), _canvas(0.5)
    parts = [_ground(_rect(0.66, 0.66), _canvas()), _framed(0.68, 0.68, trim, 0.018)]
    parts += [_layer(_disc(-0.09, 1.08, 0.17), pale), _layer(_disc(0.09, 0.93, 0.19), paint, 1)]
    parts += [_layer(_ring(-0.1, 0.7, w, 0.035, 0, 180), deep, 2) for w in (0.2, 0.14, 0.08)]
    return [*parts, _layer(_disc(0.2, 1.19, 0.05), deep, 1)]


def _single_line(trim: Any) -> list[Any]:
    """A tall narrow frame: a wide mat round a plain field with one line and a dot."""
    field = tint("field", 0.85)
    parts = [_ground(_rect(0.5, 0.68), _mat()), _framed(0.5, 0.7, trim, 0.011)]
    parts.append(_layer(_rect(0.3, 0.44), field))
    path = [(-0.1, 0.83), (-0.02, 0.95), (0.06, 0.9), (0.02, 1.02), (-0.06, 1.08), (0.09, 1.16)]
    parts.append(tube([(x, WALL - 0.029, z) for x, z in path], 0.0065, trim))
    return [*parts, _layer(_disc(-0.07, 1.16, 0.024), trim, 1)]


def _ellipse(a: float, b: float, count: int = 72, z: float = MIDDLE) -> list[Point2]:
    turns = [2 * math.pi * k / count for k in range(count)]
    return [(a * math.cos(t), z + b * math.sin(t)) for t in turns]


def _oval(trim: Any) -> list[Any]:
    """An oval moulding with beads and a crest; soft hills inside."""
    parts = [_ground(_ellipse(0.25, 0.31), _canvas())]
    for k, (base, wave, shade) in enumerate(((1.03, 0.03, 0.75), (0.93, 0.035, 0.55), (0.83, 0.02, 0.38))):
        parts.append(_layer(_hill(base, wave, 0.24, 0.3, 7 + 3 * k), _canvas(shade), k, 0.004))
    for a, radius, lift in ((0.262, 0.03, 0.02), (0.228, 0.011, 0.044), (0.292, 0.013, 0.018)):
        parts.append(tube([(x, WALL - lift, z) for x, z in _ellipse(a, a + 0.06)], radius, trim, cyclic=True))
    parts += [sphere((x, WALL - 0.05, z), 0.0085, trim) for x, z in _ellipse(0.262, 0.322, 64)]
    for side in (-1, 1):
        curl = [(0.0, 1.36), (0.05, 1.395), (0.11, 1.375), (0.12, 1.345), (0.095, 1.34)]
        path = [(side * x, WALL - 0.03, z) for x, z in curl]
        parts.append(tube(path, 0.014, trim, taper=[1.2, 1.1, 1, 0.8, 0.6]))
    knobs = ((1.385, 0.028), (0.655, 0.022))
    return [*parts, *(sphere((0, WALL - 0.033, z), radius, trim) for z, radius in knobs)]


def _hill(base: float, wave: float, a: float, b: float, pace: float) -> list[Point2]:
    """The part of an oval below a wavy line."""
    low = [p for p in _ellipse(a, b, 144) if p[1] < base + wave * math.sin(pace * p[0] + pace)]
    low.sort(key=lambda p: math.atan2(p[0], MIDDLE + 0.31 - p[1]))
    left, right = low[0][0], low[-1][0]
    steps = [right + (left - right) * k / 40 for k in range(1, 40)]
    return [*low, *((x, base + wave * math.sin(pace * x + pace)) for x in steps)]


def _steel_panels(trim: Any) -> list[Any]:
    """Riveted steel bars round twelve pressed panels."""
    panel, dark = tint("panel", 0.45, metallic=0.3), tint("pressed", 0.45, shade=0.55, metallic=0.3)
    parts: list[Any] = [_ground(_rect(0.74, 0.56), panel)]
    side = 0.18
    for i in range(4):
        for k in range(3):
            x, z = (i - 1.5) * side, MIDDLE + (k - 1) * side
            parts += _pressed((3 * i + 2 * k) % 4, x, z, side - 0.03, dark if (i + k) % 2 else trim)
    bars = [(-0.37 + side * i, 0.712, 0.02, 0.576) for i in range(5)]
    parts += [box((x, WALL - 0.034, z), (w, 0.03, h), trim, 0.003) for x, z, w, h in bars]
    rows = [0.712 + 0.185 * k for k in range(4)]
    parts += [box((-0.37, WALL - 0.038, z), (0.74, 0.034, 0.02), trim, 0.003) for z in rows]
    spots = [(-0.36 + side * i, z + 0.01) for i in range(5) for z in rows]
    return [*parts, *(sphere((x, WALL - 0.038, z), 0.0075, trim) for x, z in spots)]


def _pressed(kind: int, x: float, z: float, side: float, paint: Any) -> list[Any]:
    """The relief of one panel: disc, rings, half, or bars."""
    h = side / 2 - 0.012
    if kind == 0:
        return [_layer(_disc(x, z, h), paint)]
    if kind == 1:
        return [_layer(_ring(x - h, z - h, r, 0.022, 0, 90), paint) for r in (2 * h, 1.4 * h, 0.75 * h)]
    if kind == 2:
        return [_layer([(x - h, z - h), (x + h, z - h), (x + h, z + h)], paint)]
    return [_layer(_rect(2 * h, 0.022, x, z + d), paint) for d in (-0.045, 0.0, 0.045)]


def _pair(trim: Any) -> list[Any]:
    """Two wooden frames: stacked half discs in one, a disc over hills in the other."""
    parts: list[Any] = []
    figure, deep = tint("figure", 0.85), tint("deep", 0.85, shade=0.55)
    for x in (-0.185, 0.185):
        parts += [_ground(_rect(0.34, 0.5, x), _mat()), _framed(0.34, 0.52, trim, 0.02, x)]
    for k, (x, z, radius) in enumerate(((-0.185, 0.82, 0.1), (-0.2, 0.93, 0.08), (-0.17, 1.02, 0.065))):
        parts.append(_layer(_disc(x, z, radius, 0, 180), deep if k % 2 else figure))
    parts.append(_layer(_disc(0.215, 1.1, 0.055), deep))
    parts += [_layer(_ring(0.145, 0.81, r, 0.03, 0, 180), figure) for r in (0.085, 0.045)]
    parts += [_layer(_ring(0.225, 0.81, r, 0.03, 0, 180), deep, 1) for r in (0.075, 0.035)]
    return parts


def _woven_discs(trim: Any) -> list[Any]:
    """Three shallow woven discs of different sizes."""
    cane, band = tint("cane", 0.8, bump=(160, 0.4)), tint("band", 0.8, zone=2, bump=(160, 0.4))
    parts = _woven(-0.13, 1.08, 0.23, (4, 5, 9, 15), cane, band)
    parts += _woven(0.2, 1.16, 0.15, (2, 7, 8), cane, band)
    return parts + _woven(0.16, 0.86, 0.16, (0, 1, 5, 10), cane, band)


def _woven(x: float, z: float, size: float, marks: Sequence[int], cane: Any, band: Any) -> list[Any]:
    """Coils from the middle out, dished towards the viewer, stitched by spokes."""
    parts: list[Any] = []
    count = round(size / 0.0142)
    for k in range(count):
        r = 0.007 + 0.0142 * k
        y = WALL - 0.012 - 0.05 * (r / size) ** 2
        path = [(x + px, y, z + pz) for px, pz in circle(r, 40)]
        parts.append(tube(path, 0.0085, band if k in marks else cane, cyclic=True))
    for k in range(20):
        a = 2 * math.pi * k / 20
        steps = [(t * size, WALL - 0.02 - 0.05 * t * t) for t in (0.15, 0.45, 0.75, 1.0)]
        path = [(x + r * math.cos(a), y, z + r * math.sin(a)) for r, y in steps]
        parts.append(tube(path, 0.0035, band if len(marks) > 3 else cane))
    return parts


def _spindles(trim: Any) -> list[Any]:
    """A wide panel with a rhythm of spindle shapes and fine lines."""
    figure, deep, pale = tint("figure", 0.7, zone=2), _canvas(0.5), _mat()
    parts = [_ground(_rect(0.78, 0.46), _canvas()), _framed(0.78, 0.48, trim, 0.014)]
    for k, tall in enumerate((0.17, 0.12, 0.18, 0.14, 0.19, 0.13, 0.17)):
        x, paint = 0.1 * k - 0.3, (figure, deep, pale)[k % 3]
        z = MIDDLE + (0.015 if k % 2 else -0.01)
        parts += [_layer(_spindle(x, z, 0.04, tall), paint), _layer(_rect(0.004, 0.42, x, MIDDLE), deep)]
        parts.append(_layer(_spindle(x, z + 0.02, 0.016, tall * 0.4), deep if paint is not deep else pale, 1))
    return parts


def _spindle(x: float, z: float, half: float, tall: float) -> list[Point2]:
    """A pointed oval."""
    steps = [-1 + k / 12 for k in range(25)]
    right = [(x + half * (1 - s * s), z + s * tall) for s in steps]
    return [*right, *((2 * x - px, pz) for px, pz in right[-2:0:-1])]


def _planks(trim: Any) -> list[Any]:
    """Old boards nailed together, with peaks of wooden strips, hung from a rope."""
    parts: list[Any] = []
    boards = ((0.0, 0.74), (0.015, 0.7), (-0.01, 0.73), (0.008, 0.69), (-0.006, 0.72))
    for k, (shift, wide) in enumerate(boards):
        corner = (shift - wide / 2, WALL - 0.03, 0.72 + 0.1 * k)
        parts.append(box(corner, (wide, 0.024, 0.096), tint_wood(f"board{k}"), 0.004))
    for x, peak, drops in ((-0.22, 1.0, (0.0, 0.08)), (0.1, 1.15, (0.0, 0.08, 0.16))):
        for drop in drops:
            parts += _peak(x, 0.745, peak - drop, trim)
    parts.append(_layer(_disc(-0.22, 1.13, 0.042), trim, 3))
    rope = [(-0.26, WALL - 0.02, 1.2), (0.0, WALL - 0.015, 1.36), (0.26, WALL - 0.02, 1.2)]
    parts.append(_stick(rope, 0.007, tint("rope", 0.9, zone=2, bump=(120, 0.6))))
    return [*parts, sphere((0, WALL - 0.02, 1.36), 0.017, trim)]


def _peak(x: float, low: float, high: float, paint: Any) -> list[Any]:
    """Two strips leaning against each other."""
    reach, wide = (high - low) * 0.5, 0.024
    left = [(x - reach, low), (x - reach + wide * 1.3, low), (x, high - wide * 2.1), (x, high)]
    right = [(2 * x - px, pz) for px, pz in left[::-1]]
    return [_layer(strip, paint, 3, 0.012) for strip in (left, right)]


def _triptych(trim: Any) -> list[Any]:
    """Three slim hangings between wooden rods; one large disc and low waves run across them."""
    figure, deep = tint("disc", 0.85, zone=2), _canvas(0.6)
    parts: list[Any] = []
    for x in (-0.24, 0.0, 0.24):
        parts.append(_ground(_rect(0.21, 0.6, x), _canvas()))
        parts += [box((x - 0.118, WALL - 0.036, z), (0.236, 0.03, 0.024), trim, 0.006) for z in (0.69, 1.288)]
        parts.append(_layer(_slice(x - 0.1, x + 0.1), figure))
        parts += [_layer(_waves(x, z), deep, 1) for z in (0.745, 0.785, 0.825)]
    return parts


def _slice(left: float, right: float, centre: Point2 = (0.05, 1.06), radius: float = 0.2) -> list[Point2]:
    """The part of a disc between two upright lines."""
    low, high = max(left, centre[0] - radius), min(right, centre[0] + radius)
    xs = [low + (high - low) * k / 24 for k in range(25)]
    rise = [math.sqrt(max(radius**2 - (x - centre[0]) ** 2, 1e-7)) for x in xs]
    top = [(x, centre[1] + r) for x, r in zip(xs, rise, strict=True)]
    return [*top, *((x, centre[1] - r) for x, r in zip(xs[::-1], rise[::-1], strict=True))]


def _waves(x: float, z: float) -> list[Point2]:
    xs = [x - 0.1 + 0.2 * k / 24 for k in range(25)]
    line = [(px, z + 0.012 * math.sin(px * 17)) for px in xs]
    return [*line, *((px, pz + 0.012) for px, pz in line[::-1])]


def _arched(half: float, low: float, shoulder: float) -> list[Point2]:
    """An upright rectangle with a round head."""
    return [(-half, low), (half, low), *arc((0, shoulder), half, 0, 180, 40)]


def _arch(trim: Any) -> list[Any]:
    """A stepped arch with rays over half discs."""
    figure, deep = tint("ray", 0.3, zone=2, metallic=0.4), _canvas(0.45)
    parts = [_ground(_arched(0.27, 0.66, 1.08), _canvas())]
    for half, bar, deepness in ((0.29, 0.022, 0.05), (0.262, 0.012, 0.034), (0.242, 0.006, 0.03)):
        outer, inner = (_arched(half - cut, 0.93 - half + cut, 1.08) for cut in (0, bar))
        parts.append(_border(outer, inner, trim, deepness))
    for k in range(11):
        a = math.radians(10 + 16 * k)
        parts.append(_layer(_ray(a, 0.17, 0.4 + 0.14 * math.sin(a), 0.012), figure if k % 2 else deep))
    domes = ((0.17, figure), (0.135, deep), (0.09, figure), (0.05, _mat()))
    return [*parts, *(_layer(_disc(0, 0.72, r, 0, 180), paint, 1 + k) for k, (r, paint) in enumerate(domes))]


def _ray(turn: float, near: float, far: float, half: float) -> list[Point2]:
    """A ray that widens outwards from the foot of the arch, cut to stay inside it."""
    c, s = math.cos(turn), math.sin(turn)
    far = min(far, 0.215 / max(abs(c), 0.01))
    corners = ((near, -half * 0.4), (far, -half * 1.5), (far, half * 1.5), (near, half * 0.4))
    return [(r * c - h * s, 0.72 + r * s + h * c) for r, h in corners]
