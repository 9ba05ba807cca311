"""A run's answers for other programs: JSON lines, or Parquet (extra)."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, get_args

from recallreach.errors import ConfigError, DataError, MissingExtraError, UnknownNameError
from recallreach.study import events
from recallreach.study.folder import RESULTS
from recallreach.study.reading import StoreReader
from recallreach.study.units import COLUMNS, compact

Format = Literal["jsonl", "parquet"]
Row = dict[str, Any]

BATCH = 1000
"""Rows that are held at a time."""
EVENT_COLUMNS = ("unit", "number", "kind", "body")
_NUMBERS = {"correct": "bool", "seconds": "float64", "actions": "list"}
_TEXTS = (
    *("key", "system", "probe", "target", "phrase", "status", "answer", "kind", "reason", "stage"),
    "finished_at",
)


def export_run(folder: Path, form: str, target: Path) -> list[Path]:
    """Write all units of a run and all events of their traces into `target`.

    Args:
        folder: the run folder.
        form: "jsonl" or "parquet".
        target: folder for `units.<form>` and `events.<form>`; made if missing, earlier files are replaced.

    Returns:
        The files.

    Raises:
        ConfigError: an unknown form.
        MissingExtraError: Parquet without pyarrow.
        DataError: no results, damaged ones, or a folder that cannot be written.
    """
    if form not in get_args(Format):
        raise ConfigError(str(UnknownNameError("form of export", form, get_args(Format))))
    write = _write_jsonl if form == "jsonl" else _write_parquet
    with StoreReader(folder / RESULTS) as store:
        made = (("units", COLUMNS, _units(store)), ("events", EVENT_COLUMNS, _events(store)))
        return [_written(target / f"{name}.{form}", write, columns, rows) for name, columns, rows in made]


def _units(store: StoreReader) -> Iterator[Row]:
    for offset in range(0, store.count(), BATCH):
        for unit in store.units(limit=BATCH, offset=offset):
            yield {**dataclasses.asdict(unit), "actions": list(unit.actions)}


def _events(store: StoreReader) -> Iterator[Row]:
    for row in _units(store):
        for number, event in enumerate(store.events(row["key"])):
            kind, body = events.to_row(event)
            yield {"unit": row["key"], "number": number, "kind": kind, "body": body}


def _written(
    path: Path,
    write: Callable[[Path, tuple[str, ...], Iterator[Row]], None],
    columns: tuple[str, ...],
    rows: Iterator[Row],
) -> Path:
    """A file that is whole or not there."""
    partial = path.with_name(f".{path.name}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(partial, columns, rows)
        os.replace(partial, path)
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            partial.unlink()
    return path


def _write_jsonl(path: Path, columns: tuple[str, ...], rows: Iterator[Row]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            told = {**row, "body": json.loads(row["body"])} if "body" in row else row
            file.write(compact(told) + "\n")


def _write_parquet(path: Path, columns: tuple[str, ...], rows: Iterator[Row]) -> None:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("export to Parquet", "pyarrow", "parquet") from error
    schema = pyarrow.schema([(name, _arrow(pyarrow, name)) for name in columns])
    with pyarrow.parquet.ParquetWriter(path, schema) as writer:
        for batch in _batches(rows):
            writer.write_table(pyarrow.Table.from_pylist(batch, schema=schema))


def _arrow(pyarrow: Any, name: str) -> Any:
    kind = _NUMBERS.get(name, "string" if name in (*_TEXTS, "unit", "body") else "int64")
    kinds = {
        "bool": pyarrow.bool_(),
        "float64": pyarrow.float64(),
        "list": pyarrow.list_(pyarrow.string()),
        "string": pyarrow.string(),
        "int64": pyarrow.int64(),
    }
    return kinds[kind]


def _batches(rows: Iterator[Row]) -> Iterator[list[Row]]:
    batch: list[Row] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
