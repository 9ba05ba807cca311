"""What ran, exactly: the manifest of a run folder, and whether a run may go on with what is here now."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import recallreach
from recallreach.errors import ConfigError, DataError
from recallreach.files import dump_json, read_json, sha256, write_atomically

FORMAT = 1
FILE = "manifest.json"
LIBRARIES = (
    "flask",
    "gymnasium",
    "jinja2",
    "matplotlib",
    "numpy",
    "pillow",
    "playwright",
    "pydantic",
    "safetensors",
    "selectolax",
    "sentence-transformers",
    "torch",
    "transformers",
    "waitress",
)
IDENTITY = ("config", "catalog", "renderer", "weights")
"""Entries that must be equal for a run to be resumed."""


def now() -> str:
    """The present time, ISO 8601, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def describe(identity: Mapping[str, Any], browser: Mapping[str, Any] | None) -> dict[str, Any]:
    """A new manifest.

    Args:
        identity: the entries named in `IDENTITY` and whatever else is known of the study.
        browser: which browser is used and where it comes from; None in process.
    """
    return {
        "format": FORMAT,
        **identity,
        "browser": {**browser, "version": ""} if browser else None,
        "versions": {"recallreach": recallreach.__version__, **library_versions()},
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": f"{platform.system()} {platform.release()} {platform.machine()}",
        "git": git_state(),
        "started_at": now(),
        "finished_at": None,
        "results_digest": None,
    }


def library_versions() -> dict[str, str]:
    """Installed versions of the libraries a result may depend on."""
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def git_state() -> dict[str, Any] | str:
    """Commit of the code that ran and whether files differ from it, or "not a git checkout"."""
    room = Path(__file__).resolve().parent
    if not (room.parent / "pyproject.toml").is_file():
        return "not a git checkout"
    commit = _git(room, "rev-parse", "HEAD")
    if commit is None:
        return "not a git checkout"
    changed = _git(room, "status", "--porcelain", "--untracked-files=no")
    return {"commit": commit, "dirty": bool(changed)}


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, timeout=20, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def weight_hashes(folder: Path) -> dict[str, str]:
    """SHA-256 of every safetensors file under `folder`, by its relative path."""
    return {
        path.relative_to(folder).as_posix(): sha256(path.read_bytes())
        for path in sorted(folder.rglob("*.safetensors"))
    }


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a run folder.

    Raises:
        DataError: there is none, it is damaged, or a newer version wrote it.
    """
    path = folder / FILE
    if not path.is_file():
        raise DataError(f"{folder} is not a run folder: it has no {FILE}.")
    found = read_json(path)
    if not isinstance(found, dict) or not isinstance(found.get("format"), int):
        raise DataError(f"{path} is not a manifest of recallreach.")
    if found["format"] > FORMAT:
        raise DataError(
            f"{path} has format {found['format']}, this recallreach knows {FORMAT}: use the newer one."
        )
    if not isinstance(found.get("config"), dict):
        raise DataError(f"{path} is damaged: it holds no configuration. Restore it, or empty the folder.")
    return found


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write the manifest whole."""
    write_atomically(folder / FILE, dump_json(manifest))


def finish(
    folder: Path, digest: str, browser_version: str = "", spent: Mapping[str, Any] | None = None
) -> None:
    """Note that the run is complete: digest of its results, version of the browser, what models cost."""
    manifest = read_manifest(folder)
    if spent is not None:
        manifest["spent"] = dict(spent)
    if manifest["browser"] and browser_version:
        manifest["browser"]["version"] = browser_version
    if manifest["finished_at"] is None or manifest["results_digest"] != digest:
        write_manifest(folder, {**manifest, "finished_at": now(), "results_digest": digest})


def reopen(folder: Path) -> None:
    """Note that the run is not complete any more: some of its probes are to be asked again."""
    write_manifest(folder, {**read_manifest(folder), "finished_at": None, "results_digest": None})


def refuse_other(folder: Path, manifest: Mapping[str, Any], identity: Mapping[str, Any]) -> None:
    """Make sure that the run in `folder` is the one that `identity` would start.

    Raises:
        ConfigError: it is not; says which keys differ and what to do.
    """
    before = {key: manifest.get(key) for key in IDENTITY}
    before["config"] = {key: manifest["config"].get(key) for key in identity["config"]}
    found = list(_differences(before, identity))
    if found:
        shown = "; ".join(found[:4]) + ("; and more" if len(found) > 4 else "")
        raise ConfigError(
            f"{folder} holds another study: {shown}. Give this one its own folder with --name, "
            "or throw the old results away with --fresh."
        )


def _differences(before: Mapping[str, Any], after: Mapping[str, Any], path: str = "") -> Iterator[str]:
    for key in sorted(before.keys() | after.keys()):
        old, new = before.get(key), after.get(key)
        name = f"{path}{key}"
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from _differences(old, new, f"{name}.")
        elif old != new:
            yield f"{name.removeprefix('config.')} was {_short(old)} and is now {_short(new)}"


def _short(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_short(entry) for entry in value) + "]"
    if isinstance(value, Mapping):
        options = f" {value['options']}" if value.get("options") else ""
        return f"{value['name']}{options}" if "name" in value else str(dict(value))
    text = "none" if value is None else str(value)
    return text if len(text) <= 40 else f"{text[:12]}..."
