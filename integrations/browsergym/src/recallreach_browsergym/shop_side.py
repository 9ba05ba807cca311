"""The half that runs in recallreach's own Python: the shop on one port, its tasks on another.

    python shop_side.py --chains 2 --sessions 3 --probes 1 --memory dualmem

It prints one line of JSON (`shop`, `tasks`, `token`) when both are open and ends when its standard input
does, so that it never outlives the process that started it. Targets stay in this process: the task port asks
for the token, and tells only whether an answer was right.
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import tempfile
from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from flask import Flask, abort, request

from recallreach.agents.loops import browse, remember
from recallreach.env.actions import product_id_of
from recallreach.env.probes import plan_probes
from recallreach.env.sessions import plan_session
from recallreach.env.store_env import StoreEnv
from recallreach.env.trajectory import TrajectoryStore
from recallreach.env.transports import InProcessTransport
from recallreach.env.types import Probe, SessionPlan, Trajectory
from recallreach.errors import RecallReachError
from recallreach.memory.types import Delivered, ImagePart, Query
from recallreach.storefront.app import create_app
from recallreach.storefront.server import ShopServer
from recallreach.storefront.views import COOKIE, Shop
from recallreach.study.assembly import Materials, make_agent
from recallreach.study.config import CatalogChoice, Part, StudyConfig

FINISH = (
    "To finish, press 'Add to wishlist' on a product's page, or send the user a message. You have {} steps."
)


class Tasks:
    """Every session and every probe of a few chains, and the grader.

    Chains are recorded here by the scripted shopper, as in a study, so probes ask for what it has seen.

    Args:
        config: seed, catalogue, chains, sessions, probes and one memory.
    """

    def __init__(self, config: StudyConfig) -> None:
        self.materials = Materials.gather(config)
        self.app = create_app(self.materials.catalog, self.materials.pictures)
        self._shop: Shop = self.app.extensions["recallreach"]
        self._store = TrajectoryStore(Path(tempfile.mkdtemp(prefix="recallreach-browsergym-")))
        self._config = config
        self._recorded = {chain: self._record(chain) for chain in range(config.chains)}
        self._tasks: dict[str, SessionPlan | Probe] = dict(self._named())

    def listing(self) -> list[dict[str, Any]]:
        """Name, kind, chain and session of every task, in the order in which a chain lives through them."""
        return [
            {
                "task": name,
                "kind": "probe" if isinstance(task, Probe) else "session",
                "chain": task.chain,
                "session": task.session if isinstance(task, Probe) else task.index,
                "budget": task.budget,
            }
            for name, task in self._tasks.items()
        ]

    def open(self, name: str) -> dict[str, Any]:
        """Goal (texts and pictures in reading order) and budget of one task."""
        task = self._task(name)
        goal: list[dict[str, str]] = [{"type": "text", "text": task.goal}]
        if isinstance(task, Probe):
            goal += self._delivered(task)
        goal.append({"type": "text", "text": FINISH.format(task.budget)})
        return {"goal": goal, "budget": task.budget}

    def grade(self, name: str, url: str, cookies: Mapping[str, str]) -> dict[str, Any]:
        """Which product the visitor answered with, whether that ended the task, and whether it is right.

        The answer is the product on the wishlist, where there is one, else the product whose page is open.
        """
        task = self._task(name)
        wished = self._shop.visits.read(cookies.get(COOKIE)).wishlist
        graded = wished[0] if wished else product_id_of(url)
        right = isinstance(task, Probe) and graded == task.target
        return {"page": product_id_of(url), "graded": graded, "wished": bool(wished), "correct": right}

    def _task(self, name: str) -> SessionPlan | Probe:
        return self._tasks[name] if name in self._tasks else abort(404)

    def _record(self, chain: int) -> list[Trajectory]:
        seed, shopper = self._config.seed, make_agent(self._config.shopper)
        env = StoreEnv(InProcessTransport(self.app))
        plans = [
            plan_session(self.materials.catalog, seed, chain, index) for index in range(self._config.sessions)
        ]
        return [browse(env, shopper, plan, seed=seed, pictures=self._store.pictures) for plan in plans]

    def _named(self) -> list[tuple[str, SessionPlan | Probe]]:
        named: list[tuple[str, SessionPlan | Probe]] = []
        for chain, trajectories in self._recorded.items():
            probes = self._probes(trajectories)
            for trajectory in trajectories:
                plan = trajectory.plan
                named.append((f"c{chain}-s{plan.index}", plan))
                asked = [probe for probe in probes if probe.session == plan.index]
                named += [(f"c{chain}-s{plan.index}-p{at}", probe) for at, probe in enumerate(asked)]
        return named

    def _probes(self, trajectories: Sequence[Trajectory]) -> list[Probe]:
        config = self._config
        per_reach = None if config.probes == "exhaustive" else int(config.probes)
        return plan_probes(
            trajectories, self.materials.catalog, per_reach=per_reach, seed=config.seed, budget=config.budget
        )

    def _delivered(self, probe: Probe) -> list[dict[str, str]]:
        """What this study's memory delivers for the probe, as parts of a goal."""
        system = self.materials.systems[0]
        memory = self.materials.make_memory(system.memory)
        for trajectory in self._recorded[probe.chain][: probe.session + 1]:
            remember(memory, trajectory, self._store.pictures)
        query = Query(probe.goal, "/")
        delivery = self.materials.make_delivery(system.delivery)
        return as_goal(delivery.deliver(query, memory.retrieve(query, self._config.k)))


def as_goal(delivered: Delivered) -> list[dict[str, str]]:
    """Delivered parts in BrowserGym's goal format; each picture stays right after its own line."""
    return [
        {"type": "image_url", "image_url": f"data:{part.media_type};base64,{b64encode(part.data).decode()}"}
        if isinstance(part, ImagePart)
        else {"type": "text", "text": part.text}
        for part in delivered.parts
    ]


def task_app(tasks: Tasks, token: str) -> Flask:
    """The task port: list, open and grade, for whoever knows the token."""
    app = Flask("recallreach-tasks", static_folder=None)
    app.add_url_rule("/tasks", "tasks", tasks.listing)
    app.add_url_rule("/tasks/<name>", "open", tasks.open)

    def grade(name: str) -> dict[str, Any]:
        asked = request.get_json()
        return tasks.grade(name, str(asked["url"]), dict(asked["cookies"]))

    def check() -> None:
        given = request.headers.get("Authorization", "")
        if not secrets.compare_digest(given.encode(), f"Bearer {token}".encode()):
            abort(401)

    app.add_url_rule("/tasks/<name>/grade", "grade", grade, methods=["POST"])
    app.before_request(check)
    return app


def configuration(arguments: argparse.Namespace) -> StudyConfig:
    """The study that these tasks are taken from."""
    return StudyConfig(
        seed=arguments.seed,
        chains=arguments.chains,
        sessions=arguments.sessions,
        probes=arguments.probes or "exhaustive",
        memories=(Part(name=arguments.memory),),
        catalog=CatalogChoice(variants=arguments.variants),
        transport="in_process",
    )


def parser() -> argparse.ArgumentParser:
    """The options, which `recallreach-browsergym` passes on."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--seed", type=int, default=0)
    made.add_argument("--chains", type=int, default=1, help="independent chains of sessions")
    made.add_argument("--sessions", type=int, default=3, help="browsing sessions per chain")
    made.add_argument("--probes", type=int, default=1, help="probes per session and reach; 0 asks all")
    made.add_argument("--memory", default="no-memory", help="whose delivered items come with a probe's goal")
    made.add_argument("--variants", type=int, default=4, help="products per collection")
    return made


def main() -> None:
    """Serve until standard input ends."""
    try:
        tasks = Tasks(configuration(parser().parse_args()))
    except (RecallReachError, ValueError) as error:
        sys.exit(f"recallreach-browsergym: {error}")
    token = secrets.token_hex(16)
    with ShopServer(tasks.app) as shop, ShopServer(task_app(tasks, token)) as desk:
        sys.stdout.write(json.dumps({"shop": shop.url, "tasks": desk.url, "token": token}) + "\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main()
