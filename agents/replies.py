"""Replies of models, kept by everything that changes them: model, messages, pictures, settings, trial."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

from recallreach.agents.errors import CallsFileError
from recallreach.agents.types import Completion, Message, Usage
from recallreach.files import sha256
from recallreach.memory.types import ImagePart, Part

APPLICATION_ID = 0x52525250
"""The file's own mark ("RRRP"), so that no other SQLite file is taken for a cache of replies."""
_SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY,
    model TEXT NOT NULL,
    reply TEXT NOT NULL,
    usage TEXT NOT NULL
) STRICT, WITHOUT ROWID;
PRAGMA application_id = {APPLICATION_ID};
COMMIT;
"""

_digest = lru_cache(maxsize=4096)(sha256)


def reply_key(identity: Mapping[str, Any], messages: Sequence[Message], trial: int) -> str:
    """SHA-256 of everything that changes a reply, and of nothing else.

    Args:
        identity: model, revision and decoding settings, as JSON values.
        messages: the request; a picture counts by the SHA-256 of its bytes.
        trial: number of the repetition, for sampled replies.
    """
    said = [[message.role, [_content(part) for part in message.parts]] for message in messages]
    facts = {"model": dict(identity), "messages": said, "trial": trial}
    return sha256(json.dumps(facts, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode())


def _content(part: Part) -> Any:
    if isinstance(part, ImagePart):
        return {"image": _digest(part.data), "type": part.media_type}
    return part.text


class ReplyCache:
    """Replies by key in one SQLite file, which several runs and processes may share.

    Only whole replies are kept: an error or a refusal is asked again.

    Args:
        path: the file, made if missing.

    Raises:
        CallsFileError: the file cannot be used, or is something else.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        with self._guard():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, isolation_level=None, timeout=60.0, check_same_thread=False)
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                raise

    def _prepare(self) -> None:
        (marked,) = self._db.execute("PRAGMA application_id").fetchone()
        (tables,) = self._db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if marked != APPLICATION_ID and (marked or tables):
            raise CallsFileError(f"{self.path} is an SQLite file, but not a cache of replies; name another")
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        if marked != APPLICATION_ID:
            self._db.executescript(_SCHEMA)

    def get(self, key: str) -> Completion | None:
        """The reply kept under `key`, as it was first given, or None."""
        with self._lock, self._guard():
            row = self._db.execute("SELECT reply, usage FROM replies WHERE key = ?", (key,)).fetchone()
        return None if row is None else Completion(row[0], Usage(**json.loads(row[1])))

    def put(self, key: str, model: str, completion: Completion) -> None:
        """Keep a reply; one that is there already stays."""
        usage = json.dumps(dataclasses.asdict(completion.usage))
        with self._lock, self._guard():
            self._db.execute(
                "INSERT INTO replies VALUES (?, ?, ?, ?) ON CONFLICT (key) DO NOTHING",
                (key, model, completion.text, usage),
            )

    def __len__(self) -> int:
        with self._lock, self._guard():
            return int(self._db.execute("SELECT count(*) FROM replies").fetchone()[0])

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _guard(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise CallsFileError(
                f"the cache of replies {self.path} cannot be used: {error}. Name another with replies, or "
                "make room and run the same command again."
            ) from error
