"""Cues from the office: pens, pins, tapes, clips and gadgets."""

from __future__ import annotations

from typing import Any

from PIL import Image, ImageDraw
from toolkit import (
    arc,
    band,
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
    printed,
    smooth_outline,
    sphere,
    tint,
    tint_metal,
    tint_printed,
    tint_wood,
    tube,
)

Outline = list[tuple[float, float]]


def _rounded(half_width: float, half_height: float, radius: float) -> Outline:
    """A rectangle round the origin with round corners."""
    w, h = half_width - radius, half_height - radius
    corners = ((w, h, 0), (-w, h, 90), (-w, -h, 180), (w, -h, 270))
    return [p for x, z, turn in corners for p in arc((x, z), radius, turn, turn + 90, 7)]


@cue("brass push pin", technique="lathe")
def brass_push_pin() -> list[Any]:
    """A waisted push pin stuck into the floor at a slant."""
    brass, steel = tint_metal("brass", roughness=0.3), metal("needle", (196, 198, 202), 0.2)
    head = [
        (0, 0.03),
        (0.019, 0.03),
        (0.0215, 0.032),
        (0.021, 0.036),
        (0.012, 0.041),
        (0.0095, 0.048),
        (0.0105, 0.058),
    ]
    head += [(0.0135, 0.064), (0.017, 0.067), (0.0175, 0.072), (0.0155, 0.0755), (0, 0.077)]
    needle = [(0, 0), (0.0012, 0.006), (0.0019, 0.014), (0.0019, 0.032)]
    return [group([lathe(head, brass), lathe(needle, steel)], rotation=(16, 30, 0))]


@cue("fountain pen", technique="lathe", thin=True)
def fountain_pen() -> list[Any]:
    """An uncapped fountain pen with a steel nib, its clipped cap beside it."""
    barrel, dark = tint("barrel", 0.25), material("grip", (52, 54, 58), 0.3)
    steel, ring = metal("nib", (200, 200, 202), 0.2), metal("ring", (190, 172, 130), 0.25)
    body = [
        (0, 0),
        (0.005, 0.0005),
        (0.0075, 0.004),
        (0.0095, 0.03),
        (0.0102, 0.07),
        (0.0098, 0.09),
        (0, 0.09),
    ]
    parts = [lathe(body, barrel), cylinder((0, 0, 0.089), 0.0102, 0.003, ring, bevel=0.0008)]
    parts.append(lathe([(0.0085, 0.09), (0.0072, 0.1), (0.0066, 0.112), (0.0074, 0.114), (0, 0.115)], dark))
    nib = [(0.0058, 0.113), (0.0072, 0.122), (0.006, 0.13), (0.0012, 0.146), (-0.0012, 0.146), (-0.006, 0.13)]
    parts.append(extrude([*nib, (-0.0072, 0.122), (-0.0058, 0.113)], 0.0034, steel, 0.0008))
    parts.append(sphere((0, -0.0018, 0.126), 0.0012, dark, (1, 0.5, 1)))
    parts.append(box((-0.0003, -0.0021, 0.127), (0.0006, 0.0006, 0.018), dark, 0.0001))
    pen = group(parts, (0.012, 0, 0.006), (0, 28, 0))
    shell = [(0, 0), (0.0105, 0), (0.0112, 0.002), (0.0115, 0.03), (0.010, 0.058), (0.007, 0.063), (0, 0.064)]
    lid = [lathe(shell, barrel), cylinder((0, 0, 0.008), 0.0116, 0.004, ring, bevel=0.001)]
    lid.append(tube([(0, -0.008, 0.06), (0, -0.0145, 0.056), (0, -0.014, 0.024)], 0.0018, ring, smooth=False))
    lid.append(sphere((0, -0.014, 0.023), 0.0028, ring))
    cap = group(lid, (-0.026, -0.006, 0.012), (0, 28, 0))
    return [group([pen, cap], rotation=(-22, 0, 8))]


@cue("sticky tape roll", technique="lathe")
def sticky_tape_roll() -> list[Any]:
    """A broad roll of plain tape on edge, its loose end sticking out."""
    tape, core = tint("tape", 0.28), material("core", (160, 154, 146), 0.85)
    roll = [
        (0.034, -0.017),
        (0.049, -0.017),
        (0.0495, -0.0165),
        (0.0495, 0.0165),
        (0.049, 0.017),
        (0.034, 0.017),
    ]
    ring = [(0.034, -0.0172), (0.034, 0.0172), (0.0315, 0.0172), (0.0315, -0.0172), (0.034, -0.0172)]
    parts = [
        lathe(roll, tape, (0, 0, 0.0495), (90, 0, 0), 96),
        lathe(ring, core, (0, 0, 0.0495), (90, 0, 0), 96),
    ]
    on_roll = arc((0, 0.0495), 0.0502, 150, 62, 14)
    end = [(0.036, 0.0905), (0.049, 0.086), (0.062, 0.0835), (0.074, 0.0845), (0.083, 0.088)]
    parts.append(band(on_roll + end, 0.033, tape, 0.0012))
    return [group(parts, rotation=(0, 0, 34))]


@cue("washi tape roll", technique="lathe")
def washi_tape_roll() -> list[Any]:
    """Two narrow rolls of patterned paper tape, one flat with dots, one leaning on it with stripes."""
    flat = _washi(_dots())
    flat.location = (0, 0, 0.0135)
    upright = group([_washi(_stripes())], (0.004, 0.012, 0.072), (72, 0, 44))
    return [group([flat, upright], rotation=(0, 0, 14))]


def _washi(outer: Any) -> Any:
    paper, core = tint("side", 0.6, shade=0.95), material("core", (232, 228, 216), 0.8)
    side = [(0.034, -0.0135), (0.0455, -0.0135), (0.046, -0.013)]
    rim = [(0.046, -0.013), (0.046, 0.013)]
    top = [(0.046, 0.013), (0.0455, 0.0135), (0.034, 0.0135)]
    ring = [(0.034, -0.0137), (0.034, 0.0137), (0.0305, 0.0137), (0.0305, -0.0137), (0.034, -0.0137)]
    return group(
        [
            lathe(side, paper, segments=96),
            lathe(rim, outer, segments=96),
            lathe(top, paper, segments=96),
            lathe(ring, core),
        ]
    )


def _dots() -> Any:
    mask = Image.new("L", (1400, 128), 255)
    draw = ImageDraw.Draw(mask)
    for k in range(28):
        x, y = 50 * k + 25, 40 if k % 2 else 88
        draw.ellipse((x - 15, y - 15, x + 15, y + 15), fill=0)
    return tint_printed("dots", Image.new("RGB", mask.size, (226, 226, 222)), mask)


def _stripes() -> Any:
    mask = Image.new("L", (1400, 128), 255)
    draw = ImageDraw.Draw(mask)
    for x in range(-128, 1400, 50):
        draw.polygon([(x, 128), (x + 18, 128), (x + 82, 0), (x + 64, 0)], fill=0)
    return tint_printed("stripes", Image.new("RGB", mask.size, (118, 120, 124)), mask)


@cue("tv remote", technique="boxes")
def tv_remote() -> list[Any]:
    """A remote control with a round pad and rows of grey buttons, leaning back."""
    shell, key = tint("shell", 0.4), material("key", (176, 178, 182), 0.6)
    dark = material("dark", (58, 60, 64), 0.4)
    parts = [extrude(_rounded(0.027, 0.078, 0.013), 0.018, shell, 0.004)]
    ring = [(x, -0.0095, 0.026 + z) for x, z in circle(0.0145, 32)]
    parts += [
        tube(ring, 0.0042, key, cyclic=True),
        cylinder((0, -0.009, 0.026), 0.0062, 0.004, dark, (90, 0, 0), 0.001),
    ]
    parts.append(
        cylinder(
            (0.0155, -0.009, 0.063), 0.005, 0.004, material("power", (150, 62, 58), 0.5), (90, 0, 0), 0.0012
        )
    )
    for row in range(4):
        for column in (-1, 0, 1):
            at = (column * 0.0155, -0.009, -0.008 - row * 0.0145)
            button = cylinder(at, 0.0047, 0.004, key, (90, 0, 0), 0.0012)
            button.scale = (1.2, 0.85, 1)
            parts.append(button)
    parts.append(box((-0.012, -0.0095, 0.076), (0.024, 0.019, 0.0025), dark, 0.001))
    return [group(parts, (0, 0, 0.08), (-24, 12, 12))]


@cue("laptop", technique="boxes")
def laptop() -> list[Any]:
    """An open laptop turned a little, a grey landscape on its screen."""
    shell, key = tint("shell", 0.4), material("key", (74, 76, 80), 0.6)
    base = [box((-0.08, -0.115, 0), (0.16, 0.115, 0.008), shell, 0.003)]
    for row, count in enumerate((12, 12, 11)):
        pitch = 0.138 / count
        keys = [(-0.069 + k * pitch, -0.026 - row * 0.0125) for k in range(count)]
        base += [box((x, y - 0.0102, 0.007), (pitch - 0.0018, 0.0102, 0.002), key, 0.0006) for x, y in keys]
    base.append(box((-0.022, -0.108, 0.0072), (0.044, 0.036, 0.0012), tint("pad", 0.5, shade=0.8), 0.0005))
    lid = [box((-0.08, 0, 0), (0.16, 0.006, 0.112), shell, 0.0025)]
    lid.append(card(0.136, 0.086, _screen(), 0.001, (0, -0.0008, 0.014)))
    raised = group(lid, (0, -0.002, 0.007), (-18, 0, 0))
    return [group([*base, raised], rotation=(0, 0, 26))]


def _screen() -> Any:
    picture = Image.new("RGB", (272, 172), (172, 180, 186))
    draw = ImageDraw.Draw(picture)
    draw.polygon(
        [(0, 172), (0, 110), (80, 50), (140, 108), (190, 70), (272, 128), (272, 172)], fill=(120, 128, 134)
    )
    draw.polygon([(0, 172), (0, 150), (110, 116), (272, 156), (272, 172)], fill=(92, 100, 106))
    draw.rectangle((60, 158, 212, 168), fill=(206, 208, 208))
    return printed("screen", picture, 0.25)


@cue("tablet", technique="boxes")
def tablet() -> list[Any]:
    """A tablet with rounded corners and a dark bezel, a clock and a row of icons on its screen, and a pen."""
    case, bezel = tint("case", 0.4), material("bezel", (44, 46, 50), 0.3)
    parts = [extrude(_rounded(0.062, 0.082, 0.013), 0.011, case, 0.0035)]
    parts.append(extrude(_rounded(0.0555, 0.0755, 0.008), 0.003, bezel, 0.001, at=(0, -0.005, 0)))
    parts.append(card(0.1, 0.13, _start_page(), 0.001, (0, -0.0068, -0.0625)))
    parts.append(
        cylinder(
            (0, -0.0062, -0.069), 0.0034, 0.002, material("home", (150, 152, 156), 0.4), (90, 0, 0), 0.0005
        )
    )
    pen = [tube([(0.073, 0, -0.056), (0.073, 0, 0.066)], 0.0042, case, smooth=False)]
    pen.append(
        lathe(
            [(0, -0.014), (0.0012, -0.012), (0.0042, 0)],
            material("tip", (170, 172, 176), 0.4),
            (0.073, 0, -0.056),
        )
    )
    return [group(parts + pen, (0, 0, 0.082), (-22, 0, 16))]


def _start_page() -> Any:
    """A tinted wallpaper with paler waves, a clock as two bars, and four icons."""
    picture, mask = Image.new("RGB", (200, 260), (196, 200, 202)), Image.new("L", (200, 260), 255)
    draw = ImageDraw.Draw(mask)
    draw.polygon([(0, 200), (60, 150), (130, 175), (200, 110), (200, 260), (0, 260)], fill=205)
    draw.polygon([(0, 240), (80, 200), (140, 216), (200, 170), (200, 260), (0, 260)], fill=150)
    draw.rounded_rectangle((42, 34, 158, 62), 6, fill=0)
    draw.rounded_rectangle((72, 74, 128, 84), 4, fill=0)
    for column in range(4):
        x = 20 + column * 43
        draw.rounded_rectangle((x, 212, x + 30, 242), 8, fill=0)
    return tint_printed("page", picture, mask, roughness=0.25)


@cue("wooden ruler", technique="boxes", thin=True)
def wooden_ruler() -> list[Any]:
    """A broad wooden ruler with a steel edge, marks and a hole, standing at a slant."""
    timber, ink, steel = tint_wood("ruler"), material("mark", (96, 96, 98), 0.6), metal("edge", roughness=0.3)
    outline = [(-0.08, -0.018), (0.08, -0.018), (0.08, 0.018), (-0.08, 0.018)]
    parts = [extrude(outline, 0.006, timber, 0.0008, [circle(0.0055, 20, (0.069, -0.004))[::-1]])]
    parts.append(box((-0.08, -0.0035, 0.0172), (0.16, 0.007, 0.0018), steel, 0.0003))
    for k in range(29):
        length, x = (0.014 if k % 4 == 0 else 0.0095 if k % 2 == 0 else 0.0065), -0.074 + k * 0.0048
        parts.append(box((x, -0.0036, 0.0172 - length), (0.0013, 0.0008, length), ink, 0.0001))
    for k, width in enumerate((0.002, 0.005, 0.005, 0.005, 0.005, 0.005, 0.005)):
        parts.append(
            box((-0.0745 + k * 0.0192 - width / 2, -0.0036, -0.006), (width, 0.0008, 0.0075), ink, 0.0004)
        )
    return [group([group(parts, rotation=(0, -38, 0))], (0, 0, 0.06), (-20, 0, 10))]


@cue("stapler", technique="extrusions")
def stapler() -> list[Any]:
    """A desk stapler, jaws open, with its steel magazine showing."""
    shell, steel = tint("shell", 0.35), metal("magazine", (196, 198, 202), 0.3)
    dark = material("foot", (60, 62, 66), 0.7)
    base = [
        (-0.078, 0.003),
        (0.074, 0.003),
        (0.082, 0.006),
        (0.08, 0.012),
        (0.06, 0.0135),
        (-0.05, 0.014),
        (-0.08, 0.018),
    ]
    parts = [
        extrude(base, 0.036, shell, 0.0025),
        extrude([(-0.076, 0), (0.076, 0), (0.076, 0.004), (-0.076, 0.004)], 0.03, dark, 0.001),
    ]
    parts.append(box((0.05, -0.009, 0.0125), (0.02, 0.018, 0.002), steel, 0.0006))
    arm = [
        (-0.083, 0.026),
        (-0.086, 0.036),
        (-0.078, 0.05),
        (-0.05, 0.058),
        (0.0, 0.0625),
        (0.055, 0.061),
        (0.08, 0.054),
    ]
    arm += [(0.0865, 0.044), (0.083, 0.034), (0.07, 0.032), (0.0, 0.032), (-0.06, 0.026)]
    upper = [extrude(smooth_outline(arm, 4), 0.034, shell, 0.006)]
    upper.append(box((-0.07, -0.0115, 0.02), (0.148, 0.023, 0.014), steel, 0.0015))
    hinge = group(upper, (-0.006, 0, 0.004), (0, -7, 0))
    cheek = [(-0.084, 0.006), (-0.05, 0.006), (-0.052, 0.028), (-0.066, 0.038), (-0.084, 0.034)]
    pin = cylinder((-0.07, 0, 0.026), 0.004, 0.046, steel, (90, 0, 0), 0.001)
    return [group([*parts, hinge, extrude(cheek, 0.041, shell, 0.002), pin], rotation=(0, 0, 24))]


@cue("binder clip", technique="extrusions")
def binder_clip() -> list[Any]:
    """A big binder clip standing on its back, both wire handles up."""
    body, wire = tint_metal("body", roughness=0.35), metal("wire", (200, 202, 206), 0.2)
    outer = [(-0.026, 0.003), (-0.023, 0), (0.023, 0), (0.026, 0.003), (0.0035, 0.052), (-0.0035, 0.052)]
    inner = [(-0.0215, 0.003), (0.0215, 0.003), (0.001, 0.048), (-0.001, 0.048)]
    parts = [extrude(outer, 0.078, body, 0.0006, [inner[::-1]], rotation=(0, 0, 90))]
    for side in (-1, 1):
        lip = (
            [(x, side * 0.0045, 0.0525) for x in (-0.039, -0.018)],
            [(x, side * 0.0045, 0.0525) for x in (0.018, 0.039)],
        )
        parts += [tube(line, 0.0036, body, smooth=False) for line in lip]
        half = [
            (0.017, 0.0525),
            (0.0115, 0.062),
            (0.011, 0.072),
            (0.0165, 0.086),
            (0.0155, 0.098),
            (0.007, 0.104),
        ]
        loop = [*half, *[(-x, z) for x, z in reversed(half)]]
        lean = 0.25 if side < 0 else 0.32
        parts.append(tube([(x, side * (0.0045 + (z - 0.0525) * lean), z) for x, z in loop], 0.0026, wire))
    return [group(parts, rotation=(0, 0, 32))]
