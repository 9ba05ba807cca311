"""A cache on disk: one SQLite file of checksummed entries, for several processes at once."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from recallreach.errors import DataError

_CHECK_BYTES = 8
_PATIENCE_SECONDS = 60.0
_AT_ONCE = 500


class Shelf:
    """Bytes by key. Entries are never changed; one that is damaged counts as absent and may be put again.

    Args:
        path: the file; it and its folder are made if need be.

    Raises:
        DataError: it cannot be opened or made, or is no SQLite file.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        with self._explained():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(self.path, _PATIENCE_SECONDS, check_same_thread=False)
            self._base.execute("PRAGMA journal_mode = WAL")
            self._base.execute("PRAGMA synchronous = NORMAL")
            with self._base:
                self._base.execute(
                    "CREATE TABLE IF NOT EXISTS shelf (key TEXT PRIMARY KEY, data BLOB) WITHOUT ROWID"
                )

    def get(self, keys: Sequence[str]) -> dict[str, bytes]:
        """The entries that are there, by key.

        Raises:
            DataError: the file cannot be read.
        """
        found: dict[str, bytes] = {}
        with self._explained(), self._lock:
            for start in range(0, len(keys), _AT_ONCE):
                some = list(keys[start : start + _AT_ONCE])
                marks = ", ".join("?" * len(some))
                rows = self._base.execute(f"SELECT key, data FROM shelf WHERE key IN ({marks})", some)
                found.update((key, data[_CHECK_BYTES:]) for key, data in rows if _whole(data))
        return found

    def put(self, entries: Mapping[str, bytes]) -> None:
        """Keep entries, all or none of them.

        Raises:
            DataError: the file cannot be written or the disk is full; what was kept before stays.
        """
        rows = [(key, _check(data) + data) for key, data in entries.items()]
        with self._explained(), self._lock, self._base:
            self._base.executemany("INSERT OR REPLACE INTO shelf VALUES (?, ?)", rows)

    def __len__(self) -> int:
        with self._explained(), self._lock:
            return int(self._base.execute("SELECT count(*) FROM shelf").fetchone()[0])

    def close(self) -> None:
        """Let go of the file."""
        self._base.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise DataError(
                f"the cache {self.path} cannot be used: {error}. Make room, delete it, or choose another file"
            ) from error


def _check(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()[:_CHECK_BYTES]


def _whole(data: bytes) -> bool:
    return _check(data[_CHECK_BYTES:]) == data[:_CHECK_BYTES]
