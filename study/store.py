"""The results of one run: one SQLite file, one row per probe and system, each written whole or not at all."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from recallreach.errors import DataError
from recallreach.files import sha256

APPLICATION_ID = 0x52524348
"""The file's own mark ("RRCH"), so that no other SQLite file is taken for a results store."""
SCHEMA_VERSION = 2

_SCHEMA = """
CREATE TABLE systems (
    label TEXT PRIMARY KEY,
    spec TEXT NOT NULL
) STRICT;
CREATE TABLE units (
    key TEXT PRIMARY KEY,
    system TEXT NOT NULL REFERENCES systems (label),
    chain INTEGER NOT NULL,
    session INTEGER NOT NULL,
    probe TEXT NOT NULL,
    target TEXT NOT NULL,
    phrase TEXT NOT NULL,
    first_seen INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    reach INTEGER NOT NULL,
    seen INTEGER NOT NULL,
    bank INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('ok', 'error', 'invalid')),
    correct INTEGER NOT NULL CHECK (correct IN (0, 1) AND (correct = 0 OR status = 'ok')),
    answer TEXT,
    kind TEXT NOT NULL,
    reason TEXT NOT NULL,
    rank INTEGER,
    steps INTEGER NOT NULL,
    actions TEXT NOT NULL,
    calls INTEGER NOT NULL,
    images INTEGER NOT NULL,
    visual_tokens INTEGER NOT NULL,
    text_tokens INTEGER NOT NULL,
    seconds REAL NOT NULL,
    finished_at TEXT NOT NULL,
    UNIQUE (system, probe)
) STRICT;
CREATE TABLE traces (
    unit TEXT PRIMARY KEY REFERENCES units (key) ON DELETE CASCADE,
    trace TEXT NOT NULL
) STRICT;
CREATE TABLE pictures (
    sha256 TEXT PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;
"""
_MIGRATIONS = {
    1: "ALTER TABLE thumbnails RENAME TO pictures;ALTER TABLE pictures RENAME COLUMN jpeg TO data;",
}
"""What leads from each earlier schema to the one after it. Version 1 kept small copies of the pictures."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One probe put to one system.

    Attributes:
        key: SHA-256 of everything that changes the result.
        system: label of the system (memory and delivery).
        chain, session, probe, target, phrase, first_seen, last_seen, reach: as in `env.types.Probe`, the
            reach by the study's own definition.
        seen: distinct products seen in the chain when the question was asked.
        bank: records in the bank when the question was asked.
        status: "ok", "error" (technical) or "invalid" (a reply that could not be used to the end).
        correct: right product page at the final action; only ever true with status "ok".
        answer: product id graded, or None.
        kind, reason: what sort of trouble kept the status from "ok", and its message, or "".
        rank: rank of the first retrieved record of the target's page, from 1, or None.
        steps: actions taken.
        actions: their canonical texts.
        calls, images, visual_tokens, text_tokens: what the agent was given over the probe.
        seconds: wall-clock time of the probe.
        finished_at: ISO 8601, UTC.
    """

    key: str
    system: str
    chain: int
    session: int
    probe: str
    target: str
    phrase: str
    first_seen: int
    last_seen: int
    reach: int
    seen: int
    bank: int
    status: Literal["ok", "error", "invalid"]
    correct: bool
    answer: str | None
    kind: str
    reason: str
    rank: int | None
    steps: int
    actions: tuple[str, ...]
    calls: int
    images: int
    visual_tokens: int
    text_tokens: int
    seconds: float
    finished_at: str

    @property
    def ok(self) -> bool:
        """Whether the probe counts for accuracy."""
        return self.status == "ok"


COLUMNS = tuple(field.name for field in dataclasses.fields(Unit))
_TIMINGS = frozenset({"seconds", "finished_at", "reason"})
_ADD_PICTURE = "INSERT INTO pictures VALUES (?, ?) ON CONFLICT (sha256) DO NOTHING"
_ORDER = "ORDER BY system, chain, session, reach, probe"


class ResultStore:
    """One run's results file; a context manager.

    Args:
        path: the SQLite file, made if missing.

    Raises:
        DataError: not a results store, damaged, from a newer version, or not writable.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._guard():
            self._db = sqlite3.connect(path, isolation_level=None)
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                raise

    def _prepare(self) -> None:
        self._db.execute("PRAGMA foreign_keys = ON")
        (marked,) = self._db.execute("PRAGMA application_id").fetchone()
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        (tables,) = self._db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if tables == 0 and marked == 0:
            self._create()
        elif marked != APPLICATION_ID:
            raise DataError(f"{self.path} is an SQLite file, but not a results store of recallreach.")
        elif version > SCHEMA_VERSION:
            raise DataError(
                f"{self.path} has schema version {version}, this recallreach knows {SCHEMA_VERSION}: "
                "open it with the newer recallreach that wrote it."
            )
        elif version < SCHEMA_VERSION:
            self._migrate(version)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        (state,) = self._db.execute("PRAGMA quick_check(1)").fetchone()
        if state != "ok":
            raise DataError(f"{self.path} is damaged ({state}); restore it, or start again with --fresh.")

    def _create(self) -> None:
        self._db.executescript(
            f"BEGIN IMMEDIATE;{_SCHEMA}"
            f"PRAGMA application_id = {APPLICATION_ID};PRAGMA user_version = {SCHEMA_VERSION};COMMIT;"
        )

    def _migrate(self, version: int) -> None:
        steps = "".join(_MIGRATIONS[step] for step in range(version, SCHEMA_VERSION))
        self._db.executescript(f"BEGIN IMMEDIATE;{steps}PRAGMA user_version = {SCHEMA_VERSION};COMMIT;")

    @contextmanager
    def _guard(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise DataError(_sentence(self.path, error)) from error

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._guard():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.rollback()
                raise
            self._db.commit()

    def register(self, label: str, spec: Mapping[str, Any]) -> None:
        """Enter a system before its first unit; entering it again changes nothing."""
        with self._transaction() as db:
            db.execute(
                "INSERT INTO systems VALUES (?, ?) ON CONFLICT (label) DO NOTHING", (label, _compact(spec))
            )

    def add(self, unit: Unit, trace: Mapping[str, Any], pictures: Mapping[str, bytes] | None = None) -> None:
        """Write a unit, its trace and the pictures it refers to, by SHA-256, in one transaction."""
        marks = ", ".join("?" * len(COLUMNS))
        with self._transaction() as db:
            db.execute(f"INSERT INTO units ({', '.join(COLUMNS)}) VALUES ({marks})", _to_row(unit))
            db.execute("INSERT INTO traces VALUES (?, ?)", (unit.key, _compact(trace)))
            db.executemany(_ADD_PICTURE, (pictures or {}).items())

    def drop_errors(self) -> int:
        """Forget the units that ended in a technical error, so that they run again; how many there were."""
        with self._transaction() as db:
            return db.execute("DELETE FROM units WHERE status = 'error'").rowcount

    def finished(self) -> set[str]:
        """Keys of all units in the store."""
        with self._guard():
            return {key for (key,) in self._db.execute("SELECT key FROM units")}

    def pictures(self) -> set[str]:
        """SHA-256 of all pictures kept here: those delivered or chosen that no recorded session holds."""
        with self._guard():
            return {digest for (digest,) in self._db.execute("SELECT sha256 FROM pictures")}

    def units(self) -> list[Unit]:
        """All units, in an order that depends on their content only."""
        with self._guard():
            rows = self._db.execute(f"SELECT {', '.join(COLUMNS)} FROM units {_ORDER}").fetchall()
        return [_from_row(row) for row in rows]

    def trace(self, key: str) -> dict[str, Any]:
        """The trace of one unit.

        Raises:
            DataError: no such unit.
        """
        with self._guard():
            row = self._db.execute("SELECT trace FROM traces WHERE unit = ?", (key,)).fetchone()
        if row is None:
            raise DataError(f"{self.path} holds no unit {key!r}.")
        found: dict[str, Any] = json.loads(row[0])
        return found

    def picture(self, digest: str) -> bytes | None:
        """Encoded bytes of the picture with this SHA-256, or None where it is not kept here."""
        with self._guard():
            row = self._db.execute("SELECT data FROM pictures WHERE sha256 = ?", (digest,)).fetchone()
        return None if row is None else bytes(row[0])

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def results_digest(units: Iterable[Unit]) -> str:
    """SHA-256 over what the units did and how they were graded, without times and error wordings.

    Two runs of one configuration have equal digests exactly when every action and every score is equal.
    """
    kept = [name for name in COLUMNS if name not in _TIMINGS]
    rows = sorted(_compact({name: getattr(unit, name) for name in kept}) for unit in units)
    return sha256("\n".join(rows).encode())


def unit_key(facts: Mapping[str, Any]) -> str:
    """SHA-256 of the facts that decide a unit's result."""
    return sha256(_compact(facts).encode())


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _to_row(unit: Unit) -> tuple[object, ...]:
    values = {name: getattr(unit, name) for name in COLUMNS}
    values.update(correct=int(unit.correct), actions=_compact(unit.actions))
    return tuple(values[name] for name in COLUMNS)


def _from_row(row: tuple[Any, ...]) -> Unit:
    values = dict(zip(COLUMNS, row, strict=True))
    values.update(correct=bool(values["correct"]), actions=tuple(json.loads(values["actions"])))
    return Unit(**values)


def _sentence(path: Path, error: sqlite3.DatabaseError) -> str:
    text = str(error)
    if "unable to open" in text or "readonly" in text or "permission" in text.lower():
        return f"cannot open {path} for writing: {text}."
    if "locked" in text:
        return f"{path} is in use by another process."
    if "full" in text:
        return f"cannot write {path}: the disk is full. Make room and run the same command again."
    return f"{path} is damaged or not a results store ({text}); restore it, or start again with --fresh."
