"""A bank as people and other programs read it: one line of JSON a record, and its pictures beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from recallreach.errors import DataError
from recallreach.files import sha256, write_atomically
from recallreach.memory.bank import Bank
from recallreach.memory.lines import read_records, record_line
from recallreach.memory.pictures import picture_name
from recallreach.memory.types import Record, Vectors

RECORDS, PICTURES = "records.jsonl", "pictures"


def export_bank(bank: Bank, path: Path | str, *, vectors: bool = True) -> None:
    """Write `records.jsonl` and `pictures/` into an empty folder.

    A line holds the fields of `Record`, `file` (the picture's path in the folder, or null) and, by channel,
    the vectors.

    Args:
        bank: what to write.
        path: a folder that is empty or not there yet.
        vectors: with them, an import gives an equal bank; without, lines are short and a system has to encode
            everything again.

    Raises:
        DataError: the folder is not empty or cannot be written.
    """
    folder = Path(path)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DataError(f"{folder} is not an empty folder: export a bank to one of its own")
    lines = []
    for position, record in enumerate(bank):
        more: dict[str, Any] = {"file": _export_picture(bank, record, folder)}
        if vectors:
            more["vectors"] = _vectors(bank, position)
        lines.append(record_line(record, **more))
    write_atomically(folder / RECORDS, "".join(f"{line}\n" for line in lines))


def import_bank(path: Path | str) -> Bank:
    """Read what `export_bank` wrote, or what another program wrote in its form.

    Raises:
        DataError: a line or a picture is missing, damaged or not what it claims to be; the first is named.
        VectorError: a vector is not finite, or a channel changes its dimension.
        MissingRecordError: ids do not rise from line to line.
    """
    folder = Path(path)
    source = folder / RECORDS
    try:
        text = source.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read {source}: {error}") from error
    bank = Bank()
    for record, more in read_records(text, str(source)):
        if record.picture is not None:
            bank.pictures.add(_picture(folder, record, more.get("file")))
        bank.restore(record, _rows(record, more.get("vectors", {})))
    return bank


def _export_picture(bank: Bank, record: Record, folder: Path) -> str | None:
    picture = bank.picture(record)
    if picture is None or record.picture is None:
        return None
    name = f"{PICTURES}/{picture_name(record.picture, picture)}"
    if not (folder / name).exists():
        write_atomically(folder / name, picture, durable=False)
    return name


def _vectors(bank: Bank, position: int) -> dict[str, list[float]]:
    present = [name for name in bank.channels if bank.present(name)[position]]
    return {name: bank.vectors(name)[position].tolist() for name in present}


def _picture(folder: Path, record: Record, name: object) -> bytes:
    if not isinstance(name, str) or not (folder / name).resolve().is_relative_to(folder.resolve()):
        raise DataError(f"record {record.id} shows a picture, and its file {name!r} is no path in {folder}")
    try:
        data = (folder / name).read_bytes()
    except OSError as error:
        raise DataError(f"cannot read picture {name} of record {record.id}: {error.strerror}") from error
    if sha256(data) != record.picture:
        raise DataError(f"picture {name} of record {record.id} has been changed: its SHA-256 is another")
    return data


def _rows(record: Record, values: object) -> dict[str, Vectors | None]:
    if not isinstance(values, dict):
        raise DataError(f"record {record.id}: vectors are not a table of lists by channel")
    try:
        return {name: np.array(row, np.float32) for name, row in values.items()}
    except (TypeError, ValueError) as error:
        raise DataError(f"record {record.id}: a vector is not a list of numbers: {error}") from error
