"""The shop on a loopback port, in a thread of this process."""

from __future__ import annotations

import errno
import logging
import threading
from types import TracebackType
from typing import Any

from flask import Flask
from waitress import create_server, wasyncore

from recallreach.errors import RecallReachError

HOST = "127.0.0.1"
THREADS = 8


class ShopServer:
    """Serves one application on 127.0.0.1 until closed; also a context manager.

    Args:
        app: the WSGI application.
        port: 1 to 65535, or 0 for any free port.
    """

    def __init__(self, app: Flask, port: int = 0) -> None:
        self._app, self._wanted = app, port
        self._running: _Running | None = None

    @property
    def port(self) -> int:
        """The port it listens on.

        Raises:
            RecallReachError: the server is not running.
        """
        if self._running is None:
            raise RecallReachError(
                "the shop server is not running: call start() or use it in a with statement"
            )
        return self._running.port

    @property
    def url(self) -> str:
        """Root of the shop without a slash, for instance "http://127.0.0.1:8321"."""
        return f"http://{HOST}:{self.port}"

    def start(self) -> ShopServer:
        """Listen, and serve from a background thread; does nothing where it already runs.

        Raises:
            RecallReachError: the port is taken, needs special rights, or is no port.
        """
        if self._running is None:
            self._running = _Running(self._app, self._wanted)
        return self

    def close(self) -> None:
        """Finish the requests in work, stop the threads and free the port; a second call does nothing."""
        if self._running is not None:
            self._running.stop()
            self._running = None

    def __enter__(self) -> ShopServer:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Running:
    """One listening socket with its thread; everything about it happens in that thread."""

    def __init__(self, app: Flask, port: int) -> None:
        self._sockets: dict[int, Any] = {}
        self._stopping = threading.Event()
        self._server = _listen(app, port, self._sockets)
        self.port = int(self._server.effective_port)
        self._thread = threading.Thread(target=self._serve, name=f"shop-{self.port}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._server.pull_trigger()
        self._thread.join()

    def _serve(self) -> None:
        while not self._stopping.is_set():
            wasyncore.loop(timeout=1, use_poll=True, map=self._sockets, count=1)
        self._server.task_dispatcher.shutdown()
        wasyncore.close_all(self._sockets)


def _listen(app: Flask, port: int, sockets: dict[int, Any]) -> Any:
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    if not 0 <= port <= 65535:
        raise RecallReachError(f"port {port} is not a port: choose 1024 to 65535, or 0 for any free one")
    try:
        return create_server(
            app,
            map=sockets,
            host=HOST,
            port=port,
            threads=THREADS,
            ident=None,
            clear_untrusted_proxy_headers=True,
        )
    except OSError as error:
        wasyncore.close_all(sockets, ignore_all=True)
        raise RecallReachError(_refusal(port, error)) from error


def _refusal(port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} on {HOST} is in use: stop what runs there, or choose another (0 = any free one)"
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"port {port} needs administrator rights: choose a port from 1024 up, or 0 for any free one"
    return f"cannot listen on {HOST}, port {port}: {error.strerror or error}"
