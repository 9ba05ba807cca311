"""Toys and games."""

from __future__ import annotations

import math
from typing import Any

from toolkit import cue, material, sphere, tint, tube


@cue("plush teddy", technique="spheres")
def plush_teddy() -> list[Any]:
    """A sitting teddy bear with cream muzzle, belly and soles."""
    fur = tint("fur", 0.95, sheen=0.4, bump=(260, 0.9))
    cream = material("cream", (233, 211, 174), 0.95, bump=(260, 0.6))
    black = material("black", (14, 11, 10), 0.15)
    parts = [
        sphere((0, 0, 0.052), 0.045, fur, (1, 0.85, 1.1)),
        sphere((0, -0.004, 0.122), 0.041, fur, (1.08, 0.95, 0.95)),
    ]
    parts.append(sphere((0, -0.022, 0.052), 0.03, cream, (0.95, 0.65, 1.05)))
    parts.append(sphere((0, -0.036, 0.111), 0.018, cream, (1.15, 0.8, 0.85)))
    parts.append(sphere((0, -0.0515, 0.117), 0.0065, black, (1.2, 0.7, 0.85)))
    for side in (-1, 1):
        parts += _teddy_side(side, fur, cream, black)
    return parts


def _teddy_side(side: int, fur: Any, cream: Any, black: Any) -> list[Any]:
    ear = [sphere((side * 0.032, 0.002, 0.158), 0.016, fur, (1, 0.6, 1))]
    ear.append(sphere((side * 0.032, -0.007, 0.157), 0.010, cream, (1, 0.5, 1)))
    arm = sphere((side * 0.047, -0.014, 0.07), 0.016, fur, (0.85, 0.9, 1.9), (-25, side * -32, 0))
    foot = sphere((side * 0.034, -0.046, 0.019), 0.018, fur, (1, 1.7, 1), (0, 0, side * 18))
    sole = sphere((side * 0.0435, -0.0755, 0.020), 0.0135, cream, (1, 0.35, 1), (0, 0, side * 18))
    return [*ear, arm, foot, sole, sphere((side * 0.0155, -0.0405, 0.131), 0.0052, black)]


@cue("tennis ball", technique="spheres")
def tennis_ball() -> list[Any]:
    """A felt ball with its white seam."""
    felt = tint("felt", 0.95, sheen=0.25, bump=(420, 0.7))
    white = material("seam", (240, 240, 232), 0.8)
    radius, a, b = 0.0341, 0.75, 0.25
    turns = [2 * math.pi * i / 60 for i in range(60)]
    seam = [
        (
            radius * (a * math.cos(t) + b * math.cos(3 * t)),
            radius * (a * math.sin(t) - b * math.sin(3 * t)),
            radius * 2 * math.sqrt(a * b) * math.sin(2 * t),
        )
        for t in turns
    ]
    line = tube(seam, 0.0016, white, cyclic=True, at=(0, 0, 0.034), rotation=(40, 25, 20))
    return [sphere((0, 0, 0.034), 0.034, felt), line]
