"""A study from its configuration to its report, started fresh or resumed where it was stopped."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recallreach.agents.types import Agent
from recallreach.env.trajectory import TrajectoryStore
from recallreach.study import manifest
from recallreach.study.assembly import Materials, Shop, make_agent
from recallreach.study.config import StudyConfig
from recallreach.study.folder import CATALOG, RESULTS, TRAJECTORIES, claimed
from recallreach.study.progress import Reporter, Silent
from recallreach.study.report import Results, write_report
from recallreach.study.runner import Runner, Setup
from recallreach.study.store import ResultStore, results_digest


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
    materials = Materials.gather(config)
    shopper, agent = make_agent(config.shopper), make_agent(config.agent)
    with claimed(config.folder, fresh=fresh) as folder:
        for line in _introduction(materials):
            heard.say(line)
        _open_manifest(folder, materials)
        _answer(folder, materials, shopper, agent, heard)
        return write_report(folder)


def _introduction(materials: Materials) -> Iterator[str]:
    config = materials.config
    if materials.browser:
        yield f"Browser: {materials.browser.label}"
    yield f"Shop: {len(materials.catalog)} products in {len(materials.catalog.categories)} categories"
    per_reach = f"{_counted(config.probes, 'probe')} per session and reach"
    probes = "all probes" if config.probes == "exhaustive" else per_reach
    yield f"Design: {_counted(config.chains, 'chain')} of {_counted(config.sessions, 'session')}, {probes}"
    if materials.unknown:
        share = f"{len(materials.unknown)} of the {len(materials.objects)} cue objects in this shop"
        yield f"Note: the shipped encoders do not know {share}"
    yield f"Systems: {', '.join(system.label for system in materials.systems)}"


def _counted(number: int | str, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _open_manifest(folder: Path, materials: Materials) -> None:
    if (folder / manifest.FILE).exists():
        manifest.refuse_other(folder, manifest.read_manifest(folder), materials.identity())
    else:
        told = {**materials.identity(), **materials.description()}
        told["config"] = materials.config.model_dump(mode="json")
        browser = dataclasses.asdict(materials.browser) if materials.browser else None
        manifest.write_manifest(folder, manifest.describe(told, browser))
    if not (folder / CATALOG).exists():
        materials.catalog.save(folder / CATALOG)


def _answer(folder: Path, materials: Materials, shopper: Agent, agent: Agent, reporter: Reporter) -> None:
    with ResultStore(folder / RESULTS, mend=True) as store, Shop(materials) as shop:
        if store.lost:
            reporter.say(f"Note: the store had lost {len(store.lost)} answers; they are asked again")
        if store.drop_errors():
            manifest.reopen(folder)
        setup = Setup(
            materials=materials,
            env=shop.env,
            shopper=shopper,
            agent=agent,
            recorded=TrajectoryStore(folder / TRAJECTORIES),
            store=store,
            reporter=reporter,
        )
        Runner(setup).run()
        manifest.finish(folder, results_digest(store.units()), getattr(shop.transport, "version", ""))


def config_of(folder: Path) -> StudyConfig:
    """The configuration that the run in `folder` was started with, so that it can be resumed there.

    Raises:
        DataError: not a run folder.
        ConfigError: the manifest's configuration is not one this version understands.
    """
    saved: dict[str, Any] = dict(manifest.read_manifest(folder)["config"])
    place = folder if folder.name not in ("", "..") else folder.resolve()
    saved.update(name=place.name, out=str(place.parent))
    return StudyConfig.parse(saved, str(folder / manifest.FILE))
