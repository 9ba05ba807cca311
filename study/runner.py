"""The one runner: has missing sessions recorded and open questions answered, and alone writes what comes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from recallreach.env.trajectory import TrajectoryStore
from recallreach.errors import RecallReachError
from recallreach.study.agenda import Agenda
from recallreach.study.pictures import Kept
from recallreach.study.progress import Advance, Reporter
from recallreach.study.store import ResultStore
from recallreach.study.units import Unit
from recallreach.study.work import Answered, Recorded, Result, Session, Task, spread

FEWEST_PROBES = 50
"""Probes before the error rate may stop a run."""


class ErrorThresholdError(RecallReachError):
    """The share of technical errors passed the threshold; the run stopped."""


class Force(Protocol):
    """Whatever does the work."""

    @property
    def browser_version(self) -> str:
        """Version of the browser that was used, or ""."""

    def run(self, tasks: Sequence[Task], handle: Callable[[Result], None]) -> None:
        """Have all tasks done and hand every result on, in this thread."""


class Runner:
    """Runs a study from wherever it stands to its end.

    Args:
        agenda: what is to be done.
        force: does it.
        workers: how many of them there are, so that the work can be divided.
        recorded, store: where results are kept; nobody else writes there.
        reporter: hears about progress.
    """

    def __init__(
        self,
        agenda: Agenda,
        force: Force,
        workers: int,
        recorded: TrajectoryStore,
        store: ResultStore,
        reporter: Reporter,
    ) -> None:
        self._agenda, self._force, self._workers = agenda, force, workers
        self._recorded, self._store, self._reporter = recorded, store, reporter
        self._kept = Kept(recorded.pictures, store.pictures())
        self._attempted = self._errors = 0

    def run(self) -> None:
        """Record what is missing, then answer what is missing.

        Raises:
            ErrorThresholdError: the error threshold was passed.
            WorkError, TransportError, ModelError: a session could not be recorded; run again to go on.
        """
        self._record_all()
        for system in self._agenda.materials.systems:
            self._store.register(system.label, system.identity())
        done = self._store.finished()
        tasks, total = self._agenda.tasks(done)
        self._attempted = total - sum(len(task.questions) for task in tasks)
        with self._reporter.phase("Recall probes", total, self._attempted) as advance:
            self._force.run(spread(tasks, self._workers), lambda result: self._keep(result, advance))

    def _record_all(self) -> None:
        missing = [Session(place) for place in self._agenda.missing()]
        runs = self._agenda.forest.runs
        with self._reporter.phase("Browsing sessions", runs, runs - len(missing)) as advance:
            self._force.run(missing, lambda result: self._keep(result, advance))

    def _keep(self, result: Result, advance: Advance) -> None:
        if isinstance(result, Recorded):
            for picture in result.pictures.values():
                self._recorded.pictures.put(picture)
            self._recorded.save(result.trajectory)
        else:
            self._keep_answer(result)
        advance(1)

    def _keep_answer(self, result: Answered) -> None:
        pictures = self._kept.new(result.pictures.values())
        self._store.add(result.unit, result.trace, pictures, result.bank)
        self._count(result.unit)

    def _count(self, unit: Unit) -> None:
        self._attempted += 1
        self._errors += unit.status == "error"
        share, threshold = self._errors / self._attempted, self._agenda.config.error_threshold
        if self._attempted >= FEWEST_PROBES and share > threshold:
            raise ErrorThresholdError(
                f"stopped: {self._errors} of {self._attempted} probes ended in a technical error "
                f"({share:.1%}, threshold {threshold:.1%}); the last one: {unit.reason}. "
                "Mend the cause and run the same command again: answers are kept, failed probes run again."
            )
