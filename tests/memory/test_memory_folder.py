"""A bank on disk: what comes back, what is added, what damage says, and what survives a failure."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from recallreach.errors import DataError
from recallreach.memory import folder as folders
from recallreach.memory.bank import Bank
from recallreach.memory.errors import BankError, MissingRecordError, VectorError
from recallreach.memory.exchange import export_bank, import_bank
from recallreach.memory.folder import BankFolder, load_bank
from recallreach.memory.types import Experience

RNG = np.random.default_rng(0)


def _add(bank: Bank, count: int, dimension: int = 5) -> Bank:
    for _ in range(count):
        number = bank.next_id
        picture = None if number % 4 == 3 else b"\xff\xd8picture %d" % (number % 3)
        view = Experience(f"/p/{number}", "naïve ☕", "page", picture, 0, number, "2024-05-11T19:33:00")
        visual = None if picture is None else RNG.standard_normal(dimension).astype(np.float32)
        rows = {"visual/0": visual, "verbal": RNG.standard_normal(3).astype(np.float32)}
        bank.append(view, rows, text="kept", caption="said", sources=(number, 7))
    return bank


def _same(one: Bank, other: Bank) -> bool:
    return (
        list(one) == list(other)
        and one.channels == other.channels
        and one.next_id == other.next_id
        and all(np.array_equal(one.vectors(name), other.vectors(name)) for name in one.channels)
        and all(np.array_equal(one.present(name), other.present(name)) for name in one.channels)
        and all(one.picture(record) == other.picture(record) for record in one)
    )


def _save(bank: Bank, path: Path) -> None:
    with BankFolder(path) as folder:
        folder.save(bank)


def _files(path: Path, kind: str) -> list[Path]:
    return sorted((path / kind).iterdir())


def test_a_bank_comes_back_bit_for_bit(tmp_path: Path) -> None:
    bank = _add(Bank(), 70)
    _save(bank, tmp_path)
    assert _same(load_bank(tmp_path), bank)
    assert len(_files(tmp_path, "pictures")) == 3


def test_an_empty_folder_gives_an_empty_bank_and_an_empty_bank_comes_back(tmp_path: Path) -> None:
    with BankFolder(tmp_path / "deep" / "bank") as folder:
        bank = folder.load()
        folder.save(bank)
        assert len(folder.load()) == len(bank) == 0
    with pytest.raises(BankError, match=r"holds no bank: it has no bank\.json"):
        load_bank(tmp_path)


def test_a_save_writes_only_what_is_new(tmp_path: Path) -> None:
    bank = _add(Bank(), 4)
    _save(bank, tmp_path)
    first = {path: path.stat().st_mtime_ns for path in _files(tmp_path, "segments")}
    bank = _add(load_bank(tmp_path), 3)
    _save(bank, tmp_path)
    assert _same(load_bank(tmp_path), bank)
    assert len(_files(tmp_path, "segments")) == 4
    assert {path: path.stat().st_mtime_ns for path in first} == first
    _save(bank, tmp_path)
    assert len(_files(tmp_path, "segments")) == 4


def test_many_small_saves_are_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "MOST_SEGMENTS", 3)
    bank = Bank()
    for _ in range(4):
        _save(_add(bank, 1), tmp_path)
    assert len(_files(tmp_path, "segments")) == 2
    assert _same(load_bank(tmp_path), bank)


def test_deleted_records_leave_no_trace_and_ids_are_not_given_again(tmp_path: Path) -> None:
    bank = Bank()
    for number in range(3):
        bank.append(
            Experience("/", "", "", b"secret %d" % number, 0, 0), {"v": np.eye(3, dtype=np.float32)[number]}
        )
    fork = bank.fork()
    _save(bank, tmp_path)
    bank.delete([0, 2])
    assert ([record.id for record in bank], bank.vectors("v").tolist()) == ([1], [[0, 1, 0]])
    assert len(fork) == 3
    assert fork.picture(fork[2]) == b"secret 2"
    _save(bank, tmp_path)
    assert [path.read_bytes() for path in _files(tmp_path, "pictures")] == [b"secret 1"]
    assert len(_files(tmp_path, "segments")) == 2
    again = load_bank(tmp_path)
    assert again.append(Experience("/", "", "", None, 0, 0), {}).id == 3
    with pytest.raises(MissingRecordError, match="no record 2 among the 1"):
        bank.delete([1, 2])
    assert len(bank) == 1


def test_a_bank_that_does_not_continue_the_saved_one_replaces_it(tmp_path: Path) -> None:
    _save(_add(Bank(), 5), tmp_path)
    other = _add(Bank(), 5)
    _save(other, tmp_path)
    assert _same(load_bank(tmp_path), other)


def test_every_damage_is_named_at_once(tmp_path: Path) -> None:
    bank = _add(Bank(), 4)
    _save(bank, tmp_path)
    _save(_add(bank, 4), tmp_path)
    first, second, third = _files(tmp_path, "pictures")
    first.unlink()
    second.write_bytes(b"\xff\xd8 other")
    segment = tmp_path / "segments" / "000002.jsonl"
    segment.write_bytes(segment.read_bytes()[:-9])
    with pytest.raises(BankError) as caught:
        load_bank(tmp_path)
    told = str(caught.value)
    assert f"picture pictures/{first.stem}.* of record" in told
    assert f"picture pictures/{second.name} of record" in told
    assert third.name not in told
    assert "segments/000002.jsonl has been changed" in told


def test_a_vanished_segment_is_named(tmp_path: Path) -> None:
    _save(_add(Bank(), 2), tmp_path)
    (tmp_path / "segments" / "000001.safetensors").unlink()
    with pytest.raises(BankError, match=r"segments/000001\.safetensors is missing"):
        load_bank(tmp_path)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "not valid JSON"),
        ("[]", "not the manifest of a bank"),
        (json.dumps({"format": 9}), "format 9.*knows 1"),
        (
            json.dumps({"format": 1, "next_id": 0, "segments": [{"name": "../x"}]}),
            "does not say which segments",
        ),
    ],
)
def test_a_manifest_that_cannot_be_used_is_told(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "bank.json").write_text(text)
    with pytest.raises(BankError, match=complaint):
        load_bank(tmp_path)


def test_a_loaded_bank_refuses_an_encoder_of_another_dimension_and_keeps_what_it_has(tmp_path: Path) -> None:
    _save(_add(Bank(), 3), tmp_path)
    with BankFolder(tmp_path) as folder:
        bank = folder.load()
        with pytest.raises(VectorError, match=r"\(3,\).*\(4,\).*one encoder"):
            bank.append(Experience("/", "", "", None, 0, 0), {"verbal": np.ones(4, np.float32)})
        with pytest.raises(VectorError, match="NaN"):
            bank.append(Experience("/", "", "", None, 0, 0), {"verbal": np.full(3, np.nan, np.float32)})
        folder.save(bank)
    assert len(load_bank(tmp_path)) == 3


@contextmanager
def _files_of_at_most(size: int) -> Iterator[None]:
    """As a full disk: the system refuses to make any file longer."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_is_told_and_the_last_save_stays(tmp_path: Path) -> None:
    bank = _add(Bank(), 3)
    _save(bank, tmp_path)
    saved = load_bank(tmp_path)
    _add(bank, 3000)
    with _files_of_at_most(20_000), pytest.raises(DataError, match="cannot write"):
        _save(bank, tmp_path)
    assert _same(load_bank(tmp_path), saved)
    _save(bank, tmp_path)
    assert _same(load_bank(tmp_path), bank)
    assert not [path for path in tmp_path.rglob("*") if path.name.startswith(".000")]


def test_a_crash_between_segment_and_manifest_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bank = _add(Bank(), 3)
    _save(bank, tmp_path)
    write = folders.write_atomically

    def crash(path: Path, data: bytes | str) -> None:
        if path.name == "bank.json":
            raise KeyboardInterrupt
        write(path, data)

    monkeypatch.setattr(folders, "write_atomically", crash)
    with pytest.raises(KeyboardInterrupt):
        _save(_add(bank.fork(), 2), tmp_path)
    monkeypatch.undo()
    assert _same(load_bank(tmp_path), bank)
    _save(_add(bank, 1), tmp_path)
    assert _same(load_bank(tmp_path), bank)
    assert len(_files(tmp_path, "segments")) == 4


def test_two_processes_on_one_folder_the_second_is_told(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom recallreach.memory.folder import BankFolder\n"
        "from recallreach.memory.errors import BankError\n"
        "try:\n    BankFolder(sys.argv[1]).__enter__()\nexcept BankError as error:\n    print(error)\n"
    )
    with BankFolder(tmp_path) as folder:
        folder.save(_add(Bank(), 2))
        done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True)
    assert "another process has the bank in" in done.stdout, done.stderr
    assert len(load_bank(tmp_path)) == 2
    with BankFolder(tmp_path) as folder:
        assert len(folder.load()) == 2


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(BankError, match="cannot use"), BankFolder(tmp_path / "file" / "bank"):
        pass


def test_an_export_is_lines_of_json_beside_pictures_and_comes_back_equal(tmp_path: Path) -> None:
    bank = _add(Bank(), 6)
    bank.delete([1])
    export_bank(bank, tmp_path / "out")
    lines = [json.loads(line) for line in (tmp_path / "out" / "records.jsonl").read_text().splitlines()]
    assert [line["id"] for line in lines] == [0, 2, 3, 4, 5]
    assert (tmp_path / "out" / lines[0]["file"]).read_bytes() == b"\xff\xd8picture 0"
    assert (lines[2]["file"], sorted(lines[2]["vectors"])) == (None, ["verbal"])
    assert _same(import_bank(tmp_path / "out"), bank)
    with pytest.raises(DataError, match="not an empty folder"):
        export_bank(bank, tmp_path / "out")


def test_an_export_without_vectors_has_none(tmp_path: Path) -> None:
    export_bank(_add(Bank(), 2), tmp_path, vectors=False)
    again = import_bank(tmp_path)
    assert (len(again), again.channels) == (2, [])


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda line: "{", "line 2 is not JSON"),
        (lambda line: "7", "line 2 is not a record but a int"),
        (lambda line: line.replace('"step":1', '"step":"1"'), "line 2 is not a record: step"),
        (lambda line: line.replace("pictures/", "../"), "is no path in"),
        (lambda line: line.replace(".jpg", ".png"), "cannot read picture"),
        (lambda line: line.replace('"verbal":[', '"verbal":["x",'), "a vector is not a list of numbers"),
    ],
)
def test_an_import_names_the_line_that_is_wrong(tmp_path: Path, spoil: object, complaint: str) -> None:
    export_bank(_add(Bank(), 2), tmp_path)
    path = tmp_path / "records.jsonl"
    first, second = path.read_text().splitlines()
    path.write_text(f"{first}\n{spoil(second)}\n")  # type: ignore[operator]
    with pytest.raises(DataError, match=complaint):
        import_bank(tmp_path)


def test_an_import_refuses_a_changed_picture_and_ids_that_do_not_rise(tmp_path: Path) -> None:
    export_bank(_add(Bank(), 2), tmp_path)
    path = tmp_path / "records.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[1], lines[0]]))
    with pytest.raises(MissingRecordError, match="record 0 cannot follow record 1"):
        import_bank(tmp_path)
    (tmp_path / json.loads(lines[1])["file"]).write_bytes(b"other")
    with pytest.raises(DataError, match="has been changed"):
        import_bank(tmp_path)
