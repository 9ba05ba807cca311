"""What can go wrong between an agent and its model, by name."""

from __future__ import annotations

from typing import Literal

from recallreach.errors import MissingExtraError as MissingExtraError
from recallreach.errors import RecallReachError

ModelErrorKind = Literal[
    "connection",
    "timeout",
    "rate-limit",
    "server",
    "request",
    "too-long",
    "authentication",
    "empty",
    "refusal",
    "memory",
    "exhausted",
]


class ModelError(RecallReachError):
    """A model call that gave no usable answer: the probe it belongs to becomes an error, never a miss.

    Attributes:
        kind: what happened, for counting.
        retry_after: seconds that the server asked to wait before the next try, or None.
    """

    def __init__(self, kind: ModelErrorKind, message: str, *, retry_after: float | None = None) -> None:
        self.kind: ModelErrorKind = kind
        self.retry_after = retry_after
        super().__init__(message)


class ReplayMissError(RecallReachError):
    """A replay met a call whose reply is not in the cache; the run stops."""


class CallsFileError(RecallReachError):
    """The reply cache or the ledger of calls cannot be read or written; the run stops."""
