"""Progress for people: bars in a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

SECONDS_BETWEEN_LINES = 15.0

Advance = Callable[[int], None]


class Reporter(Protocol):
    """Hears what a run is doing."""

    def say(self, text: str) -> None:
        """A sentence for the user."""

    @contextmanager
    def phase(self, name: str, total: int, done: int = 0) -> Iterator[Advance]:
        """A phase of `total` steps of which `done` are there already; yields the function that counts on."""


class Silent:
    """Says nothing."""

    def say(self, text: str) -> None:
        """Drops it."""

    @contextmanager
    def phase(self, name: str, total: int, done: int = 0) -> Iterator[Advance]:
        """Counts nothing."""
        yield lambda steps: None


class OnConsole:
    """Prints to a console: a bar per phase in a terminal, a line now and then where the output is a file."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def say(self, text: str) -> None:
        """Prints one line, without rich markup."""
        self.console.print(text, markup=False, highlight=False)

    @contextmanager
    def phase(self, name: str, total: int, done: int = 0) -> Iterator[Advance]:
        """A bar, or plain lines."""
        if self.console.is_terminal:
            with _bars(self.console) as bars:
                task = bars.add_task(name, total=total, completed=done)
                yield lambda steps: bars.advance(task, steps)
        else:
            lines = _Lines(self.say, name, total, done)
            yield lines.advance
            lines.end()


def _bars(console: Console) -> Progress:
    columns = (
        TextColumn("{task.description}", style="bold"),
        BarColumn(bar_width=28),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=console)


class _Lines:
    """A line at the start, one every few seconds, and one at the end."""

    def __init__(self, say: Callable[[str], None], name: str, total: int, done: int) -> None:
        self._say, self._name, self._total, self._done = say, name, total, done
        self._started = self._spoke = time.monotonic()
        self._complete = done >= total
        self._print()

    def advance(self, steps: int) -> None:
        """Count on."""
        self._done += steps
        if time.monotonic() - self._spoke >= SECONDS_BETWEEN_LINES and self._done < self._total:
            self._print()

    def end(self) -> None:
        """The last line, with the time the phase took; none where there was nothing to do."""
        if not self._complete:
            self._print(f", {time.monotonic() - self._started:.0f} s")

    def _print(self, suffix: str = "") -> None:
        self._spoke = time.monotonic()
        self._say(f"{self._name}: {self._done} of {self._total}{suffix}")
