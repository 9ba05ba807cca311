"""What a memory held when it was asked: a snapshot of its records, kept so that it can be looked at later."""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from recallreach.errors import DataError
from recallreach.memory.types import MemorySystem, Record
from recallreach.study.units import compact


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The records of one memory after one session of a chain, as bytes for the results store."""

    memory: str
    chain: int
    session: int
    records: bytes


def snapshot(memory: MemorySystem, label: str, chain: int, session: int) -> Snapshot | None:
    """A snapshot of a memory that has a `bank` of records to look into; None for one that has not."""
    bank = getattr(memory, "bank", None)
    records: list[Any] = list(bank) if isinstance(bank, Iterable) else [None]
    if not all(isinstance(record, Record) for record in records):
        return None
    told = [dataclasses.asdict(record) for record in records]
    return Snapshot(label, chain, session, zlib.compress(compact(told).encode(), 6))


def check_whole(body: bytes) -> None:
    """Make sure that a snapshot is as it was written, without reading its records.

    Raises:
        DataError: it is not.
    """
    _unpacked(body)


def records_in(body: bytes) -> list[Record]:
    """The records of a snapshot, in order.

    Raises:
        DataError: the bytes are no snapshot.
    """
    try:
        return _RECORDS.validate_json(_unpacked(body))
    except ValidationError as error:
        raise _damaged(error) from error


def _unpacked(body: bytes) -> bytes:
    try:
        return zlib.decompress(body)
    except zlib.error as error:
        raise _damaged(error) from error


def _damaged(error: Exception) -> DataError:
    return DataError(f"a bank in the results store is damaged: {error}")


_RECORDS = TypeAdapter(list[Record])
