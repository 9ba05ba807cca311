"""Guessing honestly: a uniform draw, and the few steps that carry it out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recallreach.agents.notebook import labels, page_path
from recallreach.env.actions import product_id_of
from recallreach.env.types import Action, AddToWishlist, Done, Navigate, Observation, Open
from recallreach.memory.types import Delivered, DeliveredItem

_NEXT_KIND = {"category": "collection", "collection": "product"}


class Wanderer:
    """Ends on a product drawn uniformly: of those it was given, else of those delivered, else one it walks
    to.

    The walk takes a random category, a random collection in it and a random product of its first page:
    uniform over the shop where the branches are of equal size. It reads no picture and no text.

    Args:
        random: the episode's stream.
        products: paths to draw from; empty means the delivered items.
    """

    def __init__(self, random: np.random.Generator, products: Sequence[str] = ()) -> None:
        self._random = random
        self._products = list(products)
        self._chosen: str | None = None

    def decide(self, page: Observation, delivered: Delivered) -> tuple[str, Action]:
        """The next thought and action."""
        here = product_id_of(page.url)
        if self._chosen is None:
            return self._choose(page, delivered)
        if here is not None:
            return "I settle for this one.", AddToWishlist()
        if page.budget - page.step <= 1:
            return "I have no step left to look further.", Done()
        return self._walk(page)

    def _choose(self, page: Observation, delivered: Delivered) -> tuple[str, Action]:
        items = {item.url: item for item in reversed(product_items(delivered))}
        urls = self._products or sorted(items)
        if not urls:
            self._chosen = ""
            return self._walk(page)
        self._chosen = self._pick(urls)
        return "I pick one at random.", opening(items.get(self._chosen), self._chosen)

    def _walk(self, page: Observation) -> tuple[str, Action]:
        section = page_path(page.url).split("/")[1]
        kind = _NEXT_KIND.get(section, "category")
        links = list(labels(page, kind))
        if links:
            return f"I try one {kind} at random.", Navigate(self._pick(links))
        if page_path(page.url) != "/":
            return "There is nothing to choose from here.", Navigate("/")
        return "This shop shows me nothing to choose from.", Done()

    def _pick(self, hrefs: Sequence[str]) -> str:
        return hrefs[int(self._random.integers(len(hrefs)))]


def product_items(delivered: Delivered) -> list[DeliveredItem]:
    """The delivered items that are product pages, the first of each product, in order."""
    first: dict[str, DeliveredItem] = {}
    for item in delivered.items:
        product = product_id_of(item.url)
        if product is not None:
            first.setdefault(product, item)
    return list(first.values())


def opening(item: DeliveredItem | None, url: str) -> Action:
    """`open(M2)` where the item has a tag, else its address."""
    return Open(item.tag) if item is not None and item.tag else Navigate(url)
