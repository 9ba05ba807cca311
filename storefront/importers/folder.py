"""A folder of one's own pictures and a table of products, with a cue planted into every picture."""

from __future__ import annotations

import io
import itertools
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from recallreach.errors import ConfigError, DataError
from recallreach.files import sha256, write_atomically
from recallreach.seeding import stream
from recallreach.storefront.catalog import Catalog, Category, Collection
from recallreach.storefront.data import COLORS
from recallreach.storefront.importers.padding import common_length, filled
from recallreach.storefront.importers.planting import framed, plant_cue
from recallreach.storefront.importers.sources import inside, read_pixels, whole_folder
from recallreach.storefront.importers.table import Row, read_table
from recallreach.storefront.photos import Photo, Photos
from recallreach.storefront.pictures.art import Art
from recallreach.storefront.pictures.colors import cue_color
from recallreach.storefront.pictures.renderer import CUE_FRACTION
from recallreach.storefront.pictures.sprites import make_sprite
from recallreach.storefront.types import Cue, Product

NAME = "folder"
Progress = Callable[[int, int], None]
TYPICAL_PRICE, PRICE_SPREAD = 120, 0.5
QUALITY = 92


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of an import.

    Attributes:
        catalog: as loaded from its new folder.
        weakest: contrast of the least visible cue, as an OKLab distance, and the row it belongs to.
        faint: how many cues stand out less than is comfortable (0.12).
    """

    catalog: Catalog
    weakest: tuple[float, str]
    faint: int


def import_folder(
    folder: Path,
    table: Path,
    target: Path,
    *,
    seed: int = 0,
    cue_fraction: float = CUE_FRACTION,
    crop: bool = True,
    art: Art | None = None,
    progress: Progress | None = None,
) -> Imported:
    """Make a catalogue folder from pictures and a table.

    Titles, prices and descriptions stay as the table says them; ids, file names, listing order and (where
    the table does not name them) cues are independent seeded draws. Metadata of the pictures is not kept.

    Args:
        folder: where the pictures lie.
        table: CSV with the columns picture, title, category and, if wanted, collection, price, description,
            license, source, id, cue_object, cue_color.
        target: new folder: `catalog.json` and `pictures/` with base, cued and mask of every product.
        seed: of all draws.
        cue_fraction: area of a cue as a fraction of the frame.
        crop: crop pictures to a square; else they are kept whole with a border.
        art: another folder of cue layers.
        progress: told products done and to do.

    Raises:
        DataError: names file and row of what cannot be used; nothing is written then.
        ConfigError: an option cannot be used.
    """
    if seed < 0 or not 0.001 <= cue_fraction <= 0.1:
        raise ConfigError(
            f"seed {seed} must not be negative, cue_fraction {cue_fraction} lie between 0.001 and 0.1"
        )
    art = art or Art()
    rows = read_table(table, art.cue_names)
    paths = [inside(folder, row.picture, row.where) for row in rows]
    cues = _cues(rows, art, seed)
    planter = _Planter(art, seed, cue_fraction, crop)
    with whole_folder(target) as scratch:
        photos, contrasts = [], []
        for done, (row, path, cue) in enumerate(zip(rows, paths, cues, strict=True)):
            photo, contrast = planter.photo(row, path, cue, scratch)
            photos.append(photo)
            contrasts.append((contrast, row.where))
            if progress is not None:
                progress(done + 1, len(rows))
        kept = Photos(scratch, "image/jpeg", _of_one_length(photos, scratch))
        _catalog(rows, cues, seed, kept, art).save(scratch / "catalog.json")
    faint = sum(contrast < 0.12 for contrast, _ in contrasts)
    return Imported(Catalog.load(target / "catalog.json", art=art), min(contrasts), faint)


def slug_of(text: str, where: str) -> str:
    """A name as an address writes it: "Plant pots & bowls" -> "plant-pots-bowls".

    Raises:
        DataError: nothing is left of it.
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().casefold()
    slug = "-".join(re.findall(r"[a-z0-9]+", plain))
    if not slug:
        raise DataError(f"{where}: {text!r} has no letter or digit that an address can hold")
    return slug


def _cues(rows: Sequence[Row], art: Art, seed: int) -> list[Cue]:
    asked = {row.cue for row in rows if row.cue}
    free = [pair for pair in itertools.product(art.cues, COLORS) if pair not in asked]
    wanted = sum(row.cue is None for row in rows)
    if wanted > len(free):
        raise DataError(
            f"{len(rows)} products need a cue each, there are {len(art.cues)} objects x {len(COLORS)} colours"
        )
    drawn = iter(stream(seed, "cue").permutation(len(free)))
    pairs = [row.cue or free[int(next(drawn))] for row in rows]
    return [Cue(art.cue_names[slug], color, slug) for slug, color in pairs]


class _Planter:
    def __init__(self, art: Art, seed: int, cue_fraction: float, crop: bool) -> None:
        self._art, self._seed, self._fraction, self._crop = art, seed, cue_fraction, crop

    def photo(self, row: Row, path: Path, cue: Cue, scratch: Path) -> tuple[Photo, float]:
        """Plant, write the three files, and say how far the cue stands out."""
        base = framed(read_pixels(path, row.where), crop=self._crop)
        sprite = make_sprite(self._art.cue(cue.slug), self._fraction)
        rng = stream(self._seed, "place", row.picture)
        planted = plant_cue(base, sprite, cue_color(cue.color), rng)
        stem = stream(self._seed, "stem", row.picture).bytes(6).hex()
        files = {
            kind: f"pictures/{kind}/{stem}.{'png' if kind == 'mask' else 'jpg'}"
            for kind in ("base", "cued", "mask")
        }
        write_atomically(scratch / files["base"], _jpeg(planted.base), durable=False)
        write_atomically(scratch / files["cued"], _jpeg(planted.cued), durable=False)
        write_atomically(scratch / files["mask"], _mask(planted.mask), durable=False)
        photo = Photo(files["cued"], "", files["base"], files["mask"], row.license, row.source or row.picture)
        return photo, planted.placement.contrast


def _jpeg(pixels: object) -> bytes:
    """JPEG without subsampling: equal blocks of 8 x 8 pixels decode to equal pixels."""
    encoded = io.BytesIO()
    Image.fromarray(np.asarray(pixels)).save(encoded, "JPEG", quality=QUALITY, subsampling=0)
    return encoded.getvalue()


def _mask(mask: object) -> bytes:
    encoded = io.BytesIO()
    Image.fromarray(np.asarray(mask, bool)).save(encoded, "PNG")
    return encoded.getvalue()


def _of_one_length(photos: Sequence[Photo], scratch: Path) -> tuple[Photo, ...]:
    """All picture files filled up to one length, and their hashes noted."""
    names = [name for photo in photos for name in (photo.base, photo.cued)]
    length = common_length((scratch / name).stat().st_size for name in names)
    hashes = {}
    for name in names:
        data = filled((scratch / name).read_bytes(), length)
        hashes[name] = sha256(data)
        write_atomically(scratch / name, data, durable=False)
    return tuple(Photo(p.cued, hashes[p.cued], p.base, p.mask, p.license, p.source) for p in photos)


def _catalog(rows: Sequence[Row], cues: Sequence[Cue], seed: int, photos: Photos, art: Art) -> Catalog:
    places = [(slug_of(row.category, row.where), slug_of(row.collection or "all", row.where)) for row in rows]
    names = dict(zip(places, rows, strict=True))
    ids = _tokens(seed, "id", len(rows), 8)
    files = _tokens(seed, "picture", len(rows), 12)
    orders = _orders(places, seed)
    return Catalog(
        seed=seed,
        categories=tuple(
            Category(slug, _name(rows, places, slug), f"All our {_name(rows, places, slug).lower()}.")
            for slug in dict.fromkeys(category for category, _ in places)
        ),
        collections=tuple(
            Collection(
                f"{category}-{style}",
                category,
                style,
                _collection_name(names[category, style]),
                _size(places, (category, style)),
            )
            for category, style in dict.fromkeys(places)
        ),
        products=tuple(
            Product(
                id=ids[at],
                category=places[at][0],
                style=places[at][1],
                title=row.title,
                price_cents=row.price_cents if row.price_cents is not None else _drawn_price(seed, ids[at]),
                order=orders[at],
                picture=f"{files[at]}.jpg",
                description=row.description,
            )
            for at, row in enumerate(rows)
        ),
        cues=tuple(cues),
        name=NAME,
        photos=photos,
        art=art,
    )


def _name(rows: Sequence[Row], places: Sequence[tuple[str, str]], slug: str) -> str:
    return next(row.category for row, place in zip(rows, places, strict=True) if place[0] == slug)


def _collection_name(row: Row) -> str:
    return f"{row.collection} {row.category.lower()}" if row.collection else f"All {row.category.lower()}"


def _size(places: Sequence[tuple[str, str]], place: tuple[str, str]) -> str:
    count = places.count(place)
    return f"{count} piece{'' if count == 1 else 's'}."


def _orders(places: Sequence[tuple[str, str]], seed: int) -> list[int]:
    """A random order within each collection."""
    shuffled = stream(seed, "order").permutation(len(places))
    taken: dict[tuple[str, str], int] = {}
    orders = [0] * len(places)
    for at in shuffled:
        place = places[int(at)]
        orders[int(at)] = taken.get(place, 0)
        taken[place] = orders[int(at)] + 1
    return orders


def _drawn_price(seed: int, product_id: str) -> int:
    draw = stream(seed, "price", product_id)
    return 100 * max(5, round(TYPICAL_PRICE * float(np.exp(draw.normal(0, PRICE_SPREAD))))) + int(
        draw.choice([0, 50, 90])
    )


def _tokens(seed: int, purpose: str, count: int, digits: int) -> list[str]:
    rng = stream(seed, purpose)
    found: dict[str, None] = {}
    while len(found) < count:
        found[rng.bytes(digits // 2).hex()] = None
    return list(found)
