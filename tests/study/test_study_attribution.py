"""Attribution: every stage, by traces made by hand; what a thought names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from recallreach.study.decompose.attribution import (
    FAILURES,
    count_failures,
    failure_of,
    failures_of,
)
from recallreach.study.decompose.evidence import cue_phrase, items_of, named_in, names_cue
from recallreach.study.store import Unit

MakeUnit = Callable[..., Unit]
TARGET, OTHER, STRANGER = "0000000a", "0000000b", "0000000c"
CUE = cue_phrase("purple eye mask")


def turn(thought: str, action: str, after: str, *, url: str = "/", message: str = "") -> dict[str, Any]:
    reply = f"Thought: {thought}\nAction: {action}"
    return {"url": url, "reply": reply, "asked": action, "action": action, "message": message, "after": after}


def trace(*turns: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Two delivered items, M1 a neighbour and M2 the target, both with their own picture."""
    lines = ["Memory found 2 items.", f"M1 /product/{OTHER}", f"M2 /product/{TARGET}"]
    items = [
        {"tag": f"M{place + 1}", "url": f"/product/{product}", "record": place, "image": "ab", "control": ""}
        for place, product in enumerate((OTHER, TARGET))
    ]
    made = {
        "turns": list(turns),
        "retrieved": [{"url": f"/product/{OTHER}"}, {"url": f"/product/{TARGET}"}],
        "delivered": [{"kind": "text", "text": line} for line in lines],
        "items": items,
    }
    return made | changes


@pytest.fixture
def wrong(make_unit: MakeUnit) -> Callable[..., Unit]:
    def make(**changes: object) -> Unit:
        plain = {"target": TARGET, "phrase": "purple eye mask", "correct": False, "rank": 2, "answer": OTHER}
        return make_unit(1, **plain | {"bank": 9} | changes)

    return make


def test_a_right_answer_is_no_failure(wrong: Callable[..., Unit]) -> None:
    assert failure_of(wrong(correct=True, answer=TARGET), trace()) is None


@pytest.mark.parametrize(
    ("kind", "unit", "changes"),
    [
        ("error", {"status": "error", "kind": "timeout", "reason": "no reply"}, {}),
        ("never seen", {"status": "invalid", "first_seen": 3, "last_seen": 3, "session": 1}, {}),
        ("not written", {"rank": None, "bank": 0}, {"retrieved": []}),
        ("not written", {"rank": None}, {"stored": False}),
        ("not retrieved", {"rank": None}, {"stored": True}),
        ("not retrieved", {"rank": None}, {}),
        ("not delivered", {}, {"items": [], "delivered": []}),
    ],
)
def test_the_stages_before_reading(
    wrong: Callable[..., Unit], kind: str, unit: dict[str, Any], changes: dict[str, Any]
) -> None:
    found = failure_of(wrong(**unit), trace(**changes))
    assert found is not None
    assert found.kind == kind


@pytest.mark.parametrize(
    ("image", "control", "line", "kind"),
    [
        ("ab", "", "M2", "misread"),
        ("ab", "blank", "M2", "not delivered"),
        ("ab", "blank", "M2: a chair with a purple eye mask on it", "misread"),
        ("", "", "M2: a chair with an eye mask", "not delivered"),
        ("", "", "M2: a purple chair", "not delivered"),
        ("", "", "M2: a chair with a purple eye mask", "misread"),
    ],
)
def test_delivered_means_that_the_cue_can_be_seen_or_read(
    wrong: Callable[..., Unit], image: str, control: str, line: str, kind: str
) -> None:
    made = trace(turn("I take M1.", f'navigate("/product/{OTHER}")', f"/product/{OTHER}"))
    made["items"][1] |= {"image": image, "control": control}
    made["delivered"][2]["text"] = line
    found = failure_of(wrong(), made)
    assert found is not None
    assert found.kind == kind


@pytest.mark.parametrize(
    ("thought", "kind", "by"),
    [
        ("M2 shows the purple eye mask.", "opened wrong", "tag"),
        ("The second picture shows it.", "opened wrong", "place"),
        ("Item 2 is the one.", "opened wrong", "place"),
        (f"The product at /product/{TARGET} is it.", "opened wrong", "address"),
        ("I can see the purple eye mask in one of the pictures.", "opened wrong", "cue"),
        ("M1 shows the purple eye mask.", "misread", ""),
        ("The first item shows the purple eye mask.", "misread", ""),
        ("M1, not M2, shows it.", "misread", ""),
        ("M2 has it rather than M1.", "opened wrong", "tag"),
        ("Nothing shows the purple eye mask, so I guess.", "misread", ""),
        ("I need to find the product with the purple eye mask.", "misread", ""),
        ("Let me try.", "misread", ""),
    ],
)
def test_what_the_thought_names_against_what_was_opened(
    wrong: Callable[..., Unit], thought: str, kind: str, by: str
) -> None:
    page = f"/product/{OTHER}"
    made = trace(
        turn(thought, f'navigate("{page}")', page),
        turn("This page shows the purple eye mask.", "add_to_wishlist", page, url=page),
    )
    found = failure_of(wrong(), made)
    assert found is not None
    assert (found.kind, found.by) == (kind, by)


def test_an_agent_that_left_the_right_page_misread_it(wrong: Callable[..., Unit]) -> None:
    right, other = f"/product/{TARGET}", f"/product/{OTHER}"
    made = trace(
        turn("M2 shows it.", f'navigate("{right}")', right),
        turn("No, M1.", f'navigate("{other}")', other, url=right),
    )
    found = failure_of(wrong(), made)
    assert found is not None
    assert found.kind == "misread"


@pytest.mark.parametrize(
    ("answer", "thought", "by"),
    [(None, "M2 shows it.", "tag"), (STRANGER, "M2 shows it.", "tag"), (None, "I wander.", "")],
)
def test_who_named_it_and_ended_elsewhere_failed_to_navigate(
    wrong: Callable[..., Unit], answer: str | None, thought: str, by: str
) -> None:
    found = failure_of(wrong(answer=answer), trace(turn(thought, 'search("mask")', "/search")))
    assert found is not None
    assert (found.kind, found.by) == ("navigation failed", by)


def test_a_page_that_was_asked_for_and_did_not_open_is_navigation(wrong: Callable[..., Unit]) -> None:
    made = trace(turn("Here.", f'navigate("/product/{TARGET}")', "/", message="refused"))
    found = failure_of(wrong(answer=STRANGER), made)
    assert found is not None
    assert found.kind == "navigation failed"


def test_counts_follow_the_stages_and_right_traces_are_not_read(wrong: Callable[..., Unit]) -> None:
    units = [wrong(chain=1), wrong(chain=2, rank=None), wrong(chain=3, correct=True)]
    made = {units[0].key: trace(), units[1].key: trace()}
    found = failures_of(units, made.__getitem__)
    assert set(found) == {units[0].key, units[1].key}
    counts = count_failures(found.values())
    assert list(counts) == list(FAILURES)
    assert {kind: count for kind, count in counts.items() if count} == {"not retrieved": 1, "misread": 1}


def test_items_keep_their_lines_whether_there_is_a_heading_or_not() -> None:
    assert [item.line for item in items_of(trace())] == [f"M1 /product/{OTHER}", f"M2 /product/{TARGET}"]
    bare = trace(
        delivered=[{"kind": "text", "text": "one"}, {"kind": "image"}, {"kind": "text", "text": "two"}]
    )
    assert [item.line for item in items_of(bare)] == ["one", "two"]


def test_a_text_names_the_cue_only_with_colour_and_object() -> None:
    assert names_cue("an eye mask in purple", CUE)
    assert not names_cue("a purple chair", CUE)
    assert not names_cue("an eye mask", CUE)


def test_a_place_beyond_the_delivery_names_nothing() -> None:
    items = items_of(trace())
    assert named_in("The fifth item.", items, CUE) is None
    assert named_in("M7 it is.", items, CUE) is None
    assert named_in("The 2nd item.", items, CUE) is not None
