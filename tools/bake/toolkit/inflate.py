"""Soft goods without cloth simulation: a flat outline blown up into a cushion with seams and wrinkles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image, ImageDraw
from scipy.ndimage import distance_transform_edt, gaussian_filter

from .scene import Point
from .shapes import HERE, mesh_object, modifier, place

Outline = Sequence[tuple[float, float]]
UNIT = 0.0018
OVERSAMPLING = 4


def smooth_outline(points: Outline, steps: int = 8) -> list[tuple[float, float]]:
    """A closed Catmull-Rom curve through ``points``."""
    p1 = np.asarray(points, float)
    p0, p2, p3 = np.roll(p1, 1, 0), np.roll(p1, -1, 0), np.roll(p1, -2, 0)
    out = []
    for t in np.linspace(0, 1, steps, endpoint=False):
        bend = (2 * p0 - 5 * p1 + 4 * p2 - p3) * t**2 + (3 * p1 - p0 - 3 * p2 + p3) * t**3
        out.append(0.5 * (2 * p1 + (p2 - p0) * t + bend))
    return [tuple(p) for p in np.stack(out, 1).reshape(-1, 2)]


@dataclass(frozen=True)
class _Canvas:
    """A raster over the outline: ``step`` outline units a cell, lower left corner at ``low``."""

    low: np.ndarray
    width: int
    height: int
    step: float

    def image(self, fill: int) -> tuple[Image.Image, ImageDraw.ImageDraw]:
        picture = Image.new("L", (self.width * OVERSAMPLING, self.height * OVERSAMPLING), fill)
        return picture, ImageDraw.Draw(picture)

    def pixels(self, points: Outline) -> list[tuple[float, ...]]:
        scale = OVERSAMPLING / self.step
        return [tuple((np.asarray(p, float) - self.low) * scale) for p in points]

    def reduce(self, field: np.ndarray) -> np.ndarray:
        half = OVERSAMPLING // 2
        return field[half::OVERSAMPLING, half::OVERSAMPLING][: self.height, : self.width]


def inflate(
    outline: Outline,
    paint: Any,
    height: float = 6,
    edge: float = 10,
    offset: float = 0,
    spline: bool = True,
    seams: Sequence[Outline] = (),
    seam_width: float = 1.2,
    seam_depth: float = 2,
    wrinkle: float = 0,
    wrinkle_size: float = 3,
    seed: int = 0,
    mirror: bool = False,
    back: bool = True,
    unit: float = UNIT,
    step: float = 1.0,
    at: Point = HERE,
    rotation: Point = HERE,
) -> Any:
    """Blow up an outline (x right, z up, about 0..100 units of 1.8 mm) into a cushion facing the viewer.

    It bulges ``height`` units towards -y over a rim ``edge`` units wide; ``offset`` moves it in y
    (negative is nearer).
    ``seams`` are polylines pressed in by ``seam_depth``; ``wrinkle`` is the size of smooth random dents;
    ``mirror`` flips x to 100 - x; ``spline=False`` keeps corners sharp.
    """
    if mirror:
        outline, seams = _flip(outline), [_flip(s) for s in seams]
    ring = smooth_outline(outline) if spline else list(outline)
    canvas = _canvas(ring, step)
    distance = _signed_distance(canvas, ring)
    rim = np.clip(distance / edge, 0, 1)
    bulge = height * np.sqrt(np.clip(1 - (1 - rim) ** 2, 0, 1))
    bulge += _wrinkles(bulge.shape, wrinkle, wrinkle_size / step, seed) * rim
    bulge -= _seam_dents(canvas, seams, seam_width, seam_depth) * np.clip(rim * 3, 0, 1)
    vertices, faces = _skin(canvas, distance, bulge)
    vertices = np.column_stack([vertices[:, 0], offset - vertices[:, 1], vertices[:, 2]]) * unit
    made = _solid(vertices, faces, paint, offset * unit, back)
    return place(modifier(made, "SMOOTH", iterations=2, factor=0.4), at, rotation)


def _flip(points: Outline) -> list[tuple[float, float]]:
    return [(100 - x, z) for x, z in points]


def _canvas(ring: Outline, step: float) -> _Canvas:
    points = np.asarray(ring, float)
    low, high = points.min(0) - 3, points.max(0) + 3
    width, height = ((high - low) / step).astype(int) + 2
    return _Canvas(low, int(width), int(height), step)


def _signed_distance(canvas: _Canvas, ring: Outline) -> np.ndarray:
    picture, draw = canvas.image(0)
    draw.polygon(canvas.pixels(ring), fill=255)
    inside = np.asarray(picture) > 127
    distance = distance_transform_edt(inside) - distance_transform_edt(~inside)
    return canvas.reduce(gaussian_filter(distance / OVERSAMPLING * canvas.step, OVERSAMPLING * 0.6))


def _wrinkles(shape: tuple[int, ...], size: float, spread: float, seed: int) -> np.ndarray:
    if not size:
        return np.zeros(shape)
    dents = gaussian_filter(np.random.default_rng(seed).normal(size=shape), spread)
    return size * dents / dents.std()


def _seam_dents(canvas: _Canvas, seams: Sequence[Outline], width: float, depth: float) -> np.ndarray:
    if not seams:
        return np.zeros((canvas.height, canvas.width))
    picture, draw = canvas.image(255)
    for seam in seams:
        draw.line(canvas.pixels(seam), fill=0, width=2)
    distance = distance_transform_edt(np.asarray(picture) > 0) / OVERSAMPLING * canvas.step
    return depth * np.exp(-((canvas.reduce(distance) / width) ** 2))


def _skin(canvas: _Canvas, distance: np.ndarray, bulge: np.ndarray) -> tuple[np.ndarray, list[list[int]]]:
    """Vertices (x, bulge, z) of the cells inside, rim cells snapped to the contour, and the faces over
    them."""
    rows, columns = np.nonzero(distance > -0.9 * canvas.step)
    near = distance[rows, columns]
    slope = np.stack(np.gradient(distance, canvas.step)[::-1], -1)[rows, columns]
    slope /= np.linalg.norm(slope, axis=1, keepdims=True) + 1e-6
    rim = near < 0.6 * canvas.step
    flat = (np.stack([columns, rows], 1) + 0.5) * canvas.step + canvas.low - slope * (near * rim)[:, None]
    lift = np.where(rim, 0, np.maximum(bulge[rows, columns], 0.05))
    index = np.full(distance.shape, -1)
    index[rows, columns] = np.arange(len(rows))
    return np.column_stack([flat[:, 0], lift, flat[:, 1]]), _faces(index)


def _faces(index: np.ndarray) -> list[list[int]]:
    corners = np.stack([index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]], -1).reshape(-1, 4)
    used = corners[(corners >= 0).sum(1) >= 3]
    return [[int(v) for v in face if v >= 0] for face in used]


def _solid(vertices: np.ndarray, faces: list[list[int]], paint: Any, middle: float, back: bool) -> Any:
    count = len(vertices)
    if back:
        mirrored = vertices * (1, -1, 1) + (0, 2 * middle, 0)
        vertices = np.concatenate([vertices, mirrored])
        faces = faces + [[v + count for v in face[::-1]] for face in faces]
    made = mesh_object(vertices.tolist(), faces, paint)
    made.data.validate()
    return made
