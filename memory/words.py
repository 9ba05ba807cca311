"""Words of a text, the one way: for the hashed encoder, BM25 and token overlap."""

from __future__ import annotations

import re
from functools import lru_cache

_STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be been by can for from had has have i in into is it its me my of off on one or "
        "our so some that the their them then there this to up was we were what when where which who will "
        "with you your",
    )
)


def words(text: str) -> list[str]:
    """Runs of letters and digits, case folded."""
    return re.findall(r"[^\W_]+", text.casefold())


@lru_cache(maxsize=65_536)
def content_words(text: str) -> tuple[str, ...]:
    """The words of a text without those of English grammar, in order, with repetitions."""
    return tuple(word for word in words(text) if word not in _STOP_WORDS)
