"""What a study will ask of its models, before it does."""

from __future__ import annotations

from recallreach.agents.budget import Prices
from recallreach.agents.preflight import Estimate, Named, Workload, estimate, priced
from recallreach.agents.types import Agent, ChatModel, Usage
from recallreach.study.config import StudyConfig
from recallreach.study.rehearsal import Stage
from recallreach.study.tree import Place

NEW_PRODUCTS = 12
"""Distinct products that a session adds, as the protocol aims at (DMV-Bench, arXiv 2606.27499)."""


def estimate_lines(
    config: StudyConfig, systems: int, shopper: Agent, agent: Agent, prices: Prices | None = None
) -> list[str]:
    """Sentences about what the agents' models will be asked, from the study's design alone.

    Args:
        config: the study.
        systems: memories times deliveries.
        shopper, agent: its agents; those without a model cost nothing.
        prices: what models cost.

    Raises:
        UnknownNameError: there are prices, and none for a model of the study.
    """
    found: dict[str, tuple[ChatModel, int, int]] = {}
    for one, sessions, probes in (
        (shopper, config.forest.runs, 0),
        (agent, 0, systems * probes_expected(config)),
    ):
        model = getattr(one, "model", None)
        if model is not None:
            before = found.get(model.name, (model, 0, 0))
            found[model.name] = (model, before[1] + sessions, before[2] + probes)
    lines: list[str] = []
    for name, (model, sessions, probes) in found.items():
        work = Workload(sessions, probes, budget=config.budget, k=config.k)
        told = estimate(work, model, prices).lines
        lines += [f"{name}: {line}" for line in told] if len(found) > 1 else told
    return lines


def uncounted(config: StudyConfig) -> list[str]:
    """A sentence about the calls that no estimate counts, where there are any."""
    if config.memory_model is None and config.captioner.name != "model":
        return []
    return ["Not counted: the calls of memory_model and of the captioner."]


def probes_expected(config: StudyConfig) -> int:
    """Questions of one system over the whole study, where sessions add as many products as is usual."""
    count = 0
    for depth in range(config.sessions):
        if config.ask_after == "every" or depth + 1 in config.ask_after:
            each = NEW_PRODUCTS if config.probes == "exhaustive" else min(config.probes, NEW_PRODUCTS)
            count += int(config.branching**depth) * each * (depth + 1)
    return config.chains * count


def rehearsed_estimate(stage: Stage, model: Named, prices: Prices | None = None) -> Estimate:
    """What the study's models will be asked, measured on its first chain with the real pages and prompts.

    Args:
        stage: the study on the in-process shop.
        model: counts pictures and names the price.
        prices: what models cost.
    """
    config = stage.config
    first = config.forest.first * config.forest.paths_per_tree
    likely = Usage()
    if config.shopper.name == "react":
        likely += _times(stage.session((first, 0))[1].usage, config.forest.runs)
    likely += _asked(stage, first)
    systems = len(stage.materials.systems)
    browsed = config.forest.runs if config.shopper.name == "react" else 0
    work = Workload(browsed, systems * _probes(stage, first), budget=config.budget, k=config.k)
    most = estimate(work, model).most
    if prices is None:
        return Estimate(likely, most)
    return priced(likely, most, prices, model.name)


def _asked(stage: Stage, chain: int) -> Usage:
    """All probes of all systems, each system measured on the last probe after the last session."""
    total, count = Usage(), _probes(stage, chain)
    last = (chain, stage.config.sessions - 1)
    found = stage.probes(last)
    if stage.config.agent.name != "react" or not found:
        return total
    for system in stage.materials.systems:
        total += _times(stage.question(found[-1], last, system).usage, count)
    return total


def _probes(stage: Stage, chain: int) -> int:
    """Questions of one system over the whole study, if all chains are like the first."""
    config = stage.config
    per_reach = None if config.probes == "exhaustive" else config.probes
    places: list[Place] = [(chain, depth) for depth in range(config.sessions)]
    asked = [place for place in places if config.ask_after == "every" or place[1] + 1 in config.ask_after]
    counts = [len(stage.probes(place, per_reach=per_reach)) * config.branching ** place[1] for place in asked]
    return int(config.chains * sum(counts))


def _times(usage: Usage, count: int) -> Usage:
    parts = (usage.calls, usage.images, usage.visual_tokens, usage.text_tokens, usage.reply_tokens)
    return Usage(*(part * count for part in parts))
