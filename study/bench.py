"""One worker's place: its own browser, shop, agents and encoders, and the two things it does there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import groupby, pairwise
from pathlib import Path
from typing import Protocol, Self

from recallreach.agents.calls import ModelCalls
from recallreach.agents.errors import ModelError
from recallreach.agents.loops import browse, recall, remember
from recallreach.agents.results import RecallResult
from recallreach.agents.types import Agent
from recallreach.env.actions import product_id_of
from recallreach.env.sessions import plan_session
from recallreach.env.trajectory import PictureBlobs
from recallreach.env.types import Trajectory
from recallreach.files import sha256
from recallreach.memory.errors import CaptionError, ReplyError
from recallreach.memory.types import Delivered, Delivery, MemorySystem, Query, Retrieved
from recallreach.study.assembly import Materials, Shop, make_agent
from recallreach.study.banks import Snapshot, snapshot
from recallreach.study.books import open_books
from recallreach.study.decompose.attribution import failure_of
from recallreach.study.events import Trace
from recallreach.study.manifest import now
from recallreach.study.tree import Place
from recallreach.study.units import Unit
from recallreach.study.work import Answered, Ask, Began, Question, Recorded, Session


class Recordings(Protocol):
    """Where recorded sessions and their pictures come from."""

    @property
    def pictures(self) -> PictureBlobs:
        """Pictures by SHA-256."""

    def load(self, chain: int, session: int) -> Trajectory:
        """One recorded session."""


class Bench:
    """A worker at work; a context manager.

    Args:
        materials: what the study is made of.
        source: what a recording depends on, to be kept with each.
        folder: run folder with the books of model calls, where agents have models.
        agents: shopper and recall agent, where they are made already.
    """

    def __init__(
        self,
        materials: Materials,
        source: Mapping[str, str],
        folder: Path | None,
        agents: tuple[Agent, Agent] | None = None,
    ) -> None:
        self._materials, self._source, self._folder = materials, dict(source), folder
        self._products = {product.id for product in materials.catalog}
        self._deliveries = {
            system.label: _Keeping(materials.make_delivery(system.delivery)) for system in materials.systems
        }
        self._handed: set[str] = set()
        config = materials.config
        self.shopper, self.agent = agents or (make_agent(config.shopper), make_agent(config.agent))
        self._open = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as opening:
            calls = open_books(self._materials.config, self._folder, [self.shopper, self.agent])
            if calls is not None:
                self._govern(opening.enter_context(calls))
            self.shop = opening.enter_context(Shop(self._materials))
            self._open = opening.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def _govern(self, calls: ModelCalls) -> None:
        self.shopper, self.agent = calls.govern(self.shopper), calls.govern(self.agent)
        self._materials.kit.govern(calls.model)

    @property
    def browser_version(self) -> str:
        """Version of the browser that this worker drives, or ""."""
        return str(getattr(self.shop.transport, "version", ""))

    # Browsing.

    def browse(self, task: Session) -> Iterator[Began | Recorded]:
        """Carry out one session.

        Raises:
            TransportError, ModelError: it could not be recorded whole.
        """
        yield Began(str(task))
        materials, pictures = self._materials, _Gathered()
        seed, branch = materials.config.seed, materials.config.forest.branch(task.place)
        plan = plan_session(materials.catalog, seed, *task.place, branch)
        found = browse(self.shop.env, self.shopper, plan, seed=seed, pictures=pictures)
        yield Recorded(replace(found, source=self._source), pictures.by_digest)

    # Asking.

    def ask(self, task: Ask, recordings: Recordings) -> Iterator[Began | Answered]:
        """Walk the task's tree, remembering each session once, and put its questions.

        A session's memory is forked for every child but the last one that is needed.
        """
        asked = {at: list(group) for at, group in groupby(task.questions, key=lambda entry: entry.at)}
        needed = self._children(asked)
        root = self._materials.config.forest.path_to(task.questions[0].at)[0]
        waiting = [(root, self._materials.make_memory(task.memory))]
        while waiting:
            place, memory = waiting.pop()
            yield Began(f"replaying session {place[1]} of chain {place[0]} into {task.memory.title}")
            session = recordings.load(*place)
            try:
                remember(memory, session, recordings.pictures)
            except (ModelError, CaptionError, ReplyError) as error:
                yield from self._unanswerable(task, place, memory, error)
                continue
            yield from self._ask_here(task, asked.get(place, ()), memory)
            children = needed.get(place, [])
            forks = [memory.fork() for _ in children[:-1]] + [memory]
            waiting += reversed(list(zip(children, forks, strict=False)))

    def _children(self, asked: Mapping[Place, object]) -> dict[Place, list[Place]]:
        """The part of the tree that leads to the questions, in order."""
        needed: dict[Place, list[Place]] = {}
        for at in asked:
            path = self._materials.config.forest.path_to(at)
            for parent, child in pairwise(path):
                if child not in needed.setdefault(parent, []):
                    needed[parent].append(child)
        return needed

    def _ask_here(
        self, task: Ask, questions: Sequence[Question], memory: MemorySystem
    ) -> Iterator[Began | Answered]:
        bank = snapshot(memory, task.memory.title, *questions[0].at) if questions else None
        for question in questions:
            yield Began(f"probe {question.probe.id}", self._draft(question, memory))
            yield self._answer(question, memory, bank)
            bank = None

    def _unanswerable(
        self, task: Ask, place: Place, memory: MemorySystem, error: ModelError | CaptionError | ReplyError
    ) -> Iterator[Answered]:
        """Where a memory's own model failed, nothing can be asked of it from that session on."""
        kind, forest = str(getattr(error, "kind", "caption")), self._materials.config.forest
        for question in task.questions:
            if place in forest.path_to(question.at):
                result = replace(self._draft(question, memory)[1].result, kind=kind, reason=str(error))
                yield Answered(unit_of(question, result), Trace(question.probe.goal, {}, result))

    def _draft(self, question: Question, memory: MemorySystem) -> tuple[Unit, Trace]:
        """What is stored of a question that is never answered."""
        names = (self.agent.name, memory.name, self._deliveries[question.system].name)
        result = RecallResult(question.probe.id, *names, "error", kind="hung", bank=len(memory))
        return unit_of(question, result), Trace(question.probe.goal, {}, result)

    def _answer(self, question: Question, memory: MemorySystem, bank: Snapshot | None) -> Answered:
        config, delivery = self._materials.config, self._deliveries[question.system]
        delivery.last = Delivered()
        result = recall(
            self.shop.env, self.agent, question.probe, memory, delivery, k=config.k, seed=config.seed
        )
        shown = self._product_pictures(question.probe.target, result.answer)
        trace = Trace(question.probe.goal, {product: sha256(data) for product, data in shown.items()}, result)
        items = [item.image.data for item in delivery.last.items if item.image is not None]
        return Answered(unit_of(question, result), trace, self._new([*items, *shown.values()]), bank)

    def _product_pictures(self, *products: str | None) -> dict[str, bytes]:
        pictures = self._materials.pictures
        return {product: pictures.picture(product) for product in products if product in self._products}

    def _new(self, pictures: Sequence[bytes]) -> dict[str, bytes]:
        found = {sha256(picture): picture for picture in pictures}
        new = {digest: picture for digest, picture in found.items() if digest not in self._handed}
        self._handed.update(new)
        return new


class _Gathered:
    """Pictures of one session, kept in memory until the session is whole."""

    def __init__(self) -> None:
        self.by_digest: dict[str, bytes] = {}

    def put(self, picture: bytes) -> str:
        """Keep the bytes once; returns their SHA-256."""
        digest = sha256(picture)
        self.by_digest.setdefault(digest, picture)
        return digest


class _Keeping:
    """A delivery that remembers what it delivered last, so that the pictures can be kept."""

    def __init__(self, inner: Delivery) -> None:
        self._inner, self.name = inner, inner.name
        self.last = Delivered()

    def deliver(self, query: Query, hits: Sequence[Retrieved]) -> Delivered:
        """As the wrapped delivery."""
        self.last = self._inner.deliver(query, hits)
        return self.last


def unit_of(question: Question, result: RecallResult) -> Unit:
    """The row of a question with its result."""
    probe, usage = question.probe, result.usage
    unit = Unit(
        key=question.key,
        system=question.system,
        tree=question.tree,
        chain=probe.chain,
        session=probe.session,
        probe=probe.id,
        target=probe.target,
        phrase=probe.phrase,
        first_seen=probe.first_seen,
        last_seen=probe.last_seen,
        reach=probe.reach,
        place=question.place,
        places=question.places,
        seen=question.seen,
        bank=result.bank,
        status=result.status,
        correct=bool(result.correct),
        answer=result.answer,
        kind=result.kind or ("" if result.status == "ok" else result.status),
        reason=result.reason,
        stage="",
        rank=_rank(result, probe.target),
        steps=len(result.turns),
        actions=tuple(turn.action for turn in result.turns),
        calls=usage.calls,
        images=usage.images,
        visual_tokens=usage.visual_tokens,
        text_tokens=usage.text_tokens,
        reply_tokens=usage.reply_tokens,
        seconds=result.seconds,
        finished_at=now(),
    )
    failure = failure_of(unit, Trace(probe.goal, {}, result).to_json())
    return replace(unit, stage=failure.kind if failure else "")


def _rank(result: RecallResult, target: str) -> int | None:
    hits = enumerate(result.retrieved, start=1)
    return next((rank for rank, hit in hits if product_id_of(hit.url) == target), None)
