"""A study walked through without its models: what each would be sent, and what that would come to.

Where a run folder holds the sessions and answers already, they are said again; elsewhere the scripted
shopper browses and the matcher answers in place of the model.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from recallreach.agents.loops import browse, recall, remember
from recallreach.agents.matcher import Matcher
from recallreach.agents.models.scripted import ScriptedModel
from recallreach.agents.patches import ESTIMATE, PatchRule, rule_of
from recallreach.agents.react import ReActAgent
from recallreach.agents.rehearsal import Reciter, Rehearsal
from recallreach.agents.shopper import ScriptedShopper
from recallreach.agents.types import Agent, Message, Usage
from recallreach.env.probes import plan_probes
from recallreach.env.sessions import plan_session
from recallreach.env.trajectory import TrajectoryStore
from recallreach.env.types import Probe, Trajectory
from recallreach.errors import ConfigError, DataError, UnknownNameError
from recallreach.files import sha256
from recallreach.study.assembly import Materials, Shop, System
from recallreach.study.config import Part, StudyConfig
from recallreach.study.folder import RESULTS, TRAJECTORIES
from recallreach.study.reading import StoreReader
from recallreach.study.tree import Place

_OF_THE_MODEL = ("model", "model_options")


@dataclasses.dataclass(frozen=True, slots=True)
class Rehearsed:
    """One episode: every request, and what all of them come to."""

    requests: list[list[Message]]
    usage: Usage


class Stage:
    """A study on the in-process shop; a context manager.

    Args:
        config: the study.
        folder: its run folder, where recorded sessions and answers are taken from, or None.
        shipped: build memories from the shipped encoders, whatever the study names.

    Raises:
        ConfigError, DataError: something the study names is wrong or missing.
    """

    def __init__(self, config: StudyConfig, folder: Path | None = None, *, shipped: bool = False) -> None:
        self.config = config.model_copy(update={"transport": "in_process"})
        self.materials = Materials.gather(self.config, rehearsal=shipped)
        self._folder = folder
        self._recorded = TrajectoryStore(folder / TRAJECTORIES) if folder else None
        self._pictures = _Gathered()
        self._walked: dict[Place, tuple[Trajectory, Rehearsed]] = {}
        self._open = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as opening:
            self._shop = opening.enter_context(Shop(self.materials))
            self._open = opening.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def session(self, place: Place) -> tuple[Trajectory, Rehearsed]:
        """One browsing session as a model would be led through it.

        Raises:
            ConfigError: the study has no such session.
        """
        if place not in self._walked:
            self._walked[place] = self._walk(place)
        return self._walked[place]

    def probes(self, place: Place, *, per_reach: int | None = None) -> list[Probe]:
        """The questions that can be asked after one session: all, or so many of each reach."""
        path = [self.session(step)[0] for step in self.config.forest.path_to(place)]
        renamed = [
            dataclasses.replace(entry, plan=dataclasses.replace(entry.plan, chain=place[0])) for entry in path
        ]
        planned = plan_probes(
            renamed,
            self.materials.catalog,
            per_reach=per_reach,
            seed=self.config.seed,
            reach=self.config.reach,
            budget=self.config.budget,
        )
        return [probe for probe in planned if probe.session == place[1]]

    def question(self, probe: Probe, place: Place, system: System) -> Rehearsed:
        """One recall probe as a model would be asked it."""
        memory = self.materials.make_memory(system.memory)
        for step in self.config.forest.path_to(place):
            remember(memory, self.session(step)[0], self._pictures)
        delivery = self.materials.make_delivery(system.delivery)
        actor = Rehearsal(_react(self.config.agent), self._answerer(probe, system), _rule(self.config.agent))
        seed, k = self.config.seed, self.config.k
        recall(self._shop.env, actor, probe, memory, delivery, k=k, seed=seed)
        return Rehearsed(actor.requests, actor.usage)

    def system(self, label: str | None) -> System:
        """A system by its label; the last one that the study names where none is given.

        Raises:
            UnknownNameError: the study has no such system.
        """
        known = {system.label: system for system in self.materials.systems}
        if label is None:
            return self.materials.systems[-1]
        if label not in known:
            raise UnknownNameError("system", label, known)
        return known[label]

    def _walk(self, place: Place) -> tuple[Trajectory, Rehearsed]:
        if place not in set(self.config.forest.places()):
            chain, session = place
            raise ConfigError(
                f"the study has no session {session} in chain {chain}: it has chains "
                f"{self.config.forest.first} to {self.config.forest.first + self.config.forest.paths - 1} of "
                f"{self.config.sessions} sessions, both counted from 0"
            )
        plan = plan_session(
            self.materials.catalog, self.config.seed, *place, self.config.forest.branch(place)
        )
        actor = Rehearsal(_react(self.config.shopper), self._browser(place), _rule(self.config.shopper))
        seed = self.config.seed
        found = browse(self._shop.env, actor, plan, seed=seed, pictures=self._pictures)
        return found, Rehearsed(actor.requests, actor.usage)

    def _browser(self, place: Place) -> Agent:
        if self._recorded is not None and self._recorded.has(*place):
            return Reciter([step.reply for step in self._recorded.load(*place).steps[1:]])
        return ScriptedShopper()

    def _answerer(self, probe: Probe, system: System) -> Agent:
        replies = self._answered(probe, system)
        return Reciter(replies) if replies else Matcher()

    def _answered(self, probe: Probe, system: System) -> list[str]:
        """The replies that the run folder holds to this question."""
        if self._folder is None or not (self._folder / RESULTS).exists():
            return []
        with StoreReader(self._folder / RESULTS) as reader:
            found = [unit for unit in reader.same_probe(probe.id) if unit.system == system.label]
            trace = reader.trace(found[0].key) if found else {"turns": []}
        return [str(turn["reply"]) for turn in trace["turns"]]


class _Gathered(dict[str, bytes]):
    """Pictures by SHA-256."""

    def put(self, picture: bytes) -> str:
        """Keep the bytes; returns their SHA-256."""
        digest = sha256(picture)
        self[digest] = picture
        return digest

    def get(self, digest: str) -> bytes:  # type: ignore[override]
        """The bytes.

        Raises:
            DataError: none have that SHA-256.
        """
        if digest not in self:
            raise DataError(f"no picture {digest} was seen")
        return self[digest]


def _react(part: Part) -> ReActAgent:
    """The study's ReAct agent without its model; one with usual settings where another agent is named."""
    options = {key: value for key, value in part.options.items() if key not in _OF_THE_MODEL}
    return ReActAgent(ScriptedModel([]), **(options if part.name == "react" else {}))


def _rule(part: Part) -> PatchRule:
    options = part.options.get("model_options", {})
    return rule_of(str(options.get("model", ""))) or ESTIMATE


def place_of(text: str) -> Place:
    """ "2.3" as chain 2, session 3.

    Raises:
        ConfigError: anything else.
    """
    parts = text.split(".")
    if len(parts) != 2 or not all(part.isdigit() for part in parts):
        raise ConfigError(f"a session is CHAIN.SESSION, both counted from 0, for instance 0.2, not {text!r}")
    return int(parts[0]), int(parts[1])


def chosen(requests: Sequence[list[Message]], step: int) -> list[Message]:
    """The request of a step, counted from 1.

    Raises:
        ConfigError: the episode has fewer.
    """
    if not 1 <= step <= len(requests):
        raise ConfigError(f"step {step} is asked for; this episode has steps 1 to {len(requests)}")
    return requests[step - 1]
