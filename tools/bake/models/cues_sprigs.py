"""Twigs, plumes and sheaves. The tint goes to the leaves, ears or hairs that carry the name."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from toolkit import (
    airy,
    ball_template,
    cue,
    lathe,
    leaf_template,
    material,
    place_at,
    point_along,
    scatter,
    sheet_template,
    tint,
    tube,
)
from toolkit.scatter import VIEWER, Placed

Point = tuple[float, float, float]
STEM = (64, 84, 52)
TWIG = (82, 72, 64)


@cue("eucalyptus sprig", technique="plant", thin=True)
def eucalyptus_sprig() -> list[Any]:
    """A curved twig with pairs of round leaves."""
    random = np.random.default_rng(11)
    line = [(0.012, 0, 0), (-0.006, 0, 0.05), (-0.004, 0, 0.1), (0.016, 0, 0.152)]
    frames = []
    for k in range(5):
        t = 0.2 + 0.172 * k
        size = 0.043 - 0.0034 * k
        for side in (-1, 1):
            way = (side, random.uniform(-0.4, 0.1), 0.2 + 0.13 * k)
            frames.append(
                place_at(
                    point_along(line, t + 0.02 * side), way, (0.25 * side, -1, random.uniform(0.1, 0.6)), size
                )
            )
    frames.append(place_at(line[-1], (0.35, 0, 1), (0, -1, 0.2), 0.026))
    leaves = scatter(leaf_template(0.43, 0.2, 0.1, 0.5), frames, tint("leaf", 0.6, sheen=0.15))
    return [leaves, tube(line, 0.0026, material("twig", TWIG, 0.8), taper=[1.2, 1, 0.8, 0.5])]


@cue("pampas plume", technique="plant", thin=True)
def pampas_plume() -> list[Any]:
    """A big feathery grass plume bending to one side."""
    random = np.random.default_rng(8)
    line = [(0.004, 0, 0), (-0.004, 0, 0.055), (-0.004, 0, 0.095), (0.006, 0, 0.135), (0.03, 0, 0.175)]
    frames = []
    for _ in range(1300):
        t = random.uniform(0.3, 1)
        turn = random.uniform(0, 2 * math.pi)
        spread = 0.5 * (1.05 - t) + 0.14
        way = (math.cos(turn) * spread + 0.4 * t * t, math.sin(turn) * spread, 0.85)
        way = np.array(way) + random.normal(size=3) * 0.13
        size = (0.056 * math.sin(math.pi * min(0.2 + t * 0.6, 1)) + 0.01) * random.uniform(0.65, 1.15)
        frames.append(place_at(point_along(line, t), way, (math.cos(turn), math.sin(turn), 0.8), size))
    hair = sheet_template(
        lambda u, v: (0.02 * v * (1 - u * 0.7), -0.3 * u * u - 0.012 * v * v, u - 0.12 * u * u), 7, 3
    )
    stalk = tube(line[:4], 0.003, material("stalk", (146, 134, 112), 0.8))
    return [scatter(hair, frames, airy(tint("plume", 0.95, sheen=0.3), 0.22)), stalk]


@cue("dried wheat sheaf", technique="plant")
def dried_wheat_sheaf() -> list[Any]:
    """A bundle of ripe ears fanning out above and below its tie."""
    straw = airy(tint("straw", 0.6, sheen=0.15), 0.08)
    grains: list[Placed] = []
    awns: list[Placed] = []
    stalks = []
    for k in range(11):
        side, near = (k - 5) / 5, k % 2
        tip = np.array([side * 0.048, -0.018 * near, 0.118 - 0.026 * side * side - 0.036 * near])
        points = [(-side * 0.036, 0.012 * near, 0), (0.011 * side, -0.006 * near, 0.052), tuple(tip)]
        stalks.append(tube(points, 0.003, straw))
        _ear(tip, np.array([side * 0.42, -0.1 * near, 1.0]), grains, awns)
    bristle = sheet_template(lambda u, v: (0.028 * v * (1 - u), 0, u), 2, 2)
    ears = [scatter(ball_template((0.29, 0.27, 0.5), 0.45, 8), grains, straw), scatter(bristle, awns, straw)]
    ring = [(0.0165, -0.009), (0.0185, -0.006), (0.0175, 0), (0.0185, 0.006), (0.0165, 0.009)]
    tie = lathe(ring, material("twine", (112, 104, 96), 0.9, bump=(500, 0.5)), (0, 0, 0.048))
    return [*stalks, *ears, tie]


def _ear(foot: np.ndarray, way: np.ndarray, grains: list[Placed], awns: list[Placed]) -> None:
    """Add the grains and bristles of one ear growing along ``way``."""
    way = way / np.linalg.norm(way)
    across, front = np.cross(way, (0, 1, 0)), np.array((0, -1, 0))
    for k in range(6):
        for side in (-1, 1):
            place = foot + way * (0.0078 * k + 0.0039 * (side > 0)) + across * side * 0.0036
            grains.append(place_at(place, way + across * side * 0.4 + front * 0.1, VIEWER, 0.0165))
            awns.append(place_at(place + way * 0.009, way + across * side * 0.25, VIEWER, 0.028))
    for k in range(6):
        place = foot + way * (0.0078 * k + 0.002) + front * 0.004
        grains.append(place_at(place, way + front * 0.25, VIEWER, 0.0155))
    grains.append(place_at(foot + way * 0.048, way, VIEWER, 0.0165))


@cue("mini wreath", technique="plant")
def mini_wreath() -> list[Any]:
    """A ring of leaves with clusters of pale berries, hanging from a loop of twine."""
    random = np.random.default_rng(9)
    frames, berries = [], []
    for k in range(170):
        turn = 2 * math.pi * k / 170
        out, round_ = (
            np.array([math.cos(turn), 0, math.sin(turn)]),
            np.array([-math.sin(turn), 0, math.cos(turn)]),
        )
        lean = random.uniform(-0.85, 0.85)
        way = round_ + out * lean + (0, random.uniform(-0.45, 0.15), 0)
        frames.append(
            place_at(out * (0.062 + 0.006 * lean), way, (0.3 * lean, -1, 0.3), random.uniform(0.026, 0.034))
        )
    for turn in (0.5, 2.2, 3.5, 4.71, 5.9):
        for dx, dz in ((0, 0), (0.008, 0.004), (-0.003, 0.009)):
            place = (0.063 * math.cos(turn) + dx, -0.016, 0.063 * math.sin(turn) + dz)
            berries.append(place_at(place, (0, 0, 1), VIEWER, 0.0052))
    ring = [
        (0.062 * math.cos(2 * math.pi * k / 32), 0.006, 0.062 * math.sin(2 * math.pi * k / 32))
        for k in range(32)
    ]
    twine = material("twine", (136, 126, 114), 0.9)
    loop = tube([(-0.006, 0, 0.068), (-0.009, 0, 0.1), (0.009, 0, 0.1), (0.006, 0, 0.068)], 0.0018, twine)
    leaves = scatter(leaf_template(0.24, 0.5, 0.15, 0.8), frames, airy(tint("leaf", 0.65, sheen=0.15), 0.1))
    return [
        leaves,
        tube(ring, 0.006, material("twig", TWIG, 0.9), cyclic=True),
        scatter(ball_template(), berries, material("berry", (232, 230, 222), 0.4)),
        loop,
    ]
