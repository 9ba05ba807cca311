"""Asking a busy server again: backoff with jitter, Retry-After, and fewer requests at once."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from recallreach.agents.errors import ModelError
from recallreach.errors import ConfigError

ValueT = TypeVar("ValueT")

PASSING = frozenset({"connection", "timeout", "rate-limit", "server", "empty"})
"""Kinds of errors that another try may mend."""
BUSY = frozenset({"timeout", "rate-limit", "server"})
"""Kinds of errors that say that the server has too much to do."""


@dataclass(frozen=True, slots=True)
class Retry:
    """When to ask again.

    Attributes:
        tries: requests at most for one call, from 1.
        first: seconds before the second try; each further wait is twice as long, and a random part of at most
            half of it is taken off, so that many clients do not come back at once.
        longest: seconds that a wait grows to.
        patience: the longest `Retry-After` that is waited for, in seconds; a server that asks for more ends
            the call.
    """

    tries: int = 6
    first: float = 1.0
    longest: float = 60.0
    patience: float = 600.0

    def __post_init__(self) -> None:
        if self.tries < 1 or min(self.first, self.longest, self.patience) < 0:
            raise ConfigError(f"a call takes at least one try and waits are not negative, got {self}")

    def wait(self, tried: int, error: ModelError, share: float) -> float | None:
        """Seconds before the next try, or None where there is none.

        Args:
            tried: requests sent so far.
            error: what the last one came to.
            share: a random number from 0 to 1, the part of the jitter to take.
        """
        asked = error.retry_after or 0.0
        if error.kind not in PASSING or tried >= self.tries or asked > self.patience:
            return None
        # A shift beyond any wait that could be meant would overflow.
        grown: float = min(self.longest, self.first * 2.0 ** min(tried - 1, 30))
        return max(asked, grown * (1 - share / 2))


class Gate:
    """How many requests are under way at once, as the server bears it.

    Begins with `most`; halves (down to 1) whenever the server says that it has too much to do, and grows by
    one after as many good answers as are now allowed at once. A wait that the server asked for holds all.

    Args:
        most: requests at once at most, from 1.
        clock, sleep: for tests.
    """

    def __init__(
        self,
        most: int = 8,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if most < 1:
            raise ConfigError(f"concurrency is a number of requests from 1, got {most}")
        self.most = self.allowed = most
        self._clock, self._sleep = clock, sleep
        self._free = threading.Condition()
        self._under_way = self._good = 0
        self._open_at = 0.0

    @contextmanager
    def request(self) -> Iterator[None]:
        """Waits until a request may start, and holds its place until it has ended."""
        with self._free:
            self._free.wait_for(lambda: self._under_way < self.allowed)
            self._under_way += 1
        try:
            wait = self._open_at - self._clock()
            if wait > 0:
                self._sleep(wait)
            yield
        finally:
            with self._free:
                self._under_way -= 1
                self._free.notify_all()

    def good(self) -> None:
        """An answer came."""
        with self._free:
            self._good += 1
            if self._good >= self.allowed and self.allowed < self.most:
                self.allowed, self._good = self.allowed + 1, 0
                self._free.notify_all()

    def busy(self, seconds: float) -> None:
        """The server has too much to do; nothing is sent for so many seconds."""
        with self._free:
            self.allowed, self._good = max(1, self.allowed // 2), 0
            self._open_at = max(self._open_at, self._clock() + seconds)

    def pause(self, seconds: float) -> None:
        """Wait, holding no place."""
        self._sleep(seconds)


def persist(
    send: Callable[[], ValueT], retry: Retry, gate: Gate, before_retry: Callable[[], None] = lambda: None
) -> tuple[ValueT, int]:
    """What `send` gives, and how many tries it took.

    Args:
        send: one request.
        retry: when to ask again.
        gate: shared by all requests to one server.
        before_retry: called before each further try; what it raises ends the call.

    Raises:
        ModelError: what is left after the last try; its message says how many there were.
    """
    tried = 0
    while True:
        tried += 1
        try:
            with gate.request():
                answer = send()
        except ModelError as error:
            wait = retry.wait(tried, error, random.random())
            if error.kind in BUSY:
                gate.busy(wait or 0.0)
            if wait is None:
                raise _last(error, tried, retry) from error
            gate.pause(wait)
            before_retry()
        else:
            gate.good()
            return answer, tried


def _last(error: ModelError, tried: int, retry: Retry) -> ModelError:
    told = str(error)
    if tried > 1:
        told += f" (after {tried} tries)"
    if error.retry_after is not None and error.retry_after > retry.patience:
        told += f" (the server asks to wait {error.retry_after:.0f} s; patience is {retry.patience:.0f} s)"
    return ModelError(error.kind, told, retry_after=error.retry_after)
