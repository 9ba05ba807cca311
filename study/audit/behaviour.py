"""L4: agents that see no picture, in the real environment, must be right as often as a guess."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from recallreach.agents.loops import browse, recall, remember
from recallreach.agents.registry import build_agent
from recallreach.agents.types import Agent
from recallreach.env.probes import plan_probes
from recallreach.env.sessions import plan_session
from recallreach.env.store_env import StoreEnv
from recallreach.env.transports import InProcessTransport
from recallreach.env.types import Probe, Trajectory
from recallreach.errors import DataError
from recallreach.memory.delivery import build_delivery
from recallreach.memory.parts import Parts, embedded_parts
from recallreach.memory.systems import build_memory
from recallreach.memory.types import MemorySystem
from recallreach.storefront.app import create_app
from recallreach.storefront.audit.report import AuditReport, Behaviour, Finding
from recallreach.storefront.catalog import Catalog
from recallreach.storefront.pager import PER_PAGE
from recallreach.storefront.stock import ShopPictures

CHAINS, SESSIONS, PER_REACH = 8, 3, 2
SYSTEMS = ("no-memory", "text-only")
RULES = {
    "no-memory": "a category, a collection and a product of its first page, each drawn at random",
    "text-only": "one of the products seen so far",
}
Stage = Callable[[str, int, int], None]


class NoPictures:
    """Pictures for a shop whose visitor has no eyes."""

    media_type = "image/jpeg"

    def picture(self, product_id: str) -> bytes:
        """Nothing to see."""
        return b""

    def base(self, product_id: str) -> bytes:
        """Nothing to see."""
        return b""


class NoBlobs:
    """Keeps no pictures, because none come."""

    def put(self, picture: bytes) -> str:
        """Refuse: a blind session must not have met a picture."""
        raise DataError("a session without eyes met a picture")

    def get(self, digest: str) -> bytes:
        """Refuse: there is none."""
        raise DataError(f"no picture {digest} was kept")


@dataclass(frozen=True, slots=True)
class _Asked:
    probe: Probe
    seen: int
    correct: bool | None


def behaviours(catalog: Catalog, alpha: float, seed: int, stage: Stage) -> tuple[Behaviour, ...]:
    """Let a shopper browse, replay its sessions into memories without pictures, and ask.

    The agent is the built-in `matcher`: it reads delivered texts for the words of the question and guesses
    where they say nothing. It gets no picture at all.

    Args:
        catalog: whose shop it is.
        alpha: probability of a false alarm over both systems.
        seed: of sessions, probes and agents.
        stage: told how far it is.
    """
    pictures: ShopPictures = NoPictures()
    env = StoreEnv(InProcessTransport(create_app(catalog, pictures), picture=False))
    try:
        chains = [_record(env, catalog, seed, chain, stage) for chain in range(CHAINS)]
        parts, agent = embedded_parts(), build_agent("matcher")
        return tuple(
            _judged(system, _ask_all(env, agent, catalog, chains, system, parts, seed, stage), catalog, alpha)
            for system in SYSTEMS
        )
    finally:
        env.close()


def with_behaviours(report: AuditReport, found: Sequence[Behaviour], seconds: float) -> AuditReport:
    """The report with level L4."""
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
        levels=(*report.levels, "L4"),
        behaviours=tuple(found),
        findings=report.findings + leaks,
        seconds={**report.seconds, "L4": seconds},
    )


def _record(env: StoreEnv, catalog: Catalog, seed: int, chain: int, stage: Stage) -> list[Trajectory]:
    stage("Agents browsing", chain, CHAINS)
    shopper = build_agent("shopper")
    plans = [plan_session(catalog, seed, chain, index) for index in range(SESSIONS)]
    return [browse(env, shopper, plan, seed=seed, pictures=NoBlobs()) for plan in plans]


def _ask_all(
    env: StoreEnv,
    agent: Agent,
    catalog: Catalog,
    chains: Sequence[Sequence[Trajectory]],
    system: str,
    parts: Parts,
    seed: int,
    stage: Stage,
) -> list[_Asked]:
    asked: list[_Asked] = []
    for number, chain in enumerate(chains):
        stage(f"Agents answering with {system}", number, len(chains))
        memory: MemorySystem = build_memory(system, parts)
        delivery = build_delivery(memory.default_delivery)
        probes = plan_probes(chain, catalog, per_reach=PER_REACH, seed=seed)
        for session, trajectory in enumerate(chain):
            remember(memory, trajectory, NoBlobs())
            seen = len({product for done in chain[: session + 1] for product in done.products})
            for probe in (entry for entry in probes if entry.session == session):
                result = recall(env, agent, probe, memory, delivery, seed=seed)
                asked.append(_Asked(probe, seen, result.correct if result.status == "ok" else None))
    return asked


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
