"""A bank on disk: immutable checked segments, pictures by content, and one manifest that is the commit point.

```
bank.json                       what belongs to the bank, with the SHA-256 of every segment file
segments/000001.jsonl           records
segments/000001.safetensors     their vectors by channel, and which of them have one
pictures/<sha256>.<type>        pictures, once each
```

A save writes pictures and one new segment, then replaces the manifest; whatever happens before that, the bank
in the folder is the one of the last save.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from recallreach.errors import DataError
from recallreach.files import dump_json, read_json, sha256, write_atomically
from recallreach.memory.bank import Bank
from recallreach.memory.errors import BankError, MissingRecordError, VectorError
from recallreach.memory.lines import lines_text, read_records
from recallreach.memory.pictures import picture_name
from recallreach.memory.types import Record, Vectors

FORMAT = 1
MANIFEST, SEGMENTS, PICTURES, LOCK = "bank.json", "segments", "pictures", ".lock"
MOST_SEGMENTS = 64
_MASK = "present:"
_MOST_NAMED = 8
Segment = dict[str, Any]


class BankFolder:
    """One bank's folder, for one process at a time, to be used in a `with` block.

    Args:
        path: made if missing.

    Raises:
        BankError: another process has it open, or it cannot be written.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._lock: IO[str] | None = None

    def __enter__(self) -> Self:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = (self.path / LOCK).open("a")
        except OSError as error:
            raise BankError(f"cannot use {self.path} for a bank: {error.strerror or error}") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._lock.close()
            raise BankError(
                f"another process has the bank in {self.path} open: wait for it, or take another folder"
            ) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._lock is not None:
            self._lock.close()

    def load(self) -> Bank:
        """The bank of the last save; an empty one where nothing was saved.

        Raises:
            BankError: something is damaged or missing; everything that is wrong is named.
        """
        return load_bank(self.path) if (self.path / MANIFEST).exists() else Bank()

    def save(self, bank: Bank) -> None:
        """Make this bank the one in the folder; only what is new is written.

        What was saved before stays until the new state is complete. A bank that does not continue the saved
        one (records were deleted, or it is another) replaces it; what no record shows any more is removed.

        Raises:
            DataError: the folder cannot be written or the disk is full; the last save is untouched.
        """
        segments = self._continued(bank)
        start = sum(segment["records"] for segment in segments)
        self._save_pictures(bank)
        if start < len(bank):
            segments.append(self._save_segment(bank, start))
        manifest = {"format": FORMAT, "next_id": bank.next_id, "segments": segments}
        write_atomically(self.path / MANIFEST, dump_json(manifest))
        self._sweep(bank, segments)

    def _continued(self, bank: Bank) -> list[Segment]:
        """The saved segments that this bank begins with."""
        if not (self.path / MANIFEST).exists():
            return []
        kept: list[Segment] = []
        start = 0
        for segment in _manifest(self.path)["segments"]:
            stop = start + segment["records"]
            if stop > len(bank) or _digests(_content(bank, start, stop)) != segment["sha256"]:
                break
            kept.append(segment)
            start = stop
        return kept if len(kept) < MOST_SEGMENTS else []

    def _save_pictures(self, bank: Bank) -> None:
        for key in {record.picture for record in bank if record.picture is not None}:
            picture = bank.pictures.get(key)
            target = self.path / PICTURES / picture_name(key, picture)
            if not target.exists():
                write_atomically(target, picture)

    def _save_segment(self, bank: Bank, start: int) -> Segment:
        content = _content(bank, start, len(bank))
        taken = [int(path.stem) for path in (self.path / SEGMENTS).glob("*.jsonl") if path.stem.isdigit()]
        name = f"{max(taken, default=0) + 1:06d}"
        for kind, data in content.items():
            write_atomically(self.path / SEGMENTS / f"{name}.{kind}", data)
        return {"name": name, "records": len(bank) - start, "sha256": _digests(content)}

    def _sweep(self, bank: Bank, segments: list[Segment]) -> None:
        names = {segment["name"] for segment in segments}
        shown = {record.picture for record in bank}
        for path in (self.path / SEGMENTS).glob("*"):
            if path.stem not in names:
                _remove(path)
        for path in (self.path / PICTURES).glob("*"):
            if path.stem not in shown:
                _remove(path)


def load_bank(path: Path | str) -> Bank:
    """Read the bank in a folder, also while another process adds to it. Its pictures are read into memory.

    Raises:
        BankError: no bank is there, or it is damaged: every file that is missing or changed is named.
    """
    folder = Path(path)
    while True:
        manifest = _manifest(folder)
        reading = _Reading(folder)
        bank = reading.bank(manifest)
        if not reading.problems:
            return bank
        if _manifest(folder) == manifest:
            break
    named = "; ".join(reading.problems[:_MOST_NAMED])
    more = len(reading.problems) - _MOST_NAMED
    raise BankError(
        f"the bank in {folder} is damaged: {named}{f'; and {more} more' if more > 0 else ''}. "
        "Restore these files, or write the bank again."
    )


class _Reading:
    """One pass over a folder that goes on after each thing that is wrong, and remembers it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.problems: list[str] = []

    def bank(self, manifest: Mapping[str, Any]) -> Bank:
        bank = Bank()
        files = {path.stem: path for path in (self._folder / PICTURES).glob("*")}
        for segment in manifest["segments"]:
            with self._noting():
                for record, row in self._records(segment):
                    with self._noting():
                        self._picture(bank, record, files)
                    bank.restore(record, row)
        bank.next_id = max(bank.next_id, manifest["next_id"])
        return bank

    def _records(self, segment: Segment) -> Iterator[tuple[Record, dict[str, Vectors | None]]]:
        content = {kind: self._bytes(segment, kind) for kind in ("jsonl", "safetensors")}
        place = f"{SEGMENTS}/{segment['name']}"
        tensors = load_tensors(content["safetensors"])
        channels = [name for name in tensors if not name.startswith(_MASK)]
        records = [found for found, _ in read_records(content["jsonl"].decode(), f"{place}.jsonl")]
        for index, record in enumerate(records):
            present = {name: bool(tensors[f"{_MASK}{name}"][index]) for name in channels}
            yield record, {name: tensors[name][index] if there else None for name, there in present.items()}

    def _bytes(self, segment: Segment, kind: str) -> bytes:
        name = f"{SEGMENTS}/{segment['name']}.{kind}"
        data = _read(self._folder / name, name)
        if sha256(data) != segment["sha256"][kind]:
            raise BankError(f"{name} has been changed (its SHA-256 is not the one in {MANIFEST})")
        return data

    def _picture(self, bank: Bank, record: Record, files: Mapping[str, Path]) -> None:
        key = record.picture
        if key is None or key in bank.pictures:
            return
        if key not in files:
            raise BankError(f"picture {PICTURES}/{key}.* of record {record.id} is missing")
        name = f"{PICTURES}/{files[key].name}"
        data = _read(files[key], name)
        if sha256(data) != key:
            raise BankError(f"picture {name} of record {record.id} has been changed")
        bank.pictures.add(data)

    @contextlib.contextmanager
    def _noting(self) -> Iterator[None]:
        try:
            yield
        except (DataError, VectorError, MissingRecordError, SafetensorError, KeyError, IndexError) as error:
            self.problems.append(str(error))


def _remove(path: Path) -> None:
    """Take a file away that nothing names any more; where it cannot be, it is only in the way."""
    with contextlib.suppress(OSError):
        path.unlink()


def _read(path: Path, name: str) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise BankError(f"{name} is missing") from error
    except OSError as error:
        raise BankError(f"{name} cannot be read: {error.strerror or error}") from error


def _content(bank: Bank, start: int, stop: int) -> dict[str, bytes]:
    """What the files of a segment hold, by their ending."""
    tensors: dict[str, NDArray[Any]] = {}
    for name in bank.channels:
        present = bank.present(name)[start:stop]
        if present.any():
            tensors[name] = np.ascontiguousarray(bank.vectors(name)[start:stop])
            tensors[_MASK + name] = np.ascontiguousarray(present)
    records = (bank[position] for position in range(start, stop))
    return {"jsonl": lines_text(records).encode(), "safetensors": save_tensors(tensors)}


def _digests(content: Mapping[str, bytes]) -> dict[str, str]:
    return {kind: sha256(data) for kind, data in content.items()}


def _manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    if not path.exists():
        raise BankError(f"{folder} holds no bank: it has no {MANIFEST}")
    try:
        found = read_json(path)
    except DataError as error:
        raise BankError(f"the bank in {folder} is damaged: {error}") from error
    if not isinstance(found, dict) or not isinstance(found.get("format"), int):
        raise BankError(f"{path} is not the manifest of a bank")
    if found["format"] > FORMAT:
        raise BankError(
            f"{path} has format {found['format']}, this recallreach knows {FORMAT}: use a newer one"
        )
    if not _is_manifest(found):
        raise BankError(f"the bank in {folder} is damaged: {MANIFEST} does not say which segments there are")
    return found


def _is_manifest(found: Mapping[str, Any]) -> bool:
    segments = found.get("segments")
    return (
        isinstance(found.get("next_id"), int)
        and isinstance(segments, list)
        and all(map(_is_segment, segments))
    )


def _is_segment(value: object) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("name"), str)
        and value["name"] == os.path.basename(value["name"])
        and isinstance(value.get("records"), int)
        and isinstance(value.get("sha256"), dict)
        and {"jsonl", "safetensors"} <= value["sha256"].keys()
    )
