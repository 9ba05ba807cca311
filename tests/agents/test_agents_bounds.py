from __future__ import annotations

from typing import Any

import pytest
from scipy.stats import binom

from recallreach.agents.bounds import Guesser, Oracle
from recallreach.agents.loops import recall
from recallreach.errors import ConfigError
from recallreach.memory.delivery import build_delivery

NOTHING = build_delivery("nothing")


def test_the_oracle_is_always_right(world: Any, list_memory: Any) -> None:
    oracle = Oracle(world.answers())
    for product in world.catalog:
        result = recall(world.env, oracle, world.probe(product.id), list_memory(), NOTHING, seed=0)
        assert (result.status, result.correct, len(result.turns)) == ("ok", True, 2)


def test_the_oracle_reads_the_longest_phrase_it_knows() -> None:
    oracle = Oracle({"red ball": "/product/00000001", "red ball gown": "/product/00000002"})
    oracle.begin("Find the red ball gown.", 0)
    from recallreach.env.types import Observation

    assert "00000002" in oracle.act(Observation("/", "", "", ())).reply


def test_the_oracle_cannot_be_an_agent_of_a_study() -> None:
    with pytest.raises(ConfigError, match="matcher"):
        Oracle()
    with pytest.raises(ConfigError, match="knows no phrase"):
        Oracle({"red ball": "/product/00000001"}).begin("Find the blue ball.", 0)


def test_guess_is_at_chance(world: Any, list_memory: Any) -> None:
    """Correct answers of 200 guesses among ten lie in the central 99.8 % of the binomial distribution."""
    shown = [product.id for product in world.catalog][:10]
    guesser = Guesser([f"/product/{product}" for product in shown])
    results = [
        recall(world.env, guesser, world.probe(shown[n % 10]), list_memory(), NOTHING, seed=n)
        for n in range(200)
    ]
    hits = sum(bool(result.correct) for result in results)
    low, high = binom.interval(0.998, 200, 1 / 10)
    assert low <= hits <= high
    assert {result.answer for result in results} == set(shown)
    assert {len(result.turns) for result in results} == {2}


def test_guess_without_anything_walks_uniformly(world: Any, list_memory: Any) -> None:
    """The walk's categories are equally likely within the central 99.8 % of the binomial distribution."""
    target = next(iter(world.catalog))
    categories = []
    for seed in range(90):
        result = recall(world.env, Guesser(), world.probe(target.id), list_memory(), NOTHING, seed=seed)
        assert result.answer is not None
        categories.append(world.catalog.by_id(result.answer).category)
    low, high = binom.interval(0.998, 90, 1 / 3)
    assert all(low <= categories.count(slug) <= high for slug in set(categories))
    assert len(set(categories)) == 3


def test_guess_takes_delivered_items(world: Any, gold_memory: Any) -> None:
    memory = gold_memory(0)
    product = memory.records[0].url.rpartition("/")[2]
    result = recall(world.env, Guesser(), world.probe(product), memory, build_delivery("text"), seed=3)
    assert f"/product/{result.answer}" in [item.url for item in result.items]


def test_a_budget_too_short_to_get_anywhere_ends_without_an_answer(world: Any, list_memory: Any) -> None:
    product = next(iter(world.catalog)).id
    result = recall(world.env, Guesser(), world.probe(product, budget=2), list_memory(), NOTHING, seed=3)
    assert (result.status, result.correct, result.answer) == ("ok", False, None)
