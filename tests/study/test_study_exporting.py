"""Answers and traces as JSON lines and Parquet."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet
import pytest

from recallreach.agents.results import RecallResult, TurnTrace
from recallreach.errors import ConfigError, DataError
from recallreach.study import exporting
from recallreach.study.events import Trace, from_row
from recallreach.study.exporting import export_run
from recallreach.study.store import ResultStore
from recallreach.study.units import COLUMNS, Unit

MakeUnit = Callable[..., Unit]


def trace(number: int) -> Trace:
    turns = tuple(
        TurnTrace("/", f"Thought: {n} ä\nAction: done", "done", "done", (), "", "/") for n in range(2)
    )
    return Trace(f"goal {number}", {}, RecallResult("p", "a", "m", "d", "ok", True, turns=turns))


@pytest.fixture
def units(tmp_path: Path, make_unit: MakeUnit, monkeypatch: pytest.MonkeyPatch) -> list[Unit]:
    """Seven answers in a run folder, read three at a time."""
    monkeypatch.setattr(exporting, "BATCH", 3)
    made = [
        make_unit(n, session=n, rank=None if n % 2 else n, answer=None if n == 3 else "x") for n in range(7)
    ]
    with ResultStore(tmp_path / "results.sqlite") as store:
        store.register("dualmem", {})
        for number, unit in enumerate(made):
            store.add(unit, trace(number))
    return made


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_everything_is_there_in_order(tmp_path: Path, units: list[Unit], form: str) -> None:
    paths = export_run(tmp_path, form, tmp_path / "out")
    assert [path.name for path in paths] == [f"units.{form}", f"events.{form}"]
    rows, events = map(read, paths)
    assert list(rows[0]) == (sorted(COLUMNS) if form == "jsonl" else list(COLUMNS))
    found = [Unit(**{**row, "actions": tuple(row["actions"])}) for row in rows]
    assert found == units
    for number, unit in enumerate(units):
        mine = sorted((row for row in events if row["unit"] == unit.key), key=lambda row: row["number"])
        bodies = (row["body"] if form == "parquet" else json.dumps(row["body"]) for row in mine)
        told = [from_row(row["kind"], body) for row, body in zip(mine, bodies, strict=True)]
        assert Trace.of(told) == trace(number)
    assert [path.name for path in (tmp_path / "out").iterdir() if path.name.startswith(".")] == []


def read(path: Path) -> list[dict[str, object]]:
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text().splitlines()]
    return pyarrow.parquet.read_table(path).to_pylist()


def test_an_earlier_export_is_replaced_whole_or_not_at_all(
    tmp_path: Path, units: list[Unit], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    export_run(tmp_path, "jsonl", out)
    before = (out / "units.jsonl").read_bytes()

    def failing(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(exporting, "_write_jsonl", failing)
    with pytest.raises(DataError, match="No space left on device"):
        export_run(tmp_path, "jsonl", out)
    assert (out / "units.jsonl").read_bytes() == before


def test_what_cannot_be_exported_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="'parquet'"):
        export_run(tmp_path, "parket", tmp_path)
    with pytest.raises(DataError, match="no results"):
        export_run(tmp_path, "jsonl", tmp_path)


def test_a_file_in_the_place_of_the_folder_is_told(tmp_path: Path, units: list[Unit]) -> None:
    (tmp_path / "taken").touch()
    with pytest.raises(DataError, match="cannot write"):
        export_run(tmp_path, "jsonl", tmp_path / "taken")


def test_every_column_has_a_type() -> None:
    kinds = {field.name: str(field.type) for field in dataclasses.fields(Unit)}
    texts = {name for name, kind in kinds.items() if "str" in kind or "Literal" in kind}
    assert texts - {"actions"} == set(exporting._TEXTS)
    assert set(exporting._NUMBERS) == {"correct", "seconds", "actions"}
