from __future__ import annotations

import dataclasses
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from recallreach.agents.results import HitTrace, ItemTrace, PartTrace, RecallResult, TurnTrace
from recallreach.errors import DataError
from recallreach.files import sha256
from recallreach.study import events, schema
from recallreach.study.events import Trace
from recallreach.study.reading import StoreReader
from recallreach.study.store import ResultStore
from recallreach.study.units import Unit, results_digest, unit_key

MakeUnit = Callable[..., Unit]
JPEG = b"jpeg"
RESULT = RecallResult(
    probe="c0-s0-0-1",
    agent="matcher",
    memory="dualmem",
    delivery="pixels",
    status="ok",
    correct=True,
    answer="aaaaaaaa",
    turns=(TurnTrace("/", "Action: done", "done", "done", ("odd",), "", "/"),),
    retrieved=(HitTrace(3, "/product/aaaaaaaa", 0, 4, 0.5, {"visual": 0.5}),),
    delivered=(PartTrace("text", "M1"), PartTrace("image", "", sha256(JPEG), 4, 4, "image/jpeg")),
    items=(ItemTrace("M1", "/product/aaaaaaaa", 3, sha256(JPEG)),),
    bank=12,
)
TRACE = Trace("red mug", {"aaaaaaaa": sha256(JPEG)}, RESULT)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results.sqlite"


def filled(path: Path, *units: Unit) -> ResultStore:
    store = ResultStore(path)
    for unit in units:
        store.register(unit.system, {"memory": unit.system})
        store.add(unit, TRACE, {sha256(JPEG): JPEG})
    return store


def edited(path: Path, *statements: str) -> None:
    """Change a closed store behind its back, triggers and all."""
    raw = sqlite3.connect(path)
    for statement in ("DROP TRIGGER units_are_final", "DROP TRIGGER events_are_final", *statements):
        raw.execute(statement)
    raw.commit()
    raw.close()


def test_units_traces_and_pictures_come_back_as_they_were(path: Path, make_unit: MakeUnit) -> None:
    units = [make_unit(1), make_unit(2, correct=False, answer=None, rank=None, status="invalid", kind="x")]
    filled(path, *units).close()
    for kind in (ResultStore, StoreReader):
        with kind(path) as store:
            assert store.units() == units
            assert store.finished() == {unit.key for unit in units}
            assert store.systems() == {"dualmem": {"memory": "dualmem"}}
            assert store.trace(units[0].key) == json.loads(json.dumps(TRACE.to_json())) | {
                key: TRACE.to_json()[key] for key in ("turns", "retrieved", "delivered", "items")
            }
            assert Trace.of(store.events(units[0].key)) == TRACE
            assert (store.picture(sha256(JPEG)), store.picture("cd")) == (JPEG, None)
            assert store.pictures() == {sha256(JPEG)}


def test_events_are_typed_and_in_order(path: Path, make_unit: MakeUnit) -> None:
    with filled(path, make_unit(1)) as store:
        found = store.events(make_unit(1).key)
    kinds = [events.Asked, events.Retrieved, events.Delivered, events.Acted, events.Graded]
    assert [type(event) for event in found] == kinds
    assert isinstance(found[3], events.Acted)
    assert found[3].turn.problems == ("odd",)


@pytest.mark.parametrize(
    ("kind", "body", "told"),
    [("asket", "{}", "unknown kind of event"), ("asked", '{"goal": 3}', "goal"), ("acted", "{", "damaged")],
)
def test_an_event_that_cannot_be_is_refused(kind: str, body: str, told: str) -> None:
    with pytest.raises(DataError, match=told):
        events.from_row(kind, body)


def test_rows_and_events_are_never_changed(path: Path, make_unit: MakeUnit) -> None:
    filled(path, make_unit(1)).close()
    raw = sqlite3.connect(path)
    for table, column in (("units", "phrase"), ("events", "body")):
        with pytest.raises(sqlite3.IntegrityError, match="never changed"):
            raw.execute(f"UPDATE {table} SET {column} = 'x'")
    raw.close()


def test_a_unit_that_cannot_be_written_whole_leaves_nothing(path: Path, make_unit: MakeUnit) -> None:
    with filled(path, make_unit(1)) as store:
        with pytest.raises(TypeError):
            store.add(make_unit(2), dataclasses.replace(TRACE, goal=object()))  # type: ignore[arg-type]
        with pytest.raises(DataError):
            store.add(make_unit(3), TRACE, {"x": None})  # type: ignore[dict-item]
        assert [unit.probe for unit in store.units()] == [make_unit(1).probe]
        store.add(make_unit(2), TRACE)
        assert len(store.units()) == 2


def test_a_unit_is_stored_once(path: Path, make_unit: MakeUnit) -> None:
    with filled(path, make_unit(1)) as store:
        with pytest.raises(DataError):
            store.add(make_unit(1), TRACE)
        with pytest.raises(DataError):
            store.add(make_unit(1, key="another key"), TRACE)
        assert len(store.units()) == 1


def test_an_error_is_never_right(path: Path, make_unit: MakeUnit) -> None:
    with filled(path, make_unit(1)) as store, pytest.raises(DataError):
        store.add(make_unit(2, status="error", correct=True), TRACE)


def test_a_unit_needs_its_system(path: Path, make_unit: MakeUnit) -> None:
    with ResultStore(path) as store, pytest.raises(DataError):
        store.add(make_unit(1), TRACE)


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
    crashed.execute("DELETE FROM units")
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


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE units SET phrase = 'x'", r"row of unit .* is not as it was written"),
        (
            "UPDATE events SET body = body || ' ' WHERE number = 1",
            r"trace of unit .* is not as it was written",
        ),
        ("UPDATE events SET kind = 'told' WHERE number = 0", r"trace of unit .* is not as it was written"),
        ("DELETE FROM events", r"trace of unit .* is not as it was written"),
        ("UPDATE events SET body = CAST(x'ff22' AS TEXT)", r"damaged .* UTF-8"),
        ("UPDATE pictures SET data = x'00'", r"picture .* is not as it was written"),
    ],
)
def test_a_whole_check_finds_what_nobody_has_read(
    path: Path, make_unit: MakeUnit, statement: str, told: str
) -> None:
    with filled(path, make_unit(1), make_unit(2)) as store:
        store.verify()
    edited(path, statement)
    with StoreReader(path) as store, pytest.raises(DataError, match=told):
        store.verify()


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
    newer.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    newer.close()
    with pytest.raises(DataError, match=f"schema version {schema.VERSION + 1}, this recallreach knows"):
        ResultStore(path)


def test_the_file_carries_its_mark(path: Path) -> None:
    ResultStore(path).close()
    raw = sqlite3.connect(path)
    assert raw.execute("PRAGMA application_id").fetchone() == (schema.APPLICATION_ID,)
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
