"""The append-only bank: records, their vectors by channel, and their pictures.

A fork shares storage with its origin up to a watermark, the length at the fork. The first of the two to
append keeps the storage; the other copies its prefix once, at its own first append. Nobody ever writes below
a watermark, so a fork costs O(1) in time and memory. Deleting builds a storage of one's own.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from recallreach.memory.approximate import EXACT_LIMIT, ApproximateIndex
from recallreach.memory.errors import MissingRecordError, VectorError
from recallreach.memory.pictures import PictureStore
from recallreach.memory.retrieval import Scores, cosine
from recallreach.memory.types import Experience, Record, Vectors

_FIRST_CAPACITY = 64
_UNIT = 1e-5
"""How far from 1 a length may be to pass for it, so that stored vectors stay as they are, bit for bit."""

ScalarT = TypeVar("ScalarT", bound=np.generic)


class Bank:
    """Records in order of writing, with one float32 matrix a channel, grown geometrically.

    A record's id is larger than those before it and is never given again, also when records were deleted;
    its position in the bank (`bank[position]`, and the row of every channel) is what moves up.

    Attributes:
        pictures: the pictures of its records, by SHA-256.
        next_id: what the next record will be called.
    """

    def __init__(self) -> None:
        self._storage = _Storage()
        self._length = 0
        self.next_id = 0
        self.pictures = PictureStore()

    def append(
        self,
        experience: Experience,
        vectors: Mapping[str, Vectors | None],
        *,
        text: str = "",
        caption: str = "",
        sources: tuple[int, ...] = (),
    ) -> Record:
        """Write one record.

        Args:
            experience: the page view; its picture is stored once per content.
            vectors: one vector of shape (dimension,) a channel, scaled to length 1 here; None or a zero
                vector marks the channel as missing. The first vector of a channel fixes its dimension.
            text: the part of the page text that the system keeps.
            caption: the caption that the system keeps.
            sources: ids of the records it was made from.

        Raises:
            VectorError: a vector is not finite or has another dimension; nothing is written.
        """
        self._own()
        rows = {name: self._checked(name, row) for name, row in vectors.items()}
        picture = None if experience.picture is None else self.pictures.add(experience.picture)
        record = Record(
            id=self.next_id,
            url=experience.url,
            title=experience.title,
            text=text,
            picture=picture,
            session=experience.session,
            step=experience.step,
            seen_at=experience.seen_at,
            caption=caption,
            sources=sources,
        )
        self._put(record, rows)
        return record

    def restore(self, record: Record, vectors: Mapping[str, Vectors | None]) -> None:
        """Append a record that another bank wrote, with its id and its vectors as they are.

        Its picture must be stored already.

        Raises:
            VectorError: as `append`.
            MissingRecordError: its id is not above those that are here.
        """
        if record.id < self.next_id:
            raise MissingRecordError(f"record {record.id} cannot follow record {self.next_id - 1}")
        self._own()
        self._put(record, {name: self._checked(name, row) for name, row in vectors.items()})

    def delete(self, ids: Collection[int]) -> None:
        """Take records out, with their vectors and with pictures that no other record shows.

        Forks keep theirs. Costs one copy of what stays.

        Raises:
            MissingRecordError: an id is not in this bank; nothing is deleted.
        """
        gone = {self.position(number) for number in ids}
        if not gone:
            return
        kept = [position for position in range(self._length) if position not in gone]
        self._storage, self._length = self._storage.selection(kept), len(kept)
        self.pictures = self.pictures.only({record.picture for record in self})

    def position(self, number: int) -> int:
        """Where the record with that id stands.

        Raises:
            MissingRecordError: it is not in this bank.
        """
        place = bisect_left(self._storage.records, number, 0, self._length, key=lambda record: record.id)
        if place == self._length or self._storage.records[place].id != number:
            raise MissingRecordError(f"there is no record {number} among the {self._length} of this bank")
        return place

    def fork(self) -> Bank:
        """An independent continuation in O(1); pictures stay shared, since they are never changed."""
        twin = Bank.__new__(Bank)
        twin._storage, twin._length, twin.pictures = self._storage, self._length, self.pictures
        twin.next_id = self.next_id
        return twin

    @property
    def state(self) -> object:
        """Equal for equal content of one bank and of its forks; for whatever is derived from a bank."""
        return self._storage, self._length

    @property
    def channels(self) -> list[str]:
        """Names of the channels in which some record has a vector, sorted."""
        return sorted(name for name in self._storage.columns if self.present(name).any())

    def cosine(self, channel: str, query: Vectors) -> Scores:
        """(len(self),) cosine of each record with a query; exact up to 200,000 records, FAISS beyond.

        Beyond, only the nearest records are told apart (`approximate.ApproximateIndex`).

        Raises:
            VectorError: the query is not finite or has another dimension.
            MissingExtraError: there are more records, and FAISS is not installed.
        """
        if self._length <= EXACT_LIMIT or channel not in self._storage.columns:
            return cosine(self.vectors(channel), query)
        return self._storage.columns[channel].index().scores(self.vectors(channel), query)

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

    def _checked(self, channel: str, row: Vectors | None) -> Vectors | None:
        return _checked(channel, row, self._storage.dimension(channel))

    def _put(self, record: Record, rows: Mapping[str, Vectors | None]) -> None:
        self._storage.append(record, rows)
        self._length += 1
        self.next_id = record.id + 1

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
        return self.selection(range(length))

    def selection(self, places: Sequence[int]) -> _Storage:
        """A copy of some rows; a slice where they are a prefix, which costs no list of places."""
        which = slice(len(places)) if isinstance(places, range) else np.asarray(places, np.intp)
        length = len(self.records)
        copy = _Storage()
        copy.records = [self.records[place] for place in places]
        for name, column in self.columns.items():
            mask = column.present(length)[which]
            if mask.any():
                copy.columns[name] = _Column.of(column.rows(length)[which], mask)
        return copy


class _Column:
    """One channel: a contiguous matrix whose rows may lag behind the records (trailing ones are missing)."""

    def __init__(self, dimension: int, capacity: int = _FIRST_CAPACITY) -> None:
        self.dimension = dimension
        self._matrix = np.zeros((capacity, dimension), np.float32)
        self._mask = np.zeros(capacity, np.bool_)
        self._index: ApproximateIndex | None = None

    @classmethod
    def of(cls, matrix: Vectors, mask: NDArray[np.bool_]) -> _Column:
        """A column of its own with these rows."""
        column = cls(matrix.shape[1], max(_FIRST_CAPACITY, len(mask)))
        column._matrix[: len(mask)], column._mask[: len(mask)] = matrix, mask
        return column

    def index(self) -> ApproximateIndex:
        """The index of this column, which all banks on it share: none writes below another's watermark."""
        if self._index is None:
            self._index = ApproximateIndex(self.dimension)
        return self._index

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
    if abs(length - 1.0) < _UNIT:
        return vector
    return None if length == 0.0 else vector / np.float32(length)


def _frozen(array: NDArray[ScalarT]) -> NDArray[ScalarT]:
    view = array.view()
    view.flags.writeable = False
    return view
