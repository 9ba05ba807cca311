"""The one browse loop and the one recall loop; everything else is configuration."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from recallreach.agents.errors import ModelError
from recallreach.agents.results import HitTrace, PartTrace, RecallResult, TurnTrace, item_traces
from recallreach.agents.types import Agent, Usage
from recallreach.env.actions import parse_reply, product_id_of, render_action
from recallreach.env.errors import TransportError
from recallreach.env.sessions import FEWEST_STEPS, seen_at
from recallreach.env.trajectory import PictureBlobs, experiences, products_seen
from recallreach.env.types import (
    Navigate,
    Observation,
    Open,
    Probe,
    SessionPlan,
    Trajectory,
    TrajectoryStep,
)
from recallreach.errors import DataError
from recallreach.memory.check import ContractError
from recallreach.memory.types import Delivered, Delivery, Experience, MemorySystem, Query, Record, Retrieved
from recallreach.seeding import stream

_TAG = re.compile(r"\bM\d+\b", re.IGNORECASE)


class ShopEnv(Protocol):
    """What the loops need of `recallreach.env.store_env.StoreEnv`."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode; `info["observation"]` is the typed observation."""

    def step(self, action: str) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Carry out the action in a reply."""


class PictureSink(Protocol):
    """Keeps encoded pictures by their SHA-256."""

    def put(self, picture: bytes) -> str:
        """Store bytes once; returns their SHA-256."""


def browse(env: ShopEnv, agent: Agent, plan: SessionPlan, *, seed: int, pictures: PictureSink) -> Trajectory:
    """Let `agent` carry out one session and record every page it saw.

    Args:
        env: the shop; it is reset first.
        agent: begins with a wiped context and gets no memory.
        plan: goal, budget and simulated start of the session.
        seed: the study's seed; the session's own draws depend on it, the chain and the session number only.
        pictures: receives every product picture seen.

    Raises:
        TransportError, ModelError: the session is not whole and must not be used.
    """
    options = {
        "goal": plan.goal,
        "budget": plan.budget,
        "target": None,
        "min_steps": min(FEWEST_STEPS, plan.budget),
    }
    _, info = env.reset(seed=episode_seed(seed, "browse", plan.chain, plan.index), options=options)
    observation: Observation = info["observation"]
    agent.begin(plan.goal, episode_seed(seed, "agent", plan.chain, plan.index))
    recording = _Recording(plan, seed, pictures)
    recording.add(observation, "", "")
    ended = False
    while not ended:
        turn = agent.act(observation, None)
        _, _, terminated, truncated, info = env.step(turn.reply)
        observation, ended = info["observation"], terminated or truncated
        recording.add(observation, turn.reply, render_action(info["action"]))
    return Trajectory(plan, tuple(recording.steps), products_seen(recording.steps))


def remember(memory: MemorySystem, trajectory: Trajectory, pictures: PictureBlobs) -> None:
    """Replay one recorded session into `memory`: every page view in order, then its end.

    A refused action changed no page and is no view.

    Raises:
        DataError: a picture of the trajectory is missing.
    """
    for view in experiences(trajectory, pictures):
        place = (view.session, view.step, view.seen_at)
        memory.write(Experience(view.url, view.title, view.text, view.picture, *place))
    memory.end_session()


def recall(
    env: ShopEnv,
    agent: Agent,
    probe: Probe,
    memory: MemorySystem,
    delivery: Delivery,
    *,
    k: int = 5,
    seed: int,
) -> RecallResult:
    """Ask one probe: retrieve once, deliver, let the agent act until its final action or the end of its
    budget.

    Memory is asked once, at the start, with the instruction and the URL of the page then open (the home
    page), as in the published protocol of DMV-Bench; what was delivered stays before the agent for the whole
    probe. The bank is only read.

    Args:
        env: the shop; it is reset to the home page with the probe's goal, budget and target.
        agent: begins with a wiped context; it sees its goal, its observations and what was delivered.
        probe: the question; its target and phrase go to the grader only.
        memory: a bank that holds the chain so far.
        delivery: turns hits into what the agent reads.
        k: number of records to retrieve.
        seed: the study's seed; the probe's own draws depend on it and the probe's id only.

    Returns:
        Status "ok" with its grade; "error" with kind and message when the browser, the model or stored data
        failed; "invalid" when the probe asks for something its chain has not shown.

    Raises:
        ContractError: the bank changed during the probe.
    """
    started, episode = time.perf_counter(), _Episode(delivered=Delivered())
    draft = RecallResult(probe.id, agent.name, memory.name, delivery.name, "ok", bank=len(memory))
    if not 0 <= probe.first_seen <= probe.last_seen <= probe.session:
        seen = f"sessions {probe.first_seen} to {probe.last_seen}"
        return replace(draft, status="invalid", reason=f"seen in {seen}, asked after session {probe.session}")
    try:
        info = _ask(env, agent, probe, memory, delivery, k=k, seed=seed, episode=episode)
        draft = replace(draft, correct=bool(info["correct"]), answer=info["graded"])
    except (TransportError, ModelError, DataError) as error:
        kind = getattr(error, "kind", "data")
        draft = replace(draft, status="error", kind=str(kind), reason=str(error))
    if len(memory) != draft.bank:
        raise ContractError(
            f"memory {memory.name!r} went from {draft.bank} to {len(memory)} records while a question was "
            "asked; retrieve() must not write"
        )
    draft = replace(draft, stored=_stored(memory, episode.hits, probe.target))
    return episode.complete(draft, time.perf_counter() - started)


def _stored(memory: MemorySystem, hits: Sequence[Retrieved], product: str) -> bool | None:
    """Whether memory holds a record of a product's page; None where it has no bank to look into."""
    records: Iterable[Record] | None = getattr(memory, "bank", None)
    if any(product_id_of(hit.record.url) == product for hit in hits):
        return True
    return None if records is None else any(product_id_of(record.url) == product for record in records)


def episode_seed(seed: int, *purpose: str | int) -> int:
    """Seed of one episode, from the study's seed and what the episode is."""
    return int(stream(seed, "episode", *purpose).integers(2**31))


@dataclass(slots=True)
class _Recording:
    """A browsing session as far as it has come."""

    plan: SessionPlan
    seed: int
    pictures: PictureSink
    steps: list[TrajectoryStep] = field(default_factory=list)

    def add(self, page: Observation, reply: str, action: str) -> None:
        picture = None if page.picture is None else self.pictures.put(page.picture)
        moment = seen_at(self.plan, self.seed, len(self.steps))
        seen = (page.url, page.title, page.text, picture, moment, page.message)
        self.steps.append(TrajectoryStep(reply, action, *seen))


@dataclass(slots=True)
class _Episode:
    """A recall as far as it has come, so that a failed one still shows what happened."""

    delivered: Delivered
    hits: list[Retrieved] = field(default_factory=list)
    turns: list[TurnTrace] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    tag: str = ""

    def complete(self, draft: RecallResult, seconds: float) -> RecallResult:
        item = self.delivered.by_tag(self.tag) if self.tag else None
        return replace(
            draft,
            tag=self.tag,
            tag_answer=product_id_of(item.url) if item else None,
            turns=tuple(self.turns),
            retrieved=tuple(HitTrace.of(hit) for hit in self.hits),
            delivered=tuple(PartTrace.of(part) for part in self.delivered.parts),
            items=item_traces(self.delivered),
            usage=self.usage,
            seconds=seconds,
        )


def _ask(
    env: ShopEnv,
    agent: Agent,
    probe: Probe,
    memory: MemorySystem,
    delivery: Delivery,
    *,
    k: int,
    seed: int,
    episode: _Episode,
) -> Mapping[str, Any]:
    options = {"goal": probe.goal, "budget": probe.budget, "target": probe.target, "min_steps": 0}
    _, info = env.reset(seed=episode_seed(seed, "recall", probe.id), options=options)
    observation: Observation = info["observation"]
    query = Query(probe.goal, observation.url)
    episode.hits = memory.retrieve(query, k)
    episode.delivered = delivery.deliver(query, episode.hits)
    agent.begin(probe.goal, episode_seed(seed, "answer", probe.id))
    ended = False
    while not ended:
        turn = agent.act(observation, episode.delivered)
        episode.usage += turn.usage
        observation, ended, info = _carry_out(env, turn.reply, observation, episode)
    return info


def _carry_out(
    env: ShopEnv, reply: str, before: Observation, episode: _Episode
) -> tuple[Observation, bool, dict[str, Any]]:
    """One step: `open(M2)` becomes that item's page; everything else goes to the environment as written."""
    parsed = parse_reply(reply)
    text, refusal = reply, ""
    if isinstance(parsed.action, Open):
        item = episode.delivered.by_tag(parsed.action.tag)
        text = render_action(Navigate(item.url)) if item else reply
        refusal = "" if item else _unknown_tag(parsed.action.tag, episode.delivered)
    _, _, terminated, truncated, info = env.step(text)
    after: Observation = info["observation"]
    after = replace(after, message=refusal) if refusal else after
    action = render_action(info["action"])
    episode.turns.append(
        TurnTrace(
            before.url, reply, render_action(parsed.action), action, parsed.problems, after.message, after.url
        )
    )
    episode.tag = _tag_named(parsed.thought, episode.delivered) or episode.tag
    return after, terminated or truncated, info


def _unknown_tag(tag: str, delivered: Delivered) -> str:
    known = ", ".join(item.tag for item in delivered.items if item.tag)
    return f"no memory item is called {tag!r}; " + (
        f"there are {known}" if known else "none was delivered with a tag"
    )


def _tag_named(thought: str, delivered: Delivered) -> str:
    """The last delivered tag that a thought names, or ""."""
    known = [item for tag in _TAG.findall(thought) if (item := delivered.by_tag(tag))]
    return known[-1].tag if known else ""
