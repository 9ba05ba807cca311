"""Several runs of one study made one: parts of its chains, or of its memories, that were run apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recallreach.env.trajectory import TrajectoryStore
from recallreach.errors import ConfigError, DataError
from recallreach.files import read_json, write_atomically
from recallreach.study import manifest
from recallreach.study.banks import Snapshot
from recallreach.study.config import UNSETTLING, Part, StudyConfig
from recallreach.study.events import Trace
from recallreach.study.folder import CATALOG, RESULTS, TRAJECTORIES, claimed
from recallreach.study.report import Results, write_report
from recallreach.study.store import ResultStore, StoreReader, results_digest
from recallreach.study.units import Unit

DIVIDED = frozenset({"chains", "first_chain", "memories"})
"""Keys in which runs that are merged may differ."""
_UNCOMPARED = frozenset({"seconds", "finished_at", "reason"})


@dataclass(frozen=True, slots=True)
class _Run:
    folder: Path
    manifest: Mapping[str, Any]
    config: StudyConfig

    @classmethod
    def read(cls, folder: Path) -> _Run:
        found = manifest.read_manifest(folder)
        return cls(folder, found, StudyConfig.parse(found["config"], str(folder / manifest.FILE)))

    @property
    def chains(self) -> range:
        return range(self.config.first_chain, self.config.first_chain + self.config.chains)

    def covers(self, chain: int, memory: Part) -> bool:
        return (
            self.manifest["finished_at"] is not None
            and chain in self.chains
            and memory in self.config.memories
        )


def merge_runs(folders: Sequence[Path], target: Path) -> Results:
    """Make one run of several and write its report.

    The runs must be of one study: they may differ in `chains` and `first_chain` (which then lie side by
    side), in `memories`, and in what changes no result. What several of them hold must be equal. Where the
    parts do not add up to the whole, the merged run is incomplete and can be resumed.

    Args:
        folders: two or more run folders; they are only read.
        target: a new folder.

    Raises:
        ConfigError: the runs are of different studies, leave a gap between chains, or `target` is in use.
        DataError: a run is damaged, or two of them disagree about the same probe or session.
    """
    runs = [_Run.read(folder) for folder in folders]
    if len(runs) < 2:
        raise ConfigError("merging takes two runs or more.")
    _refuse_doubled(folders)
    config = _joined(runs, target)
    with claimed(target) as folder:
        if (folder / manifest.FILE).exists():
            raise ConfigError(f"{target} holds a run already: name a new folder for the merged one.")
        _write_manifest(folder, config, runs)
        _copy_sessions(folder, runs)
        digest = _copy_answers(folder, runs)
        if _whole(config, runs):
            manifest.finish(folder, digest)
        return write_report(folder)


def _refuse_doubled(folders: Sequence[Path]) -> None:
    places = [folder.resolve() for folder in folders]
    for number, folder in enumerate(folders):
        if places[number] in places[:number]:
            raise ConfigError(f"{folder} is named twice; merging takes each run once.")


def _joined(runs: Sequence[_Run], target: Path) -> StudyConfig:
    first = runs[0]
    for run in runs[1:]:
        _refuse_other(first, run)
    memories: dict[str, Part] = {}
    for part in (part for run in runs for part in run.config.memories):
        if memories.setdefault(part.title, part) != part:
            raise ConfigError(f"two of the runs call different memories {part.title!r}.")
    numbers = sorted({chain for run in runs for chain in run.chains})
    if numbers != list(range(numbers[0], numbers[-1] + 1)):
        gap = next(number for number in range(numbers[0], numbers[-1]) if number not in numbers)
        raise ConfigError(f"the runs leave out chain {gap}: chains that are merged lie side by side.")
    place = target.resolve()
    values = {**first.config.model_dump(), "memories": tuple(memories.values()), "first_chain": numbers[0]}
    return StudyConfig.parse(
        {**values, "chains": len(numbers), "name": place.name, "out": str(target.parent)}, str(target)
    )


def _refuse_other(first: _Run, run: _Run) -> None:
    ignored = UNSETTLING | DIVIDED
    one, two = first.config.model_dump(exclude=set(ignored)), run.config.model_dump(exclude=set(ignored))
    differing = sorted(key for key in one if one[key] != two[key])
    differing += [
        key for key in ("catalog", "renderer", "weights") if first.manifest[key] != run.manifest[key]
    ]
    if differing:
        raise ConfigError(
            f"{first.folder} and {run.folder} are of different studies: {', '.join(differing)} differ. "
            f"Runs that are merged may differ in {', '.join(sorted(DIVIDED))} only."
        )


def _write_manifest(folder: Path, config: StudyConfig, runs: Sequence[_Run]) -> None:
    systems = {entry["label"]: entry for run in runs for entry in run.manifest["systems"]}
    told = {
        **runs[0].manifest,
        "config": config.model_dump(mode="json"),
        "systems": list(systems.values()),
        "merged_from": [_origin(run) for run in runs],
        "started_at": min(run.manifest["started_at"] for run in runs),
        "finished_at": None,
        "results_digest": None,
    }
    manifest.write_manifest(folder, told)


def _origin(run: _Run) -> dict[str, Any]:
    kept = ("results_digest", "git", "versions", "python", "platform", "started_at", "finished_at")
    return {"name": run.config.name, **{key: run.manifest.get(key) for key in kept}}


def _copy_sessions(folder: Path, runs: Sequence[_Run]) -> None:
    target = TrajectoryStore(folder / TRAJECTORIES)
    for run in runs:
        source = TrajectoryStore(run.folder / TRAJECTORIES)
        for place in source.keys():  # noqa: SIM118 (not a mapping)
            found = source.load(*place)
            if not target.has(*place):
                for digest in {step.picture for step in found.steps if step.picture}:
                    target.pictures.put(source.pictures.get(digest))
                target.save(found)
            elif target.load(*place) != found:
                raise DataError(
                    f"{source.path(*place)} and an earlier run have different recordings of one session."
                )
        if not (folder / CATALOG).exists() and (run.folder / CATALOG).exists():
            read_json(run.folder / CATALOG)
            write_atomically(folder / CATALOG, (run.folder / CATALOG).read_bytes())


def _copy_answers(folder: Path, runs: Sequence[_Run]) -> str:
    with ResultStore(folder / RESULTS) as store:
        for run in runs:
            with StoreReader(run.folder / RESULTS) as source:
                _add_all(store, source, run)
        return results_digest(store.units())


def _add_all(store: ResultStore, source: StoreReader, run: _Run) -> None:
    for label, spec in source.systems().items():
        store.register(label, spec)
    store.adopt_failures(source.failures())
    known, units = {unit.key: unit for unit in store.units()}, source.units()
    for unit in units:
        if unit.key in known:
            _refuse_contradiction(known[unit.key], unit, run)
            continue
        trace = Trace.of(source.events(unit.key))
        store.add(unit, trace, _pictures(source, trace))
    for bank in _banks(source, {unit.chain for unit in units}):
        store.add_bank(bank)


def _banks(source: StoreReader, chains: set[int]) -> Iterator[Snapshot]:
    for chain in sorted(chains):
        for memory, session in source.banks(chain):
            records = source.bank(memory, chain, session)
            if records is not None:
                yield Snapshot(memory, chain, session, records)


def _pictures(source: StoreReader, trace: Trace) -> dict[str, bytes]:
    """The pictures of a trace that its run's results keep; others are with the sessions."""
    named = {item.image for item in trace.result.items} | set(trace.pictures.values())
    found = {digest: source.picture(digest) for digest in named if digest}
    return {digest: data for digest, data in found.items() if data is not None}


def _refuse_contradiction(one: Unit, two: Unit, run: _Run) -> None:
    if "error" in (one.status, two.status):
        return
    fields = [name for name in Unit.__slots__ if name not in _UNCOMPARED]
    if any(getattr(one, name) != getattr(two, name) for name in fields):
        raise DataError(
            f"{run.folder} and an earlier run answer probe {one.probe} of {one.system!r} differently; an "
            "agent that draws its replies needs another `trial` in each run."
        )


def _whole(config: StudyConfig, runs: Sequence[_Run]) -> bool:
    chains = range(config.first_chain, config.first_chain + config.chains)
    return all(
        any(run.covers(chain, memory) for run in runs) for chain in chains for memory in config.memories
    )
