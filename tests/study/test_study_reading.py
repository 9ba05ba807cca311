"""Reading, filtering and paging a results store, and what it says of itself when it is not whole."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import sqlite3
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from recallreach.agents.results import RecallResult
from recallreach.errors import DataError
from recallreach.study.banks import Snapshot
from recallreach.study.events import Trace
from recallreach.study.journal import Journal
from recallreach.study.reading import Filter, StoreReader
from recallreach.study.store import ResultStore
from recallreach.study.units import COLUMNS, Unit, to_row

MakeUnit = Callable[..., Unit]
TRACE = Trace("red mug", {}, RecallResult("p", "matcher", "dualmem", "pixels", "ok", True))
WRONG = {"correct": False, "rank": None}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results.sqlite"


def filled(path: Path, *units: Unit) -> ResultStore:
    store = ResultStore(path)
    for unit in units:
        store.register(unit.system, {})
        store.add(unit, TRACE)
    return store


@pytest.fixture
def reader(path: Path, make_unit: MakeUnit) -> StoreReader:
    units = [
        make_unit(1),
        make_unit(2, system="caption", **WRONG),
        make_unit(3, reach=2, session=2, phrase="Teal globe", rank=4, correct=False),
        make_unit(4, chain=1, tree=1, status="error", kind="crash", **WRONG),
        make_unit(1, system="caption"),
    ]
    filled(path, *units).close()
    return StoreReader(path)


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        (Filter(), [1, 2, 1, 3, 4]),
        (Filter(systems=("caption",)), [1, 2]),
        (Filter(reaches=(2,)), [3]),
        (Filter(sessions=(2, 7)), [3]),
        (Filter(statuses=("error",)), [4]),
        (Filter(kinds=("crash",)), [4]),
        (Filter(chains=(1,), trees=(1,)), [4]),
        (Filter(correct=False), [2, 3]),
        (Filter(correct=True), [1, 1]),
        (Filter(correct=False, retrieved=True), [3]),
        (Filter(retrieved=False, systems=("dualmem",)), [4]),
        (Filter(text="TEAL"), [3]),
        (Filter(text="%"), []),
    ],
)
def test_filters_and_counts_agree(reader: StoreReader, wanted: Filter, numbers: list[int]) -> None:
    assert [int(unit.probe.rpartition("-")[2]) for unit in reader.units(wanted)] == numbers
    assert reader.count(wanted) == len(numbers)


def test_pages_follow_each_other_and_a_unit_finds_its_place(reader: StoreReader) -> None:
    whole = reader.units()
    pages = [unit for offset in range(0, 6, 2) for unit in reader.units(limit=2, offset=offset)]
    assert pages == whole
    assert [reader.position(unit.key) for unit in whole] == [0, 1, 2, 3, 4]
    assert reader.position(whole[3].key, Filter(correct=False)) == 1


def test_one_probe_is_found_in_all_systems(reader: StoreReader) -> None:
    assert [unit.system for unit in reader.same_probe("c0-s0-0-1")] == ["caption", "dualmem"]


def test_facets_say_what_there_is(reader: StoreReader) -> None:
    facets = reader.facets()
    assert facets.systems == {"caption": 2, "dualmem": 3}
    assert (facets.reaches, facets.kinds) == ({0: 4, 2: 1}, {"": 4, "crash": 1})
    assert (facets.statuses, facets.chains, facets.sessions) == (
        {"error": 1, "ok": 4},
        {0: 4, 1: 1},
        {0: 4, 2: 1},
    )


def test_a_reader_sees_what_a_running_study_adds(path: Path, make_unit: MakeUnit) -> None:
    with filled(path, make_unit(1)) as store, StoreReader(path) as reader:
        assert reader.count() == 1
        store.add(make_unit(2), TRACE)
        assert reader.count() == 2
        with pytest.raises(DataError, match="cannot open"):
            reader._rows("DELETE FROM units")


def test_unknown_units_are_told(reader: StoreReader) -> None:
    for ask in (reader.unit, reader.trace):
        with pytest.raises(DataError, match="holds no unit 'x'"):
            ask("x")
    with pytest.raises(DataError, match="no results at"):
        StoreReader(reader.path.with_name("none.sqlite"))


def test_errors_set_aside_stay_on_record(path: Path, make_unit: MakeUnit) -> None:
    bad = make_unit(2, status="error", correct=False, kind="browser", reason="gone")
    with filled(path, bad) as store:
        store.drop_errors()
        store.add(replace(bad, status="ok", kind="", reason=""), TRACE)
        (failure,) = store.failures()
    assert (failure.probe, failure.kind, failure.reason) == (bad.probe, "browser", "gone")
    with StoreReader(path) as reader:
        assert reader.count() == 1


# Damage.


def test_a_changed_value_is_detected(path: Path, make_unit: MakeUnit) -> None:
    """SQLite keeps no checksum of its pages, so a flipped value looks sound to it."""
    filled(path, make_unit(1)).close()
    raw = path.read_bytes()
    assert raw.count(b"red mug") >= 2
    path.write_bytes(raw.replace(b"red mug", b"rad mug"))
    with ResultStore(path) as store:
        with pytest.raises(DataError, match=r"row of unit .* is not as it was written"):
            store.units()
        with pytest.raises(DataError, match=r"trace of unit .* is not as it was written"):
            store.trace(make_unit(1).key)


def test_a_changed_bank_is_detected(path: Path, make_unit: MakeUnit) -> None:
    bank = zlib.compress(b"[]" * 2000, 0)
    with filled(path, make_unit(1)) as store:
        store.add_bank(Snapshot("dualmem", 0, 0, bank))
        store.verify()
    raw = path.read_bytes()
    assert raw.count(b"[][][][]") > 0
    path.write_bytes(raw.replace(b"[][][][]", b"[][[][]]", 1))
    with ResultStore(path) as store, pytest.raises(DataError, match="bank in the results store is damaged"):
        store.verify()


def test_an_answer_that_is_there_under_another_key_is_no_damage(path: Path, make_unit: MakeUnit) -> None:
    unit = make_unit(1)
    with filled(path, unit) as store:
        with pytest.raises(DataError, match=r"other answers than this study would give.*manifest\.json"):
            store.add(replace(unit, key="other"), TRACE)
        assert store.units() == [unit]


def test_a_cut_file_is_detected(path: Path, make_unit: MakeUnit) -> None:
    filled(path, *(make_unit(number) for number in range(60))).close()
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)
    with pytest.raises(DataError, match="damaged"):
        ResultStore(path)


@pytest.mark.parametrize("share", [0.0, 0.5, 0.97])
def test_a_cut_write_ahead_log_is_detected_and_can_be_mended(
    path: Path, tmp_path: Path, make_unit: MakeUnit, share: float
) -> None:
    """SQLite forgets the cut commits without a word; the journal knows them."""
    units = [make_unit(number) for number in range(20)]
    copy = tmp_path / "copy" / path.name
    copy.parent.mkdir()
    with filled(path, *units):
        for ending in ("", "-wal"):
            shutil.copy(f"{path}{ending}", f"{copy}{ending}")
        shutil.copy(path.with_suffix(".journal"), copy.with_suffix(".journal"))
    log = Path(f"{copy}-wal")
    with log.open("r+b") as file:
        file.truncate(int(log.stat().st_size * share))
    for kind in (StoreReader, ResultStore):
        with pytest.raises(DataError, match=r"has lost .* answers|not a results store"):
            kind(copy)
    with ResultStore(copy, mend=True) as store:
        assert store.lost == {unit.key for unit in units} - store.finished()
        assert store.lost
    with ResultStore(copy) as store:
        assert store.lost == frozenset()


def test_a_line_cut_by_a_crash_is_no_loss(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "x.journal")
    journal.add(["a b", "c"])
    whole = journal.path.read_bytes()
    for length in range(len(whole)):
        journal.path.write_bytes(whole[:length])
        assert journal.lost({"a b"}) <= {"c"}
        journal.add(["d"])
        assert "d" in journal.lost(set())
        assert journal.lost(set()) <= {"a b", "c", "d"}


def test_a_key_set_aside_is_no_loss(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "x.journal")
    journal.add(["a", "b"])
    journal.drop(["a"])
    assert journal.lost(set()) == {"b"}
    journal.add(["a"])
    assert journal.lost({"b"}) == {"a"}


# Places that cannot be written.


def in_child(work: Callable[[], None]) -> int:
    """Run `work` in a fork, so that what it does to the process goes with it; its exit status."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_full_disk_stops_with_a_sentence_and_leaves_a_store_that_opens(
    path: Path, make_unit: MakeUnit
) -> None:
    """The file may not grow beyond a limit, which to SQLite is a failing write."""
    filled(path, make_unit(0)).close()

    def work() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
        with ResultStore(path) as store:
            for number in range(1, 2000):
                try:
                    store.add(make_unit(number), TRACE)
                except DataError as error:
                    os._exit(0 if "cannot write" in str(error) and "disk" in str(error) else 3)

    assert in_child(work) == 0
    with ResultStore(path) as store:
        count = store.count()
        assert 1 < count < 2000
        assert len(store.units()) == count


def test_a_full_database_names_the_disk(path: Path, make_unit: MakeUnit) -> None:
    with filled(path, make_unit(0)) as store:
        (pages,) = store._db.execute("PRAGMA page_count").fetchone()
        store._db.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(DataError, match=r"the disk is full\. Make room and run"):
            store.add(make_unit(1, phrase="red mug" * 20_000), TRACE)
        store._db.execute("PRAGMA max_page_count = 100000")
        store.add(make_unit(300), TRACE)


@pytest.mark.parametrize("writer", [True, False])
def test_a_read_only_folder(path: Path, tmp_path: Path, make_unit: MakeUnit, writer: bool) -> None:
    """Reading needs no right to write; writing says so in a sentence. Root gives up its rights first."""
    filled(path, make_unit(0)).close()
    for folder in (tmp_path, *list(tmp_path.parents)[:2]):
        folder.chmod(0o555)

    def work() -> None:
        if os.geteuid() == 0:
            os.setegid(65534)
            os.seteuid(65534)
        try:
            with (ResultStore if writer else StoreReader)(path) as store:
                os._exit(0 if len(store.units()) == 1 and not writer else 3)
        except DataError as error:
            os._exit(0 if writer and "cannot open" in str(error) else 4)

    try:
        assert in_child(work) == 0
    finally:
        for folder in (tmp_path, *list(tmp_path.parents)[:2]):
            folder.chmod(0o755)


# Earlier schemas.

SCHEMA_1 = """
CREATE TABLE systems (label TEXT PRIMARY KEY, spec TEXT NOT NULL) STRICT;
CREATE TABLE units (
    key TEXT PRIMARY KEY, system TEXT NOT NULL REFERENCES systems (label), chain INTEGER NOT NULL,
    session INTEGER NOT NULL, probe TEXT NOT NULL, target TEXT NOT NULL, phrase TEXT NOT NULL,
    first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL, reach INTEGER NOT NULL, seen INTEGER NOT NULL,
    bank INTEGER NOT NULL, status TEXT NOT NULL, correct INTEGER NOT NULL, answer TEXT, kind TEXT NOT NULL,
    reason TEXT NOT NULL, rank INTEGER, steps INTEGER NOT NULL, actions TEXT NOT NULL,
    calls INTEGER NOT NULL, images INTEGER NOT NULL, visual_tokens INTEGER NOT NULL,
    text_tokens INTEGER NOT NULL, seconds REAL NOT NULL, finished_at TEXT NOT NULL, UNIQUE (system, probe)
) STRICT;
CREATE TABLE traces (
    unit TEXT PRIMARY KEY REFERENCES units (key) ON DELETE CASCADE, trace TEXT NOT NULL
) STRICT;
CREATE TABLE thumbnails (sha256 TEXT PRIMARY KEY, jpeg BLOB NOT NULL) STRICT;
"""
SCHEMA_2 = SCHEMA_1.replace("thumbnails", "pictures").replace("jpeg BLOB", "data BLOB")
NEW = {"tree", "stage", "place", "places", "reply_tokens"}


def earlier(path: Path, version: int, unit: Unit) -> None:
    """A store as an earlier recallreach wrote it, without the later columns and with one text a trace."""
    db = sqlite3.connect(path)
    db.executescript(SCHEMA_1 if version == 1 else SCHEMA_2)
    db.execute(f"PRAGMA application_id = {0x52524348}")
    db.execute(f"PRAGMA user_version = {version}")
    db.execute("INSERT INTO systems VALUES ('dualmem', '{}')")
    values = dict(zip(COLUMNS, to_row(unit), strict=True))
    kept = [name for name in COLUMNS if name not in NEW]
    marks = ", ".join("?" * len(kept))
    db.execute(f"INSERT INTO units ({', '.join(kept)}) VALUES ({marks})", [values[name] for name in kept])
    db.execute("INSERT INTO traces VALUES (?, ?)", (unit.key, json.dumps(TRACE.to_json())))
    db.execute("PRAGMA journal_mode = WAL")
    db.commit()
    db.close()


@pytest.mark.parametrize("version", [1, 2])
def test_an_earlier_schema_is_brought_up_to_date_once(path: Path, make_unit: MakeUnit, version: int) -> None:
    unit = make_unit(1, chain=4, tree=4, place=0, places=0, reply_tokens=0)
    earlier(path, version, unit)
    with pytest.raises(DataError, match=f"schema version {version}.*recallreach report"):
        StoreReader(path)
    for _ in range(2):
        with ResultStore(path) as store:
            assert store.units() == [unit]
            assert Trace.from_json(store.trace(unit.key)) == TRACE
            store.drop_errors()


def test_a_migration_that_fails_changes_nothing(path: Path, make_unit: MakeUnit) -> None:
    earlier(path, 2, make_unit(1))
    raw = sqlite3.connect(path)
    raw.execute("UPDATE units SET actions = 'not JSON'")
    raw.commit()
    raw.close()
    with pytest.raises(DataError, match="cannot be brought up to date"):
        ResultStore(path)
    raw = sqlite3.connect(path)
    assert raw.execute("PRAGMA user_version").fetchone() == (2,)
    assert raw.execute("SELECT count(*) FROM traces").fetchone() == (1,)
    raw.close()
