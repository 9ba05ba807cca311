"""An observation for people: as text, or drawn on a canvas where no browser made a screenshot."""

from __future__ import annotations

import textwrap
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from recallreach.env.spaces import link_lines
from recallreach.env.types import Observation

SIZE = (1280, 900)
_MARGIN, _LINE, _FONT = 24, 20, 15
_PICTURE, _COLUMN = 400, 100
_INK, _FAINT, _ALARM, _PAPER = "#222222", "#777777", "#b00020", "#ffffff"


def as_text(observation: Observation) -> str:
    """Address, message, visible text and numbered links."""
    now = observation
    head = f"{now.title}  <{now.url}>  step {now.step} of {now.budget}"
    return "\n\n".join(part for part in (head, now.message, now.text, link_lines(now.links)) if part)


def as_pixels(observation: Observation) -> NDArray[np.uint8]:
    """(height, width, 3) uint8: the screenshot, or else a plain drawing of (900, 1280, 3)."""
    if observation.screenshot is not None:
        with Image.open(BytesIO(observation.screenshot)) as image:
            return np.asarray(image.convert("RGB"), np.uint8)
    return np.asarray(_drawing(observation), np.uint8)


def _drawing(now: Observation) -> Image.Image:
    canvas = Image.new("RGB", SIZE, _PAPER)
    pen, font = ImageDraw.Draw(canvas), ImageFont.load_default(_FONT)
    lines = [
        (f"{now.url}   step {now.step} of {now.budget}", _FAINT),
        (now.message, _ALARM),
        (now.title, _INK),
    ]
    lines += [(line, _INK) for block in now.text.split("\n") for line in textwrap.wrap(block, _COLUMN)]
    for number, (line, color) in enumerate(lines[: (SIZE[1] - 2 * _MARGIN) // _LINE]):
        pen.text((_MARGIN, _MARGIN + number * _LINE), line, color, font)
    if now.picture is not None:
        with Image.open(BytesIO(now.picture)) as picture:
            small = picture.convert("RGB").resize((_PICTURE, _PICTURE))
        canvas.paste(small, (SIZE[0] - _PICTURE - _MARGIN, _MARGIN))
    return canvas
