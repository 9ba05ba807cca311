"""The keys of all answers ever committed, beside the results store: what the store lost is found by it.

SQLite drops a damaged tail of its write-ahead log without a word, and with it answers that were committed. A
key is appended here only after its answer was committed; a key whose answer the store does not hold is
therefore a loss.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Self

from recallreach.errors import DataError

_LINE = re.compile(r"([+-])(.+);")


class Journal:
    """Lines "+KEY;" for an answer that was committed and "-KEY;" for one that was set aside on purpose.

    A line that was cut by a crash lacks its last sign and counts for nothing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def beside(cls, store: Path) -> Self:
        """The journal of a results store."""
        return cls(store.with_suffix(".journal"))

    def add(self, keys: Iterable[str]) -> None:
        """Note that these answers are committed.

        Raises:
            DataError: the file cannot be written.
        """
        self._append("+", keys)

    def drop(self, keys: Iterable[str]) -> None:
        """Note that these answers were set aside.

        Raises:
            DataError: the file cannot be written.
        """
        self._append("-", keys)

    def lost(self, present: set[str]) -> set[str]:
        """Keys that were committed, never set aside, and are not among those present."""
        return self._kept() - present

    def _kept(self) -> set[str]:
        try:
            text = self.path.read_text(encoding="ascii", errors="replace")
        except FileNotFoundError:
            return set()
        except OSError as error:
            raise DataError(f"cannot read {self.path}: {error.strerror or error}") from error
        kept: set[str] = set()
        for line in text.splitlines():
            if found := _LINE.fullmatch(line):
                (kept.add if found[1] == "+" else kept.discard)(found[2])
        return kept

    def _append(self, sign: str, keys: Iterable[str]) -> None:
        text = "".join(f"\n{sign}{key};" for key in keys)
        if not text:
            return
        try:
            with self.path.open("a", encoding="ascii") as file:
                file.write(text)
        except OSError as error:
            raise DataError(f"cannot write {self.path}: {error.strerror or error}") from error
