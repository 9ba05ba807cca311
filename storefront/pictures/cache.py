"""Rendered files on disk: each carries its own checksum, so half a file or a damaged one is never served."""

from __future__ import annotations

import hashlib
import logging
import os
from pathlib import Path

from recallreach.errors import DataError
from recallreach.files import write_atomically

log = logging.getLogger(__name__)
DIGEST_BYTES = 32


def default_cache() -> Path:
    """`$RECALLREACH_CACHE`, else `~/.cache/recallreach`."""
    chosen = os.environ.get("RECALLREACH_CACHE")
    return Path(chosen) if chosen else Path.home() / ".cache" / "recallreach"


class PictureCache:
    """A folder of checksummed entries; several processes may use one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, name: str) -> bytes | None:
        """The entry, or None if there is none or it is damaged (then it is logged and can be put again).

        Raises:
            DataError: the entry exists and cannot be read.
        """
        path = self.folder / name
        try:
            raw = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise DataError(
                f"cannot read the cached picture {path}: {error.strerror or error}; "
                "delete it, or choose another folder with RECALLREACH_CACHE"
            ) from error
        digest, data = raw[:DIGEST_BYTES], raw[DIGEST_BYTES:]
        if hashlib.sha256(data).digest() != digest:
            log.warning("cached picture %s is damaged and is rendered again", path)
            return None
        return data

    def put(self, name: str, data: bytes) -> None:
        """Store an entry whole or not at all.

        Raises:
            DataError: the folder cannot be written or the disk is full.
        """
        try:
            write_atomically(self.folder / name, hashlib.sha256(data).digest() + data, durable=False)
        except DataError as error:
            raise DataError(f"{error}; RECALLREACH_CACHE names another folder for pictures") from error
