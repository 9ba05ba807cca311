from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recallreach.agents.shopper import ScriptedShopper
from recallreach.env.actions import parse_reply, product_id_of
from recallreach.env.types import Invalid, Observation, Trajectory


def visited(trajectory: Trajectory, section: str) -> set[str]:
    return {step.url for step in trajectory.steps if step.url.startswith(f"/{section}/")}


@pytest.mark.parametrize("seed", range(20))
def test_compliance(world: Any, seed: int) -> None:
    trajectory = world.session(seed)
    plan, taken = trajectory.plan, trajectory.steps[1:]
    assert len(taken) == plan.budget
    assert 22 <= len(taken) <= 28
    assert visited(trajectory, "category") == {f"/category/{plan.category}"}
    assert len(visited(trajectory, "collection")) >= 3
    assert 10 <= len(trajectory.products) <= 14
    assert {world.catalog.by_id(product).category for product in trajectory.products} == {plan.category}
    assert [step.message for step in taken[:-1] if step.message] == []
    assert taken[-1].action == "add_to_wishlist"
    assert product_id_of(taken[-1].url) in trajectory.products


def test_replies_are_clean_and_never_speak_of_pictures(world: Any) -> None:
    cue_words = {word for phrase in world.answers() for word in phrase.split()}
    for seed in range(8):
        for step in world.session(seed).steps[1:]:
            reply = parse_reply(step.reply)
            assert not isinstance(reply.action, Invalid)
            assert reply.problems == ()
            words = set(re.findall(r"[a-z]+", reply.thought.casefold()))
            assert words
            assert not words & (cue_words | {"picture", "pictures", "photo", "image"}), reply.thought


def test_thoughts_vary(world: Any) -> None:
    thoughts = [
        parse_reply(step.reply).thought for seed in range(4) for step in world.session(seed).steps[1:]
    ]
    assert len(set(thoughts)) > 0.8 * len(thoughts)


def test_all_kinds_of_moves_occur(world: Any) -> None:
    steps = [step for seed in range(12) for step in world.session(seed).steps[1:]]
    moves = {step.action.partition("(")[0] for step in steps}
    assert moves == {"click_index", "navigate", "back", "search", "add_to_wishlist"}
    urls = [step.url for step in world.session(1).steps if step.url.startswith("/product/")]
    assert len(set(urls)) < len(urls), "no earlier product was looked at again"


def test_same_seed_same_session_other_seed_other_session(world: Any) -> None:
    assert world.session(5) == world.session(5)
    first, second = (world.session(seed, index=0, budget=24) for seed in (5, 6))
    assert first.steps != second.steps


def test_the_session_number_changes_the_draws(world: Any) -> None:
    assert world.session(5, index=1, budget=24).steps != world.session(5, index=2, budget=24).steps


@pytest.mark.parametrize(
    ("categories", "styles", "variants", "products"),
    [(1, 1, 1, 1), (1, 1, 2, 2), (2, 2, 3, 6), (1, 4, 2, 8), (3, 4, 10, 11)],
)
def test_small_shops(build_world: Any, categories: int, styles: int, variants: int, products: int) -> None:
    shop = build_world(categories=categories, styles=styles, variants=variants)
    trajectory = shop.session(2)
    assert len(trajectory.steps) - 1 == trajectory.plan.budget
    assert len(trajectory.products) >= products
    assert [step.message for step in trajectory.steps[:-1] if step.message] == []
    assert trajectory.steps[-1].action == "add_to_wishlist"


@settings(deadline=None, max_examples=15)
@given(st.integers(1, 40), st.integers(0, 2**31))
def test_any_budget_ends_in_time(world: Any, budget: int, seed: int) -> None:
    trajectory = world.session(seed, budget=budget)
    assert len(trajectory.steps) - 1 == budget
    assert trajectory.steps[-1].action == ("add_to_wishlist" if budget >= 4 else "done")


def test_a_page_without_anything_is_answered(world: Any) -> None:
    shopper = ScriptedShopper()
    shopper.begin("Buy a boat.", 1)
    blank = Observation("/nowhere", "", "", (), budget=5)
    assert parse_reply(shopper.act(blank).reply).action != Invalid("")
    last = Observation("/nowhere", "", "", (), step=4, budget=5)
    assert "done" in shopper.act(last).reply


def test_it_does_not_look(world: Any) -> None:
    page = Observation("/product/0a1b2c3d", "Chair", "Chair $10.00", (), picture=b"not a picture", budget=9)
    shopper = ScriptedShopper()
    shopper.begin("Chairs", 0)
    usage = shopper.act(page).usage
    assert (usage.calls, usage.images, usage.visual_tokens) == (1, 0, 0)
    assert usage.text_tokens > 0
