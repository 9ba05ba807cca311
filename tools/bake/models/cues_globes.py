"""Globes and things behind glass."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from PIL import Image, ImageDraw
from toolkit import (
    ball_template,
    box,
    cue,
    cylinder,
    extrude,
    group,
    lathe,
    material,
    metal,
    patch,
    place_at,
    scatter,
    sphere,
    tint,
    tint_printed,
    tint_wood,
    tube,
)

Point = tuple[float, float, float]
MIDDLE_LONGITUDE = -38
LAND = (
    (
        (-165, 65),
        (-150, 71),
        (-125, 70),
        (-95, 72),
        (-80, 73),
        (-62, 60),
        (-55, 52),
        (-66, 45),
        (-75, 36),
        (-81, 26),
    ),
    (
        (-90, 30),
        (-97, 26),
        (-96, 19),
        (-87, 21),
        (-84, 11),
        (-78, 8),
        (-95, 15),
        (-106, 22),
        (-117, 33),
        (-125, 45),
    ),
    (
        (-78, 8),
        (-62, 10),
        (-50, 1),
        (-35, -7),
        (-40, -22),
        (-52, -33),
        (-63, -41),
        (-68, -54),
        (-74, -46),
        (-71, -20),
        (-81, -5),
    ),
    (
        (-17, 15),
        (-10, 32),
        (0, 36),
        (11, 36),
        (20, 31),
        (33, 31),
        (43, 12),
        (51, 11),
        (40, -5),
        (38, -18),
        (32, -29),
        (19, -35),
    ),
    (
        (-10, 37),
        (-9, 44),
        (-2, 48),
        (8, 54),
        (5, 60),
        (20, 70),
        (60, 70),
        (100, 76),
        (140, 73),
        (178, 67),
        (160, 58),
        (135, 45),
    ),
    ((115, -20), (130, -12), (142, -11), (153, -27), (146, -39), (130, -32), (115, -34)),
    ((-50, 60), (-22, 70), (-20, 80), (-60, 82), (-68, 76), (-54, 68)),
    ((-180, -76), (-60, -68), (0, -70), (90, -66), (180, -76), (180, -90), (-180, -90)),
)
JOINED = (
    (*LAND[0], *LAND[1]),
    LAND[2],
    (*LAND[3], (12, -18), (9, 4), (-8, 5)),
    (
        *LAND[4],
        (122, 30),
        (108, 20),
        (103, 2),
        (95, 17),
        (88, 22),
        (78, 8),
        (68, 24),
        (56, 26),
        (45, 13),
        (35, 30),
        (28, 37),
        (20, 39),
        (12, 44),
        (2, 42),
    ),
    *LAND[5:],
)


def _world() -> Image.Image:
    """The continents in white on black, wrapped so that ``MIDDLE_LONGITUDE`` is in the middle."""
    width, height = 1024, 512
    picture = Image.new("L", (width, height), 0)
    draw = ImageDraw.Draw(picture)
    for coast in JOINED:
        draw.polygon([((x + 180) / 360 * width, (90 - z) / 180 * height) for x, z in coast], fill=255)
    shift = round(-MIDDLE_LONGITUDE / 360 * width)
    return Image.fromarray(np.roll(np.asarray(picture), shift, axis=1))


def _globe_profile(radius: float) -> list[tuple[float, float]]:
    turns = [-math.pi / 2 + math.pi * k / 40 for k in range(41)]
    return [(radius * max(math.cos(t), 0), radius * math.sin(t)) for t in turns]


@cue("miniature globe", technique="spheres")
def miniature_globe() -> list[Any]:
    """A desk globe: tinted sea and foot, neutral continents, a steel meridian."""
    land = _world()
    ink = Image.new("RGB", land.size, (136, 137, 138))
    ocean = tint_printed("ocean", ink, land.point(lambda v: 255 - v), roughness=0.3)
    paint, steel = tint("foot", 0.35), metal("meridian", (190, 192, 198), 0.3)
    ball = lathe(_globe_profile(0.058), ocean, segments=96, sharp=180)
    turns = [math.radians(-98 + 196 * k / 40) for k in range(41)]
    arc = tube([(0.067 * math.cos(t), 0, 0.067 * math.sin(t)) for t in turns], 0.0038, steel)
    pins = [cylinder((0, 0, s * 0.063), 0.004, 0.014, steel, bevel=0.001) for s in (-1, 1)]
    tilted = group([ball, arc, *pins], (0, 0, 0.112), (0, 23, -8))
    foot = [
        (0, 0),
        (0.048, 0),
        (0.05, 0.004),
        (0.047, 0.009),
        (0.026, 0.014),
        (0.012, 0.02),
        (0.0085, 0.03),
        (0.011, 0.036),
        (0, 0.038),
    ]
    return [
        tilted,
        group([lathe(foot, paint)], (0.022, 0, 0)),
        tube([(0.022, 0, 0.03), (0.028, 0, 0.051)], 0.006, paint),
    ]


def _clear(name: str) -> Any:
    """Thin glass: it hardly bends the light, but shines."""
    made = material(name, (240, 246, 250), 0.02, transmission=1, coat=0.7)
    made.node_tree.nodes["Principled BSDF"].inputs["IOR"].default_value = 1.04
    return made


@cue("snow globe", technique="spheres")
def snow_globe() -> list[Any]:
    """A glass ball with a little house and fir trees in falling snow on a stepped base."""
    paint, snow = tint("base", 0.35), material("snow", (226, 229, 233), 0.9)
    base = [
        (0, 0),
        (0.056, 0),
        (0.058, 0.003),
        (0.056, 0.012),
        (0.05, 0.016),
        (0.047, 0.036),
        (0.05, 0.04),
        (0.049, 0.046),
        (0, 0.046),
    ]
    ball = sphere((0, 0, 0.094), 0.0585, _clear("dome"))
    ball.visible_shadow = False
    hill = sphere((0, 0, 0.047), 0.041, snow, (1, 1, 0.4))
    random = np.random.default_rng(12)
    ways = random.normal(size=(42, 3))
    ways *= 0.05 * random.uniform(0.4, 1, (42, 1)) / np.linalg.norm(ways, axis=1, keepdims=True)
    up = np.array((0, 0, 0.1))
    flakes = [place_at(w + up, (0, 0, 1), scale=0.0019) for w in ways if w[2] > -0.03]
    plate = box((-0.018, -0.054, 0.018), (0.036, 0.008, 0.014), metal("plate", (186, 188, 194), 0.35), 0.001)
    trees = [
        _fir(x, y, z, size, paint)
        for x, y, z, size in ((-0.021, -0.004, 0.058, 1.0), (0.027, 0.01, 0.057, 0.82))
    ]
    return [
        lathe(base, paint),
        ball,
        hill,
        scatter(ball_template(segments=6), flakes, snow),
        plate,
        *trees,
        *_cottage(paint, snow),
    ]


def _fir(x: float, y: float, z: float, size: float, paint: Any) -> Any:
    rings = [
        (0, 0.058),
        (0.009, 0.04),
        (0.005, 0.04),
        (0.014, 0.022),
        (0.008, 0.022),
        (0.019, 0.002),
        (0, 0.004),
    ]
    return lathe([(r * size, h * size) for r, h in rings], paint, (x, y, z))


def _cottage(paint: Any, snow: Any) -> list[Any]:
    walls = extrude(
        [(-0.013, 0), (0.013, 0), (0.013, 0.018), (0, 0.03), (-0.013, 0.018)], 0.024, paint, 0.0005
    )
    roof = [
        box((s * 0.0085 - 0.0105, -0.0145, 0.0235), (0.021, 0.029, 0.004), snow, 0.001, (0, s * 42, 0))
        for s in (-1, 1)
    ]
    door = box((-0.004, -0.013, 0.001), (0.008, 0.002, 0.012), material("door", (70, 68, 70)), 0.0003)
    return [group([walls, *roof, door], (0.006, -0.016, 0.06), (0, 0, -12))]


@cue("ship-in-bottle", technique="glass")
def ship_in_bottle() -> list[Any]:
    """A three-masted ship inside a corked glass bottle that lies on a wooden cradle."""
    wood_paint = tint_wood("cradle")
    profile = [
        (0, 0),
        (0.040, 0),
        (0.045, 0.006),
        (0.046, 0.02),
        (0.046, 0.122),
        (0.043, 0.14),
        (0.03, 0.158),
        (0.0175, 0.17),
    ]
    profile += [(0.0155, 0.18), (0.0155, 0.204), (0.019, 0.206), (0.019, 0.214), (0.0155, 0.216)]
    bottle = lathe(profile, _clear("bottle"), sharp=60)
    bottle.visible_shadow = False
    cork = lathe(
        [(0, 0.19), (0.0135, 0.19), (0.0155, 0.232), (0, 0.233)],
        material("cork", (150, 128, 104), 0.9, bump=(300, 0.4)),
    )
    lying = group([bottle, cork], (-0.09, 0, 0.05), (0, 90, 0))
    cradle = [box((x, -0.036, 0), (0.012, 0.072, 0.014), wood_paint, 0.003) for x in (-0.082, 0.012)]
    plank = box((-0.1, -0.042, -0.014), (0.142, 0.084, 0.016), wood_paint, 0.003)
    return [group([lying, *cradle, plank, _ship()], rotation=(0, 0, 10))]


def _ship() -> Any:
    """A two-masted schooner with triangular sails."""
    hull_paint, sail_paint = tint("hull", 0.4, shade=0.82), tint("sail", 0.7)
    spar = material("spar", (78, 72, 68), 0.6)
    parts = [patch(_hull, hull_paint, 25, 17, 0.0014)]
    parts.append(box((-0.035, -0.007, 0.014), (0.07, 0.014, 0.002), hull_paint, 0.0006))
    parts.append(tube([(0.034, 0, 0.017), (0.06, 0, 0.026)], 0.0013, spar))
    for x, top in ((-0.016, 0.06), (0.014, 0.068)):
        parts.append(tube([(x, 0, 0.01), (x, 0, top + 0.002)], 0.0014, spar, smooth=False))
        parts.append(_sail((x - 0.0025, 0.021), (x - 0.0265, 0.022), (x - 0.0025, top), sail_paint))
    parts.append(_sail((0.019, 0.023), (0.053, 0.026), (0.016, 0.062), sail_paint))
    return group(parts, (-0.03, 0, 0.013), (0, 0, -6), 1.2)


def _hull(u: float, v: float) -> Point:
    x = -0.04 + 0.084 * u
    half = 0.0125 * max(1 - abs(2 * u - 0.95) ** 2.6, 0.02) ** 0.6
    side = 2 * v - 1
    sheer = 0.0165 + 0.011 * (2 * u - 1) ** 2
    return x + 0.006 * abs(side) * (u - 0.3), half * side, 0.002 + (sheer - 0.002) * abs(side) ** 1.8


def _sail(foot: tuple[float, float], clew: tuple[float, float], peak: tuple[float, float], paint: Any) -> Any:
    """A triangular sail between three corners (x, z), bellied towards the viewer."""

    def surface(u: float, v: float) -> Point:
        x, z = (a + (b - a) * u * (1 - v) + (c - a) * v for a, b, c in zip(foot, clew, peak, strict=True))
        return x, -0.006 * math.sin(math.pi * u) * (1 - v), z

    return patch(surface, paint, 9, 9, 0.001)
