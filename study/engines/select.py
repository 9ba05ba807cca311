"""Which engine a study runs on, and with how many workers."""

from __future__ import annotations

import os
from typing import Literal

from recallreach.study.config import StudyConfig
from recallreach.study.engines.crew import Assignment, Crew

MOST_LOCAL = 4
"""Workers on this machine where nobody asks for more: each holds a browser and the encoders."""

Engine = Literal["inline", "local", "ray"]


def workers_of(config: StudyConfig) -> int:
    """How many workers the study has."""
    if config.workers is not None:
        return config.workers
    if config.in_process or config.engine == "inline":
        return 1
    return max(1, min(MOST_LOCAL, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2))


def engine_of(config: StudyConfig) -> Engine:
    """What `auto` stands for: this process for one worker, processes of this machine for more."""
    if config.engine == "auto":
        return "inline" if workers_of(config) == 1 else "local"
    return config.engine


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
