"""What the shop is given, cues excluded, and the look-ups its pages need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from recallreach.errors import ConfigError
from recallreach.seeding import stream
from recallreach.storefront.types import Product

if TYPE_CHECKING:
    from recallreach.storefront.catalog import Category, Collection


class ShopCatalog(Protocol):
    """The part of a catalogue the shop may see: everything but the cues."""

    @property
    def categories(self) -> Sequence[Category]:
        """In the order of the navigation."""

    @property
    def collections(self) -> Sequence[Collection]:
        """In the order of their listing."""

    def __iter__(self) -> Iterator[Product]: ...

    def products_in(self, collection: str) -> Sequence[Product]:
        """The products of one collection in listing order."""


class ShopPictures(Protocol):
    """Encoded pictures by product id."""

    @property
    def media_type(self) -> str:
        """For instance "image/jpeg"."""

    def picture(self, product_id: str) -> bytes:
        """The product picture."""

    def base(self, product_id: str) -> bytes:
        """The same scene without the incidental object: for covers, which belong to no product."""


class Stock:
    """Look-ups over one catalogue, made once.

    Raises:
        ConfigError: the catalogue holds no products.
    """

    def __init__(self, catalog: ShopCatalog) -> None:
        self.categories = tuple(catalog.categories)
        self.collections = tuple(catalog.collections)
        self.products = {product.id: product for product in catalog}
        if not self.products or not self.collections:
            raise ConfigError("the catalogue holds no products: there is nothing to put into the shop")
        self.by_picture = {product.picture: product for product in self.products.values()}
        self.category = {category.slug: category for category in self.categories}
        self.collection = {collection.slug: collection for collection in self.collections}
        self.listing = {slug: tuple(catalog.products_in(slug)) for slug in self.collection}
        self.covers = self._covers()

    def collections_of(self, category: str) -> tuple[Collection, ...]:
        """The collections of one category in listing order."""
        return tuple(entry for entry in self.collections if entry.category == category)

    def siblings(self, product: Product, count: int) -> tuple[Product, ...]:
        """The next products of the same collection, round the end to its start."""
        listed = self.listing[product.collection]
        at = listed.index(product)
        return (listed[at + 1 :] + listed[:at])[:count]

    def favourites(self, count: int) -> tuple[Collection, ...]:
        """Collections for the home page: a fixed draw, spread over the categories."""
        draw = stream(0, "shop", "favourites").permutation(len(self.collections))
        shuffled = [self.collections[int(at)] for at in draw]
        seen: Counter[str] = Counter()
        rounds: list[tuple[int, Collection]] = []
        for entry in shuffled:
            rounds.append((seen[entry.category], entry))
            seen[entry.category] += 1
        return tuple(entry for _, entry in sorted(rounds, key=lambda ranked: ranked[0])[:count])

    def _covers(self) -> dict[str, str]:
        """Product whose scene is the cover of each category and collection, by slug."""
        covers = {slug: _drawn(slug, listed) for slug, listed in self.listing.items() if listed}
        for category in self.categories:
            listed = [p for entry in self.collections_of(category.slug) for p in self.listing[entry.slug]]
            if listed:
                covers[category.slug] = _drawn(category.slug, listed)
        return covers


def _drawn(slug: str, listed: Sequence[Product]) -> str:
    return listed[int(stream(0, "shop", "cover", slug).integers(len(listed)))].id
