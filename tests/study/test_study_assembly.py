from __future__ import annotations

from pathlib import Path

import pytest

from recallreach.errors import ConfigError
from recallreach.study.assembly import build_catalog, systems_of
from recallreach.study.config import CatalogChoice, StudyConfig
from recallreach.study.kit import Kit

ONE_OBJECT = ("plush-teddy",)


def catalog_of(**values: object) -> CatalogChoice:
    return StudyConfig.parse({"catalog": {"styles": ["modern"], **values}}).catalog


def test_a_number_takes_the_first_names_there_is_art_for() -> None:
    by_number = build_catalog(catalog_of(categories=1, objects=3))
    names = [category.slug for category in by_number.categories]
    assert len(names) == 1
    cues = {cue.slug for cue in by_number.cues}
    assert len(cues) <= 3
    assert build_catalog(catalog_of(categories=names, objects=3)).hash == by_number.hash


def test_variants_shrink_where_cues_would_run_out_unless_they_are_asked_for() -> None:
    pieces = ["bookshelf", "chair"]
    assert len(build_catalog(catalog_of(categories=pieces, objects=ONE_OBJECT))) == 10
    assert len(build_catalog(catalog_of(categories=pieces[:1], objects=ONE_OBJECT))) == 10
    with pytest.raises(ConfigError, match="fewer variants or more objects"):
        build_catalog(catalog_of(categories=pieces, objects=ONE_OBJECT, variants=10))


def test_asking_for_more_than_there_is_art_for_is_told() -> None:
    with pytest.raises(ConfigError, match=r"catalog\.objects asks for 5000, there is art for \d+: "):
        build_catalog(catalog_of(objects=5000))


def test_a_saved_catalogue_is_read_by_file_and_by_folder(tmp_path: Path) -> None:
    drawn = build_catalog(catalog_of(categories=1))
    drawn.save(tmp_path / "catalog.json")
    for source in (tmp_path, tmp_path / "catalog.json"):
        assert build_catalog(CatalogChoice(source=str(source))).hash == drawn.hash


def test_systems_are_memories_with_each_delivery() -> None:
    config = StudyConfig.parse(
        {"memories": ["text-only", {"name": "dualmem", "alpha": 0.5}], "deliveries": ["default", "pixels"]}
    )
    systems = systems_of(config, Kit(config))
    assert [(system.label, system.delivery.name) for system in systems] == [
        ("text-only", "text"),
        ("text-only + pixels", "pixels"),
        ("dualmem (alpha=0.5)", "caption+pixels"),
        ("dualmem (alpha=0.5) + pixels", "pixels"),
    ]
