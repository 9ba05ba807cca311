"""Armchairs and dining chairs in ten styles; the seat and one floor place each side stay free."""

from __future__ import annotations

import math
from typing import Any

from toolkit import (
    STYLES,
    Anchor,
    Camera,
    Piece,
    Style,
    box,
    furniture,
    leg,
    metal,
    pad,
    sphere,
    tint,
    tint_fabric,
    tint_wood,
    tube,
)

CAMERA = Camera((1.25, -3.6, 1.4), (0.0, 0.0, 0.40), 64)
CLOSE_CAMERA = Camera((1.25, -3.6, 1.4), (0.0, 0.0, 0.42), 76)
SMALL_STYLES = ("minimalist", "industrial", "rustic", "scandinavian")


@furniture("chair")
def chair(style: str) -> Piece:
    """Upholstery (or wooden seat) in the body colour, legs and frame in the second one."""
    look = STYLES[style]
    makers = {
        "minimalist": _shell_chair,
        "industrial": _stool_chair,
        "rustic": _ladder_chair,
        "japandi": _spindle_chair,
        "scandinavian": _wishbone_chair,
        "bohemian": _peacock_chair,
        "mid-century": _open_arm_chair,
        "vintage": _wing_chair,
        "art-deco": _tub_chair,
    }
    parts, seat_height = makers.get(style, _armchair)(look)
    seat = Anchor("seat", "seat", (0, -0.12, seat_height), 0.5, 0.5)
    return Piece(parts, [seat], CLOSE_CAMERA if style in SMALL_STYLES else CAMERA)


def _frame_paint(look: Style) -> Any:
    if look.frame == "lacquer":
        return tint("frame", 0.2, zone=2)
    if look.frame == "metal":
        return tint("frame", 0.35, zone=2, metallic=0.4)
    return tint_wood("frame", zone=2, scale=(20, 20, 1.5))


def _legs(
    look: Style, paint: Any, height: float, half: float = 0.28, splay: float = 1.15, thick: float = 0.022
) -> list[Any]:
    spots = [(x, y) for x in (-half, half) for y in (-half * 0.9, half * 0.9)]
    return [leg(look.leg, (x, y, height), (x * splay, y * splay, 0), paint, thick) for x, y in spots]


def _armchair(look: Style) -> tuple[list[Any], float]:
    """A padded armchair on thin rods."""
    cloth = tint_fabric()
    parts = _legs(look, _frame_paint(look), 0.4)
    parts.append(pad((-0.36, -0.34, 0.37), (0.72, 0.68, 0.12), cloth, look.edge, 0))
    parts.append(pad((-0.36, 0.26, 0.44), (0.72, 0.13, 0.5), cloth, look.edge, look.puff))
    parts += [pad((x, -0.32, 0.42), (0.09, 0.66, 0.24), cloth, look.edge, 0.004) for x in (-0.40, 0.31)]
    parts.append(pad((-0.31, -0.33, 0.45), (0.62, 0.6, 0.10), cloth, look.edge, look.puff))
    return parts, 0.555


def _shell_chair(look: Style) -> tuple[list[Any], float]:
    """A thin seat and back on two steel sleds."""
    cloth, steel = tint("shell", 0.5), _frame_paint(look)
    parts = [pad((-0.27, -0.27, 0.44), (0.54, 0.52, 0.045), cloth, 0.02, look.puff)]
    back = pad((-0.27, -0.02, 0), (0.54, 0.04, 0.40), cloth, 0.018, look.puff)
    back.location = (0, 0.26, 0.70)
    back.rotation_euler = (math.radians(-8), 0, 0)
    parts.append(back)
    for x in (-0.25, 0.25):
        loop = [(x, -0.24, 0.44), (x, -0.28, 0.012), (x, 0.28, 0.012), (x, 0.23, 0.44), (x, 0.29, 0.86)]
        parts.append(tube(loop, 0.011, steel, smooth=False))
    return parts, 0.495


def _stool_chair(look: Style) -> tuple[list[Any], float]:
    """A cafe chair of bent sheet steel with a wooden seat."""
    seat, steel = tint_wood("seat"), _frame_paint(look)
    parts = [box((-0.25, -0.25, 0.45), (0.5, 0.48, 0.035), seat, 0.012)]
    for x in (-0.22, 0.22):
        parts.append(tube([(x * 1.2, -0.26, 0), (x, -0.2, 0.45)], 0.016, steel, smooth=False))
        parts.append(
            tube([(x * 1.2, 0.28, 0), (x, 0.2, 0.45), (x * 0.98, 0.26, 0.88)], 0.016, steel, smooth=False)
        )
    arch = [
        (-0.216, 0.26, 0.86),
        (-0.2, 0.27, 0.93),
        (0, 0.275, 0.95),
        (0.2, 0.27, 0.93),
        (0.216, 0.26, 0.86),
    ]
    parts.append(tube(arch, 0.016, steel))
    parts.append(box((-0.21, 0.235, 0.70), (0.42, 0.025, 0.16), seat, 0.01))
    for y in (-0.225, 0.235):
        parts.append(tube([(-0.24, y, 0.2), (0.24, y, 0.2)], 0.01, steel, smooth=False))
    return parts, 0.485


def _ladder_chair(look: Style) -> tuple[list[Any], float]:
    """A stout ladder-back chair with a thick plank seat."""
    plank, frame = tint_wood("plank"), _frame_paint(look)
    parts = [box((-0.28, -0.27, 0.43), (0.56, 0.54, 0.055), plank, 0.012)]
    for x in (-0.24, 0.24):
        parts.append(box((x - 0.028, -0.255, 0), (0.056, 0.056, 0.44), frame, 0.008))
        parts.append(box((x - 0.028, 0.22, 0), (0.056, 0.056, 1.0), frame, 0.008))
        parts.append(box((x - 0.016, -0.22, 0.2), (0.032, 0.45, 0.04), frame, 0.006))
    parts += [box((-0.23, 0.232, z), (0.46, 0.028, 0.085), plank, 0.01) for z in (0.58, 0.72, 0.87)]
    parts.append(box((-0.23, -0.24, 0.24), (0.46, 0.032, 0.04), frame, 0.006))
    return parts, 0.487


def _spindle_chair(look: Style) -> tuple[list[Any], float]:
    """A low lounge chair: slatted frame, flat cushions."""
    cloth, frame = tint_fabric(weave=140), _frame_paint(look)
    parts = [pad((-0.31, -0.31, 0.36), (0.62, 0.6, 0.11), cloth, look.edge, look.puff)]
    parts.append(pad((-0.31, 0.2, 0.47), (0.62, 0.11, 0.36), cloth, look.edge, look.puff))
    parts.append(box((-0.36, -0.33, 0.29), (0.72, 0.68, 0.05), frame, 0.012))
    for x in (-0.36, 0.36):
        parts += [tube([(x, y, 0), (x, y, 0.6)], 0.019, frame, smooth=False) for y in (-0.3, 0.32)]
        parts.append(tube([(x, -0.33, 0.6), (x, 0.34, 0.6)], 0.02, frame, smooth=False))
        parts += [
            tube([(x, y, 0.32), (x, y, 0.6)], 0.009, frame, smooth=False) for y in (-0.16, -0.03, 0.1, 0.22)
        ]
    parts += [
        tube([(x, 0.33, 0.32), (x, 0.36, 0.82)], 0.010, frame, smooth=False)
        for x in (-0.3, -0.15, 0, 0.15, 0.3)
    ]
    parts.append(tube([(-0.35, 0.36, 0.82), (0.35, 0.36, 0.82)], 0.02, frame, smooth=False))
    return parts, 0.475


def _open_arm_chair(look: Style) -> tuple[list[Any], float]:
    """Cushions in a tapered wooden frame with paddle arms."""
    cloth, frame = tint_fabric(), _frame_paint(look)
    parts = _legs(look, frame, 0.36, 0.31, 1.12, 0.024)
    parts.append(pad((-0.31, -0.33, 0.36), (0.62, 0.62, 0.13), cloth, look.edge, look.puff))
    back = pad((-0.31, -0.06, -0.25), (0.62, 0.12, 0.5), cloth, look.edge, look.puff)
    back.location = (0, 0.29, 0.70)
    back.rotation_euler = (math.radians(-12), 0, 0)
    parts += [back, box((-0.34, -0.32, 0.315), (0.68, 0.64, 0.045), frame, 0.015)]
    for x in (-0.355, 0.355):
        arm = [(x, -0.34, 0.60), (x, -0.2, 0.625), (x, 0.1, 0.61), (x * 0.95, 0.34, 0.60)]
        parts.append(tube(arm, 0.024, frame))
        parts.append(tube([(x, -0.26, 0.33), (x, -0.27, 0.61)], 0.017, frame, smooth=False))
        parts.append(tube([(x * 0.95, 0.26, 0.33), (x * 0.95, 0.32, 0.60)], 0.017, frame, smooth=False))
    if look.tufted:
        button = tint("button", 0.9, shade=0.55)
        parts += [
            sphere((x, 0.205 + 0.215 * (z - 0.6), z), 0.013, button)
            for x in (-0.15, 0, 0.15)
            for z in (0.62, 0.78)
        ]
    return parts, 0.505


def _wishbone_chair(look: Style) -> tuple[list[Any], float]:
    """A light wooden chair with one bent rail for arms and back, and a soft round seat."""
    cloth, frame = tint_fabric(), _frame_paint(look)
    parts = [pad((-0.27, -0.27, 0.42), (0.54, 0.50, 0.075), cloth, look.edge, look.puff)]
    parts.append(box((-0.27, -0.27, 0.385), (0.54, 0.5, 0.045), frame, 0.015))
    for x in (-0.23, 0.23):
        parts.append(leg("tapered", (x, -0.22, 0.42), (x * 1.15, -0.28, 0), frame, 0.024))
        post = [(x * 1.12, 0.30, 0), (x, 0.2, 0.42), (x * 1.18, 0.14, 0.71)]
        parts.append(tube(post, 0.018, frame, smooth=False, taper=[0.75, 1.15, 0.8]))
    rail = [(-0.30, -0.06, 0.69), (-0.31, 0.12, 0.71), (-0.24, 0.30, 0.745), (0, 0.37, 0.765)]
    rail += [(-x, y, z) for x, y, z in reversed(rail[:-1])]
    parts.append(tube(rail, 0.021, frame))
    for side in (-1, 1):
        parts.append(tube([(0, 0.22, 0.43), (0, 0.28, 0.58), (side * 0.085, 0.325, 0.75)], 0.011, frame))
    return parts, 0.508


def _peacock_chair(look: Style) -> tuple[list[Any], float]:
    """A rattan chair with a tall round fan back and a plump cushion."""
    cane, cloth = _frame_paint(look), tint_fabric(weave=60, strength=0.4)
    parts = [pad((-0.28, -0.30, 0.41), (0.56, 0.54, 0.13), cloth, look.edge, look.puff)]
    parts += _legs(look, cane, 0.4, 0.25, 1.05, 0.024)
    parts.append(tube([(x, y, 0.39) for x, y in _oval(0.31, 0.28)], 0.02, cane, cyclic=True))
    outer = [_fan(a, 0.44, 0.56) for a in range(-32, 213, 10)]
    parts += [tube(outer, 0.022, cane), tube([_fan(a, 0.33, 0.42) for a in range(-32, 213, 10)], 0.012, cane)]
    parts += [
        tube([(0.02 * math.cos(math.radians(a)), 0.26, 0.42), _fan(a, 0.44, 0.56)], 0.006, cane, smooth=False)
        for a in range(-20, 201, 10)
    ]
    return parts, 0.565


def _oval(a: float, b: float) -> list[tuple[float, float]]:
    return [(a * math.cos(math.radians(t)), b * math.sin(math.radians(t))) for t in range(0, 360, 15)]


def _fan(degrees: float, width: float, height: float) -> tuple[float, float, float]:
    turn = math.radians(degrees)
    rise = height * math.sin(turn)
    return width * math.cos(turn), 0.28 + 0.12 * max(rise, 0), 0.60 + rise


def _wing_chair(look: Style) -> tuple[list[Any], float]:
    """A wing chair with rolled arms and a buttoned back."""
    cloth = tint_fabric(weave=160, strength=0.15)
    parts = _legs(look, _frame_paint(look), 0.24, 0.3, 1.05, 0.03)
    parts.append(pad((-0.37, -0.34, 0.22), (0.74, 0.68, 0.18), cloth, 0.04, 0.005))
    parts.append(pad((-0.29, -0.36, 0.38), (0.58, 0.6, 0.12), cloth, look.edge, look.puff))
    parts.append(pad((-0.33, 0.2, 0.38), (0.66, 0.14, 0.68), cloth, 0.06, look.puff))
    for side in (-1, 1):
        left = side * 0.35 - 0.055
        parts.append(pad((left, -0.32, 0.28), (0.11, 0.6, 0.26), cloth, 0.05, 0.01))
        parts.append(
            tube([(side * 0.36, -0.34, 0.55), (side * 0.36, 0.28, 0.56)], 0.065, cloth, smooth=False)
        )
        parts.append(pad((left + side * 0.01, 0.04, 0.55), (0.09, 0.26, 0.46), cloth, 0.045, 0.015))
    button = tint("button", 0.9, shade=0.6)
    spots = [(x, z) for z in (0.68, 0.88) for x in (-0.16, 0, 0.16)] + [(x, 0.78) for x in (-0.08, 0.08)]
    return [*parts, *(sphere((x, 0.178, z), 0.014, button) for x, z in spots)], 0.515


def _tub_chair(look: Style) -> tuple[list[Any], float]:
    """A velvet tub with vertical channels on short fluted feet."""
    velvet = tint("velvet", 0.8, sheen=0.4)
    metal_band = metal("brass", (196, 164, 96), 0.3)
    parts = _legs(look, _frame_paint(look), 0.2, 0.27, 1.02, 0.03)
    parts.append(pad((-0.33, -0.36, 0.2), (0.66, 0.62, 0.16), velvet, 0.06, 0.005))
    parts.append(pad((-0.29, -0.36, 0.35), (0.58, 0.56, 0.13), velvet, look.edge, look.puff))
    for k in range(13):
        turn = math.radians(-35 + 250 * k / 12)
        x, y = 0.37 * math.cos(turn), -0.03 + 0.33 * math.sin(turn)
        height = 0.62 + 0.22 * max(math.sin(turn), 0) ** 0.8
        parts.append(tube([(x, y, 0.21), (x, y, height * 0.6), (x * 1.02, y * 1.02, height)], 0.068, velvet))
        parts.append(sphere((x * 1.02, y * 1.02, height), 0.068, velvet))
    ring = [
        (0.42 * math.cos(math.radians(a)), -0.03 + 0.38 * math.sin(math.radians(a)), 0.215)
        for a in range(-40, 221, 10)
    ]
    return [*parts, tube(ring, 0.012, metal_band)], 0.50
