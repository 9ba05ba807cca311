"""The fixed configuration is what its parts make, and nothing more."""

from __future__ import annotations

import pytest

from recallreach.errors import ConfigError
from recallreach.memory.check import QUERY, sample_experiences
from recallreach.memory.delivery import build_delivery
from recallreach.memory.parts import embedded_parts
from recallreach.memory.systems import build_memory
from recallreach.memory.types import MemorySystem


def _filled(name: str, **options: object) -> MemorySystem:
    system = build_memory(name, embedded_parts(), **options)
    for view in sample_experiences():
        system.write(view)
    return system


def test_delivermem_is_dualmem_over_four_tiles_delivered_with_pixels_tags_and_dates() -> None:
    fixed, composed = _filled("delivermem"), _filled("dualmem", tiles=2, alpha=0.75)
    hits = fixed.retrieve(QUERY, 5)
    assert hits == composed.retrieve(QUERY, 5)
    assert hits != _filled("dualmem").retrieve(QUERY, 5)
    assert all(hit.tile is not None for hit in hits)
    delivered = build_delivery(fixed.default_delivery).deliver(QUERY, hits)
    assert [item.tag for item in delivered.items] == [f"M{rank}" for rank in range(1, len(hits) + 1)]
    assert all(item.image and "[2024/05/" in item.text for item in delivered.items)


def test_it_has_no_options() -> None:
    with pytest.raises(ConfigError, match="'alpha'"):
        build_memory("delivermem", embedded_parts(), alpha=1.0)
