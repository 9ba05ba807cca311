"""Pictures of a catalogue: rendered when first asked for, kept on disk by a hash of all that they show."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from recallreach.errors import ConfigError
from recallreach.files import dump_json, sha256
from recallreach.seeding import stream
from recallreach.storefront.pictures.art import FRAME, Anchor, Bytes, FurnitureLayers, LayerCache
from recallreach.storefront.pictures.cache import PictureCache, default_cache
from recallreach.storefront.pictures.colors import Floats, cue_color
from recallreach.storefront.pictures.compose import (
    WHOLE,
    Placement,
    clipped,
    compose_scene,
    place,
    plant,
    shifted_anchors,
)
from recallreach.storefront.pictures.encoding import encode_jpeg, encode_webp
from recallreach.storefront.pictures.light import develop
from recallreach.storefront.pictures.looks import Look, look_of
from recallreach.storefront.pictures.sprites import Sprite, make_sprite

if TYPE_CHECKING:
    from recallreach.storefront.catalog import Catalog

VERSION = "2"
"""Changes whenever the same catalogue and options would give other pixels."""

CUE_FRACTION = 0.017
"""Median cue area in the published benchmark, as a fraction of the frame (DMV-Bench, arXiv 2606.27499)."""

LAYER_BYTES = 96 * 2**20
FLOOR_FIRST = 0.4
"""Share of products whose cue is tried on the floor before it is tried on the piece."""

ENOUGH_CONTRAST, ENOUGH_CONTRAST_THIN = 0.15, 0.18
"""OKLab distance between cue and background that settles where it stands."""


@dataclass(frozen=True, slots=True, eq=False)
class Rendered:
    """One product's pixels and ground truth.

    Attributes:
        base: the picture without the cue, (512, 512, 3).
        cued: the picture with the cue, equal to `base` outside `changed`.
        mask: where the cue object is, (512, 512).
        changed: where the two pictures differ: the object and its shadow, (512, 512).
        placement: where the cue stands and how well it stands out.
    """

    base: Bytes
    cued: Bytes
    mask: npt.NDArray[np.bool_]
    changed: npt.NDArray[np.bool_]
    placement: Placement


class Pictures:
    """The picture source of a catalogue; safe for several threads and, on one cache folder, processes.

    Args:
        catalog: whose products are shown.
        cache: folder of rendered files; None takes `default_cache()`.
        cue_fraction: area of the cue's mask as a fraction of the frame. Objects whose longest side would pass
            26 % of the frame stay smaller.
        lossless: serve lossless WebP, equal to `render` pixel by pixel, instead of JPEG of quality 92.
    """

    def __init__(
        self,
        catalog: Catalog,
        cache: Path | str | None = None,
        *,
        cue_fraction: float = CUE_FRACTION,
        lossless: bool = False,
    ) -> None:
        if not 0.001 <= cue_fraction <= 0.1:
            raise ConfigError(f"cue_fraction is {cue_fraction}; it must lie between 0.001 and 0.1")
        self.catalog, self.cue_fraction, self.lossless = catalog, cue_fraction, lossless
        self.version = VERSION
        self.folder = Path(cache) if cache is not None else default_cache()
        self._layers = LayerCache(LAYER_BYTES)
        self._cache = PictureCache(self.folder / "pictures" / self._key())

    @classmethod
    def of(
        cls,
        catalog: Catalog,
        cache: Path | str | None = None,
        *,
        cue_fraction: float = CUE_FRACTION,
        lossless: bool = False,
    ) -> Pictures:
        """The picture source that fits the catalogue: composed from layers, or imported files."""
        from recallreach.storefront.pictures.files import FilePictures

        kind = Pictures if catalog.photos is None else FilePictures
        return kind(catalog, cache, cue_fraction=cue_fraction, lossless=lossless)

    @property
    def media_type(self) -> str:
        """What `picture` and `base` return: "image/jpeg", or "image/webp" if lossless."""
        return "image/webp" if self.lossless else "image/jpeg"

    def picture(self, product_id: str) -> bytes:
        """The encoded picture with its cue.

        Raises:
            UnknownNameError: no such product.
            DataError: a layer is missing or damaged, or the cache cannot be read or written.
        """
        cached = self._cache.get(f"{product_id}-cued")
        return cached or self._keep(f"{product_id}-cued", self.render(product_id).cued)

    def base(self, product_id: str) -> bytes:
        """The encoded picture without the cue; raises like `picture`."""
        cached = self._cache.get(f"{product_id}-base")
        return cached or self._keep(f"{product_id}-base", self._scene(product_id)[1])

    def build(self, product_id: str) -> bool:
        """Render and store both pictures of a product unless both are there; raises like `picture`.

        Returns:
            Whether something had to be rendered.
        """
        names = (f"{product_id}-base", f"{product_id}-cued")
        if all(self._cache.get(name) for name in names):
            return False
        rendered = self.render(product_id)
        for name, pixels in zip(names, (rendered.base, rendered.cued), strict=True):
            self._keep(name, pixels)
        return True

    def encode(self, pixels: Bytes) -> bytes:
        """A picture file of `media_type` with the length that all of them have."""
        return encode_webp(pixels) if self.lossless else encode_jpeg(pixels)

    def render(self, product_id: str) -> Rendered:
        """Both pictures before encoding, with mask and placement; raises like `picture`."""
        light, base, look, anchors = self._scene(product_id)
        cue = self.catalog.cue_of(product_id)
        color, sprite = cue_color(cue.color), self._sprite(cue.slug)
        enough = ENOUGH_CONTRAST_THIN if sprite.thin else ENOUGH_CONTRAST
        placement = place(sprite, color, base, self._tried(product_id, anchors), enough)
        frame, part = clipped(sprite.alpha.shape, placement.corner, WHOLE)
        at = look.grain[0] + frame[0].start, look.grain[1] + frame[1].start
        cued, mask, changed = base.copy(), np.zeros((FRAME, FRAME), bool), np.zeros((FRAME, FRAME), bool)
        cued[frame] = develop(plant(light[:, *frame], sprite, color, part), at)
        mask[frame] = sprite.mask[part]
        changed[frame] = (base[frame] != cued[frame]).any(2)
        return Rendered(base, cued, mask, changed, placement)

    def _scene(self, product_id: str) -> tuple[Floats, Bytes, Look, tuple[Anchor, ...]]:
        product, look = self.catalog.by_id(product_id), look_of(self.catalog, product_id)
        layers = self._piece(product.category, product.style)
        light = compose_scene(layers, look)
        return light, develop(light, look.grain), look, shifted_anchors(layers, look)

    def _tried(self, product_id: str, anchors: tuple[Anchor, ...]) -> list[Anchor]:
        """The anchors in seeded order; those on the piece come before the floor, or after it."""
        rng = stream(self.catalog.seed, "anchors", product_id)
        shuffled = [anchors[index] for index in rng.permutation(len(anchors))]
        floor_first = bool(rng.random() < FLOOR_FIRST)
        return sorted(shuffled, key=lambda anchor: (anchor.kind == "floor") != floor_first)

    def _piece(self, category: str, style: str) -> FurnitureLayers:
        key = ("furniture", category, style)
        return self._layers.get(key, lambda: self.catalog.art.piece(category, style))

    def _sprite(self, slug: str) -> Sprite:
        return self._layers.get(slug, lambda: make_sprite(self.catalog.art.cue(slug), self.cue_fraction))

    def _keep(self, name: str, pixels: Bytes) -> bytes:
        data = self.encode(pixels)
        self._cache.put(name, data)
        return data

    def _key(self) -> str:
        options = {"cue_fraction": self.cue_fraction, "lossless": self.lossless, "version": self.version}
        return sha256(dump_json({"catalog": self.catalog.hash, **options}).encode())[:24]
