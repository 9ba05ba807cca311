"""MMA: confidence worked out by hand, told and not used for ranking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from difflib import SequenceMatcher

import pytest

from recallreach.errors import ConfigError, DataError, UnknownNameError
from recallreach.memory.delivery import build_delivery
from recallreach.memory.parts import Parts
from recallreach.memory.systems import build_memory
from recallreach.memory.systems.mma import MMA, string_ratio
from recallreach.memory.types import Experience, Query

MakeParts = Callable[..., Parts]
MakeView = Callable[..., Experience]
TEXTS = ["oak chair\ncaption 0", "oak table\ncaption 1", "plum\ncaption 2"]
ROWS = [[1.0, 0.0], [0.6, 0.8], [0.8, -0.6]]


@pytest.fixture
def three(make_parts: MakeParts, make_view: MakeView) -> MMA:
    parts = make_parts([0] * 3, [0] * 3)
    parts.text_encoder._rows.update(dict(zip(TEXTS, ROWS, strict=True)))  # type: ignore[attr-defined]
    dates = ["2024-05-01T10:00:00", "2024-05-31T10:00:00", ""]
    system = MMA(parts)
    for index, date in enumerate(dates):
        system.write(replace(make_view(index, text=TEXTS[index].split("\n")[0]), seen_at=date))
    return system


def test_confidence_by_hand(three: MMA) -> None:
    recency = [0.5, 1.0, 0.5]
    basis = [(0.45 * 0.7 + 0.40 * value) / 0.85 for value in recency]
    for index in range(3):
        links = []
        for other in range(3):
            if other != index:
                cosine = ROWS[index][0] * ROWS[other][0] + ROWS[index][1] * ROWS[other][1]
                ratio = SequenceMatcher(None, TEXTS[index].split(), TEXTS[other].split()).ratio()
                links.append((max(0.01, 0.7 * cosine + 0.3 * ratio), basis[other] * cosine))
        consensus = sum(weight * value for weight, value in links) / sum(weight for weight, _ in links)
        wanted = 0.45 * 0.7 + 0.40 * recency[index] + 0.15 * consensus
        assert three.confidence(index) == pytest.approx(wanted, rel=1e-5)


def test_a_weak_link_keeps_the_least_weight(three: MMA) -> None:
    weight, agreement = three._link("zebra", 2, -0.9)
    assert weight == 0.01
    assert agreement == pytest.approx(-0.9 * (0.45 * 0.7 + 0.40 * 0.5) / 0.85)


def test_one_record_has_no_consensus_and_the_weights_used_are_divided_by(
    make_parts: MakeParts, make_view: MakeView
) -> None:
    system = MMA(make_parts([0], [0.5]))
    system.write(make_view(0))
    assert system.confidence(0) == pytest.approx((0.45 * 0.7 + 0.40 * 1.0) / 0.85)


def test_at_most_ten_links_the_nearest(make_parts: MakeParts, make_view: MakeView) -> None:
    parts = make_parts([0], [0.5])
    rows = {f"{index}\ncaption 0": [1.0, 0.0] for index in range(11)} | {"far\ncaption 0": [-1.0, 0.0]}
    parts.text_encoder._rows.update(rows)  # type: ignore[attr-defined]
    system = MMA(parts)
    for text in [*map(str, range(11)), "far"]:
        system.write(make_view(0, text=text))
    basis = (0.45 * 0.7 + 0.40) / 0.85
    assert system.confidence(0) == pytest.approx(0.45 * 0.7 + 0.40 + 0.15 * basis)


@pytest.mark.parametrize(
    ("source", "trust"),
    [
        ("user", 1.0),
        ("knowledge", 0.9),
        ("web", 0.7),
        ("system", 0.6),
        ("model", 0.6),
        ("import", 0.5),
        ("other", 0.6),
    ],
)
def test_sources_are_trusted_as_published(
    make_parts: MakeParts, make_view: MakeView, source: str, trust: float
) -> None:
    system = MMA(make_parts([0], [0.5]), source=source)
    system.write(make_view(0))
    assert system.confidence(0) == pytest.approx((0.45 * trust + 0.40) / 0.85)


def test_ranking_is_by_relevance_alone_and_confidence_is_told(three: MMA) -> None:
    hits = three.retrieve(Query("q"), 5)
    assert [hit.record.id for hit in hits] == [0, 2, 1]
    assert [hit.score for hit in hits] == pytest.approx([1.0, 0.8, 0.6])
    for hit in hits:
        assert hit.channels["confidence"] == pytest.approx(three.confidence(hit.record.id))
        assert f"confidence {three.confidence(hit.record.id):.2f}" in hit.note
    items = build_delivery("caption+pixels").deliver(Query("q"), hits).items
    assert items[0].text.endswith(hits[0].note)
    assert hits[0].note not in build_delivery("pixels").deliver(Query("q"), hits).items[0].text


def test_low_confidence_advises_against_an_answer(make_parts: MakeParts, make_view: MakeView) -> None:
    system = MMA(make_parts([0], [0.5]), source="import")
    system.write(replace(make_view(0), seen_at="2024-01-01T00:00:00"))
    system.write(replace(make_view(0), seen_at="2025-01-01T00:00:00"))
    notes = {hit.record.id: hit.note for hit in system.retrieve(Query("q"), 5)}
    assert system.confidence(0) < 0.4 < system.confidence(1)
    assert "too low to answer" in notes[0]
    assert "too low" not in notes[1]


def test_equal_relevance_goes_to_the_older(make_parts: MakeParts, make_view: MakeView) -> None:
    system = MMA(make_parts([0], [0.5]))
    for _ in range(3):
        system.write(make_view(0))
    assert [hit.record.id for hit in system.retrieve(Query("q"), 2)] == [0, 1]


def test_what_cannot_be_used_is_refused(make_parts: MakeParts, make_view: MakeView) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'user'"):
        build_memory("mma", make_parts([], []), source="users")
    with pytest.raises(ConfigError, match="one_per_page is true or false"):
        build_memory("mma", make_parts([], []), one_per_page="yes")
    system = MMA(make_parts([0], [0.5]))
    system.write(replace(make_view(0), seen_at="last week"))
    with pytest.raises(DataError, match="'last week', which is not ISO 8601"):
        system.retrieve(Query("q"), 1)


def test_string_ratio_compares_words() -> None:
    assert string_ratio("a b c d", "a b x d") == pytest.approx(0.75)
    assert string_ratio("", "") == 1.0
