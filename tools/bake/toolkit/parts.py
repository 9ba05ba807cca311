"""Furniture parts shared by the builders: legs and upholstered pads."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import bmesh
import bpy

from .scene import Point, add_object
from .shapes import lathe, tube

PAD_CELLS = 16
EDGE_CELLS = 4


def pad(corner: Point, size: Point, paint: Any, edge: float = 0.04, puff: float = 0.015) -> Any:
    """An upholstered block from its low ``corner``, edges rounded by ``edge``, faces bulging by ``puff``
    metres."""
    mesh = bpy.data.meshes.new("pad")
    work = bmesh.new()
    bmesh.ops.create_cube(work, size=2)
    bmesh.ops.subdivide_edges(work, edges=work.edges[:], cuts=PAD_CELLS - 1, use_grid_fill=True)
    radius = min(edge, min(size) * 0.49)
    for vertex in work.verts:
        vertex.co = _rounded(tuple(vertex.co), size, radius, puff)
    work.to_mesh(mesh)
    work.free()
    mesh.materials.append(paint)
    mesh.shade_smooth()
    made = add_object("pad", mesh)
    made.location = tuple(c + s / 2 for c, s in zip(corner, size, strict=True))
    return made


def _rounded(unit: Point, size: Point, radius: float, puff: float) -> Point:
    """A point of the cube -1..1 moved onto a rounded box, pushed outwards most in the middle of its face."""
    core = [half / 2 - radius for half in size]
    spread = [_spread(u, c, radius) for u, c in zip(unit, core, strict=True)]
    inner = [min(max(p, -c), c) for p, c in zip(spread, core, strict=True)]
    out = [p - q for p, q in zip(spread, inner, strict=True)]
    length = math.hypot(*out)
    moved = [q + o * radius / length for q, o in zip(inner, out, strict=True)]
    for axis in range(3):
        if abs(unit[axis]) > 0.999:
            u, v = (unit[k] for k in range(3) if k != axis)
            moved[axis] += math.copysign(puff * (1 - u * u) * (1 - v * v), unit[axis])
    return moved[0], moved[1], moved[2]


def _spread(unit: float, core: float, radius: float) -> float:
    """Grid position -1..1 to metres: flat cells over the core, cells of equal angle over the rounded edge."""
    step = abs(unit) * PAD_CELLS / 2
    flat = PAD_CELLS / 2 - EDGE_CELLS
    if step <= flat:
        return math.copysign(core * step / flat, unit)
    return math.copysign(core + radius * math.tan(math.pi / 4 * (step - flat) / EDGE_CELLS), unit)


def leg(kind: str, top: Point, foot: Point, paint: Any, thickness: float = 0.02) -> Any:
    """One leg from ``top`` down to ``foot``; ``kind`` is a :data:`styles.LegKind` (sleds are built by the
    caller)."""
    makers: dict[str, Callable[[], Any]] = {
        "rod": lambda: tube([foot, top], thickness * 0.6, paint, smooth=False),
        "hairpin": lambda: _hairpin(top, foot, paint, thickness),
        "tapered": lambda: tube([foot, top], thickness, paint, smooth=False, taper=[0.55, 1.15]),
        "block": lambda: tube([foot, top], thickness * 1.3, paint, smooth=False),
        "turned": lambda: _lathed(top, foot, paint, thickness, TURNED),
        "stub": lambda: tube([foot, top], thickness * 1.1, paint, smooth=False, taper=[0.9, 1]),
        "fluted": lambda: _lathed(top, foot, paint, thickness, FLUTED),
    }
    return makers.get(kind, makers["rod"])()


TURNED = (
    (0.45, 0),
    (0.6, 0.04),
    (0.5, 0.1),
    (0.7, 0.3),
    (1.2, 0.62),
    (0.8, 0.74),
    (1.2, 0.79),
    (0.8, 0.84),
    (1.3, 0.88),
    (1.3, 1),
)
FLUTED = ((0.7, 0), (0.75, 0.14), (1.0, 0.15), (1.05, 0.2), (1.0, 0.25), (0.95, 0.26), (1.2, 1))


def _lathed(
    top: Point, foot: Point, paint: Any, thickness: float, shape: tuple[tuple[float, float], ...]
) -> Any:
    rise = top[2] - foot[2]
    profile = [(0.0, 0.0), *((r * thickness, t * rise) for r, t in shape), (0.0, rise)]
    return lathe(profile, paint, at=foot, segments=32)


def _hairpin(top: Point, foot: Point, paint: Any, thickness: float) -> Any:
    spread = thickness * 2.2
    path = [(top[0] - spread, top[1], top[2]), (foot[0] - spread * 0.2, foot[1], foot[2] + 0.01)]
    path += [(foot[0], foot[1], foot[2]), (foot[0] + spread * 0.2, foot[1], foot[2] + 0.01)]
    path += [(top[0] + spread, top[1], top[2])]
    return tube(path, thickness * 0.35, paint, smooth=False)
