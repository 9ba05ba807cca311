"""The filter of a list of probes, as it stands in an address: deep links hold everything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlencode

from recallreach.study.reading import Filter

VERDICTS = {"right": True, "wrong": False}
LONGEST_TEXT = 200
MOST_VALUES = 100
"""Values of one name in an address; every link of the page repeats them."""
_LISTS = {
    "system": "systems",
    "chain": "chains",
    "session": "sessions",
    "reach": "reaches",
    "status": "statuses",
    "stage": "stages",
}
_NUMBERS = ("chain", "session", "reach")


class Arguments(Protocol):
    """Arguments of a request, each given any number of times."""

    def getlist(self, key: str) -> list[str]:
        """All values of one argument."""


@dataclass(frozen=True, slots=True)
class Query:
    """A filter as its arguments: (name, value) pairs, sorted by name, without what means nothing."""

    pairs: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, arguments: Arguments) -> Query:
        """Read a request's arguments; values that cannot be are passed over."""
        return cls(tuple(sorted(_understood(arguments))))

    @property
    def filter(self) -> Filter:
        """The filter for the results store."""
        lists: dict[str, tuple[object, ...]] = {
            field: tuple(_typed(name, value) for value in self.values(name))
            for name, field in _LISTS.items()
            if self.values(name)
        }
        verdict = next(iter(self.values("verdict")), "")
        text = next(iter(self.values("q")), "")
        return Filter(**lists, correct=VERDICTS.get(verdict), text=text)  # type: ignore[arg-type]

    def values(self, name: str) -> list[str]:
        """The values of one argument."""
        return [value for known, value in self.pairs if known == name]

    def has(self, name: str, value: object) -> bool:
        """Whether the filter names that value."""
        return (name, str(value)) in self.pairs

    def without(self, name: str, value: object = None) -> Query:
        """The filter without one value, or without all of one name."""
        return Query(
            tuple(
                pair
                for pair in self.pairs
                if pair[0] != name or (value is not None and pair[1] != str(value))
            )
        )

    def plus(self, **values: object) -> Query:
        """The filter with further values."""
        added = {(name, str(value)) for name, value in values.items()}
        return Query(tuple(sorted(set(self.pairs) | added)))

    def address(self, path: str, **extra: object) -> str:
        """A path with this filter, and further arguments that are no part of it."""
        told = urlencode([*self.pairs, *((name, str(value)) for name, value in extra.items())])
        return f"{path}?{told}" if told else path


def _understood(arguments: Arguments) -> Iterator[tuple[str, str]]:
    for name in _LISTS:
        for value in list(dict.fromkeys(arguments.getlist(name)))[:MOST_VALUES]:
            if name not in _NUMBERS or (value.isdecimal() and len(value) < 10):
                yield name, value
    yield from (("verdict", value) for value in arguments.getlist("verdict")[:1] if value in VERDICTS)
    text = " ".join(" ".join(arguments.getlist("q")[:1]).split())[:LONGEST_TEXT]
    if text:
        yield "q", text


def _typed(name: str, value: str) -> object:
    return int(value) if name in _NUMBERS else value


@dataclass(frozen=True, slots=True)
class Leaf:
    """One page of a long list.

    Attributes:
        number: from 1.
        pages: how many there are, at least 1.
        total: entries in all.
        size: entries of a full page.
    """

    number: int
    pages: int
    total: int
    size: int

    @classmethod
    def of(cls, wanted: str, total: int, size: int) -> Leaf:
        """The page with the number given as text; the nearest there is."""
        pages = max(1, -(-total // size))
        number = int(wanted) if wanted.isdecimal() and len(wanted) < 10 else 1
        return cls(min(max(number, 1), pages), pages, total, size)

    @property
    def offset(self) -> int:
        """Entries on the pages before."""
        return (self.number - 1) * self.size

    @property
    def first(self) -> int:
        """Number of its first entry, from 1; 0 where there is none."""
        return self.offset + 1 if self.total else 0

    @property
    def last(self) -> int:
        """Number of its last entry."""
        return min(self.offset + self.size, self.total)
