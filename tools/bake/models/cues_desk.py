"""Cues from the desk and the mantelpiece: clocks, glasses, keys, gadgets."""

from __future__ import annotations

import math
from typing import Any

from toolkit import (
    box,
    circle,
    cue,
    cylinder,
    glass,
    group,
    lathe,
    material,
    metal,
    sphere,
    tint,
    tint_metal,
    tube,
)

UPRIGHT = (90.0, 0.0, 0.0)


@cue("alarm clock", technique="lathe")
def alarm_clock() -> list[Any]:
    """A twin-bell alarm clock with a white dial."""
    paint = tint("case", 0.25)
    dial = material("dial", (245, 244, 238))
    rim = [(x, -0.024, z) for x, z in circle(0.0555, 24, (0, 0.075))]
    case = [cylinder((0, 0, 0.075), 0.06, 0.045, paint, UPRIGHT, 0.01), tube(rim, 0.0055, paint, cyclic=True)]
    face = cylinder((0, -0.022, 0.075), 0.05, 0.006, dial, UPRIGHT, 0.001)
    return [*case, face, *_clock_marks(), *_clock_hands(), *_clock_bells(paint)]


def _clock_marks() -> list[Any]:
    ink = material("ink", (25, 25, 27), 0.4)
    marks = []
    for hour in range(12):
        width, height = (0.006, 0.012) if hour % 3 == 0 else (0.004, 0.008)
        turn = math.radians(hour * 30)
        x, z = 0.042 * math.sin(turn), 0.075 + 0.042 * math.cos(turn)
        corner = (x - width / 2, -0.026, z - height / 2)
        marks.append(box(corner, (width, 0.001, height), ink, 0.0002, (0, hour * 30, 0)))
    return marks


def _clock_hands() -> list[Any]:
    ink = material("hands", (25, 25, 27), 0.4)
    hands = [cylinder((0, -0.027, 0.075), 0.005, 0.004, ink, UPRIGHT, 0.001)]
    for degrees, length, width in ((-55, 0.026, 0.006), (40, 0.036, 0.0045)):
        x, z = (length / 2 * f(math.radians(degrees)) for f in (math.sin, math.cos))
        corner = (x - width / 2, -0.0275, 0.075 + z - length / 2)
        hands.append(box(corner, (width, 0.001, length), ink, 0.0002, (0, degrees, 0)))
    return hands


def _clock_bells(paint: Any) -> list[Any]:
    chrome = metal("chrome", roughness=0.2)
    bell = [(0, 0.028), (0.012, 0.027), (0.022, 0.022), (0.029, 0.012), (0.031, 0), (0.029, 0), (0, 0.004)]
    parts = [tube([(0, 0, 0.13), (0, 0, 0.168)], 0.003, chrome, smooth=False)]
    parts.append(box((-0.009, -0.006, 0.162), (0.018, 0.012, 0.012), chrome, 0.002))
    for side in (-1, 1):
        parts.append(lathe(bell, paint, (side * 0.047, 0, 0.139), (0, side * 36, 0)))
        parts.append(tube([(side * 0.03, 0, 0.12), (side * 0.047, 0, 0.142)], 0.003, chrome, smooth=False))
        parts.append(tube([(side * 0.035, 0, 0.03), (side * 0.05, 0, 0)], 0.0065, paint, smooth=False))
    return parts


@cue("antique brass key", technique="sweep", thin=True)
def antique_brass_key() -> list[Any]:
    """An old key with a trefoil bow, leaning back."""
    paint = tint_metal("key", roughness=0.28)
    parts = []
    for turn in (90, 210, 330):
        centre = (-0.07 + 0.021 * math.cos(math.radians(turn)), 0.021 * math.sin(math.radians(turn)))
        parts.append(tube([(x, y, 0) for x, y in circle(0.017, 20, centre)], 0.0065, paint, cyclic=True))
    parts.append(tube([(-0.055, 0, 0), (0.085, 0, 0)], 0.008, paint, smooth=False))
    parts += [cylinder((x, 0, 0), 0.0118, 0.007, paint, (0, 90, 0), 0.002) for x in (-0.035, -0.022, 0.085)]
    parts.append(box((0.048, -0.040, -0.0045), (0.011, 0.038, 0.009), paint, 0.0015))
    parts.append(box((0.064, -0.031, -0.0045), (0.010, 0.031, 0.009), paint, 0.0015))
    parts.append(box((0.048, -0.040, -0.0045), (0.026, 0.011, 0.009), paint, 0.0015))
    group(parts, (0, 0, 0.062), (64, -20, 0))
    return parts


@cue("hourglass", technique="lathe")
def hourglass() -> list[Any]:
    """A sand glass between two discs and three posts; frame and sand take the colour."""
    frame, sand, clear = tint("frame", 0.35), tint("sand", 0.9, bump=(600, 0.3)), glass("glass")
    disc = [(0, 0), (0.044, 0), (0.046, 0.002), (0.046, 0.010), (0.044, 0.012), (0, 0.012)]
    parts = [lathe(disc, frame, (0, 0, z)) for z in (0, 0.128)]
    for x, y in circle(0.038, 3):
        x, y = x * math.cos(0.785) - y * math.sin(0.785), x * math.sin(0.785) + y * math.cos(0.785)
        parts.append(tube([(x, y, 0.01), (x, y, 0.13)], 0.0042, frame, smooth=False))
        parts.append(sphere((x, y, 0.07), 0.0062, frame))
    bulbs = [(0.006, 0.012), (0.030, 0.013), (0.0315, 0.025), (0.030, 0.042), (0.018, 0.058), (0.005, 0.068)]
    bulbs += [(0.0038, 0.070)] + [(r, 0.14 - z) for r, z in reversed(bulbs)]
    bulb = lathe(bulbs, clear)
    bulb.visible_shadow = False
    heap = [(0, 0.014), (0.027, 0.014), (0.028, 0.022), (0.012, 0.036), (0, 0.044)]
    rest = [(0.002, 0.071), (0.016, 0.0825), (0.026, 0.096), (0, 0.092)]
    stream = tube([(0, 0, 0.04), (0, 0, 0.072)], 0.0011, sand, smooth=False)
    return [*parts, bulb, lathe(heap, sand), lathe(rest, sand), stream]


@cue("wireless headphones", technique="sweep")
def wireless_headphones() -> list[Any]:
    """Over-ear headphones, turned a little to the side."""
    shell, soft = tint("shell", 0.35), material("pads", (45, 46, 50), 0.8, bump=(200, 0.2))
    turns = [-0.12 + (math.pi + 0.24) * i / 29 for i in range(30)]
    bow = [
        (0.078 * math.cos(t) * (1 - 0.06 * abs(math.sin(t))), 0, 0.075 + 0.095 * math.sin(t)) for t in turns
    ]
    band = tube(bow, 0.0085, shell)
    band.scale = (1, 1.5, 1)
    parts = [band, tube([(x * 0.91, y, z - 0.008) for x, y, z in bow[7:-7]], 0.0075, soft)]
    for side in (-1, 1):
        x = side * 0.078
        parts.append(cylinder((x, 0, 0.042), 0.036, 0.022, shell, (0, 90, 0), 0.009))
        parts.append(cylinder((x - side * 0.018, 0, 0.042), 0.033, 0.02, soft, (0, 90, 0), 0.009))
        parts.append(cylinder((x + side * 0.0115, 0, 0.042), 0.022, 0.004, shell, (0, 90, 0), 0.0015))
    group(parts, rotation=(0, 0, 28))
    return parts


@cue("eyeglasses", technique="sweep", thin=True)
def eyeglasses() -> list[Any]:
    """Thick-rimmed glasses with open temples."""
    frame, lens = tint("frame", 0.25), material("lens", (190, 205, 215), 0.03, transmission=0.85)
    bridge = [(-0.0095, 0, 0.036), (0, -0.002, 0.042), (0.0095, 0, 0.036)]
    parts = [tube(bridge, 0.0038, frame)]
    for side in (-1, 1):
        ring = [(side * 0.036 + _squared(0.029, c), 0, 0.032 + _squared(0.0265, s)) for c, s in circle(1, 32)]
        parts.append(tube(ring, 0.0052, frame, cyclic=True))
        pane = cylinder((side * 0.036, 0.001, 0.032), 0.0265, 0.0012, lens, UPRIGHT, 0.0003)
        pane.scale = (1.05, 0.96, 1)
        pane.visible_shadow = False
        temple = [(0.065, 0, 0.042), (0.069, 0.012, 0.042), (0.068, 0.06, 0.041), (0.066, 0.08, 0.030)]
        temple.append((0.065, 0.092, 0.014))
        parts += [pane, tube([(side * x, y, z) for x, y, z in temple], 0.0038, frame)]
    group(parts, rotation=(0, 0, 24))
    return parts


def _squared(radius: float, cosine: float) -> float:
    """Bend a circle coordinate towards a rounded square."""
    return radius * math.copysign(abs(cosine) ** 0.75, cosine)
