"""The released catalogue of DMV-Bench (arXiv 2606.27499) as it is, leaks included.

Its files are Apache-2.0 (github.com/yyyujintang/DMV-Bench); nothing of it ships with this package.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from recallreach.errors import DataError, close_matches
from recallreach.files import read_json, sha256, write_atomically
from recallreach.storefront.catalog import Catalog, Category, Collection
from recallreach.storefront.data import COLORS
from recallreach.storefront.importers.sources import inside, read_picture, whole_folder
from recallreach.storefront.photos import Photo, Photos
from recallreach.storefront.pictures.art import Art
from recallreach.storefront.types import Cue, Product

NAME = "dmvbench"
WARNING = (
    "this is the released DMV-Bench catalogue, whose text gives its cues away: the number in the title, the "
    "price rank, the page order and the file name each tell the colour (3.32 of 3.32 bits), the collection "
    "tells the object (6.64 of 6.64 bits). No text-only result on it is at chance; "
    "`recallreach catalog repair` makes a clean one"
)
LICENSE = "Apache-2.0"
Titles = Literal["shown", "hidden"]
Progress = Callable[[int, int], None]

_ROW_KEYS = ("cat", "style", "prod_idx", "url_hash", "cue_object", "cue_color")
_VARIANT_KEYS = ("urlHash", "displayName", "price", "collectionId", "productId")


@dataclass(frozen=True, slots=True)
class _Released:
    """One product as the two files tell it."""

    where: str
    row: Mapping[str, Any]
    variant: Mapping[str, Any]
    base: Mapping[str, Any]

    @property
    def path(self) -> str:
        return f"{self.row['cat']}/{self.row['style']}/{int(self.row['prod_idx']):02d}.png"


def import_dmvbench(
    registry: Path,
    seed_file: Path,
    images: Path,
    target: Path,
    *,
    titles: Titles = "shown",
    progress: Progress | None = None,
) -> Catalog:
    """Make a catalogue folder from the released files.

    The published storefront shows title and price on every page and sorts each collection by price; its
    agents, however, are given nothing but a page's address and picture. `titles` chooses between the two.

    Args:
        registry: `cue_registry.json`.
        seed_file: `seed_v2.json`.
        images: folder with `with_cue/<category>/<style>/<NN>.png` and, if there, the same below `base/`.
        target: new folder: `catalog.json` and `pictures/`.
        titles: "shown" as in the storefront; "hidden" shows each product under its address and every variant
            of a collection at one price.
        progress: told products done and to do.

    Raises:
        DataError: names file and row of what cannot be used; nothing is written then.
    """
    products = _products(registry, seed_file)
    with whole_folder(target) as scratch:
        photos = _photos(products, images, scratch, progress or (lambda done, total: None))
        catalog = _catalog(products, read_json(seed_file), titles, photos, registry)
        catalog.save(scratch / "catalog.json")
    return Catalog.load(target / "catalog.json")


def _products(registry: Path, seed_file: Path) -> list[_Released]:
    rows = _entries(read_json(registry), "rows", _ROW_KEYS, registry)
    seed = read_json(seed_file)
    variants = _entries(seed, "variants", _VARIANT_KEYS, seed_file)
    bases = {
        base["id"]: base
        for base in _entries(seed, "products", ("id", "longDesc", "material", "price"), seed_file)
    }
    by_hash = _unique(variants, "urlHash", seed_file, "variants")
    _unique(rows, "url_hash", registry, "rows")
    found = []
    for number, row in enumerate(rows):
        where = f"{registry}, row {number} ({row['url_hash']})"
        variant = by_hash.get(row["url_hash"])
        if variant is None:
            raise DataError(f"{where}: {seed_file} has no variant of this url_hash")
        if variant["productId"] not in bases:
            raise DataError(
                f"{seed_file}, variant {variant['urlHash']}: unknown product {variant['productId']!r}"
            )
        _check_row(where, row, variant)
        found.append(_Released(where, row, variant, bases[variant["productId"]]))
    if len(rows) != len(variants):
        raise DataError(
            f"{registry} has {len(rows)} products, {seed_file} has {len(variants)}; "
            "they must be of one release"
        )
    _check_cues(found)
    return found


def _entries(value: Any, key: str, needed: Sequence[str], path: Path) -> list[Mapping[str, Any]]:
    rows = value.get(key) if isinstance(value, Mapping) else None
    if not isinstance(rows, list) or not rows:
        raise DataError(f"{path} has no list {key!r}; is it the released file?")
    for number, row in enumerate(rows):
        missing = [name for name in needed if not isinstance(row, Mapping) or name not in row]
        if missing:
            raise DataError(f"{path}, {key} {number}: lacks {', '.join(missing)}")
    return rows


def _unique(
    rows: Sequence[Mapping[str, Any]], key: str, path: Path, kind: str
) -> dict[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = {}
    for number, row in enumerate(rows):
        if row[key] in found:
            raise DataError(f"{path}, {kind} {number}: the id {row[key]} is there twice")
        found[row[key]] = row
    return found


def _check_row(where: str, row: Mapping[str, Any], variant: Mapping[str, Any]) -> None:
    for key in ("cat", "style", "cue_object", "cue_color", "url_hash"):
        if not isinstance(row[key], str) or not row[key]:
            raise DataError(f"{where}: {key} is {row[key]!r}, it must be text")
    if row["cue_color"] not in COLORS:
        near = close_matches(row["cue_color"], COLORS)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise DataError(f"{where}: unknown colour {row['cue_color']!r}{hint}")
    if not isinstance(row["prod_idx"], int) or not 0 <= row["prod_idx"] < 1000:
        raise DataError(f"{where}: prod_idx is {row['prod_idx']!r}, it must be a number from 0")
    if not isinstance(variant["price"], int | float) or variant["price"] < 0:
        raise DataError(f"{where}: its price is {variant['price']!r}, it must be a number")


def _check_cues(products: Sequence[_Released]) -> None:
    first: dict[tuple[str, str], str] = {}
    for product in products:
        cue = (product.row["cue_color"], product.row["cue_object"])
        if cue in first:
            raise DataError(f"{product.where}: the cue {' '.join(cue)!r} belongs to {first[cue]} already")
        first[cue] = product.row["url_hash"]


def _photos(products: Sequence[_Released], images: Path, scratch: Path, progress: Progress) -> Photos:
    has_base = (images / "base").is_dir()
    entries = []
    for done, product in enumerate(products):
        cued = _copied(inside(images / "with_cue", product.path, product.where), product, "with_cue", scratch)
        base = ""
        if has_base:
            base = _copied(inside(images / "base", product.path, product.where), product, "base", scratch)[0]
        entries.append(Photo(*cued, base=base, license=LICENSE, source=f"with_cue/{product.path}"))
        progress(done + 1, len(products))
    return Photos(scratch, "image/png", tuple(entries))


def _copied(path: Path, product: _Released, kind: str, scratch: Path) -> tuple[str, str]:
    """Path in the new folder, and SHA-256."""
    data, media_type = read_picture(path, product.where)
    if media_type != "image/png":
        raise DataError(f"{product.where}: {path} is {media_type}, not a PNG picture")
    name = f"pictures/{kind}/{product.path}"
    write_atomically(scratch / name, data, durable=False)
    return name, sha256(data)


def _catalog(
    products: Sequence[_Released], seed: Mapping[str, Any], titles: Titles, photos: Photos, registry: Path
) -> Catalog:
    categories = {
        entry["slug"]: entry for entry in _entries(seed, "categories", ("slug", "display"), registry)
    }
    collections = {
        entry["id"]: entry for entry in _entries(seed, "collections", ("id", "displayName"), registry)
    }
    pieces = {(p.row["cat"], p.row["style"]): collections[p.variant["collectionId"]] for p in products}
    sizes = Counter((p.row["cat"], p.row["style"]) for p in products)
    slugs = {name: slug for slug, name in Art().cue_names.items()}
    made = _orders(products)
    return Catalog(
        seed=0,
        categories=tuple(
            Category(
                slug,
                categories.get(slug, {}).get("display", slug),
                categories.get(slug, {}).get("description") or slug,
            )
            for slug in dict.fromkeys(category for category, _ in pieces)
        ),
        collections=tuple(
            Collection(
                f"{category}-{style}",
                category,
                style,
                piece["displayName"],
                f"{sizes[category, style]} pieces.",
            )
            for (category, style), piece in pieces.items()
        ),
        products=tuple(_product(product, made[product.row["url_hash"]], titles) for product in products),
        cues=tuple(_cue(product, slugs) for product in products),
        name=NAME,
        warning=WARNING,
        photos=photos,
    )


def _orders(products: Sequence[_Released]) -> dict[str, int]:
    """Place of each product in its collection: by price, as the published pages sort."""
    listed: dict[tuple[str, str], list[_Released]] = {}
    for product in products:
        listed.setdefault((product.row["cat"], product.row["style"]), []).append(product)
    return {
        product.row["url_hash"]: place
        for siblings in listed.values()
        for place, product in enumerate(sorted(siblings, key=lambda entry: float(entry.variant["price"])))
    }


def _product(released: _Released, order: int, titles: Titles) -> Product:
    row, variant, hidden = released.row, released.variant, titles == "hidden"
    address = f"/product/{row['url_hash']}"
    price = released.base["price"] if hidden else variant["price"]
    return Product(
        id=row["url_hash"],
        category=row["cat"],
        style=row["style"],
        title=address if hidden else variant["displayName"],
        price_cents=round(100 * price),
        order=order,
        picture=released.path.replace("/", "-"),
        description=address if hidden else str(released.base["longDesc"]),
        details=() if hidden else (("Material", str(released.base["material"])),),
    )


def _cue(released: _Released, slugs: Mapping[str, str]) -> Cue:
    name = released.row["cue_object"]
    return Cue(name, released.row["cue_color"], slugs.get(name, name.replace(" ", "-")))
