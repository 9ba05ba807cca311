"""The ports of DMV-Bench: scores worked out by hand, so that a changed weight, rule or tie fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from recallreach.memory.fusion import by_largest
from recallreach.memory.lexical import Bm25
from recallreach.memory.parts import Parts
from recallreach.memory.systems import build_memory
from recallreach.memory.systems.ports import route
from recallreach.memory.types import Experience, MemorySystem, Query

MakeParts = Callable[..., Parts]
MakeView = Callable[..., Experience]


def _written(name: str, parts: Parts, views: list[Experience]) -> MemorySystem:
    system = build_memory(name, parts)
    for view in views:
        system.write(view)
    system.end_session()
    return system


def _scores(system: MemorySystem, text: str, k: int = 10) -> dict[int, float]:
    return {hit.record.id: hit.score for hit in system.retrieve(Query(text), k)}


def test_m2a_dmv_by_hand(make_parts: MakeParts, make_view: MakeView) -> None:
    parts = make_parts(visual=[0.2, 0.8, 0.4], verbal=[0, 0, 0])
    parts.encoder._rows["red mug"] = [1.0, 0.0]  # type: ignore[attr-defined]
    texts = ["red mug", "blue", "red"]
    system = _written("m2a-dmv", parts, [make_view(i, text=text) for i, text in enumerate(texts)])
    lexical = by_largest(Bm25().scores(system.bank, "red mug"))  # type: ignore[attr-defined]
    wanted = {
        0: 0.35 * 1.0 + 0.25 * 1.0 + 0.40 * 0.25,
        2: 0.35 * 0.5 + 0.25 * lexical[2] + 0.40 * 0.5,
        1: 0.40 * 1.0,
    }
    assert 0 < lexical[2] < 1
    assert _scores(system, "red mug") == pytest.approx(wanted, rel=1e-5)
    assert list(_scores(system, "red mug")) == [0, 2, 1]


def test_m2a_dmv_reads_captions_as_text_too(make_parts: MakeParts, make_view: MakeView) -> None:
    system = _written("m2a-dmv", make_parts([0, 0], [0, 0]), [make_view(0), make_view(1)])
    assert list(_scores(system, "caption 1", 1)) == [1]
    assert system.retrieve(Query("caption 1"), 1)[0].channels["overlap"] == 1


def test_m2a_dmv_ties_missing_vectors_and_a_single_record(make_parts: MakeParts, make_view: MakeView) -> None:
    parts = make_parts([0.5, 0.5], [0, 0])
    parts.encoder._rows[make_view(1).picture] = [0.0, 0.0]  # type: ignore[attr-defined]
    system = _written("m2a-dmv", parts, [make_view(0), make_view(0), make_view(1)])
    assert _scores(system, "q") == pytest.approx({0: 0.4, 1: 0.4, 2: 0.0})
    assert list(_scores(system, "q")) == [0, 1, 2]
    assert _scores(_written("m2a-dmv", parts, [make_view(1)]), "q") == {0: 0.0}


def test_mma_dmv_by_hand(make_parts: MakeParts, make_view: MakeView) -> None:
    parts = make_parts([0, 0, 0], [0, 0, 0])
    rows = {"a\ncaption 0": [1.0, 0.0], "b\ncaption 1": [0.6, 0.8], "c\ncaption 2": [0.8, 0.6]}
    parts.text_encoder._rows.update(rows)  # type: ignore[attr-defined]
    sessions = [0, 5, 10]
    views = [replace(make_view(i, text="abc"[i]), session=sessions[i]) for i in range(3)]
    system = _written("mma-dmv", parts, views)
    vectors = np.array(list(rows.values()))
    wanted = {}
    for index, row in enumerate(vectors):
        others = vectors.sum(axis=0) - row
        agreement = float(row @ others / np.linalg.norm(others))
        confidence = 0.4 + 0.3 * 0.5 ** ((10 - sessions[index]) / 5) + 0.3 * (1 + agreement) / 2
        wanted[index] = row[0] * confidence
    assert _scores(system, "q") == pytest.approx(wanted, rel=1e-5)
    assert list(_scores(system, "q")) == [2, 0, 1]


def test_mma_dmv_drops_what_its_gate_distrusts(make_parts: MakeParts, make_view: MakeView) -> None:
    parts = make_parts([0, 0], [0, 0])
    rows = {"a\ncaption 0": [1.0, 0.0], "b\ncaption 1": [-1.0, 0.0]}
    parts.text_encoder._rows.update(rows)  # type: ignore[attr-defined]
    far, near = (replace(make_view(i, text="ab"[i]), session=s) for i, s in ((0, 0), (1, 8)))
    confidence = 0.4 + 0.3 * 0.5 ** (8 / 5)
    assert confidence < 0.5
    assert list(_scores(_written("mma-dmv", parts, [far, near]), "q")) == [1]
    near = replace(near, session=7)
    assert 0.4 + 0.3 * 0.5 ** (7 / 5) > 0.5
    assert list(_scores(_written("mma-dmv", parts, [far, near]), "q")) == [0, 1]


def test_mma_dmv_of_one_record_and_of_equal_ones(make_parts: MakeParts, make_view: MakeView) -> None:
    parts = make_parts([0], [0.5])
    parts.text_encoder._rows["\ncaption 0".strip()] = [0.5, float(np.sqrt(0.75))]  # type: ignore[attr-defined]
    one = _written("mma-dmv", parts, [make_view(0)])
    assert _scores(one, "q") == pytest.approx({0: 0.5 * (0.4 + 0.3 + 0.3 * 0.5)}, rel=1e-5)
    two = _written("mma-dmv", parts, [make_view(0), make_view(0)])
    assert list(_scores(two, "q")) == [0, 1]
    assert _scores(two, "q")[0] == pytest.approx(0.5 * 1.0, rel=1e-5)


def test_worldmm_dmv_by_hand(make_parts: MakeParts, make_view: MakeView) -> None:
    parts = make_parts([0] * 4, [0] * 4)
    captions = ["red mug", "blue mug", "oak", "red"]
    views = [replace(make_view(i), session=i // 2) for i in range(4)]
    parts.captioner._captions = {  # type: ignore[attr-defined]
        view.picture: caption for view, caption in zip(views, captions, strict=True)
    }
    system = _written("worldmm-dmv", parts, views)
    system.ENOUGH = 1  # type: ignore[attr-defined]
    asked = "picture of a red mug"
    share = {"red": 1 / 3, "mug": 1 / 3}
    session, chain = (2 / 3, 1 / 3), 2 / 3
    wanted = {
        0: 0.55 * (share["red"] + share["mug"]) + 0.30 * session[0] + 0.15 * chain,
        1: 0.55 * share["mug"] + 0.30 * session[0] + 0.15 * chain,
        3: 0.55 * share["red"] + 0.30 * session[1] + 0.15 * chain,
    }
    assert _scores(system, asked) == pytest.approx(wanted)
    assert list(_scores(system, asked)) == [0, 1, 3]


def test_worldmm_dmv_reads_further_modules_while_too_few_views_match(
    make_parts: MakeParts, make_view: MakeView
) -> None:
    views = [replace(make_view(i, text="plum"), title="Item") for i in range(6)]
    system = _written("worldmm-dmv", make_parts([0] * 6, [0] * 6), views)
    hit = system.retrieve(Query("the picture with caption 3 and plum"), 1)[0]
    assert hit.record.id == 3
    assert list(hit.channels) == ["visual"]
    assert [hit.record.id for hit in system.retrieve(Query("picture of a plum"), 9)] == [0, 1, 2, 3, 4, 5]
    assert system.retrieve(Query("picture of a plum"), 1)[0].channels.keys() == {"visual", "episodic"}
    assert system.retrieve(Query("zebra"), 5) == []
    four, five = (system.retrieve(Query(f"picture {numbers}"), 1)[0] for numbers in ("0 1 2 3", "0 1 2 3 4"))
    assert (four.channels.keys(), five.channels.keys()) == ({"visual", "episodic", "semantic"}, {"visual"})


@pytest.mark.parametrize(
    ("question", "order"),
    [
        ("the chair whose PICTURE showed a mug", ("visual", "episodic", "semantic")),
        ("what did I visit before the sofa?", ("episodic", "visual", "semantic")),
        ("which picture came first", ("visual", "episodic", "semantic")),
        ("the oak table", ("semantic", "visual", "episodic")),
        ("a showroom with a firstborn", ("semantic", "visual", "episodic")),
    ],
)
def test_the_router_follows_keywords(question: str, order: tuple[str, ...]) -> None:
    assert route(question) == order
