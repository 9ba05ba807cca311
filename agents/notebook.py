"""What the scripted shopper keeps in mind during one session; wiped with it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from recallreach.env.actions import product_id_of
from recallreach.env.types import Link, Observation

_PRICE = re.compile(r"[$€£]\s?\d[\d,]*(?:\.\d\d)?")
_STARS = re.compile("★{1,5}")


@dataclass(slots=True)
class Viewed:
    """A product whose page was open: how it is called, what it costs, how it is rated (0 when unknown)."""

    href: str
    title: str
    price: str
    cents: int
    stars: float


@dataclass(slots=True)
class Notebook:
    """Everything read so far.

    Attributes:
        categories: label by path of the categories on the home page.
        category: path of the one to shop in, once known.
        collections: label by path of its collections.
        listings: per collection path, label by path of the products listed, in reading order.
        viewed: products opened, in order of first view.
        trail: pages of this session as `back` walks them.
    """

    categories: dict[str, str] = field(default_factory=dict)
    category: str | None = None
    collections: dict[str, str] = field(default_factory=dict)
    listings: dict[str, dict[str, str]] = field(default_factory=dict)
    viewed: dict[str, Viewed] = field(default_factory=dict)
    trail: list[str] = field(default_factory=list)

    def read(self, observation: Observation, goal: str, *, went_back: bool) -> None:
        """Note down what the page says."""
        self._follow(observation.url, went_back)
        if self.category is None:
            self._find_category(observation, goal)
        path = page_path(observation.url)
        if path == self.category:
            self.collections.update(_own_collections(observation, path))
        elif path in self.collections:
            self.listings.setdefault(path, {}).update(labels(observation, "product"))
        elif product_id_of(observation.url) is not None:
            self.viewed.setdefault(path, _viewed(path, observation))

    def _follow(self, url: str, went_back: bool) -> None:
        if went_back and len(self.trail) > 1:
            self.trail.pop()
        elif not went_back:
            self.trail.append(page_path(url))

    def _find_category(self, observation: Observation, goal: str) -> None:
        self.categories.update(labels(observation, "category"))
        self.category = best_named(goal, self.categories)

    def unseen(self, collection: str) -> list[str]:
        """Products of a listing that were not opened yet."""
        return [href for href in self.listings.get(collection, {}) if href not in self.viewed]

    def title(self, href: str) -> str:
        """How a product is called: by its page, or by the listing it was in."""
        if href in self.viewed:
            return self.viewed[href].title
        return next(
            (short(listing[href]) for listing in self.listings.values() if href in listing), "this one"
        )


def page_path(url: str) -> str:
    """The path of a URL on the shop, without query and closing slash."""
    return url.partition("?")[0].rstrip("/") or "/"


def labels(observation: Observation, kind: str) -> dict[str, str]:
    """Label by path of the page's links of one kind, in reading order; the longest label wins."""
    found: dict[str, str] = {}
    for link in observation.links:
        if link.kind == kind and len(link.label) >= len(found.get(page_path(link.href), "")):
            found[page_path(link.href)] = link.label
    return found


def link_to(observation: Observation, href: str) -> Link | None:
    """The page's first link to a path, or None."""
    return next((link for link in observation.links if page_path(link.href) == href), None)


def best_named(goal: str, names: dict[str, str]) -> str | None:
    """Path of the name that the goal spells out most fully, by label or by last part of the path, or None."""
    wanted = set(_words(goal))
    scores = {href: max(_share(label, wanted), _share(href, wanted)) for href, label in names.items()}
    best = max(scores, key=lambda href: scores[href], default=None)
    return best if best is not None and scores[best][0] > 0.5 else None


def _share(name: str, wanted: set[str]) -> tuple[float, int]:
    words = _words(name.rsplit("/", 1)[-1])
    hits = sum(word in wanted for word in words)
    return (hits / len(words) if words else 0.0, hits)


def _words(text: str) -> list[str]:
    words = [word for word in re.findall(r"[a-z]+", text.casefold()) if word not in {"and", "the", "a", "of"}]
    return [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in words]


def _own_collections(observation: Observation, category: str) -> dict[str, str]:
    """Collections of this category; a shop-wide menu may list others, whose paths begin otherwise."""
    found = labels(observation, "collection")
    start = f"/collection/{category.rsplit('/', 1)[-1]}-"
    own = {href: label for href, label in found.items() if href.startswith(start)}
    return {href: short(label) for href, label in (own or found).items()}


def _viewed(path: str, observation: Observation) -> Viewed:
    price = _PRICE.search(observation.text)
    stars = [len(given) for given in _STARS.findall(observation.text)]
    digits = re.sub(r"[^\d.]", "", price.group()) if price else "0"
    title = re.split(r"\s+[|·–—-]\s+", observation.title)[0]
    cents = round(float(digits) * 100)
    return Viewed(
        path, short(title), price.group() if price else "", cents, sum(stars) / len(stars) if stars else 0.0
    )


def short(label: str, limit: int = 60) -> str:
    """A label without its price and what follows, at most `limit` characters."""
    head = _PRICE.split(label)[0].strip(" ,·|-") or label.strip()
    return head if len(head) <= limit else head[:limit].rsplit(" ", 1)[0]
