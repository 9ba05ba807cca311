"""What controls and gold retrieval need of the shop: other pictures, and which product shows which cue."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Protocol

from recallreach.env.actions import product_id_of
from recallreach.errors import DataError
from recallreach.memory.delivery.controls import Counterpart
from recallreach.seeding import stream
from recallreach.storefront.catalog import Catalog


class TwoPictures(Protocol):
    """What is needed of `recallreach.storefront.pictures.Pictures`."""

    def picture(self, product_id: str) -> bytes:
        """The encoded picture with its cue."""

    def base(self, product_id: str) -> bytes:
        """The encoded picture without the cue."""


class ShopCounterparts:
    """The shop's pictures as stand-ins for delivered ones (`memory.delivery.controls.Counterparts`).

    Args:
        catalog: whose products are shown; its seed decides which other product stands in for which.
        pictures: with and without their cues.
    """

    def __init__(self, catalog: Catalog, pictures: TwoPictures) -> None:
        self._catalog, self._pictures = catalog, pictures

    def picture(self, kind: Counterpart, url: str, avoid: Collection[str]) -> bytes:
        """As the contract says.

        Raises:
            DataError: the page is no product of this shop, or no other product is left.
        """
        product = product_id_of(url)
        if product is None or product not in self._members:
            raise DataError(f"pictures={kind!r}: {url!r} is no product page of this shop")
        if kind == "uncued":
            return self._pictures.base(product)
        shown = {product_id_of(page) for page in avoid}
        order = stream(self._catalog.seed, "counterpart", kind, product)
        others = self._others(kind, product)
        left = (others[int(place)] for place in order.permutation(len(others)))
        chosen = next((other for other in left if other not in shown), None)
        if chosen is None:
            raise DataError(
                f"pictures={kind!r}: the shop has no other product for {url} that was not retrieved"
            )
        return self._pictures.picture(chosen)

    @cached_property
    def _members(self) -> Mapping[str, tuple[str, str]]:
        return {one.id: (one.category, one.collection) for one in self._catalog}

    def _others(self, kind: Counterpart, product: str) -> Sequence[str]:
        category, collection = self._members[product]
        if kind == "same-collection":
            return [
                other for other, (_, of) in self._members.items() if of == collection and other != product
            ]
        return [other for other, (of, _) in self._members.items() if of != category]


def answers_of(catalog: Catalog) -> dict[str, str]:
    """Product id by cue phrase: the ground truth, for the harness's own checks."""
    return {catalog.cue_of(product.id).phrase.casefold(): product.id for product in catalog}
