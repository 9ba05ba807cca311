"""Sofas in ten styles; two places on the seat and three on the floor in front stay free."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from toolkit import (
    STYLES,
    Anchor,
    Camera,
    Piece,
    Style,
    arc,
    box,
    extrude,
    furniture,
    leg,
    pad,
    patch,
    sphere,
    tint,
    tint_fabric,
    tint_wood,
    tube,
)

CAMERA = Camera((1.3, -5.2, 1.62), (0.0, -0.25, 0.26), 68)
UPRIGHT = (20.0, 20.0, 1.5)
FLOOR = [
    Anchor("floor_right", "floor", (1.09, -1.68, 0), 0.42, 0.5),
    Anchor("floor_left", "floor", (-0.25, -2.03, 0), 0.42, 0.5),
    Anchor("floor_front", "floor", (0.46, -2.0, 0), 0.42, 0.5),
]
Point = tuple[float, float, float]


@furniture("sofa")
def sofa(style: str) -> Piece:
    """Upholstery in the body colour, legs and frame in the second one."""
    makers: dict[str, Callable[[Style], tuple[list[Any], float]]] = {
        "modern": _track_sofa,
        "minimalist": _bench_sofa,
        "vintage": _chesterfield,
        "industrial": _pipe_sofa,
        "scandinavian": _loveseat,
        "bohemian": _cane_sofa,
        "mid-century": _open_arm_sofa,
        "rustic": _settle,
        "japandi": _deck_sofa,
        "art-deco": _channel_sofa,
    }
    parts, height = makers[style](STYLES[style])
    middles = (-0.62, 0.05, 0.72) if style == "japandi" else (-0.36, 0.4)
    seats = [_seat(k, x, height if x < 0.5 else 0.205) for k, x in enumerate(middles)]
    return Piece(parts, [*seats, *FLOOR], CAMERA)


def _seat(number: int, x: float, height: float) -> Anchor:
    return Anchor(f"seat_{number}", "seat", (x, -0.2, height), 0.72, 0.66)


def _cushion(centre: Point, size: Point, paint: Any, look: Style, lean: float = 0) -> Any:
    """A pad round ``centre``, tilted back by ``lean`` degrees."""
    made = pad((0, 0, 0), size, paint, look.edge, look.puff)
    made.location = centre
    made.rotation_euler = (math.radians(-lean), 0, 0)
    return made


def _row(count: int, span: float, gap: float = 0.008) -> list[tuple[float, float]]:
    """(middle x, width) of ``count`` cushions side by side over ``span``."""
    pitch = span / count
    return [((k - (count - 1) / 2) * pitch, pitch - gap) for k in range(count)]


def _four_legs(
    look: Style, paint: Any, height: float, x: float, y: float, thick: float, splay: float = 1.0
) -> list[Any]:
    spots = [(sx * x, sy * y) for sx in (-1, 1) for sy in (-1, 1)]
    return [leg(look.leg, (px, py, height), (px * splay, py * splay, 0), paint, thick) for px, py in spots]


def _steel() -> Any:
    return tint("steel", 0.35, zone=2, metallic=0.4)


def _track_sofa(look: Style) -> tuple[list[Any], float]:
    """A boxy three-seater with broad square arms on thin steel rods."""
    cloth = tint_fabric()
    parts = _four_legs(look, _steel(), 0.2, 0.84, 0.32, 0.026)
    parts.append(pad((-0.95, -0.42, 0.15), (1.9, 0.84, 0.14), cloth, 0.03, 0))
    parts += [pad((x, -0.43, 0.16), (0.2, 0.86, 0.42), cloth, 0.045, 0.006) for x in (-0.98, 0.78)]
    parts.append(pad((-0.8, 0.28, 0.25), (1.6, 0.15, 0.42), cloth, 0.045, 0.004))
    for x, width in _row(3, 1.56):
        parts.append(_cushion((x, -0.09, 0.355), (width, 0.66, 0.15), cloth, look))
        parts.append(_cushion((x, 0.2, 0.58), (width, 0.16, 0.36), cloth, look, 10))
    return parts, 0.435


def _bench_sofa(look: Style) -> tuple[list[Any], float]:
    """An armless slab seat and a slim low back on steel sleds."""
    cloth, steel = tint_fabric(weave=140, strength=0.15), _steel()
    parts = [pad((-0.97, -0.4, 0.28), (1.94, 0.78, 0.13), cloth, 0.025, 0.005)]
    parts.append(_cushion((0, 0.32, 0.55), (1.94, 0.09, 0.36), cloth, look, 8))
    parts.append(box((-0.95, -0.37, 0.255), (1.9, 0.72, 0.025), steel, 0.003))
    for x in (-0.78, 0.78):
        loop = [(x, -0.36, 0.26), (x, -0.36, 0.014), (x, 0.33, 0.014), (x, 0.33, 0.26)]
        parts.append(tube(loop, 0.014, steel, smooth=False))
        parts.append(tube([(x, 0.36, 0.27), (x, 0.38, 0.5)], 0.012, steel, smooth=False))
    return parts, 0.415


def _chesterfield(look: Style) -> tuple[list[Any], float]:
    """Back and arms of one height, rolled outwards, with deep buttoning."""
    hide = tint("hide", 0.55, bump=(160, 0.12))
    parts = _four_legs(look, tint_wood("feet", zone=2, scale=UPRIGHT), 0.14, 0.86, 0.34, 0.036)
    parts.append(pad((-0.92, -0.4, 0.12), (1.84, 0.78, 0.17), hide, 0.03, 0.006))
    parts += [pad((x, -0.4, 0.14), (0.16, 0.74, 0.46), hide, 0.03, 0.004) for x in (-0.93, 0.77)]
    parts.append(pad((-0.9, 0.24, 0.14), (1.8, 0.15, 0.46), hide, 0.03, 0))
    parts.append(tube(_rail(0.885, -0.41, 0.34, 0.61, 0.12), 0.095, hide, smooth=False))
    parts += [_cushion((x, -0.1, 0.355), (width, 0.64, 0.15), hide, look) for x, width in _row(3, 1.54)]
    parts += _buttoned(1.52, (0.4, 0.66), 0.225, hide)
    return parts, 0.44


def _rail(half: float, front: float, back: float, height: float, bend: float) -> list[Point]:
    """A U round the seat, open at the front, with round corners."""
    left = arc((-half + bend, back - bend), bend, 180, 90, 9)
    right = arc((half - bend, back - bend), bend, 90, 0, 9)
    return [(x, y, height) for x, y in [(-half, front), *left, *right, (half, front)]]


def _buttoned(width: float, span: tuple[float, float], y: float, hide: Any) -> list[Any]:
    """A deep-buttoned sheet ``width`` wide between two heights, in front of ``y``, with its buttons."""
    low, high = span
    pitch, rise = width / 11, (high - low) / 2

    def surface(u: float, v: float) -> Point:
        x, z = (u - 0.5) * width, low + v * (high - low)
        a, b = x / pitch + (z - low) / rise, x / pitch - (z - low) / rise
        creases = sum(math.exp(-((((t + 1) % 2 - 1) / 0.16) ** 2)) for t in (a + 0.5, b + 0.5))
        return x, y - 0.045 + 0.02 * min(creases, 1.4) + 0.05 * v, z

    sheet = patch(surface, hide, 150, 34, 0.004)
    return [sheet, *_buttons(pitch, rise, low, y, hide)]


def _buttons(pitch: float, rise: float, low: float, y: float, hide: Any) -> list[Any]:
    spots = [(k * pitch, low + rise * (0.5 + k % 2)) for k in range(-5, 6)]
    return [sphere((x, y - 0.002, z), 0.012, hide) for x, z in spots]


def _pipe_sofa(look: Style) -> tuple[list[Any], float]:
    """Square leather cushions slung in a frame of steel pipe."""
    hide, steel = tint("hide", 0.5, bump=(120, 0.15)), _steel()
    parts = [box((-0.9, -0.38, 0.26), (1.8, 0.74, 0.03), steel, 0.003)]
    for x in (-0.92, 0.92):
        loop = [(x, -0.4, 0), (x, -0.4, 0.6), (x, 0.4, 0.6), (x, 0.4, 0)]
        parts.append(tube(loop, 0.022, steel, smooth=False))
        parts += [sphere((x, y, 0.6), 0.03, steel) for y in (-0.4, 0.4)]
        parts.append(tube([(x, -0.4, 0.28), (x, 0.4, 0.28)], 0.02, steel, smooth=False))
        parts.append(tube([(x, 0.4, 0.6), (x, 0.4, 0.76)], 0.022, steel, smooth=False))
    rails = ((-0.4, 0.28), (0.4, 0.28), (0.4, 0.76), (0.4, 0.52))
    parts += [tube([(-0.92, y, z), (0.92, y, z)], 0.02, steel, smooth=False) for y, z in rails]
    for x, width in _row(2, 1.76):
        parts.append(_cushion((x, -0.06, 0.37), (width, 0.68, 0.16), hide, look))
        parts.append(_cushion((x, 0.28, 0.63), (width, 0.15, 0.4), hide, look, 8))
    parts += [tube([(x, 0.25, 0.29), (x, -0.4, 0.29)], 0.012, steel, smooth=False) for x in (-0.45, 0.45)]
    return parts, 0.455


def _loveseat(look: Style) -> tuple[list[Any], float]:
    """A small rounded two-seater, high in the back, on splayed beech legs."""
    cloth = tint_fabric(weave=70, strength=0.35)
    parts = _four_legs(look, tint_wood("legs", zone=2, scale=UPRIGHT), 0.26, 0.62, 0.27, 0.032, 1.14)
    parts.append(pad((-0.76, -0.37, 0.22), (1.52, 0.74, 0.14), cloth, 0.06, 0.004))
    parts.append(_cushion((0, 0.29, 0.58), (1.54, 0.17, 0.62), cloth, STYLES["art-deco"], 9))
    for side in (-1, 1):
        arm = pad((-0.08, -0.36, -0.17), (0.16, 0.7, 0.36), cloth, 0.075, 0.012)
        arm.location = (side * 0.74, -0.02, 0.43)
        arm.rotation_euler = (0, math.radians(side * 9), 0)
        parts.append(arm)
    for x, width in _row(2, 1.32):
        parts.append(_cushion((x, -0.1, 0.41), (width, 0.62, 0.15), cloth, look))
        parts.append(_cushion((x, 0.19, 0.66), (width * 0.97, 0.14, 0.38), cloth, look, 14))
    return parts, 0.495


def _cane_sofa(look: Style) -> tuple[list[Any], float]:
    """A rattan frame with three spoked hoops behind plump cushions."""
    cane, cloth = tint_wood("cane", zone=2, scale=UPRIGHT), tint_fabric(weave=60, strength=0.4)
    parts = [_cushion((x, -0.06, 0.4), (width, 0.7, 0.17), cloth, look) for x, width in _row(2, 1.66)]
    parts += [
        tube([(-0.87, y, z), (0.87, y, z)], 0.022, cane, smooth=False)
        for y in (-0.4, 0.34)
        for z in (0.2, 0.3)
    ]
    parts += [
        tube([(x, y, 0), (x, y, 0.32)], 0.026, cane, smooth=False)
        for x in (-0.86, 0, 0.86)
        for y in (-0.4, 0.34)
    ]
    for k in range(13):
        x = -0.8 + 1.6 * k / 12
        parts.append(tube([(x, -0.4, 0.2), (x, -0.4, 0.3)], 0.008, cane, smooth=False))
    for x in (-0.57, 0, 0.57):
        parts += _hoop(x, cane)
    for side in (-1, 1):
        path = [(0.34, 0.72), (0.1, 0.66), (-0.3, 0.64), (-0.48, 0.6), (-0.46, 0.42), (-0.4, 0.2)]
        parts.append(
            tube([(side * (0.9 + 0.03 * (k % 5 > 0)), y, z) for k, (y, z) in enumerate(path)], 0.026, cane)
        )
        parts += [
            tube([(side * 0.88, y, 0.3), (side * 0.92, y, 0.645)], 0.009, cane, smooth=False)
            for y in (-0.3, -0.15, 0, 0.15, 0.27)
        ]
    parts += [
        _cushion((x, 0.22, 0.6), (width, 0.13, 0.26), cloth, look, 12) for x, width in _row(3, 1.5, 0.05)
    ]
    return parts, 0.5


def _hoop(x: float, cane: Any) -> list[Any]:
    """One round back hoop with spokes, leaning back."""

    def at(degrees: float, radius: float) -> Point:
        turn = math.radians(degrees)
        return (
            x + radius * math.cos(turn),
            0.35 + 0.1 * max(math.sin(turn), 0),
            0.58 + radius * 1.15 * math.sin(turn),
        )

    parts = [
        tube([at(a, r) for a in range(-90, 270, 15)], w, cane, cyclic=True)
        for r, w in ((0.29, 0.022), (0.14, 0.01))
    ]
    return parts + [tube([at(a, 0.03), at(a, 0.29)], 0.007, cane, smooth=False) for a in range(-30, 211, 20)]


def _open_arm_sofa(look: Style) -> tuple[list[Any], float]:
    """Thin buttoned cushions on a slim walnut bench with open arms."""
    cloth, frame = tint_fabric(), tint_wood("frame", zone=2)
    upright = tint_wood("uprights", zone=2, scale=UPRIGHT)
    parts = [box((-0.97, -0.38, 0.27), (1.94, 0.74, 0.045), frame, 0.012)]
    parts += _four_legs(look, upright, 0.28, 0.74, 0.27, 0.03, 1.1)
    parts.append(_cushion((0, -0.06, 0.375), (1.78, 0.66, 0.12), cloth, look))
    button = tint("button", 0.9, shade=0.55)
    for x, width in _row(3, 1.78):
        parts.append(_cushion((x, 0.25, 0.61), (width, 0.12, 0.38), cloth, look, 12))
        parts += [
            sphere((x + dx, 0.176 + 0.2126 * (z - 0.61), z), 0.015, button)
            for dx in (-0.14, 0.14)
            for z in (0.56, 0.69)
        ]
    for side in (-1, 1):
        x = side * 0.94
        parts.append(
            tube([(x, -0.36, 0.56), (x, -0.2, 0.585), (x, 0.1, 0.575), (x, 0.36, 0.565)], 0.03, frame)
        )
        parts += [
            tube([(x, y, 0.3), (x, y * 1.05, 0.57)], 0.02, upright, smooth=False) for y in (-0.26, 0.28)
        ]
    return parts, 0.445


def _settle(look: Style) -> tuple[list[Any], float]:
    """Thick posts, slatted ends and plank arms round linen cushions."""
    linen, plank = tint_fabric(weave=50, strength=0.4), tint_wood("plank", zone=2)
    post = tint_wood("post", zone=2, scale=UPRIGHT)
    parts = [
        box((x - 0.045, y - 0.045, 0), (0.09, 0.09, top), post, 0.01)
        for x in (-0.91, 0.91)
        for y, top in ((-0.36, 0.58), (0.36, 0.86))
    ]
    parts += [box((-0.9, y - 0.025, 0.17), (1.8, 0.05, 0.13), plank, 0.008) for y in (-0.36, 0.36)]
    parts += [box((-0.9, 0.34, z), (1.8, 0.04, 0.1), plank, 0.008) for z in (0.73, 0.55)]
    for x in (-0.91, 0.91):
        parts.append(
            box(
                (x - 0.075, -0.43, 0.575),
                (0.15, 0.76, 0.045),
                tint_wood("arm", zone=2, scale=(10, 1.2, 22)),
                0.01,
            )
        )
        parts.append(box((x - 0.02, -0.34, 0.17), (0.04, 0.68, 0.11), plank, 0.006))
        parts += [
            box((x - 0.014, y, 0.26), (0.028, 0.08, 0.33), post, 0.006) for y in (-0.25, -0.11, 0.03, 0.17)
        ]
    for x, width in _row(3, 1.72):
        parts.append(_cushion((x, -0.07, 0.37), (width, 0.64, 0.17), linen, look))
        parts.append(_cushion((x, 0.25, 0.62), (width * 0.97, 0.15, 0.36), linen, look, 10))
    return parts, 0.46


def _deck_sofa(look: Style) -> tuple[list[Any], float]:
    """A low slatted platform that runs on beyond flat cushions."""
    linen, deck = tint_fabric(weave=140), tint_wood("deck", zone=2)
    post = tint_wood("post", zone=2, scale=UPRIGHT)
    parts = [box((-1.0, -0.42 + 0.17 * k, 0.17), (2.0, 0.162, 0.035), deck, 0.006) for k in range(5)]
    parts += [box((x, -0.4, 0.125), (0.06, 0.8, 0.05), deck, 0.005) for x in (-0.85, 0, 0.79)]
    parts += [
        leg(look.leg, (x, y, 0.14), (x, y, 0), post, 0.036) for x in (-0.82, 0.82) for y in (-0.33, 0.33)
    ]
    parts += [
        box((x - 0.013, 0.35, 0.2), (0.026, 0.03, 0.4), post, 0.004)
        for x in (-0.98 + 0.098 * k for k in range(15))
    ]
    parts.append(box((-1.0, 0.34, 0.58), (1.41, 0.05, 0.05), deck, 0.01))
    for k in (0, 1):
        x = -0.645 + 0.69 * k
        parts.append(_cushion((x, -0.06, 0.275), (0.68, 0.7, 0.14), linen, look))
        parts.append(_cushion((x, 0.27, 0.47), (0.66, 0.13, 0.32), linen, look, 8))
    return parts, 0.35


def _channel_sofa(look: Style) -> tuple[list[Any], float]:
    """A curved velvet back of upright channels on a brass plinth."""
    velvet, trim = tint("velvet", 0.8, sheen=0.4), tint("plinth", 0.25, zone=2, metallic=0.4)
    bows = _evenly([_bow(t / 400) for t in range(401)], 25)
    parts = []
    for x, y, rise in bows:
        parts.append(tube([(x, y, 0.1), (x, y, rise * 0.7), (x * 1.02, y + 0.03, rise)], 0.075, velvet))
        parts.append(sphere((x * 1.02, y + 0.03, rise), 0.075, velvet))
    plan = [(x * 100, max(y, -0.38) * 100) for x, y, _ in bows[2:-2]]
    front = [(x, -42 - 4 * (1 - (x / 82) ** 2)) for x in range(78, -79, -13)]
    parts.append(_round_cushion([*plan, *front], 0.2, 10, velvet))
    parts.append(_round_cushion([*plan, *front], 0.35, 8, velvet))
    plinth = [(x / 100, y / 100 + 0.02) for x, y in [*plan, *front]]
    parts.append(extrude(plinth, 0.06, trim, 0.003, at=(0, 0, 0.06), rotation=(-90, 0, 0)))
    return parts, 0.425


def _bow(t: float) -> Point:
    """Plan position and height of the back at ``t`` from the left end (0) to the right one (1)."""
    turn = math.pi * (1.08 - 1.16 * t)
    c, s = math.cos(turn), math.sin(turn)
    x = 0.9 * math.copysign(abs(c) ** 0.7, c)
    y = -0.22 + 0.54 * math.copysign(abs(s) ** 0.75, s)
    return x, y, 0.46 + 0.26 * max(s, 0) ** 0.6


def _evenly(points: Sequence[Point], count: int) -> list[Point]:
    """``count`` of the points at equal steps along their plan."""
    ways = [0.0]
    for a, b in pairwise(points):
        ways.append(ways[-1] + math.dist(a[:2], b[:2]))
    return [
        min(zip(ways, points, strict=True), key=lambda w: abs(w[0] - k * ways[-1] / (count - 1)))[1]
        for k in range(count)
    ]


def _round_cushion(outline: Sequence[tuple[float, float]], middle: float, half: float, paint: Any) -> Any:
    """A lying cushion cut along ``outline`` (x, y in centimetres), ``half`` centimetres up and down."""
    ring = [(x / 100, y / 100) for x, y in [*outline, outline[0]]]
    y0 = sum(y for _, y in ring) / len(ring)
    turns = [math.pi * k / 12 - math.pi / 2 for k in range(13)]
    edge = [(1 - half * 0.014 * (1 - math.cos(a)), half * math.sin(a)) for a in turns]
    profile = [*edge, (0.6, half + 0.5), (0.3, half + 0.9), (0.01, half + 1.0)]

    def surface(u: float, v: float) -> Point:
        x, y = ring[round(u * (len(ring) - 1))]
        share, rise = profile[round(v * (len(profile) - 1))]
        return x * share, y0 + (y - y0) * share, middle + rise / 100

    made = patch(surface, paint, len(ring), len(profile))
    made.modifiers.remove(made.modifiers["solidify"])
    return made
