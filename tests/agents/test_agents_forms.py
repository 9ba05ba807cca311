"""Replies out of form never crash a session or a probe, and are counted by kind."""

from __future__ import annotations

import json
from typing import Any

import pytest

from recallreach.agents.forms import count_forms, forms
from recallreach.agents.loops import browse, recall
from recallreach.agents.models.scripted import ScriptedModel
from recallreach.agents.react import LONGEST_REPLY, ReActAgent
from recallreach.files import dump_json
from recallreach.memory.delivery import build_delivery
from recallreach.memory.types import TextPart

MALFORMED: dict[str, tuple[str, ...]] = {
    "Thought: I like it.\nAction: back": ("clean",),
    "I am not sure what to do here.": ("no action", "no action line"),
    "": ("no action", "no action line"),
    "\x00\ud800 ∞": ("no action", "no action line"),
    "Thought: two\nAction: back\nAction: click_index(3)": ("several actions",),
    "Either click_index(1) or click_index(2) then.": ("several actions", "no action line"),
    "Thought: x\n```\nAction: back\n```": ("code fence",),
    'Action: {"action": "click_index", "index": 3}': ("JSON",),
    '<tool_call>{"name": "click_index", "arguments": {"index": 3}}</tool_call>': (
        "no action line",
        "tool call",
    ),
    "<think>Should I go back?</think>\nThought: yes\nAction: back": ("reasoning block",),
    "<think>I never come to an end": ("no action", "no action line", "reasoning block"),
    "思考：我要返回上一页\n行动：back": ("other language",),
    "Pensamiento: vuelvo\nAcción: back": ("other language",),
    "Thought: x\nAction: back\nObservation: a page": ("invented observation",),
    "Thought: " + "very " * 25_000 + "\nAction: back": ("very long",),
    "(" * 100_000: ("no action", "no action line", "very long"),
    "Thought: x\nAction: navigate(/product/00000000)": ("clean",),
}


@pytest.mark.parametrize("reply", MALFORMED, ids=lambda reply: repr(reply[:40]))
def test_a_reply_is_told_by_its_form(reply: str) -> None:
    assert forms(reply) == MALFORMED[reply]


def test_what_the_shop_refused_is_told() -> None:
    unknown = "Thought: x\nAction: navigate(/product/00000000)"
    assert forms(unknown, "Refused: /product/00000000 is not a page of the shop.") == ("refused",)
    assert forms("I cannot", "Not understood: no action found.") == ("no action", "no action line")


def test_no_reply_crashes_a_session_or_a_probe(world: Any, blobs: Any, gold_memory: Any) -> None:
    """All of them, one after the other, in both loops; the run goes on and its records can be written."""
    replies = [reply for reply in MALFORMED if reply.strip()]
    model = ScriptedModel([*replies, "Action: done"])
    plan = world.plan(0, budget=len(replies) + 1)
    walked = browse(world.env, ReActAgent(model), plan, seed=0, pictures=blobs)
    assert len(walked.steps) == len(replies) + 2
    counted = count_forms((step.reply, step.message) for step in walked.steps[1:])
    assert sum(counted.values()) >= len(replies)
    assert counted["no action"] == sum("no action" in MALFORMED[reply] for reply in replies)
    assert counted["refused"] >= 1
    memory = gold_memory(0)
    product = memory.records[0].url.rpartition("/")[2]
    probe = world.probe(product, budget=len(replies))
    agent = ReActAgent(ScriptedModel(replies))
    result = recall(world.env, agent, probe, memory, build_delivery("text"), seed=0)
    assert (result.status, len(result.turns)) == ("ok", len(replies))
    assert json.loads(dump_json(result.to_json()).encode())["turns"]


def test_a_long_reply_is_cut_in_the_history_alone(world: Any, blobs: Any) -> None:
    long = "Thought: " + "on " * 40_000 + "\nAction: back"
    model = ScriptedModel([long, "Action: done"])
    walked = browse(world.env, ReActAgent(model), world.plan(0, budget=2), seed=0, pictures=blobs)
    assert walked.steps[1].reply == long
    (kept,) = model.calls[1][2].parts
    assert isinstance(kept, TextPart)
    assert len(kept.text) == LONGEST_REPLY
