"""A worker process: sets up its bench and does what it is handed, until its pipe closes."""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from multiprocessing.connection import Connection

from recallreach.errors import RecallReachError
from recallreach.study.bench import Bench, Recordings
from recallreach.study.engines.crew import Assignment
from recallreach.study.work import Failed, Finished, Message, Session, Task


def perform(bench: Bench, task: Task, recordings: Recordings) -> Iterator[Message]:
    """All messages of one task; the last one is `Finished` or `Failed`."""
    try:
        yield from bench.browse(task) if isinstance(task, Session) else bench.ask(task, recordings)
    except Exception as error:  # noqa: BLE001 (it is raised again where the run is)
        yield failed(error)
    else:
        yield Finished(bench.browser_version)


def failed(error: BaseException) -> Failed:
    """An error as a message; one that no user can mend goes with its traceback."""
    if isinstance(error, RecallReachError):
        return Failed(str(error))
    told = "".join(traceback.format_exception(error))
    return Failed(f"a worker failed: {type(error).__name__}: {error} (more with --debug)", told)


def main(descriptor: int) -> None:
    """Serve the run at the other end of a pipe until it sends None; a task then ends at its next message."""
    connection = Connection(descriptor)
    orders: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
    assignment: Assignment = connection.recv()
    threading.Thread(target=_listen, args=(connection, orders), daemon=True).start()
    try:
        bench = assignment.bench()
    except Exception as error:  # noqa: BLE001 (it is raised again where the run is)
        orders.get()
        connection.send(failed(error))
        return
    with bench:
        recordings = assignment.recordings()
        while (task := orders.get()) is not None:
            for message in perform(bench, task, recordings):
                connection.send(message)
                if not orders.empty():
                    return


def _listen(connection: Connection, orders: queue.SimpleQueue[Task | None]) -> None:
    """Take orders; when the run is gone, end at once with everything that was started here."""
    try:
        while True:
            orders.put(connection.recv())
    except (EOFError, OSError):
        os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main(int(sys.argv[1]))
