"""The tag in the corner of a delivered copy."""

from __future__ import annotations

import io
from functools import lru_cache

from PIL import Image, ImageDraw, ImageFont

from recallreach.memory.pictures import decode
from recallreach.memory.types import ImagePart

RELATIVE_HEIGHT = 0.06
SMALLEST_PLATE = 12
JPEG_QUALITY = 92
REMEMBERED = 512
"""Copies kept: a study delivers the same pictures under the same tags again and again."""


@lru_cache(maxsize=REMEMBERED)
def as_part(picture: bytes) -> ImagePart:
    """A picture as it is, when it is an upright JPEG or PNG in RGB or grey; otherwise a JPEG copy.

    Raises:
        PictureError: the bytes cannot be decoded.
    """
    image = decode(picture)
    media_type = _plain_media_type(picture)
    if media_type is None:
        return _encoded(image)
    return ImagePart(picture, image.width, image.height, media_type)


@lru_cache(maxsize=REMEMBERED)
def stamped(picture: bytes, tag: str) -> ImagePart:
    """A copy with `tag` in white on a black, white-framed plate in the top-left corner.

    The plate is 6 % of the shorter side high, at least 12 pixels; a picture that has no room for it (shorter
    than two plates, or narrower than one) stays unstamped, and its tag stands on its line alone.

    Raises:
        PictureError: the bytes cannot be decoded.
    """
    image = decode(picture)
    plate = _plate(tag, max(SMALLEST_PLATE, round(RELATIVE_HEIGHT * min(image.size))))
    if image.height < 2 * plate.height or image.width < plate.width:
        return as_part(picture)
    image.paste(plate, (0, 0))
    return _encoded(image)


@lru_cache(maxsize=256)
def _plate(tag: str, height: int) -> Image.Image:
    font = ImageFont.load_default(size=height * 0.72)
    left, top, right, bottom = font.getbbox(tag)
    width = round(right - left + height * 0.6)
    plate = Image.new("RGB", (width, height), "black")
    draw = ImageDraw.Draw(plate)
    draw.rectangle((0, 0, width - 1, height - 1), outline="white")
    draw.text(((width - left - right) / 2, (height - top - bottom) / 2), tag, fill="white", font=font)
    return plate


def _encoded(image: Image.Image) -> ImagePart:
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=JPEG_QUALITY, subsampling=0)
    return ImagePart(buffer.getvalue(), image.width, image.height)


def _plain_media_type(picture: bytes) -> str | None:
    with Image.open(io.BytesIO(picture)) as image:
        upright = image.getexif().get(0x0112, 1) == 1
        plain = upright and image.mode in ("RGB", "L") and image.format in ("JPEG", "PNG")
        return f"image/{image.format.lower()}" if plain and image.format else None
