"""Shop text of the synthetic catalogue: the same kind of text for every product, drawn without the cue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from recallreach.seeding import stream
from recallreach.storefront.data import shop_words

STARS = "555555555555444444443332"
"""Odds of the star counts, as a bag to draw from."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What the text is about: a product's place in the shop, never its cue."""

    seed: int
    id: str
    category: str
    series: str

    def stream(self, purpose: str) -> np.random.Generator:
        """The random generator of one kind of text of this product."""
        return stream(self.seed, "text", purpose, self.id)


def description(subject: Subject) -> str:
    """Two sentences."""
    rng, words = subject.stream("description"), shop_words()
    facts = words["categories"][subject.category]
    adjective, other = _sample(rng, words["adjectives"], 2)
    slots = {
        "noun": facts.get("prose", facts["noun"].lower()),
        "series": subject.series,
        "adjective": adjective,
        "adjective2": other,
        "place": _pick(rng, words["places"]),
        "designer": _pick(rng, words["designers"]),
        "batch": str(50 * int(rng.integers(2, 13))),
        "years": str(rng.integers(5, 16)),
    }
    sentences = [_pick(rng, words[part]).format(**slots) for part in ("openings", "closings")]
    return " ".join(sentence[0].upper() + sentence[1:] for sentence in sentences)


def details(subject: Subject) -> tuple[tuple[str, str], ...]:
    """(label, value) rows: material, finish, measures, weight, care, origin, assembly, delivery, warranty."""
    rng, words = subject.stream("details"), shop_words()
    facts = words["categories"][subject.category]
    width, depth, height = (int(rng.integers(low, high + 1)) for low, high in facts["size_cm"])
    low, high = facts["weight_kg"]
    return (
        ("Material", _pick(rng, facts["materials"]).capitalize()),
        ("Finish", _pick(rng, words["finishes"]).capitalize()),
        ("Width", f"{width} cm"),
        ("Depth", f"{depth} cm"),
        ("Height", f"{height} cm"),
        ("Weight", f"{rng.uniform(low, high):.1f} kg"),
        ("Care", _pick(rng, words["care"])),
        ("Origin", _pick(rng, words["origins"])),
        ("Assembly", _pick(rng, words["assembly"])),
        ("Delivery", _pick(rng, words["delivery"])),
        ("Warranty", _pick(rng, words["warranty"])),
    )


def reviews(subject: Subject) -> tuple[tuple[str, int, str], ...]:
    """Two to four (author, stars, text) rows without a repeated author or text."""
    rng, words = subject.stream("reviews"), shop_words()
    authors = _sample(rng, words["reviewers"], int(rng.integers(2, 5)))
    rows = []
    said: set[str] = set()
    for author in authors:
        stars = int(STARS[int(rng.integers(len(STARS)))])
        text = _pick(rng, [line for line in words["reviews"][str(stars)] if line not in said])
        said.add(text)
        rows.append((author, stars, text))
    return tuple(rows)


def _pick(rng: np.random.Generator, entries: Sequence[str]) -> str:
    return entries[int(rng.integers(len(entries)))]


def _sample(rng: np.random.Generator, entries: Sequence[Any], count: int) -> list[Any]:
    return [entries[index] for index in rng.permutation(len(entries))[:count]]
