"""Cushions in ten styles, tilted back on the floor, which stays free on both sides and in front."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from toolkit import (
    Anchor,
    Camera,
    Piece,
    furniture,
    group,
    inflate,
    patch,
    smooth_outline,
    sphere,
    tint,
    tint_fabric,
    tint_knit,
    tint_wood,
    tube,
)

CAMERA = Camera((1.1, -3.6, 1.2), (0.0, 0.0, 0.17), 138)
UNIT = 0.0046
Point = tuple[float, float, float]
Point2 = tuple[float, float]
Ring = list[Point2]


@furniture("cushion")
def cushion(style: str) -> Piece:
    """The cover in the body colour; bands, piping, buttons or tassels in the second one."""
    makers: dict[str, Callable[[], list[Any]]] = {
        "modern": _two_tone,
        "minimalist": _flanged,
        "vintage": _ruffled,
        "industrial": _hide_block,
        "scandinavian": _cable_knit,
        "bohemian": _tasselled,
        "mid-century": _sunburst,
        "rustic": _grain_sack,
        "art-deco": _shell,
    }
    anchors = [Anchor(name, "floor", (x, y, 0), 0.2, 0.26) for name, x, y in FLOOR]
    if style == "japandi":
        return Piece(_floor_pads(), [Anchor("top", "top", (0, -0.05, 0.15), 0.34, 0.3), *anchors], CAMERA)
    return Piece([group(makers[style](), rotation=(-15, 0, 8))], anchors, CAMERA)


FLOOR = (("floor_left", -0.2, -0.52), ("floor_right", 0.456, -0.33), ("floor_front", 0.329, -0.71))


def _pillow(ring: Sequence[Point2], paint: Any, height: float = 15, edge: float = 40, **more: Any) -> Any:
    """A cushion cut along ``ring`` (x from the middle, z up, 4.6 mm a unit)."""
    settings = {"spline": False, "wrinkle": 0.35, "wrinkle_size": 7, "step": 0.7} | more
    return inflate(ring, paint, height, edge, unit=UNIT, **settings)


def _square(half: float, height: float, pull: float = 3.0, count: int = 24) -> Ring:
    """A rectangle standing on z = 0 whose sides are drawn in by ``pull`` in the middle."""
    corners = [(-half, 0.0), (half, 0.0), (half, height), (-half, height)]
    inward = [(0, 1), (-1, 0), (0, -1), (1, 0)]
    ring = []
    for k, (nx, nz) in enumerate(inward):
        (x0, z0), (x1, z1) = corners[k], corners[(k + 1) % 4]
        for i in range(count):
            t = i / count
            sag = pull * math.sin(math.pi * t) ** 0.8
            ring.append((x0 + (x1 - x0) * t + nx * sag, z0 + (z1 - z0) * t + nz * sag))
    return ring


def _piping(ring: Sequence[Point2], paint: Any, radius: float = 0.0055, lead: float = 0.0) -> Any:
    points = [(x * UNIT, -lead * UNIT, z * UNIT) for x, z in ring]
    return tube(points, radius, paint, cyclic=True, smooth=False)


def _repaint(made: Any, paint: Any, chosen: Callable[[float, float], bool]) -> Any:
    """Give the faces whose middle (x, z in units) is ``chosen`` another material."""
    made.data.materials.append(paint)
    for face in made.data.polygons:
        if chosen(face.center[0] / UNIT, face.center[2] / UNIT):
            face.material_index = 1
    return made


def _two_tone() -> list[Any]:
    """A plump square, its lower part in the second colour, with a welt round it."""
    cloth, other = tint_fabric(), tint_fabric("other", zone=2)
    ring = _square(48, 94)
    seam = [[(-48, 33), (48, 33)]]
    made = _pillow(ring, cloth, seams=seam, seam_width=1.2, seam_depth=1.4)
    return [_repaint(made, other, lambda x, z: z < 33), _piping(ring, cloth)]


def _flanged() -> list[Any]:
    """A smooth square with a flat border all round."""
    cloth = tint_fabric(weave=160, strength=0.12)
    inner = [(x, z + 7) for x, z in _square(40, 80, 1.5)]
    rim = _pillow(_square(48, 94, 0.6), cloth, 1.3, 2, wrinkle=0.12)
    stitch = tint_fabric("stitch", shade=0.6)
    return [rim, _pillow(inner, cloth, 13, 36, wrinkle=0.15), _piping(inner, stitch, 0.0016, 1.5)]


def _ruffled() -> list[Any]:
    """A buttoned square with a gathered ruffle and piping."""
    cloth, trim = tint_fabric(weave=140, strength=0.15), tint_fabric("trim", zone=2, weave=140)
    spots = [(-18, 65), (18, 65), (0, 47), (-18, 29), (18, 29)]
    dents = [[(x - 1, z), (x + 1, z)] for x, z in spots]
    ring = [(x, z + 6) for x, z in _square(41, 82, 2)]
    made = _pillow(ring, cloth, 15, 36, seams=dents, seam_width=6, seam_depth=5.5)
    buttons = [sphere((x * UNIT, -10.6 * UNIT, z * UNIT), 0.013, trim, (1, 0.5, 1)) for x, z in spots]
    return [made, _ruffle(ring, cloth), _piping(ring, trim, 0.006), *buttons]


def _ruffle(ring: Sequence[Point2], cloth: Any) -> Any:
    """A wavy strip seven units wide round the outline."""
    count = 360

    def surface(u: float, v: float) -> Point:
        x, z = _along(ring, u)
        away = math.hypot(x, z - 47)
        out = 1 + v * 8.5 / away
        wave = 1.5 * v * math.sin(2 * math.pi * 46 * u)
        return x * out * UNIT, wave * UNIT, (47 + (z - 47) * out) * UNIT

    return patch(surface, cloth, count, 4, 0.002)


def _along(ring: Sequence[Point2], u: float) -> Point2:
    place = u * len(ring)
    k = int(place) % len(ring)
    t = place - int(place)
    (x0, z0), (x1, z1) = ring[k], ring[(k + 1) % len(ring)]
    return x0 + (x1 - x0) * t, z0 + (z1 - z0) * t


def _hide_block() -> list[Any]:
    """A squared leather cushion quilted in nine fields, with heavy piping."""
    hide, trim = tint("hide", 0.5, bump=(110, 0.15)), tint("trim", 0.5, zone=2)
    ring = smooth_outline(
        [
            (-45, 3),
            (-15, 1),
            (15, 1),
            (45, 3),
            (47, 32),
            (47, 62),
            (45, 91),
            (15, 93),
            (-15, 93),
            (-45, 91),
            (-47, 62),
            (-47, 32),
        ]
    )
    seams = [[(x, 0), (x, 94)] for x in (-16, 16)] + [[(-48, z), (48, z)] for z in (31, 63)]
    made = _pillow(ring, hide, 12, 17, seams=seams, seam_width=2.6, seam_depth=3.6, wrinkle=0.25)
    studs = [
        sphere((x * UNIT, -8.6 * UNIT, z * UNIT), 0.009, trim, (1, 0.6, 1))
        for x in (-16, 16)
        for z in (31, 63)
    ]
    return [made, _piping(ring, trim, 0.0085), *studs]


def _cable_knit() -> list[Any]:
    """A chunky ribbed lumbar cushion with wooden buttons at one end."""
    wool = tint_knit("knit", "Z", 60)
    ring = _square(56, 66, 2.5)
    seams = [[(x, -1), (x, 67)] for x in range(-48, 36, 8)] + [[(42, -1), (42, 67)]]
    made = _pillow(ring, wool, 15, 30, seams=seams, seam_width=2.2, seam_depth=2.4)
    wood = tint_wood("button", zone=2)
    buttons = [sphere((47 * UNIT, -9.8 * UNIT, z * UNIT), 0.016, wood, (1, 0.4, 1)) for z in (16, 33, 50)]
    return [made, *buttons]


def _tasselled() -> list[Any]:
    """A square with nested diamonds and a tassel at every corner."""
    cloth, other = tint_fabric(weave=60, strength=0.4), tint_fabric("other", zone=2, weave=60, strength=0.4)
    ring = [(x, z + 3) for x, z in _square(44, 88, 3.5)]
    made = _pillow(ring, cloth, 16, 40, step=0.45)
    _repaint(
        made,
        other,
        lambda x, z: (
            abs(abs(x) + abs(z - 47) - 24) < 4
            or abs(x) + abs(z - 47) < 9
            or abs(abs(x) + abs(z - 47) - 42) < 2.2
        ),
    )
    parts = [made]
    for x, z in ((-44, 3), (44, 3), (44, 91), (-44, 91)):
        parts += _tassel(x, z, other)
    return parts


def _tassel(x: float, z: float, paint: Any) -> list[Any]:
    """A knot with threads that hang outwards and down."""
    side, up = math.copysign(1, x), z > 50
    knot = (x * UNIT, -0.004, z * UNIT)
    parts = [sphere(knot, 0.014, paint)]
    drop = 0.06 if up else 0.012
    for k in range(14):
        spread, lead = (k % 5 - 2) * 0.004, -0.012 + (k % 3) * 0.006
        tip = (
            knot[0] + side * (0.022 if up else 0.06) + spread,
            lead - 0.004,
            max(knot[2] - drop, 0.004 + 0.002 * (k % 4)),
        )
        middle = (knot[0] + side * 0.02, lead, knot[2] - drop * 0.3)
        parts.append(tube([knot, middle, tip], 0.0032, paint, taper=[0.8, 1, 1.1]))
    return parts


def _sunburst() -> list[Any]:
    """A round velvet cushion pleated towards a covered button."""
    velvet, trim = tint("velvet", 0.8, sheen=0.35), tint("button", 0.7, zone=2)
    ring = [(47 * math.cos(a), 47 + 47 * math.sin(a)) for a in (2 * math.pi * k / 120 for k in range(120))]
    rays = [math.pi * k / 10 for k in range(20)]
    seams = [
        [(3 * math.cos(a), 47 + 3 * math.sin(a)), (44 * math.cos(a), 47 + 44 * math.sin(a))] for a in rays
    ]
    hub = [[(-2, 47), (2, 47)], [(0, 45), (0, 49)]]
    made = _pillow(ring, velvet, 17, 30, seams=seams + hub * 3, seam_width=2.0, seam_depth=3.0, wrinkle=0.1)
    return [made, sphere((0, -14.2 * UNIT, 47 * UNIT), 0.03, trim, (1, 0.45, 1)), _piping(ring, trim, 0.0065)]


def _grain_sack() -> list[Any]:
    """A coarse lumbar cushion with three woven stripes and frayed ends."""
    linen, stripe = (
        tint_fabric(weave=55, strength=0.45),
        tint_fabric("stripe", zone=2, weave=55, strength=0.45),
    )
    ring = [(x, z + 1) for x, z in _square(56, 64, 2.5)]
    made = _pillow(ring, linen, 15, 32, wrinkle=0.5)
    _repaint(made, stripe, lambda x, z: abs(x) < 5 or 9 < abs(x) < 12)
    threads = []
    for k in range(100):
        side, z = (-1 if k % 2 else 1), 2 + 62 * (k // 2) / 49
        x = side * (56 - 2.5 * math.sin(math.pi * (z - 1) / 64) ** 0.8)
        tip = (side * 6.5 + x, 0.6 * math.sin(k * 2.1), z + math.sin(k * 1.7))
        threads.append(
            tube([(x * UNIT, 0, z * UNIT), tuple(c * UNIT for c in tip)], 0.0022, linen, smooth=False)
        )
    return [made, *threads]


def _floor_pads() -> list[Any]:
    """Two flat floor cushions, one upon the other, tied in the middle."""
    parts = []
    for k, (paint, turn) in enumerate(
        ((tint_fabric("under", zone=2, weave=120), 20), (tint_fabric(weave=120), 12))
    ):
        ring = [(x, z - 50) for x, z in _square(50, 100, 2.5)]
        tie = [[(-2, 0), (2, 0)], [(0, -2), (0, 2)]]
        made = _pillow(ring, paint, 8.5, 16, seams=tie, seam_width=7, seam_depth=3.5)
        parts.append(group([made, _piping(ring, paint, 0.006)], (0, 0.02, 0.04 + 0.072 * k), (-90, 0, turn)))
    thread = tint("thread", 0.8, zone=2)
    knot = [(0.0, 0.02, 0.138), (0.01, 0.0, 0.15), (0.03, -0.02, 0.142)]
    return [*parts, tube(knot, 0.004, thread), tube([(-x, y, z) for x, y, z in knot], 0.004, thread)]


def _shell() -> list[Any]:
    """A velvet scallop: nine ribs spreading from a rolled hinge."""
    velvet, trim = tint("velvet", 0.75, sheen=0.35), tint("trim", 0.6, zone=2)
    ribs, spread = 9, math.radians(150)
    ring: Ring = [(13, 6), (10, 1), (-10, 1), (-13, 6)]
    for k in range(ribs * 12 + 1):
        a = math.pi / 2 + spread / 2 - spread * k / (ribs * 12)
        bump = abs(math.sin(math.pi * k / 12)) ** 0.7
        reach = (76 + 5 * bump) * (0.86 + 0.14 * math.sin(a))
        ring.append((reach * math.cos(a) * 0.82, 12 + reach * math.sin(a) * 0.98))
    seams = []
    for k in range(1, ribs):
        a = math.pi / 2 + spread / 2 - spread * k / ribs
        reach = 76 * (0.86 + 0.14 * math.sin(a))
        seams.append(
            [
                (3 * math.cos(a), 8 + 3 * math.sin(a)),
                (reach * math.cos(a) * 0.82, 12 + reach * math.sin(a) * 0.98),
            ]
        )
    made = _pillow(ring, velvet, 14, 24, seams=seams, seam_width=2.4, seam_depth=4.2, wrinkle=0.08)
    return [
        made,
        _piping(ring, trim, 0.0055),
        sphere((0, -4 * UNIT, 6 * UNIT), 0.034, trim, (1.7, 0.8, 0.75)),
    ]
