"""Whatever an agent writes, it gets a typed answer, stays in the shop, and nothing is guessed."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from gymnasium.error import InvalidAction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recallreach.env.actions import parse_action, parse_reply, render_action
from recallreach.env.grammar import name_of
from recallreach.env.store_env import StoreEnv
from recallreach.env.transports import InProcessTransport
from recallreach.env.types import Action, Click, Invalid, Navigate, Open, Search

PIECES = [
    *('Action: navigate("', "Action: search(", "Action: click_index(", "Action: open(", "Action: "),
    *("done", "add_to_wishlist", "back", "/product/", "/wishlist/add", "/cart", "?page=-1", "%00", "%ff"),
    *("../", "//", "\\", "http://", "javascript:", "file:///", "@", ":", "#", "\x00", "\r", "\u2028"),
    *('"', ")", "]", "\n", "<think>", "</think>", '{"action": "', '"}'),
    *("９", "\ud800", "\u202e", "\U0001f4ba"),
]
replies = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=8).map("".join)
names = ("navigate", "click_index", "search", "back", "open", "add_to_wishlist", "done", "action", "name")
keys = st.one_of(st.sampled_from([*names, "arguments", "args", "index", "url", "tool_calls"]), st.text())
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.sampled_from(names)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4)),
    max_leaves=12,
)
arguments = st.one_of(
    st.builds(Click, st.integers(0, 999)),
    st.builds(Navigate, st.text("/abc?=1", min_size=1)),
    st.builds(Search, st.text("abc ", min_size=1).filter(str.strip)),
    st.builds(Open, st.sampled_from(["M1", "M23"])),
)


@pytest.fixture
def env(app: Any) -> Iterator[StoreEnv]:
    made = StoreEnv(InProcessTransport(app))
    yield made
    made.close()


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(replies, min_size=1, max_size=8))
def test_no_reply_leads_out_of_the_shop_or_the_declared_space(env: StoreEnv, script: list[str]) -> None:
    env.reset(options={"budget": 8})
    for reply in script:
        observation, reward, terminated, truncated, info = env.step(reply)
        assert env.observation_space.contains(observation)
        assert observation["url"].startswith("/")
        assert reward == 0.0
        assert parse_action(render_action(info["action"])) == info["action"] or info["invalid_actions"] > 0
        if terminated or truncated:
            break


@settings(deadline=None, max_examples=300)
@given(values)
def test_no_json_makes_the_parser_raise(value: Any) -> None:
    for text in (json.dumps(value), f"Action: {json.dumps(value)}", str(value)):
        action = parse_reply(text).action
        assert not isinstance(action, Invalid) or action.reason


def test_deeply_nested_json_is_no_action() -> None:
    deep = '{"action": ' * 900 + '"done"' + "}" * 900
    for text in (deep, f"Action: {deep}", "Action: " + "[" * 100_000):
        assert isinstance(parse_reply(text).action, Invalid)


@given(arguments, st.sampled_from(["do not ", "never ", "I will not ", "I don't want to ", "instead of "]))
def test_what_is_denied_is_not_done(action: Action, denial: str) -> None:
    assert isinstance(parse_reply(f"Action: {denial}{render_action(action)}").action, Invalid)
    assert isinstance(parse_reply(f"I {denial}{render_action(action)}.").action, Invalid)


@given(st.from_regex(r"[a-z]{3,12}_[a-z]{1,8}", fullmatch=True).filter(lambda name: not name_of(name)))
def test_no_other_name_is_taken_for_an_action(name: str) -> None:
    action = parse_reply(f"Thought: hm.\nAction: {name}(3)").action
    assert isinstance(action, Invalid)
    assert "click_index(N)" in action.reason


@pytest.mark.parametrize("action", [3, None, b"done", ["done"], {"action": "done"}])
def test_an_action_that_is_no_text_is_a_clear_error(env: StoreEnv, action: Any) -> None:
    env.reset(options={"budget": 2})
    with pytest.raises(InvalidAction, match=r"text of a reply, for instance 'click_index\(3\)'"):
        env.step(action)
    assert int(env.step("done")[0]["step"]) == 1
