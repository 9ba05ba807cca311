"""What can go wrong between an agent and its model, by name."""

from __future__ import annotations

from typing import Literal

from recallreach.errors import RecallReachError

ModelErrorKind = Literal[
    "connection",
    "timeout",
    "rate-limit",
    "server",
    "request",
    "authentication",
    "empty",
    "refusal",
    "exhausted",
]


class ModelError(RecallReachError):
    """A model call that gave no usable answer: the probe it belongs to becomes an error, never a miss.

    Attributes:
        kind: what happened, for counting.
    """

    def __init__(self, kind: ModelErrorKind, message: str) -> None:
        self.kind: ModelErrorKind = kind
        super().__init__(message)


class MissingExtraError(RecallReachError):
    """A part needs an optional package that is not installed."""

    def __init__(self, part: str, package: str, extra: str) -> None:
        super().__init__(
            f"{part} needs the package {package!r}, which is not installed. "
            f"Install it with: pip install 'recallreach[{extra}]'"
        )
