"""Replies of a hundred thousand characters do not hold the parser up."""

import pytest

from recallreach.env.actions import parse_reply
from recallreach.env.types import Click

LONG = 100_000
WORST = [
    "a",
    " ",
    "\n",
    "Action:",
    "action ",
    "click_index(",
    "{",
    '{"a":',
    "[",
    "(",
    '"',
    "“",
    "*",
    "_",
    "<think>",
    "</think>",
]
WORST += [
    "`",
    "```\n",
    "search(",
    'search("',
    "click link the ",
    "I will ",
    "Action Input:",
    "\\",
    "1. ",
    "add to ",
    "not done ",
]
WORST += ["Thought:", "Observation:", "thought thought", "go to ", "{'", '{"action": {', "\u3000", "[{"]


@pytest.mark.timeout(20)
@pytest.mark.parametrize("piece", WORST)
def test_a_hundred_thousand_characters_stay_fast(piece: str) -> None:
    long = (piece * (LONG // len(piece) + 1))[:LONG]
    for text in (
        long,
        "Action: " + long,
        f"Thought: {long}\nAction: click_index(3)",
        long + "\nclick_index(3)",
    ):
        parse_reply(text)
    assert parse_reply(f"Thought: {'word ' * 20000}\nAction: click_index(3)").action == Click(3)
