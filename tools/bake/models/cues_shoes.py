"""Shoes, always a pair: an upper lofted from the edge of the sole to the opening for the foot."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from toolkit import cue, extrude, group, material, patch, sphere, tint, tint_fabric, tube

Point = tuple[float, float, float]
LENGTH = 0.098
WIDTH = 0.037


def _outline(turn: float, grow: float = 1.0) -> tuple[float, float]:
    """A point of the sole's edge; the toe (``turn`` 0) lies along +x and is broader than the heel."""
    x, y = math.cos(turn), math.sin(turn)
    waist = 1 + 0.16 * x - 0.10 * math.exp(-(((x + 0.25) / 0.35) ** 2))
    return grow * LENGTH / 2 * math.copysign(abs(x) ** 0.9, x), grow * WIDTH / 2 * y * waist


def _sole(low: float, high: float, paint: Any, grow: float = 1.0) -> Any:
    edge = [_outline(2 * math.pi * k / 64, grow) for k in range(64)]
    return extrude(edge, high - low, paint, 0.0015, at=(0, 0, (low + high) / 2), rotation=(-90, 0, 0))


def _upper(
    foot: float, mouth: Callable[[float], Point], sharp: float = 1.0
) -> Callable[[float, float], Point]:
    """The surface over the foot: ``u`` is the turn (0 toe, 0.5 heel), ``v`` runs from sole to mouth."""

    def surface(u: float, v: float) -> Point:
        turn = 2 * math.pi * u
        x0, y0 = _outline(turn)
        x1, y1, z1 = mouth(turn)
        side, rise = 1 - math.cos(v * math.pi / 2) ** sharp, math.sin(v * math.pi / 2)
        return x0 + (x1 - x0) * side, y0 + (y1 - y0) * side, foot + (z1 - foot) * rise

    return surface


def _rim(
    mouth: Callable[[float], Point], radius: float, paint: Any, start: float = 0, stop: float = 360
) -> Any:
    steps = 48
    turns = [math.radians(start + (stop - start) * k / steps) for k in range(steps + (stop - start < 360))]
    return tube([mouth(t) for t in turns], radius, paint, cyclic=stop - start >= 360)


def _pair(shoe: Callable[[], list[Any]], turn: float = 205, gap: float = 0.05, lean: float = 0) -> list[Any]:
    """Two shoes side by side, toes to the left and towards the viewer, the farther one a little ahead."""
    near, far = group(shoe(), (0, 0, 0)), group(shoe(), (0.012, -gap, 0))
    return [group([near, far], rotation=(lean, 0, turn))]


@cue("ballet flats", technique="inflate")
def ballet_flats() -> list[Any]:
    """A pair of low flats with round toes and small bows."""
    return [group(_pair(_flat, 212, 0.048), rotation=(13, 0, 0))]


def _flat_mouth(turn: float) -> Point:
    x, y = math.cos(turn), math.sin(turn)
    return -0.0085 + 0.0365 * x, 0.0148 * y * (1 + 0.1 * x), 0.0195 + 0.004 * x * x - 0.003 * max(x, 0)


def _flat() -> list[Any]:
    hide, inner = tint("hide", 0.4), tint("lining", 0.8, shade=0.62)
    upper = patch(_upper(0.002, _flat_mouth, 1.3), hide, 65, 14, 0.0012)
    parts = [
        upper,
        _sole(0, 0.0035, material("sole", (92, 88, 86), 0.7), 1.01),
        _sole(0.0032, 0.0055, inner, 0.94),
    ]
    parts.append(_rim(_flat_mouth, 0.0013, hide))
    bow = [
        sphere((0.0305, s * 0.0088, 0.0235), 0.0082, hide, (0.6, 1, 0.55), (s * 20, 0, 0)) for s in (-1, 1)
    ]
    return [*parts, *bow, sphere((0.0305, 0, 0.0245), 0.004, hide)]


@cue("canvas slippers", technique="inflate")
def canvas_slippers() -> list[Any]:
    """A pair of open-backed slippers on thick pale rope soles."""
    return _pair(_slipper, 216, 0.05)


def _slipper_mouth(turn: float) -> Point:
    x, y = math.cos(turn), math.sin(turn)
    return -0.004 + 0.010 * x - 0.006 * abs(y), 0.0185 * y, 0.012 + 0.021 * max(1 - y * y, 0) ** 0.5


def _slipper() -> list[Any]:
    cloth, rope = tint_fabric("canvas", weave=420), material("rope", (226, 220, 206), 0.9, bump=(350, 0.5))
    surface = _upper(0.008, _slipper_mouth)
    vamp = patch(lambda u, v: surface(-0.27 + 0.54 * u, v), cloth, 41, 20, 0.002)
    bed = _sole(0.0085, 0.0115, tint_fabric("bed", weave=420, shade=0.8), 0.96)
    parts = [
        vamp,
        bed,
        _sole(0, 0.0095, rope, 1.05),
        _rim(_slipper_mouth, 0.0018, tint("edge", 0.8, shade=0.8), -97, 97),
    ]
    for z in (0.0025, 0.0065):
        ring = [(*_outline(2 * math.pi * k / 48, 1.05), z) for k in range(48)]
        parts.append(tube(ring, 0.0024, rope, cyclic=True))
    return parts


@cue("sneakers", technique="inflate")
def sneakers() -> list[Any]:
    """A pair of laced trainers with white rubber soles and toe caps."""
    return _pair(_sneaker, 205, 0.052)


def _sneaker_mouth(turn: float) -> Point:
    x, y = math.cos(turn), math.sin(turn)
    return -0.0185 + 0.0255 * x, 0.0135 * y, 0.044 + 0.007 * x * x - 0.002 * (1 - x)


def _sneaker() -> list[Any]:
    cloth, rubber = tint_fabric("canvas", weave=400), material("rubber", (236, 235, 230), 0.5)
    surface = _upper(0.007, _sneaker_mouth, 1.25)
    upper = patch(surface, cloth, 65, 24, 0.002)
    cap = patch(lambda u, v: _lifted(surface, -0.115 + 0.23 * u, 0.42 * v), rubber, 25, 12, 0.002)
    parts = [upper, cap, _sole(0, 0.0105, rubber, 1.045), _rim(_sneaker_mouth, 0.0022, cloth)]
    stripe = [(*_outline(2 * math.pi * k / 48, 1.05), 0.0068) for k in range(48)]
    parts.append(tube(stripe, 0.0009, tint("stripe", 0.6), cyclic=True))
    inside = [_sneaker_mouth(2 * math.pi * k / 40) for k in range(40)]
    parts.append(
        extrude(
            [(x * 0.98, y * 0.98) for x, y, _ in inside],
            0.002,
            tint("dark", 0.9, shade=0.3),
            at=(0, 0, 0.036),
            rotation=(-90, 0, 0),
        )
    )
    tongue = patch(
        lambda u, v: (0.002 + 0.006 * v, 0.011 * (2 * u - 1), 0.042 + 0.018 * v - 0.006 * (2 * u - 1) ** 2),
        cloth,
        9,
        9,
        0.003,
    )
    return [*parts, tongue, *_laces(surface, rubber)]


def _lifted(surface: Callable[[float, float], Point], u: float, v: float, by: float = 0.0014) -> Point:
    x, y, z = surface(u, v)
    return x + by * math.cos(2 * math.pi * u), y + by * math.sin(2 * math.pi * u), z + by


def _laces(surface: Callable[[float, float], Point], paint: Any) -> list[Any]:
    laces = []
    for v in (0.56, 0.68, 0.8, 0.92):
        spread = 0.045 + 0.05 * v
        laces.append(tube([_lifted(surface, spread * k / 4, v, 0.001) for k in range(-4, 5)], 0.0019, paint))
    return laces
