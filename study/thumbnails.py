"""Small copies of the pictures that were delivered and chosen, for the report."""

from __future__ import annotations

import io
from collections.abc import Iterable

from PIL import Image

from recallreach.files import sha256

SIDE, QUALITY = 208, 82


class Thumbnails:
    """Makes each thumbnail once.

    Args:
        made: SHA-256 of the pictures that have one already.
    """

    def __init__(self, made: Iterable[str] = ()) -> None:
        self._made = set(made)

    def of(self, pictures: Iterable[bytes]) -> dict[str, bytes]:
        """New thumbnails by the SHA-256 of their pictures; those made before are left out."""
        new = {sha256(picture): picture for picture in pictures}
        found = {digest: thumbnail(picture) for digest, picture in new.items() if digest not in self._made}
        self._made.update(found)
        return found


def thumbnail(picture: bytes) -> bytes:
    """A JPEG of at most `SIDE` pixels a side from an encoded picture."""
    with Image.open(io.BytesIO(picture)) as image:
        small = image.convert("RGB")
        small.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    small.save(buffer, "JPEG", quality=QUALITY, subsampling=0)
    return buffer.getvalue()
