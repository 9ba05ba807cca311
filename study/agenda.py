"""What is to be recorded and asked in a study, and the key of every question."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from recallreach.env.probes import plan_probes
from recallreach.env.trajectory import TrajectoryStore
from recallreach.env.types import Probe, Trajectory
from recallreach.errors import DataError
from recallreach.files import dump_json, sha256
from recallreach.study.assembly import Materials, System
from recallreach.study.config import StudyConfig
from recallreach.study.tree import Forest, Place
from recallreach.study.units import unit_key
from recallreach.study.work import Ask, Question


class Agenda:
    """The sessions and questions of one study.

    Args:
        materials: what the study is made of.
        recorded: where its sessions are kept.
    """

    def __init__(self, materials: Materials, recorded: TrajectoryStore) -> None:
        self.materials, self.recorded = materials, recorded
        self.config: StudyConfig = materials.config
        self.forest: Forest = materials.config.forest

    @cached_property
    def source(self) -> dict[str, str]:
        """What a recording depends on; part of every recorded session."""
        config, catalog = self.config, self.materials.catalog
        shopper = json.dumps(config.shopper.identity(), sort_keys=True)
        found = {
            "catalog": catalog.hash,
            "renderer": str(self.materials.pictures.version),
            "seed": str(config.seed),
            "agent": shopper,
        }
        if config.branching > 1:
            found["tree"] = f"branching {config.branching}, depth {config.sessions}"
        return found | ({"trial": str(config.trial)} if config.trial else {})

    def missing(self) -> list[Place]:
        """Sessions that are not recorded yet."""
        return [place for place in self.forest.places() if not self.recorded.has(*place)]

    def load(self, place: Place) -> Trajectory:
        """One recorded session.

        Raises:
            DataError: it is missing, damaged, or was recorded for another study.
        """
        found = self.recorded.load(*place)
        if dict(found.source) != self.source:
            raise DataError(
                f"{self.recorded.path(*place)} was recorded for another study; remove it, or start again "
                "with --fresh"
            )
        return found

    def probes(self, place: Place, path: Sequence[Trajectory]) -> list[Probe]:
        """The probes asked after one session, given all sessions that lead to it."""
        chain, session = place
        config = self.config
        if config.ask_after != "every" and session + 1 not in config.ask_after:
            return []
        renamed = [
            dataclasses.replace(entry, plan=dataclasses.replace(entry.plan, chain=chain)) for entry in path
        ]
        planned = plan_probes(
            renamed,
            self.materials.catalog,
            per_reach=None if config.probes == "exhaustive" else config.probes,
            seed=config.seed,
            reach=config.reach,
            budget=config.budget,
        )
        return [probe for probe in planned if probe.session == session]

    def questions(self, tree: int) -> Iterator[Question]:
        """All questions of one tree, in the order of a walk that visits a session before its children.

        Raises:
            DataError: a session is missing, damaged, or was recorded for another study.
        """
        root = next(self.forest.places_of(tree))
        waiting: list[tuple[Place, tuple[Trajectory, ...], str]] = [(root, (), "")]
        while waiting:
            place, before, past = waiting.pop()
            path = (*before, self.load(place))
            past = sha256((past + dump_json(dataclasses.asdict(path[-1]))).encode())
            yield from self._at(tree, place, path, past)
            waiting += [(child, path, past) for child in reversed(self.forest.children(place))]

    def _at(self, tree: int, place: Place, path: tuple[Trajectory, ...], past: str) -> Iterator[Question]:
        seen = len({product for entry in path for product in entry.products})
        for probe in self.probes(place, path):
            counted = path[probe.session - probe.reach].products
            number = counted.index(probe.target) if probe.target in counted else 0
            facts = (tree, number, len(counted), seen, place, probe)
            for system in self.materials.systems:
                yield Question(unit_key(self._facts(system, probe, past)), system.label, *facts)

    def tasks(self, done: set[str]) -> tuple[list[Ask], int]:
        """What is still to be asked, one task a tree and memory; and the number of all questions."""
        found, total = [], 0
        memory_of = {system.label: system.memory for system in self.materials.systems}
        for tree in range(self.forest.first, self.forest.first + self.forest.trees):
            questions = list(self.questions(tree))
            total += len(questions)
            for memory in self.config.memories:
                mine = (question for question in questions if memory_of[question.system] == memory)
                left = tuple(question for question in mine if question.key not in done)
                if left:
                    found.append(Ask(memory, tree, left))
        return found, total

    def _facts(self, system: System, probe: Probe, past: str) -> dict[str, Any]:
        """Everything that changes a unit's result."""
        config, materials = self.config, self.materials
        facts = {
            "catalog": materials.catalog.hash,
            "renderer": str(materials.pictures.version),
            "seed": config.seed,
            "past": past,
            "probe": dataclasses.asdict(probe),
            "system": system.identity(),
            "agent": config.agent.identity(),
            "encoders": materials.kit.names(system.memory),
            "weights": materials.weights,
            "k": config.k,
        }
        return facts | ({"trial": config.trial} if config.trial else {})
