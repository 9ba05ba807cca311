"""A person as an agent: the loops hand over what there is to see and wait until the person has decided.

The person sits elsewhere, in a browser (`recallreach.study.play`); this is the desk where both meet.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace

from recallreach.agents.costs import turn_usage
from recallreach.agents.types import Turn
from recallreach.env.types import Observation
from recallreach.errors import ConfigError, RecallReachError
from recallreach.memory.types import Delivered


class PersonLeftError(RecallReachError):
    """The person went away before the episode was over; nothing of it is kept."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What lies on the desk.

    Attributes:
        episode: number of the session or question, from 1; 0 before the first.
        turn: number of the decision in it, from 1; 0 before the first.
        goal: the instruction.
        observation: the page, or None while nothing is asked.
        delivered: what memory delivered; None in a browsing session, which has no memory.
        over: whether no further episode will come.
    """

    episode: int = 0
    turn: int = 0
    goal: str = ""
    observation: Observation | None = None
    delivered: Delivered | None = None
    over: bool = False

    @property
    def waiting(self) -> bool:
        """Whether a decision is asked for."""
        return self.observation is not None and not self.over


class Desk:
    """Hands scenes to a person and decisions to a loop, each in a thread of its own."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._scene = Scene()
        self._reply: str | None = None

    @property
    def scene(self) -> Scene:
        """What lies on the desk now."""
        with self._changed:
            return self._scene

    def begin(self, goal: str) -> None:
        """A new episode starts (the loop's side)."""
        with self._changed:
            self._put(Scene(self._scene.episode + 1, 0, goal))

    def ask(self, observation: Observation, delivered: Delivered | None) -> str:
        """Wait for the person's reply (the loop's side).

        Raises:
            PersonLeftError: the desk was closed.
        """
        with self._changed:
            scene = self._scene
            self._put(replace(scene, turn=scene.turn + 1, observation=observation, delivered=delivered))
            self._changed.wait_for(lambda: self._reply is not None or self._scene.over)
            if self._reply is None:
                raise PersonLeftError("the person left before the question was answered")
            reply, self._reply = self._reply, None
            return reply

    def reply(self, text: str, scene: Scene, seconds: float) -> Scene:
        """Decide (the person's side), and wait for what comes of it.

        Args:
            text: the reply, as a model would write it.
            scene: the scene that was decided on; a decision on another one is passed over.
            seconds: how long to wait for the next scene.

        Returns:
            The next scene, or one that asks nothing where it takes longer.
        """
        with self._changed:
            if scene is self._scene and scene.waiting:
                self._reply = text
                self._put(replace(scene, observation=None, delivered=None))
            self._changed.wait_for(lambda: self._scene.waiting or self._scene.over, seconds)
            return self._scene

    def close(self) -> None:
        """No further episode comes; a loop that waits is sent home."""
        with self._changed:
            self._put(replace(self._scene, over=True, observation=None, delivered=None))

    def _put(self, scene: Scene) -> None:
        self._scene = scene
        self._changed.notify_all()


class Person:
    """The agent whose decisions are made at a desk."""

    name = "human"

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def begin(self, goal: str, seed: int) -> None:
        """Lay the goal on the desk; nothing is drawn."""
        self._desk.begin(goal)

    def act(self, observation: Observation, delivered: Delivered | None) -> Turn:
        """Wait for the person; what was before their eyes is counted as for a model."""
        started = time.perf_counter()
        reply = self._desk.ask(observation, delivered)
        seconds, looked = time.perf_counter() - started, observation.picture is not None
        return Turn(reply, turn_usage(observation, delivered, looked=looked, seconds=seconds))


_open: list[Desk] = []


def open_desk() -> Desk:
    """A desk for the persons that are built from now on in this process."""
    _open[:] = [Desk()]
    return _open[0]


def person() -> Person:
    """The person at the open desk.

    Raises:
        ConfigError: there is none.
    """
    if not _open:
        raise ConfigError("the agent 'human' is a person in a browser: start it with `recallreach play`")
    return Person(_open[0])
