"""The tables of a results store, and what leads from each earlier schema to the present one."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from recallreach.files import sha256
from recallreach.study import events
from recallreach.study.units import COLUMNS, compact, from_row, to_row

APPLICATION_ID = 0x52524348
"""The file's own mark ("RRCH"), so that no other SQLite file is taken for a results store."""
VERSION = 3

TABLES = """
CREATE TABLE systems (
    label TEXT PRIMARY KEY,
    spec TEXT NOT NULL
) STRICT;
CREATE TABLE units (
    key TEXT PRIMARY KEY,
    system TEXT NOT NULL REFERENCES systems (label),
    tree INTEGER NOT NULL,
    chain INTEGER NOT NULL,
    session INTEGER NOT NULL,
    probe TEXT NOT NULL,
    target TEXT NOT NULL,
    phrase TEXT NOT NULL,
    first_seen INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    reach INTEGER NOT NULL,
    place INTEGER NOT NULL,
    places INTEGER NOT NULL,
    seen INTEGER NOT NULL,
    bank INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('ok', 'error', 'invalid')),
    correct INTEGER NOT NULL CHECK (correct IN (0, 1) AND (correct = 0 OR status = 'ok')),
    answer TEXT,
    kind TEXT NOT NULL,
    reason TEXT NOT NULL,
    stage TEXT NOT NULL,
    rank INTEGER,
    steps INTEGER NOT NULL,
    actions TEXT NOT NULL,
    calls INTEGER NOT NULL,
    images INTEGER NOT NULL,
    visual_tokens INTEGER NOT NULL,
    text_tokens INTEGER NOT NULL,
    reply_tokens INTEGER NOT NULL,
    seconds REAL NOT NULL,
    finished_at TEXT NOT NULL,
    trace_sha256 TEXT NOT NULL,
    checksum TEXT NOT NULL,
    UNIQUE (system, probe)
) STRICT;
CREATE INDEX units_in_order ON units (system, chain, session, reach, probe);
CREATE INDEX units_by_probe ON units (probe);
CREATE TABLE events (
    unit TEXT NOT NULL REFERENCES units (key) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (unit, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE pictures (
    sha256 TEXT PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;
CREATE TABLE banks (
    memory TEXT NOT NULL,
    chain INTEGER NOT NULL,
    session INTEGER NOT NULL,
    records BLOB NOT NULL,
    PRIMARY KEY (memory, chain, session)
) STRICT;
CREATE TABLE failures (
    number INTEGER PRIMARY KEY,
    unit TEXT NOT NULL,
    system TEXT NOT NULL,
    probe TEXT NOT NULL,
    kind TEXT NOT NULL,
    reason TEXT NOT NULL,
    finished_at TEXT NOT NULL
) STRICT;
CREATE TRIGGER units_are_final BEFORE UPDATE ON units
BEGIN SELECT RAISE(ABORT, 'a unit is never changed'); END;
CREATE TRIGGER events_are_final BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'an event is never changed'); END;
CREATE TRIGGER failures_are_final BEFORE UPDATE ON failures
BEGIN SELECT RAISE(ABORT, 'a failure is never changed'); END;
"""
INSERT_UNIT = (
    f"INSERT INTO units ({', '.join(COLUMNS)}, trace_sha256, checksum) "
    f"VALUES ({', '.join('?' * (len(COLUMNS) + 2))})"
)
INSERT_EVENT = "INSERT INTO events VALUES (?, ?, ?, ?)"


def create(db: sqlite3.Connection) -> None:
    """Make the tables of an empty file, or none of them."""
    db.execute("BEGIN IMMEDIATE")
    _make_tables(db)
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {VERSION}")
    db.commit()


def migrate(db: sqlite3.Connection, version: int) -> None:
    """Lead an earlier schema to the present one, wholly or not at all."""
    db.execute("BEGIN IMMEDIATE")
    try:
        for step in range(version, VERSION):
            _MIGRATIONS[step](db)
        db.execute(f"PRAGMA user_version = {VERSION}")
    except BaseException:
        db.rollback()
        raise
    db.commit()


def trace_digest(rows: list[tuple[str, str]]) -> str:
    """SHA-256 over the kinds and bodies of a unit's events."""
    return sha256("\n".join(f"{kind} {body}" for kind, body in rows).encode())


def row_checksum(row: tuple[object, ...], trace: str) -> str:
    """SHA-256 over a unit's row and the digest of its events."""
    return sha256(compact([*row, trace]).encode())


def _make_tables(db: sqlite3.Connection) -> None:
    statement = ""
    for line in TABLES.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            db.execute(statement)
            statement = ""


def _keep_pictures(db: sqlite3.Connection) -> None:
    """1 to 2: small copies of the pictures became the pictures themselves."""
    db.execute("ALTER TABLE thumbnails RENAME TO pictures")
    db.execute("ALTER TABLE pictures RENAME COLUMN jpeg TO data")


def _type_events(db: sqlite3.Connection) -> None:
    """2 to 3: one JSON text a unit became typed events; trees, places, failures and checksums came."""
    systems = db.execute("SELECT label, spec FROM systems").fetchall()
    pictures = db.execute("SELECT sha256, data FROM pictures").fetchall()
    held = db.execute("SELECT * FROM units JOIN traces ON traces.unit = units.key")
    names = [column[0] for column in held.description]
    units = [dict(zip(names, row, strict=True)) for row in held]
    for table in ("traces", "units", "systems", "pictures"):
        db.execute(f"DROP TABLE {table}")
    _make_tables(db)
    db.executemany("INSERT INTO systems VALUES (?, ?)", systems)
    db.executemany("INSERT INTO pictures VALUES (?, ?)", pictures)
    for values in units:
        _insert_earlier(db, values)


def _insert_earlier(db: sqlite3.Connection, values: dict[str, Any]) -> None:
    told = events.Trace.from_json(json.loads(values["trace"]))
    added = {"tree": values["chain"], "place": 0, "places": 0, "stage": "", "reply_tokens": 0}
    row = to_row(from_row(tuple({**values, **added}[name] for name in COLUMNS)))
    rows = [events.to_row(event) for event in told.events()]
    digest = trace_digest(rows)
    db.execute(INSERT_UNIT, (*row, digest, row_checksum(row, digest)))
    db.executemany(INSERT_EVENT, ((row[0], number, *entry) for number, entry in enumerate(rows)))


_MIGRATIONS = {1: _keep_pictures, 2: _type_events}
