"""Every system: the public contract, and scores worked out by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from recallreach.errors import ConfigError, UnknownNameError
from recallreach.memory.check import check_memory
from recallreach.memory.delivery import deliveries
from recallreach.memory.errors import CaptionError
from recallreach.memory.parts import Parts, embedded_parts
from recallreach.memory.systems import build_memory, memories
from recallreach.memory.systems.base import Ranking
from recallreach.memory.systems.textual import Caption
from recallreach.memory.types import Experience, MemorySystem, Query

MakeParts = Callable[..., Parts]
MakeView = Callable[..., Experience]
Q = Query("q")


def _written(system: MemorySystem, views: list[Experience]) -> MemorySystem:
    for view in views:
        system.write(view)
    return system


def _scores(system: MemorySystem, k: int = 10) -> dict[int, float]:
    return {hit.record.id: hit.score for hit in system.retrieve(Q, k)}


@pytest.mark.parametrize("name", memories.names())
def test_every_system_keeps_the_contract(name: str) -> None:
    check_memory(lambda parts: build_memory(name, parts))


@pytest.mark.parametrize("options", [{"alpha": 0.0}, {"alpha": 1.0}, {"fusion": "rrf"}, {"tiles": 2}])
def test_every_variant_of_dualmem_keeps_the_contract(options: dict[str, object]) -> None:
    check_memory(lambda parts: build_memory("dualmem", parts, **options))


@pytest.mark.parametrize("name", memories.names())
def test_every_system_states_a_delivery_that_exists(name: str) -> None:
    assert build_memory(name, embedded_parts()).default_delivery in deliveries.names()


def test_dualmem_weighs_three_to_one_after_min_max(make_parts: MakeParts, make_view: MakeView) -> None:
    parts = make_parts(visual=[0.2, 0.6, 0.4], verbal=[0.9, 0.1, 0.5])
    system = _written(build_memory("dualmem", parts), [make_view(i) for i in range(3)])
    wanted = {1: 0.75, 2: 0.75 * 0.5 + 0.25 * 0.5, 0: 0.25}
    assert _scores(system) == pytest.approx(wanted, rel=1e-5)
    assert list(_scores(system)) == [1, 2, 0]
    channels = system.retrieve(Q, 1)[0].channels
    assert channels == pytest.approx({"visual": 0.6, "verbal": 0.1}, rel=1e-5)


@pytest.mark.parametrize(("alpha", "order"), [(0.0, [0, 2, 1]), (0.25, [0, 2, 1]), (1.0, [1, 2, 0])])
def test_dualmem_takes_any_alpha(
    make_parts: MakeParts, make_view: MakeView, alpha: float, order: list[int]
) -> None:
    parts = make_parts(visual=[0.2, 0.6, 0.5], verbal=[0.9, 0.1, 0.5])
    system = _written(build_memory("dualmem", parts, alpha=alpha), [make_view(i) for i in range(3)])
    assert list(_scores(system)) == order


def test_dualmem_scores_a_constant_channel_one_half(make_parts: MakeParts, make_view: MakeView) -> None:
    parts = make_parts(visual=[0.3, 0.3], verbal=[0.1, 0.2])
    system = _written(build_memory("dualmem", parts), [make_view(0), make_view(1)])
    assert _scores(system) == pytest.approx({1: 0.75 * 0.5 + 0.25, 0: 0.75 * 0.5})


def test_dualmem_with_one_record_scores_it_one_half(make_parts: MakeParts, make_view: MakeView) -> None:
    system = _written(build_memory("dualmem", make_parts([0.3], [0.1])), [make_view(0)])
    assert _scores(system) == pytest.approx({0: 0.5})


def test_dualmem_scores_a_missing_vector_zero(make_parts: MakeParts, make_view: MakeView) -> None:
    parts = make_parts(visual=[0.2, 0.6, 0.4], verbal=[0.5, 0.5, 0.5])
    parts.encoder._rows[make_view(1).picture] = [0.0, 0.0]  # type: ignore[attr-defined]
    system = _written(build_memory("dualmem", parts), [make_view(i) for i in range(3)])
    assert _scores(system) == pytest.approx({2: 0.875, 0: 0.125, 1: 0.125})
    assert list(_scores(system)) == [2, 0, 1]


def test_dualmem_with_rank_fusion(make_parts: MakeParts, make_view: MakeView) -> None:
    parts = make_parts(visual=[0.2, 0.6, 0.4], verbal=[0.9, 0.1, 0.5])
    system = _written(build_memory("dualmem", parts, fusion="rrf"), [make_view(i) for i in range(3)])
    wanted = {1: 0.75 / 2 + 0.25 / 4, 2: 0.75 / 3 + 0.25 / 3, 0: 0.75 / 4 + 0.25 / 2}
    assert _scores(system) == pytest.approx(wanted)


@pytest.mark.parametrize(
    "options", [{"alpha": 1.5}, {"alpha": -0.1}, {"fusion": "sum"}, {"tiles": 5}, {"tiles": 0}]
)
def test_dualmem_refuses_values_it_cannot_use(make_parts: MakeParts, options: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=str(next(iter(options.values())))):
        build_memory("dualmem", make_parts([], []), **options)


def test_caption_ranks_by_caption_and_keeps_no_picture(make_parts: MakeParts, make_view: MakeView) -> None:
    system = _written(build_memory("caption", make_parts([0, 0], [0.1, 0.2])), [make_view(0), make_view(1)])
    hits = system.retrieve(Q, 5)
    assert [hit.record.caption for hit in hits] == ["caption 1", "caption 0"]
    assert [hit.score for hit in hits] == pytest.approx([0.2, 0.1], rel=1e-5)
    assert [(hit.record.picture, hit.picture, hit.record.text) for hit in hits] == [(None, None, "")] * 2


def test_text_only_ranks_by_page_text_and_never_reads_the_picture(
    make_parts: MakeParts, make_view: MakeView
) -> None:
    parts = make_parts([], [])
    parts.text_encoder._rows.update({"a": [0.6, 0.8], "b": [0.8, 0.6]})  # type: ignore[attr-defined]
    system = build_memory("text-only", parts)
    for text in ("a", "b", "b"):
        system.write(make_view(0, picture=b"not a picture", text=text))
    hits = system.retrieve(Q, 2)
    assert [(hit.record.id, hit.record.text) for hit in hits] == [(1, "b"), (2, "b")]
    assert hits[0].score == pytest.approx(0.8, rel=1e-5)
    assert hits[0].picture is None


def test_the_retrieval_text_is_instruction_and_url(make_parts: MakeParts, make_view: MakeView) -> None:
    parts = make_parts([], [])
    parts.text_encoder._rows.update({"a": [1.0, 0.0], "find it\n/cart": [0.6, 0.8]})  # type: ignore[attr-defined]
    system = _written(build_memory("text-only", parts), [make_view(0, text="a")])
    assert system.retrieve(Query("find it", "/cart"), 1)[0].score == pytest.approx(0.6, rel=1e-5)


def test_pages_without_a_product_picture_are_passed_over(make_parts: MakeParts) -> None:
    listing = Experience("/category/chair", "Chairs", "All chairs", None, 0, 0)
    for name in memories.names():
        assert len(_written(build_memory(name, make_parts([], [])), [listing])) == 0


def test_a_product_seen_twice_gives_two_records(make_parts: MakeParts, make_view: MakeView) -> None:
    system = _written(build_memory("dualmem", make_parts([0.2], [0.2])), [make_view(0), make_view(0)])
    assert [hit.record.id for hit in system.retrieve(Q, 5)] == [0, 1]


@pytest.mark.parametrize("name", ["dualmem", "caption", "text-only"])
def test_one_hit_a_page_on_request(make_parts: MakeParts, make_view: MakeView, name: str) -> None:
    parts = make_parts(visual=[0.9, 0.2, 0.5], verbal=[0.9, 0.2, 0.5])
    parts.text_encoder._rows.update({"t0": [0.9, 0.43], "t1": [0.2, 0.98], "t2": [0.5, 0.86]})  # type: ignore[attr-defined]
    views = [make_view(number, text=f"t{number}") for number in (0, 1, 0, 2, 0)]
    views[4] = replace(views[4], url=f"{views[0].url}/?from=cart#top")
    plain, single = (
        _written(build_memory(name, parts, **options), views) for options in ({}, {"one_per_page": True})
    )
    assert [hit.record.id for hit in plain.retrieve(Q, 3)] == [0, 2, 4]
    assert [hit.record.id for hit in single.retrieve(Q, 3)] == [0, 3, 1]
    assert [hit.record.id for hit in single.retrieve(Q, 2)] == [0, 3]
    with pytest.raises(ValueError, match="negative"):
        single.retrieve(Q, -1)


def test_long_context_gives_everything_newest_first_whatever_k(
    make_parts: MakeParts, make_view: MakeView
) -> None:
    views = [make_view(i, text="x" * 40) for i in range(4)]
    system = _written(build_memory("long-context", make_parts([], [])), views)
    assert [(hit.record.id, hit.score) for hit in system.retrieve(Q, 1)] == [
        (3, 0),
        (2, -1),
        (1, -2),
        (0, -3),
    ]
    assert system.retrieve(Q, 0) == []


def test_long_context_drops_the_oldest_at_its_budget(make_parts: MakeParts, make_view: MakeView) -> None:
    views = [make_view(i, text="x" * 40) for i in range(4)]
    system = _written(build_memory("long-context", make_parts([], []), budget_tokens=29), views)
    assert [hit.record.id for hit in system.retrieve(Q, 5)] == [3, 2]
    with pytest.raises(ConfigError, match="budget_tokens"):
        build_memory("long-context", make_parts([], []), budget_tokens=0)


def test_a_blank_caption_is_an_error_and_nothing_is_stored(
    make_parts: MakeParts, make_view: MakeView
) -> None:
    plain = make_parts([0.2], [0.2])
    plain.captioner._captions[make_view(0).picture] = "  "  # type: ignore[attr-defined]
    parts = Parts.cached(plain.encoder, plain.text_encoder, plain.captioner)
    system = build_memory("dualmem", parts)
    with pytest.raises(CaptionError, match="no text"):
        system.write(make_view(0))
    assert len(system) == 0


def test_an_unknown_name_and_an_unknown_option_say_what_is_known(make_parts: MakeParts) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'dualmem'"):
        build_memory("dualmen", make_parts([], []))
    with pytest.raises(ConfigError, match=r"'beta'.*It knows: alpha, fusion, rrf_k, tiles, one_per_page"):
        build_memory("dualmem", make_parts([], []), beta=1)


@pytest.mark.parametrize("scores", [[1.0], [float("nan")] * 3], ids=["one for three records", "no numbers"])
def test_a_ranking_that_is_none_is_refused(
    make_parts: MakeParts, make_view: MakeView, scores: list[float]
) -> None:
    class Careless(Caption):
        def _rank(self, query: Query) -> Ranking:
            return Ranking(np.array(scores))

    memory = _written(Careless(make_parts([1, 0, 0], [1, 0, 0])), [make_view(n) for n in range(3)])
    with pytest.raises(ValueError, match=r"Careless\._rank gives one number a record.*\(3,\); got"):
        memory.retrieve(Q, 2)
