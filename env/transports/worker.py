"""One thread that owns a browser, so that its blocking interface works everywhere and nothing waits for
ever."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

ResultT = TypeVar("ResultT")


class Worker:
    """Runs jobs one by one in a daemon thread of its own.

    Playwright's blocking interface refuses to run inside an event loop and belongs to the thread that started
    it; a thread of its own makes it usable from a script, a notebook or an asyncio program alike. A daemon,
    because a job that hangs must not keep the interpreter from ending.
    """

    def __init__(self, name: str) -> None:
        self._jobs: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def submit(self, job: Callable[[], ResultT]) -> Future[ResultT]:
        """Queue one job; its result or exception is in the future."""
        future: Future[ResultT] = Future()
        self._jobs.put((future, job))
        return future

    def stop(self, timeout: float) -> bool:
        """End the thread after the queued jobs; False when it is still at work after `timeout` seconds."""
        self._jobs.put(None)
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _work(self) -> None:
        while (entry := self._jobs.get()) is not None:
            future, job = entry
            try:
                result = job()
            except BaseException as error:  # noqa: BLE001 (it is raised where the result is awaited)
                future.set_exception(error)
            else:
                future.set_result(result)
