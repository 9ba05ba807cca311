"""The engine `inline`: this process does the work itself, one thing after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack

from recallreach.study.bench import Bench, Recordings
from recallreach.study.work import Began, Result, Session, Task


class Inline:
    """Does tasks at a bench that is set up when the first one comes.

    Nothing can be cut here: a browser or a model that does not answer ends by its own time limit.

    Args:
        bench: not entered yet.
        recordings: where recorded sessions come from.
    """

    def __init__(self, bench: Bench, recordings: Recordings) -> None:
        self._bench, self._recordings = bench, recordings
        self._open: ExitStack | None = None
        self.browser_version = ""

    def run(self, tasks: Sequence[Task], handle: Callable[[Result], None]) -> None:
        """Have all tasks done; errors of the work come as they are."""
        if self._open is None and tasks:
            self._open = ExitStack()
            self._open.enter_context(self._bench)
        for task in tasks:
            done = (
                self._bench.browse(task)
                if isinstance(task, Session)
                else self._bench.ask(task, self._recordings)
            )
            for message in done:
                if not isinstance(message, Began):
                    handle(message)
            self.browser_version = self._bench.browser_version

    def close(self) -> None:
        """Close browser and shop; a second call does nothing."""
        if self._open is not None:
            self._open.close()
            self._open = None
