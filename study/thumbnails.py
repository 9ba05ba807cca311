"""Small copies of pictures, for the report."""

from __future__ import annotations

import io

from PIL import Image

SIDE, QUALITY = 208, 82


def thumbnail(picture: bytes) -> bytes:
    """A JPEG of at most `SIDE` pixels a side from an encoded picture."""
    with Image.open(io.BytesIO(picture)) as image:
        small = image.convert("RGB")
        small.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    small.save(buffer, "JPEG", quality=QUALITY, subsampling=0)
    return buffer.getvalue()
