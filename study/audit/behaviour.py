"""L4: agents that see no picture, in the real environment, must be right as often as a guess."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image

from recallreach.agents.loops import browse, recall, remember
from recallreach.agents.registry import build_agent
from recallreach.env.probes import plan_probes
from recallreach.env.sessions import plan_session
from recallreach.env.store_env import StoreEnv
from recallreach.env.transports import InProcessTransport
from recallreach.env.types import Probe, Trajectory
from recallreach.memory.delivery import build_delivery
from recallreach.memory.parts import embedded_parts
from recallreach.memory.systems import build_memory
from recallreach.storefront.app import create_app
from recallreach.storefront.audit.report import AuditReport, Behaviour, Finding
from recallreach.storefront.catalog import Catalog
from recallreach.storefront.pager import PER_PAGE

CHAINS, SESSIONS, PER_REACH = 8, 3, 2
SYSTEMS = ("no-memory", "text-only")
RULES = {
    "no-memory": "a category, a collection and a product of its first page, each drawn at random",
    "text-only": "one of the products seen so far",
}
Stage = Callable[[str, int, int], None]


class GreyPictures:
    """The same grey picture for every product: a session needs pictures, and this one says nothing."""

    media_type = "image/png"

    def __init__(self) -> None:
        encoded = io.BytesIO()
        Image.new("RGB", (16, 16), (128, 128, 128)).save(encoded, "PNG")
        self._grey = encoded.getvalue()

    def picture(self, product_id: str) -> bytes:
        """The grey one."""
        return self._grey

    def base(self, product_id: str) -> bytes:
        """The grey one."""
        return self._grey

    def put(self, picture: bytes) -> str:
        """Where a session keeps its pictures: there is one."""
        return "grey"

    def get(self, digest: str) -> bytes:
        """The grey one."""
        return self._grey


@dataclass(frozen=True, slots=True)
class _Asked:
    probe: Probe
    seen: int
    correct: bool | None


def behaviours(catalog: Catalog, alpha: float, seed: int, stage: Stage) -> tuple[Behaviour, ...]:
    """Let a shopper browse, replay its sessions into memories without pictures, and ask.

    The agent is the built-in `matcher`: it reads delivered texts for the words of the question and guesses
    where they say nothing. While it answers it gets no picture at all; the sessions before showed the same
    grey one for every product.

    Args:
        catalog: whose shop it is.
        alpha: probability of a false alarm over both systems.
        seed: of sessions, probes and agents.
        stage: told how far it is.
    """
    grey = GreyPictures()
    app = create_app(catalog, grey)
    shown, blind = (StoreEnv(InProcessTransport(app, picture=picture)) for picture in (True, False))
    with closing(shown), closing(blind):
        chains = [_record(shown, grey, catalog, seed, chain, stage) for chain in range(CHAINS)]
        questions = _Questions(blind, grey, catalog, chains, seed, stage)
        return tuple(_judged(system, questions.ask(system), catalog, alpha) for system in SYSTEMS)


def with_behaviours(report: AuditReport, found: Sequence[Behaviour], seconds: float) -> AuditReport:
    """The report with level L4."""
    unasked = [f"level L4: no question could be asked of {e.system}" for e in found if not e.probes]
    leaks = tuple(
        Finding(
            "L4",
            f"agent with {entry.system}",
            f"right {entry.correct} times in {entry.probes} without seeing a picture "
            f"(a guess: {entry.expected * entry.probes:.1f}, at most {entry.bound})",
            target="product",
        )
        for entry in found
        if entry.leaks
    )
    return dataclasses.replace(
        report,
        levels=report.levels if unasked else (*report.levels, "L4"),
        notes=(*report.notes, *unasked),
        behaviours=tuple(found),
        findings=report.findings + leaks,
        seconds={**report.seconds, "L4": seconds},
    )


def _record(
    env: StoreEnv, grey: GreyPictures, catalog: Catalog, seed: int, chain: int, stage: Stage
) -> list[Trajectory]:
    stage("Agents browsing", chain, CHAINS)
    shopper = build_agent("shopper")
    plans = [plan_session(catalog, seed, chain, index) for index in range(SESSIONS)]
    return [browse(env, shopper, plan, seed=seed, pictures=grey) for plan in plans]


class _Questions:
    def __init__(
        self,
        env: StoreEnv,
        grey: GreyPictures,
        catalog: Catalog,
        chains: Sequence[Sequence[Trajectory]],
        seed: int,
        stage: Stage,
    ) -> None:
        self._env, self._grey, self._catalog, self._chains = env, grey, catalog, chains
        self._seed, self._stage = seed, stage
        self._parts, self._agent = embedded_parts(), build_agent("matcher")

    def ask(self, system: str) -> list[_Asked]:
        asked: list[_Asked] = []
        for number, chain in enumerate(self._chains):
            self._stage(f"Agents answering with {system}", number, len(self._chains))
            asked += self._ask_chain(system, chain)
        return asked

    def _ask_chain(self, system: str, chain: Sequence[Trajectory]) -> Iterator[_Asked]:
        memory: Any = build_memory(system, self._parts)
        delivery = build_delivery(memory.default_delivery)
        probes = plan_probes(chain, self._catalog, per_reach=PER_REACH, seed=self._seed)
        for session, trajectory in enumerate(chain):
            remember(memory, trajectory, self._grey)
            seen = len({product for done in chain[: session + 1] for product in done.products})
            for probe in (entry for entry in probes if entry.session == session):
                result = recall(self._env, self._agent, probe, memory, delivery, seed=self._seed)
                yield _Asked(probe, seen, result.correct if result.status == "ok" else None)


def _judged(system: str, asked: Sequence[_Asked], catalog: Catalog, alpha: float) -> Behaviour:
    answered = [entry for entry in asked if entry.correct is not None]
    chances = [_chance(system, entry, catalog) for entry in answered]
    return Behaviour(
        system=system,
        rule=RULES[system],
        probes=len(answered),
        correct=sum(bool(entry.correct) for entry in answered),
        expected=sum(chances) / len(chances) if chances else 0.0,
        bound=_bound(chances, alpha / len(SYSTEMS)),
        errors=len(asked) - len(answered),
    )


def _chance(system: str, asked: _Asked, catalog: Catalog) -> float:
    if system == "text-only":
        return 1 / asked.seen
    product = catalog.by_id(asked.probe.target)
    siblings = catalog.products_in(product.collection)
    if siblings.index(product) >= PER_PAGE:
        return 0.0
    collections = len(catalog.collections_in(product.category))
    return 1 / len(catalog.categories) / collections / min(PER_PAGE, len(siblings))


def _bound(chances: Sequence[float], alpha: float) -> int:
    """The least count that a sum of independent guesses passes with probability `alpha` at most."""
    counts = np.ones(1)
    for chance in chances:
        counts = np.convolve(counts, [1 - chance, chance])
    beyond = 1 - np.cumsum(counts)
    return int(np.argmax(beyond <= alpha))
