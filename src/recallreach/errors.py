"""Named errors: each says what was asked, what is known, and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

INTERRUPTED = 130
"""Exit status of a command that was interrupted."""
_MOST_LISTED = 24


class RecallReachError(Exception):
    """Base of every error a user can mend; the command line prints it without a traceback."""


class UnknownNameError(RecallReachError):
    """A name that no registry, catalogue or option knows."""

    def __init__(self, kind: str, name: str, known: Iterable[str], hint: str = "") -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        self.hint = hint
        super().__init__(_unknown_message(kind, name, self.known, hint))

    def __reduce__(self) -> tuple[type[UnknownNameError], tuple[str, str, list[str], str]]:
        return type(self), (self.kind, self.name, self.known, self.hint)


class ConfigError(RecallReachError):
    """A configuration value that cannot be used."""


class DataError(RecallReachError):
    """A file that is missing, damaged or not what it claims to be."""


class MissingExtraError(RecallReachError):
    """A part needs an optional package that is not installed."""

    def __init__(self, part: str, package: str, extra: str) -> None:
        super().__init__(
            f"{part} needs the package {package!r}, which is not installed. "
            f"Install it with: pip install 'recallreach[{extra}]'"
        )


def close_matches(name: str, known: Iterable[str]) -> list[str]:
    """Up to three entries of `known` that look like `name`, best first."""
    by_folded = {entry.casefold(): entry for entry in known}
    found = difflib.get_close_matches(name.casefold(), list(by_folded), n=3, cutoff=0.5)
    return [by_folded[entry] for entry in found]


def _unknown_message(kind: str, name: str, known: list[str], hint: str) -> str:
    near = close_matches(name, known)
    meant = f" Did you mean {' or '.join(repr(entry) for entry in near)}?" if near else ""
    listed = ", ".join(known[:_MOST_LISTED]) if known else "none"
    more = len(known) - _MOST_LISTED
    listed += f" and {more:,} more" if more > 0 else ""
    return f"unknown {kind} {name!r}.{meant} Known: {listed}.{' ' + hint if hint else ''}"
