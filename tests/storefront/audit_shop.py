"""A small shop for the tests of the leak audit, and ways to plant a leak into it."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Callable
from dataclasses import dataclass, field

from flask import Flask, Response, request
from PIL import Image

from recallreach.seeding import stream
from recallreach.storefront.app import create_app
from recallreach.storefront.audit.crawl import crawl
from recallreach.storefront.audit.fetch import InProcessFetcher
from recallreach.storefront.audit.levels import Settings, audit_reading
from recallreach.storefront.audit.report import AuditReport
from recallreach.storefront.catalog import Catalog
from recallreach.storefront.catalog_synthetic import Plan, draw_catalog
from recallreach.storefront.data import COLORS
from recallreach.storefront.pictures.art import Art
from recallreach.storefront.types import Cue, Product

OBJECTS = ("wool-scarf", "ceramic-mug", "eye-sleep-mask", "tennis-ball", "stapler", "postcard")
PIECES = (
    ("chair", "modern"),
    ("chair", "rustic"),
    ("lamp", "modern"),
    ("lamp", "rustic"),
    ("rug", "modern"),
    ("rug", "rustic"),
)


def small_catalog(seed: int = 0) -> Catalog:
    """Sixty products, six objects in ten colours, each pair once."""
    return draw_catalog(Plan(Art(), seed, PIECES, 10, OBJECTS))


def encoded(size: tuple[int, int] = (8, 8), kind: str = "JPEG", **options: object) -> bytes:
    """A grey picture."""
    data = io.BytesIO()
    Image.new("RGB", size, (120, 120, 120)).save(data, kind, **options)
    return data.getvalue()


class SamePictures:
    """One picture for all products, or what `made` says of their cues."""

    media_type = "image/jpeg"

    def __init__(self, catalog: Catalog, made: Callable[[Cue], bytes] | None = None) -> None:
        self._catalog, self._made, self._same = catalog, made, encoded()

    def picture(self, product_id: str) -> bytes:
        return self._same if self._made is None else self._made(self._catalog.cue_of(product_id))

    def base(self, product_id: str) -> bytes:
        return self._same


@dataclass
class Plant:
    """One leak: a change of the catalogue, of the pictures, of pages, or of any answer."""

    channel: str
    level: str
    page: Callable[[str, Cue, Product], str] | None = None
    card: Callable[[str, Catalog], str] | None = None
    headers: Callable[[Cue], dict[str, str]] | None = None
    media: Callable[[Cue], dict[str, str]] | None = None
    pictures: Callable[[Cue], bytes] | None = None
    catalog: Callable[[Catalog], Catalog] | None = None
    answer: Callable[[Response, Catalog], None] | None = None
    says: tuple[str, ...] = field(default=())


def planted_shop(plant: Plant, catalog: Catalog) -> tuple[Flask, Catalog]:
    """The shop with one leak in it."""
    catalog = plant.catalog(catalog) if plant.catalog else catalog
    app = create_app(catalog, SamePictures(catalog, plant.pictures))

    @app.after_request
    def leak(response: Response) -> Response:
        parts = request.path.strip("/").split("/")
        if plant.answer:
            plant.answer(response, catalog)
        if parts[0] == "product" and len(parts) == 2 and response.status_code == 200:
            product = catalog.by_id(parts[1])
            cue = catalog.cue_of(product.id)
            if plant.page:
                response.set_data(plant.page(response.get_data(as_text=True), cue, product))
            for name, value in (plant.headers(cue) if plant.headers else {}).items():
                response.headers.add(name, value)
        if parts[0] == "media" and plant.media and response.status_code == 200:
            for name, value in plant.media(catalog.cue_of(catalog.by_picture(parts[1]).id)).items():
                response.headers[name] = value
        if plant.card and response.mimetype == "text/html":
            response.set_data(plant.card(response.get_data(as_text=True), catalog))
        return response

    return app, catalog


def audited(app: Flask, catalog: Catalog, **options: object) -> AuditReport:
    """Levels L1 and L2 of a shop."""
    reading = crawl(InProcessFetcher(app), catalog)
    return audit_reading(reading, catalog, Settings(**options), "in process")  # type: ignore[arg-type]


def color_index(cue: Cue) -> int:
    """The colour as a number that no word gives away: its place in a shuffled order."""
    order = stream(7, "colours").permutation(len(COLORS))
    return int(order[COLORS.index(cue.color)])


def redrawn(change: Callable[[Product, Cue, int], Product]) -> Callable[[Catalog], Catalog]:
    """A catalogue whose products know their cues; `change` also gets the product's number."""

    def make(catalog: Catalog) -> Catalog:
        pairs = zip(catalog.products, catalog.cues, strict=True)
        products = tuple(change(product, cue, at) for at, (product, cue) in enumerate(pairs))
        return dataclasses.replace(catalog, products=products)

    return make
