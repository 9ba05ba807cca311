"""Encoded pictures: decoding them the one way, and storing each once under its SHA-256."""

from __future__ import annotations

import io
from collections.abc import Collection

from PIL import Image, ImageOps, UnidentifiedImageError

from recallreach.files import sha256
from recallreach.memory.errors import PictureError


def decode(picture: bytes) -> Image.Image:
    """The first frame of an encoded picture as upright RGB.

    CMYK, palette, alpha and grey pictures become RGB; an EXIF rotation is applied; of an animation the first
    frame counts.

    Raises:
        PictureError: the bytes are no picture, or a damaged one.
    """
    try:
        with Image.open(io.BytesIO(picture)) as image:
            return ImageOps.exif_transpose(image).convert("RGB")
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise PictureError(f"a picture of {len(picture)} bytes cannot be decoded: {error}") from error


def picture_name(key: str, picture: bytes) -> str:
    """File name of a stored picture: its SHA-256, and an ending that tells people its type."""
    kinds = ((b"\xff\xd8", "jpg"), (b"\x89PNG", "png"), (b"RIFF", "webp"), (b"GIF8", "gif"))
    ending = next((name for magic, name in kinds if picture.startswith(magic)), "bin")
    return f"{key}.{ending}"


class PictureStore:
    """Pictures by content. Entries are never changed or removed, so forks of a bank share one store."""

    def __init__(self) -> None:
        self._by_hash: dict[str, bytes] = {}

    def add(self, picture: bytes) -> str:
        """Keep a picture and return its SHA-256; the same bytes are kept once."""
        key = sha256(picture)
        self._by_hash.setdefault(key, bytes(picture))
        return key

    def get(self, key: str) -> bytes:
        """The bytes of a stored picture.

        Raises:
            PictureError: nothing is stored under `key`.
        """
        if key not in self._by_hash:
            raise PictureError(f"no picture {key} among the {len(self)} stored ones")
        return self._by_hash[key]

    def only(self, keys: Collection[str | None]) -> PictureStore:
        """A store of its own with those of these pictures that are here."""
        copy = PictureStore()
        copy._by_hash = {key: self._by_hash[key] for key in keys if key in self._by_hash}
        return copy

    def __contains__(self, key: str) -> bool:
        return key in self._by_hash

    def __len__(self) -> int:
        return len(self._by_hash)
