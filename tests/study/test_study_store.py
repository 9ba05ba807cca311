from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from recallreach.errors import DataError
from recallreach.study.store import (
    APPLICATION_ID,
    SCHEMA_VERSION,
    ResultStore,
    Unit,
    results_digest,
    unit_key,
)

MakeUnit = Callable[..., Unit]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results.sqlite"


def filled(path: Path, *units: Unit) -> ResultStore:
    store = ResultStore(path)
    for unit in units:
        store.register(unit.system, {"memory": unit.system})
        store.add(unit, {"goal": unit.phrase}, {"ab": b"jpeg"})
    return store


def test_units_traces_and_pictures_come_back_as_they_were(path: Path, make_unit: MakeUnit) -> None:
    units = [make_unit(1), make_unit(2, correct=False, answer=None, rank=None, status="invalid", kind="x")]
    filled(path, *units).close()
    with ResultStore(path) as store:
        assert store.units() == units
        assert store.finished() == {unit.key for unit in units}
        assert store.trace(units[0].key) == {"goal": "red mug"}
        assert (store.picture("ab"), store.picture("cd")) == (b"jpeg", None)
        assert store.pictures() == {"ab"}


def test_a_store_of_the_first_schema_is_brought_up_to_date(path: Path, make_unit: MakeUnit) -> None:
    filled(path, make_unit(1)).close()
    old = sqlite3.connect(path)
    old.executescript(
        "ALTER TABLE pictures RENAME COLUMN data TO jpeg;ALTER TABLE pictures RENAME TO thumbnails;"
        "PRAGMA user_version = 1"
    )
    old.close()
    with ResultStore(path) as store:
        assert store.units() == [make_unit(1)]
        assert store.picture("ab") == b"jpeg"


def test_a_unit_that_cannot_be_written_whole_leaves_nothing(path: Path, make_unit: MakeUnit) -> None:
    with filled(path, make_unit(1)) as store:
        with pytest.raises(TypeError):
            store.add(make_unit(2), {"goal": object()})
        with pytest.raises(DataError):
            store.add(make_unit(3), {}, {"x": None})  # type: ignore[dict-item]
        assert [unit.probe for unit in store.units()] == [make_unit(1).probe]
        store.add(make_unit(2), {})
        assert len(store.units()) == 2


def test_a_unit_is_stored_once(path: Path, make_unit: MakeUnit) -> None:
    with filled(path, make_unit(1)) as store:
        with pytest.raises(DataError):
            store.add(make_unit(1), {})
        with pytest.raises(DataError):
            store.add(make_unit(1, key="another key"), {})
        assert len(store.units()) == 1


def test_an_error_is_never_right(path: Path, make_unit: MakeUnit) -> None:
    with filled(path, make_unit(1)) as store, pytest.raises(DataError):
        store.add(make_unit(2, status="error", correct=True), {})


def test_a_unit_needs_its_system(path: Path, make_unit: MakeUnit) -> None:
    with ResultStore(path) as store, pytest.raises(DataError):
        store.add(make_unit(1), {})


def test_errors_are_dropped_with_their_traces_and_nothing_else(path: Path, make_unit: MakeUnit) -> None:
    good, bad = make_unit(1), make_unit(2, status="error", correct=False, kind="browser")
    with filled(path, good, bad) as store:
        assert store.drop_errors() == 1
        assert store.units() == [good]
        with pytest.raises(DataError, match="holds no unit"):
            store.trace(bad.key)


def test_an_open_transaction_is_gone_after_a_crash(path: Path, make_unit: MakeUnit) -> None:
    filled(path, make_unit(1)).close()
    crashed = sqlite3.connect(path, isolation_level=None)
    crashed.execute("BEGIN IMMEDIATE")
    crashed.execute("UPDATE units SET correct = 0")
    crashed.close()
    with ResultStore(path) as store:
        assert store.units() == [make_unit(1)]


def test_another_sqlite_file_is_refused(path: Path) -> None:
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE notes (text)")
    other.commit()
    other.close()
    with pytest.raises(DataError, match="not a results store"):
        ResultStore(path)


def test_a_file_that_is_no_database_is_refused(path: Path) -> None:
    path.write_bytes(b"not a database, " * 100)
    with pytest.raises(DataError, match="damaged or not a results store"):
        ResultStore(path)


def test_a_damaged_page_is_detected(path: Path, make_unit: MakeUnit) -> None:
    filled(path, *(make_unit(number) for number in range(40))).close()
    raw = bytearray(path.read_bytes())
    raw[4096:8192] = bytes(range(256)) * 16
    path.write_bytes(raw)
    with pytest.raises(DataError, match="damaged"):
        ResultStore(path)


def test_a_newer_schema_is_refused(path: Path) -> None:
    ResultStore(path).close()
    newer = sqlite3.connect(path)
    newer.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    newer.close()
    with pytest.raises(DataError, match=f"schema version {SCHEMA_VERSION + 1}, this recallreach knows"):
        ResultStore(path)


def test_the_file_carries_its_mark(path: Path) -> None:
    ResultStore(path).close()
    raw = sqlite3.connect(path)
    assert raw.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    raw.close()


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot open"):
        ResultStore(tmp_path / "none" / "results.sqlite")


def test_the_digest_ignores_order_and_times_and_nothing_else(make_unit: MakeUnit) -> None:
    one, two = make_unit(1), make_unit(2)
    digest = results_digest([one, two])
    assert digest == results_digest([make_unit(2, seconds=9.0, finished_at="later"), one])
    assert digest != results_digest([one])
    assert digest != results_digest([one, make_unit(2, correct=False)])
    assert digest != results_digest([one, make_unit(2, actions=("done",))])
    assert digest != results_digest([one, make_unit(2, rank=2)])


def test_the_unit_key_depends_on_content_not_on_order() -> None:
    assert unit_key({"a": 1, "b": {"c": 2, "d": 3}}) == unit_key({"b": {"d": 3, "c": 2}, "a": 1})
    assert unit_key({"a": 1}) != unit_key({"a": 2})
