"""Reading a results store: typed, paged, safe from several threads, and never writing."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Self

from recallreach.errors import DataError
from recallreach.files import sha256
from recallreach.study import events, schema
from recallreach.study.banks import check_whole
from recallreach.study.journal import Journal
from recallreach.study.units import COLUMNS, Unit, from_row

_SELECT = f"SELECT {', '.join(COLUMNS)}, trace_sha256, checksum FROM units"
_AT_ONCE = 500
_ORDER = "ORDER BY system, chain, session, reach, probe"


@dataclass(frozen=True, slots=True)
class Filter:
    """Which units are wanted; what is left empty does not matter.

    Attributes:
        systems, trees, chains, sessions, reaches, statuses, kinds, stages: accepted values.
        correct: right or wrong answers only; wrong ones are "ok" units that are not right.
        retrieved: whether the target's page was among the hits.
        text: part of the cue phrase, the probe's id or the target's id; case does not matter.
    """

    systems: tuple[str, ...] = ()
    trees: tuple[int, ...] = ()
    chains: tuple[int, ...] = ()
    sessions: tuple[int, ...] = ()
    reaches: tuple[int, ...] = ()
    statuses: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()
    correct: bool | None = None
    retrieved: bool | None = None
    text: str = ""

    def condition(self) -> tuple[str, list[object]]:
        """The filter as SQL and its values."""
        lists = {
            "system": self.systems,
            "tree": self.trees,
            "chain": self.chains,
            "session": self.sessions,
            "reach": self.reaches,
            "status": self.statuses,
            "kind": self.kinds,
            "stage": self.stages,
        }
        given = {column: wanted for column, wanted in lists.items() if wanted}
        clauses = [f"{column} IN ({', '.join('?' * len(wanted))})" for column, wanted in given.items()]
        values: list[object] = [value for wanted in given.values() for value in wanted]
        if self.correct is not None:
            clauses.append("status = 'ok' AND correct = ?")
            values.append(int(self.correct))
        if self.retrieved is not None:
            clauses.append(f"rank IS {'NOT ' if self.retrieved else ''}NULL")
        if self.text:
            clauses.append("instr(lower(phrase || ' ' || probe || ' ' || target), ?) > 0")
            values.append(self.text.lower())
        return f"WHERE {' AND '.join(clauses)}" if clauses else "", values


@dataclass(frozen=True, slots=True)
class Facets:
    """What there is to filter by, each with its number of units, sorted by value."""

    systems: Mapping[str, int]
    chains: Mapping[int, int]
    sessions: Mapping[int, int]
    reaches: Mapping[int, int]
    statuses: Mapping[str, int]
    kinds: Mapping[str, int]
    stages: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Tally:
    """One system at one reach: probes in all, those that ended "ok", and right ones."""

    system: str
    reach: int
    attempted: int
    ok: int
    correct: int


@dataclass(frozen=True, slots=True)
class Failure:
    """A technical error that was asked again later, as it was when it happened."""

    unit: str
    system: str
    probe: str
    kind: str
    reason: str
    finished_at: str


class StoreReader:
    """One run's results, opened for reading only; a context manager.

    A run may go on while it is read. All methods may be called from several threads.

    Args:
        path: the SQLite file.

    Raises:
        DataError: there is no such file, it is no results store, it is damaged or has lost answers, or it is
            of another schema version.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        if not path.is_file():
            raise DataError(f"there are no results at {path}.")
        with self._guard():
            self._db = self._connect()
            try:
                self._check_version()
                self._check_loss()
            except BaseException:
                self._db.close()
                raise

    def _connect(self) -> sqlite3.Connection:
        """Read-only; a folder that cannot be written needs `immutable` where no log is pending."""
        address = self.path.resolve().as_uri()
        pending = self.path.with_name(self.path.name + "-wal").exists()
        try:
            db = sqlite3.connect(f"{address}?mode=ro", uri=True, check_same_thread=False)
            db.execute("SELECT count(*) FROM sqlite_schema")
        except sqlite3.OperationalError:
            if pending:
                raise
            return sqlite3.connect(f"{address}?immutable=1", uri=True, check_same_thread=False)
        return db

    def _check_version(self) -> None:
        check_mark(self._db, self.path)
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        if version < schema.VERSION:
            raise DataError(
                f"{self.path} has schema version {version}, the present one is {schema.VERSION}: "
                f"`recallreach report {self.path.parent}` brings it up to date."
            )

    def _check_loss(self) -> None:
        lost = Journal.beside(self.path).lost(self.finished())
        if lost:
            raise DataError(
                f"{self.path} has lost {len(lost)} of its answers: its write-ahead log was cut or damaged. "
                f"Restore both files, or run `recallreach resume {self.path.parent}`, which asks them again."
            )

    @contextmanager
    def _guard(self) -> Iterator[None]:
        try:
            with self._lock:
                yield
        except sqlite3.DatabaseError as error:
            raise DataError(sentence(self.path, error)) from error

    def _rows(self, sql: str, values: object = ()) -> list[Any]:
        with self._guard():
            return self._db.execute(sql, values).fetchall()  # type: ignore[arg-type]

    def systems(self) -> dict[str, dict[str, Any]]:
        """Specification of every system by its label, in the order of their entry."""
        rows = self._rows("SELECT label, spec FROM systems ORDER BY rowid")
        return {label: json.loads(spec) for label, spec in rows}

    def finished(self) -> set[str]:
        """Keys of all units in the store."""
        return {key for (key,) in self._rows("SELECT key FROM units")}

    def units(self, wanted: Filter | None = None, *, limit: int = -1, offset: int = 0) -> list[Unit]:
        """The units that pass a filter, in an order that depends on their content only.

        Args:
            wanted: the filter; all units without one.
            limit: at most so many; -1 for all.
            offset: pass over so many first.

        Raises:
            DataError: a row is damaged.
        """
        condition, values = (wanted or Filter()).condition()
        rows = self._rows(f"{_SELECT} {condition} {_ORDER} LIMIT ? OFFSET ?", [*values, limit, offset])
        return [self._checked(row) for row in rows]

    def count(self, wanted: Filter | None = None) -> int:
        """How many units pass a filter."""
        condition, values = (wanted or Filter()).condition()
        return int(self._rows(f"SELECT count(*) FROM units {condition}", values)[0][0])

    def position(self, key: str, wanted: Filter | None = None) -> int:
        """How many units that pass a filter come before this one, so that its page can be found."""
        unit = self.unit(key)
        condition, values = (wanted or Filter()).condition()
        before = "(system, chain, session, reach, probe) < (?, ?, ?, ?, ?)"
        place = [unit.system, unit.chain, unit.session, unit.reach, unit.probe]
        joined = f"{condition} AND {before}" if condition else f"WHERE {before}"
        return int(self._rows(f"SELECT count(*) FROM units {joined}", [*values, *place])[0][0])

    def unit(self, key: str) -> Unit:
        """One unit.

        Raises:
            DataError: there is none with that key, or its row is damaged.
        """
        rows = self._rows(f"{_SELECT} WHERE key = ?", (key,))
        if not rows:
            raise DataError(f"{self.path} holds no unit {key!r}.")
        return self._checked(rows[0])

    def same_probe(self, probe: str) -> list[Unit]:
        """What all systems made of one probe, by system."""
        rows = self._rows(f"{_SELECT} WHERE probe = ? ORDER BY system", (probe,))
        return [self._checked(row) for row in rows]

    def facets(self) -> Facets:
        """What there is to filter by."""
        columns = ("system", "chain", "session", "reach", "status", "kind", "stage")
        counted = (f"SELECT {name}, count(*) FROM units GROUP BY {name} ORDER BY {name}" for name in columns)
        return Facets(*(dict(self._rows(sql)) for sql in counted))

    def tallies(self) -> list[Tally]:
        """Counts by system and reach."""
        rows = self._rows(
            "SELECT system, reach, count(*), sum(status = 'ok'), sum(correct) FROM units "
            "GROUP BY system, reach ORDER BY system, reach"
        )
        return [Tally(*row) for row in rows]

    def events(self, key: str) -> list[events.Event]:
        """The events of one unit, in order.

        Raises:
            DataError: there is no such unit, or its trace is damaged.
        """
        known = self._rows("SELECT trace_sha256 FROM units WHERE key = ?", (key,))
        if not known:
            raise DataError(f"{self.path} holds no unit {key!r}.")
        rows = self._rows("SELECT kind, body FROM events WHERE unit = ? ORDER BY number", (key,))
        self._check_trace(key, rows, known[0][0])
        return [events.from_row(kind, body) for kind, body in rows]

    def trace(self, key: str) -> dict[str, Any]:
        """The trace of one unit as plain JSON values, see `events.Trace.to_json`; `events` gives it typed.

        Raises:
            DataError: there is no such unit, or its trace is damaged.
        """
        return events.Trace.of(self.events(key)).to_json()

    def verify(self) -> None:
        """Read everything and hold each row, trace and picture against the SHA-256 it was written with.

        Banks are compressed, and held against the checksum of that.

        Raises:
            DataError: something is not as it was written; names the first.
        """
        expected: dict[str, str] = {}
        for row in self._each(_SELECT):
            self._checked(row)
            expected[row[0]] = row[-2]
        told = self._each("SELECT unit, kind, body FROM events ORDER BY unit, number")
        for key, rows in groupby(told, key=itemgetter(0)):
            self._check_trace(key, [(kind, body) for _, kind, body in rows], expected.pop(key, ""))
        for key, digest in expected.items():
            self._check_trace(key, [], digest)
        for digest, data in self._each("SELECT sha256, data FROM pictures"):
            self._check_picture(digest, data)
        for (records,) in self._each("SELECT records FROM banks"):
            check_whole(records)

    def _each(self, sql: str) -> Iterator[tuple[Any, ...]]:
        with self._guard():
            cursor = self._db.execute(sql)
        while rows := self._next(cursor):
            yield from rows

    def _next(self, cursor: sqlite3.Cursor) -> list[tuple[Any, ...]]:
        with self._guard():
            return cursor.fetchmany(_AT_ONCE)

    def _check_trace(self, key: str, rows: list[tuple[str, str]], digest: str) -> None:
        if schema.trace_digest(rows) != digest:
            raise DataError(_damaged(self.path, f"the trace of unit {key[:12]} is not as it was written"))

    def _check_picture(self, digest: str, data: bytes) -> None:
        if sha256(data) != digest:
            raise DataError(_damaged(self.path, f"picture {digest[:12]} is not as it was written"))

    def pictures(self) -> set[str]:
        """SHA-256 of all pictures kept here: those delivered or chosen that no recorded session holds."""
        return {digest for (digest,) in self._rows("SELECT sha256 FROM pictures")}

    def picture(self, digest: str) -> bytes | None:
        """Encoded bytes of the picture with this SHA-256, or None where it is not kept here.

        Raises:
            DataError: the picture is damaged.
        """
        rows = self._rows("SELECT data FROM pictures WHERE sha256 = ?", (digest,))
        if not rows:
            return None
        data = bytes(rows[0][0])
        self._check_picture(digest, data)
        return data

    def banks(self, chain: int) -> list[tuple[str, int]]:
        """Memory and session of every bank of a chain that is kept here."""
        sql = "SELECT memory, session FROM banks WHERE chain = ? ORDER BY memory, session"
        return [(memory, session) for memory, session in self._rows(sql, (chain,))]

    def bank(self, memory: str, chain: int, session: int) -> bytes | None:
        """What a memory held after a session (`banks.records_in` reads it), or None where it is not kept."""
        sql = "SELECT records FROM banks WHERE (memory, chain, session) = (?, ?, ?)"
        rows = self._rows(sql, (memory, chain, session))
        return bytes(rows[0][0]) if rows else None

    def failures(self) -> list[Failure]:
        """Technical errors that were asked again later, in the order in which they were set aside."""
        rows = self._rows(
            "SELECT unit, system, probe, kind, reason, finished_at FROM failures ORDER BY number"
        )
        return [Failure(*row) for row in rows]

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _checked(self, row: tuple[Any, ...]) -> Unit:
        *values, trace, checksum = row
        if schema.row_checksum(tuple(values), trace) != checksum:
            raise DataError(
                _damaged(self.path, f"the row of unit {str(values[0])[:12]} is not as it was written")
            )
        return from_row(tuple(values))


def check_mark(db: sqlite3.Connection, path: Path) -> None:
    """Refuse an SQLite file that is no results store, or one that a newer version wrote."""
    (marked,) = db.execute("PRAGMA application_id").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if marked != schema.APPLICATION_ID:
        raise DataError(f"{path} is an SQLite file, but not a results store of recallreach.")
    if version > schema.VERSION:
        raise DataError(
            f"{path} has schema version {version}, this recallreach knows {schema.VERSION}: "
            "open it with the newer recallreach that wrote it."
        )


def sentence(path: Path, error: sqlite3.DatabaseError) -> str:
    """What went wrong with the file, and what to do."""
    text = str(error)
    name = getattr(error, "sqlite_errorname", "") or ""
    if name == "SQLITE_FULL":
        return f"cannot write {path}: the disk is full. Make room and run the same command again."
    if name.startswith("SQLITE_IOERR"):
        return f"cannot write {path}: {text} (is the disk full?). Mend it and run the same command again."
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        return f"cannot open {path} for writing: {text}. Copy its folder to a place where you may write."
    if name in ("SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY"):
        return (
            f"{path} holds other answers than this study would give ({text}): were manifest.json or the "
            "recordings changed? Nothing was overwritten; put them back, or start again with --fresh."
        )
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return f"{path} is in use by another process."
    return _damaged(path, text)


def _damaged(path: Path, what: str) -> str:
    return f"{path} is damaged or not a results store ({what}); restore it, or start again with --fresh."
