"""Handing out tasks: every task is done once, whatever happens to the workers that do it."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from recallreach.study.engines.crew import Crew, Hand
from recallreach.study.work import (
    Answered,
    Ask,
    Began,
    Died,
    Failed,
    Finished,
    Message,
    Recorded,
    Result,
    Task,
    WorkError,
)

STARTING = 600.0
"""Seconds that a worker may take to set up its bench, beside the time limit: models are loaded then."""
TRIES = 3
"""How often a unit may cost its worker its life before the unit becomes an error."""
LONGEST_WAIT = 60.0
"""Seconds between two looks at the clock."""
MOST_FRUITLESS = 3
"""Workers that may die one after the other without any result."""


@dataclass(slots=True)
class _Job:
    """A task in the hands of a worker."""

    task: Task
    deadline: float
    silent: bool = True
    began: Began | None = None
    done: set[str] = field(default_factory=set)

    def rest(self) -> Task | None:
        """What is left of the task."""
        if isinstance(self.task, Ask):
            left = self.task.without(self.done)
            return left if left.questions else None
        return None if self.done else self.task


class Dispatcher:
    """Keeps workers busy, replaces those that die or hang, and hands results on.

    Args:
        crew: where workers come from.
        workers: how many at most.
        limit: seconds that a session, a replayed session or a probe may take.
        clock: monotonic seconds; for tests.
    """

    def __init__(
        self,
        crew: Crew,
        workers: int,
        limit: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._crew, self._workers, self._limit = crew, workers, limit
        self._clock = clock
        self._handle: Callable[[Result], None] = lambda result: None
        self.browser_version = ""
        self._idle: list[Hand] = []
        self._jobs: dict[Hand, _Job] = {}
        self._queue: deque[Task] = deque()
        self._troubles: Counter[str] = Counter()
        self._fruitless = 0

    def run(self, tasks: Sequence[Task], handle: Callable[[Result], None]) -> None:
        """Have all tasks done.

        Args:
            tasks: what is to be done.
            handle: gets every result, in the order of arrival, in this thread.

        Raises:
            WorkError: a worker failed for good, a session could not be carried out, or workers die at once.
        """
        self._handle = handle
        self._queue.extend(tasks)
        while self._queue or self._jobs:
            self._relieve()
            self._assign()
            soonest = min(job.deadline for job in self._jobs.values())
            patience = min(max(0.0, soonest - self._clock()), LONGEST_WAIT)
            for hand, message in self._crew.wait(list(self._jobs), patience):
                self._hear(hand, message)
            self._cut_overdue()

    def _relieve(self) -> None:
        """Where there is no room for all, idle workers take over from those that have not said a word.

        Such a worker may be waiting for a core of a node that is gone.
        """
        if not self._idle or self._crew.has_room():
            return
        for hand, job in list(self._jobs.items()):
            if job.silent and len(self._queue) < len(self._idle):
                hand.dismiss()
                del self._jobs[hand]
                self._queue.append(job.task)

    def _assign(self) -> None:
        while self._queue and (self._idle or self._may_hire()):
            hand = self._idle.pop() if self._idle else self._crew.hire()
            task = self._queue.popleft()
            hand.give(task)
            self._jobs[hand] = _Job(task, self._clock() + self._limit + STARTING)

    def _may_hire(self) -> bool:
        return not self._jobs or (len(self._jobs) < self._workers and self._crew.has_room())

    def _hear(self, hand: Hand, message: Message) -> None:
        job = self._jobs[hand]
        job.silent = False
        match message:
            case Began():
                job.began, job.deadline = message, self._clock() + self._limit
            case Answered() | Recorded():
                self._take(job, message)
            case Finished(browser):
                self.browser_version = browser or self.browser_version
                del self._jobs[hand]
                self._idle.append(hand)
            case Failed():
                raise message.error()
            case Died(reason):
                self._replace(hand, "died", f"its worker died ({reason})")

    def _take(self, job: _Job, result: Result) -> None:
        """The deadline stays until the worker begins something else: it holds for everything between."""
        self._fruitless = 0
        job.done.add(result.unit.key if isinstance(result, Answered) else "session")
        job.began, job.deadline = None, self._clock() + self._limit
        self._handle(result)

    def _cut_overdue(self) -> None:
        now = self._clock()
        for hand, job in list(self._jobs.items()):
            if job.deadline <= now:
                hand.dismiss()
                self._replace(hand, "hung", f"it took longer than {self._limit:g} seconds and was cut")

    def _replace(self, hand: Hand, kind: str, what: str) -> None:
        """Put what is left of a worker's task back, without a unit that is to blame."""
        job = self._jobs.pop(hand)
        self._fruitless += 1
        if self._fruitless > MOST_FRUITLESS:
            raise WorkError(
                f"stopped: {self._fruitless} workers in a row came to nothing; the last one: {what}."
            )
        self._blame(job, kind, what)
        rest = job.rest()
        if rest is not None:
            self._queue.appendleft(rest)

    def _blame(self, job: _Job, kind: str, what: str) -> None:
        """A unit that hangs becomes an error at once, one whose worker dies when that happens again."""
        began = job.began
        if began is None:
            return
        self._troubles[began.what] += 1
        final = kind == "hung" or self._troubles[began.what] >= TRIES
        if began.draft is None:
            if self._troubles[began.what] >= TRIES:
                raise WorkError(f"stopped: {began.what} cannot be done: {what}, {TRIES} times over.")
        elif final:
            unit, trace = began.draft
            told = replace(trace, result=replace(trace.result, kind=kind, reason=what))
            self._take(job, Answered(replace(unit, kind=kind, reason=what), told))
