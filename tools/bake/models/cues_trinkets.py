"""Clocks, ornaments and trinkets."""

from __future__ import annotations

import math
from typing import Any

from toolkit import (
    arc,
    band,
    box,
    circle,
    cue,
    cylinder,
    extrude,
    group,
    inflate,
    lathe,
    material,
    metal,
    sphere,
    tint,
    tint_metal,
    tube,
)

UPRIGHT = (90.0, 0.0, 0.0)
FRONT = (-90.0, 0.0, 0.0)


def _dial(radius: float, at: tuple[float, float, float]) -> list[Any]:
    """A pale dial facing the viewer with twelve marks and two hands."""
    face, ink = material("dial", (238, 236, 228), 0.5), material("ink", (44, 44, 48), 0.4)
    x, y, z = at
    parts = [cylinder(at, radius, 0.003, face, UPRIGHT, 0.0006)]
    for hour in range(12):
        length = radius * (0.24 if hour % 3 == 0 else 0.14)
        parts.append(
            _stroke((x, y - 0.0018, z), hour * 30, radius * 0.92 - length, length, radius * 0.09, ink)
        )
    parts.append(_stroke((x, y - 0.0026, z), -58, 0, radius * 0.5, radius * 0.13, ink))
    return [*parts, _stroke((x, y - 0.0026, z), 50, 0, radius * 0.72, radius * 0.1, ink)]


def _stroke(
    at: tuple[float, float, float], degrees: float, start: float, length: float, width: float, ink: Any
) -> Any:
    far = start + length / 2
    x, z = at[0] + far * math.sin(math.radians(degrees)), at[2] + far * math.cos(math.radians(degrees))
    return box(
        (x - width / 2, at[1] - 0.0004, z - length / 2), (width, 0.0008, length), ink, 0.0001, (0, degrees, 0)
    )


@cue("wristwatch", technique="lathe")
def wristwatch() -> list[Any]:
    """A watch standing on its closed strap, dial to the front."""
    strap, steel = tint("strap", 0.6), metal("steel", (198, 200, 204), 0.25)
    case = tint_metal("case", roughness=0.3)
    ring = [(0.0245 * c - 0.002, 0.039 * s + 0.041) for c, s in circle(1, 48)]
    loop = group([band([*ring, ring[0]], 0.0235, strap, 0.0036)], rotation=(0, 0, 90))
    watch = [cylinder((0, -0.031, 0.041), 0.0245, 0.01, case, UPRIGHT, 0.003)]
    rim = [(x, -0.0362, z) for x, z in circle(0.0205, 36, (0, 0.041))]
    watch += [tube(rim, 0.0021, steel, cyclic=True), *_dial(0.0195, (0, -0.0352, 0.041))]
    watch.append(cylinder((0.0265, -0.031, 0.041), 0.0034, 0.005, steel, (0, 90, 0), 0.001))
    lugs = [box((-0.0125, -0.034, z), (0.025, 0.008, 0.012), case, 0.003) for z in (0.0595, 0.0105)]
    return [group([loop, *watch, *lugs], rotation=(-6, 0, 30))]


@cue("pendulum clock (small)", technique="boxes")
def pendulum_clock() -> list[Any]:
    """A gabled wooden clock; a pendulum hangs in the window under its dial."""
    timber, dark = tint("case", 0.45), material("inside", (70, 68, 66), 0.9)
    brass = metal("bob", (196, 168, 104), 0.25)
    gable = [(-0.048, 0.008), (0.048, 0.008), (0.048, 0.142), (0, 0.178), (-0.048, 0.142)]
    window = [
        (-0.026, 0.022),
        (-0.026, 0.076),
        *arc((0, 0.076), 0.026, 180, 0, 10)[1:-1],
        (0.026, 0.076),
        (0.026, 0.022),
    ]
    parts = [
        extrude(gable, 0.008, timber, 0.001, [window], at=(0, -0.016, 0)),
        extrude(gable, 0.026, timber, 0.001, [window]),
    ]
    parts.append(box((-0.03, 0.012, 0.018), (0.06, 0.002, 0.086), dark, 0.0004))
    for side in (-1, 1):
        roof = box((-0.036, -0.026, -0.004), (0.072, 0.046, 0.008), timber, 0.002)
        parts.append(group([roof], (side * 0.0275, 0, 0.165), (0, side * 37, 0)))
    parts += [
        box((-0.056, -0.026, 0), (0.112, 0.044, 0.01), timber, 0.002),
        *_dial(0.0285, (0, -0.0215, 0.126)),
    ]
    rim = [(x, -0.0215, z) for x, z in circle(0.03, 36, (0, 0.126))]
    parts.append(tube(rim, 0.003, timber, cyclic=True))
    parts.append(tube([(0, -0.008, 0.105), (0.008, -0.008, 0.048)], 0.0016, brass, smooth=False))
    parts.append(cylinder((0.009, -0.009, 0.042), 0.0115, 0.005, brass, UPRIGHT, 0.002))
    return [group(parts, rotation=(0, 0, 22))]


@cue("miniature telescope", technique="lathe")
def miniature_telescope() -> list[Any]:
    """A three-draw telescope pointing up on a tripod."""
    barrel, ring = tint("barrel", 0.3), metal("ring", (190, 176, 140), 0.25)
    lens = material("lens", (60, 70, 82), 0.08)
    profile = [
        (0, 0),
        (0.011, 0),
        (0.012, 0.003),
        (0.0115, 0.02),
        (0.0135, 0.021),
        (0.0135, 0.055),
        (0.018, 0.057),
    ]
    profile += [
        (0.019, 0.1),
        (0.0235, 0.102),
        (0.0245, 0.158),
        (0.0265, 0.162),
        (0.0265, 0.17),
        (0.0225, 0.17),
        (0.022, 0.164),
    ]
    parts = [lathe(profile, barrel), cylinder((0, 0, 0.164), 0.0225, 0.002, lens, bevel=0.0004)]
    parts += [
        cylinder((0, 0, z), r, 0.004, ring, bevel=0.0012)
        for z, r in ((0.002, 0.0128), (0.056, 0.0186), (0.101, 0.0244), (0.163, 0.0274))
    ]
    aimed = group(parts, (-0.073, 0, 0.085), (0, 64, 0))
    stand = [
        sphere((0.004, 0, 0.1), 0.012, ring),
        cylinder((0.004, 0, 0.09), 0.013, 0.014, barrel, bevel=0.003),
    ]
    for turn in (200, 320, 80):
        c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
        stand.append(
            tube(
                [(0.004 + 0.008 * c, 0.008 * s, 0.092), (0.004 + 0.056 * c, 0.056 * s, 0.002)],
                0.0056,
                barrel,
                smooth=False,
            )
        )
    return [group([aimed, *stand], rotation=(0, 0, -16))]


@cue("mini wind chime", technique="lathe")
def mini_wind_chime() -> list[Any]:
    """Six tubes of unequal length hanging from a disc, with a striker and sail in the middle."""
    tubes, top = tint("tubes", 0.25), tint("disc", 0.5)
    cord = material("cord", (92, 86, 78), 0.9)
    disc = [
        (0, 0.150),
        (0.044, 0.150),
        (0.047, 0.153),
        (0.045, 0.158),
        (0.02, 0.164),
        (0.008, 0.17),
        (0, 0.171),
    ]
    parts = [lathe(disc, top)]
    for k, (x, y) in enumerate(circle(0.034, 6)):
        low = (0.045, 0.028, 0.06, 0.036, 0.052, 0.02)[k]
        parts.append(tube([(x, y, low), (x, y, 0.138)], 0.0074, tubes, smooth=False))
        parts.append(tube([(x, y, 0.136), (x, y, 0.152)], 0.0012, cord, smooth=False))
    parts.append(tube([(0, 0, 0.02), (0, 0, 0.15)], 0.0013, cord, smooth=False))
    parts += [
        cylinder((0, 0, 0.088), 0.016, 0.008, top, bevel=0.002),
        sphere((0, 0, 0.014), 0.014, top, (1, 0.35, 1)),
    ]
    hook = [(x, 0, z) for x, z in circle(0.0095, 20, (0, 0.182))]
    parts.append(tube(hook, 0.0022, metal("hook", (176, 178, 182)), cyclic=True))
    return [group(parts, rotation=(0, 0, 14))]


@cue("baby rattle", technique="lathe")
def baby_rattle() -> list[Any]:
    """A round rattle with a pale dotted belt, a ribbed stem and a ring to hold."""
    plastic, pale = tint("plastic", 0.35), material("belt", (204, 202, 194), 0.5)
    parts = [sphere((0, 0, 0.142), 0.042, plastic, (1, 1, 0.92))]
    belt = [
        (0.0424 * math.cos(math.radians(a)), 0.142 + 0.039 * math.sin(math.radians(a)))
        for a in range(-12, 13, 4)
    ]
    parts.append(lathe(belt, pale))
    parts += [sphere((x, y, 0.142), 0.0056, plastic, (1, 1, 1)) for x, y in circle(0.0395, 14)]
    stem = [
        (0, 0.05),
        (0.008, 0.05),
        (0.012, 0.058),
        (0.008, 0.066),
        (0.0075, 0.08),
        (0.0115, 0.087),
        (0.008, 0.094),
    ]
    parts.append(lathe([*stem, (0.0085, 0.1), (0.014, 0.107), (0, 0.108)], plastic))
    ring = [(x, 0, z) for x, z in circle(0.0235, 32, (0, 0.03))]
    parts.append(tube(ring, 0.0072, plastic, cyclic=True))
    knobs = [sphere((x, 0, 0.142 + z), 0.01, pale) for x, z in ((-0.044, 0), (0.044, 0), (0, 0.041))]
    return [group([*parts, *knobs], (0, 0, 0), (-16, 28, 10))]


@cue("ceramic gnome", technique="lathe")
def ceramic_gnome() -> list[Any]:
    """A garden gnome: tall bent hat, big nose, long pale beard, round coat."""
    glaze, cream = tint("glaze", 0.25), material("beard", (232, 226, 210), 0.5)
    skin, boot = material("skin", (214, 168, 142), 0.4), material("boot", (58, 52, 48), 0.4)
    coat = [
        (0, 0.012),
        (0.04, 0.012),
        (0.047, 0.018),
        (0.049, 0.034),
        (0.045, 0.055),
        (0.036, 0.075),
        (0, 0.085),
    ]
    parts = [lathe(coat, glaze), sphere((0, 0, 0.084), 0.033, skin, (1, 0.95, 0.9))]
    brim = [
        (0, 0.096),
        (0.037, 0.094),
        (0.0425, 0.097),
        (0.0415, 0.103),
        (0.034, 0.108),
        (0.026, 0.135),
        (0, 0.136),
    ]
    parts.append(lathe(brim, glaze, sharp=60))
    parts.append(
        tube(
            [(0, 0, 0.12), (0, 0, 0.15), (0.004, 0, 0.178), (0.018, 0, 0.2)],
            0.029,
            glaze,
            taper=[1, 0.72, 0.35, 0.1],
        )
    )
    outline = [
        (28, 62),
        (38, 70),
        (50, 66),
        (62, 70),
        (72, 62),
        (70, 42),
        (60, 26),
        (50, 14),
        (40, 26),
        (30, 42),
    ]
    locks = [
        [(50, 60), (50, 22)],
        [(42, 60), (45, 26)],
        [(58, 60), (55, 26)],
        [(35, 58), (39, 34)],
        [(65, 58), (61, 34)],
    ]
    parts.append(
        inflate(
            outline, cream, 12, 12, seams=locks, seam_depth=2.2, at=(-0.0765, -0.026, -0.013), unit=0.00153
        )
    )
    parts.append(sphere((0, -0.042, 0.094), 0.0115, skin))
    for side in (-1, 1):
        parts.append(sphere((side * 0.02, -0.026, 0.008), 0.017, boot, (1, 1.3, 0.62)))
        parts.append(sphere((side * 0.044, -0.014, 0.052), 0.0135, glaze, (0.9, 1, 1.7), (0, side * -14, 0)))
        parts.append(sphere((side * 0.045, -0.024, 0.032), 0.009, skin))
    return [group(parts, rotation=(0, 0, 10))]


@cue("mushroom figurine", technique="lathe")
def mushroom_figurine() -> list[Any]:
    """A big spotted mushroom with a small one at its foot."""
    big = _mushroom(1.0, 11)
    small = group(_mushroom(0.5, 4), (0.052, -0.03, 0), (0, 10, 0))
    return [group([group(big, rotation=(0, -4, 0)), small], rotation=(0, 0, 10))]


def _mushroom(size: float, spots: int) -> list[Any]:
    cap, cream = tint("cap", 0.25), material("stem", (226, 218, 198), 0.5)
    top = [
        (0.02, 0.066),
        (0.05, 0.06),
        (0.066, 0.057),
        (0.071, 0.062),
        (0.068, 0.076),
        (0.056, 0.097),
        (0.034, 0.113),
        (0.014, 0.119),
        (0, 0.12),
    ]
    gills = [(0.015, 0.07), (0.058, 0.0595)]
    foot = [(0, 0), (0.027, 0), (0.03, 0.006), (0.025, 0.022), (0.019, 0.05), (0.02, 0.07), (0, 0.07)]
    shapes = [
        lathe([(r * size, z * size) for r, z in p], m, sharp=70)
        for p, m in ((top, cap), (gills, cream), (foot, cream))
    ]
    ring = [(0.021 * size, 0.05 * size), (0.03 * size, 0.043 * size)]
    shapes.append(lathe(ring, cream))
    for k in range(spots):
        turn = 2.4 * k + 0.4
        rise = (0.2, 0.62, 1.0)[k % 3] if spots > 5 else 0.5
        r, z = 0.069 * math.cos(rise * 1.25) * size, (0.067 + 0.052 * math.sin(rise * 1.25)) * size
        spot = sphere((r * math.cos(turn), r * math.sin(turn), z), (0.0105 + 0.002 * (k % 2)) * size, cream)
        spot.scale = (1, 1, 0.55)
        spot.rotation_euler = (0, 1.35 - rise * 1.1, turn)
        shapes.append(spot)
    return shapes


@cue("crystal pendant", technique="lathe")
def crystal_pendant() -> list[Any]:
    """A six-sided crystal point in a silver cap on a chain."""
    crystal, silver = tint("crystal", 0.1, coat=0.3), metal("silver", (200, 202, 206), 0.2)
    point = [(0, -0.086), (0.026, -0.05), (0.031, -0.01), (0.022, 0.006), (0, 0.01)]
    parts = [lathe(point, crystal, segments=6, sharp=10, rotation=(0, 0, 18))]
    cap = [(0.0235, -0.001), (0.0245, 0.002), (0.0225, 0.006), (0.014, 0.014), (0.005, 0.018), (0, 0.019)]
    parts.append(lathe(cap, silver))
    parts.append(tube([(x, 0, z) for x, z in circle(0.0062, 20, (0, 0.0235))], 0.0018, silver, cyclic=True))
    side = [
        (0.0, 0.029),
        (0.012, 0.037),
        (0.024, 0.047),
        (0.033, 0.058),
        (0.034, 0.07),
        (0.022, 0.08),
        (0.0, 0.083),
    ]
    loop = _resampled([*side, *[(-x, z) for x, z in reversed(side[1:-1])]], 0.0054)
    for k, (x, z) in enumerate(loop):
        parts.append(sphere((x, 0.0012 * (k % 2), z), 0.0026, silver))
    return [group(parts, (0, 0, 0.086), (-20, 10, 0))]


def _resampled(ring: list[tuple[float, float]], gap: float) -> list[tuple[float, float]]:
    """Points about ``gap`` apart along a closed polyline."""
    points = []
    for (x0, z0), (x1, z1) in zip(ring, [*ring[1:], ring[0]], strict=True):
        steps = max(1, round(math.hypot(x1 - x0, z1 - z0) / gap))
        points += [(x0 + (x1 - x0) * k / steps, z0 + (z1 - z0) * k / steps) for k in range(steps)]
    return points
