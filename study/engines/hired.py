"""Work by a crew that is hired when the first task comes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recallreach.study.config import StudyConfig
from recallreach.study.engines.crew import Assignment, Crew
from recallreach.study.engines.dispatch import Dispatcher
from recallreach.study.engines.select import open_crew, workers_of
from recallreach.study.work import Result, Task


class Hired:
    """Does tasks with the workers of a study's engine."""

    def __init__(self, config: StudyConfig, assignment: Assignment) -> None:
        self._config, self._assignment = config, assignment
        self._crew: Crew | None = None
        self._dispatcher: Dispatcher | None = None

    @property
    def browser_version(self) -> str:
        """Version of the browser that the workers drive, or ""."""
        return self._dispatcher.browser_version if self._dispatcher else ""

    def run(self, tasks: Sequence[Task], handle: Callable[[Result], None]) -> None:
        """Have all tasks done; workers stay for the next call.

        Raises:
            WorkError: the work cannot be done.
        """
        if not tasks:
            return
        if self._crew is None or self._dispatcher is None:
            self._crew = open_crew(self._config, self._assignment)
            self._dispatcher = Dispatcher(self._crew, workers_of(self._config), self._config.time_limit)
        self._dispatcher.run(tasks, handle)

    def close(self) -> None:
        """Dismiss all workers; a second call does nothing."""
        if self._crew is not None:
            self._crew.close()
        self._crew = self._dispatcher = None
