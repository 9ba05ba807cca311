"""What the page of a game knows of the run behind it: how far it is, and how the last answer was graded."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from recallreach.errors import DataError
from recallreach.study.folder import RESULTS
from recallreach.study.progress import Advance, Reporter
from recallreach.study.reading import StoreReader


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a phase of the run is.

    Attributes:
        phase: its name, for instance "Recall probes".
        done, total: steps of it.
    """

    phase: str = ""
    done: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class Score:
    """Questions graded so far, and how many answers were right."""

    asked: int = 0
    right: int = 0


class Watching:
    """A reporter that passes everything on and remembers how far the run is.

    Args:
        inner: the reporter that speaks to the terminal.
    """

    def __init__(self, inner: Reporter) -> None:
        self._inner, self._lock = inner, threading.Lock()
        self._standing = Standing()

    @property
    def standing(self) -> Standing:
        """How far the present phase is."""
        with self._lock:
            return self._standing

    def say(self, text: str) -> None:
        """Passes it on."""
        self._inner.say(text)

    @contextmanager
    def phase(self, name: str, total: int, done: int = 0) -> Iterator[Advance]:
        """Counts along."""
        self._put(Standing(name, done, total))
        with self._inner.phase(name, total, done) as advance:

            def advanced(steps: int) -> None:
                advance(steps)
                now = self.standing
                self._put(Standing(now.phase, now.done + steps, now.total))

            yield advanced

    def _put(self, standing: Standing) -> None:
        with self._lock:
            self._standing = standing


def score_of(folder: Path) -> Score:
    """The score in a run folder's results, as the report counts it."""
    try:
        with StoreReader(folder / RESULTS) as reader:
            tallies = reader.tallies()
    except DataError:
        return Score()
    return Score(sum(tally.attempted for tally in tallies), sum(tally.correct for tally in tallies))
