"""Matched controls of the pictures: what may stand in for an item's own picture, at its very size.

Each control keeps number, order and size of the image slots and changes what they show and nothing else
(DeliverMem, arXiv 2609.32590; table in docs/delivery.md).
"""

from __future__ import annotations

import io
from collections.abc import Collection
from functools import lru_cache
from typing import Literal, Protocol

import numpy as np
from PIL import Image, ImageFilter

from recallreach.errors import ConfigError
from recallreach.files import sha256
from recallreach.memory.pictures import decode
from recallreach.seeding import stream

Pictures = Literal[
    "own", "withheld", "blank", "noise", "blurred", "uncued", "same-collection", "other-category"
]
Counterpart = Literal["uncued", "same-collection", "other-category"]

GREY = (128, 128, 128)
BLUR = 1 / 16
"""Standard deviation of the blur as a share of the shorter side: half as wide as a typical cue."""
JPEG_QUALITY = 92
REMEMBERED = 512


class Counterparts(Protocol):
    """Pictures of the shop that may stand in for a stored one; memory itself knows no shop."""

    def picture(self, kind: Counterpart, url: str, avoid: Collection[str]) -> bytes:
        """An encoded picture.

        Args:
            kind: "uncued" is the picture of the same product without its cue; the others show another
                product of the same collection, or of another category, with its own cue.
            url: page of the item whose picture is replaced.
            avoid: pages whose products are not to be shown, for instance all that were retrieved.

        Raises:
            DataError: the page is no product of the shop, or no other product is left.
        """


def stand_in(
    kind: Pictures,
    picture: bytes,
    url: str,
    avoid: Collection[str],
    counterparts: Counterparts | None,
    seed: int,
) -> bytes:
    """What is delivered in the place of a picture, encoded, at the picture's own size.

    Args:
        kind: which control; "own" gives the picture back.
        picture: the stored picture.
        url, avoid: as in `Counterparts.picture`.
        counterparts: where pictures of the shop come from; needed by the last three kinds only.
        seed: decides the noise, with the picture.

    Raises:
        PictureError: the picture cannot be decoded.
        ConfigError: the kind needs `counterparts`, and there are none.
    """
    match kind:
        case "own" | "withheld":
            return picture
        case "uncued" | "same-collection" | "other-category":
            return _fitted(_counterpart(kind, url, avoid, counterparts), decode(picture).size)
        case _:
            return drawn(kind, picture, seed)


def encoded(image: Image.Image) -> bytes:
    """A JPEG whose rows can be replaced one by one (`delivery.splice`)."""
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=JPEG_QUALITY, subsampling=0, restart_marker_rows=1)
    return buffer.getvalue()


def _counterpart(
    kind: Counterpart, url: str, avoid: Collection[str], counterparts: Counterparts | None
) -> bytes:
    if counterparts is None:
        raise ConfigError(
            f"pictures={kind!r} takes its pictures from the shop, which memory does not know: "
            "use it in a study, or pass counterparts to build_delivery"
        )
    return counterparts.picture(kind, url, avoid)


def _fitted(picture: bytes, size: tuple[int, int]) -> bytes:
    image = decode(picture)
    return picture if image.size == size else encoded(image.resize(size, Image.Resampling.LANCZOS))


@lru_cache(maxsize=REMEMBERED)
def drawn(kind: Literal["blank", "noise", "blurred"], picture: bytes, seed: int) -> bytes:
    image = decode(picture)
    if kind == "blank":
        return encoded(Image.new("RGB", image.size, GREY))
    if kind == "blurred":
        return encoded(image.filter(ImageFilter.GaussianBlur(BLUR * min(image.size))))
    random = stream(seed, "noise", sha256(picture))
    shape = (image.height, image.width, 3)
    return encoded(Image.fromarray(random.integers(0, 256, shape, dtype=np.uint8)))
