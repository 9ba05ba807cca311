from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from recallreach.agents.cue import CuePhrase
from recallreach.agents.loops import recall
from recallreach.agents.matcher import Matcher, text_support
from recallreach.env.actions import parse_reply, product_id_of
from recallreach.env.types import Observation
from recallreach.memory.delivery import build_delivery
from recallreach.memory.types import Delivered, DeliveredItem

PIXELS, TEXT = build_delivery("caption+pixels"), build_delivery("text")


class Blind:
    """Sees nothing in any picture."""

    def __init__(self) -> None:
        self.looks = 0

    def score(self, picture: bytes, phrases: Any) -> Any:
        self.looks += 1
        return np.full(len(phrases), -9.0)


def products(memory: Any) -> list[str]:
    return list(dict.fromkeys(product_id_of(record.url) or "" for record in memory.records))


@pytest.mark.parametrize("rank", [0, 2, 4])
def test_it_answers_what_the_pictures_show(world: Any, gold_memory: Any, rank: int) -> None:
    memory, agent = gold_memory(rank), Matcher(world.eye)
    for product in products(memory):
        result = recall(world.env, agent, world.probe(product), memory, PIXELS, seed=0)
        assert (result.status, result.correct, result.tag) == ("ok", True, f"M{rank + 1}")
        assert [turn.asked for turn in result.turns] == [f"open(M{rank + 1})", "add_to_wishlist"]


def test_captions_are_read(world: Any, gold_memory: Any) -> None:
    memory = gold_memory(3)
    target = products(memory)[5]
    phrase = world.catalog.cue_of(target).phrase
    memory.records = [
        replace(record, caption=f"A thing with a {phrase}." if target in record.url else "A thing.")
        for record in memory.records
    ]
    result = recall(world.env, Matcher(world.eye), world.probe(target), memory, TEXT, seed=0)
    assert (result.correct, result.tag) == (True, "M4")
    assert f"mentions the {phrase}" in result.turns[0].reply


def test_a_wrong_caption_is_found_out_on_the_page(world: Any, gold_memory: Any) -> None:
    memory = gold_memory(3)
    target = products(memory)[5]
    phrase = world.catalog.cue_of(target).phrase
    name = phrase.partition(" ")[2]
    memory.records = [
        replace(record, caption=f"With a {name}." if target in record.url else f"A {phrase}.")
        for record in memory.records
    ]
    result = recall(world.env, Matcher(world.eye), world.probe(target), memory, TEXT, seed=0)
    assert result.correct is True
    assert result.turns[0].asked == "open(M1)"
    assert result.turns[-2].asked == "open(M4)"
    assert len(result.turns) <= 8


def test_when_nothing_fits_it_returns_to_what_came_closest(world: Any) -> None:
    class Doubting:
        def score(self, picture: bytes, phrases: Any) -> Any:
            shown = world.eye.score(picture, phrases)
            return np.where(shown > 0, -1.0, -2.0)

    shown = [product.id for product in world.catalog][:4]
    items = tuple(
        DeliveredItem(
            f"M{i + 1}", f"/product/{product}", i, f"M{i + 1} with a {world.catalog.cue_of(shown[0]).phrase}"
        )
        for i, product in enumerate(shown)
    )

    class Fixed:
        name = "fixed"

        def deliver(self, query: Any, hits: Any) -> Delivered:
            return Delivered((), items)

    class Empty:
        name = "none"

        def retrieve(self, query: Any, k: int) -> list[Any]:
            return []

        def __len__(self) -> int:
            return 0

    result = recall(world.env, Matcher(Doubting()), world.probe(shown[0]), Empty(), Fixed(), seed=0)
    assert result.correct is True
    asked = [turn.asked for turn in result.turns]
    assert asked == ["open(M1)", "open(M2)", "open(M3)", "open(M4)", "open(M1)", "add_to_wishlist"]
    tight = recall(world.env, Matcher(Doubting()), world.probe(shown[0], budget=4), Empty(), Fixed(), seed=0)
    assert [turn.asked for turn in tight.turns] == ["open(M1)", "open(M2)", "open(M1)", "add_to_wishlist"]


def test_without_evidence_it_guesses_among_the_delivered_and_says_so(world: Any, gold_memory: Any) -> None:
    memory, eye = gold_memory(2), Blind()
    target = products(memory)[0]
    chosen = set()
    for seed in range(40):
        result = recall(world.env, Matcher(eye), world.probe(target), memory, TEXT, seed=seed)
        assert "guess" in result.turns[0].reply
        assert len(result.turns) == 2
        chosen.add(result.answer)
    assert chosen == {product_id_of(item.url) for item in result.items}
    assert eye.looks == 0


def test_without_memory_it_walks_to_a_random_product(world: Any, list_memory: Any) -> None:
    target = next(iter(world.catalog)).id
    answers = set()
    for seed in range(30):
        result = recall(world.env, Matcher(world.eye), world.probe(target), list_memory(), PIXELS, seed=seed)
        assert result.answer is not None
        assert len(result.turns) == 4
        answers.add(result.answer)
    assert len(answers) > 20


def test_a_blank_picture_is_no_evidence(world: Any, gold_memory: Any) -> None:
    memory = gold_memory(2)
    result = recall(world.env, Matcher(Blind()), world.probe(products(memory)[0]), memory, PIXELS, seed=0)
    assert "guess" in result.turns[0].reply


def test_a_page_that_does_not_open_is_passed_over(world: Any) -> None:
    matcher = Matcher(world.eye)
    matcher.begin("Find the red tennis ball.", 0)
    items = tuple(DeliveredItem(f"M{n}", f"/product/0000000{n}", n, "a red tennis ball") for n in (1, 2))
    delivered = Delivered((), items)
    home = Observation("/", "", "", (), budget=8)
    first = parse_reply(matcher.act(home, delivered).reply)
    second = parse_reply(matcher.act(replace(home, step=1, message="not found"), delivered).reply)
    third = parse_reply(matcher.act(replace(home, step=2, message="not found"), delivered).reply)
    assert [str(reply.action) for reply in (first, second)] == ["Open(tag='M1')", "Open(tag='M2')"]
    assert str(third.action) not in ("Open(tag='M1')", "Open(tag='M2')")


def test_ids_mean_nothing(build_world: Any, gold_memory: Any) -> None:
    """Two shops that differ in every id, price, file name and cue give the same score."""
    for seed in (1, 2):
        shop = build_world(seed=seed)
        memory = gold_memory(2, shop=shop)
        results = [
            recall(shop.env, Matcher(shop.eye), shop.probe(product), memory, PIXELS, seed=0)
            for product in products(memory)
        ]
        assert all(result.correct for result in results)


def test_looking_is_counted(world: Any, gold_memory: Any) -> None:
    memory = gold_memory(0)
    result = recall(world.env, Matcher(world.eye), world.probe(products(memory)[0]), memory, PIXELS, seed=0)
    assert result.usage.calls == 2
    assert result.usage.images == 5 + 5 + 1
    assert result.usage.visual_tokens == 11 * 2 * 3
    assert result.usage.text_tokens > 0
    assert result.usage.seconds > 0


@pytest.mark.parametrize(
    ("better", "worse"),
    [("a purple eye mask", "an eye mask"), ("an eye mask", "a purple chair"), ("a purple chair", "a chair")],
)
def test_text_support_order(better: str, worse: str) -> None:
    cue = CuePhrase("purple", ("eye", "mask"))
    assert text_support(cue, better) > text_support(cue, worse)
    assert 0 <= text_support(cue, worse) <= text_support(cue, better) <= 1
