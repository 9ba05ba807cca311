"""A dry run: what a study would do and take, without doing it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from recallreach.env.trajectory import TrajectoryStore
from recallreach.study import manifest
from recallreach.study.agenda import Agenda
from recallreach.study.assembly import Materials, enumerated, make_agent
from recallreach.study.books import prices_of
from recallreach.study.config import StudyConfig
from recallreach.study.engines.select import check_workers, engine_of, workers_of
from recallreach.study.estimates import estimate_lines, probes_expected, uncounted
from recallreach.study.folder import RESULTS, TRAJECTORIES
from recallreach.study.kit import Kit
from recallreach.study.reading import StoreReader
from recallreach.study.run import refuse_other_study


@dataclass(frozen=True, slots=True)
class Plan:
    """What a study comes to.

    Attributes:
        systems: labels, in order.
        runs, recorded: browsing sessions in all, and those that are recorded already.
        paths, saved: chains they make up, and sessions that sharing prefixes saves against flat runs.
        probes: questions for one system; exact where all sessions are recorded, else as the protocol aims.
        exact: whether `probes` is counted and not estimated.
        answered: units in the results store.
        models: what models will be asked, as sentences; empty where none is called.
        engine, workers: what carries the work.
    """

    systems: tuple[str, ...]
    runs: int
    recorded: int
    paths: int
    saved: int
    probes: int
    exact: bool
    answered: int
    models: tuple[str, ...]
    engine: str
    workers: int

    @property
    def units(self) -> int:
        """Questions over all systems."""
        return self.probes * len(self.systems)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {**asdict(self), "units": self.units}

    def lines(self) -> list[str]:
        """Sentences for the user."""
        about = "" if self.exact else "about "
        shared = f"; {self.saved:,} saved by sharing prefixes" if self.saved else ""
        chains = f"{self.paths:,} chain{'' if self.paths == 1 else 's'}"
        models = self.models or ("Models: none is called; the embedded agents run here",)
        return [
            f"Systems: {len(self.systems)} ({enumerated(self.systems)})",
            f"Sessions: {self.runs:,} for {chains}, {self.recorded:,} recorded already{shared}",
            f"Probes: {about}{self.probes:,} for each system, {about}{self.units:,} units of work; "
            f"{self.answered:,} answered already",
            *models,
            f"Engine: {self.engine}, workers: {self.workers}",
        ]


def plan_study(config: StudyConfig) -> Plan:
    """Everything about a study that can be known before it runs; nothing is started or written.

    Raises:
        RecallReachError: a name, an option or a value cannot be used, a part lacks its model or its files, or
            the run folder holds another study.
    """
    check_workers(config)
    materials = Materials.gather(config.model_copy(update={"transport": "in_process"}), rehearsal=True)
    Kit(config).look_ahead()
    if _begun(config):
        refuse_other_study(config.folder, {**materials.identity(), "config": config.settings()})
    agenda = Agenda(materials, TrajectoryStore(config.folder / TRAJECTORIES))
    forest, missing = config.forest, len(agenda.missing()) if _begun(config) else config.forest.runs
    exact = missing == 0
    systems = tuple(system.label for system in materials.systems)
    probes = agenda.tasks(set())[1] // len(systems) if exact else probes_expected(config)
    shopper, agent = make_agent(config.shopper), make_agent(config.agent)
    return Plan(
        systems=systems,
        runs=forest.runs,
        recorded=forest.runs - missing,
        paths=forest.paths,
        saved=forest.saved,
        probes=probes,
        exact=exact,
        answered=_answered(config),
        models=(
            *estimate_lines(config, len(systems), shopper, agent, prices_of(config)),
            *uncounted(config),
        ),
        engine=engine_of(config),
        workers=workers_of(config),
    )


def _begun(config: StudyConfig) -> bool:
    return (config.folder / manifest.FILE).is_file()


def _answered(config: StudyConfig) -> int:
    if not (_begun(config) and (config.folder / RESULTS).is_file()):
        return 0
    with StoreReader(config.folder / RESULTS) as store:
        return store.count()
