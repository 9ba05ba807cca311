"""Records as lines of JSON, in bank folders and in exports."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import TypeAdapter, ValidationError

from recallreach.errors import DataError
from recallreach.memory.types import Record

_RECORD = TypeAdapter(Record)
_KEYS = {field.name for field in dataclasses.fields(Record)}


def record_line(record: Record, **more: Any) -> str:
    """One line of JSON without its end; `more` are further keys of that line."""
    return json.dumps({**dataclasses.asdict(record), **more}, ensure_ascii=False, separators=(",", ":"))


def lines_text(records: Iterable[Record]) -> str:
    """The text of a file of records."""
    return "".join(f"{record_line(record)}\n" for record in records)


def read_records(text: str, where: str) -> Iterator[tuple[Record, dict[str, Any]]]:
    """Records of a file, each with the further keys of its line; blank lines are passed over.

    Raises:
        DataError: a line is not JSON or not a record; `where` and the number of the line are named.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield _record(line, f"{where}, line {number}")


def _record(line: str, where: str) -> tuple[Record, dict[str, Any]]:
    try:
        values = json.loads(line)
    except ValueError as error:
        raise DataError(f"{where} is not JSON: {error}") from error
    if not isinstance(values, dict):
        raise DataError(f"{where} is not a record but a {type(values).__name__}")
    own = {key: value for key, value in values.items() if key in _KEYS}
    try:
        record = _RECORD.validate_json(json.dumps(own), strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise DataError(f"{where} is not a record: {key}: {first['msg']}") from error
    return record, {key: value for key, value in values.items() if key not in _KEYS}
