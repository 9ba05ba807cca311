"""Materials. A *tint* material takes the product colour; everything else keeps its own.

A tint material carries its zone (1 = body, 2 = second colour) and a node called ``Tint`` that ``set_tint``
drives.
All tint patterns are products with the tint, so the picture stays linear in it.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from PIL import Image

Rgb = tuple[int, int, int]
WOOD_SCALE = (1.2, 10.0, 22.0)


def linear(rgb: Rgb) -> tuple[float, float, float, float]:
    """Linear RGBA of an 8-bit sRGB colour."""
    values = [v / 255 for v in rgb]
    r, g, b = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values)
    return r, g, b, 1.0


def material(
    name: str,
    rgb: Rgb,
    roughness: float = 0.5,
    metallic: float = 0.0,
    sheen: float = 0.0,
    transmission: float = 0.0,
    alpha: float = 1.0,
    coat: float = 0.0,
    bump: tuple[float, float] | None = None,
) -> Any:
    """A material of a fixed colour; ``bump`` is (noise scale per metre, strength)."""
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    inputs = shader_of(made).inputs
    inputs["Base Color"].default_value = linear(rgb)
    inputs["Roughness"].default_value = roughness
    inputs["Metallic"].default_value = metallic
    inputs["Sheen Weight"].default_value = sheen
    inputs["Transmission Weight"].default_value = transmission
    inputs["IOR"].default_value = 1.3 if transmission else 1.5
    inputs["Alpha"].default_value = alpha
    inputs["Coat Weight"].default_value = coat
    if bump:
        add_bump(made, noise(made, bump[0]), bump[1])
    return made


def shader_of(made: Any) -> Any:
    """The Principled shader node of a material."""
    return made.node_tree.nodes["Principled BSDF"]


def metal(name: str, rgb: Rgb = (190, 192, 196), roughness: float = 0.25) -> Any:
    """Plain metal."""
    return material(name, rgb, roughness, metallic=1)


def glass(name: str, rgb: Rgb = (235, 245, 248), roughness: float = 0.02, transmission: float = 1.0) -> Any:
    """Clear glass (set ``visible_shadow = False`` on the object for a light shadow)."""
    return material(name, rgb, roughness, transmission=transmission)


def fabric(name: str, rgb: Rgb, weave: float = 90) -> Any:
    """Woven cloth of a fixed colour."""
    return material(name, rgb, 0.95, sheen=0.3, bump=(weave, 0.25))


def wood(name: str, rgb: Rgb = (176, 136, 90), scale: tuple[float, float, float] = WOOD_SCALE) -> Any:
    """Wood of a fixed colour, grain along the object's x axis."""
    made = material(name, rgb, 0.45)
    _multiply(made, grain(made, scale), linear(rgb), "Wood")
    return made


def tint(
    name: str = "tint",
    roughness: float = 0.5,
    zone: int = 1,
    shade: float = 1.0,
    metallic: float = 0.0,
    sheen: float = 0.0,
    alpha: float = 1.0,
    coat: float = 0.0,
    bump: tuple[float, float] | None = None,
) -> Any:
    """A plain material in the tint colour; ``shade`` < 1 gives a darker version of the same colour."""
    made = material(name, (255, 255, 255), roughness, metallic, sheen, 0, alpha, coat, bump)
    flat = made.node_tree.nodes.new("ShaderNodeRGB")
    flat.outputs[0].default_value = (shade, shade, shade, 1)
    _tinted(made, flat.outputs[0], zone)
    return made


def tint_fabric(
    name: str = "cloth", zone: int = 1, weave: float = 90, strength: float = 0.25, shade: float = 1.0
) -> Any:
    """Woven cloth in the tint colour."""
    return tint(name, 0.95, zone, shade, sheen=0.3, bump=(weave, strength))


def tint_metal(name: str = "metal", zone: int = 1, roughness: float = 0.3) -> Any:
    """Lacquered metal in the tint colour (half metallic, so that dark rooms do not blacken it)."""
    return tint(name, roughness, zone, metallic=0.5)


def tint_glass(name: str = "glass", zone: int = 1, alpha: float = 0.72) -> Any:
    """Coloured glass: glossy and partly transparent (keep alpha >= 0.6 so that the colour reads)."""
    return tint(name, 0.05, zone, alpha=alpha, coat=0.4)


def tint_wood(
    name: str = "wood", zone: int = 1, scale: tuple[float, float, float] = WOOD_SCALE, roughness: float = 0.45
) -> Any:
    """Wood in the tint colour: grain (0.62 to 1) times the tint, running along the object's x axis."""
    made = material(name, (255, 255, 255), roughness)
    _tinted(made, grain(made, scale), zone)
    return made


def tint_knit(name: str = "knit", axis: str = "Z", scale: float = 55, zone: int = 1) -> Any:
    """Ribbed knitwear in the tint colour; ribs follow one another along ``axis``."""
    made = tint(name, 0.95, zone, sheen=0.4)
    tree = made.node_tree
    wave = tree.nodes.new("ShaderNodeTexWave")
    wave.bands_direction = axis
    wave.inputs["Scale"].default_value = scale
    wave.inputs["Distortion"].default_value = 0.6
    tree.links.new(_object_coordinates(made), wave.inputs["Vector"])
    add_bump(made, wave.outputs["Fac"], 0.8, 0.004)
    return made


def printed(name: str, picture: Image.Image, roughness: float = 0.6) -> Any:
    """A picture printed on a shape with UVs (``card``, ``lathe``, ``sphere``)."""
    made = material(name, (255, 255, 255), roughness)
    made.node_tree.links.new(_texture(made, picture), shader_of(made).inputs["Base Color"])
    return made


def tint_printed(
    name: str,
    picture: Image.Image,
    mask: Image.Image,
    zone: int = 1,
    roughness: float = 0.6,
    sheen: float = 0.0,
) -> Any:
    """A printed picture in which white areas of ``mask`` take the tint colour."""
    made = tint(name, roughness, zone, sheen=sheen)
    tree = made.node_tree
    tinted = shader_of(made).inputs["Base Color"].links[0].from_socket
    mix = tree.nodes.new("ShaderNodeMix")
    mix.data_type = "RGBA"
    tree.links.new(_texture(made, mask.convert("L"), data=True), mix.inputs[0])
    tree.links.new(_texture(made, picture), mix.inputs[6])
    tree.links.new(tinted, mix.inputs[7])
    tree.links.new(mix.outputs[2], shader_of(made).inputs["Base Color"])
    return made


def set_tint(zone: int, value: float) -> None:
    """Give every tint material of ``zone`` the grey albedo ``value``."""
    for made in bpy.data.materials:
        if made.get("tint_zone") == zone:
            made.node_tree.nodes["Tint"].inputs[7].default_value = (value, value, value, 1)


def tint_zones() -> set[int]:
    """The tint zones used by objects in the scene."""
    return {m["tint_zone"] for m in bpy.data.materials if "tint_zone" in m and m.users}


def noise(made: Any, scale: float) -> Any:
    """Socket of a fine noise over object coordinates."""
    node = made.node_tree.nodes.new("ShaderNodeTexNoise")
    node.inputs["Scale"].default_value = scale
    node.inputs["Detail"].default_value = 2
    made.node_tree.links.new(_object_coordinates(made), node.inputs["Vector"])
    return node.outputs["Fac"]


def grain(made: Any, scale: tuple[float, float, float]) -> Any:
    """Socket of a wood grain between 0.62 and 1."""
    tree = made.node_tree
    mapping = tree.nodes.new("ShaderNodeMapping")
    mapping.inputs["Scale"].default_value = scale
    node = tree.nodes.new("ShaderNodeTexNoise")
    node.inputs["Scale"].default_value = 3
    node.inputs["Detail"].default_value = 5
    node.inputs["Distortion"].default_value = 0.6
    ramp = tree.nodes.new("ShaderNodeValToRGB")
    for stop, (place, value) in zip(ramp.color_ramp.elements, ((0.3, 0.62), (0.7, 1.0)), strict=True):
        stop.position = place
        stop.color = (value, value, value, 1)
    tree.links.new(_object_coordinates(made), mapping.inputs["Vector"])
    tree.links.new(mapping.outputs[0], node.inputs["Vector"])
    tree.links.new(node.outputs["Fac"], ramp.inputs[0])
    return ramp.outputs[0]


def add_bump(made: Any, height: Any, strength: float, distance: float = 0.01) -> None:
    """Let the socket ``height`` roughen the surface."""
    tree = made.node_tree
    bump = tree.nodes.new("ShaderNodeBump")
    bump.inputs["Strength"].default_value = strength
    bump.inputs["Distance"].default_value = distance
    tree.links.new(height, bump.inputs["Height"])
    tree.links.new(bump.outputs[0], shader_of(made).inputs["Normal"])


def _tinted(made: Any, pattern: Any, zone: int) -> None:
    made["tint_zone"] = zone
    _multiply(made, pattern, (1, 1, 1, 1), "Tint")


def _multiply(made: Any, pattern: Any, colour: tuple[float, float, float, float], name: str) -> None:
    mix = made.node_tree.nodes.new("ShaderNodeMix")
    mix.name = name
    mix.data_type = "RGBA"
    mix.blend_type = "MULTIPLY"
    mix.inputs[0].default_value = 1
    mix.inputs[7].default_value = colour
    made.node_tree.links.new(pattern, mix.inputs[6])
    made.node_tree.links.new(mix.outputs[2], shader_of(made).inputs["Base Color"])


def _object_coordinates(made: Any) -> Any:
    return made.node_tree.nodes.new("ShaderNodeTexCoord").outputs["Object"]


def _texture(made: Any, picture: Image.Image, data: bool = False) -> Any:
    pixels = np.asarray(picture.convert("RGBA"), np.float32)[::-1] / 255
    image = bpy.data.images.new(made.name, picture.width, picture.height, is_data=data)
    image.pixels.foreach_set(np.ascontiguousarray(pixels).ravel())
    image.pack()
    node = made.node_tree.nodes.new("ShaderNodeTexImage")
    node.image = image
    node.extension = "EXTEND"
    return node.outputs["Color"]
