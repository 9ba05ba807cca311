"""Shapes. Lengths in metres, rotations in degrees (XYZ), z up, the camera looks along +y from slightly right.

Every function links the new object into the scene and returns it; move it with ``at`` and ``rotation``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import bmesh
import bpy

from .scene import Point, add_object

Point2 = tuple[float, float]
HERE: Point = (0.0, 0.0, 0.0)


def place(thing: Any, at: Point, rotation: Point) -> Any:
    """Move and turn an object; returns it."""
    thing.location = at
    thing.rotation_euler = tuple(math.radians(a) for a in rotation)
    return thing


def mesh_object(
    vertices: Sequence[Point], faces: Sequence[Sequence[int]], paint: Any, uvs: Sequence[Point2] | None = None
) -> Any:
    """A smooth-shaded mesh object; ``uvs`` holds one pair per vertex."""
    mesh = bpy.data.meshes.new("mesh")
    mesh.from_pydata([tuple(v) for v in vertices], [], [list(f) for f in faces])
    if uvs is not None:
        layer = mesh.uv_layers.new()
        for loop in mesh.loops:
            layer.data[loop.index].uv = uvs[loop.vertex_index]
    mesh.materials.append(paint)
    mesh.shade_smooth()
    return add_object("mesh", mesh)


def modifier(thing: Any, kind: str, **settings: Any) -> Any:
    """Add a modifier and set its attributes; returns the object."""
    added = thing.modifiers.new(kind.lower(), kind)
    for name, value in settings.items():
        setattr(added, name, value)
    return thing


def lathe(
    profile: Sequence[Point2],
    paint: Any,
    at: Point = HERE,
    rotation: Point = HERE,
    segments: int = 64,
    sharp: float = 40,
) -> Any:
    """Turn the open profile [(radius, z), ...] round the z axis; edges above ``sharp`` degrees stay sharp.

    UVs run once round (u, seam at the back) and along the profile (v).
    """
    turns = [-1.5 * math.pi + 2 * math.pi * i / segments for i in range(segments + 1)]
    vertices = [(r * math.cos(a), r * math.sin(a), z) for a in turns for r, z in profile]
    count = len(profile)
    uvs = [(i / segments, k / (count - 1)) for i in range(segments + 1) for k in range(count)]
    made = mesh_object(vertices, _grid_faces(segments + 1, count), paint, uvs)
    _clean(made.data)
    modifier(made, "EDGE_SPLIT", split_angle=math.radians(sharp))
    return place(made, at, rotation)


def _grid_faces(rows: int, columns: int) -> list[tuple[int, int, int, int]]:
    return [
        (i * columns + k, (i + 1) * columns + k, (i + 1) * columns + k + 1, i * columns + k + 1)
        for i in range(rows - 1)
        for k in range(columns - 1)
    ]


def _clean(mesh: Any) -> None:
    work = bmesh.new()
    work.from_mesh(mesh)
    bmesh.ops.remove_doubles(work, verts=work.verts, dist=1e-5)
    bmesh.ops.recalc_face_normals(work, faces=work.faces)
    work.to_mesh(mesh)
    work.free()


def tube(
    points: Sequence[Sequence[float]],
    radius: float,
    paint: Any,
    cyclic: bool = False,
    smooth: bool = True,
    at: Point = HERE,
    rotation: Point = HERE,
    taper: Sequence[float] | None = None,
) -> Any:
    """Sweep a disc along ``points`` (a smooth curve near them, or straight pieces); ``taper`` scales the
    radius."""
    curve = bpy.data.curves.new("tube", "CURVE")
    curve.dimensions = "3D"
    curve.bevel_depth = radius
    curve.bevel_resolution = 6
    curve.use_fill_caps = True
    curve.materials.append(paint)
    spline = curve.splines.new("NURBS" if smooth else "POLY")
    spline.points.add(len(points) - 1)
    for index, (control, point) in enumerate(zip(spline.points, points, strict=True)):
        control.co = (*point, 1)
        control.radius = taper[index] if taper else 1
    spline.use_cyclic_u = cyclic
    if smooth:
        spline.order_u = min(4, len(points))
        spline.use_endpoint_u = not cyclic
        spline.resolution_u = 12
    return place(add_object("tube", curve), at, rotation)


def box(
    corner: Point, size: Point, paint: Any, bevel: float = 0.008, rotation: Point = HERE, segments: int = 3
) -> Any:
    """A bevelled box from its low ``corner``; it turns about its own middle."""
    bpy.ops.mesh.primitive_cube_add(size=1)
    made = bpy.context.object
    made.scale = size
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
    made.data.materials.append(paint)
    made.data.shade_smooth()
    modifier(made, "BEVEL", width=bevel, segments=segments, limit_method="ANGLE")
    modifier(made, "WEIGHTED_NORMAL")
    middle = tuple(c + s / 2 for c, s in zip(corner, size, strict=True))
    return place(made, middle, rotation)


def sphere(at: Point, radius: float, paint: Any, scale: Point = (1, 1, 1), rotation: Point = HERE) -> Any:
    """A ball, or an ellipsoid with ``scale``."""
    bpy.ops.mesh.primitive_uv_sphere_add(segments=48, ring_count=24, radius=radius)
    made = bpy.context.object
    made.scale = scale
    made.data.materials.append(paint)
    made.data.shade_smooth()
    return place(made, at, rotation)


def cylinder(
    at: Point, radius: float, height: float, paint: Any, rotation: Point = HERE, bevel: float = 0.004
) -> Any:
    """A bevelled cylinder round its middle, standing along z."""
    bpy.ops.mesh.primitive_cylinder_add(vertices=64, radius=radius, depth=height)
    made = bpy.context.object
    made.data.materials.append(paint)
    made.data.shade_smooth()
    modifier(made, "BEVEL", width=bevel, segments=2, limit_method="ANGLE")
    modifier(made, "WEIGHTED_NORMAL")
    return place(made, at, rotation)


def patch(
    surface: Callable[[float, float], Point],
    paint: Any,
    rows: int = 24,
    columns: int = 16,
    thickness: float = 0.0015,
    at: Point = HERE,
    rotation: Point = HERE,
) -> Any:
    """A thin curved sheet: ``surface(u, v)`` gives the point for u and v in 0..1 (also its UVs)."""
    uvs = [(i / (rows - 1), k / (columns - 1)) for i in range(rows) for k in range(columns)]
    made = mesh_object([surface(u, v) for u, v in uvs], _grid_faces(rows, columns), paint, uvs)
    modifier(made, "SOLIDIFY", thickness=thickness, offset=0)
    modifier(made, "SUBSURF", levels=1, render_levels=1)
    return place(made, at, rotation)


def band(
    path: Sequence[Point2],
    width: float,
    paint: Any,
    thickness: float = 0.006,
    wave: float = 0.0,
    at: Point = HERE,
    rotation: Point = HERE,
) -> Any:
    """A strip of ``width`` (along y) that follows the path [(x, z), ...]; ``wave`` ripples its edges."""
    rows = len(path)

    def surface(u: float, v: float) -> Point:
        x, z = path[round(u * (rows - 1))]
        return x, width * (v - 0.5) + wave * math.sin(u * 9), z + wave * 0.5 * math.sin(v * 9 + u * 11)

    return patch(surface, paint, rows, 13, thickness, at, rotation)


def petal(
    paint: Any,
    length: float = 0.06,
    width: float = 0.03,
    curl: float = 0.35,
    cup: float = 0.5,
    at: Point = HERE,
    rotation: Point = HERE,
) -> Any:
    """A cupped petal growing upwards from its foot, bulging towards +y; turn it about z to make a flower."""

    def surface(u: float, v: float) -> Point:
        side = v * 2 - 1
        half = width * math.sin(math.pi * min(u * 0.92 + 0.08, 1)) ** 0.7
        out = 0.012 + 0.018 * math.sin(math.pi * u * 0.8) - curl * 0.01 * u
        return side * half * (1 - 0.1 * u), out + cup * half * (1 - side * side) * 0.5 - 0.004, length * u

    return patch(surface, paint, 15, 9, 0.0012, at, rotation)


def extrude(
    outline: Sequence[Point2],
    thickness: float,
    paint: Any,
    bevel: float = 0.001,
    holes: Sequence[Sequence[Point2]] = (),
    at: Point = HERE,
    rotation: Point = HERE,
) -> Any:
    """A flat plate in the x-z plane cut along ``outline`` (with ``holes``), ``thickness`` deep along y."""
    curve = bpy.data.curves.new("plate", "CURVE")
    curve.dimensions = "2D"
    curve.fill_mode = "BOTH"
    curve.extrude = max(thickness / 2 - bevel, 1e-5)
    curve.bevel_depth = bevel
    curve.bevel_resolution = 2
    curve.offset = -bevel
    curve.materials.append(paint)
    for ring in (outline, *holes):
        spline = curve.splines.new("POLY")
        spline.points.add(len(ring) - 1)
        for control, (x, z) in zip(spline.points, ring, strict=True):
            control.co = (x, z, 0, 1)
        spline.use_cyclic_u = True
        spline.use_smooth = False
    flat = add_object("plate", curve)
    flat.rotation_euler = (math.pi / 2, 0, 0)
    return place(group([flat]), at, rotation) if (at, rotation) != (HERE, HERE) else flat


def card(
    width: float,
    height: float,
    paint: Any,
    thickness: float = 0.002,
    at: Point = HERE,
    rotation: Point = HERE,
) -> Any:
    """A flat upright card facing the viewer (-y), foot at z = 0, with UVs for ``printed`` materials."""

    def surface(u: float, v: float) -> Point:
        return width * (u - 0.5), 0.0, height * v

    made = patch(surface, paint, 3, 3, thickness)
    made.modifiers.remove(made.modifiers["subsurf"])
    return place(made, at, rotation)


def circle(radius: float, count: int = 32, centre: Point2 = (0, 0), stretch: float = 1.0) -> list[Point2]:
    """Points of a circle (or an ellipse, ``stretch`` times as tall)."""
    turns = [2 * math.pi * i / count for i in range(count)]
    return [(centre[0] + radius * math.cos(a), centre[1] + stretch * radius * math.sin(a)) for a in turns]


def arc(centre: Point2, radius: float, start: float, stop: float, count: int = 12) -> list[Point2]:
    """Points of an arc from ``start`` to ``stop`` degrees."""
    turns = [math.radians(start + (stop - start) * i / (count - 1)) for i in range(count)]
    return [(centre[0] + radius * math.cos(a), centre[1] + radius * math.sin(a)) for a in turns]


def group(objects: Sequence[Any], at: Point = HERE, rotation: Point = HERE, scale: float = 1.0) -> Any:
    """Put objects under one empty, so that they move, turn and scale together; returns the empty."""
    handle = add_object("group", None)
    for thing in objects:
        thing.parent = handle
    handle.scale = (scale, scale, scale)
    return place(handle, at, rotation)
