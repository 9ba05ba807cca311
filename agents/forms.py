"""What replies look like: which depart from the form that was asked for, and how, for counting."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Literal

from recallreach.env.actions import parse_reply
from recallreach.env.types import Invalid

Form = Literal[
    "clean",
    "no action",
    "several actions",
    "no action line",
    "code fence",
    "JSON",
    "tool call",
    "reasoning block",
    "other language",
    "very long",
    "invented observation",
    "refused",
]

VERY_LONG = 8_000
"""Characters; a thought of three sentences and an action take a few hundred."""
_READ = 20_000

_TOOL = re.compile(r"<tool_call>|\"(?:tool_calls?|function_call|arguments|action_input)\"\s*:", re.I)
_JSON = re.compile(
    r"[{\[]\s*[\"'](?:action|name|tool|function|command|thought|click_index|navigate|search)", re.I
)
_MARKER = re.compile(r"(?<!\w)action[*_`]{0,3}[ \t]{0,3}[:：]", re.I)
_REASONING = re.compile(r"</?(?:think|thinking|thought|reasoning|reflection)>", re.I)
_BY_PROBLEM: tuple[tuple[str, Form], ...] = (
    ("several", "several actions"),
    ("no 'Action:' line", "no action line"),
    ("invented observation", "invented observation"),
)


def forms(reply: str, message: str = "") -> tuple[Form, ...]:
    """How a reply departs from "Thought: ... / Action: ...", or ("clean",).

    Args:
        reply: the raw text.
        message: the environment's word on the action that it led to; a refused one (a page that the shop
            does not have, a link that is not there) counts as "refused".
    """
    parsed = parse_reply(reply)
    noted = " | ".join([*parsed.problems, parsed.action.reason if isinstance(parsed.action, Invalid) else ""])
    found: list[Form] = [form for words, form in _BY_PROBLEM if words in noted]
    if isinstance(parsed.action, Invalid) and "several actions" not in found:
        found.insert(0, "no action")
    elif message:
        found.append("refused")
    return tuple(dict.fromkeys([*found, *_written(reply[:_READ], len(reply))])) or ("clean",)


def _written(head: str, length: int) -> list[Form]:
    found: list[Form] = []
    if "```" in head:
        found.append("code fence")
    if _TOOL.search(head):
        found.append("tool call")
    elif _JSON.search(head):
        found.append("JSON")
    if _REASONING.search(head):
        found.append("reasoning block")
    if _foreign(head):
        found.append("other language")
    if length > VERY_LONG:
        found.append("very long")
    return found


def _foreign(text: str) -> bool:
    """Whether a fifth of the letters are not of the Latin alphabet, or the markers are not English."""
    letters = [letter for letter in text if letter.isalpha()]
    other = sum(ord(letter) > 0x24F for letter in letters)
    marked = re.search(
        r"(?<!\w)(?:acción|aktion|ação|azione|actie|действие|行动|動作|操作|액션)\W{0,4}[:：]", text, re.I
    )
    return other * 5 > len(letters) > 0 or (marked is not None and not _MARKER.search(text))


def count_forms(replies: Iterable[tuple[str, str]]) -> dict[Form, int]:
    """How many replies take each form; `replies` are (text, message) pairs. A reply may take several."""
    counts: Counter[Form] = Counter()
    for reply, message in replies:
        counts.update(forms(reply, message))
    return dict(counts.most_common())
