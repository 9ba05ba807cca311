"""Cache, budget and books around any model."""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from recallreach.agents.budget import BudgetSpentError, Limits, Price, Prices
from recallreach.agents.calls import ModelCalls
from recallreach.agents.costs import image_part
from recallreach.agents.errors import CallsFileError, ModelError, ReplayMissError
from recallreach.agents.loops import browse, recall
from recallreach.agents.matcher import Matcher
from recallreach.agents.models.scripted import ScriptedModel
from recallreach.agents.react import ReActAgent
from recallreach.agents.replies import ReplyCache, reply_key
from recallreach.agents.types import Completion, Message, Usage
from recallreach.errors import UnknownNameError
from recallreach.memory.delivery import build_delivery
from recallreach.memory.types import TextPart

SETTINGS = {"model": "tiny", "temperature": 0.0}


class Repeatable(ScriptedModel):
    """A scripted model whose replies may be kept."""

    name = "test:tiny"

    def __init__(self, replies: Any, settings: dict[str, Any] = SETTINGS) -> None:
        super().__init__(replies)
        self._settings = settings

    def identity(self) -> dict[str, Any]:
        return self._settings


def hello(text: str = "hello") -> list[Message]:
    return [Message("user", (TextPart(text),))]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return tmp_path / "calls.sqlite", tmp_path / "replies.sqlite"


def numbered(messages: Sequence[Message]) -> str:
    numbered.count += 1  # type: ignore[attr-defined]
    return f"reply {numbered.count}"  # type: ignore[attr-defined]


numbered.count = 0  # type: ignore[attr-defined]


def test_a_reply_is_kept_and_costs_nothing_the_second_time(files: Any) -> None:
    model = Repeatable(numbered)
    with ModelCalls(*files, limits=Limits(max_calls=1)) as calls:
        governed = calls.model(model)
        first, second = governed.complete(hello()), governed.complete(hello())
        assert first.text == second.text
        assert first.usage == second.usage
        assert (first.usage.tries, first.usage.cached) == (1, 0)
        assert (second.usage.tries, second.usage.cached) == (0, 1)
        assert len(model.calls) == 1
        assert (calls.totals().requests, calls.totals().cached) == (1, 1)
    with ModelCalls(*files) as later:
        assert later.model(Repeatable([])).complete(hello()).text == first.text
        assert later.totals().cached == 2


def test_another_trial_draws_anew(files: Any) -> None:
    texts = []
    for trial in (0, 1, 0):
        with ModelCalls(*files, trial=trial) as calls:
            texts.append(calls.model(Repeatable(numbered)).complete(hello()).text)
    assert texts[0] == texts[2] != texts[1]


def test_a_replay_asks_nobody(files: Any) -> None:
    with ModelCalls(*files) as calls:
        kept = calls.model(Repeatable(["kept"])).complete(hello())
    model = Repeatable(numbered)
    with ModelCalls(*files, replay=True, limits=Limits(max_calls=0)) as calls:
        governed = calls.model(model)
        assert governed.complete(hello()) == kept
        with pytest.raises(ReplayMissError, match=r"replies\.sqlite holds no reply.*holds 1 replies"):
            governed.complete(hello("something else"))
        with pytest.raises(ReplayMissError, match="keeps no replies"):
            calls.model(ScriptedModel(["x"])).complete(hello())
    assert not model.calls


@pytest.mark.parametrize("kind", ["refusal", "empty", "server", "request"])
def test_failures_are_not_kept(files: Any, kind: Any) -> None:
    with ModelCalls(*files) as calls:
        governed = calls.model(Repeatable([ModelError(kind, "no"), "yes"]))
        with pytest.raises(ModelError):
            governed.complete(hello())
        assert governed.complete(hello()).text == "yes"
        assert calls.totals().failed == {kind: 1}


def test_a_model_that_does_not_say_what_decides_its_replies_is_asked_each_time(files: Any) -> None:
    with ModelCalls(*files) as calls:
        governed = calls.model(ScriptedModel(["one", "two"]))
        assert [governed.complete(hello()).text for _ in range(2)] == ["one", "two"]


def test_an_agent_changes_desks(files: Any) -> None:
    """Governed again by a later desk, it uses that one alone: the first is closed by then."""
    agent = ReActAgent(Repeatable(["one"]))
    with ModelCalls(*files) as calls:
        assert calls.govern(agent) is agent
    with ModelCalls(*files) as calls:
        assert calls.govern(agent).model.complete(hello()).text == "one"
        assert calls.totals().requests == 1
        matcher = Matcher()
        assert calls.govern(matcher) is matcher


def test_a_model_without_a_price_is_refused_at_once(files: Any) -> None:
    prices = Prices({"large": Price(input=1)})
    with ModelCalls(*files, prices=prices) as calls, pytest.raises(UnknownNameError, match="'tiny'"):
        calls.model(Repeatable([]))


def test_a_spent_budget_stops_a_probe_and_a_session(
    files: Any, world: Any, list_memory: Any, blobs: Any
) -> None:
    """It is no error of the probe: the run stops, and what was answered is kept for the next start."""
    replies = "Thought: on\nAction: navigate(/category/chair)"
    product = next(iter(world.catalog)).id
    delivery = build_delivery("nothing")
    with ModelCalls(*files, limits=Limits(max_calls=2)) as calls:
        agent = calls.govern(ReActAgent(Repeatable(lambda messages: replies)))
        with pytest.raises(BudgetSpentError):
            recall(world.env, agent, world.probe(product), list_memory(), delivery, seed=0)
    model = Repeatable(lambda messages: replies)
    with ModelCalls(*files, limits=Limits(max_calls=30)) as calls:
        agent = calls.govern(ReActAgent(model))
        result = recall(world.env, agent, world.probe(product), list_memory(), delivery, seed=0)
        assert (result.status, result.usage.cached, len(model.calls)) == ("ok", 2, 6)
    with ModelCalls(*files, limits=Limits(max_calls=8)) as calls:
        agent = calls.govern(ReActAgent(Repeatable(lambda messages: replies)))
        with pytest.raises(BudgetSpentError):
            browse(world.env, agent, world.plan(0, budget=9), seed=0, pictures=blobs)


def test_the_key_holds_all_that_changes_a_reply(world: Any) -> None:
    one, other = (image_part(world.pictures.picture(id_)) for id_ in ("00000001", "00000002"))
    base = [Message("system", (TextPart("rules"),)), Message("user", (TextPart("a"), one, TextPart("b")))]
    key = reply_key(SETTINGS, base, 0)
    assert reply_key(dict(reversed(SETTINGS.items())), list(base), 0) == key
    others = [
        reply_key({**SETTINGS, "temperature": 1.0}, base, 0),
        reply_key(SETTINGS, base, 1),
        reply_key(SETTINGS, base[1:], 0),
        reply_key(SETTINGS, [base[0], Message("user", (TextPart("a"), other, TextPart("b")))], 0),
        reply_key(SETTINGS, [base[0], Message("user", (one, TextPart("a"), TextPart("b")))], 0),
        reply_key(SETTINGS, [base[0], Message("user", (TextPart("a"), one, TextPart("c")))], 0),
        reply_key(SETTINGS, [base[0], Message("assistant", base[1].parts)], 0),
    ]
    assert len({key, *others}) == 8


def test_a_cache_keeps_the_first_reply(tmp_path: Path) -> None:
    usage = Usage(1, 2, 3, 4, 1, tries=2, seconds=0.5)
    with ReplyCache(tmp_path / "new" / "replies.sqlite") as cache:
        cache.put("k", "tiny", Completion("first é", usage))
        cache.put("k", "tiny", Completion("second", usage))
        assert cache.get("k") == Completion("first é", usage)
        assert cache.get("other") is None
        assert len(cache) == 1


def test_what_is_no_cache_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE recipes (name TEXT)")
    text = tmp_path / "text.sqlite"
    text.write_text("no database at all, but long enough to be read as one\n" * 40)
    for path, told in ((other, "not a cache of replies"), (text, "cannot be used")):
        with pytest.raises(CallsFileError, match=told):
            ReplyCache(path)
    with pytest.raises(CallsFileError, match="cannot be used"):
        ReplyCache(text / "below" / "replies.sqlite")


def test_usage_adds_up_and_ignores_how_it_came() -> None:
    one = Usage(1, 2, 3, 4, 1, tries=3, cached=0, seconds=1.0)
    assert one + one == Usage(2, 4, 6, 8, 2)
    assert dataclasses.asdict(one + one)["tries"] == 6
