"""The append-only bank: records, their vectors by channel, and their pictures.

A fork shares storage with its origin up to a watermark, the length at the fork. The first of the two to
append keeps the storage; the other copies its prefix once, at its own first append. Nobody ever writes below
a watermark, so a fork costs O(1) in time and memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from recallreach.memory.errors import VectorError
from recallreach.memory.pictures import PictureStore
from recallreach.memory.types import Experience, Record, Vectors

_FIRST_CAPACITY = 64
ScalarT = TypeVar("ScalarT", bound=np.generic)


class Bank:
    """Records in order of writing, with one float32 matrix a channel, grown geometrically."""

    def __init__(self) -> None:
        self._storage = _Storage()
        self._length = 0
        self.pictures = PictureStore()

    def append(
        self,
        experience: Experience,
        vectors: Mapping[str, Vectors | None],
        *,
        text: str = "",
        caption: str = "",
    ) -> Record:
        """Write one record.

        Args:
            experience: the page view; its picture is stored once per content.
            vectors: one vector of shape (dimension,) a channel, scaled to length 1 here; None or a zero
                vector marks the channel as missing. The first vector of a channel fixes its dimension.
            text: the part of the page text that the system keeps.
            caption: the caption that the system keeps.

        Raises:
            VectorError: a vector is not finite or has another dimension; nothing is written.
        """
        self._own()
        rows = {name: _checked(name, row, self._storage.dimension(name)) for name, row in vectors.items()}
        picture = None if experience.picture is None else self.pictures.add(experience.picture)
        record = Record(
            id=self._length,
            url=experience.url,
            title=experience.title,
            text=text,
            picture=picture,
            session=experience.session,
            step=experience.step,
            seen_at=experience.seen_at,
            caption=caption,
        )
        self._storage.append(record, rows)
        self._length += 1
        return record

    def fork(self) -> Bank:
        """An independent continuation in O(1); pictures stay shared, since they are never changed."""
        twin = Bank.__new__(Bank)
        twin._storage, twin._length, twin.pictures = self._storage, self._length, self.pictures
        return twin

    def vectors(self, channel: str) -> Vectors:
        """(len(self), dimension) read-only view of a channel; missing rows are zero."""
        return self._storage.matrix(channel, self._length)

    def present(self, channel: str) -> NDArray[np.bool_]:
        """(len(self),) read-only: which records have a vector in this channel."""
        return self._storage.mask(channel, self._length)

    def picture(self, record: Record) -> bytes | None:
        """The picture bytes of a record, or None when it has none.

        Raises:
            PictureError: the record names a picture that is not stored.
        """
        return None if record.picture is None else self.pictures.get(record.picture)

    def __getitem__(self, index: int) -> Record:
        if not -self._length <= index < self._length:
            raise IndexError(f"record {index} of a bank of {self._length}")
        return self._storage.records[index % self._length]

    def __iter__(self) -> Iterator[Record]:
        return iter(self._storage.records[: self._length])

    def __len__(self) -> int:
        return self._length

    def _own(self) -> None:
        if len(self._storage.records) != self._length:
            self._storage = self._storage.prefix(self._length)


class _Storage:
    """Records and columns that several banks may share; `records` may be longer than any one bank."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.columns: dict[str, _Column] = {}

    def dimension(self, channel: str) -> int | None:
        return self.columns[channel].dimension if channel in self.columns else None

    def append(self, record: Record, rows: Mapping[str, Vectors | None]) -> None:
        index = len(self.records)
        for name, row in rows.items():
            if row is None:
                continue
            if name not in self.columns:
                self.columns[name] = _Column(row.shape[0])
            self.columns[name].put(index, row)
        self.records.append(record)

    def matrix(self, channel: str, length: int) -> Vectors:
        column = self.columns.get(channel)
        return _frozen(np.zeros((length, 0), np.float32) if column is None else column.rows(length))

    def mask(self, channel: str, length: int) -> NDArray[np.bool_]:
        column = self.columns.get(channel)
        return _frozen(np.zeros(length, np.bool_) if column is None else column.present(length))

    def prefix(self, length: int) -> _Storage:
        copy = _Storage()
        copy.records = self.records[:length]
        used = {name: column for name, column in self.columns.items() if column.present(length).any()}
        copy.columns = {name: column.prefix(length) for name, column in used.items()}
        return copy


class _Column:
    """One channel: a contiguous matrix whose rows may lag behind the records (trailing ones are missing)."""

    def __init__(self, dimension: int, capacity: int = _FIRST_CAPACITY) -> None:
        self.dimension = dimension
        self._matrix = np.zeros((capacity, dimension), np.float32)
        self._mask = np.zeros(capacity, np.bool_)

    def put(self, index: int, row: Vectors) -> None:
        self._reserve(index + 1)
        self._matrix[index] = row
        self._mask[index] = True

    def rows(self, length: int) -> Vectors:
        self._reserve(length)
        return self._matrix[:length]

    def present(self, length: int) -> NDArray[np.bool_]:
        self._reserve(length)
        return self._mask[:length]

    def prefix(self, length: int) -> _Column:
        copy = _Column(self.dimension, max(_FIRST_CAPACITY, length))
        copy._matrix[:length], copy._mask[:length] = self.rows(length), self.present(length)
        return copy

    def _reserve(self, length: int) -> None:
        capacity = len(self._mask)
        if length <= capacity:
            return
        grown = max(length, capacity * 2)
        matrix, mask = np.zeros((grown, self.dimension), np.float32), np.zeros(grown, np.bool_)
        matrix[:capacity], mask[:capacity] = self._matrix, self._mask
        self._matrix, self._mask = matrix, mask


def _checked(channel: str, row: Vectors | None, dimension: int | None) -> Vectors | None:
    if row is None:
        return None
    vector = np.asarray(row, np.float32)
    if vector.ndim != 1 or (dimension is not None and vector.shape[0] != dimension):
        wanted = "one dimension" if dimension is None else f"shape ({dimension},)"
        raise VectorError(
            f"channel {channel!r} holds vectors of {wanted}, this one has shape {vector.shape}; "
            "one bank takes one encoder a channel"
        )
    if not np.isfinite(vector).all():
        raise VectorError(f"a vector for channel {channel!r} holds NaN or infinity; nothing was written")
    length = float(np.linalg.norm(vector))
    return None if length == 0.0 else vector / np.float32(length)


def _frozen(array: NDArray[ScalarT]) -> NDArray[ScalarT]:
    view = array.view()
    view.flags.writeable = False
    return view
