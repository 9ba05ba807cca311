"""Boxes, frames and folded things: caskets, doors, fans, clips."""

from __future__ import annotations

import math
from typing import Any

from toolkit import (
    arc,
    box,
    circle,
    cue,
    cylinder,
    extrude,
    group,
    lathe,
    material,
    metal,
    patch,
    smooth_outline,
    sphere,
    tint,
    tint_metal,
    tint_wood,
    tube,
)
from toolkit.shapes import mesh_object

Point = tuple[float, float, float]
FACING = (90.0, 0.0, 0.0)


@cue("mini jewelry box", technique="boxes")
def mini_jewelry_box() -> list[Any]:
    """An open casket of two drawers with a mirror in its lid, pearls hanging over the edge."""
    shell, velvet = tint("shell", 0.35), material("velvet", (92, 88, 92), 0.95)
    brass, mirror = metal("brass", (190, 168, 118), 0.3), material("mirror", (150, 160, 166), 0.12)
    parts = [box((-0.064, -0.044, 0.006), (0.128, 0.088, 0.074), shell, 0.004)]
    parts += [box((-0.068, -0.048, z), (0.136, 0.096, 0.006), shell, 0.002) for z in (0.006, 0.0755)]
    parts += [box((-0.056, -0.0465, z), (0.112, 0.006, 0.026), shell, 0.002) for z in (0.0145, 0.0445)]
    parts += [sphere((0, -0.049, z), 0.0046, brass) for z in (0.0275, 0.0575)]
    parts += [sphere((x, y, 0.006), 0.008, shell) for x in (-0.056, 0.056) for y in (-0.036, 0.036)]
    parts += [box((-0.06, -0.04, 0.081), (0.12, 0.08, 0.0012), velvet, 0.0004)]
    lid = [
        box((-0.068, 0, 0), (0.136, 0.02, 0.09), shell, 0.004),
        box((-0.054, -0.0012, 0.012), (0.108, 0.002, 0.066), mirror, 0.0005),
    ]
    parts.append(group(lid, (0, 0.042, 0.08), (-20, 0, 0)))
    return [group([*parts, *_pearls()], rotation=(0, 0, 26))]


def _pearls() -> list[Any]:
    pearl = material("pearl", (226, 220, 208), 0.2)
    string = [(-0.045 + 0.0098 * k, -0.022 - 0.012 * math.sin(k * 0.7), 0.088) for k in range(8)]
    string += [(0.028, -0.05, 0.084), *((0.0295 + 0.0012 * k, -0.0545, 0.075 - 0.0096 * k) for k in range(4))]
    string += [
        (0.0405, -0.0545, 0.0415),
        (0.0475, -0.0545, 0.05),
        (0.051, -0.0545, 0.0595),
        (0.0525, -0.0545, 0.069),
        (0.0525, -0.051, 0.082),
    ]
    return [sphere(at, 0.0062, pearl) for at in string]


@cue("music box", technique="boxes")
def music_box() -> list[Any]:
    """A box with a crank at its side, a note on its front, the pinned cylinder and comb open on top."""
    shell, brass = tint("shell", 0.35), metal("brass", (190, 168, 118), 0.3)
    steel, cream = metal("steel", (198, 200, 204), 0.25), material("note", (214, 210, 198), 0.5)
    parts = [
        box((-0.05, -0.036, 0), (0.1, 0.072, 0.066), shell, 0.004),
        box((-0.054, -0.04, 0), (0.108, 0.08, 0.01), shell, 0.003),
    ]
    parts += [
        box((-0.042, -0.028, 0.0655), (0.084, 0.056, 0.0015), material("well", (72, 70, 68), 0.8), 0.0004)
    ]
    parts.append(cylinder((0, 0.008, 0.075), 0.013, 0.066, brass, (0, 90, 0), 0.002))
    for k in range(26):
        turn, x = 2.2 * k, -0.03 + 0.06 * ((k * 7) % 26) / 25
        parts.append(
            sphere((x, 0.008 + 0.0132 * math.cos(turn), 0.075 + 0.0132 * math.sin(turn)), 0.0016, steel)
        )
    parts += [
        box((-0.032 + 0.0068 * k, -0.022, 0.07), (0.0055, 0.022, 0.002), steel, 0.0004) for k in range(10)
    ]
    parts.append(tube([(0.048, 0, 0.036), (0.066, 0, 0.036)], 0.004, steel, smooth=False))
    parts.append(tube([(0.066, 0, 0.036), (0.066, -0.008, 0.074)], 0.004, steel, smooth=False))
    parts.append(tube([(0.064, -0.008, 0.074), (0.073, -0.008, 0.074)], 0.003, steel, smooth=False))
    parts.append(cylinder((0.083, -0.008, 0.074), 0.0085, 0.019, shell, (0, 90, 0), 0.003))
    for x in (-0.012, 0.014):
        parts.append(sphere((x - 0.005, -0.0365, 0.022), 0.0066, cream, (1.15, 0.35, 0.85), (0, -18, 0)))
        parts.append(box((x, -0.0378, 0.022), (0.0026, 0.002, 0.03), cream, 0.0005))
    parts.append(box((-0.0125, -0.0378, 0.0475), (0.0295, 0.002, 0.0065), cream, 0.0005, (0, -8, 0)))
    return [group(parts, rotation=(0, 0, 16))]


@cue("bronze bookend", technique="boxes")
def bronze_bookend() -> list[Any]:
    """A heavy L with a curved brace and a ball on top, holding three plain grey books."""
    bronze = tint_metal("bronze", roughness=0.35)
    parts = [box((-0.062, -0.036, 0), (0.122, 0.072, 0.007), bronze, 0.002)]
    arch = [
        (-0.036, 0.004),
        (0.036, 0.004),
        (0.036, 0.084),
        *arc((0, 0.084), 0.036, 0, 180, 20)[1:-1],
        (-0.036, 0.084),
    ]
    parts.append(extrude(arch, 0.011, bronze, 0.0025, at=(0, 0, 0), rotation=(0, 0, 90)))
    brace = [
        (0, 0.006),
        (-0.056, 0.006),
        (-0.054, 0.013),
        *arc((-0.066, 0.09), 0.072, 278, 358, 12),
        (0, 0.098),
    ]
    parts += [extrude(brace, 0.022, bronze, 0.003), sphere((-0.031, 0, 0.042), 0.021, bronze)]
    pages = material("pages", (214, 210, 200), 0.9)
    x = 0.0065
    for k, (thick, high, grey) in enumerate(((0.016, 0.1, 150), (0.013, 0.086, 104), (0.016, 0.094, 176))):
        cover = material(f"cover{k}", (grey, grey, grey + 4), 0.6)
        parts.append(box((x, -0.032, 0.007), (thick, 0.064, high), cover, 0.0016))
        parts.append(box((x + 0.002, -0.031, 0.0095), (thick - 0.004, 0.0635, high - 0.002), pages, 0.0006))
        x += thick
    return [group(parts, rotation=(0, 0, 30))]


@cue("wooden abacus", technique="boxes")
def wooden_abacus() -> list[Any]:
    """A counting frame with five wires of fat beads."""
    timber, wire = tint_wood("frame"), metal("wire", (150, 150, 152), 0.3)
    bead, pale = tint("bead", 0.3), material("pale", (206, 202, 190), 0.4)
    parts = [box((-0.075, -0.008, z), (0.15, 0.016, 0.013), timber, 0.003) for z in (0.0, 0.117)]
    parts += [box((x, -0.0085, 0), (0.013, 0.017, 0.13), timber, 0.003) for x in (-0.081, 0.068)]
    parts += [box((x, -0.026, 0), (0.013, 0.052, 0.009), timber, 0.003) for x in (-0.081, 0.068)]
    half = [(0, -0.0068), (0.0055, -0.0066), (0.0105, -0.002), (0.0105, 0.002), (0.0055, 0.0066), (0, 0.0068)]
    for row, left in enumerate((6, 3, 5, 2, 4)):
        z = 0.103 - row * 0.0205
        parts.append(tube([(-0.07, 0, z), (0.07, 0, z)], 0.0016, wire, smooth=False))
        for k in range(8):
            x = -0.0608 + k * 0.0138 + (0.0255 if k >= left else 0)
            parts.append(lathe(half, pale if k == 4 else bead, (x, 0, z), (0, 90, 0), 32, 60))
    return [group(parts, rotation=(-6, 0, 20))]


@cue("fairy door", technique="boxes")
def fairy_door() -> list[Any]:
    """A little arched plank door in a stone arch, with iron hinges, a round window and a step."""
    door, stone = tint("planks", 0.55), material("stone", (150, 148, 144), 0.9, bump=(160, 0.4))
    iron, brass = material("iron", (62, 62, 64), 0.5), metal("brass", (196, 172, 116), 0.3)
    parts = []
    for k in range(5):
        left, right = -0.041 + 0.0164 * k + 0.0005, -0.041 + 0.0164 * (k + 1) - 0.0005
        tops = [(x, 0.076 + math.sqrt(max(0.041**2 - x * x, 0))) for x in (right, (left + right) / 2, left)]
        parts.append(extrude([(left, 0.008), (right, 0.008), *tops], 0.012, door, 0.0014))
    for k in range(13):
        turn = 180 * k / 12
        c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
        parts.append(
            box(
                (0.0475 * c - 0.006, -0.008, 0.076 + 0.0475 * s - 0.0058),
                (0.012, 0.018, 0.0116),
                stone,
                0.003,
                (0, -turn, 0),
            )
        )
    for side in (-1, 1):
        parts += [
            box((side * 0.0475 - 0.006, -0.008, 0.008 + k * 0.0125), (0.012, 0.018, 0.0118), stone, 0.003)
            for k in range(5)
        ]
    parts += [box((-0.062, -0.026, 0), (0.124, 0.04, 0.009), stone, 0.003)]
    parts += [box((-0.041, -0.0078, z), (0.046, 0.002, 0.0055), iron, 0.0008) for z in (0.03, 0.074)]
    parts.append(sphere((0.028, -0.0095, 0.052), 0.0048, brass))
    ring = [(x, -0.0072, z) for x, z in circle(0.0112, 28, (0, 0.096))]
    parts += [
        tube(ring, 0.0024, iron, cyclic=True),
        cylinder((0, -0.0066, 0.096), 0.011, 0.002, material("pane", (206, 208, 200), 0.2), FACING, 0.0003),
    ]
    parts += [
        box((-0.001, -0.0085, 0.086), (0.002, 0.002, 0.02), iron, 0.0003),
        box((-0.01, -0.0085, 0.095), (0.02, 0.002, 0.002), iron, 0.0003),
    ]
    return [group(parts, rotation=(-5, 0, 18))]


@cue("wooden plant tag", technique="extrusions")
def wooden_plant_tag() -> list[Any]:
    """A label on a pointed stake with a leaf burnt into it."""
    timber, mark = tint_wood("tag"), material("mark", (88, 92, 84), 0.7)
    right = [
        (0.0, 0.0),
        (0.0125, 0.032),
        (0.0125, 0.068),
        (0.046, 0.074),
        (0.05, 0.08),
        (0.05, 0.128),
        *arc((0, 0.128), 0.05, 0, 90, 14)[1:],
    ]
    outline = [*right, *[(-x, 0.126 + (z - 0.126)) for x, z in reversed(right[1:-1])]]
    parts = [
        extrude(
            [(x, z if z < 0.128 else 0.128 + (z - 0.128) * 0.55) for x, z in outline], 0.008, timber, 0.0016
        )
    ]
    leaf = smooth_outline(
        [(-0.014, 0.094), (-0.019, 0.113), (-0.008, 0.131), (0.013, 0.138), (0.016, 0.117), (0.004, 0.099)]
    )
    parts.append(extrude(leaf, 0.002, mark, 0.0004, at=(0.002, -0.0042, 0.0)))
    parts.append(
        tube(
            [(-0.021, -0.0046, 0.084), (-0.010, -0.0046, 0.097), (0.012, -0.0056, 0.131)],
            0.0016,
            tint("vein", 0.6),
            smooth=False,
        )
    )
    parts.append(tube([(-0.021, -0.0042, 0.083), (-0.011, -0.0046, 0.096)], 0.0019, mark, smooth=False))
    return [group(parts, rotation=(-18, 8, 14))]


@cue("ornate hair clip", technique="patches")
def ornate_hair_clip() -> list[Any]:
    """A claw clip: two toothed shells on a spring, pearls and a flower on the front."""
    shell, pearl = tint("shell", 0.28), material("pearl", (230, 226, 216), 0.2)
    parts = [_shell(side, shell) for side in (-1, 1)]
    for side in (-1, 1):
        for k in range(7):
            x = (k - 3) * 0.0155
            turns = [math.radians(a) for a in (80, 100, 122, 146, 164)]
            points = [
                (x * (1 - 0.05 * i), side * 0.036 * math.sin(t), 0.05 + 0.046 * math.cos(t))
                for i, t in enumerate(turns)
            ]
            parts.append(tube(points, 0.0046, shell, taper=[1.2, 1.1, 1, 0.75, 0.4]))
    parts.append(
        cylinder((0, 0, 0.093), 0.0065, 0.05, metal("spring", (176, 170, 158), 0.3), (0, 90, 0), 0.002)
    )
    for k in range(11):
        x = (k - 5) * 0.0098
        turn = math.radians(76)
        parts.append(sphere((x, -0.0385 * math.sin(turn), 0.052 + 0.046 * math.cos(turn)), 0.0032, pearl))
    flower = [sphere((x, -0.036, 0.072 + z), 0.0085, pearl, (1, 0.6, 1)) for x, z in circle(0.0122, 6)]
    parts += [*flower, sphere((0, -0.039, 0.072), 0.0072, metal("heart", (196, 180, 140), 0.3))]
    return [group(parts, rotation=(0, 0, 22))]


def _shell(side: int, paint: Any) -> Any:
    """One half: from a finger tab above, over the spring, down to the roots of the teeth."""

    def surface(u: float, v: float) -> Point:
        across = 2 * u - 1
        turn = math.radians(-32 + 118 * v)
        flare = max(0.0, 0.27 - v) * 0.09
        half = 0.026 + 0.03 * math.sin(math.pi * min(1.0, v * 1.1) / 2) + flare * 0.2
        bulge = 0.004 * math.cos(across * math.pi * 3.5) * v * (1 - v)
        y = side * ((0.036 + bulge) * abs(math.sin(turn)) + flare * 0.5 + 0.003)
        return half * across, y, 0.05 + 0.046 * math.cos(turn * (0.75 if turn < 0 else 1)) + flare * 1.1

    return patch(surface, paint, 30, 30, 0.0045)


@cue("silk hand fan", technique="patches")
def silk_hand_fan() -> list[Any]:
    """An open pleated fan with slim sticks, a row of pale blossoms and a tassel."""
    silk, stick = tint("silk", 0.5, sheen=0.2), tint("sticks", 0.4, shade=0.75)
    pale, brass = material("blossom", (214, 210, 202), 0.6), metal("rivet", (190, 172, 128), 0.3)
    pleats = 15

    def surface(u: float, v: float) -> Point:
        turn, radius = math.radians(12 + 156 * u), 0.045 + 0.068 * v
        fold = abs((u * pleats) % 1 - 0.5) * 2
        return -radius * math.cos(turn), 0.009 * fold * (0.5 + v * 0.6), radius * math.sin(turn)

    leaf = patch(surface, silk, 4 * pleats + 1, 8, 0.0012)
    parts = [leaf]
    for k in range(pleats + 1):
        turn = math.radians(12 + 156 * k / pleats)
        c, s = -math.cos(turn), math.sin(turn)
        outer = k in (0, pleats)
        far = 0.114 if outer else 0.047
        parts.append(
            tube([(0, 0.006, 0), (far * c, 0.009, far * s)], 0.0042 if outer else 0.0024, stick, smooth=False)
        )
    for k in range(1, 15, 2):
        turn = math.radians(12 + 156 * (k + 0.5) / pleats)
        radius = 0.088 + 0.007 * math.sin(k * 1.3)
        for dx, dz in circle(0.0042, 5):
            at = (-radius * math.cos(turn) + dx, -0.0012, radius * math.sin(turn) + dz)
            parts.append(sphere(at, 0.003, pale, (1, 0.5, 1)))
    parts.append(cylinder((0, 0.002, 0), 0.0055, 0.012, brass, FACING, 0.002))
    return [group(parts, (0, 0, 0.01), (-16, 8, 10))]


@cue("paper origami bow", technique="facets")
def paper_origami_bow() -> list[Any]:
    """A bow folded from paper: flat facets, two forked tails, the pale back of the paper showing."""
    light, dark = tint("paper", 0.7), tint("paper_under", 0.8)
    back = material("paper_back", (226, 222, 212), 0.7)
    parts = []
    for m in (-1, 1):
        root_top, root_low, root = (m * 0.008, 0.0, 0.012), (m * 0.008, 0.0, -0.012), (m * 0.01, -0.012, 0.0)
        top, low, tip = (m * 0.074, 0.004, 0.05), (m * 0.084, 0.004, -0.034), (m * 0.088, -0.002, 0.012)
        crest = (m * 0.058, -0.027, 0.002)
        parts += [
            _facet([root_top, top, crest], light),
            _facet([root_top, crest, root], light),
            _facet([top, tip, crest], back),
        ]
        parts += [
            _facet([tip, low, crest], light),
            _facet([root_low, crest, low], dark),
            _facet([root_low, root, crest], dark),
        ]
        a, b, fold = (m * 0.004, 0.004, -0.006), (m * 0.024, 0.006, -0.004), (m * 0.014, -0.006, -0.008)
        out, inn, notch = (m * 0.07, 0.004, -0.076), (m * 0.032, 0.004, -0.088), (m * 0.046, -0.012, -0.07)
        parts += [_facet([a, inn, notch, fold], back), _facet([fold, notch, out, b], light)]
    ring = [(0.0, -0.014, 0.019), (0.017, -0.012, 0.0), (0.0, -0.014, -0.019), (-0.017, -0.012, 0.0)]
    for k in range(4):
        parts.append(_facet([ring[k], ring[(k + 1) % 4], (0.0, -0.032, 0.0)], light if k in (0, 3) else dark))
    return [group(parts, (0, 0, 0.09), (-32, 0, 0))]


def _facet(corners: list[Point], paint: Any) -> Any:
    """One flat piece of paper."""
    made = mesh_object(corners, [list(range(len(corners)))], paint)
    made.data.shade_flat()
    return made
