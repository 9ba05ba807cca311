"""Technical failures of the environment; what the shop refuses is an observation, not an error."""

from __future__ import annotations

from typing import Literal

from recallreach.errors import RecallReachError

Kind = Literal["server", "connection", "timeout", "redirects", "not_ready", "crash", "browser", "navigation"]


class TransportError(RecallReachError):
    """A step that could not be carried out, twice, for technical reasons.

    The shopper is still on the page it was on; the next action may be tried.

    Attributes:
        kind: `server` (5xx), `connection` (refused, reset), `timeout`, `redirects` (a loop), `not_ready` (no
            ready marker), `crash` (page), `browser` (gone and not to be replaced) or `navigation` (anything
            else).
    """

    def __init__(self, kind: Kind, message: str) -> None:
        self.kind: Kind = kind
        super().__init__(message)


class EpisodeOverError(RecallReachError):
    """A step after the end of an episode, or before its start."""
