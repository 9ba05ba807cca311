"""M2A: its search by hand, its two managers, and what a failing model leaves behind."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from recallreach.memory.bank import Bank
from recallreach.memory.check import check_memory
from recallreach.memory.errors import ReplyError
from recallreach.memory.parts import Parts, embedded_parts
from recallreach.memory.systems.m2a import M2A
from recallreach.memory.systems.m2a_search import SemanticSearch
from recallreach.memory.types import Experience, Message, Query, TextPart, Vectors

MakeParts = Callable[..., Parts]
MakeView = Callable[..., Experience]


@dataclass
class Said:
    text: str


class Model:
    """Says its lines in order, then the last one again; keeps what it was asked."""

    name = "lines"

    def __init__(self, *lines: object) -> None:
        self._lines = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        self.asked: list[list[Message]] = []

    def complete(self, messages: Sequence[Message]) -> Said:
        self.asked.append(list(messages))
        return Said(self._lines[min(len(self.asked), len(self._lines)) - 1])

    def told(self, call: int) -> str:
        part = self.asked[call][-1].parts[0]
        assert isinstance(part, TextPart)
        return part.text


DONE = {"tool": "done"}


def _store(count: int) -> Bank:
    bank = Bank()
    for index in range(count):
        bank.append(Experience("/", "", "", None, 0, index), {}, text=f"word{index}")
    return bank


def test_the_search_fuses_short_lists_by_hand(make_parts: MakeParts) -> None:
    """Dense order 0..7, BM25 finds 7 and 6, pictures are best at 7, 5, 0."""
    parts = make_parts([], [])
    search, bank = SemanticSearch(parts), Bank()
    dense = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    visual = [0.7, 0.1, 0.1, 0.1, 0.1, 0.8, 0.1, 0.9]
    for index in range(8):
        rows = {
            "verbal": _unit(dense[index]),
            "visual/0": _unit(visual[index]),
        }
        text = {6: "plum oak", 7: "plum"}.get(index, "pear")
        bank.append(Experience("/", "", "", None, 0, index), rows, text=text)
    parts.text_encoder._rows["plum"] = [1.0, 0.0]  # type: ignore[attr-defined]
    parts.encoder._rows["plum"] = [1.0, 0.0]  # type: ignore[attr-defined]
    ranking = search.rank(bank, "plum")
    joined = {0: 1 / 61, 1: 1 / 62, 2: 1 / 63, 3: 1 / 64, 4: 1 / 65, 7: 1 / 61, 6: 1 / 62}
    texts = sorted(joined, key=lambda index: (-joined[index], index))[:5]
    assert texts == [0, 7, 1, 6, 2]
    wanted = {index: 1 / (60 + rank) for rank, index in enumerate(texts, 1)}
    for rank, index in enumerate([7, 5, 0], 1):
        wanted[index] = wanted.get(index, 0) + 1 / (60 + rank)
    found = {int(place): float(ranking.scores[place]) for place in ranking.order(20)}
    assert found == pytest.approx(wanted)
    assert list(found) == [7, 0, 5, 1, 6, 2]
    assert {place: float(ranking.channels["visual"][place]) for place in (5, 7)} == pytest.approx(
        {5: 0.8, 7: 0.9}
    )


@pytest.mark.parametrize(("with_the_word", "order"), [(4, [4, 0, 1, 2, 3]), (5, [0, 5, 1, 2, 3])])
def test_the_dense_list_holds_five(make_parts: MakeParts, with_the_word: int, order: list[int]) -> None:
    """The fifth nearest gains by having the word too; the sixth is in one list and ties with the first."""
    bank = Bank()
    for index in range(8):
        text = "plum" if index == with_the_word else "pear"
        bank.append(Experience("/", "", "", None, 0, index), {"verbal": _unit(0.9 - index / 10)}, text=text)
    parts = make_parts([], [])
    parts.text_encoder._rows["plum"] = [1.0, 0.0]  # type: ignore[attr-defined]
    assert list(SemanticSearch(parts).rank(bank, "plum").order(9)) == order


def test_the_final_list_holds_eight_and_entries_without_vectors_are_in_no_dense_list(
    make_parts: MakeParts,
) -> None:
    parts = make_parts([], [])
    search = SemanticSearch(parts)
    search.TEXTS = search.DENSE = search.WORDS = 12  # type: ignore[misc]
    bank = Bank()
    for index in range(12):
        bank.append(Experience("/", "", "", None, 0, index), {"verbal": _unit(0.5)}, text="plum")
    assert len(search.rank(bank, "plum").order(20)) == 8
    assert list(SemanticSearch(parts).rank(_store(6), "word5").order(20)) == [5]


def _unit(cosine: float) -> Vectors:
    return np.array([cosine, np.sqrt(1 - cosine**2)], np.float32)


def test_without_a_model_a_page_seen_again_is_one_entry_with_all_its_evidence(
    make_parts: MakeParts, make_view: MakeView
) -> None:
    system = M2A(make_parts([0.1, 0.2], [0, 0]))
    for index, session in ((0, 0), (1, 0), (0, 0)):
        system.write(replace(make_view(index, text="first"), session=session))
    assert (len(system), len(system.log)) == (0, 3)
    system.end_session()
    assert [(entry.url[-1], entry.sources) for entry in system.bank] == [("0", (0, 2)), ("1", (1,))]
    system.write(replace(make_view(0, text="second"), session=1))
    system.end_session()
    assert [(e.url[-1], e.sources, e.text, e.session) for e in system.bank] == [
        ("1", (1,), "first", 0),
        ("0", (0, 2, 3), "second", 1),
    ]
    system.end_session()
    assert len(system) == 2


def test_hits_carry_the_picture_and_the_best_come_first(make_parts: MakeParts, make_view: MakeView) -> None:
    parts = make_parts([0.1, 0.9], [0.1, 0.9])
    system = M2A(parts)
    for index in range(2):
        system.write(make_view(index))
    system.end_session()
    hits = system.retrieve(Query("q"), 5)
    assert [hit.record.url[-1] for hit in hits] == ["1", "0"]
    assert hits[0].picture == make_view(1).picture
    assert [hit.score for hit in hits] == pytest.approx([2 / 61, 2 / 62])
    assert system.retrieve(Query("q"), 0) == []


def test_a_model_manages_with_tools(make_parts: MakeParts, make_view: MakeView) -> None:
    add = {"tool": "add", "text": "a red mug", "caption": "red", "evidence": [1]}
    model = Model(
        "Let me look.\n" + json.dumps({"tool": "raw", "first": 0, "last": 1}) + json.dumps(add),
        {"tool": "search", "query": "mug"},
        {"tool": "delete", "id": 0},
        add | {"evidence": [0, 1]},
        DONE,
    )
    parts = make_parts([0.1, 0.2], [0, 0])
    system = M2A(replace(parts, model=model))
    for index in range(2):
        system.write(make_view(index, text=f"page {index}"))
    system.end_session()
    assert [(entry.text, entry.caption, entry.sources, entry.url[-1]) for entry in system.bank] == [
        ("a red mug", "red", (0, 1), "1")
    ]
    assert "[0] 2024-05-11T19:33:00 user at /product/00000000" in model.told(0)
    assert "page 0 caption 0" in model.told(1)
    assert "added as entry 0" in model.told(1)
    assert "a red mug" in model.told(2)
    assert "deleted entry 0" in model.told(3)
    assert len(model.asked) == 5
    system.end_session()
    assert len(model.asked) == 5


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        ({"tool": "fly"}, "there is no tool 'fly'; there are search, raw, add, delete and done"),
        ({"tool": "raw", "first": 0, "last": 20}, "1 to 20 rows, got 0 to 20"),
        ({"tool": "raw", "first": 0}, "last is a whole number, got None"),
        ({"tool": "add", "text": "x", "evidence": [7]}, "there is no record 7"),
        ({"tool": "add", "text": "x", "evidence": []}, "needs evidence"),
        ({"tool": "add", "text": "x", "evidence": [True]}, "list of ids"),
        ({"tool": "add", "text": " ", "evidence": [0]}, "needs a text or a caption"),
        ({"tool": "delete", "id": 3}, "the store has no entry 3"),
        ({"tool": "search"}, "query is a text, got None"),
        ("no JSON here", "holds no JSON object"),
    ],
)
def test_a_tool_used_wrongly_is_explained_to_the_model(
    make_parts: MakeParts, make_view: MakeView, call: object, complaint: str
) -> None:
    model = Model(call, DONE)
    system = M2A(replace(make_parts([0.1], [0]), model=model))
    system.write(make_view(0))
    system.end_session()
    assert complaint in model.told(1)


def test_a_model_has_fifteen_replies(make_parts: MakeParts, make_view: MakeView) -> None:
    model = Model({"tool": "add", "text": "again", "evidence": [0]})
    system = M2A(replace(make_parts([0.1], [0]), model=model))
    system.write(make_view(0))
    system.end_session()
    assert len(model.asked) == len(system) == 15


def test_a_model_that_uses_no_tool_is_an_error_and_the_store_stays(
    make_parts: MakeParts, make_view: MakeView
) -> None:
    model = Model("I would rather talk.")
    system = M2A(replace(make_parts([0.1], [0]), model=model))
    system.write(make_view(0))
    with pytest.raises(ReplyError, match="lines used no tool in 15 replies"):
        system.end_session()
    assert len(system) == 0


def test_a_model_that_fails_half_way_leaves_the_store_as_it_was(
    make_parts: MakeParts, make_view: MakeView
) -> None:
    class Failing(Model):
        def complete(self, messages: Sequence[Message]) -> Said:
            if len(self.asked) == 1:
                raise ReplyError("gone")
            return super().complete(messages)

    system = M2A(
        replace(make_parts([0.1], [0]), model=Failing({"tool": "add", "text": "x", "evidence": [0]}))
    )
    system.write(make_view(0))
    with pytest.raises(ReplyError, match="gone"):
        system.end_session()
    assert (len(system), len(system.log)) == (0, 1)
    system._manager = M2A(make_parts([0.1], [0]))._manager
    system.end_session()
    assert [entry.sources for entry in system.bank] == [(0,)]


def test_a_managed_system_keeps_the_contract() -> None:
    def diligent(messages: Sequence[Message]) -> str:
        rows = messages[1].parts[0]
        assert isinstance(rows, TextPart)
        ids = [int(line[1 : line.index("]")]) for line in rows.text.split("\n")[1:]]
        entries = [{"tool": "add", "text": f"row {number}", "evidence": [number]} for number in ids]
        return "\n".join(map(json.dumps, [*entries, DONE]))

    class Diligent:
        name = "diligent"

        def complete(self, messages: Sequence[Message]) -> Said:
            return Said(diligent(messages))

    check_memory(M2A, replace(embedded_parts(), model=Diligent()))
