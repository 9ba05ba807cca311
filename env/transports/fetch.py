"""Pictures of the shop over one connection that is kept open, beside the browser."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from recallreach.env.errors import Kind
from recallreach.env.transports.base import BrokenError

_CHUNK = 1 << 16
_MOST_BYTES = 64 << 20


class PictureFetch:
    """GET requests to the shop's own origin; follows no redirect, knows no proxy.

    A round trip through the browser costs several times as much, and without screenshots the browser has not
    loaded the picture at all.

    Args:
        base: root of the shop, for instance "http://127.0.0.1:8080".
        timeout: seconds for one picture.
    """

    def __init__(self, base: str, timeout: float) -> None:
        parts = urlsplit(base)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._connection = kind(parts.hostname or "", parts.port, timeout=timeout)
        self._timeout = timeout

    def get(self, path: str, cookies: Iterable[Mapping[str, Any]]) -> bytes:
        """The bytes at `path`, asked for with these cookies. Raises BrokenError."""
        kept_open = self._connection.sock is not None
        try:
            return self._ask(path, cookies)
        except (OSError, HTTPException) as error:
            self.close()
            if not kept_open or isinstance(error, TimeoutError):
                raise _broken(path, error) from error
        try:  # the shop may have closed a connection that was idle
            return self._ask(path, cookies)
        except (OSError, HTTPException) as error:
            self.close()
            raise _broken(path, error) from error

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        with suppress(OSError):
            self._connection.close()

    def _ask(self, path: str, cookies: Iterable[Mapping[str, Any]]) -> bytes:
        sent = "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in cookies)
        headers = {"Cookie": sent.encode()} if sent else {}
        deadline = time.monotonic() + self._timeout
        self._connection.request("GET", path, headers=headers)
        response = self._connection.getresponse()
        if response.status != 200:
            self.close()
            raise BrokenError("server", f"the picture {path} answered {response.status}")
        return _read(response, deadline)


def _read(response: HTTPResponse, deadline: float) -> bytes:
    """The body; a server that sends it drop by drop runs into the deadline, too."""
    pieces, size, expected = [], 0, response.length
    while (expected is None or size < expected) and (piece := response.read1(_CHUNK)):
        pieces.append(piece)
        size += len(piece)
        if time.monotonic() > deadline:
            raise TimeoutError("it did not arrive in time")
        if size > _MOST_BYTES:
            raise OSError(f"it is larger than {_MOST_BYTES >> 20} MiB")
    if expected is not None and size < expected:
        raise OSError(f"it broke off after {size} of {expected} bytes")
    response.close()
    return b"".join(pieces)


def _broken(path: str, error: Exception) -> BrokenError:
    kind: Kind = "timeout" if isinstance(error, TimeoutError) else "connection"
    return BrokenError(kind, f"the picture {path} did not come ({error or type(error).__name__})")
