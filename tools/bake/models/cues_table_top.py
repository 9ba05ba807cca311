"""Cues from the laid table: plates, bowls, glasses, cutlery."""

from __future__ import annotations

import math
from typing import Any

from toolkit import (
    arc,
    box,
    circle,
    cue,
    extrude,
    group,
    lathe,
    material,
    metal,
    smooth_outline,
    sphere,
    tint,
    tint_glass,
    tint_metal,
    tube,
)


@cue("dinner plate", technique="lathe")
def dinner_plate() -> list[Any]:
    """A plate with a wide rim, leaning back."""
    glaze = tint("glaze", 0.22)
    under = [(0, 0), (0.066, 0), (0.072, 0.003), (0.085, 0.012), (0.128, 0.021)]
    edge = [(0.132, 0.0235), (0.1315, 0.0265), (0.128, 0.027)]
    rim = [(0.121, 0.0245), (0.119, 0.0225), (0.092, 0.0165), (0.088, 0.0165), (0.084, 0.014)]
    well = [(0.078, 0.0065), (0.072, 0.005), (0, 0.0045)]
    plate = lathe([*under, *edge, *rim, *well], glaze, segments=96, sharp=25)
    grey = material("line", (128, 130, 134), 0.3)
    lines = [
        tube([(x, y, z) for x, y in circle(r, 64)], 0.0016, grey, cyclic=True)
        for r, z in ((0.123, 0.025), (0.0895, 0.0163))
    ]
    return [group([plate, *lines], rotation=(62, 0, 0))]


@cue("fruit bowl", technique="lathe")
def fruit_bowl() -> list[Any]:
    """A footed bowl heaped with fruit; bowl and fruit take the colour."""
    glaze, skin = tint("bowl", 0.3), tint("fruit", 0.42)
    outer = [(0, 0), (0.045, 0), (0.047, 0.004), (0.04, 0.012), (0.05, 0.016), (0.085, 0.034), (0.108, 0.062)]
    inner = [(0.114, 0.078), (0.113, 0.081), (0.110, 0.08), (0.1, 0.06), (0.07, 0.034), (0, 0.024)]
    parts = [lathe(outer + inner, glaze, segments=96)]
    for x, y, z in ((-0.055, -0.03, 0.079), (0.0, -0.052, 0.086), (0.058, -0.024, 0.08), (0.03, 0.035, 0.09)):
        parts += _apple(skin, (x, y, z))
    return [*parts, *_apple(skin, (-0.005, -0.004, 0.123)), *_pear(skin, (-0.045, 0.035, 0.09))]


def _apple(skin: Any, at: tuple[float, float, float]) -> list[Any]:
    x, y, z = at
    half = [
        (0, -0.026),
        (0.012, -0.03),
        (0.026, -0.02),
        (0.035, 0),
        (0.034, 0.014),
        (0.026, 0.026),
        (0.014, 0.029),
    ]
    body = lathe([*half, (0.005, 0.025), (0, 0.02)], skin, at, (-18, x * 300, 0), sharp=80)
    stem = [(x, y, z + 0.02), (x + 0.002, y - 0.004, z + 0.032), (x + 0.006, y - 0.008, z + 0.042)]
    return [body, tube(stem, 0.0022, material("stem", (58, 44, 30), 0.7))]


def _pear(skin: Any, at: tuple[float, float, float]) -> list[Any]:
    half = [(0, -0.03), (0.018, -0.029), (0.032, -0.014), (0.034, 0.004), (0.026, 0.022), (0.016, 0.038)]
    half += [(0.014, 0.05), (0.009, 0.058), (0, 0.06)]
    stem = tube(
        [(0, 0, 0.058), (0.002, 0, 0.07), (0.008, 0, 0.08)], 0.0022, material("stem", (58, 44, 30), 0.7)
    )
    return [group([lathe(half, skin, sharp=80), stem], at, (0, -16, 0))]


@cue("wine glass", technique="lathe")
def wine_glass() -> list[Any]:
    """A stemmed glass of coloured glass, half full."""
    clear, wine = tint_glass("glass", alpha=0.74), tint("wine", 0.2, shade=0.75)
    foot = [
        (0, 0),
        (0.036, 0),
        (0.0375, 0.002),
        (0.034, 0.004),
        (0.012, 0.008),
        (0.0055, 0.016),
        (0.005, 0.07),
    ]
    cup = [(0.008, 0.078), (0.026, 0.086), (0.038, 0.102), (0.042, 0.122), (0.040, 0.145), (0.035, 0.168)]
    inner = [(0.034, 0.1685), (0.0385, 0.145), (0.0402, 0.122), (0.036, 0.104), (0.024, 0.089), (0, 0.082)]
    glass_part = lathe(foot + cup + inner, clear, sharp=60)
    glass_part.visible_shadow = False
    fill = [(0, 0.083), (0.023, 0.0895), (0.035, 0.1045), (0.0392, 0.122), (0.0388, 0.13), (0, 0.13)]
    return [glass_part, lathe(fill, wine, sharp=60)]


@cue("candle in holder", technique="lathe")
def candle_in_holder() -> list[Any]:
    """A burning candle in a chamberstick with a ring handle."""
    enamel, wax = tint("holder", 0.3), tint("wax", 0.6, shade=0.95)
    dish = [(0, 0), (0.045, 0), (0.062, 0.01), (0.068, 0.02), (0.066, 0.022), (0.058, 0.013), (0.03, 0.007)]
    cup = [(0.024, 0.012), (0.023, 0.036), (0.028, 0.04), (0.027, 0.043), (0.02, 0.043), (0, 0.043)]
    stick = [(0, 0.04), (0.0185, 0.04), (0.0185, 0.122), (0.0165, 0.126), (0.010, 0.123), (0, 0.122)]
    ring = [(0.083 + x, 0, 0.03 + z) for x, z in circle(0.021, 24)]
    parts = [lathe(dish + cup, enamel), lathe(stick, wax), tube(ring, 0.0052, enamel, cyclic=True)]
    parts += [
        tube([(0.0182 * c, 0.0182 * s, 0.123), (0.0186 * c, 0.0186 * s, low)], 0.004, wax, smooth=False)
        for c, s, low in ((-0.5, -0.866, 0.085), (0.35, -0.937, 0.1), (0.9, -0.43, 0.09))
    ]
    flame = [(0, 0.131), (0.005, 0.134), (0.0075, 0.141), (0.0058, 0.15), (0.0025, 0.159), (0, 0.165)]
    wick = tube([(0, 0, 0.12), (0, 0, 0.136)], 0.0014, material("wick", (40, 36, 34), 0.8), smooth=False)
    return [*parts, wick, lathe(flame, material("flame", (255, 236, 190), 0.4), sharp=80)]


@cue("salt shaker", technique="lathe")
def salt_shaker() -> list[Any]:
    """A waisted shaker with a pierced steel dome and the letter S."""
    glaze, steel = tint("body", 0.25), metal("cap", (205, 206, 210), 0.3)
    body = [(0, 0), (0.036, 0), (0.039, 0.004), (0.038, 0.02), (0.029, 0.075), (0.0285, 0.09), (0, 0.09)]
    cap = [(0, 0.088), (0.0315, 0.088), (0.0325, 0.09), (0.0325, 0.101), (0.0305, 0.103), (0.0295, 0.112)]
    cap += [(0.024, 0.123), (0.013, 0.131), (0, 0.1335)]
    parts = [lathe(body, glaze), lathe(cap, steel)]
    dark = material("hole", (22, 22, 24), 0.6)
    for radius, height, count in ((0.0, 0.1332, 1), (0.013, 0.1308, 6), (0.0225, 0.1245, 10)):
        parts += [sphere((x, y, height), 0.0024, dark) for x, y in circle(radius, count)]
    curve = [(0.011, 0.062), (0.006, 0.068), (-0.006, 0.068), (-0.011, 0.06), (-0.006, 0.053), (0.006, 0.048)]
    curve += [(0.011, 0.041), (0.006, 0.033), (-0.006, 0.033), (-0.011, 0.039)]
    letter = [(x, -math.sqrt((0.0395 - 0.13 * z) ** 2 - x * x) - 0.0005, z) for x, z in curve]
    return [*parts, group([tube(letter, 0.0024, steel)], rotation=(0, 0, 8))]


@cue("sugar bowl", technique="lathe")
def sugar_bowl() -> list[Any]:
    """A lidded bowl with two handles and a spoon sticking out."""
    glaze, steel = tint("glaze", 0.22), metal("spoon", (205, 206, 210), 0.25)
    bowl = [(0, 0), (0.03, 0), (0.034, 0.003), (0.034, 0.007), (0.05, 0.018), (0.059, 0.036), (0.058, 0.054)]
    bowl += [(0.05, 0.067), (0.051, 0.071), (0.048, 0.071), (0, 0.07)]
    lid = [(0.0505, 0.073), (0.052, 0.075), (0.048, 0.081), (0.034, 0.091), (0.015, 0.097), (0.007, 0.099)]
    lid += [(0.006, 0.103), (0.012, 0.109), (0.013, 0.116), (0.008, 0.122), (0, 0.123)]
    parts = [lathe(bowl, glaze), lathe(lid, glaze)]
    for side in (-1, 1):
        loop = [
            (0.05, 0, 0.06),
            (0.064, 0, 0.066),
            (0.083, 0, 0.06),
            (0.087, 0, 0.042),
            (0.072, 0, 0.028),
            (0.055, 0, 0.026),
        ]
        parts.append(tube([(side * x, y, z) for x, y, z in loop], 0.0055, glaze))
    parts.append(
        tube(
            [(0.028, -0.036, 0.072), (0.045, -0.04, 0.095), (0.062, -0.044, 0.118)],
            0.003,
            steel,
            smooth=False,
        )
    )
    parts.append(sphere((0.064, -0.0445, 0.121), 0.0065, steel, (1, 0.5, 1.3), (0, 35, 0)))
    group(parts, rotation=(0, 0, -14))
    return parts


@cue("butter dish", technique="boxes")
def butter_dish() -> list[Any]:
    """A lidded butter dish, the lid pushed aside over a pale stick of butter."""
    glaze, butter = tint("glaze", 0.25), material("butter", (246, 232, 184), 0.5)
    parts = [box((-0.1, -0.052, 0), (0.2, 0.104, 0.008), glaze, 0.004)]
    rail = [(-0.1, -0.052), (0.1, -0.052), (0.1, 0.052), (-0.1, 0.052)]
    parts.append(tube([(x, y, 0.011) for x, y in rail], 0.006, glaze, cyclic=True, smooth=False))
    parts.append(box((-0.085, -0.026, 0.008), (0.13, 0.052, 0.042), butter, 0.005))
    parts += [
        box(
            (-0.0853 + 0.018 * k, -0.0262, 0.008),
            (0.0012, 0.0524, 0.0422),
            material("cut", (214, 196, 146), 0.6),
            0.0002,
        )
        for k in (1, 2)
    ]
    arch = [(-0.04, 0.01), (0.04, 0.01), (0.038, 0.05), *arc((0.022, 0.05), 0.016, 0, 90, 6)[1:]]
    arch += [*arc((-0.022, 0.05), 0.016, 90, 180, 6), (-0.038, 0.05)]
    parts.append(extrude(arch, 0.118, glaze, 0.006, at=(0.034, 0, 0), rotation=(0, 0, 90)))
    knob = [(0, 0), (0.008, 0), (0.006, 0.006), (0.012, 0.012), (0.0125, 0.018), (0.008, 0.023), (0, 0.024)]
    parts.append(lathe(knob, glaze, (0.034, 0, 0.064)))
    group(parts, rotation=(0, 0, 22))
    return parts


@cue("cutlery set", technique="outlines")
def cutlery_set() -> list[Any]:
    """Fork, spoon and knife fanned out, leaning back."""
    steel = tint_metal("steel", roughness=0.32)
    fork = group([extrude(_fork(), 0.007, steel, 0.002)], (-0.034, 0, 0), (0, -9, 0))
    spoon = group([extrude(_handle(0.018), 0.007, steel, 0.002), *_spoon_bowl(steel)], (0, -0.004, 0))
    knife = group([extrude(_knife(), 0.007, steel, 0.002)], (0.034, 0, 0), (0, 9, 0))
    whole = group([fork, spoon, knife], rotation=(-24, 0, 0))
    return [whole]


def _handle(top: float) -> list[tuple[float, float]]:
    """Half-round handle outline from the foot up to a neck at z = 0.1, then ``top`` further."""
    right = [
        (0.004, 0.0),
        (0.0105, 0.004),
        (0.0115, 0.016),
        (0.009, 0.05),
        (0.006, 0.085),
        (0.005, 0.1),
        (0.006, 0.1 + top),
    ]
    return [*right, *[(-x, z) for x, z in reversed(right)]]


def _fork() -> list[tuple[float, float]]:
    prongs = [(0.018, 0.135), (0.0185, 0.185), (0.0155, 0.19), (0.0135, 0.185), (0.0125, 0.145)]
    prongs += [(0.0085, 0.145), (0.008, 0.185), (0.006, 0.19), (0.003, 0.185), (0.0025, 0.145)]
    right = [*_handle(0.004)[:6], (0.008, 0.11), (0.0155, 0.12), *prongs]
    return [*right, *[(-x, z) for x, z in reversed(right)]]


def _knife() -> list[tuple[float, float]]:
    blade = [
        (0.0065, 0.1),
        (0.011, 0.105),
        (0.0125, 0.15),
        (0.010, 0.18),
        (0.002, 0.193),
        (-0.006, 0.195),
        (-0.0065, 0.1),
    ]
    return [*_handle(0)[:5], *blade, *[(-x, z) for x, z in reversed(_handle(0)[:5])]]


def _spoon_bowl(steel: Any) -> list[Any]:
    egg = smooth_outline(
        [
            (0, 0.106),
            (0.014, 0.12),
            (0.021, 0.148),
            (0.014, 0.177),
            (0, 0.187),
            (-0.014, 0.177),
            (-0.021, 0.148),
            (-0.014, 0.12),
        ]
    )
    hollow = tint_metal("hollow", roughness=0.32)
    return [extrude(egg, 0.007, steel, 0.002), sphere((0, -0.0015, 0.149), 0.017, hollow, (1, 0.2, 1.9))]
