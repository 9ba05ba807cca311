"""Soft things, sport and pet toys."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from toolkit import (
    band,
    box,
    circle,
    cue,
    cylinder,
    group,
    inflate,
    lathe,
    material,
    metal,
    sphere,
    tint,
    tint_fabric,
    tube,
)
from toolkit.shapes import mesh_object

UNIT = 0.0018
Point = tuple[float, float, float]


@cue("mini throw pillow", technique="inflate")
def mini_throw_pillow() -> list[Any]:
    """A plump square pillow, piped, tufted in the middle, a tassel at each corner."""
    cloth, cord = tint_fabric("cloth", weave=260), tint("piping", 0.7, shade=0.8)
    ring = [(0, 0), (50, 6), (100, 0), (94, 50), (100, 100), (50, 94), (0, 100), (6, 50)]
    spokes = [
        [(50, 50), (50 + 15 * math.cos(a), 50 + 15 * math.sin(a))] for a in (0.4, 1.5, 2.6, 3.6, 4.7, 5.7)
    ]
    pillow = inflate(
        ring, cloth, 23, 52, spline=False, seams=[*spokes, [(49, 50), (51, 50)]], seam_width=4, seam_depth=4
    )
    edge = tube([(x * UNIT, 0, z * UNIT) for x, z in [*ring, ring[0]]], 0.0034, cord, smooth=False)
    button = sphere((50 * UNIT, -0.033, 50 * UNIT), 0.008, cord, (1, 0.5, 1))
    tassels = [part for x in (0, 1) for z in (0, 1) for part in _tassel(x, z, cord)]
    return [group([pillow, edge, button, *tassels], rotation=(-12, 0, 0))]


def _tassel(x: int, z: int, paint: Any) -> list[Any]:
    way_x, way_z = 2 * x - 1, (2 * z - 1) * 0.8
    start = (x * 100 * UNIT, 0.0, z * 100 * UNIT)

    def along(t: float, fan: float) -> Point:
        return start[0] + t * (way_x - fan * way_z), start[1], start[2] + t * (way_z + fan * way_x)

    threads = [
        tube([along(0.008, f * 0.4), along(0.03, f)], 0.0028, paint) for f in (-0.4, -0.2, 0, 0.2, 0.4)
    ]
    return [sphere(along(0.006, 0), 0.007, paint), *threads]


@cue("neck pillow", technique="sweep")
def neck_pillow() -> list[Any]:
    """A horseshoe travel pillow with its snap cord, tilted towards the viewer."""
    plush, seam = tint("plush", 0.95, sheen=0.35, bump=(300, 0.4)), tint("seam", 0.9, shade=0.55)
    turns = [math.radians(-58 + 296 * k / 40) for k in range(41)]
    ring = [(0.062 * math.cos(t) * (1 - 0.10 * math.sin(t)), 0.068 * math.sin(t), 0) for t in turns]
    taper = [1.0 - 0.12 * math.sin(math.pi * k / 40) for k in range(41)]
    taper[:4], taper[-4:] = [0.05, 0.62, 0.86, 0.97], [0.97, 0.86, 0.62, 0.05]
    body = tube(ring, 0.034, plush, taper=taper)
    line = [(x * 1.02, y * 1.02, 0.0335 * t) for (x, y, _), t in zip(ring[1:-1], taper[1:-1], strict=True)]
    return [group([body, tube(line, 0.0022, seam)], rotation=(50, 0, 0))]


@cue("pencil case", technique="inflate")
def pencil_case() -> list[Any]:
    """A zipped pouch, open at one end, with three pencils looking out."""
    cloth = tint_fabric("cloth", weave=260)
    ring = [(2, 4), (50, 2), (98, 4), (100, 24), (98, 42), (74, 44), (40, 45), (2, 43), (0, 24)]
    pouch = inflate(
        ring, cloth, 15, 20, wrinkle=0.5, seams=[[(12, 4), (12, 42)], [(0, 12), (100, 12)]], seam_depth=1.4
    )
    tape = box((0.004, -0.0125, 0.072), (0.172, 0.025, 0.006), material("tape", (64, 65, 70), 0.9), 0.0015)
    steel = metal("zip", (196, 198, 204), 0.3)
    teeth = [
        box((0.008 + 0.006 * k, -0.0035, 0.0775), (0.0034, 0.007, 0.0022), steel, 0.0006) for k in range(28)
    ]
    pull = [tube([(0.062, -0.006, 0.08), (0.052, -0.024, 0.078), (0.05, -0.0285, 0.062)], 0.0026, steel)]
    pull.append(box((0.044, -0.034, 0.04), (0.011, 0.004, 0.022), steel, 0.0015))
    pencils = [part for k in range(3) for part in _pencil(0.112 + 0.021 * k, 8 + 14 * k, 0.122 - 0.006 * k)]
    return [group([pouch, tape, *teeth, *pull, *pencils], rotation=(-6, 0, -14))]


def _pencil(x: float, lean: float, top: float) -> list[Any]:
    coat = [material("coat", rgb, 0.4) for rgb in ((112, 116, 122), (168, 170, 174), (84, 88, 94))][
        round(x * 1e3) % 3
    ]
    cone = [(0.0068, 0), (0.0016, 0.0165), (0, 0.0165)]
    parts = [
        cylinder((0, 0, -0.03), 0.007, 0.06, coat, bevel=0.0005),
        lathe(cone, material("bare", (226, 208, 180), 0.7)),
    ]
    parts.append(lathe([(0.0024, 0.0155), (0, 0.0215)], material("lead", (38, 38, 42), 0.4)))
    return [group(parts, (x, 0.002, top - 0.02), (0, lean, 0))]


@cue("rolled yoga mat", technique="sweep")
def rolled_yoga_mat() -> list[Any]:
    """A rolled mat lying on its side, its spiral end to the viewer, held by two straps."""
    foam, dark = tint("foam", 0.85, bump=(600, 0.25)), material("strap", (70, 72, 78), 0.8)
    path = []
    for k in range(230):
        turn = math.radians(250 + 1180 * (k / 229))
        radius = 0.008 + 0.036 * k / 229
        path.append((radius * math.cos(turn), radius * math.sin(turn)))
    mat = band(path, 0.15, foam, 0.009)
    turn = [(x * 1.13, z * 1.13) for x, z in path[-70:]]
    ends = [tube([(x, y, z) for x, z in turn], 0.0032, dark) for y in (-0.042, 0.046)]
    return [group([mat, *ends], rotation=(0, 0, -40))]


@cue("dog rope toy", technique="sweep")
def dog_rope_toy() -> list[Any]:
    """A thick twisted rope with a knot and a frayed tuft at each end."""
    yarn = tint("yarn", 0.95, sheen=0.25, bump=(500, 0.4))
    pale = material("strand", (226, 224, 218), 0.95, bump=(500, 0.4))
    parts = [_strand(k, pale if k == 1 else yarn) for k in range(4)]
    for side in (-1, 1):
        parts += _rope_knot(side, yarn)
        parts.append(_tuft(side, yarn, 7 + side))
    return [group(parts, rotation=(90, 0, 18))]


def _strand(index: int, paint: Any) -> Any:
    points = []
    for k in range(61):
        s = k / 60 * 2 - 1
        turn = s * 7.5 + index * math.pi / 2
        points.append((0.058 * s, 0.014 * (1 - s * s) + 0.0105 * math.cos(turn), 0.0105 * math.sin(turn)))
    return tube(points, 0.0105, paint)


def _rope_knot(side: int, paint: Any) -> list[Any]:
    parts = []
    for k, turn in enumerate((25, -35, 80)):
        ring = [(0.024 * c, 0.024 * s) for c, s in circle(1, 20)]
        loop = tube([(y * 0.4, x, y) for x, y in ring], 0.0115, paint, cyclic=True)
        parts.append(group([loop], (side * (0.066 + 0.004 * k), 0, 0), (turn, 12 * k, side * 14)))
    return parts


def _tuft(side: int, paint: Any, seed: int) -> Any:
    random = np.random.default_rng(seed)
    threads = []
    for _ in range(46):
        way = random.normal(size=2) * 0.5
        length = random.uniform(0.03, 0.04)
        start = np.array([0.082, way[0] * 0.012, way[1] * 0.012])
        tip = start + length * np.array([1, way[0], way[1]]) / math.hypot(1, *way)
        bend = (start + tip) / 2 + (0, 0, 0.002)
        threads.append(tube([(side * p[0], p[1], p[2]) for p in (start, bend, tip)], 0.0022, paint))
    return group(threads)


@cue("cat mouse toy", technique="spheres")
def cat_mouse_toy() -> list[Any]:
    """A plush mouse with big ears, whiskers and a curled cord tail."""
    plush = tint("plush", 0.95, sheen=0.35, bump=(320, 0.6))
    inner, dark = material("inner", (228, 214, 208), 0.9), material("dark", (28, 27, 29), 0.2)
    parts = [
        sphere((0.012, 0, 0.03), 0.034, plush, (1.35, 0.95, 0.9)),
        sphere((-0.03, 0, 0.026), 0.022, plush, (1.35, 0.95, 0.95)),
    ]
    parts.append(sphere((-0.0595, 0, 0.026), 0.0055, dark))
    for s in (-1, 1):
        ear = [
            cylinder((0, 0, 0), 0.0205, 0.008, plush, (90, 0, 0), 0.0035),
            cylinder((0, -0.0035, 0), 0.0135, 0.004, inner, (90, 0, 0), 0.0015),
        ]
        parts.append(group(ear, (-0.02, s * 0.0225, 0.062), (-8, 0, -58 + s * 22)))
        parts.append(sphere((-0.0455, s * 0.013, 0.036), 0.0045, dark))
        parts += [
            tube([(-0.052, s * 0.008, 0.025), (-0.056, s * 0.034, 0.025 + z)], 0.0008, dark)
            for z in (-0.006, 0.002, 0.01)
        ]
    tail = [
        (0.055, 0, 0.02),
        (0.075, 0.004, 0.012),
        (0.095, 0.02, 0.018),
        (0.102, 0.016, 0.045),
        (0.086, 0.004, 0.058),
        (0.078, 0, 0.045),
    ]
    parts.append(tube(tail, 0.0042, plush, taper=[1, 1, 0.9, 0.9, 0.8, 0.6]))
    return [group(parts, rotation=(0, 0, 28))]


@cue("soccer ball", technique="spheres")
def soccer_ball() -> list[Any]:
    """A football: tinted panels, twelve pentagons of neutral grey, grooved seams."""
    panel, patch_paint = tint("panel", 0.4), material("pentagon", (66, 68, 74), 0.4)
    points, seams, corners = _truncated()
    ball = _panelled(points, seams)
    ball.data.materials.clear()
    for paint in (panel, patch_paint):
        ball.data.materials.append(paint)
    for face in ball.data.polygons:
        face.material_index = int(corners(np.array(face.center)))
    return [group([ball], (0, 0, 0.06), (18, -24, 12))]


def _truncated() -> tuple[Any, Any, Any]:
    """Centres of the 12 pentagons and 20 hexagons, the seam depth function and the pentagon test."""
    g = (1 + 5**0.5) / 2
    five = np.array([p for a in (-1, 1) for b in (-g, g) for p in ((0, a, b), (a, b, 0), (b, 0, a))], float)
    cube = [(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]
    rest = [p for a in (-1 / g, 1 / g) for b in (-g, g) for p in ((a, 0, b), (0, b, a), (b, a, 0))]
    six = np.array([*cube, *rest], float)
    five /= np.linalg.norm(five, axis=1, keepdims=True) * 2.327
    six /= np.linalg.norm(six, axis=1, keepdims=True) * 2.267

    def both(way: Any) -> tuple[float, float]:
        values = sorted([*(five @ way), *(six @ way)])
        return values[-1], values[-2]

    def depth(way: Any) -> float:
        first, second = both(way)
        return 0.035 * math.exp(-(((first - second) / 0.008) ** 2))

    def pentagon(way: Any) -> bool:
        return bool((five @ way).max() > (six @ way).max())

    return np.concatenate([five, six]), depth, pentagon


def _panelled(centres: Any, depth: Any) -> Any:
    rows, columns = 120, 200
    vertices, radius = [], 0.06
    for i in range(rows + 1):
        for k in range(columns):
            up, turn = math.pi * i / rows, 2 * math.pi * k / columns
            way = np.array([math.sin(up) * math.cos(turn), math.sin(up) * math.sin(turn), math.cos(up)])
            vertices.append(tuple((way * radius * (1 - depth(way))).tolist()))
    faces = [
        (
            i * columns + k,
            (i + 1) * columns + k,
            (i + 1) * columns + (k + 1) % columns,
            i * columns + (k + 1) % columns,
        )
        for i in range(rows)
        for k in range(columns)
    ]
    return mesh_object(vertices, faces, tint("panel", 0.4))
