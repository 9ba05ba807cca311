"""What the viewer knows of one run; everything is read anew where the run has gone on."""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from recallreach.env.actions import product_id_of
from recallreach.env.trajectory import TrajectoryStore
from recallreach.env.types import Trajectory
from recallreach.errors import DataError
from recallreach.files import read_json
from recallreach.memory.types import Record
from recallreach.study.banks import records_in
from recallreach.study.config import Part
from recallreach.study.folder import CATALOG, REPORT, RESULTS, TRAJECTORIES
from recallreach.study.manifest import FILE as MANIFEST
from recallreach.study.manifest import read_manifest
from recallreach.study.pictures import RunPictures
from recallreach.study.reading import Facets, Filter, StoreReader, Tally
from recallreach.study.report import check_facts
from recallreach.study.store import Unit
from recallreach.study.tree import Forest

ValueT = TypeVar("ValueT")
EMPTY = zlib.compress(b"[]")
SESSIONS_REMEMBERED = 200
"""Recorded sessions kept in memory, some tens of kilobytes each."""
REMEMBERED = 64
"""Counts kept: one for each filter that was looked at since the run last went on."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a unit stands among those that pass a filter.

    Attributes:
        number: from 0, or None where the unit does not pass the filter.
        total: how many pass it.
        before, after: keys of its neighbours, or "".
    """

    number: int | None
    total: int
    before: str
    after: str


class Run:
    """One run folder, opened for reading.

    Args:
        folder: the run folder; nothing in it is changed.

    Raises:
        DataError: not a run folder, damaged, or without a results store.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._told = self._read_manifest()
        check_facts(folder, self.manifest)
        if not (folder / RESULTS).is_file():
            raise DataError(f"{folder} holds no results yet: run `recallreach resume {folder}`.")
        self.reader = StoreReader(folder / RESULTS)
        self.recorded = TrajectoryStore(folder / TRAJECTORIES)
        self.pictures = RunPictures(self.reader, self.recorded.pictures)
        self._lock = threading.Lock()
        self._stamp: object = None
        self._known: dict[object, Any] = {}
        self._sessions: dict[tuple[int, int], tuple[int, Trajectory]] = {}

    @property
    def manifest(self) -> Mapping[str, Any]:
        """What ran; read anew when it has changed, as at the end of a run, and kept if it is taken away."""
        if self._written() not in (0, self._told[0]):
            self._told = self._read_manifest()
        return self._told[1]

    @property
    def name(self) -> str:
        """Name of the study."""
        return str(self.manifest["config"].get("name", self.folder.resolve().name))

    @property
    def report(self) -> Path | None:
        """The report, where it was written."""
        path = self.folder / REPORT
        return path if path.is_file() else None

    @cached_property
    def titles(self) -> dict[str, str]:
        """Title by product id; empty where the catalogue is not there."""
        path = self.folder / CATALOG
        if not path.is_file():
            return {}
        try:
            return {entry["id"]: entry["title"] for entry in read_json(path)["products"]}
        except (KeyError, TypeError) as error:
            raise DataError(
                f"{path} is not a catalogue of recallreach: restore it, or take it away to do without titles."
            ) from error

    def facets(self) -> Facets:
        """What there is to filter by."""
        return self._once("facets", self.reader.facets)

    def tallies(self) -> list[Tally]:
        """Counts by system and reach."""
        return self._once("tallies", self.reader.tallies)

    def count(self, wanted: Filter) -> int:
        """How many units pass a filter."""
        return self._once(wanted, lambda: self.reader.count(wanted))

    def place(self, unit: Unit, wanted: Filter) -> Place:
        """Where a unit stands among those that pass a filter, and its neighbours there."""
        number, total = self.reader.position(unit.key, wanted), self.count(wanted)
        around = self.reader.units(wanted, limit=3, offset=max(number - 1, 0))
        keys = [entry.key for entry in around]
        if unit.key not in keys:
            return Place(None, total, "", keys[0] if keys else "")
        index = keys.index(unit.key)
        after = keys[index + 1] if index + 1 < len(keys) else ""
        return Place(number, total, keys[index - 1] if index else "", after)

    @cached_property
    def forest(self) -> Forest:
        """Which session of which chain leads to which; a chain shares its first ones in a tree."""
        config = self.manifest["config"]
        branching, first = config.get("branching", 1), config.get("first_chain", 0)
        return Forest(config["chains"], config["sessions"], branching, first)

    def owner(self, chain: int, session: int) -> int:
        """The chain under whose number a session of this chain was recorded."""
        path = self.forest.path_to((chain, session))
        return path[session][0]

    def trajectory(self, chain: int, session: int) -> Trajectory | None:
        """A recorded session of a chain, or None where it was not recorded (yet)."""
        place = (self.owner(chain, session), session)
        return self._load(*place) if self.recorded.has(*place) else None

    def chains(self) -> dict[int, list[int]]:
        """Recorded sessions by chain, those included that a chain shares."""
        places = self.recorded.keys()
        deepest = dict(places)
        known = set(places)
        return {
            chain: [depth for depth in range(last + 1) if (self.owner(chain, depth), depth) in known]
            for chain, last in deepest.items()
        }

    def sessions(self, chain: int) -> list[int]:
        """Recorded sessions of one chain."""
        depths = range(self.forest.sessions)
        return [depth for depth in depths if self.recorded.has(self.owner(chain, depth), depth)]

    def product_pictures(self, chain: int) -> dict[str, str]:
        """SHA-256 of the picture of each product seen in a chain, by product id."""
        found: dict[str, str] = {}
        for session in self.sessions(chain):
            for step in self._load(self.owner(chain, session), session).steps:
                product = product_id_of(step.url)
                if product and step.picture:
                    found.setdefault(product, step.picture)
        return found

    def banks(self, chain: int) -> dict[str, list[int]]:
        """Sessions of a chain after which a bank was kept, by memory."""
        found: dict[str, list[int]] = {}
        owners = {self.owner(chain, session): session for session in self.sessions(chain)}
        for owner in sorted(owners):
            for memory, session in self.reader.banks(owner):
                if self.owner(chain, session) == owner:
                    found.setdefault(memory, []).append(session)
        return {memory: sorted(sessions) for memory, sessions in sorted(found.items())}

    def bank(self, memory: str, chain: int, session: int) -> list[Record]:
        """What a memory held after a session; empty where it was not kept."""
        return records_in(self.reader.bank(memory, self.owner(chain, session), session) or EMPTY)

    def memory_of(self, system: str) -> str:
        """Label of the memory that a system asks."""
        told = {entry["label"]: entry["memory"] for entry in self.manifest["systems"]}
        parts = [Part.model_validate(part) for part in self.manifest["config"].get("memories", ())]
        titles = (part.title for part in parts if part.identity() == told.get(system))
        return next(titles, system)

    def close(self) -> None:
        """Close the results store."""
        self.reader.close()

    def _written(self) -> int:
        path = self.folder / MANIFEST
        return path.stat().st_mtime_ns if path.exists() else 0

    def _read_manifest(self) -> tuple[int, Mapping[str, Any]]:
        stamp = self._written()
        return stamp, read_manifest(self.folder)

    def _load(self, chain: int, session: int) -> Trajectory:
        """A recorded session, read once for as long as its file does not change."""
        stamp = self.recorded.path(chain, session).stat().st_mtime_ns
        key = (chain, session)
        with self._lock:
            known = self._sessions.get(key)
        if known is not None and known[0] == stamp:
            return known[1]
        found = self.recorded.load(chain, session)
        with self._lock:
            if len(self._sessions) >= SESSIONS_REMEMBERED:
                self._sessions.clear()
            self._sessions[key] = (stamp, found)
        return found

    def _once(self, key: object, find: Callable[[], ValueT]) -> ValueT:
        """Found once for as long as the results file does not change."""
        now = self._state()
        with self._lock:
            if now != self._stamp or len(self._known) > REMEMBERED:
                self._stamp, self._known = now, {}
            if key in self._known:
                known: ValueT = self._known[key]
                return known
        found = find()
        with self._lock:
            if now == self._stamp:
                self._known[key] = found
        return found

    def _state(self) -> tuple[tuple[int, int], ...]:
        paths = (self.reader.path, self.reader.path.with_name(f"{RESULTS}-wal"))
        states = [path.stat() for path in paths if path.exists()]
        return tuple((state.st_mtime_ns, state.st_size) for state in states)


def pretty(value: object) -> str:
    """JSON for people."""
    return json.dumps(value, ensure_ascii=False, indent=1)
