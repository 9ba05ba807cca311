"""Recorded browsing sessions against the protocol of the benchmark (DMV-Bench, arXiv 2606.27499)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from recallreach.env.types import Trajectory


@dataclass(frozen=True, slots=True)
class Compliance:
    """What one kind of count over the recorded sessions should be and was."""

    what: str
    protocol: str
    low: int
    mean: float
    high: int


def compliance(trajectories: Sequence[Trajectory]) -> tuple[Compliance, ...]:
    """Steps, collections and distinct products a session; nothing without sessions."""
    counts = {
        ("steps", "22 to 28"): [len(entry.steps) - 1 for entry in trajectories],
        ("collections opened", "at least 3"): [_collections(entry) for entry in trajectories],
        ("distinct products opened", "about 12"): [len(entry.products) for entry in trajectories],
    }
    return tuple(
        Compliance(what, protocol, min(found), fmean(found), max(found))
        for (what, protocol), found in counts.items()
        if found
    )


def _collections(trajectory: Trajectory) -> int:
    paths = {step.url.partition("?")[0] for step in trajectory.steps}
    return sum(path.startswith("/collection/") for path in paths)
