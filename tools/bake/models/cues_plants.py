"""Flowers and twigs. The tint goes to the petals (or leaves) that carry the name."""

from __future__ import annotations

import math
from typing import Any

from toolkit import cue, material, patch, petal, tint, tube


@cue("fresh tulip stem", technique="plant", thin=True)
def fresh_tulip_stem() -> list[Any]:
    """One tulip with two long leaves."""
    bloom, green = tint("bloom", 0.55, sheen=0.2), material("stem", (70, 128, 52), 0.6)
    petals = [
        petal(
            bloom,
            0.072 if k % 2 else 0.068,
            0.0275,
            0.6 if k % 2 else 0.2,
            at=(0.012, 0, 0.15),
            rotation=(0, 0, 60 * k),
        )
        for k in range(6)
    ]
    stem = tube([(0, 0, 0), (0.004, 0, 0.05), (0.008, 0, 0.11), (0.012, 0, 0.155)], 0.0042, green)
    return [*petals, stem, _leaf(green, 1, 0.13), _leaf(green, -1, 0.11)]


def _leaf(paint: Any, side: int, length: float) -> Any:
    def surface(u: float, v: float) -> tuple[float, float, float]:
        across = 2 * v - 1
        half = 0.013 * math.sin(math.pi * (u * 0.9 + 0.1)) ** 0.8
        x = side * (0.004 + 0.055 * u**1.6)
        return x + across * half * 0.75, -0.006 - 0.006 * (1 - across * across), 0.01 + length * u

    return patch(surface, paint, 15, 5, 0.0012)
