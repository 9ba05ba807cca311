"""What there is to see in a channel: ways to sort the products by what it says of them.

A leak can hide in any part of a value: in its number, its last digit, its length, its rank among its
neighbours. Each is one feature here, a partition of the products; a channel leaks when any of them tells
something of the cue.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.int32]
Column = Sequence[tuple[str, ...] | None]

PLACES = 8
"""How many of a channel's values, in order, are looked at one by one."""

MOST_WORDS = 400
"""Words of a channel that are looked at, the most even ones first."""

MOST_LABELS = 40
"""Labels of a channel, such as "Width", whose value is looked at by itself."""

_NUMBER = re.compile(r"\d+(?:[,.]\d+)*")
_TOKEN = re.compile(r"[^\W_]+")
_BINS = 10


@dataclass(frozen=True, slots=True)
class Feature:
    """One partition of the products.

    Attributes:
        name: what it sorts by, for instance "number in the 2nd value".
        codes: class of each product, from 0 in order of first appearance; shape (n,).
    """

    name: str
    codes: Codes

    @property
    def levels(self) -> int:
        """Number of classes."""
        return int(self.codes.max()) + 1


def features_of(column: Column, groups: Sequence[str]) -> list[Feature]:
    """All informative features of one channel, equal partitions once.

    Args:
        column: what the channel said of each product, None where nothing.
        groups: collection of each product.

    Returns:
        Features with at least two classes, of which some has two products: a partition into single products
        says nothing that could be tested.
    """
    found: dict[bytes, Feature] = {}
    for name, values in _views(column, groups):
        codes = _coded(values)
        levels = int(codes.max()) + 1
        if 2 <= levels <= max(2, len(codes) // 2):
            found.setdefault(codes.tobytes(), Feature(name, codes))
    return list(found.values())


def _views(column: Column, groups: Sequence[str]) -> Iterator[tuple[str, Sequence[Hashable]]]:
    joined = [None if said is None else "\x1f".join(said) for said in column]
    yield "the whole", joined
    yield "how many values", [None if said is None else len(said) for said in column]
    yield from _lengths("length of the whole", joined)
    if all(said is None or len(said) == 1 for said in column):
        yield from _value_views("", joined, groups)
        yield from _words(joined)
        return
    for place in range(PLACES):
        at = [said[place] if said is not None and len(said) > place else None for said in column]
        yield from _value_views(f" of value {place + 1}", at, groups)
    last = [said[-1] if said else None for said in column]
    yield from _value_views(" of the last value", last, groups)
    yield from _labelled(column)
    yield from _whole_values(column)
    yield from _words(joined)


def _value_views(
    where: str, values: Sequence[str | None], groups: Sequence[str]
) -> Iterator[tuple[str, Sequence[Hashable]]]:
    if len(set(values)) < 2:
        return
    yield f"text{where}", values
    yield from _lengths(f"length{where}", values)
    yield f"shape{where}", _each(values, _shape)
    for name, cut in (
        ("first sign", slice(0, 1)),
        ("last sign", slice(-1, None)),
        ("last two signs", slice(-2, None)),
    ):
        yield name + where, [None if value is None else value[cut] for value in values]
    yield f"alphabetic rank{where} in its collection", _ranks(values, groups)
    found = [None if value is None else _NUMBER.findall(value) for value in values]
    for name, at in (("first number", 0), ("second number", 1), ("last number", -1)):
        numbers = [_number(row or (), at) for row in found]
        if len(set(numbers)) > 1:
            yield from _number_views(name + where, numbers, groups)


def _number_views(
    name: str, numbers: Sequence[float | None], groups: Sequence[str]
) -> Iterator[tuple[str, Sequence[Hashable]]]:
    yield name, numbers
    cents = [None if number is None else round(number * 100) for number in numbers]
    if any(cent is not None and cent % 100 for cent in cents):
        yield f"cents of the {name}", [None if cent is None else cent % 100 for cent in cents]
        yield f"last digit of the {name}", [None if cent is None else cent % 10 for cent in cents]
    whole = [None if number is None else int(number) for number in numbers]
    yield (
        f"last digit before the point of the {name}",
        [None if number is None else number % 10 for number in whole],
    )
    yield f"remainder by 16 of the {name}", [None if number is None else number % 16 for number in whole]
    yield f"rank of the {name} in its collection", _ranks(numbers, groups)
    yield f"tenth of the {name}", _bins(numbers, _BINS)
    yield f"hundredth of the {name}", _bins(numbers, min(100, max(2, len(numbers) // 10)))


def _lengths(name: str, values: Sequence[str | None]) -> Iterator[tuple[str, Sequence[Hashable]]]:
    lengths = [None if value is None else float(len(value)) for value in values]
    if len(set(lengths)) > 1:
        yield name, lengths
        yield f"tenth of the {name}", _bins(lengths, _BINS)


def _labelled(column: Column) -> Iterator[tuple[str, Sequence[Hashable]]]:
    """The value that follows a label which most products have, such as "43 cm" after "Width"."""
    counts = Counter(value for said in column if said is not None for value in said[:-1])
    common = [label for label, count in counts.most_common(MOST_LABELS * 2) if count * 2 >= len(column)]
    for label in common[:MOST_LABELS]:
        after = [_after(said, label) for said in column]
        if len(set(after)) < 2:
            continue
        yield f"what follows {label[:40]!r}", after
        numbers = [_number(_NUMBER.findall(value), 0) if value is not None else None for value in after]
        if len(set(numbers)) > 1:
            yield f"number after {label[:40]!r}", numbers
            yield f"tenth of the number after {label[:40]!r}", _bins(numbers, _BINS)


def _after(said: tuple[str, ...] | None, label: str) -> str | None:
    if said is None or label not in said[:-1]:
        return None
    return said[said.index(label) + 1]


def _whole_values(column: Column) -> Iterator[tuple[str, Sequence[Hashable]]]:
    yield from _presence("value", [set(said or ()) for said in column])


def _words(values: Sequence[str | None]) -> Iterator[tuple[str, Sequence[Hashable]]]:
    yield from _presence(
        "word", [set(_TOKEN.findall(value.casefold())) if value else set() for value in values]
    )


def _presence(kind: str, sets: Sequence[set[str]]) -> Iterator[tuple[str, Sequence[Hashable]]]:
    """Whether each word is there: for words that some products have and some have not."""
    holders: dict[str, list[int]] = defaultdict(list)
    for at, words in enumerate(sets):
        for word in words:
            holders[word].append(at)
    even = {word: min(len(at), len(sets) - len(at)) for word, at in holders.items()}
    chosen = sorted((word for word in holders if even[word] >= 2), key=lambda word: (-even[word], word))
    for word in chosen[:MOST_WORDS]:
        there = [False] * len(sets)
        for at in holders[word]:
            there[at] = True
        yield f"{kind} {word[:40]!r}", there


def _each(values: Iterable[str | None], make: Callable[[str], str]) -> list[str | None]:
    return [None if value is None else make(value) for value in values]


def _shape(value: str) -> str:
    """Capitals, small letters, digits and signs, runs shortened: "No. 47" is "Aa. 9"."""
    signs = ("A" if c.isupper() else "a" if c.isalpha() else "9" if c.isdigit() else c for c in value[:200])
    return re.sub(r"(.)\1+", r"\1", "".join(signs))


def _number(found: Sequence[str], at: int) -> float | None:
    if not found or at >= len(found):
        return None
    digits = found[at].replace(",", "")
    whole, _, rest = digits.partition(".")
    return float(f"{whole[:15]}.{rest.replace('.', '')[:6] or '0'}")


def _ranks(values: Sequence[float | str | None], groups: Sequence[str]) -> list[int | None]:
    """Rank of each value among those of its group, equal values sharing the lowest."""
    members: dict[str, list[float | str]] = defaultdict(list)
    for value, group in zip(values, groups, strict=True):
        if value is not None:
            members[group].append(value)
    places = {group: _lowest_places(said) for group, said in members.items()}
    return [
        None if value is None else places[group][value] for value, group in zip(values, groups, strict=True)
    ]


def _lowest_places(said: Sequence[Any]) -> dict[Any, int]:
    return {value: at for at, value in reversed(list(enumerate(sorted(said))))}


def _bins(values: Sequence[float | None], count: int) -> list[int | None]:
    """Which of `count` equal parts of the sorted values each belongs to; equal values stay together."""
    ordered = np.sort([value for value in values if value is not None])
    if not len(ordered):
        return [None] * len(values)
    starts = np.searchsorted(ordered, [0.0 if value is None else value for value in values], side="left")
    return [None if value is None else int(start * count // len(ordered))
            for value, start in zip(values, starts, strict=True)]  # fmt: skip


def _coded(values: Sequence[Hashable]) -> Codes:
    seen: dict[Hashable, int] = {}
    return np.fromiter((seen.setdefault(value, len(seen)) for value in values), np.int32, len(values))
