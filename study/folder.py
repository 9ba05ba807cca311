"""A run folder: its files, its lock, and who may write to it."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recallreach.errors import ConfigError, DataError
from recallreach.study.manifest import FILE

LOCK = ".lock"
RESULTS = "results.sqlite"
TRAJECTORIES = "trajectories"
CATALOG = "catalog.json"
REPORT = "report.html"


@contextmanager
def claimed(folder: Path, *, fresh: bool = False) -> Iterator[Path]:
    """Make `folder` a run folder that this process alone writes to, for the time of a `with` block.

    Args:
        folder: made if missing.
        fresh: throw an earlier run in it away.

    Raises:
        DataError: the folder cannot be written or another process is using it.
        ConfigError: the folder holds something else than a run.
    """
    _make(folder)
    with _locked(folder):
        if not (folder / FILE).exists() and _strangers(folder):
            raise ConfigError(
                f"{folder} is not empty and not a run folder: choose another --name, or empty it yourself."
            )
        if fresh:
            _clear(folder)
        yield folder


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / LOCK).open("a"):
            pass
    except OSError as error:
        reason = error.strerror or str(error)
        raise DataError(
            f"cannot write to the run folder {folder}: {reason}. Choose another with --out."
        ) from error


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with (folder / LOCK).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise DataError(
                f"another process is running the study in {folder}: wait for it or stop it."
            ) from error
        yield


def _strangers(folder: Path) -> list[str]:
    """Entries that are neither the lock nor the left-over of an interrupted first write."""
    return [name for name in os.listdir(folder) if name != LOCK and not name.startswith(f".{FILE}.")]


def _clear(folder: Path) -> None:
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        elif entry.name != LOCK:
            entry.unlink()
