"""Independent seeded draws: cue, title number, price, order, file name and id know nothing of each other.

The released DMV-Bench catalogue (arXiv 2606.27499) ties them together, so that text alone gives the cue away.
Here products are numbered by their listing order, and every other property is dealt to them from a stream of
its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from recallreach.errors import ConfigError, UnknownNameError
from recallreach.seeding import stream
from recallreach.storefront.catalog import Catalog, Category, Collection
from recallreach.storefront.catalog_text import Subject, description, details, reviews
from recallreach.storefront.data import COLORS, shop_words
from recallreach.storefront.pictures.art import Art
from recallreach.storefront.types import Cue, Product

PRICE_SPREAD = 0.16
"""Standard deviation of log price within a collection."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to draw: the checked arguments of `Catalog.synthetic`."""

    art: Art
    seed: int
    pieces: tuple[tuple[str, str], ...]
    variants: int
    objects: tuple[str, ...]

    @classmethod
    def of(
        cls,
        art: Art,
        seed: int,
        categories: Sequence[str] | None,
        styles: Sequence[str] | None,
        variants: int,
        objects: Sequence[str] | None,
    ) -> Plan:
        """Check the arguments against the art; raises as `Catalog.synthetic` says."""
        pieces = _pieces(art, categories, styles)
        chosen = _known("cue object", objects, art.cues)
        count, pairs = len(pieces) * variants, len(chosen) * len(COLORS)
        if not isinstance(seed, (int, np.integer)) or seed < 0:
            raise ConfigError(f"the catalogue's seed is {seed!r}; it is a whole number from 0 on")
        if variants < 1 or not pieces:
            raise ConfigError(f"{len(pieces)} collections of {variants} variants make no catalogue")
        if count > pairs:
            raise ConfigError(
                f"{len(pieces)} collections x {variants} variants = {count} products, but {len(chosen)} "
                f"objects x {len(COLORS)} colours give {pairs} different cues; "
                "take fewer variants or more objects"
            )
        return cls(art, seed, pieces, variants, chosen)


def draw_catalog(plan: Plan) -> Catalog:
    """The catalogue of one plan."""
    collections = _collections(plan)
    count = len(collections) * plan.variants
    ids, pictures = _tokens(plan.seed, "id", count, 8), _tokens(plan.seed, "picture", count, 12)
    products = [
        product
        for index, collection in enumerate(collections)
        for product in _products(plan, collection, _slice(ids, index, plan), _slice(pictures, index, plan))
    ]
    return Catalog(
        seed=plan.seed,
        categories=_categories(plan),
        collections=tuple(collections),
        products=tuple(products),
        cues=_cues(plan, count),
        art=plan.art,
    )


def series_of(collection: Collection) -> str:
    """The invented series name of a collection: "Aldermoor" of "Aldermoor Chairs"."""
    noun = shop_words()["categories"][collection.category]["name"]
    return collection.name.removesuffix(f" {noun.lower()}")


def _slice(entries: list[str], index: int, plan: Plan) -> list[str]:
    return entries[index * plan.variants : (index + 1) * plan.variants]


def _pieces(
    art: Art, categories: Sequence[str] | None, styles: Sequence[str] | None
) -> tuple[tuple[str, str], ...]:
    wanted = _known("category", categories, _in_order("categories", {c for c, _ in art.furniture}))
    fitting = _known("style", styles, _in_order("styles", {s for _, s in art.furniture}))
    asked = itertools.product(wanted, fitting)
    if categories is None or styles is None:
        return tuple(pair for pair in asked if pair in art.furniture)
    return tuple(pair for pair in asked if _piece(art, pair))


def _piece(art: Art, pair: tuple[str, str]) -> bool:
    if pair not in art.furniture:
        raise UnknownNameError(
            "furniture piece", "-".join(pair), ["-".join(known) for known in art.furniture]
        )
    return True


def _in_order(kind: str, found: set[str]) -> tuple[str, ...]:
    return tuple(slug for slug in shop_words()[kind] if slug in found)


def _known(kind: str, asked: Sequence[str] | None, known: tuple[str, ...]) -> tuple[str, ...]:
    for name in asked or ():
        if name not in known:
            raise UnknownNameError(kind, name, known)
    return known if asked is None else tuple(dict.fromkeys(asked))


def _categories(plan: Plan) -> tuple[Category, ...]:
    words = shop_words()["categories"]
    used = dict.fromkeys(category for category, _ in plan.pieces)
    return tuple(Category(slug, words[slug]["name"], words[slug]["blurb"]) for slug in used)


def _collections(plan: Plan) -> list[Collection]:
    words = shop_words()
    drawn = stream(plan.seed, "series").permutation(len(words["series"]))
    return [
        Collection(
            slug=f"{category}-{style}",
            category=category,
            style=style,
            name=f"{words['series'][index]} {words['categories'][category]['name'].lower()}",
            blurb=words["styles"][style]["blurb"],
        )
        for (category, style), index in zip(plan.pieces, drawn, strict=False)
    ]


def _cues(plan: Plan, count: int) -> tuple[Cue, ...]:
    pairs = list(itertools.product(plan.objects, COLORS))
    drawn = stream(plan.seed, "cue").permutation(len(pairs))[:count]
    return tuple(
        Cue(object=plan.art.cue_names[slug], color=color, slug=slug)
        for slug, color in (pairs[index] for index in drawn)
    )


def _products(plan: Plan, collection: Collection, ids: list[str], pictures: list[str]) -> list[Product]:
    numbers, prices = _numbers(plan, collection), _prices(plan, collection)
    series = series_of(collection)
    noun = shop_words()["categories"][collection.category]["noun"]
    subjects = [Subject(plan.seed, product_id, collection.category, series) for product_id in ids]
    return [
        Product(
            id=subject.id,
            category=collection.category,
            style=collection.style,
            title=f"{series} {noun} No. {numbers[order]}",
            price_cents=prices[order],
            order=order,
            picture=f"{pictures[order]}.jpg",
            description=description(subject),
            details=details(subject),
            reviews=reviews(subject),
        )
        for order, subject in enumerate(subjects)
    ]


def _numbers(plan: Plan, collection: Collection) -> list[int]:
    most = max(99, 10 * plan.variants)
    drawn = stream(plan.seed, "number", collection.slug).permutation(most)[: plan.variants]
    return [int(number) + 1 for number in drawn]


def _prices(plan: Plan, collection: Collection) -> list[int]:
    words, rng = shop_words(), stream(plan.seed, "price", collection.slug)
    mean = words["categories"][collection.category]["mean_price"]
    mean *= words["styles"][collection.style]["price_factor"] * rng.uniform(0.85, 1.15)
    units = np.maximum(5, np.round(mean * np.exp(rng.normal(0, PRICE_SPREAD, plan.variants))))
    endings = rng.choice([0, 50, 90, 95], size=plan.variants)
    return [int(100 * unit + cents) for unit, cents in zip(units, endings, strict=True)]


def _tokens(seed: int, purpose: str, count: int, digits: int) -> list[str]:
    rng = stream(seed, purpose)
    found: dict[str, None] = {}
    while len(found) < count:
        found[rng.bytes(digits // 2).hex()] = None
    return list(found)
