"""What a delivery costs, counted once at delivery, and whether it grows with the number of sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recallreach.memory.delivery.cost import DeliveryCost, text_tokens, visual_tokens
from recallreach.seeding import stream
from recallreach.study.scoring import by_system
from recallreach.study.stats import RESAMPLES, Interval, ends
from recallreach.study.store import Unit

MEASURES = ("images", "visual_tokens", "text_tokens")


@dataclass(frozen=True, slots=True)
class Growth:
    """One cost of one system over the sessions of a chain.

    Attributes:
        system: label.
        measure: "images", "visual_tokens" or "text_tokens", per probe, at delivery.
        means: session number (from 1) to mean.
        slope: change per session, least squares over the probes.
        interval: 95 % bootstrap over chains, or None with fewer than two chains or one session.
    """

    system: str
    measure: str
    means: Mapping[int, float]
    slope: float
    interval: Interval | None


def delivered_cost(trace: Mapping[str, Any], patch: int = 28) -> DeliveryCost:
    """What was delivered, from a trace; a `Unit` counts it for every turn that it stays before the agent."""
    parts = trace["delivered"]
    images = [part for part in parts if part["kind"] == "image"]
    visual = sum(visual_tokens(part["width"], part["height"], patch) for part in images)
    return DeliveryCost(len(images), visual, sum(text_tokens(part["text"]) for part in parts))


def growth_of(
    units: Sequence[Unit],
    trace_of: Callable[[str], Mapping[str, Any]],
    seed: int,
    order: Sequence[str] = (),
) -> list[Growth]:
    """The three costs of every system, over its "ok" probes; `order` lists labels to come first."""
    found = []
    for system, rows in by_system(units, order).items():
        mine = [unit for unit in rows if unit.ok]
        costs = [delivered_cost(trace_of(unit.key)) for unit in mine]
        for measure in MEASURES if mine else ():
            values = [float(getattr(cost, measure)) for cost in costs]
            found.append(_growth(system, measure, mine, values, seed))
    return found


def _growth(system: str, measure: str, units: Sequence[Unit], values: Sequence[float], seed: int) -> Growth:
    sessions = [unit.session for unit in units]
    means = {
        session + 1: fmean(value for value, at in zip(values, sessions, strict=True) if at == session)
        for session in sorted(set(sessions))
    }
    sums = _sums(units, values)
    slope = float(_slopes(sums.sum(axis=0, keepdims=True))[0])
    return Growth(system, measure, means, slope, _interval(sums, seed, system, measure))


def _sums(units: Iterable[Unit], values: Iterable[float]) -> NDArray[np.float64]:
    """(chains, 5): per chain the sums of 1, x, y, x * x and x * y, from which a slope follows."""
    by_chain: dict[int, NDArray[np.float64]] = {}
    for unit, y in zip(units, values, strict=True):
        x = float(unit.session)
        row = np.array([1.0, x, y, x * x, x * y])
        by_chain[unit.tree] = by_chain.get(unit.tree, np.zeros(5)) + row
    return np.stack([by_chain[chain] for chain in sorted(by_chain)])


def _slopes(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    count, x, y, xx, xy = sums.T
    spread = count * xx - x * x
    flat = np.zeros_like(spread)
    slopes: NDArray[np.float64] = np.divide(count * xy - x * y, spread, out=flat, where=spread > 0)
    return slopes


def _interval(sums: NDArray[np.float64], seed: int, *purpose: str) -> Interval | None:
    chains = len(sums)
    if chains < 2:
        return None
    random = stream(seed, "bootstrap", "growth", *purpose)
    draws = random.multinomial(chains, np.full(chains, 1 / chains), size=RESAMPLES)
    return ends(_slopes(draws @ sums), chains)
