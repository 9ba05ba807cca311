"""The one stage every picture is rendered on: cove, lights, camera, and fitting an object to it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from bpy_extras.object_utils import world_to_camera_view
from mathutils import Vector

from .registry import Camera

Point = tuple[float, float, float]

CUE_EXTENT = 0.75
CUE_CAMERA = Camera((0.55, -3.9, 1.25), (0.0, 0.0, 0.0), 106)
AREA_LIGHTS: tuple[tuple[Point, float, float], ...] = (
    ((-2.6, -2.4, 3.2), 1.8, 190),
    ((3.0, -2.0, 2.2), 2.5, 55),
    ((0.0, 0.5, 4.0), 2.5, 60),
)


def reset() -> None:
    """Empty the Blender scene."""
    bpy.ops.wm.read_factory_settings(use_empty=True)


def add_object(name: str, data: Any) -> Any:
    """Link a new object holding ``data`` into the scene and return it."""
    made = bpy.data.objects.new(name, data)
    bpy.context.collection.objects.link(made)
    return made


def studio(wall: float | None = None) -> Any:
    """Build the cove, three area lights and a dim sky; return the cove.

    ``wall`` puts a plain wall at that y (metres) with a sharp corner at the floor instead of the curved cove.
    """
    for place, size, power in AREA_LIGHTS:
        _area_light(place, size, power)
    _sky()
    return _cove(_cove_profile(wall))


def _cove_profile(wall: float | None) -> list[tuple[float, float]]:
    if wall is not None:
        return [(-4.0, 0.0), (wall, 0.0), (wall, 5.0)]
    bend = [math.pi / 2 * i / 24 for i in range(25)]
    return [(-4.0, 0.0), *((1.2 + math.sin(a), 1 - math.cos(a)) for a in bend), (2.2, 5.0)]


def _cove(profile: Sequence[tuple[float, float]]) -> Any:
    vertices = [(x, y, z) for y, z in profile for x in (-7, 7)]
    faces = [(2 * i, 2 * i + 1, 2 * i + 3, 2 * i + 2) for i in range(len(profile) - 1)]
    mesh = bpy.data.meshes.new("cove")
    mesh.from_pydata(vertices, [], faces)
    paint = bpy.data.materials.new("cove")
    paint.use_nodes = True
    shader = paint.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (0.5, 0.5, 0.5, 1)
    shader.inputs["Roughness"].default_value = 0.9
    mesh.materials.append(paint)
    cove = add_object("cove", mesh)
    if len(profile) > 3:
        mesh.shade_smooth()
    return cove


def _area_light(place: Point, size: float, power: float) -> None:
    lamp = bpy.data.lights.new("area", "AREA")
    lamp.size = size
    lamp.energy = power
    _aim(add_object("area", lamp), place, (0, 0, 0.5))


def _aim(thing: Any, place: Point, target: Point) -> None:
    thing.location = place
    thing.rotation_euler = (Vector(target) - Vector(place)).to_track_quat("-Z", "Y").to_euler()


def _sky() -> None:
    world = bpy.data.worlds.new("sky")
    bpy.context.scene.world = world
    world.use_nodes = True
    background = world.node_tree.nodes["Background"]
    background.inputs[0].default_value = (0.85, 0.9, 1, 1)
    background.inputs[1].default_value = 0.32


def place_camera(camera: Camera) -> None:
    """Make ``camera`` the scene's camera."""
    lens = bpy.data.cameras.new("camera")
    lens.lens = camera.lens
    thing = add_object("camera", lens)
    _aim(thing, camera.location, camera.target)
    bpy.context.scene.camera = thing


def modelled_objects() -> list[Any]:
    """Every visible object that a model made (not the cove, lights or camera)."""
    return [o for o in bpy.data.objects if o.type in ("MESH", "CURVE") and o.name != "cove"]


def vertices_of(objects: Sequence[Any]) -> np.ndarray:
    """World positions (n, 3) of all vertices, with modifiers and bevels applied."""
    bpy.context.view_layer.update()
    graph = bpy.context.evaluated_depsgraph_get()
    return np.concatenate([_evaluated_vertices(o.evaluated_get(graph)) for o in objects])


def _evaluated_vertices(thing: Any) -> np.ndarray:
    mesh = thing.to_mesh()
    flat = np.empty(len(mesh.vertices) * 3, np.float32)
    mesh.vertices.foreach_get("co", flat)
    matrix = np.array(thing.matrix_world)
    thing.to_mesh_clear()
    return flat.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]


def fit_cue() -> float:
    """Scale and centre the modelled objects for the cue camera; return their height in rig metres."""
    objects = modelled_objects()
    points = vertices_of(objects)
    low, high = points.min(0), points.max(0)
    width = float(np.hypot(*(high - low)[:2])) * 0.9
    factor = CUE_EXTENT / max(float(high[2] - low[2]), width)
    root = add_object("root", None)
    for thing in [o for o in bpy.data.objects if o.parent is None and _is_model(o) and o is not root]:
        thing.parent = root
    centre = (low + high) / 2
    root.scale = (factor,) * 3
    root.location = (-centre[0] * factor, -centre[1] * factor, -low[2] * factor)
    return float(high[2] - low[2]) * factor


def _is_model(thing: Any) -> bool:
    return thing.type == "EMPTY" or (thing.type in ("MESH", "CURVE") and thing.name != "cove")


def cue_camera(height: float) -> Camera:
    """The cue camera aimed at the middle of an object of ``height`` rig metres."""
    return Camera(CUE_CAMERA.location, (0.0, 0.0, height * 0.46), CUE_CAMERA.lens)


def project(point: Point, pixels: int) -> tuple[float, float, float]:
    """Pixel x, pixel y and pixels per metre of a world point in the scene camera."""
    scene = bpy.context.scene
    bpy.context.view_layer.update()
    here = world_to_camera_view(scene, scene.camera, Vector(point))
    above = world_to_camera_view(scene, scene.camera, Vector(point) + Vector((0, 0, 0.1)))
    return here.x * pixels, (1 - here.y) * pixels, (above.y - here.y) * pixels * 10
