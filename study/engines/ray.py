"""The engine `ray`: actors on the nodes of a Ray cluster, one bench each; the run's process alone writes.

A node needs recallreach with the same version and weights, and whatever files the study names (a catalogue of
its own, modules with plug-ins), at the same paths. It need not see the run folder: recorded sessions travel
to it with each task, once a tree, through Ray's object store.
"""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from recallreach.env.trajectory import TrajectoryStore
from recallreach.env.types import Trajectory
from recallreach.errors import DataError, MissingExtraError
from recallreach.study.bench import Bench
from recallreach.study.engines.crew import Assignment, Hand
from recallreach.study.engines.worker import failed, perform
from recallreach.study.folder import TRAJECTORIES
from recallreach.study.tree import Place
from recallreach.study.work import Ask, Died, Finished, Message, Task, WorkError

GRACE = 10.0
"""Seconds that an actor has to close its browser."""
GONE = (
    "stopped: Ray's own processes on this machine have ended (killed, or out of memory). Answers so far are "
    "stored; the same command goes on."
)
LOOK = 10.0
"""Seconds of silence after which the crew looks whether Ray still lives here."""
STARTS = 3
"""Tries at starting Ray on this machine: it gives up on a busy one after half a minute."""


@dataclass(frozen=True)
class Parcel:
    """Recorded sessions and their pictures, to be read on another machine."""

    sessions: dict[Place, Trajectory]
    blobs: dict[str, bytes]

    @property
    def pictures(self) -> Parcel:
        """The pictures, by SHA-256."""
        return self

    def get(self, digest: str) -> bytes:
        """One picture."""
        if digest not in self.blobs:
            raise DataError(f"picture {digest} did not travel with its session")
        return self.blobs[digest]

    def load(self, chain: int, session: int) -> Trajectory:
        """One session."""
        return self.sessions[chain, session]

    @classmethod
    def pack(cls, recorded: TrajectoryStore, places: Sequence[Place]) -> Parcel:
        """The sessions at these places with all their pictures."""
        sessions = {place: recorded.load(*place) for place in places}
        named = {step.picture for entry in sessions.values() for step in entry.steps if step.picture}
        return cls(sessions, {digest: recorded.pictures.get(digest) for digest in named})


class Workplace:
    """What runs in an actor."""

    def __init__(self, assignment: Assignment) -> None:
        sys.path[:0] = [entry for entry in assignment.path if entry not in sys.path]
        self._assignment = assignment
        self._bench: Bench | None = None

    def perform(self, task: Task, parcel: Parcel | None) -> Iterator[Message]:
        """All messages of one task; the first one sets the bench up."""
        try:
            if self._bench is None:
                self._bench = self._assignment.bench().__enter__()
        except Exception as error:  # noqa: BLE001 (it is raised again where the run is)
            yield failed(error)
            return
        yield from perform(self._bench, task, parcel or Parcel({}, {}))

    def close(self) -> None:
        """Close browser and shop."""
        if self._bench is not None:
            self._bench.__exit__()
            self._bench = None


@dataclass(eq=False)
class RayHand:
    """One actor."""

    name: str
    actor: Any
    crew: RayCrew
    stream: Any = None
    browser: str = ""

    def give(self, task: Task) -> None:
        """Hand it a task, with the sessions that it needs."""
        with self.crew.living():
            parcel = self.crew.parcel(task)
            self.stream = self.actor.perform.options(num_returns="streaming").remote(task, parcel)

    def dismiss(self) -> None:
        """End the actor and everything that it started."""
        with suppress(OSError, self.crew.ray.exceptions.RayError):
            self.crew.ray.kill(self.actor, no_restart=True)
        self.crew.forget(self)


class RayCrew:
    """Actors of a Ray cluster.

    Without Ray's own processes on this machine nothing more would be heard of any actor: the run then stops,
    unless Ray has ended the program first, as it does when its object store goes while data is on its way.

    Args:
        assignment: what each sets up.
        address: of the cluster; "" starts one on this machine, "auto" takes the one it belongs to.

    Raises:
        MissingExtraError: Ray is not installed.
        WorkError: there is no cluster at the address.
    """

    def __init__(self, assignment: Assignment, address: str = "") -> None:
        self.ray = _ray()
        self._assignment = assignment
        self._owned = not self.ray.is_initialized()
        if self._owned:
            self._connect(address)
        self._node = self.ray.get_runtime_context().get_node_id()
        self._hands: list[RayHand] = []
        self._hired = 0
        self._parcels: dict[int, Any] = {}
        self._recorded = TrajectoryStore(assignment.folder / TRAJECTORIES)

    def has_room(self) -> bool:
        """Whether the living nodes have a core for each worker and one more."""
        nodes = (node["Resources"] for node in self.ray.nodes() if node["Alive"])
        return bool(len(self._hands) < sum(resources.get("CPU", 0) for resources in nodes))

    def hire(self) -> RayHand:
        """Start an actor wherever the cluster has a free core."""
        kind = self.ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(Workplace)
        with self.living():
            hand = RayHand(f"actor {self._hired}", kind.remote(self._assignment), self)
        self._hired += 1
        self._hands.append(hand)
        return hand

    def wait(self, hands: Sequence[Hand], seconds: float) -> list[tuple[Hand, Message]]:
        """What these actors say next."""
        by_stream = {hand.stream: hand for hand in self._hands if hand in hands}
        with self.living():
            ready, _ = self.ray.wait(list(by_stream), num_returns=len(by_stream), timeout=0)
            if not ready:
                ready, _ = self.ray.wait(list(by_stream), num_returns=1, timeout=min(seconds, LOOK))
            if not ready:
                self._check_node()
            return [(by_stream[stream], self._next(by_stream[stream])) for stream in ready]

    def close(self) -> None:
        """End all actors, and the cluster where it was started here."""
        with suppress(OSError, self.ray.exceptions.RayError):
            if closing := [hand.actor.close.remote() for hand in self._hands]:
                self.ray.wait(closing, num_returns=len(closing), timeout=GRACE)
        for hand in list(self._hands):
            hand.dismiss()
        self._parcels.clear()
        if self._owned:
            self.ray.shutdown()

    def forget(self, hand: RayHand) -> None:
        """Count a worker no longer."""
        if hand in self._hands:
            self._hands.remove(hand)

    def parcel(self, task: Task) -> Any:
        """The sessions of a task's tree in the object store; put there once."""
        if not isinstance(task, Ask):
            return None
        if task.tree not in self._parcels:
            forest = self._assignment.config.forest
            packed = Parcel.pack(self._recorded, list(forest.places_of(task.tree)))
            self._parcels = {task.tree: self.ray.put(packed)} | dict(list(self._parcels.items())[-8:])
        return self._parcels[task.tree]

    def _check_node(self) -> None:
        if not any(node["Alive"] and node["NodeID"] == self._node for node in self.ray.nodes()):
            raise WorkError(GONE)

    @contextmanager
    def living(self) -> Iterator[None]:
        """Ray's own processes are there, or the run stops: what is asked of Ray then fails in many ways."""
        try:
            yield
        except (OSError, self.ray.exceptions.RaySystemError) as error:
            raise WorkError(GONE) from error

    def _next(self, hand: RayHand) -> Message:
        try:
            message: Message = self.ray.get(next(hand.stream))
        except StopIteration:
            return Finished(hand.browser)
        except self.ray.exceptions.RayError as error:
            hand.dismiss()
            self._check_node()
            return Died(f"{type(error).__name__}: {str(error).strip().splitlines()[0]}")
        if isinstance(message, Finished):
            hand.browser = message.browser
            return self._next(hand)
        return message

    def _connect(self, address: str) -> None:
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
        if address:
            options["address"] = address
        else:
            options |= {"include_dashboard": False, "_node_ip_address": "127.0.0.1"}
        for left in reversed(range(STARTS)):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    self.ray.init(**options)
                return
            except Exception as error:
                self.ray.shutdown()
                if address or not left:
                    where = address or "this machine"
                    raise WorkError(f"no Ray cluster can be used at {where}: {error}") from error


def _ray() -> Any:
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError as error:
        raise MissingExtraError("the engine 'ray'", "ray", "ray") from error
    return ray
