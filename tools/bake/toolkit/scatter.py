"""Many small copies of one form (leaves, petals, grains, hairs) in one mesh."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .materials import shader_of
from .scene import Point
from .shapes import mesh_object

Template = tuple[np.ndarray, list[list[int]]]
Placed = tuple[np.ndarray, np.ndarray]
VIEWER: Point = (0.0, -1.0, 0.0)


def airy(paint: Any, strength: float) -> Any:
    """Let thin petals and hairs of a tint material shine faintly, as if light came through them."""
    shader = shader_of(paint)
    tinted = paint.node_tree.nodes["Tint"].outputs[2]
    paint.node_tree.links.new(tinted, shader.inputs["Emission Color"])
    shader.inputs["Emission Strength"].default_value = strength
    return paint


def sheet_template(surface: Callable[[float, float], Point], rows: int = 9, columns: int = 7) -> Template:
    """A small curved sheet: ``u`` from 0 to 1 along it, ``v`` from -1 to 1 across."""
    points = [surface(i / (rows - 1), k / (columns - 1) * 2 - 1) for i in range(rows) for k in range(columns)]
    corners = [i * columns + k for i in range(rows - 1) for k in range(columns - 1)]
    return np.array(points), [[c, c + columns, c + columns + 1, c + 1] for c in corners]


def leaf_template(
    width: float, cup: float = 0.15, bend: float = 0.0, blunt: float = 0.8, notch: float = 0.0
) -> Template:
    """A leaf or petal one unit long along z; a small ``blunt`` rounds its ends, ``notch`` cuts its tip."""

    def surface(u: float, v: float) -> Point:
        half = width * math.sin(math.pi * min(max(u, 0.02), 0.985)) ** blunt
        return half * v, bend * u * u - cup * width * v * v, u - notch * u**4 * (1 - abs(v)) ** 1.5

    return sheet_template(surface)


def ball_template(scale: Point = (1, 1, 1), lift: float = 0.0, segments: int = 10) -> Template:
    """A unit ball, stretched by ``scale`` and moved up by ``lift``."""

    def surface(u: float, v: float) -> Point:
        up, turn = math.pi * u, math.pi * v
        x, y = math.sin(up) * math.cos(turn), math.sin(up) * math.sin(turn)
        return x * scale[0], y * scale[1], math.cos(up) * scale[2] + lift

    return sheet_template(surface, segments, segments * 2)


def place_at(
    origin: Sequence[float], way: Sequence[float], facing: Sequence[float] = VIEWER, scale: float = 1
) -> Placed:
    """A place for a template: its z runs along ``way``, its front (-y) turns towards ``facing``."""
    z = np.asarray(way, float) / np.linalg.norm(way)
    y = -np.asarray(facing, float)
    y = y - z * (y @ z)
    y /= np.linalg.norm(y) + 1e-9
    return np.asarray(origin, float), np.stack([np.cross(y, z), y, z]) * scale


def scatter(template: Template, places: Sequence[Placed], paint: Any) -> Any:
    """One mesh with a copy of the template at each place."""
    shape, faces = template
    points = np.concatenate([shape @ basis + origin for origin, basis in places])
    copies = [[v + k * len(shape) for v in face] for k in range(len(places)) for face in faces]
    return mesh_object([tuple(p) for p in points.tolist()], copies, paint)


def point_along(points: Sequence[Sequence[float]], t: float) -> np.ndarray:
    """The point at ``t`` (0..1) of a polyline."""
    whole = t * (len(points) - 1)
    index = min(int(whole), len(points) - 2)
    a, b = np.asarray(points[index], float), np.asarray(points[index + 1], float)
    return a + (b - a) * (whole - index)
