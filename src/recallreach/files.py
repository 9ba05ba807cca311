"""Files that are either whole or absent: temporary name, flush to disk, rename."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from recallreach.errors import DataError


def write_atomically(path: Path, data: bytes | str, *, durable: bool = True) -> None:
    """Write `data` to `path` so that a reader, or a crash, never sees half of it.

    Args:
        path: the file; its folder is made if need be.
        data: the whole content.
        durable: flush to disk first. Only a cache that checks what it reads can do without: after a power
            failure the file may be empty.

    Raises:
        DataError: the folder cannot be written or the disk is full; nothing is left behind.
    """
    raw = data.encode() if isinstance(data, str) else data
    temporary: str | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as error:
        if temporary is not None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
        raise DataError(f"cannot write {path}: {_reason(error)}") from error


def _reason(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"{error.strerror}. Make room and run the same command again."
    return error.strerror or str(error)


def read_json(path: Path) -> Any:
    """Parse one JSON file.

    Raises:
        DataError: the file is missing, unreadable or not JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise DataError(f"{path} does not exist") from error
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise DataError(f"{path} is not valid JSON: {error}") from error


def dump_json(value: Any) -> str:
    """JSON text with sorted keys, so that equal values give equal bytes."""
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def sha256(data: bytes) -> str:
    """The hexadecimal SHA-256 of `data`."""
    return hashlib.sha256(data).hexdigest()
