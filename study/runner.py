"""The one runner: record each session once, replay it into every memory, ask the probes, keep answers."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recallreach.agents.loops import browse, recall, remember
from recallreach.agents.results import RecallResult
from recallreach.agents.types import Agent
from recallreach.env.actions import product_id_of
from recallreach.env.probes import plan_probes
from recallreach.env.sessions import plan_session
from recallreach.env.store_env import StoreEnv
from recallreach.env.trajectory import TrajectoryStore
from recallreach.env.types import Probe, Trajectory
from recallreach.errors import DataError, RecallReachError
from recallreach.files import dump_json, sha256
from recallreach.memory.types import Delivered, Delivery, MemorySystem, Query, Retrieved
from recallreach.study.assembly import Materials, System, make_delivery, make_memory
from recallreach.study.banks import Snapshot, snapshot
from recallreach.study.config import Part
from recallreach.study.decompose.attribution import failure_of
from recallreach.study.events import Trace
from recallreach.study.manifest import now
from recallreach.study.pictures import Kept
from recallreach.study.progress import Advance, Reporter
from recallreach.study.store import ResultStore, Unit, unit_key

FEWEST_PROBES = 50
"""Probes before the error rate may stop a run."""


class ErrorThresholdError(RecallReachError):
    """The share of technical errors passed the threshold; the run stopped."""


@dataclass(frozen=True)
class Setup:
    """What a runner works with; everything is started and closed by others."""

    materials: Materials
    env: StoreEnv
    shopper: Agent
    agent: Agent
    recorded: TrajectoryStore
    store: ResultStore
    reporter: Reporter


class _Keeping:
    """A delivery that remembers what it delivered last, so that the report can show it."""

    def __init__(self, inner: Delivery) -> None:
        self._inner, self.name = inner, inner.name
        self.last = Delivered()

    def deliver(self, query: Query, hits: Sequence[Retrieved]) -> Delivered:
        """As the wrapped delivery."""
        self.last = self._inner.deliver(query, hits)
        return self.last


class Runner:
    """Runs a study from wherever it stands to its end."""

    def __init__(self, setup: Setup) -> None:
        self._setup, self._materials = setup, setup.materials
        self._kept = Kept(setup.recorded.pictures, setup.store.pictures())
        self._products = {product.id for product in setup.materials.catalog}
        systems = setup.materials.systems
        self._deliveries = {system.label: _Keeping(make_delivery(system.delivery)) for system in systems}
        self._attempted = self._errors = 0

    def run(self) -> None:
        """Record what is missing, then answer what is missing.

        Raises:
            ErrorThresholdError: the error threshold was passed.
            TransportError, ModelError: a session could not be recorded; run again to go on.
        """
        setup = self._setup
        chains = self._record_all()
        asked = [self._probes(chain) for chain in chains]
        for system in self._materials.systems:
            setup.store.register(system.label, system.identity())
        done = setup.store.finished()
        self._attempted = len(done)
        total = sum(map(len, asked)) * len(self._materials.systems)
        with setup.reporter.phase("Recall probes", total, len(done)) as advance:
            for chain, probes in zip(chains, asked, strict=True):
                self._ask_chain(chain, probes, done, advance)

    # Recording.

    def _record_all(self) -> list[list[Trajectory]]:
        config, recorded = self._materials.config, self._setup.recorded
        places = [(chain, index) for chain in range(config.chains) for index in range(config.sessions)]
        there = sum(recorded.has(*place) for place in places)
        with self._setup.reporter.phase("Browsing sessions", len(places), there) as advance:
            for place in places:
                if not recorded.has(*place):
                    self._record(*place)
                    advance(1)
        return [[self._load(chain, i) for i in range(config.sessions)] for chain in range(config.chains)]

    def _record(self, chain: int, index: int) -> None:
        setup, seed = self._setup, self._materials.config.seed
        plan = plan_session(self._materials.catalog, seed, chain, index)
        recorded = setup.recorded
        trajectory = browse(setup.env, setup.shopper, plan, seed=seed, pictures=recorded.pictures)
        recorded.save(dataclasses.replace(trajectory, source=self._source()))

    def _load(self, chain: int, index: int) -> Trajectory:
        found = self._setup.recorded.load(chain, index)
        if dict(found.source) != self._source():
            raise DataError(
                f"{self._setup.recorded.path(chain, index)} was recorded for another study; "
                "remove it, or start again with --fresh"
            )
        return found

    def _source(self) -> dict[str, str]:
        """What a recording depends on."""
        config = self._materials.config
        shopper = json.dumps(config.shopper.identity(), sort_keys=True)
        catalog, renderer = self._materials.catalog.hash, str(self._materials.pictures.version)
        return {"catalog": catalog, "renderer": renderer, "seed": str(config.seed), "agent": shopper}

    def _probes(self, chain: Sequence[Trajectory]) -> list[Probe]:
        config = self._materials.config
        return plan_probes(
            chain,
            self._materials.catalog,
            per_reach=None if config.probes == "exhaustive" else config.probes,
            seed=config.seed,
            reach=config.reach,
            budget=config.budget,
        )

    # Asking.

    def _ask_chain(
        self, chain: Sequence[Trajectory], probes: Sequence[Probe], done: set[str], advance: Advance
    ) -> None:
        for memory in self._materials.config.memories:
            systems = [system for system in self._materials.systems if system.memory == memory]
            open_units = self._open_units(chain, probes, systems, done)
            if open_units:
                self._ask_memory(chain, memory, open_units, advance)

    def _open_units(
        self, chain: Sequence[Trajectory], probes: Sequence[Probe], systems: Sequence[System], done: set[str]
    ) -> dict[int, list[tuple[str, System, Probe]]]:
        """Unanswered (key, system, probe) by session."""
        found: dict[int, list[tuple[str, System, Probe]]] = {}
        digests = [_digest(chain[: index + 1]) for index in range(len(chain))]
        for probe in probes:
            for system in systems:
                key = unit_key(self._facts(system, probe, digests[probe.session]))
                if key not in done:
                    found.setdefault(probe.session, []).append((key, system, probe))
        return found

    def _facts(self, system: System, probe: Probe, past: str) -> dict[str, Any]:
        """Everything that changes a unit's result."""
        config, parts = self._materials.config, self._materials.parts
        return {
            "catalog": self._materials.catalog.hash,
            "renderer": str(self._materials.pictures.version),
            "seed": config.seed,
            "past": past,
            "probe": dataclasses.asdict(probe),
            "system": system.identity(),
            "agent": config.agent.identity(),
            "encoders": [parts.encoder.name, parts.text_encoder.name, parts.captioner.name],
            "weights": self._materials.weights,
            "k": config.k,
        }

    def _ask_memory(
        self,
        chain: Sequence[Trajectory],
        part: Part,
        open_units: Mapping[int, Sequence[tuple[str, System, Probe]]],
        advance: Advance,
    ) -> None:
        """Replay the chain into a fresh memory, stopping after each session for its questions."""
        memory = make_memory(part, self._materials.parts)
        seen: set[str] = set()
        for index in range(max(open_units) + 1):
            remember(memory, chain[index], self._setup.recorded.pictures)
            seen.update(chain[index].products)
            asked = open_units.get(index, ())
            bank = snapshot(memory, part.title, chain[index].plan.chain, index) if asked else None
            for key, system, probe in asked:
                self._ask(key, system, probe, memory, len(seen), bank)
                bank = None
                advance(1)

    def _ask(
        self,
        key: str,
        system: System,
        probe: Probe,
        memory: MemorySystem,
        seen: int,
        bank: Snapshot | None,
    ) -> None:
        config, delivery = self._materials.config, self._deliveries[system.label]
        agent, env = self._setup.agent, self._setup.env
        delivery.last = Delivered()
        result = recall(env, agent, probe, memory, delivery, k=config.k, seed=config.seed)
        unit = self._unit(key, system, probe, result, seen)
        pictures = self._product_pictures(probe.target, unit.answer)
        named = {product: sha256(picture) for product, picture in pictures.items()}
        trace = Trace(probe.goal, named, result)
        failure = failure_of(unit, trace.to_json())
        unit = dataclasses.replace(unit, stage=failure.kind if failure else "")
        delivered = [item.image.data for item in delivery.last.items if item.image is not None]
        self._setup.store.add(unit, trace, self._kept.new([*delivered, *pictures.values()]), bank)
        self._count(unit)

    def _product_pictures(self, *products: str | None) -> dict[str, bytes]:
        pictures = self._materials.pictures
        return {product: pictures.picture(product) for product in products if product in self._products}

    def _unit(self, key: str, system: System, probe: Probe, result: RecallResult, seen: int) -> Unit:
        return Unit(
            key=key,
            system=system.label,
            tree=probe.chain,
            chain=probe.chain,
            session=probe.session,
            probe=probe.id,
            target=probe.target,
            phrase=probe.phrase,
            first_seen=probe.first_seen,
            last_seen=probe.last_seen,
            reach=probe.reach,
            place=0,
            places=0,
            seen=seen,
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
            calls=result.usage.calls,
            images=result.usage.images,
            visual_tokens=result.usage.visual_tokens,
            text_tokens=result.usage.text_tokens,
            reply_tokens=result.usage.reply_tokens,
            seconds=result.seconds,
            finished_at=now(),
        )

    def _count(self, unit: Unit) -> None:
        self._attempted += 1
        self._errors += unit.status == "error"
        share, threshold = self._errors / self._attempted, self._materials.config.error_threshold
        if self._attempted >= FEWEST_PROBES and share > threshold:
            raise ErrorThresholdError(
                f"stopped: {self._errors} of {self._attempted} probes ended in a technical error "
                f"({share:.1%}, threshold {threshold:.1%}); the last one: {unit.reason}. "
                "Mend the cause and run the same command again: answers are kept, failed probes run again."
            )


def _rank(result: RecallResult, target: str) -> int | None:
    hits = enumerate(result.retrieved, start=1)
    return next((rank for rank, hit in hits if product_id_of(hit.url) == target), None)


def _digest(past: Sequence[Trajectory]) -> str:
    return sha256(dump_json([dataclasses.asdict(trajectory) for trajectory in past]).encode())
