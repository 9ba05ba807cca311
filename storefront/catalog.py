"""The catalogue: which products there are, what the shop says of them, and which cue is in whose picture."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from recallreach.errors import UnknownNameError
from recallreach.files import dump_json, sha256
from recallreach.storefront.photos import Photos
from recallreach.storefront.pictures.art import Art
from recallreach.storefront.types import Cue, Product


@dataclass(frozen=True, slots=True)
class Category:
    """One department of the shop, for instance ("plant-pot", "Plant pots", one sentence)."""

    slug: str
    name: str
    blurb: str


@dataclass(frozen=True, slots=True)
class Collection:
    """All variants of one furniture piece; `slug` is `<category>-<style>`."""

    slug: str
    category: str
    style: str
    name: str
    blurb: str


@dataclass(frozen=True)
class Catalog:
    """Products and the bijection to their cues; frozen data.

    Attributes:
        seed: what the synthetic draws and the pictures' body colours, backdrops and grain come from.
        categories: departments, in shop order.
        collections: in shop order.
        products: by collection, then listing order.
        cues: the ground truth, `cues[i]` belongs to `products[i]`.
        name: "synthetic", or what an importer called it.
        warning: what a user of this catalogue has to know, or "".
        photos: the pictures of an imported catalogue; None where they are composed from `art`.
        art: where the layers of the pictures lie.
    """

    seed: int
    categories: tuple[Category, ...]
    collections: tuple[Collection, ...]
    products: tuple[Product, ...]
    cues: tuple[Cue, ...] = field(repr=False)
    name: str = "synthetic"
    warning: str = ""
    photos: Photos | None = field(default=None, repr=False)
    art: Art = field(default_factory=Art, compare=False, repr=False)

    @classmethod
    def synthetic(
        cls,
        seed: int = 0,
        *,
        categories: Sequence[str] | None = None,
        styles: Sequence[str] | None = None,
        variants: int = 10,
        objects: Sequence[str] | None = None,
        art: Art | None = None,
    ) -> Catalog:
        """Draw a catalogue in which the cue is independent of everything the shop says.

        Args:
            seed: non-negative; equal seeds and arguments give equal catalogues.
            categories: category slugs; None takes all there is art for.
            styles: style slugs; None takes all there is art for.
            variants: products per collection.
            objects: slugs of the cue objects; None takes all there is art for.
            art: another folder of layers.

        Raises:
            UnknownNameError: a name there is no art for.
            ConfigError: more products than (object, colour) pairs, or no product at all.
        """
        from recallreach.storefront.catalog_synthetic import Plan, draw_catalog

        return draw_catalog(Plan.of(art or Art(), seed, categories, styles, variants, objects))

    @classmethod
    def load(cls, path: Path | str, *, art: Art | None = None) -> Catalog:
        """Read a catalogue saved by `save`.

        Raises:
            DataError: the file is missing, damaged or contradicts itself; file and entry are named.
        """
        from recallreach.storefront.catalog_files import load_catalog

        return load_catalog(Path(path), art or Art())

    def save(self, path: Path | str) -> None:
        """Write one JSON file, whole or not at all. It holds the ground truth: keep it from agents."""
        from recallreach.storefront.catalog_files import save_catalog

        save_catalog(self, Path(path))

    def __iter__(self) -> Iterator[Product]:
        return iter(self.products)

    def __len__(self) -> int:
        return len(self.products)

    @functools.cached_property
    def hash(self) -> str:
        """SHA-256 over all data and over what its pictures are made of: layers, or imported files."""
        parts = (self.categories, self.collections, self.products, self.cues)
        data = [[asdict(entry) for entry in part] for part in parts]
        made_of = {"layers": self._layers()} if self.photos is None else {"photos": self.photos.identity()}
        return sha256(dump_json({"seed": self.seed, "data": data, **made_of}).encode())

    def _layers(self) -> dict[str, str]:
        layers = {slug: self.art.fingerprint("furniture", slug) for slug in self._index_collections}
        return layers | {slug: self.art.fingerprint("cues", slug) for slug in {cue.slug for cue in self.cues}}

    def by_id(self, product_id: str) -> Product:
        """The product with this id, or UnknownNameError."""
        return self.products[self._position(product_id)]

    def by_picture(self, file_name: str) -> Product:
        """The product whose picture has this file name, or UnknownNameError."""
        if file_name not in self._index_pictures:
            raise UnknownNameError("picture", file_name, self._index_pictures)
        return self.products[self._index_pictures[file_name]]

    def cue_of(self, product_id: str) -> Cue:
        """The ground truth of one product, or UnknownNameError."""
        return self.cues[self._position(product_id)]

    def collection(self, slug: str) -> Collection:
        """The collection with this slug, or UnknownNameError."""
        if slug not in self._index_collections:
            raise UnknownNameError("collection", slug, self._index_collections)
        return self._index_collections[slug]

    def collections_in(self, category: str) -> tuple[Collection, ...]:
        """The collections of one category, in shop order, or UnknownNameError."""
        known = [entry.slug for entry in self.categories]
        if category not in known:
            raise UnknownNameError("category", category, known)
        return tuple(entry for entry in self.collections if entry.category == category)

    def products_in(self, collection: str) -> tuple[Product, ...]:
        """The products of one collection in listing order, or UnknownNameError."""
        self.collection(collection)
        return self._index_members[collection]

    def _position(self, product_id: str) -> int:
        if product_id not in self._index_ids:
            raise UnknownNameError("product", product_id, self._index_ids)
        return self._index_ids[product_id]

    @functools.cached_property
    def _index_ids(self) -> Mapping[str, int]:
        return {product.id: index for index, product in enumerate(self.products)}

    @functools.cached_property
    def _index_pictures(self) -> Mapping[str, int]:
        return {product.picture: index for index, product in enumerate(self.products)}

    @functools.cached_property
    def _index_collections(self) -> Mapping[str, Collection]:
        return {entry.slug: entry for entry in self.collections}

    @functools.cached_property
    def _index_members(self) -> Mapping[str, tuple[Product, ...]]:
        members: dict[str, list[Product]] = {entry.slug: [] for entry in self.collections}
        for product in self.products:
            members[product.collection].append(product)
        return {slug: tuple(sorted(found, key=lambda p: p.order)) for slug, found in members.items()}
