"""The engine `local`: processes of this machine, each started afresh, with a pipe of its own.

Workers are started as `python -m recallreach.study.engines.worker` and not by forking or by running the
caller's main module again, so a study may be started from a script without a main guard, a notebook or a
thread. A worker leads a process group of its own: a Ctrl-C meant for the run does not reach it, and it is
ended together with the browser driver that it started.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection, Pipe
from multiprocessing.connection import wait as wait_for
from typing import IO

from recallreach.study.engines.crew import Assignment, Hand
from recallreach.study.work import Died, Message, Task

_LAST_WORDS = 2000
_GRACE = 10.0


class LocalHand:
    """One worker process."""

    def __init__(self, assignment: Assignment, number: int, folder: str) -> None:
        self.name = f"worker {number}"
        self._log: IO[bytes] = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 (closed in dismiss)
        self._gone = False
        self.connection, theirs = Pipe()
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, assignment.path))}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "recallreach.study.engines.worker", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            start_new_session=True,
            env=environment,
        )
        theirs.close()
        self._say(assignment)

    @property
    def pid(self) -> int:
        """Process id, which is also that of its group."""
        return self._process.pid

    def give(self, task: Task) -> None:
        """Hand it a task."""
        self._say(task)

    def hear(self) -> Message:
        """What it says next; blocks."""
        try:
            message: Message = self.connection.recv()
        except (EOFError, ConnectionError):
            return Died(self._last_words())
        return message

    def retire(self) -> None:
        """Ask it to end by itself, browser first; `dismiss` makes sure."""
        self._say(None)

    def wait(self, seconds: float) -> None:
        """Give it so long to end."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def dismiss(self) -> None:
        """Kill its process group and wait for it; a second call does nothing."""
        if self._gone:
            return
        self._gone = True
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self.connection.close()
        self._log.close()

    def _say(self, message: Assignment | Task | None) -> None:
        """A worker that is gone is noticed when it is listened to."""
        with contextlib.suppress(ConnectionError, OSError):
            self.connection.send(message)

    def _last_words(self) -> str:
        try:
            status = self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self.dismiss()
            return "it closed its pipe and did not end"
        self._log.seek(max(0, self._log.seek(0, os.SEEK_END) - _LAST_WORDS))
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        how = f"signal {-status}" if status < 0 else f"exit status {status}"
        self.dismiss()
        return f"{how}: {lines[-1]}" if lines else how


class LocalCrew:
    """Worker processes of this machine."""

    def __init__(self, assignment: Assignment) -> None:
        self._assignment = assignment
        self._folder = tempfile.TemporaryDirectory(prefix="recallreach-")
        self._hands: dict[Connection, LocalHand] = {}
        self._hired = 0

    def has_room(self) -> bool:
        """Always: the number of workers is the user's choice."""
        return True

    def hire(self) -> LocalHand:
        """Start a process."""
        hand = LocalHand(self._assignment, self._hired, self._folder.name)
        self._hired += 1
        self._hands[hand.connection] = hand
        return hand

    def wait(self, hands: Sequence[Hand], seconds: float) -> list[tuple[Hand, Message]]:
        """What these workers say next."""
        connections = [hand.connection for hand in self._hands.values() if hand in hands]
        ready = [
            self._hands[entry] for entry in wait_for(connections, seconds) if isinstance(entry, Connection)
        ]
        return [(hand, self._heard(hand)) for hand in ready]

    def close(self) -> None:
        """Let all end by themselves, which closes their browsers, and kill those that take too long."""
        for hand in self._hands.values():
            hand.retire()
        end = time.monotonic() + _GRACE
        for hand in self._hands.values():
            hand.wait(max(0.0, end - time.monotonic()))
            hand.dismiss()
        self._hands.clear()
        self._folder.cleanup()

    def _heard(self, hand: LocalHand) -> Message:
        message = hand.hear()
        if isinstance(message, Died):
            self._hands.pop(hand.connection)
        return message
