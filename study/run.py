"""A study from its configuration to its report, started fresh or resumed where it was stopped."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from recallreach.agents.budget import spent_as_json
from recallreach.agents.preflight import preflight
from recallreach.agents.types import Agent
from recallreach.env.trajectory import TrajectoryStore
from recallreach.study import manifest
from recallreach.study.agenda import Agenda
from recallreach.study.assembly import Materials, enumerated, make_agent
from recallreach.study.bench import Bench
from recallreach.study.books import open_books, prices_of
from recallreach.study.config import StudyConfig, put
from recallreach.study.engines.crew import Assignment
from recallreach.study.engines.hired import Hired
from recallreach.study.engines.inline import Inline
from recallreach.study.engines.select import check_workers, engine_of, workers_of
from recallreach.study.estimates import estimate_lines
from recallreach.study.folder import CATALOG, RESULTS, TRAJECTORIES, claimed
from recallreach.study.progress import Reporter, Silent
from recallreach.study.report import Results, write_report
from recallreach.study.runner import Runner
from recallreach.study.store import ResultStore, results_digest
from recallreach.study.tree import design, many


def run_study(config: StudyConfig, reporter: Reporter | None = None, *, fresh: bool = False) -> Results:
    """Run `config` in its folder, or finish what was begun there, and write the report.

    Args:
        config: the study.
        reporter: hears about progress; silent by default.
        fresh: throw earlier results of that folder away.

    Raises:
        ConfigError: a name or value cannot be used, or the folder holds another study.
        DataError: the folder cannot be written, is in use, or is damaged.
        NoBrowserError: the study needs a browser and there is none.
        ErrorThresholdError: too many probes failed for technical reasons.
    """
    heard = reporter or Silent()
    check_workers(config)
    materials = Materials.gather(config)
    agents = make_agent(config.shopper), make_agent(config.agent)
    with claimed(config.folder, fresh=fresh) as folder:
        for line in _introduction(materials):
            heard.say(line)
        _open_manifest(folder, materials)
        _answer(folder, materials, agents, heard)
        return write_report(folder)


def _introduction(materials: Materials) -> Iterator[str]:
    config = materials.config
    if materials.browser:
        yield f"Browser: {materials.browser.label}"
    yield f"Shop: {len(materials.catalog)} products in {len(materials.catalog.categories)} categories"
    probes = (
        "all probes"
        if config.probes == "exhaustive"
        else f"{many(config.probes, 'probe')} per session and reach"
    )
    yield f"Design: {design(config.forest)}, {probes}"
    engine, workers = engine_of(config), workers_of(config)
    if engine != "inline":
        yield f"Engine: {engine}, {many(workers, 'worker')}"
    if materials.unknown:
        share = f"{len(materials.unknown)} of the {len(materials.objects)} cue objects in this shop"
        yield f"Note: the shipped encoders do not know {share}"
    yield f"Systems: {enumerated([system.label for system in materials.systems])}"


def _open_manifest(folder: Path, materials: Materials) -> None:
    if (folder / manifest.FILE).exists():
        refuse_other_study(folder, materials.identity())
    else:
        told = {**materials.identity(), **materials.description()}
        told["config"] = materials.config.model_dump(mode="json")
        browser = dataclasses.asdict(materials.browser) if materials.browser else None
        manifest.write_manifest(folder, manifest.describe(told, browser))
    if not (folder / CATALOG).exists():
        materials.catalog.save(folder / CATALOG)


def refuse_other_study(folder: Path, identity: Mapping[str, Any]) -> None:
    """Make sure that the run in `folder` is of the study with this `Materials.identity`.

    Raises:
        ConfigError: it is of another one.
        DataError: its manifest is damaged.
    """
    saved = manifest.read_manifest(folder)
    whole = {**StudyConfig().settings(), **saved["config"]}
    manifest.refuse_other(folder, {**saved, "config": whole}, identity)


def _answer(folder: Path, materials: Materials, agents: tuple[Agent, Agent], reporter: Reporter) -> None:
    agenda = Agenda(materials, TrajectoryStore(folder / TRAJECTORIES))
    with ResultStore(folder / RESULTS, mend=True) as store:
        store.verify()
        if store.lost:
            reporter.say(f"Note: the store had lost {len(store.lost)} answers; they are asked again")
        if store.drop_errors() or store.lost:
            manifest.reopen(folder)
        if manifest.read_manifest(folder)["finished_at"] is None:
            _try_models(folder, materials.config, agents, reporter)
        with closing(_force(folder, agenda, agents)) as force:
            Runner(agenda, force, workers_of(materials.config), agenda.recorded, store, reporter).run()
            version = force.browser_version
        manifest.finish(folder, results_digest(store.units()), version, _spent(folder, materials, agents))


def _force(folder: Path, agenda: Agenda, agents: tuple[Agent, Agent]) -> Inline | Hired:
    config, materials = agenda.config, agenda.materials
    if engine_of(config) == "inline":
        return Inline(Bench(materials, agenda.source, folder, agents), agenda.recorded)
    place = folder.resolve()
    return Hired(config, Assignment(config, materials.identity(), agenda.source, place, tuple(sys.path)))


def _try_models(folder: Path, config: StudyConfig, agents: tuple[Agent, Agent], reporter: Reporter) -> None:
    """Ask every model once, as the run will, before anything else is done."""
    calls = open_books(config, folder, agents)
    if calls is None or config.replay:
        return
    with calls:
        for check in preflight([calls.govern(agent) for agent in agents], k=config.k):
            reporter.say(check.line)
    for line in estimate_lines(
        config, len(config.memories) * len(config.deliveries), *agents, prices_of(config)
    ):
        reporter.say(line)


def _spent(folder: Path, materials: Materials, agents: tuple[Agent, Agent]) -> dict[str, Any] | None:
    calls = open_books(materials.config, folder, agents)
    if calls is None:
        return None
    with calls:
        prices = calls.ledger.prices
        return spent_as_json(calls.totals(), prices.currency if prices else "")


def config_of(folder: Path, overrides: Mapping[str, Any] | None = None) -> StudyConfig:
    """The configuration that the run in `folder` was started with, so that it can be resumed there.

    Args:
        folder: the run folder.
        overrides: other values, by dotted key; those that change results are refused when the run starts.

    Raises:
        DataError: not a run folder.
        ConfigError: the manifest's configuration is not one this version understands.
    """
    saved: dict[str, Any] = dict(manifest.read_manifest(folder)["config"])
    place = folder if folder.name not in ("", "..") else folder.resolve()
    for key, value in (overrides or {}).items():
        put(saved, key, value)
    saved.update(name=place.name, out=str(place.parent))
    return StudyConfig.parse(saved, str(folder / manifest.FILE))
