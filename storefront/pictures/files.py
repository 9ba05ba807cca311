"""The picture source of an imported catalogue: files from its folder, checked and served as they are."""

from __future__ import annotations

import functools
import io

import numpy as np
from PIL import Image, UnidentifiedImageError

from recallreach.errors import DataError
from recallreach.files import sha256
from recallreach.storefront.photos import Photo, Photos
from recallreach.storefront.pictures.art import FRAME, Bytes
from recallreach.storefront.pictures.compose import Placement
from recallreach.storefront.pictures.renderer import Pictures, Rendered

PLAIN = (176, 178, 180)
"""Grey of the cover that stands in where a catalogue has no picture without its cue."""


class FilePictures(Pictures):
    """Serves the imported files of a catalogue: nothing is drawn and nothing cached.

    Of the arguments of `Pictures` only the catalogue, one with `photos`, matters: its cues were planted and
    its files encoded when it was imported.
    """

    @property
    def media_type(self) -> str:
        """What `picture` returns."""
        return self._photos.media_type

    def picture(self, product_id: str) -> bytes:
        """The picture with its cue.

        Raises:
            UnknownNameError: no such product.
            DataError: the file is missing, or is not the one that was imported.
        """
        photo = self._photo(product_id)
        data = self._read(photo.cued)
        if sha256(data) != photo.sha256:
            raise DataError(
                f"{self._photos.folder / photo.cued} is not the file that was imported; import again"
            )
        return data

    def base(self, product_id: str) -> bytes:
        """The picture without its cue; a plain grey one where the catalogue has none. Raises like
        `picture`."""
        photo = self._photo(product_id)
        return self._read(photo.base) if photo.base else self._plain

    def build(self, product_id: str) -> bool:
        """There is nothing to draw: only checks that the file is whole."""
        self.picture(product_id)
        return False

    def encode(self, pixels: Bytes) -> bytes:
        """A file of `media_type`."""
        encoded = io.BytesIO()
        kind = self.media_type.removeprefix("image/")
        options = {"quality": 92, "subsampling": 0} if kind == "jpeg" else {}
        Image.fromarray(pixels).save(encoded, kind.upper(), **options)
        return encoded.getvalue()

    def render(self, product_id: str) -> Rendered:
        """The decoded files of one product.

        Raises:
            DataError: a file is missing or damaged, or the catalogue has no mask and no base for the product.
        """
        photo = self._photo(product_id)
        if not (photo.base and photo.mask):
            raise DataError(
                f"product {product_id} was imported without its picture before the cue; "
                "its mask is not known, only its picture can be shown"
            )
        base, cued = (self._pixels(path) for path in (photo.base, photo.cued))
        mask = self._pixels(photo.mask)[..., 0] > 127
        placement = Placement("imported", (0, 0), float("nan"))
        return Rendered(base, cued, mask, (base != cued).any(2), placement)

    def _photo(self, product_id: str) -> Photo:
        self.catalog.by_id(product_id)
        return self._by_id[product_id]

    @functools.cached_property
    def _photos(self) -> Photos:
        if self.catalog.photos is None:
            raise DataError("this catalogue has no imported pictures")
        return self.catalog.photos

    @functools.cached_property
    def _by_id(self) -> dict[str, Photo]:
        pairs = zip(self.catalog.products, self._photos.entries, strict=True)
        return {product.id: photo for product, photo in pairs}

    @functools.cached_property
    def _plain(self) -> bytes:
        return self.encode(np.full((FRAME, FRAME, 3), PLAIN, np.uint8))

    def _read(self, path: str) -> bytes:
        try:
            return (self._photos.folder / path).read_bytes()
        except OSError as error:
            raise DataError(f"cannot read {self._photos.folder / path}: {error.strerror or error}") from error

    def _pixels(self, path: str) -> Bytes:
        try:
            with Image.open(io.BytesIO(self._read(path))) as image:
                return np.asarray(image.convert("RGB"))
        except (UnidentifiedImageError, OSError, ValueError) as error:
            raise DataError(f"{self._photos.folder / path} is damaged: {error}") from error
