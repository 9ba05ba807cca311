"""The shop's search: every word of the query must occur in the product's own text."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TypeVar

from recallreach.storefront.types import Product

KeyT = TypeVar("KeyT")
WORD = re.compile(r"[^\W_]+")
TITLE_WEIGHT, PLACE_WEIGHT, TEXT_WEIGHT = 9, 4, 1


def words(text: str) -> list[str]:
    """Folded words of `text`: lower case, without accents, plurals as singulars ("Étagères" -> "etagere")."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return [_singular(word) for word in WORD.findall(plain.replace("'", "").replace("’", ""))]


class SearchIndex:
    """Inverted index over title, collection and description; built once, never changed.

    Args:
        products: in the order that breaks ties.
        places: name of each collection by slug ("Art Deco Chairs").
    """

    def __init__(self, products: Iterable[Product], places: Mapping[str, str]) -> None:
        self._products: list[Product] = list(products)
        self._weights: dict[str, dict[int, int]] = defaultdict(dict)
        for at, product in enumerate(self._products):
            place = f"{product.category} {product.style} {places.get(product.collection, '')}"
            self._add(at, product.title, TITLE_WEIGHT)
            self._add(at, place, PLACE_WEIGHT)
            self._add(at, product.description, TEXT_WEIGHT)

    def find(self, query: str) -> tuple[Product, ...]:
        """All products whose text holds every word of `query`, best first; () for a query without words."""
        asked = [self._weights.get(word, {}) for word in dict.fromkeys(words(query))]
        if not asked:
            return ()
        hits = set(asked[0]).intersection(*asked[1:])
        scores = {at: sum(weights[at] for weights in asked) for at in hits}
        return tuple(self._products[at] for at in sorted(hits, key=lambda at: (-scores[at], at)))

    def single_words(self, query: str, limit: int = 3) -> list[tuple[str, int]]:
        """Words of `query` that find something by themselves in titles or collections, with their hits."""
        asked = [word for word in dict.fromkeys(query.split()) if self._names_something(word)]
        return [(word, hits) for word in asked if (hits := len(self.find(word)))][:limit]

    def _names_something(self, word: str) -> bool:
        return any(
            max(self._weights[part].values()) >= PLACE_WEIGHT for part in words(word) if part in self._weights
        )

    def _add(self, at: int, text: str, weight: int) -> None:
        for word in words(text):
            self._weights[word][at] = max(weight, self._weights[word].get(at, 0))


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ves"):
        return word[:-3] + "f"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
