"""Clothes and ribbons, made by inflating outlines (100 units are 18 cm)."""

from __future__ import annotations

from typing import Any

from toolkit import cue, inflate, material, metal, sphere, tint, tint_knit, tube

UNIT = 0.0018
SLEEVE = [(20, 86), (24, 60), (21, 20), (15, 8), (4, 10), (3, 40), (8, 78), (14, 86)]
BODY = [
    (38, 92),
    (20, 86),
    (22, 60),
    (21, 8),
    (24, 4),
    (76, 4),
    (79, 8),
    (78, 60),
    (80, 86),
    (62, 92),
    (50, 86),
]
BODY_SEAMS = [
    [(49, 4), (49, 84)],
    [(53, 4), (53, 84)],
    [(21, 11), (79, 11)],
    [(21, 68), (79, 68)],
    [(36, 11), (33, 68)],
    [(64, 11), (67, 68)],
]


@cue("wool scarf", technique="inflate")
def wool_scarf() -> list[Any]:
    """A knitted scarf tied in a loop, two fringed ends hanging down."""
    down, across = tint_knit("ends", "Z", 42), tint_knit("loop", "X", 42)
    back_end = inflate([(52, 52), (66, 54), (86, 8), (70, 3)], down, 4, 7, 3, spline=False, wrinkle=0.4)
    front_end = inflate([(34, 54), (58, 54), (52, 0), (26, 2)], down, 5, 8, -3, spline=False, wrinkle=0.4)
    loop_outline = [
        (12, 76),
        (22, 92),
        (50, 97),
        (78, 92),
        (88, 76),
        (80, 60),
        (62, 50),
        (50, 47),
        (38, 50),
        (20, 60),
    ]
    folds = [[(18, 72), (40, 58), (62, 57), (82, 70)], [(22, 82), (45, 72), (60, 71), (78, 80)]]
    loop = inflate(loop_outline, across, 12, 17, seams=folds, seam_depth=3, seam_width=2.2, wrinkle=0.7)
    dark = material("hole", (18, 18, 20), 1)
    hole = inflate([(24, 82), (50, 90), (76, 82), (66, 76), (50, 74), (34, 76)], dark, 4, 8, -10)
    knot = inflate([(36, 62), (60, 62), (62, 48), (50, 44), (34, 48)], down, 6, 7, -10, wrinkle=0.3)
    return [back_end, front_end, loop, hole, knot, *_scarf_fringe(down)]


def _scarf_fringe(paint: Any) -> list[Any]:
    threads = []
    for k in range(8):
        x, sway = (26.5 + 24 * k / 7) * UNIT, (-1) ** k * 0.002
        threads.append([(x, -0.006, 0.003), (x + 0.001, -0.008, -0.008), (x + sway, -0.009, -0.018)])
    for k in range(6):
        x, z, sway = (70.5 + 3 * k) * UNIT, (3.5 + k) * UNIT, (-1) ** k * 0.002
        threads.append([(x, 0.004, z), (x + 0.004, 0.003, z - 0.0108), (x + 0.007 + sway, 0.002, z - 0.0198)])
    return [tube(points, 0.0022, paint, smooth=False) for points in threads]


@cue("denim jacket", technique="inflate")
def denim_jacket() -> list[Any]:
    """A trucker jacket with chest pockets, collar and brass buttons."""
    denim = tint("denim", 0.9, sheen=0.3, bump=(300, 0.35))
    cuff = [[(3, 17), (22, 17)]]
    parts = [
        inflate(SLEEVE, denim, 6, 8, 3, seams=cuff, wrinkle=0.5, seed=4 * m, mirror=bool(m)) for m in (0, 1)
    ]
    parts.append(inflate(BODY, denim, 8, 14, spline=False, seams=BODY_SEAMS, seam_depth=1.6, wrinkle=0.5))
    pocket = [(28, 64), (44, 64), (44, 54), (36, 49), (28, 54)]
    collar = [(50, 84), (40, 95), (33, 93), (30, 86), (40, 73), (45, 78)]
    for mirror in (False, True):
        flap = [[(28, 60), (44, 60)]]
        parts.append(inflate(pocket, denim, 2.2, 2, -7.5, False, flap, seam_depth=0.8, mirror=mirror))
        parts.append(inflate(collar, denim, 2.5, 2.5, -7, False, mirror=mirror))
    lining = material("lining", (60, 58, 56), 0.9)
    parts.append(
        inflate([(38, 96), (50, 98), (62, 96), (60, 88), (50, 85), (40, 88)], lining, 2, 3, -2, False)
    )
    return parts + _jacket_buttons()


def _jacket_buttons() -> list[Any]:
    brass = metal("brass", (190, 150, 90), 0.3)
    front = [sphere((51 * UNIT, -0.0168, z * UNIT), 0.0036, brass, (1, 0.5, 1)) for z in (18, 30, 42, 56, 68)]
    return front + [sphere((x * UNIT, -0.0178, 56 * UNIT), 0.003, brass, (1, 0.5, 1)) for x in (36, 64)]


@cue("knit socks", technique="inflate")
def knit_socks() -> list[Any]:
    """A pair of ribbed socks with off-white heels and toes."""
    yarn, cream = tint_knit("yarn", "Z", 60), material("toe", (240, 238, 232), 0.95)
    return [part for shift, depth in ((0, 8), (-16, -4)) for part in _sock(yarn, cream, shift, depth)]


def _sock(yarn: Any, cream: Any, shift: float, depth: float) -> list[Any]:
    leg = [
        (34, 98),
        (58, 98),
        (58, 60),
        (62, 40),
        (80, 26),
        (92, 18),
        (92, 6),
        (80, 2),
        (56, 6),
        (38, 18),
        (34, 40),
    ]
    toe = [(80, 26.5), (92, 18.5), (93, 6), (80, 1.5), (76, 12)]
    heel = [(37, 36), (48, 22), (46, 9), (37, 17), (33.5, 30)]
    moved = [[(x + shift, z) for x, z in outline] for outline in (leg, toe, heel)]
    cuff = [[(33 + shift, 88), (59 + shift, 88)]]
    sock = inflate(moved[0], yarn, 7, 11, depth, seams=cuff, seam_depth=1.2, wrinkle=0.25)
    return [sock, *(inflate(outline, cream, 6.8, 9, depth - 1.2) for outline in moved[1:])]


@cue("satin ribbon bow", technique="inflate")
def satin_ribbon_bow() -> list[Any]:
    """A glossy ribbon bow with two tails."""
    satin = tint("satin", 0.32, sheen=0.3)
    loop = [(50, 52), (40, 64), (24, 74), (8, 76), (3, 64), (4, 44), (10, 32), (26, 34), (40, 42)]
    folds = [[(48, 54), (22, 62)], [(48, 52), (16, 54)], [(48, 50), (22, 44)]]
    tail = [(50, 52), (58, 44), (74, 20), (80, 2), (70, 8), (60, 4), (52, 26), (46, 44)]
    parts = []
    for mirror in (False, True):
        parts.append(inflate(loop, satin, 10, 16, seams=folds, seam_depth=2.4, seam_width=2.2, mirror=mirror))
        crease = [[(50, 46), (68, 8)]]
        parts.append(inflate(tail, satin, 2.2, 4, 6, False, crease, seam_depth=1, mirror=mirror))
    knot = [(42, 62), (58, 62), (61, 52), (58, 42), (42, 42), (39, 52)]
    pleats = [[(47, 43), (46, 61)], [(53, 43), (54, 61)]]
    return [*parts, inflate(knot, satin, 9, 8, -7, seams=pleats, seam_depth=1.5)]
