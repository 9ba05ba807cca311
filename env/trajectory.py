"""Recorded sessions on disk: one checked JSON file each, pictures once by their SHA-256, and the replay."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pydantic import TypeAdapter, ValidationError

from recallreach.env.actions import parse_action, product_id_of
from recallreach.env.types import (
    AddToWishlist,
    Done,
    Observation,
    PageView,
    Trajectory,
    TrajectoryStep,
    Transport,
)
from recallreach.errors import DataError
from recallreach.files import dump_json, read_json, sha256, write_atomically

VERSION = 1
_HEX = re.compile(r"[0-9a-f]{64}")
_FILE = re.compile(r"c(\d+)-s(\d+)\.json")


class PictureBlobs(Protocol):
    """Gives encoded pictures back by their SHA-256."""

    def get(self, digest: str) -> bytes:
        """The stored bytes, or DataError."""


class PictureStore:
    """Encoded pictures by SHA-256 in one folder: `<sha256>.jpg`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: set[str] = set()

    def put(self, picture: bytes) -> str:
        """Store the bytes once; returns their SHA-256.

        Raises:
            DataError: the folder cannot be written.
        """
        digest = sha256(picture)
        if digest not in self._known and not self._path(digest).exists():
            write_atomically(self._path(digest), picture)
        self._known.add(digest)
        return digest

    def get(self, digest: str) -> bytes:
        """The stored bytes.

        Raises:
            DataError: no such picture, or its bytes are not those it was named after.
        """
        if not _HEX.fullmatch(digest):
            raise DataError(f"{digest[:80]!r} is not the SHA-256 of a picture")
        path = self._path(digest)
        try:
            data = path.read_bytes()
        except OSError as error:
            raise DataError(f"cannot read the picture {path}: {error.strerror or error}") from error
        if sha256(data) != digest:
            raise DataError(f"the picture {path} is damaged: its bytes do not have that SHA-256")
        return data

    def __contains__(self, digest: str) -> bool:
        """Whether a picture of that SHA-256 is stored."""
        return bool(_HEX.fullmatch(digest)) and self._path(digest).is_file()

    def _path(self, digest: str) -> Path:
        return self.folder / f"{digest}.jpg"


class TrajectoryStore:
    """Trajectories in one folder: `c<chain>-s<session>.json` and `pictures/`.

    Files are written whole or not at all and may be shared by concurrent readers.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pictures = PictureStore(folder / "pictures")

    def save(self, trajectory: Trajectory) -> Path:
        """Write one session; an existing file is replaced.

        Raises:
            DataError: the folder cannot be written.
        """
        path = self.path(trajectory.plan.chain, trajectory.plan.index)
        content = {"version": VERSION, "trajectory": dataclasses.asdict(trajectory)}
        write_atomically(path, dump_json(content))
        return path

    def load(self, chain: int, session: int) -> Trajectory:
        """Read one session.

        Raises:
            DataError: the file is missing, damaged, of another version, or holds another session.
        """
        path = self.path(chain, session)
        trajectory = _checked(path, read_json(path))
        plan = trajectory.plan
        if (plan.chain, plan.index) != (chain, session):
            raise DataError(
                f"{path} holds session {plan.index} of chain {plan.chain}, not what its name says"
            )
        return trajectory

    def has(self, chain: int, session: int) -> bool:
        """Whether that session was recorded."""
        return self.path(chain, session).is_file()

    def keys(self) -> list[tuple[int, int]]:
        """All recorded (chain, session) pairs, sorted."""
        found = (_FILE.fullmatch(path.name) for path in self.folder.glob("c*-s*.json"))
        return sorted((int(match[1]), int(match[2])) for match in found if match)

    def path(self, chain: int, session: int) -> Path:
        """Where that session is kept."""
        return self.folder / f"c{chain:04d}-s{session:04d}.json"


def products_seen(steps: Iterable[TrajectoryStep]) -> tuple[str, ...]:
    """Distinct ids of the product pages that were open, in order of first view; pages without a picture do
    not count."""
    ids = (product_id_of(step.url) for step in steps if step.picture is not None)
    return tuple(dict.fromkeys(found for found in ids if found is not None))


def experiences(trajectory: Trajectory, pictures: PictureBlobs) -> Iterator[PageView]:
    """The session's page views in order, each with its picture; a refused action, which changed no page, is
    no view.

    Raises:
        DataError: a picture is missing or damaged.
    """
    before: TrajectoryStep | None = None
    for number, step in enumerate(trajectory.steps):
        if before is None or not _same_page(before, step):
            picture = None if step.picture is None else pictures.get(step.picture)
            session = trajectory.plan.index
            yield PageView(step.url, step.title, step.text, picture, session, number, step.seen_at)
        before = step


def _same_page(before: TrajectoryStep, step: TrajectoryStep) -> bool:
    unchanged = (step.url, step.title, step.text) == (before.url, before.title, before.text)
    return unchanged and bool(step.message)


@dataclass(frozen=True, slots=True)
class Difference:
    """The first point where a replay departs from the record.

    Attributes:
        step: number of the step, 0 for the opening page.
        action: what was done there.
        field: "url", "title", "text" or "picture".
        recorded, found: the two values.
    """

    step: int
    action: str
    field: str
    recorded: str | None
    found: str | None

    def __str__(self) -> str:
        return (
            f"step {self.step} ({self.action or 'opening page'}): {self.field} was "
            f"{_short(self.recorded)} when recorded and is {_short(self.found)} now"
        )


def verify(trajectory: Trajectory, transport: Transport) -> Difference | None:
    """Walk the recorded actions again; the first page that differs from the record, or None.

    Raises:
        TransportError: the shop or the browser failed.
    """
    last = len(trajectory.steps) - 1
    for number, step in enumerate(trajectory.steps):
        action = parse_action(step.action)
        if number == 0:
            observation = transport.begin()
        elif number == last or not isinstance(action, AddToWishlist | Done):
            observation = transport.act(action)  # an earlier ending was refused before it reached the shop
        difference = _difference(number, step, observation)
        if difference is not None:
            return difference
    return None


def _difference(number: int, step: TrajectoryStep, observation: Observation) -> Difference | None:
    picture = None if observation.picture is None else sha256(observation.picture)
    pairs = {
        "url": (step.url, observation.url),
        "title": (step.title, observation.title),
        "picture": (step.picture, picture),
        "text": (step.text, observation.text),
    }
    for name, (recorded, found) in pairs.items():
        if recorded != found:
            return Difference(number, step.action, name, recorded, found)
    return None


def _short(value: str | None) -> str:
    return repr(value if value is None or len(value) <= 80 else value[:80] + "...")


_ADAPTER = TypeAdapter(Trajectory)


def _checked(path: Path, content: Any) -> Trajectory:
    if not isinstance(content, Mapping) or set(content) != {"version", "trajectory"}:
        raise DataError(f"{path} is not a trajectory: it needs exactly the keys 'version' and 'trajectory'")
    if content["version"] != VERSION:
        raise DataError(f"{path} has version {content['version']!r}; this release reads version {VERSION}")
    try:
        trajectory = _ADAPTER.validate_json(dump_json(content["trajectory"]), strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the top level"
        raise DataError(f"{path} is not a trajectory: {place}: {first['msg'].lower()}") from error
    extra = _unexpected(content["trajectory"], json.loads(dump_json(dataclasses.asdict(trajectory))))
    if extra is not None:
        raise DataError(f"{path} is not a trajectory: {extra}: unexpected entry")
    return trajectory


def _unexpected(found: Any, known: Any) -> str | None:
    """Where `found` has a key that `known`, the part of it that was understood, has not."""
    pairs: list[tuple[str, Any, Any]] = []
    if isinstance(found, list):
        pairs = [(str(number), entry, known[number]) for number, entry in enumerate(found)]
    if isinstance(found, dict):
        surplus: list[str] = sorted(set(found) - set(known))
        if surplus:
            return surplus[0]
        pairs = [(key, entry, known[key]) for key, entry in found.items()]
    inner = ((name, _unexpected(entry, counterpart)) for name, entry, counterpart in pairs)
    return next((f"{name}.{place}" for name, place in inner if place is not None), None)
