"""Everything a shop said, by the channel it said it through."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

SEPARATOR = "\x1f"


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of one channel was read.

    Attributes:
        texts: distinct texts.
        products: products of which something was said here.
        distinct: distinct values over these products.
        example: the first text, cut.
    """

    texts: int
    products: int
    distinct: int
    example: str


@dataclass
class Reading:
    """What an audit looks at; `crawl` and the browser fill it.

    Attributes:
        products: product ids in catalogue order.
        groups: collection of each product, aligned with `products`.
        texts: by channel, each distinct text and the address where it was met first.
        values: by channel and product, what was said of that product, in order and once each.
        answers: number of requests answered, by kind of page.
        hits: products that a search for a cue word listed, by query.
        notes: what could not be read.
    """

    products: tuple[str, ...]
    groups: tuple[str, ...]
    texts: dict[str, dict[str, str]] = field(default_factory=dict)
    values: dict[str, dict[str, dict[str, None]]] = field(default_factory=dict)
    answers: dict[str, int] = field(default_factory=dict)
    hits: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def say(self, channel: str, text: str, place: str, product: str | None = None) -> None:
        """Keep one text that was met at `place`, and of which product it was said."""
        self.texts.setdefault(channel, {}).setdefault(text, place)
        if product is not None:
            self.values.setdefault(channel, {}).setdefault(product, {})[text] = None

    def count(self, kind: str) -> None:
        """One more answer of a kind."""
        self.answers[kind] = self.answers.get(kind, 0) + 1

    def channels(self) -> list[str]:
        """All channels, sorted."""
        return sorted(self.texts)

    def column(self, channel: str) -> list[tuple[str, ...] | None]:
        """The values of one channel in the order of `products`; None where nothing was said."""
        said: Mapping[str, Iterable[str]] = self.values.get(channel, {})
        return [tuple(said[product]) if product in said else None for product in self.products]

    def documents(self, channels: Iterable[str]) -> list[str]:
        """One text a product: everything said of it through `channels`."""
        chosen = [self.values.get(channel, {}) for channel in channels]
        return ["\n".join(text for said in chosen for text in said.get(p, ())) for p in self.products]

    def coverage(self, channel: str) -> Coverage:
        """How much of one channel was read."""
        texts, said = self.texts.get(channel, {}), self.values.get(channel, {})
        distinct = len({SEPARATOR.join(value) for value in said.values()})
        example = next(iter(texts), "").replace("\n", " ")
        return Coverage(
            len(texts), len(said), distinct, "".join(c if c.isprintable() else "·" for c in example[:80])
        )
