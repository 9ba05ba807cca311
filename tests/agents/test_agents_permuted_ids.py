"""An agent knows nothing but what it sees: with permuted ids it does the same, under the other names."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from recallreach.agents.bounds import Guesser
from recallreach.agents.loops import browse, recall, remember
from recallreach.agents.matcher import Matcher
from recallreach.agents.models.scripted import ScriptedModel
from recallreach.agents.react import ReActAgent
from recallreach.agents.shopper import ScriptedShopper
from recallreach.agents.types import Message
from recallreach.memory.delivery import build_delivery
from recallreach.memory.types import TextPart

DELIVERY = build_delivery("caption+pixels")


def text(messages: Sequence[Message]) -> str:
    return "\n".join(part.text for one in messages for part in one.parts if isinstance(part, TextPart))


def walk(messages: Sequence[Message]) -> str:
    """Opens the products of one collection in the order in which they are listed, whatever their ids."""
    page = text(messages[-1:])
    turn = (len(messages) - 2) // 2
    listed = re.findall(r"^\[(\d+)\] .*\(/product/\w+\)$", page, re.MULTILINE)
    on_listing = "Address: /collection/" in page
    if turn % 2 and on_listing and listed:
        return f"Thought: on\nAction: click_index({listed[turn // 2 % len(listed)]})"
    return "Thought: look\nAction: navigate(/collection/chair-modern)"


def walked(shop: Any, memory: Any, blobs: Any) -> list[list[Message]]:
    """A session that a model browses, remembered; the requests that the model got."""
    model = ScriptedModel(walk)
    trajectory = browse(shop.env, ReActAgent(model), shop.plan(0, budget=12), seed=0, pictures=blobs)
    remember(memory, trajectory, blobs)
    return [list(call) for call in model.calls]


def translated(value: str, new: dict[str, str]) -> str:
    return re.sub(r"(?<=/product/)\w{8}", lambda found: new[found.group()], value)


def first_item(messages: Sequence[Message]) -> str:
    return "Thought: M1\nAction: open(M1)" if len(messages) == 2 else "Thought: yes\nAction: add_to_wishlist"


AGENTS: dict[str, Callable[[Any], Any]] = {
    "matcher": lambda shop: Matcher(shop.eye),
    "react": lambda shop: ReActAgent(ScriptedModel(first_item)),
}


@pytest.mark.parametrize("agent", AGENTS)
def test_the_same_is_done_under_other_names(
    world: Any, permuted: Any, blobs: Any, list_memory: Any, agent: str
) -> None:
    other, new = permuted
    memories = list_memory(), list_memory()
    seen = [walked(shop, memory, blobs) for shop, memory in zip((world, other), memories, strict=True)]
    assert [translated(text(call), new) for call in seen[0]] == [text(call) for call in seen[1]]
    asked = [record.url.rpartition("/")[2] for record in memories[0].records]
    assert len(asked) >= 4
    for product in asked:
        results = [
            recall(shop.env, AGENTS[agent](shop), shop.probe(target), memory, DELIVERY, k=10, seed=0)
            for shop, target, memory in ((world, product, memories[0]), (other, new[product], memories[1]))
        ]
        assert results[0].status == "ok"
        assert results[0].correct == results[1].correct
        actions = [[translated(turn.action, new) for turn in results[0].turns]]
        assert actions == [[turn.action for turn in results[1].turns]]


def test_the_scripted_shopper_and_the_guess_read_no_meaning_into_ids(
    world: Any, permuted: Any, blobs: Any
) -> None:
    """Their draws are named by what they see, so they differ; what they reach does not."""
    other, _ = permuted
    for shop in (world, other):
        for seed in range(3):
            plan = shop.plan(seed)
            found = browse(shop.env, ScriptedShopper(), plan, seed=seed, pictures=blobs)
            assert len(found.products) >= 10
    product = next(iter(other.catalog)).id
    seen = [f"/product/{one.id}" for one in list(other.catalog)[:10]]
    memory_free = build_delivery("nothing")

    class Empty:
        name = "empty"

        def retrieve(self, query: Any, k: int) -> list[Any]:
            return []

        def __len__(self) -> int:
            return 0

    answers = {
        recall(other.env, Guesser(seen), other.probe(product), Empty(), memory_free, seed=seed).answer
        for seed in range(40)
    }
    assert len(answers) >= 7
