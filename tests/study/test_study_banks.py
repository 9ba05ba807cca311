"""Snapshots of what a memory held."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recallreach.agents.results import RecallResult
from recallreach.errors import DataError
from recallreach.memory.types import Record
from recallreach.study.banks import records_in, snapshot
from recallreach.study.events import Trace
from recallreach.study.store import ResultStore, StoreReader, Unit

TRACE = Trace("find it", {}, RecallResult("c0", "matcher", "dualmem", "pixels", "ok"))
RECORDS = [
    Record(0, "/product/0a1b2c3d", "A lamp", "text", "ab" * 32, 0, 3, "2024-03-01T10:00:00", "a lamp"),
    Record(1, "/product/1a1b2c3d", "A vase", "", None, 0, 5),
]


class Holding:
    """A memory of which only the bank is looked at."""

    def __init__(self, bank: Any) -> None:
        self.bank = bank


def test_a_snapshot_is_written_with_the_first_unit_that_asked_it(
    tmp_path: Path, make_unit: Callable[..., Unit]
) -> None:
    path = tmp_path / "results.sqlite"
    bank = snapshot(Holding(RECORDS), "dualmem", 0, 2)  # type: ignore[arg-type]
    assert bank is not None
    with ResultStore(path) as store:
        store.register("dualmem", {})
        store.add(make_unit(1), TRACE, bank=bank)
        store.add(make_unit(2), TRACE, bank=bank)
    with StoreReader(path) as reader:
        assert reader.banks(0) == [("dualmem", 2)]
        assert reader.banks(1) == []
        assert records_in(reader.bank("dualmem", 0, 2) or b"") == RECORDS
        assert reader.bank("dualmem", 0, 1) is None


@pytest.mark.parametrize("bank", [None, 3, ["no record"]])
def test_a_memory_without_records_to_look_into_has_none(bank: Any) -> None:
    assert snapshot(Holding(bank), "mine", 0, 0) is None  # type: ignore[arg-type]


@pytest.mark.parametrize("body", [b"", b"no zlib", zlib.compress(b"[{}]"), zlib.compress(b"no JSON")])
def test_a_damaged_snapshot_is_told(body: bytes) -> None:
    with pytest.raises(DataError, match="bank in the results store is damaged"):
        records_in(body)
