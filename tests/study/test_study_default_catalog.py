"""What a study without further words sells: objects the encoders know, categories worth comparing in."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pytest

from recallreach.memory.encoders.embedded import Eye, RetrievalEncoder
from recallreach.storefront.pictures.art import Art
from recallreach.study.assembly import build_catalog, comparable_categories, known_objects
from recallreach.study.config import CatalogChoice


@dataclass(frozen=True)
class _Pieces:
    furniture: tuple[tuple[str, str], ...]


def test_default_objects_are_those_that_both_encoders_know() -> None:
    chosen = known_objects(Art())
    assert chosen
    assert set(chosen) <= set(Eye.load().vocabulary.slugs) & set(RetrievalEncoder.load().vocabulary.slugs)


@pytest.mark.parametrize(
    ("styles", "expected"), [(None, ("chair",)), (("modern", "rustic"), ("chair", "sofa"))]
)
def test_default_categories_have_three_collections_where_there_are_such(
    styles: tuple[str, ...] | None, expected: tuple[str, ...]
) -> None:
    pieces = [("chair", style) for style in ("modern", "rustic", "vintage")] + [("sofa", "modern")]
    art = _Pieces(tuple(pieces))
    assert comparable_categories(art, styles) == expected  # type: ignore[arg-type]


def test_default_catalogue_has_three_collections_in_every_category() -> None:
    counts = Counter(collection.category for collection in build_catalog(CatalogChoice()).collections)
    assert min(counts.values()) >= 3
