"""Catalogues on disk: one JSON file, checked when read."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, TypeVar

from recallreach.errors import DataError, close_matches
from recallreach.files import dump_json, read_json, write_atomically
from recallreach.storefront.catalog import Catalog, Category, Collection
from recallreach.storefront.data import COLORS
from recallreach.storefront.photos import Photos
from recallreach.storefront.pictures.art import Art
from recallreach.storefront.types import Cue, Product

log = logging.getLogger(__name__)
KIND, FORMAT = "recallreach-catalog", 1
EntryT = TypeVar("EntryT")


def save_catalog(catalog: Catalog, path: Path) -> None:
    """Write `catalog` to `path` atomically."""
    products = [
        {**asdict(product), "cue": asdict(cue)}
        for product, cue in zip(catalog.products, catalog.cues, strict=True)
    ]
    value: dict[str, Any] = {
        "kind": KIND,
        "format": FORMAT,
        "seed": catalog.seed,
        "categories": [asdict(entry) for entry in catalog.categories],
        "collections": [asdict(entry) for entry in catalog.collections],
        "products": products,
    }
    if catalog.photos is not None:
        value |= {"name": catalog.name, "warning": catalog.warning}
        value["photos"] = {"media_type": catalog.photos.media_type}
        for row, photo in zip(products, catalog.photos.entries, strict=True):
            row["photo"] = asdict(photo)
    write_atomically(path, dump_json(value))


def load_catalog(path: Path, art: Art) -> Catalog:
    """Read and check a catalogue; DataError names file and entry."""
    value = read_json(path)
    if not isinstance(value, dict) or (value.get("kind"), value.get("format")) != (KIND, FORMAT):
        raise DataError(f"{path} is not a catalogue of format {FORMAT}")
    try:
        seed, rows = value["seed"], value["products"]
        categories = _entries(path, "category", value["categories"], _build(Category))
        collections = _entries(path, "collection", value["collections"], _build(Collection))
    except KeyError as error:
        raise DataError(f"{path} lacks {error}") from error
    if not isinstance(seed, int) or seed < 0:
        raise DataError(f"{path}: seed is {seed!r}, it must be a non-negative integer")
    photos = _photos(path, value, rows)
    catalog = Catalog(
        seed=seed,
        categories=categories,
        collections=collections,
        products=_entries(path, "product", rows, _product),
        cues=_entries(path, "product", rows, lambda row: _build(Cue)(row["cue"])),
        name=str(value.get("name", "synthetic")),
        warning=str(value.get("warning", "")),
        photos=photos,
        art=art,
    )
    _check(path, catalog)
    if catalog.warning:
        log.warning("%s: %s", catalog.name, catalog.warning)
    return catalog


def _photos(path: Path, value: Any, rows: Any) -> Photos | None:
    if "photos" not in value:
        return None
    try:
        return Photos.read(path.resolve().parent, value["photos"], rows)
    except (KeyError, TypeError, AttributeError, DataError) as error:
        raise DataError(f"{path}: its list of pictures cannot be used: {_reason(error)}") from error


def _entries(path: Path, kind: str, rows: Any, make: Callable[[Any], EntryT]) -> tuple[EntryT, ...]:
    if not isinstance(rows, list):
        raise DataError(f"{path}: the list of {kind} entries is a {type(rows).__name__}")
    found = []
    for number, row in enumerate(rows):
        try:
            found.append(make(row))
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"{path}, {kind} {number} ({_label(row)}): {_reason(error)}") from error
    return tuple(found)


def _label(row: Any) -> str:
    return str(row.get("id") or row.get("slug") or "unnamed") if isinstance(row, Mapping) else repr(row)


def _reason(error: Exception) -> str:
    return f"lacks {error}" if isinstance(error, KeyError) else str(error)


def _build(kind: type[EntryT]) -> Callable[[Any], EntryT]:
    names = [entry.name for entry in fields(kind)]  # type: ignore[arg-type]

    def build(row: Any) -> EntryT:
        values = {name: row[name] for name in names}
        wrong = next(
            (name for name, value in values.items() if not isinstance(value, str) or not value), None
        )
        if wrong:
            raise ValueError(f"{wrong} is {values[wrong]!r}, it must be text")
        return kind(**values)

    return build


def _product(row: Any) -> Product:
    text = {name: row[name] for name in ("id", "category", "style", "title", "picture", "description")}
    numbers = {name: row[name] for name in ("price_cents", "order")}
    for name, value in text.items():
        if not isinstance(value, str) or (not value and name != "description"):
            raise ValueError(f"{name} is {value!r}, it must be text")
    for name, value in numbers.items():
        if not isinstance(value, int) or value < 0:
            raise ValueError(f"{name} is {value!r}, it must be a non-negative integer")
    if "/" in row["picture"] or row["picture"].startswith("."):
        raise ValueError(f"picture {row['picture']!r} is not a plain file name")
    details = tuple((str(label), str(said)) for label, said in row["details"])
    reviews = tuple((str(author), int(stars), str(said)) for author, stars, said in row["reviews"])
    return Product(**text, **numbers, details=details, reviews=reviews)


def _check(path: Path, catalog: Catalog) -> None:
    products = catalog.products
    _unique(path, "id", (product.id for product in products), products)
    _unique(path, "picture", (product.picture for product in products), products)
    _unique(path, "cue", (cue.phrase for cue in catalog.cues), products)
    _unique(path, "place", (f"{p.collection}, order {p.order}" for p in products), products)
    categories = {entry.slug for entry in catalog.categories}
    for entry in catalog.collections:
        _known(path, f"collection {entry.slug}", "category", entry.category, categories)
    for product, cue in zip(products, catalog.cues, strict=True):
        where = f"product {product.id}"
        _known(path, where, "category", product.category, categories)
        _known(path, where, "collection", product.collection, {entry.slug for entry in catalog.collections})
        _known(path, where, "colour", cue.color, COLORS)
        if catalog.photos is None:
            _known(path, where, "cue object", cue.slug, catalog.art.cue_names)


def _unique(path: Path, kind: str, values: Iterable[str], products: tuple[Product, ...]) -> None:
    first: dict[str, str] = {}
    for value, product in zip(values, products, strict=True):
        if value in first:
            raise DataError(f"{path}: products {first[value]} and {product.id} have the same {kind}: {value}")
        first[value] = product.id


def _known(path: Path, where: str, kind: str, value: str, known: Iterable[str]) -> None:
    if value not in known:
        near = close_matches(value, known)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise DataError(f"{path}, {where}: unknown {kind} {value!r}{hint}")
