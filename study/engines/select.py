"""Which engine a study runs on, and with how many workers."""

from __future__ import annotations

import os
from typing import Literal

from recallreach.errors import ConfigError
from recallreach.study.config import StudyConfig
from recallreach.study.engines.crew import Assignment, Crew

MOST_LOCAL = 4
"""Workers on this machine where nobody asks for more: each holds a browser and the encoders."""

ALWAYS_ALLOWED, MOST_PER_CORE = 32, 8
"""Workers on this machine that are never refused, and how many per core are allowed beyond."""

Engine = Literal["inline", "local", "ray"]


def workers_of(config: StudyConfig) -> int:
    """How many workers the study has."""
    if config.workers is not None:
        return config.workers
    if config.in_process or config.engine == "inline":
        return 1
    return min(MOST_LOCAL, _cores())


def _cores() -> int:
    return max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2)


def engine_of(config: StudyConfig) -> Engine:
    """What `auto` stands for: this process for one worker, processes of this machine for more."""
    if config.engine == "auto":
        return "inline" if workers_of(config) == 1 else "local"
    return config.engine


def check_workers(config: StudyConfig) -> None:
    """Refuse more workers than this machine can be meant to carry; a cluster decides for itself.

    Raises:
        ConfigError: says how many are allowed here.
    """
    asked, most = workers_of(config), max(ALWAYS_ALLOWED, MOST_PER_CORE * _cores())
    engine = engine_of(config)
    here = engine == "local" or (engine == "ray" and not config.ray_address)
    if here and asked > most:
        raise ConfigError(
            f"workers = {asked} cannot be used: each is a process of this machine with a browser of its own; "
            f"expected at most {most} (cores: {_cores()}). Take fewer, or a cluster: --engine ray "
            "--ray_address ADDRESS."
        )


def open_crew(config: StudyConfig, assignment: Assignment) -> Crew:
    """The crew of an engine other than `inline`.

    Raises:
        MissingExtraError, WorkError: the engine cannot be used here.
    """
    if engine_of(config) == "ray":
        from recallreach.study.engines.ray import RayCrew

        return RayCrew(assignment, config.ray_address)
    from recallreach.study.engines.local import LocalCrew

    return LocalCrew(assignment)
