"""Cutting a list into pages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

ItemT = TypeVar("ItemT")
PAGE_NUMBER = re.compile(r"[1-9][0-9]{0,6}")
PER_PAGE = 10


@dataclass(frozen=True, slots=True)
class Page(Generic[ItemT]):
    """One page of a list.

    Attributes:
        items: what is on this page.
        number: this page, from 1.
        count: number of pages, at least 1.
        total: length of the whole list.
    """

    items: Sequence[ItemT]
    number: int
    count: int
    total: int


def cut(items: Sequence[ItemT], number: str, per_page: int = PER_PAGE) -> Page[ItemT] | None:
    """Page `number` (as the query string says it) of `items`; None where there is no such page."""
    count = max(1, -(-len(items) // per_page))
    if not PAGE_NUMBER.fullmatch(number) or int(number) > count:
        return None
    at = (int(number) - 1) * per_page
    return Page(items[at : at + per_page], int(number), count, len(items))
