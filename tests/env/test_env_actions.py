"""The action parser: tolerant in form, strict in meaning, and never raising."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recallreach.env.actions import parse_action, parse_reply, product_id_of, render_action
from recallreach.env.types import (
    Action,
    AddToWishlist,
    Back,
    Click,
    Done,
    Invalid,
    Navigate,
    Open,
    Search,
)

SAME = {
    Click(3): [
        "click_index(3)",
        "click_index( 3 )",
        "CLICK_INDEX(3)",
        "Click_Index[3]",
        "click_index 3",
        "click_index: 3",
        "click_index=3",
        "click 3",
        "click on 3",
        "click link 3",
        "click on link number 3".replace("number ", ""),
        "clickIndex(3)",
        "click-index(3)",
        "click\\_index(3)",
        "click_index(index=3)",
        "click_index(index: 3)",
        'click_index("3")',
        "click_index('3')",
        "click_index([3])",
        "click_index(#3)",
        "click_index（3）",
        "click_index(3).",
        "`click_index(3)`",
        "**click_index(3)**",
        '"click_index(3)"',
        "[click_index(3)]",
        "<click_index(3)>",
        "- click_index(3)",
        "1. click_index(3)",
        "I will click_index(3)",
        "click_index(3)  # the oak chair",
        "click_index(3) because it is (perhaps) nice",
        '{"action": "click_index", "index": 3}',
        '{"action": "click_index(3)"}',
        '{"action": {"name": "click_index", "arguments": {"index": 3}}}',
        '{"name": "click_index", "arguments": {"index": 3}}',
        '{"name": "click_index", "arguments": "{\\"index\\": 3}"}',
        '{"function": {"name": "click_index", "arguments": {"n": "3"}}}',
        '{"tool_calls": [{"function": {"name": "click_index", "arguments": "{\\"index\\": 3}"}}]}',
        '{"click_index": 3}',
        '{"click_index": [3]}',
        '{"tool": "click_index", "input": 3.0}',
        '[{"action": "click_index", "index": 3}]',
        "{'action': 'click_index', 'index': 3}",
        '<tool_call>\n{"name": "click_index", "arguments": {"index": 3}}\n</tool_call>',
        "```\nclick_index(3)\n```",
        "```python\nclick_index(3)\n```",
        "\n\n  click_index(3)",
    ],
    Click(1234567): ["click_index(1234567)", "click 1234567"],
    Navigate("/product/0a1b2c3d"): [
        'navigate("/product/0a1b2c3d")',
        "navigate('/product/0a1b2c3d')",
        "navigate(/product/0a1b2c3d)",
        "navigate(“/product/0a1b2c3d”)",
        "navigate(`/product/0a1b2c3d`)",
        "navigate(</product/0a1b2c3d>)",
        'navigate(url="/product/0a1b2c3d")',
        'navigate(path = "/product/0a1b2c3d")',
        'navigate({"url": "/product/0a1b2c3d"})'.replace(
            "navigate(", '{"action": "navigate", "args": '
        ).rstrip(")")
        + "}",
        "navigate /product/0a1b2c3d",
        "navigate to /product/0a1b2c3d.",
        "go to /product/0a1b2c3d",
        "goto(/product/0a1b2c3d)",
        'open("/product/0a1b2c3d")',
        '{"action": "navigate", "url": "/product/0a1b2c3d"}',
    ],
    Navigate("http://127.0.0.1:8080/cart?x=1"): [
        'navigate("http://127.0.0.1:8080/cart?x=1")',
        "navigate(http://127.0.0.1:8080/cart?x=1)",
        "navigate http://127.0.0.1:8080/cart?x=1",
        "navigate: http://127.0.0.1:8080/cart?x=1",
    ],
    Search("oak chair"): [
        'search("oak chair")',
        "search('oak chair')",
        "search(“oak chair”)",
        "search(«oak chair»)",
        "search(oak chair)",
        'search(query="oak chair")',
        'search "oak chair"',
        "search for oak chair",
        "search: oak chair",
        '{"action": "search", "query": "oak chair"}',
    ],
    Search("it's a (5\") chair"): ["search('it's a (5\") chair')", 'search("it\'s a (5\\") chair")'],
    Search("chair (oak)"): ["search(chair (oak))", 'search("chair (oak)")'],
    Back(): [
        "back",
        "back()",
        "Back.",
        "go back",
        "go_back()",
        "goBack()",
        '{"action": "back"}',
        "back to the previous page",
    ],
    Open("M2"): [
        "open(M2)",
        "open(m2)",
        'open("M2")',
        "open M2",
        "open(tag=M2)",
        "open(M 2)",
        '{"action": "open", "tag": "M2"}',
    ],
    Open("M12"): ["open(M12)", "open M12."],
    AddToWishlist(): [
        "add_to_wishlist",
        "add_to_wishlist()",
        "ADD_TO_WISHLIST",
        "add to wishlist",
        "add to my wish list",
        "addToWishlist()",
        "add\\_to\\_wishlist",
        "**add_to_wishlist**",
        "add_to_wishlist — this is the one",
        '{"action": "add_to_wishlist"}',
        '{"name": "add_to_wishlist", "arguments": {}}',
    ],
    Done(): [
        "done",
        "done()",
        "Done.",
        "DONE",
        "finish",
        "`done`",
        "done  # found it",
        "done. The page is open.",
        '{"action": "done"}',
    ],
}
ALL_SAME = [(action, text) for action, texts in SAME.items() for text in texts]


@pytest.mark.parametrize(("action", "text"), ALL_SAME, ids=[text for _, text in ALL_SAME])
def test_every_form_of_an_action_reads_the_same(action: Action, text: str) -> None:
    assert parse_action(text) == action
    assert parse_reply(f"Thought: that one.\nAction: {text}").action == action


@pytest.mark.parametrize(
    "text",
    [
        "not done yet",
        "I am not done yet",
        "done? not yet",
        "done, but not yet",
        "done when I have found it",
        "done(3)",
        "don't click_index(3)",
        "do not click_index(3)",
        "click 3 times",
        "click_index(N)",
        "click_index(-1)",
        "click_index(3, 4)",
        "click_index()",
        "click_index",
        "click_index(three)",
        "click_index(3.5)",
        "click_index(" + "9" * 5000 + ")",
        "navigate()",
        "navigate to the chairs",
        'search("")',
        "search()",
        "add_to_wishlist(3)",
        'add_to_wishlist("/product/0a1b2c3d")',
        "add_to_wishlist the blue one",
        "open(2)",
        "open",
        "buy_now(3)",
        "backwards",
        "clicks(3)",
        "{}",
        '{"action": "click_index"}',
        '{"action": "click_index", "index": true}',
        '{"action": "dance"}',
        "",
        "   ",
        "…",
    ],
)
def test_what_means_no_action_is_invalid(text: str) -> None:
    for reply in (text, f"Action: {text}", f"Thought: hm\nAction: {text}"):
        action = parse_reply(reply).action
        assert isinstance(action, Invalid), (reply, action)
        assert action.reason


REPLIES = [
    ("Thought: I like it.\nAction: click_index(3)", "I like it.", Click(3)),
    ("**Thought:** I like it.\n\n**Action:** `click_index(3)`", "I like it.", Click(3)),
    ("### Thought: I like it.\n### Action: click_index(3)", "I like it.", Click(3)),
    ("thought: I like it.\nACTION: click_index(3)", "I like it.", Click(3)),
    ("Thought: I like it. Action: click_index(3)", "I like it.", Click(3)),
    ("Thought 1: x\nAction 1: click_index(3)", "Thought 1: x", Click(3)),
    ("I like it.\nFinal Action: click_index(3)", "I like it.", Click(3)),
    (
        'Thought: I like it.\nAction:\n```json\n{"action": "click_index", "index": 3}\n```',
        "I like it.",
        Click(3),
    ),
    ("Thought: I like it.\nAction: click_index\nAction Input: 3", "I like it.", Click(3)),
    ('Thought: I like it.\nAction: search\nAction Input: {"query": "oak"}', "I like it.", Search("oak")),
    (
        "<think>Action: done. No, wait.</think>\nThought: I like it.\nAction: click_index(3)",
        "I like it.",
        Click(3),
    ),
    ("Let me see. Action: done?</think>Action: click_index(3)", "", Click(3)),
    ("<think>a<think>b</think>Action: done</think>Action: click_index(3)", "", Click(3)),
    ("<thought>I like it.</thought><action>click_index(3)</action>", "", Click(3)),
    ("Pensamiento: me gusta.\nAcción: click_index(3)", "me gusta.", Click(3)),
    ("思考：喜欢这个。\n动作：click_index(3)", "喜欢这个。", Click(3)),
    ("Мысль: нравится.\nДействие: click_index(3)", "нравится.", Click(3)),
    (
        "Thought: the form is click_index(N), or done.\nAction: click_index(3)",
        "the form is click_index(N), or done.",
        Click(3),
    ),
]


@pytest.mark.parametrize(("reply", "thought", "action"), REPLIES, ids=range(len(REPLIES)))
def test_replies_give_thought_and_action(reply: str, thought: str, action: Action) -> None:
    parsed = parse_reply(reply)
    assert (parsed.thought, parsed.action, parsed.problems) == (thought, action, ())
    assert parse_reply(reply.replace("\n", "\r\n")).action == action


def test_the_first_of_several_actions_counts_and_is_noted() -> None:
    plan = "Thought: go.\nAction: click_index(3)\nThought: then.\nAction: add_to_wishlist"
    assert parse_reply(plan).action == Click(3)
    assert parse_reply(plan).problems == ("several actions: the first was taken",)
    assert parse_reply("Action: click_index(3); click_index(4)").action == Click(3)
    assert parse_reply("Action: click_index(3); click_index(4)").problems


def test_an_invented_observation_is_cut_off_and_noted() -> None:
    reply = parse_reply("Action: click_index(3)\nObservation: a lamp\nAction: done")
    assert reply.action == Click(3)
    assert reply.problems == ("the reply goes on with an invented observation",)


def test_an_invalid_first_action_is_not_skipped_in_favour_of_a_later_one() -> None:
    assert isinstance(parse_reply("Action: buy_now\nAction: done").action, Invalid)


def test_a_reasoning_block_that_never_ends_hides_everything() -> None:
    reply = parse_reply("Action: back\n<think>hm. Action: done")
    assert reply.action == Back()
    assert reply.problems == ("the reasoning block was never closed",)
    assert isinstance(parse_reply("<think>Action: done").action, Invalid)


@pytest.mark.parametrize(
    ("reply", "action"),
    [
        ("click_index(3)", Click(3)),
        ("I like this one.\n\nclick_index(3)", Click(3)),
        ("I like this one, so I will use click_index(3) now.", Click(3)),
        ('I like it.\n{"action": "click_index", "index": 3}', Click(3)),
        ("All is compared.\ndone", Done()),
        ("All is compared.\nadd_to_wishlist", AddToWishlist()),
    ],
)
def test_without_an_action_line_only_unmistakable_forms_count(reply: str, action: Action) -> None:
    parsed = parse_reply(reply)
    assert parsed.action == action
    assert "no 'Action:' line" in parsed.problems


@pytest.mark.parametrize(
    "reply",
    [
        "Search results show three chairs.",
        "I have done this before.",
        "I could click_index(3) or click_index(4).",
        "I could click_index(3).\nOr click_index(5)?",
        "I should not click_index(3).",
        "Finally I should add_to_wishlist the one I like.",
        "Done with the chairs, on to the lamps.",
        "You should go back and think.",
    ],
)
def test_prose_is_not_guessed_at(reply: str) -> None:
    assert isinstance(parse_reply(reply).action, Invalid)


stripped = st.text(min_size=1).map(str.strip).filter(bool)
actions = st.one_of(
    st.builds(Click, st.integers(0, 999_999_999)),
    st.builds(Navigate, stripped),
    st.builds(Search, stripped),
    st.from_regex(r"[A-Z]{1,3}[0-9]{1,4}", fullmatch=True).map(Open),
    st.sampled_from([Back(), AddToWishlist(), Done()]),
)


@settings(deadline=None, max_examples=300)
@given(actions)
def test_canonical_text_reads_back_as_the_same_action(action: Action) -> None:
    text = render_action(action)
    assert parse_action(text) == action
    reply = parse_reply(f"Thought: so.\nAction: {text}")
    assert (reply.action, reply.thought) == (action, "so.")


def test_the_canonical_text_of_an_invalid_action_reads_back_as_invalid() -> None:
    assert isinstance(parse_action(render_action(Invalid("no"))), Invalid)


fragments = st.sampled_from(
    [
        *(text for texts in SAME.values() for text in texts),
        "Action:",
        "Thought:",
        "Action Input:",
        "Observation:",
        "\n",
        "<think>",
        "</think>",
        "```",
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        '"',
        "'",
        "“",
        "”",
        "\\",
        "`",
        "**",
        "<tool_call>",
    ]
)


@settings(deadline=None, max_examples=400)
@given(st.lists(st.one_of(fragments, st.text(max_size=12)), max_size=12).map("".join))
def test_no_text_makes_the_parser_raise(text: str) -> None:
    reply = parse_reply(text)
    assert isinstance(reply.action, Navigate | Click | Search | Back | Open | AddToWishlist | Done | Invalid)
    parse_action(text)
    product_id_of(text)
    if not isinstance(reply.action, Invalid):
        assert parse_action(render_action(reply.action)) == reply.action


def test_invalid_reasons_name_what_is_known() -> None:
    action = parse_reply("Action: buy_now(3)").action
    assert isinstance(action, Invalid)
    assert re.search(r"'buy_now'.*click_index\(N\).*add_to_wishlist", action.reason)
