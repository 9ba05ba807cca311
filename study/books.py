"""The books of a run's model calls: limits, prices, kept replies; opened only where a model is called."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from recallreach.agents.budget import Limits, Prices
from recallreach.agents.calls import ModelCalls
from recallreach.agents.types import Agent
from recallreach.errors import ConfigError
from recallreach.study.config import StudyConfig
from recallreach.study.kit import Kit

CALLS, REPLIES = "calls.sqlite", "replies.sqlite"


def uses_models(config: StudyConfig, agents: Sequence[Agent]) -> bool:
    """Whether anything of the study calls a model."""
    return Kit(config).calls_models or any(getattr(agent, "model", None) for agent in agents)


def prices_of(config: StudyConfig) -> Prices | None:
    """The prices that the study names, or None.

    Raises:
        ConfigError: the file cannot be used.
    """
    return Prices.load(Path(config.prices)) if config.prices else None


def open_books(config: StudyConfig, folder: Path | None, agents: Sequence[Agent]) -> ModelCalls | None:
    """The desk that all model calls of the run pass, or None where there are none.

    Args:
        config: limits, prices, replay and trial.
        folder: the run folder; None on a machine that cannot see it, where nothing can be limited.
        agents: the study's agents.

    Raises:
        ConfigError: a limit on a machine that cannot see the run folder, or a limit of cost without prices.
        CallsFileError: a file cannot be used.
    """
    if not uses_models(config, agents):
        return None
    if folder is None:
        raise ConfigError(
            "agents with models need the run folder on every machine, for their budget and kept replies: "
            "give --out a path that all nodes share."
        )
    return ModelCalls(
        folder / CALLS,
        folder.parent / REPLIES,
        limits=Limits(config.max_calls, config.max_cost),
        prices=prices_of(config),
        replay=config.replay,
        trial=config.trial,
    )
