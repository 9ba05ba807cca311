"""The same products and pictures in a shop whose text knows nothing of the cues."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from recallreach.errors import ConfigError
from recallreach.files import sha256, write_atomically
from recallreach.seeding import stream
from recallreach.storefront.catalog import Catalog, Category, Collection
from recallreach.storefront.catalog_text import Subject, reviews
from recallreach.storefront.data import shop_words
from recallreach.storefront.importers.padding import common_length, filled, stripped
from recallreach.storefront.importers.sources import read_bytes, whole_folder
from recallreach.storefront.photos import MEDIA_TYPES, Photo, Photos
from recallreach.storefront.types import Product

Progress = Callable[[int, int], None]
HALLS = (
    "North",
    "East",
    "South",
    "West",
    "Upper",
    "Lower",
    "Inner",
    "Outer",
    "First",
    "Second",
    "Third",
    "Fourth",
)
PRICE_SPREAD = 0.3
KEPT_WARNING = (
    "repaired with its categories kept: a category that goes with certain cue objects still tells them; "
    "`recallreach audit` says how much"
)


def repair(
    catalog: Catalog,
    target: Path,
    *,
    seed: int = 0,
    keep_categories: bool = False,
    progress: Progress | None = None,
) -> Catalog:
    """Redraw everything but products and pictures: ids, titles, prices, order, texts, file names and
    collections.

    In the released DMV-Bench catalogue the collection gives the object away and even the category tells a
    third of it, so products are dealt anew to neutral halls and collections. With `keep_categories` they
    stay in their category and only change collections there; what the category tells then remains. Picture
    files lose their metadata and are filled up to one length; their pixels stay.

    Args:
        catalog: an imported catalogue.
        target: new folder.
        seed: of all draws.
        keep_categories: keep each product in its category.
        progress: told products done and to do.

    Raises:
        ConfigError: the catalogue was not imported, or is too large for the names there are.
        DataError: a picture cannot be read, or the folder cannot be written; nothing is written then.
    """
    if catalog.photos is None:
        raise ConfigError(
            "a synthetic catalogue is drawn clean and needs no repair; "
            "draw another: recallreach catalog build"
        )
    if seed < 0:
        raise ConfigError(f"seed {seed} must not be negative")
    plan = _Plan(catalog, seed, keep_categories)
    with whole_folder(target) as scratch:
        photos = _photos(catalog, plan, scratch, progress or (lambda done, total: None))
        repaired = Catalog(
            seed=seed,
            categories=plan.categories,
            collections=plan.collections,
            products=plan.products,
            cues=tuple(catalog.cues[at] for at in plan.dealt),
            name=f"{catalog.name}-repaired",
            warning=KEPT_WARNING if keep_categories else "",
            photos=photos,
            art=catalog.art,
        )
        repaired.save(scratch / "catalog.json")
    return Catalog.load(target / "catalog.json", art=catalog.art)


class _Plan:
    """Which old product comes to which new place; `dealt[i]` is the old position of new product i."""

    def __init__(self, catalog: Catalog, seed: int, keep_categories: bool) -> None:
        self._catalog, self._seed = catalog, seed
        series = shop_words()["series"]
        if len(catalog.collections) > len(series):
            raise ConfigError(f"{len(catalog.collections)} collections; there are names for {len(series)}")
        drawn = stream(seed, "repair", "series").permutation(len(series))
        self._series = [str(series[int(at)]) for at in drawn]
        self.categories = catalog.categories if keep_categories else _halls(len(catalog.categories))
        self.collections = tuple(self._collections())
        self.dealt = self._deal(keep_categories)
        self.products = tuple(self._products())

    def _collections(self) -> list[Collection]:
        known = {old.slug: new for old, new in zip(self._catalog.categories, self.categories, strict=True)}
        found = []
        for old, series in zip(self._catalog.collections, self._series, strict=False):
            category = known[old.category]
            style = series.lower()
            name = f"{series} {category.name.lower()}"
            found.append(
                Collection(f"{category.slug}-{style}", category.slug, style, name, "Chosen to be looked at.")
            )
        return found

    def _deal(self, keep_categories: bool) -> list[int]:
        """All products shuffled over all places, or those of each category over its own."""
        old = self._catalog
        rng = stream(self._seed, "repair", "deal")
        position = {product.id: at for at, product in enumerate(old.products)}
        places = [
            position[product.id] for entry in old.collections for product in old.products_in(entry.slug)
        ]
        pools: dict[str, list[int]] = {}
        for at in places:
            pools.setdefault(old.products[at].category if keep_categories else "", []).append(at)
        mixed = {kind: iter(rng.permutation(pool)) for kind, pool in pools.items()}
        return [int(next(mixed[old.products[at].category if keep_categories else ""])) for at in places]

    def _products(self) -> list[Product]:
        count = len(self.dealt)
        ids, files = (
            _tokens(self._seed, purpose, count, size) for purpose, size in (("id", 8), ("picture", 12))
        )
        numbers = stream(self._seed, "repair", "number").permutation(max(999, 2 * count))
        assert self._catalog.photos is not None
        suffix = MEDIA_TYPES[self._catalog.photos.media_type]
        products: list[Product] = []
        for old, new in zip(self._catalog.collections, self.collections, strict=True):
            for order in range(len(self._catalog.products_in(old.slug))):
                at = len(products)
                products.append(
                    Product(
                        id=ids[at],
                        category=new.category,
                        style=new.style,
                        title=f"{self._series_of(new)} piece No. {int(numbers[at]) + 1}",
                        price_cents=self._price(ids[at]),
                        order=order,
                        picture=f"{files[at]}.{suffix}",
                        description=self._description(ids[at]),
                        reviews=reviews(Subject(self._seed, ids[at], "", "")),
                    )
                )
        return products

    def _series_of(self, collection: Collection) -> str:
        return collection.name.split(" ", 1)[0]

    def _price(self, product_id: str) -> int:
        typical = float(np.median([product.price_cents for product in self._catalog.products])) / 100
        draw = stream(self._seed, "repair", "price", product_id)
        units = max(5, round(typical * float(np.exp(draw.normal(0, PRICE_SPREAD)))))
        return 100 * units + int(draw.choice([0, 50, 90, 95]))

    def _description(self, product_id: str) -> str:
        words, draw = shop_words(), stream(self._seed, "repair", "description", product_id)
        adjective, other = (
            words["adjectives"][int(at)] for at in draw.permutation(len(words["adjectives"]))[:2]
        )
        place = words["places"][int(draw.integers(len(words["places"])))]
        return f"{adjective[0].upper()}{adjective[1:]} and {other}: a piece for {place}."


def _halls(count: int) -> tuple[Category, ...]:
    if count > len(HALLS):
        raise ConfigError(
            f"{count} categories; a repaired catalogue has names for {len(HALLS)}: keep the categories"
        )
    return tuple(
        Category(f"{name.lower()}-hall", f"{name} hall pieces", f"What stands in the {name.lower()} hall.")
        for name in HALLS[:count]
    )


def _photos(catalog: Catalog, plan: _Plan, scratch: Path, progress: Progress) -> Photos:
    photos = catalog.photos
    assert photos is not None
    picked = [photos.entries[at] for at in plan.dealt]
    folder, suffix = photos.folder, MEDIA_TYPES[photos.media_type]
    names = [name for photo in picked for name in (photo.cued, photo.base) if name]
    length = common_length(len(stripped(_read(folder, name))) for name in names)
    entries = []
    for product, photo in zip(plan.products, picked, strict=True):
        stem = Path(product.picture).stem
        cued = filled(stripped(_read(folder, photo.cued)), length)
        base = filled(stripped(_read(folder, photo.base)), length) if photo.base else b""
        mask = _read(folder, photo.mask) if photo.mask else b""
        paths = [
            _written(scratch, f"pictures/{kind}/{stem}.{end}", data)
            for kind, end, data in (("cued", suffix, cued), ("base", suffix, base), ("mask", "png", mask))
        ]
        entries.append(Photo(paths[0], sha256(cued), paths[1], paths[2], photo.license, photo.source))
        progress(len(entries), len(picked))
    return Photos(scratch, photos.media_type, tuple(entries))


def _read(folder: Path, name: str) -> bytes:
    return read_bytes(folder / name, "the catalogue to repair")


def _written(scratch: Path, name: str, data: bytes) -> str:
    """The name, or "" where there is nothing to write."""
    if not data:
        return ""
    write_atomically(scratch / name, data, durable=False)
    return name


def _tokens(seed: int, purpose: str, count: int, digits: int) -> list[str]:
    rng = stream(seed, "repair", purpose)
    found: dict[str, None] = {}
    while len(found) < count:
        found[rng.bytes(digits // 2).hex()] = None
    return list(found)
