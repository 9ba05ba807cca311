"""Recall probes: what is asked after each session, and how far back it reaches."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from recallreach.env.types import Probe, Trajectory
from recallreach.errors import ConfigError, DataError, UnknownNameError
from recallreach.seeding import stream
from recallreach.storefront.types import CatalogLike

RECALL_BUDGET = 8
"""Steps of a recall probe (DMV-Bench, arXiv 2606.27499)."""

Reach = Literal["last_seen", "first_seen"]

_GOAL = (
    "On an earlier visit you had a product page open whose picture also showed {cue}. "
    "Find your way back to the page of that very product. As soon as it is open, finish with add_to_wishlist."
)


@dataclass(frozen=True, slots=True)
class _Seen:
    """One candidate: a product and the sessions in which its page was first and last open."""

    product: str
    first: int
    last: int


def plan_probes(
    trajectories: Iterable[Trajectory],
    catalog: CatalogLike,
    *,
    per_reach: int | None = None,
    seed: int,
    reach: Reach = "last_seen",
    budget: int = RECALL_BUDGET,
) -> list[Probe]:
    """The questions asked after every session: one for each product seen so far in its chain.

    Args:
        trajectories: recorded sessions of one or more chains, in any order; each chain without gaps from
            session 0.
        catalog: knows the cue of each product.
        per_reach: at most so many questions per (session, reach), drawn by seed; None asks all.
        seed: the study's seed; the draw for one session and reach depends on them and the chain only.
        reach: counted from the last view (default) or from the first, as DMV-Bench's released code does.
        budget: steps allowed for a question.

    Returns:
        Probes by chain, session, reach and order of first view.

    Raises:
        ConfigError: `per_reach` or `budget` is below 1.
        DataError: a chain has a gap or a session twice, or shows a product the catalogue does not have.
    """
    if budget < 1 or (per_reach is not None and per_reach < 1):
        raise ConfigError(
            f"budget={budget} and per_reach={per_reach} must be at least 1 (per_reach=None asks all)"
        )
    probes: list[Probe] = []
    for chain, sessions in sorted(_chains(trajectories).items()):
        for session, strata in _strata(sessions, reach):
            for distance, candidates in sorted(strata.items()):
                drawn = _drawn(candidates, per_reach, seed, chain, session, distance)
                probes += [_probe(catalog, chain, session, seen, budget, reach) for seen in drawn]
    return probes


def probe_goal(phrase: str) -> str:
    """The instruction of a recall probe; it names the cue and nothing else of the product."""
    return _GOAL.format(cue=_with_article(phrase))


def _with_article(phrase: str) -> str:
    """The phrase as a sentence takes it: "a teal eye sleep mask", "an orange mug", "brown knit socks"."""
    if re.search(r"[^su]s$", phrase):
        return phrase
    return f"{'an' if phrase[:1].lower() in tuple('aeiou') else 'a'} {phrase}"


def _chains(trajectories: Iterable[Trajectory]) -> dict[int, list[Trajectory]]:
    chains: dict[int, dict[int, Trajectory]] = defaultdict(dict)
    for trajectory in trajectories:
        plan = trajectory.plan
        if plan.index in chains[plan.chain]:
            raise DataError(f"session {plan.index} of chain {plan.chain} is there twice")
        chains[plan.chain][plan.index] = trajectory
    return {chain: _ordered(chain, sessions) for chain, sessions in chains.items()}


def _ordered(chain: int, sessions: dict[int, Trajectory]) -> list[Trajectory]:
    missing = sorted(set(range(len(sessions))) - set(sessions))
    if missing:
        raise DataError(f"chain {chain} lacks session {missing[0]}, so what was seen before is not known")
    return [sessions[index] for index in range(len(sessions))]


def _strata(sessions: Sequence[Trajectory], reach: Reach) -> Iterator[tuple[int, dict[int, list[_Seen]]]]:
    """After each session: the candidates by their reach, in order of first view."""
    seen: dict[str, _Seen] = {}
    for session, trajectory in enumerate(sessions):
        for product in dict.fromkeys(trajectory.products):
            first = seen[product].first if product in seen else session
            seen[product] = _Seen(product, first, session)
        strata: dict[int, list[_Seen]] = defaultdict(list)
        for entry in seen.values():
            strata[session - (entry.last if reach == "last_seen" else entry.first)].append(entry)
        yield session, strata


def _drawn(
    candidates: list[_Seen], count: int | None, seed: int, chain: int, session: int, distance: int
) -> list[_Seen]:
    if count is None or count >= len(candidates):
        return candidates
    draws = stream(seed, "chain", chain, "probes", session, "reach", distance)
    chosen = draws.choice(len(candidates), size=count, replace=False)
    return [candidates[int(index)] for index in sorted(chosen)]


def _probe(catalog: CatalogLike, chain: int, session: int, seen: _Seen, budget: int, reach: Reach) -> Probe:
    try:
        phrase = catalog.cue_of(seen.product).phrase
    except UnknownNameError as error:
        raise DataError(
            f"chain {chain} shows product {seen.product}, which the catalogue does not have; "
            "the trajectories were recorded with another catalogue"
        ) from error
    identifier = f"c{chain}-s{session}-{seen.product}"
    goal = probe_goal(phrase)
    return Probe(identifier, chain, session, seen.product, phrase, goal, seen.first, seen.last, budget, reach)
