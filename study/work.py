"""What a study hands out to its workers and what they hand back: plain data that any engine can carry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby

from recallreach.env.types import Probe, Trajectory
from recallreach.errors import RecallReachError
from recallreach.study.banks import Snapshot
from recallreach.study.config import Part
from recallreach.study.events import Trace
from recallreach.study.tree import Place
from recallreach.study.units import Unit


class WorkError(RecallReachError):
    """A worker could not do its work; the run stopped and can be resumed."""


@dataclass(frozen=True, slots=True)
class Session:
    """Carry out one browsing session."""

    place: Place

    def __str__(self) -> str:
        chain, session = self.place
        return f"session {session} of chain {chain}"


@dataclass(frozen=True, slots=True)
class Question:
    """One unit of work: a probe for a system, with what is known of it before it is asked.

    Attributes:
        key: SHA-256 of everything that changes the result.
        system: label.
        tree, place, places, seen: as in `Unit`.
        at: the session after which it is asked.
        probe: the question itself.
    """

    key: str
    system: str
    tree: int
    place: int
    places: int
    seen: int
    at: Place
    probe: Probe


@dataclass(frozen=True, slots=True)
class Ask:
    """Replay a tree's sessions into one memory and put these questions, in the order of the walk."""

    memory: Part
    tree: int
    questions: tuple[Question, ...]

    def without(self, done: set[str]) -> Ask:
        """What is left when the questions with these keys are done."""
        left = tuple(question for question in self.questions if question.key not in done)
        return Ask(self.memory, self.tree, left)

    def halves(self) -> tuple[Ask, Ask] | None:
        """Two tasks of about equal size that share no session, or None where there is one session only."""
        groups = [list(group) for _, group in groupby(self.questions, key=lambda question: question.at)]
        if len(groups) < 2:
            return None
        first, second = list(groups[0]), groups[1:]
        while len(second) > 1 and len(first) + len(second[0]) <= len(self.questions) / 2:
            first += second.pop(0)
        rest = [question for group in second for question in group]
        return Ask(self.memory, self.tree, tuple(first)), Ask(self.memory, self.tree, tuple(rest))

    def __str__(self) -> str:
        return f"{len(self.questions)} questions of tree {self.tree} to {self.memory.title}"


Task = Session | Ask


@dataclass(frozen=True, slots=True)
class Began:
    """A worker began something that must end within the time limit.

    Attributes:
        what: for messages, for instance "session 3 of chain 0".
        draft: the unit as it is to be stored if this hangs or kills its worker; None for other things.
    """

    what: str
    draft: tuple[Unit, Trace] | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """A session was carried out; its pictures by SHA-256."""

    trajectory: Trajectory
    pictures: Mapping[str, bytes] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Answered:
    """A unit of work is done.

    Attributes:
        pictures: those that this worker has not handed over before, by SHA-256.
        bank: what memory held, with the first answer after a session.
    """

    unit: Unit
    trace: Trace
    pictures: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    bank: Snapshot | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Finished:
    """A task is done, with a browser of this version ("" without one)."""

    browser: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """Something happened that must stop the run: an error a user can mend, or a fault with its traceback."""

    reason: str
    traceback: str = ""

    def error(self) -> WorkError:
        """The error to raise in the run."""
        error = WorkError(self.reason)
        if self.traceback:
            error.add_note(self.traceback)
        return error


@dataclass(frozen=True, slots=True)
class Died:
    """A worker is gone; `reason` is what it last said."""

    reason: str


Message = Began | Recorded | Answered | Finished | Failed | Died
Result = Recorded | Answered


def spread(tasks: list[Ask], workers: int) -> list[Ask]:
    """The same questions in at least twice as many tasks as workers where that can be; largest first.

    A larger task shares more of its replay, so nothing is divided without need.
    """
    found = sorted(tasks, key=lambda task: -len(task.questions))
    while workers > 1 and len(found) < 2 * workers:
        index = next((i for i, task in enumerate(found) if task.halves()), None)
        if index is None:
            break
        halves = found.pop(index).halves() or ()
        found = sorted([*found, *halves], key=lambda task: -len(task.questions))
    return found
