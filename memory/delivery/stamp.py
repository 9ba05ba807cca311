"""The tag in the corner of a delivered copy."""

from __future__ import annotations

import io
from functools import lru_cache

from PIL import Image, ImageDraw, ImageFont

from recallreach.memory.delivery.controls import REMEMBERED, encoded
from recallreach.memory.delivery.splice import with_new_top
from recallreach.memory.pictures import decode
from recallreach.memory.types import ImagePart

RELATIVE_HEIGHT = 0.06
SMALLEST_PLATE = 12


@lru_cache(maxsize=REMEMBERED)
def as_part(picture: bytes) -> ImagePart:
    """A picture as it is, when it is an upright JPEG or PNG in RGB or grey; otherwise a JPEG copy.

    Raises:
        PictureError: the bytes cannot be decoded.
    """
    image = decode(picture)
    media_type = _plain_media_type(picture)
    if media_type is None:
        return ImagePart(encoded(image), image.width, image.height)
    return ImagePart(picture, image.width, image.height, media_type)


@lru_cache(maxsize=REMEMBERED)
def stamped(picture: bytes, tag: str) -> ImagePart:
    """A copy with `tag` in white on a black, white-framed plate in the top-left corner.

    The plate is 6 % of the shorter side high, at least 12 pixels; a picture that has no room for it (shorter
    than two plates, or narrower than one) stays unstamped, and its tag stands on its line alone. In a JPEG
    with restart markers, as the shop's own are, everything below the plate's rows keeps its bytes; a PNG
    stays lossless; all others are coded again.

    Raises:
        PictureError: the bytes cannot be decoded.
    """
    return _spliced(picture, tag) or _redrawn(picture, tag)


def _spliced(picture: bytes, tag: str) -> ImagePart | None:
    """The stamped copy where only its top rows need new bytes; None where that cannot be done."""
    try:
        with Image.open(io.BytesIO(picture), formats=("JPEG",)) as image:
            size = image.size
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return None
    plate = plate_for(tag, size)
    if not _has_room(size, plate):
        return None
    made = with_new_top(picture, plate.height, lambda top: top.paste(plate, (0, 0)))
    return None if made is None else ImagePart(made, *size)


def _redrawn(picture: bytes, tag: str) -> ImagePart:
    image = decode(picture)
    plate = plate_for(tag, image.size)
    if not _has_room(image.size, plate):
        return as_part(picture)
    image.paste(plate, (0, 0))
    if _plain_media_type(picture) == "image/png":
        buffer = io.BytesIO()
        image.save(buffer, "PNG", compress_level=1)
        return ImagePart(buffer.getvalue(), image.width, image.height, "image/png")
    return ImagePart(encoded(image), image.width, image.height)


def _has_room(size: tuple[int, int], plate: Image.Image) -> bool:
    return size[1] >= 2 * plate.height and size[0] >= plate.width


def plate_for(tag: str, size: tuple[int, int]) -> Image.Image:
    """The plate that a tag gets in a picture of this size (width and height in pixels)."""
    return _plate(tag, max(SMALLEST_PLATE, round(RELATIVE_HEIGHT * min(size))))


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


def _plain_media_type(picture: bytes) -> str | None:
    with Image.open(io.BytesIO(picture)) as image:
        upright = image.getexif().get(0x0112, 1) == 1
        plain = upright and image.mode in ("RGB", "L") and image.format in ("JPEG", "PNG")
        return f"image/{image.format.lower()}" if plain and image.format else None
