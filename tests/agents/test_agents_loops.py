from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from recallreach.agents.errors import ModelError
from recallreach.agents.loops import browse, recall, remember
from recallreach.agents.results import RecallResult
from recallreach.agents.types import Turn
from recallreach.env.errors import TransportError
from recallreach.env.types import Observation
from recallreach.errors import DataError
from recallreach.files import sha256
from recallreach.memory.check import ContractError
from recallreach.memory.delivery import build_delivery
from recallreach.memory.types import Delivered

DELIVERY = build_delivery("caption+pixels")


class Reciting:
    """Says its lines in order, then `done`; remembers what it was given."""

    name = "reciting"

    def __init__(self, *lines: str | Exception) -> None:
        self._lines = list(lines)
        self.given: list[tuple[Observation, Delivered | None]] = []
        self.begun: list[tuple[str, int]] = []

    def begin(self, goal: str, seed: int) -> None:
        self.begun.append((goal, seed))

    def act(self, observation: Observation, delivered: Delivered | None) -> Turn:
        self.given.append((observation, delivered))
        line = self._lines.pop(0) if self._lines else "Action: done"
        if isinstance(line, Exception):
            raise line
        return Turn(line)


def ask(world: Any, memory: Any, agent: Any, product: str, **options: Any) -> RecallResult:
    return recall(world.env, agent, world.probe(product), memory, DELIVERY, seed=1, **options)


@pytest.fixture
def memory(gold_memory: Any) -> Any:
    return gold_memory(rank=1)


@pytest.fixture
def target(memory: Any) -> str:
    return memory.records[7].url.rpartition("/")[2]


# Browsing.


def test_browse_records_what_was_seen(world: Any, blobs: Any) -> None:
    trajectory = world.session(4, blobs)
    opening = trajectory.steps[0]
    assert (opening.url, opening.reply, opening.action, opening.picture) == ("/", "", "", None)
    viewed = [step for step in trajectory.steps if step.url.startswith("/product/")]
    assert list(dict.fromkeys(step.url.rpartition("/")[2] for step in viewed)) == list(trajectory.products)
    for step in viewed:
        assert blobs[step.picture] == world.pictures.picture(step.url.rpartition("/")[2])
    assert [step for step in trajectory.steps if step.picture and step not in viewed] == []
    times = [step.seen_at for step in trajectory.steps]
    assert times[0] == trajectory.plan.started_at
    assert times == sorted(set(times))


def test_browse_gives_no_memory_and_wipes_the_context(world: Any, blobs: Any) -> None:
    agent = Reciting("Action: back", "no action at all")
    trajectory = browse(world.env, agent, world.plan(0, budget=4), seed=0, pictures=blobs)
    assert [given for _, given in agent.given] == [None] * len(agent.given)
    assert agent.begun[0][0] == trajectory.plan.goal
    assert trajectory.steps[2].message


def test_browse_raises_when_the_session_is_not_whole(world: Any, blobs: Any) -> None:
    agent = Reciting("Action: done", ModelError("timeout", "the model did not answer"))
    with pytest.raises(ModelError):
        browse(world.env, agent, world.plan(0, budget=24), seed=0, pictures=blobs)


def test_remember_offers_every_page_in_order(world: Any, blobs: Any, list_memory: Any) -> None:
    trajectory = world.session(4, blobs, index=3)
    memory = list_memory()
    remember(memory, trajectory, blobs)
    assert [offer.url for offer in memory.offered] == [step.url for step in trajectory.steps]
    assert [offer.step for offer in memory.offered] == list(range(len(trajectory.steps)))
    assert {offer.session for offer in memory.offered} == {3}
    assert [offer.seen_at for offer in memory.offered] == [step.seen_at for step in trajectory.steps]
    assert [offer.picture is None for offer in memory.offered] == [
        not step.picture for step in trajectory.steps
    ]
    assert memory.sessions == 1


# Recall.


def test_recall_by_tag_navigates_and_keeps_both(world: Any, memory: Any, target: str) -> None:
    agent = Reciting("Thought: M2 it is.\nAction: open(M2)", "Thought: yes\nAction: add_to_wishlist")
    result = ask(world, memory, agent, target)
    assert (result.status, result.correct, result.answer) == ("ok", True, target)
    assert (result.tag, result.tag_answer) == ("M2", target)
    first, last = result.turns
    assert first.asked == "open(M2)"
    assert first.action == f'navigate("/product/{target}")'
    assert (first.url, first.after) == ("/", f"/product/{target}")
    assert last.asked == last.action == "add_to_wishlist"


def test_an_unknown_tag_is_refused_with_a_reason(world: Any, memory: Any, target: str) -> None:
    agent = Reciting("Thought: hm\nAction: open(M9)", "Thought: yes\nAction: open(m2)")
    result = ask(world, memory, agent, target)
    assert "M9" in result.turns[0].message
    assert "M1, M2, M3, M4, M5" in result.turns[0].message
    assert result.turns[0].after == "/"
    assert agent.given[1][0].message == result.turns[0].message
    assert result.turns[1].after == f"/product/{target}"
    assert result.correct is True


def test_without_a_delivery_no_tag_is_known(world: Any, list_memory: Any, target: str) -> None:
    result = ask(world, list_memory(), Reciting("Thought: hm\nAction: open(M1)"), target)
    assert "none was delivered" in result.turns[0].message
    assert (result.status, result.correct, result.answer) == ("ok", False, None)


def test_memory_is_asked_once_with_goal_and_url(world: Any, memory: Any, target: str) -> None:
    agent = Reciting("Action: open(M1)", "Action: back", "Action: done")
    result = ask(world, memory, agent, target, k=3)
    (query,) = memory.queries
    assert (query.text, query.url) == (world.probe(target).goal, "/")
    assert len({id(delivered) for _, delivered in agent.given}) == 1
    assert len(result.retrieved) == len(result.items) == 3
    assert result.bank == len(memory)


def test_trace_says_what_was_retrieved_and_delivered(world: Any, memory: Any, target: str) -> None:
    result = ask(world, memory, Reciting(), target)
    assert [hit.channels for hit in result.retrieved] == [{"rank": float(i)} for i in range(5)]
    assert [hit.url for hit in result.retrieved] == [item.url for item in result.items]
    images = [part for part in result.delivered if part.kind == "image"]
    assert [(image.width, image.height) for image in images] == [(56, 84)] * 5
    assert [image.sha256 for image in images] == [item.image for item in result.items]
    assert images[1].sha256 == sha256(world.pictures.picture(target))


def test_trace_round_trip_through_json(world: Any, memory: Any, target: str) -> None:
    lines = ("Thought: M1?\nAction: open(M1)", "rubbish", "Thought: M2\nAction: open(M2)\nAction: back")
    result = ask(world, memory, Reciting(*lines), target)
    assert result.turns[2].problems
    assert RecallResult.from_json(json.loads(json.dumps(result.to_json()))) == result


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ModelError("rate-limit", "too many requests"), "rate-limit"),
        (TransportError("timeout", "the page did not come"), "timeout"),
        (DataError("a picture is lost"), "data"),
    ],
)
def test_technical_failures_are_errors_not_misses(
    world: Any, memory: Any, target: str, error: Exception, kind: str
) -> None:
    result = ask(world, memory, Reciting("Thought: a\nAction: open(M1)", error), target)
    assert (result.status, result.kind, result.reason) == ("error", kind, str(error))
    assert result.correct is None
    assert result.answer is None
    assert len(result.turns) == 1
    assert result.retrieved
    assert RecallResult.from_json(json.loads(json.dumps(result.to_json()))) == result


def test_a_failing_memory_is_an_error(world: Any, list_memory: Any, target: str) -> None:
    def fail(*_: object) -> Any:
        raise DataError("the index is damaged")

    result = ask(world, list_memory(fail), Reciting(), target)
    assert (result.status, result.reason) == ("error", "the index is damaged")


def test_a_mistake_in_a_part_is_not_hidden(world: Any, list_memory: Any, target: str) -> None:
    def fail(*_: object) -> Any:
        raise KeyError("bug")

    with pytest.raises(KeyError):
        ask(world, list_memory(fail), Reciting(), target)


def test_a_memory_that_writes_while_asked_stops_the_run(world: Any, memory: Any, target: str) -> None:
    choose = memory._choose

    def writing(records: Any, query: Any, k: int) -> Any:
        found = choose(records, query, k)
        records.append(replace(records[-1], id=len(records)))
        return found

    memory._choose = writing
    with pytest.raises(ContractError, match="must not write"):
        ask(world, memory, Reciting(), target)


def test_a_question_about_the_future_is_invalid(world: Any, memory: Any, target: str) -> None:
    probe = world.probe(target, first_seen=2, last_seen=2, session=1)
    result = recall(world.env, Reciting(), probe, memory, DELIVERY, seed=1)
    assert (result.status, result.correct) == ("invalid", None)
    assert "sessions 2 to 2" in result.reason
    assert not memory.queries


def test_the_budget_ends_a_probe_and_grades_the_page_then_open(world: Any, memory: Any, target: str) -> None:
    agent = Reciting(*["Thought: M2\nAction: open(M2)"] * 20)
    result = recall(world.env, agent, world.probe(target, budget=3), memory, DELIVERY, seed=1)
    assert (result.status, len(result.turns), result.correct) == ("ok", 3, True)


def test_recall_seeds_depend_on_the_probe_only(world: Any, memory: Any, target: str) -> None:
    agent = Reciting()
    for product in (target, target, memory.records[0].url.rpartition("/")[2]):
        ask(world, memory, agent, product)
    first, again, other = (seed for _, seed in agent.begun)
    assert first == again != other
