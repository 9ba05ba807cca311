"""What an engine provides: workers that take tasks, say what they are doing, and can be replaced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from recallreach.env.trajectory import TrajectoryStore
from recallreach.errors import ConfigError
from recallreach.study.assembly import Materials
from recallreach.study.bench import Bench, Recordings
from recallreach.study.config import StudyConfig
from recallreach.study.work import Message, Task


@dataclass(frozen=True, slots=True)
class Assignment:
    """All that a worker on any machine needs to set up its bench.

    Attributes:
        config: the study.
        identity: what the study is made of where it was started; a worker that finds something else stops.
        source: what a recording depends on.
        folder: the run folder.
        path: `sys.path` of the run, so that a user's own modules are found.
    """

    config: StudyConfig
    identity: dict[str, Any]
    source: dict[str, str]
    folder: Path
    path: tuple[str, ...]

    def bench(self) -> Bench:
        """A bench on this machine.

        Raises:
            ConfigError: code, weights or catalogue are not those of the run.
            RecallReachError: something that the study needs is missing here.
        """
        materials = Materials.gather(self.config)
        found = materials.identity()
        differing = sorted(key for key in self.identity if found[key] != self.identity[key])
        if differing:
            raise ConfigError(
                f"this machine has another {' and '.join(differing)} than the one that started the run: "
                "install the same recallreach and the same files on all of them."
            )
        return Bench(materials, self.source, self.folder if self.folder.is_dir() else None)

    def recordings(self) -> Recordings:
        """The recorded sessions, where the run folder can be seen."""
        from recallreach.study.folder import TRAJECTORIES

        return TrajectoryStore(self.folder / TRAJECTORIES)


class Hand(Protocol):
    """One worker."""

    @property
    def name(self) -> str:
        """For messages."""

    def give(self, task: Task) -> None:
        """Hand it a task; only when it has none."""

    def dismiss(self) -> None:
        """End it, by force, with everything that it started."""


class Crew(Protocol):
    """Workers of one engine."""

    def has_room(self) -> bool:
        """Whether a further worker could start now; where there is none at all, one is hired anyway."""

    def hire(self) -> Hand:
        """Start a worker.

        Raises:
            RecallReachError: none can be started.
        """

    def wait(self, hands: Sequence[Hand], seconds: float) -> list[tuple[Hand, Message]]:
        """What these workers say next, at most one message each; nothing after so many seconds of silence."""

    def close(self) -> None:
        """Dismiss all workers; a second call does nothing."""
