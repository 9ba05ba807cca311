"""Flat cues: cards, papers, cloths and books."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from PIL import Image, ImageDraw
from toolkit import (
    box,
    card,
    circle,
    cue,
    cylinder,
    extrude,
    group,
    lathe,
    material,
    metal,
    patch,
    printed,
    smooth_outline,
    sphere,
    tint,
    tint_printed,
    tube,
)

Point = tuple[float, float, float]
LEAN = (-20.0, 0.0, 0.0)
INK = (112, 114, 120)
PALE = (208, 208, 204)


def _printed_card(
    size: tuple[int, int], draw_on: Callable[[ImageDraw.ImageDraw, ImageDraw.ImageDraw], None]
) -> Any:
    """Material of a card that is tinted but for what ``draw_on(picture, mask)`` draws (mask 0 = as drawn)."""
    picture, mask = Image.new("RGB", size, (255, 255, 255)), Image.new("L", size, 255)
    draw_on(ImageDraw.Draw(picture), ImageDraw.Draw(mask))
    return tint_printed("print", picture, mask)


def _mark(
    pens: tuple[ImageDraw.ImageDraw, ImageDraw.ImageDraw],
    shape: str,
    where: Any,
    rgb: tuple[int, int, int],
    **kw: Any,
) -> None:
    """Draw a shape on the picture and cut it out of the tint mask."""
    getattr(pens[0], shape)(where, fill=rgb, **kw)
    getattr(pens[1], shape)(where, fill=0, **kw)


def _curled(width: float, height: float, bend: float, paint: Any, thickness: float = 0.001) -> Any:
    """An upright sheet whose lower right corner curls towards the viewer."""

    def surface(u: float, v: float) -> Point:
        lift = max(0.0, u - 0.35) * max(0.0, 0.75 - v)
        return width * (u - 0.5), -bend * lift * lift * 4, height * v + bend * lift * lift * 0.9

    return patch(surface, paint, 20, 20, thickness)


@cue("sticky note", technique="cards")
def sticky_note() -> list[Any]:
    """A curling square note on a small pad, with a handwritten tick list."""

    def draw_on(*pens: ImageDraw.ImageDraw) -> None:
        for row, width in ((70, 120), (110, 90), (150, 130)):
            wave = [(60 + k, row + 5 * math.sin(k * 0.33)) for k in range(0, width, 4)]
            _mark(pens, "line", wave, INK, width=7)
        _mark(pens, "line", [(28, row := 68), (35, row + 9), (48, row - 9)], INK, width=6)

    top = _curled(0.1, 0.1, 0.045, _printed_card((220, 220), draw_on))
    top.location = (0, -0.0125, 0)
    pad = box((-0.05, -0.011, 0), (0.1, 0.011, 0.1), tint("pad", 0.7, shade=0.92), 0.0005)
    return [group([pad, top], rotation=(-20, 0, 14))]


@cue("postcard", technique="cards")
def postcard() -> list[Any]:
    """The written side of a card: middle line, address lines, stamp and postmark."""

    def draw_on(*pens: ImageDraw.ImageDraw) -> None:
        _mark(pens, "rectangle", (208, 24, 213, 256), INK)
        for row in (150, 184, 218):
            _mark(pens, "rectangle", (236, row, 392, row + 5), INK)
        for row in range(70, 230, 34):
            wave = [(28 + k, row + 5 * math.sin(k * 0.3 + row)) for k in range(0, 150, 4)]
            _mark(pens, "line", wave, INK, width=5)
        _mark(pens, "rectangle", (318, 22, 396, 116), (236, 232, 222))
        _mark(pens, "rectangle", (328, 32, 386, 106), (150, 156, 160))
        _mark(pens, "polygon", [(328, 106), (350, 62), (364, 84), (372, 72), (386, 106)], (96, 102, 106))
        for radius in (44, 34):
            box_ = (286 - radius, 74 - radius, 286 + radius, 74 + radius)
            pens[0].ellipse(box_, outline=INK, width=5)
            pens[1].ellipse(box_, outline=0, width=5)

    paint = _printed_card((420, 280), draw_on)

    def surface(u: float, v: float) -> Point:
        return 0.15 * (u - 0.5), 0.03 * (u - 0.5) ** 2, 0.1 * v

    return [patch(surface, paint, 30, 20, 0.0016, rotation=(-22, 0, 14))]


@cue("polaroid photo", technique="cards")
def polaroid_photo() -> list[Any]:
    """An instant print: coloured frame with a wide lower margin round a grey landscape."""

    def draw_on(*pens: ImageDraw.ImageDraw) -> None:
        _mark(pens, "rectangle", (34, 34, 266, 246), (186, 196, 202))
        _mark(pens, "ellipse", (190, 60, 232, 102), (232, 232, 228))
        _mark(
            pens,
            "polygon",
            [(34, 246), (34, 190), (104, 112), (160, 176), (200, 140), (266, 206), (266, 246)],
            (110, 118, 122),
        )
        _mark(pens, "polygon", [(34, 246), (34, 222), (130, 200), (266, 230), (266, 246)], (72, 80, 82))

    front = _printed_card((300, 360), draw_on)
    plain = tint("frame", 0.5)
    under = group([card(0.088, 0.107, plain, 0.002, (0, 0.004, 0))], (0.002, 0, 0), (0, -9, 0))
    return [
        group(
            [under, group([card(0.088, 0.107, front, 0.002)], (0, 0, 0.006), (0, 6, 0))],
            rotation=(-20, 0, 12),
        )
    ]


@cue("framed photo", technique="boxes")
def framed_photo() -> list[Any]:
    """A deep picture frame with mount and a grey landscape, on a strut."""
    wood, mount = tint("frame", 0.35), material("mount", (228, 228, 224), 0.8)
    parts = [extrude(_rect(0.056, 0.07), 0.018, wood, 0.003, [_rect(0.037, 0.051)])]
    parts.append(extrude(_rect(0.040, 0.054), 0.012, wood, 0.002, [_rect(0.036, 0.05)], at=(0, -0.005, 0)))
    parts.append(box((-0.038, 0.0, -0.052), (0.076, 0.003, 0.104), mount, 0.0005))
    parts.append(card(0.05, 0.076, _landscape(), 0.001, (0, -0.001, -0.038)))
    tilted = group(parts, (0, 0, 0.067), (-14, 0, 0))
    strut = box(
        (-0.012, 0.02, 0), (0.024, 0.004, 0.085), material("strut", (60, 60, 62), 0.8), 0.001, (24, 0, 0)
    )
    return [group([tilted, strut], rotation=(0, 0, 24))]


def _rect(half_width: float, half_height: float) -> list[tuple[float, float]]:
    return [
        (-half_width, -half_height),
        (half_width, -half_height),
        (half_width, half_height),
        (-half_width, half_height),
    ]


def _landscape() -> Any:
    picture = Image.new("RGB", (160, 240), (176, 188, 196))
    draw = ImageDraw.Draw(picture)
    draw.ellipse((96, 40, 130, 74), fill=(226, 226, 222))
    draw.polygon(
        [(0, 240), (0, 150), (60, 84), (100, 140), (126, 112), (160, 150), (160, 240)], fill=(112, 122, 128)
    )
    draw.polygon([(0, 240), (0, 200), (70, 176), (160, 206), (160, 240)], fill=(74, 84, 88))
    return printed("photo", picture)


@cue("wall calendar (small)", technique="cards")
def wall_calendar() -> list[Any]:
    """A spiral-bound month sheet under a coloured header, the days in a grid."""

    def draw_on(*pens: ImageDraw.ImageDraw) -> None:
        for row in range(5):
            for column in range(7):
                x, y = 26 + column * 42, 150 + row * 44
                _mark(pens, "rectangle", (x, y, x + 30, y + 31), PALE)
                _mark(pens, "rectangle", (x + 8, y + 9, x + 20, y + 21), (62, 64, 68))
        _mark(pens, "rectangle", (90, 62, 230, 88), PALE)
        _mark(pens, "rectangle", (126, 104, 194, 114), PALE)

    front = card(0.11, 0.132, _printed_card((320, 384), draw_on), 0.002)
    back = card(0.11, 0.132, tint("sheets", 0.7, shade=0.85), 0.004, (0.0015, 0.004, -0.0015))
    steel = metal("wire", (120, 122, 126), 0.3)
    rings = [
        tube([(0.0125 * k, y, 0.131 + z) for y, z in circle(0.006, 12)], 0.0013, steel, cyclic=True)
        for k in range(-4, 5)
        if k
    ]
    hook = tube(
        [(-0.016, 0, 0.134), (-0.009, 0, 0.139), (0, 0, 0.15), (0.009, 0, 0.139), (0.016, 0, 0.134)],
        0.0016,
        steel,
    )
    return [group([front, back, *rings, hook], rotation=(-14, 0, 16))]


@cue("paperback book", technique="boxes")
def paperback_book() -> list[Any]:
    """A thick paperback standing a little open, the page block to the right, with a printed cover."""

    def draw_on(*pens: ImageDraw.ImageDraw) -> None:
        _mark(pens, "rectangle", (40, 46, 240, 132), PALE)
        _mark(pens, "rectangle", (62, 64, 218, 88), (62, 64, 68))
        _mark(pens, "rectangle", (92, 102, 188, 114), (62, 64, 68))
        _mark(pens, "ellipse", (80, 206, 200, 326), PALE)
        _mark(
            pens,
            "polygon",
            [(84, 290), (124, 232), (150, 268), (164, 252), (196, 290), (166, 322), (114, 322)],
            INK,
        )

    cover, pages = tint("cover", 0.45), material("pages", (224, 214, 192), 0.9)
    parts = [box((-0.052, -0.018, 0.0025), (0.1, 0.034, 0.151), pages, 0.001)]
    parts += [box((-0.0545, -0.0215, 0), (0.003, 0.04, 0.156), cover, 0.0012)]
    parts += [box((-0.0545, 0.0155, 0), (0.109, 0.0026, 0.156), cover, 0.0006)]
    front = card(0.108, 0.156, _printed_card((280, 404), draw_on), 0.0022, (0.0540, 0, 0))
    parts.append(group([front], (-0.054, -0.0205, 0), (0, 0, -6)))
    return [group(parts, rotation=(-8, 0, -24))]


@cue("spiral notebook", technique="boxes")
def spiral_notebook() -> list[Any]:
    """A notebook with a big wire spiral on its left edge, elastic and label."""
    cover, pages = tint("cover", 0.4), material("pages", (236, 232, 222), 0.9)
    steel, label = metal("wire", (150, 152, 156), 0.25), material("label", (232, 230, 222), 0.7)
    parts = [box((-0.05, -0.007, 0), (0.104, 0.0025, 0.144), cover, 0.001)]
    parts += [box((-0.049, -0.0045, 0.001), (0.1, 0.011, 0.142), pages, 0.001)]
    parts += [box((-0.05, 0.0065, 0), (0.104, 0.0025, 0.144), cover, 0.001)]
    parts.append(box((-0.014, -0.0076, 0.092), (0.048, 0.001, 0.026), label, 0.0004))
    for k in range(11):
        ring = [(-0.05 + x, 0.001 + y, 0.011 + k * 0.0122) for x, y in circle(0.0115, 14)]
        parts.append(tube(ring, 0.0019, steel, cyclic=True))
    return [group(parts, rotation=(-16, 0, 26))]


@cue("adhesive wall sticker", technique="cards")
def adhesive_wall_sticker() -> list[Any]:
    """A star-shaped sticker with a pale die-cut border, peeling off its backing."""
    border, face = material("border", (226, 226, 222), 0.5), tint("face", 0.3)
    sheet = extrude(_star(0.078, 0.045), 0.0014, border, 0.0003)
    front = extrude(_star(0.07, 0.039), 0.0016, face, 0.0004, at=(0, -0.0012, 0))
    eyes = [
        cylinder((x, -0.0022, 0.008), 0.006, 0.002, material("eye", (40, 40, 44), 0.4), (90, 0, 0), 0.0005)
        for x in (-0.018, 0.018)
    ]
    smile = [
        (x, -0.0022, z) for x, z in ((-0.018, -0.006), (-0.009, -0.016), (0.009, -0.016), (0.018, -0.006))
    ]
    mouth = tube(smile, 0.0022, material("mouth", (40, 40, 44), 0.4))
    return [group([sheet, front, *eyes, mouth], rotation=(-18, 8, 12))]


def _star(outer: float, inner: float) -> list[tuple[float, float]]:
    points = []
    for k in range(10):
        radius, turn = (outer, inner)[k % 2], math.pi / 2 + k * math.pi / 5
        points.append((radius * math.cos(turn), radius * math.sin(turn)))
    return smooth_outline(points, 6)


@cue("miniature flag", technique="cards")
def miniature_flag() -> list[Any]:
    """A waving desk flag on a pole with a round foot."""
    cloth = tint("cloth", 0.6)
    pole, knob = material("pole", (96, 84, 70), 0.5), metal("knob", (176, 160, 120), 0.3)

    def surface(u: float, v: float) -> Point:
        wave = 0.012 * math.sin(u * 8.5) * (0.25 + u)
        return 0.125 * u, wave, 0.085 + 0.084 * v - 0.012 * u * (1 - 0.4 * v) + 0.003 * math.sin(u * 8.5)

    flag = patch(surface, cloth, 40, 10, 0.0016)
    staff = tube([(0, 0, 0.01), (0, 0, 0.176)], 0.0042, pole, smooth=False)
    foot = [
        cylinder((0, 0, 0.006), 0.034, 0.012, cloth, bevel=0.003),
        cylinder((0, 0, 0.016), 0.014, 0.01, cloth, bevel=0.003),
    ]
    return [group([flag, staff, *foot, sphere((0, 0, 0.18), 0.0075, knob)], rotation=(0, 0, 12))]


@cue("linen napkin", technique="cards")
def linen_napkin() -> list[Any]:
    """A striped napkin pulled through a broad ring, fanned out above, a short tail below."""
    cloth, ring = _striped_linen(), metal("ring", (176, 172, 162), 0.3)

    def surface(u: float, v: float) -> Point:
        along = u - 0.3
        spread = 0.013 + (0.075 * (along / 0.7) ** 1.1 if along > 0 else 0.03 * (-along / 0.3))
        fold = math.sin(v * 2 * math.pi * 3.5 + 0.6)
        hem = 0.012 * math.cos((2 * v - 1) * 1.4) * (1 if along > 0 else -0.6) * abs(along)
        return spread * (2 * v - 1), 0.010 * fold * (0.5 + abs(along)), 0.165 * u + hem * 2

    sheet = patch(surface, cloth, 50, 90, 0.0024)
    profile = [
        (0.0168, -0.011),
        (0.0182, -0.0115),
        (0.0188, -0.009),
        (0.0184, 0),
        (0.0188, 0.009),
        (0.0182, 0.0115),
        (0.0168, 0.011),
    ]
    loop = lathe(profile, ring, (0, 0, 0.0495))
    return [group([sheet, loop], rotation=(-26, 14, 10))]


def _striped_linen() -> Any:
    """Linen with three grey stripes near the upper hem."""

    def draw_on(*pens: ImageDraw.ImageDraw) -> None:
        for left, right in ((336, 350), (358, 362), (370, 384)):
            _mark(pens, "rectangle", (left, 0, right, 64), INK)

    return _printed_card((420, 64), draw_on)


@cue("fleece blanket", technique="cards")
def fleece_blanket() -> list[Any]:
    """A stack of soft folds: rounded edges to the front, a stitched border."""
    fleece = tint("fleece", 0.95, sheen=0.4, bump=(120, 0.5))
    thread = material("stitch", (222, 218, 206), 0.9)
    parts = [_fold(fleece, 0.026 * layer, 0.003 * ((layer * 7) % 3 - 1)) for layer in range(4)]
    stitch = [(-0.088 + 0.0118 * k, -0.0765, 0.0795) for k in range(16)]
    parts += [
        tube([(x, y, z), (x + 0.006, y, z + 0.012)], 0.0011, thread, smooth=False) for x, y, z in stitch
    ]
    return [group(parts, rotation=(0, 0, 26))]


def _fold(fleece: Any, low: float, shift: float) -> Any:
    """One flattened loop of cloth lying on the floor, its round fold facing the viewer."""

    def surface(u: float, v: float) -> Point:
        turn = 2 * math.pi * u
        y = 0.062 * math.copysign(abs(math.cos(turn)) ** 0.5, math.cos(turn))
        z = 0.0145 * math.copysign(abs(math.sin(turn)) ** 0.7, math.sin(turn))
        sag = 0.0025 * math.sin(v * 5 + low * 120) * math.sin(turn)
        return 0.096 * (2 * v - 1), y - 0.012 + shift, low + 0.0145 + z + sag

    return patch(surface, fleece, 48, 16, 0.003)
