"""Writing a results store: one SQLite file a run, one row a unit, each written whole or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from recallreach.errors import DataError
from recallreach.study import events, schema
from recallreach.study.banks import Snapshot
from recallreach.study.journal import Journal
from recallreach.study.reading import Failure, Filter, StoreReader, check_mark
from recallreach.study.units import Unit, compact, results_digest, to_row, unit_key

__all__ = ["Failure", "Filter", "ResultStore", "StoreReader", "Unit", "results_digest", "unit_key"]

_ADD_PICTURE = "INSERT INTO pictures VALUES (?, ?) ON CONFLICT (sha256) DO NOTHING"
_ADD_BANK = "INSERT INTO banks VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
_FAILURE = "unit, system, probe, kind, reason, finished_at"
_SET_ASIDE = (
    f"INSERT INTO failures ({_FAILURE}) "
    "SELECT key, system, probe, kind, reason, finished_at FROM units WHERE status = 'error' ORDER BY key"
)


class ResultStore(StoreReader):
    """One run's results file, opened for writing; a context manager.

    Rows are added and never changed. An earlier schema is brought up to date when the file is opened.

    Args:
        path: the SQLite file, made if missing.
        mend: go on where answers were lost (`lost` names them) instead of refusing to open.

    Raises:
        DataError: not a results store, damaged, from a newer version, or not writable.
    """

    def __init__(self, path: Path, *, mend: bool = False) -> None:
        self.lost: frozenset[str] = frozenset()
        self._mend, self._journal = mend, Journal.beside(path)
        if not path.exists():
            with _told(path):
                path.touch()
        super().__init__(path)

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        try:
            self._prepare(db)
        except BaseException:
            db.close()
            raise
        return db

    def _prepare(self, db: sqlite3.Connection) -> None:
        db.execute("PRAGMA foreign_keys = ON")
        (tables,) = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        (marked,) = db.execute("PRAGMA application_id").fetchone()
        if tables == 0 and marked == 0:
            schema.create(db)
        check_mark(db, self.path)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        (state,) = db.execute("PRAGMA quick_check(1)").fetchone()
        if state != "ok":
            raise DataError(f"{self.path} is damaged ({state}); restore it, or start again with --fresh.")
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if version < schema.VERSION:
            self._migrate(db, version)

    def _migrate(self, db: sqlite3.Connection, version: int) -> None:
        try:
            schema.migrate(db, version)
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(
                f"{self.path} (schema version {version}) cannot be brought up to date: {error}. Nothing was "
                "changed; restore it, or start again with --fresh."
            ) from error

    def _check_loss(self) -> None:
        if not self._mend:
            super()._check_loss()
            return
        self.lost = frozenset(self._journal.lost(self.finished()))
        self._journal.drop(sorted(self.lost))

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._guard():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.commit()
            except BaseException:
                if self._db.in_transaction:
                    self._db.rollback()
                raise

    def register(self, label: str, spec: Mapping[str, Any]) -> None:
        """Enter a system before its first unit; entering it again changes nothing."""
        with self._transaction() as db:
            db.execute(
                "INSERT INTO systems VALUES (?, ?) ON CONFLICT (label) DO NOTHING", (label, compact(spec))
            )

    def add(
        self,
        unit: Unit,
        trace: events.Trace,
        pictures: Mapping[str, bytes] | None = None,
        bank: Snapshot | None = None,
    ) -> None:
        """Write a unit, its events, pictures (by SHA-256) and bank in one transaction."""
        row, told = to_row(unit), [events.to_row(event) for event in trace.events()]
        digest = schema.trace_digest(told)
        with self._transaction() as db:
            db.execute(schema.INSERT_UNIT, (*row, digest, schema.row_checksum(row, digest)))
            db.executemany(schema.INSERT_EVENT, ((unit.key, n, *entry) for n, entry in enumerate(told)))
            db.executemany(_ADD_PICTURE, (pictures or {}).items())
            if bank is not None:
                db.execute(_ADD_BANK, (bank.memory, bank.chain, bank.session, bank.records))
        self._journal.add([unit.key])

    def add_bank(self, bank: Snapshot) -> None:
        """Write a bank on its own; one that is there already stays."""
        with self._transaction() as db:
            db.execute(_ADD_BANK, (bank.memory, bank.chain, bank.session, bank.records))

    def drop_errors(self) -> int:
        """Set the units aside that ended in a technical error, so that they run again; how many there were.

        What happened stays on record in `failures`.
        """
        with self._transaction() as db:
            keys = [key for (key,) in db.execute("SELECT key FROM units WHERE status = 'error' ORDER BY key")]
            self._journal.drop(keys)
            db.execute(_SET_ASIDE)
            db.execute("DELETE FROM units WHERE status = 'error'")
        return len(keys)

    def adopt_failures(self, failures: Iterable[Failure]) -> None:
        """Take over the failures of another store."""
        with self._transaction() as db:
            db.executemany(
                f"INSERT INTO failures ({_FAILURE}) VALUES (?, ?, ?, ?, ?, ?)",
                ((f.unit, f.system, f.probe, f.kind, f.reason, f.finished_at) for f in failures),
            )


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DataError(f"cannot open {path} for writing: {error.strerror or error}.") from error
