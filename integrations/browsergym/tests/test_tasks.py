"""Tasks, grades and the example agent in BrowserGym's own environment: real Chromium, real shop."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import gymnasium
import pytest
import recallreach_browsergym
from browsergym.experiments.agent import Agent
from browsergym.experiments.loop import AbstractAgentArgs, ExpArgs, get_exp_result
from recallreach_browsergym.desk import Desk, DeskError, parse_address, python
from recallreach_browsergym.experiments import benchmark

EXAMPLE = Path(__file__).parents[1] / "examples" / "collection_walker.py"
ANSWERS = """
import sys
from recallreach_browsergym.shop_side import Tasks, configuration, parser
tasks = Tasks(configuration(parser().parse_args(sys.argv[2:])))
print(tasks._tasks[sys.argv[1]].target)
"""
OPTIONS = ("--chains", "1", "--sessions", "2", "--variants", "2", "--memory", "dualmem")


@pytest.fixture(scope="session")
def desk() -> Desk:
    return recallreach_browsergym.start_desk(OPTIONS)


@pytest.fixture(scope="session")
def walker() -> Any:
    """The shipped example, as a module."""
    spec = importlib.util.spec_from_file_location("collection_walker", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def answer_of(task: str) -> str:
    """The target, worked out anew by recallreach's own Python; the desk never tells it."""
    source = Path(recallreach_browsergym.__file__).parent
    script = ANSWERS.replace("recallreach_browsergym.shop_side", "shop_side")
    done = subprocess.run(
        [python(), "-c", script, task, *OPTIONS],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(source)},
    )
    return done.stdout.strip()


def test_the_list_goes_through_each_chain(desk: Desk) -> None:
    names = [entry["task"] for entry in desk.listing()]
    assert names[0] == "c0-s0"
    assert {"c0-s0-p0", "c0-s1", "c0-s1-p0", "c0-s1-p1"} <= set(names)
    assert all("target" not in entry and "phrase" not in entry for entry in desk.listing())
    ids = recallreach_browsergym.register(desk)
    assert ids == [f"browsergym/recallreach.{name}" for name in names]
    assert set(ids) <= gymnasium.registry.keys()


def test_the_task_port_tells_nothing_without_the_token(desk: Desk) -> None:
    with pytest.raises(DeskError, match="401"):
        replace(desk, token="guessed").listing()
    with pytest.raises(DeskError, match="no task 'c9-s9'"):
        desk.open("c9-s9")


def test_the_right_product_on_the_wishlist_earns_the_reward(desk: Desk) -> None:
    target = answer_of("c0-s1-p0")
    recallreach_browsergym.register(desk)
    env = gymnasium.make("browsergym/recallreach.c0-s1-p0")
    observation, _ = env.reset(seed=0)
    kinds = [part["type"] for part in observation["goal_object"]]
    assert kinds.count("image_url") >= 1, "dualmem delivers pictures"
    assert target not in observation["goal_object"][0]["text"]
    _, reward, terminated, _, info = env.step(f"goto('{desk.shop}/product/{target}')")
    assert (reward, terminated, info["task_info"]["products"]) == (0.0, False, (target,))
    for _ in range(5):  # BrowserGym gives a click half a second, which a busy machine may exceed
        observation, reward, terminated, _, info = env.step(f"click('{wish_button(env)}')")
        if not observation["last_action_error"]:
            break
    assert (reward, terminated) == (1.0, True)
    assert (info["task_info"]["graded"], info["task_info"]["correct"]) == (target, True)
    env.close()


def wish_button(env: Any) -> str:
    """BrowserGym's id of the button on the page now open."""
    page = env.unwrapped.page
    return str(page.get_by_role("button", name="Add to wishlist").get_attribute("bid"))


def test_leaving_the_shop_and_giving_up(desk: Desk) -> None:
    recallreach_browsergym.register(desk)
    env = gymnasium.make("browsergym/recallreach.c0-s0-p0")
    env.reset(seed=0)
    observation, *_ = env.step("goto('data:text/html,<h1>out</h1>')")
    assert observation["url"] == f"{desk.shop}/"
    assert "leads out of this shop" in observation["chat_messages"][-1]["message"]
    _, reward, terminated, _, info = env.step("send_msg_to_user('I do not know.')")
    assert (reward, terminated, info["task_info"]["graded"]) == (0.0, True, None)
    env.close()


def test_another_product_on_the_wishlist_earns_nothing(desk: Desk) -> None:
    target = answer_of("c0-s0-p0")
    recallreach_browsergym.register(desk)
    env = gymnasium.make("browsergym/recallreach.c0-s0-p0", pre_observation_delay=0)
    env.reset(seed=0)
    env.step(f"goto('{desk.shop}/product/{target}')")
    sibling = env.unwrapped.page.locator("main .card a").first.get_attribute("href")
    env.step(f"goto('{desk.shop}{sibling}')")
    for _ in range(4):
        observation, reward, terminated, _, info = env.step(f"click('{wish_button(env)}')")
        if not observation["last_action_error"]:
            break
    assert (reward, terminated, info["task_info"]["correct"]) == (0.0, True, False)
    assert info["task_info"]["graded"] == str(sibling).rpartition("/")[2] != target
    env.close()


def test_a_spent_budget_grades_the_page_then_open(desk: Desk) -> None:
    target = answer_of("c0-s1-p0")
    recallreach_browsergym.register(desk)
    env = gymnasium.make("browsergym/recallreach.c0-s1-p0", pre_observation_delay=0)
    _, info = env.reset(seed=0)
    budget, ends = info["task_info"]["budget"], []
    for _ in range(budget):
        _, reward, terminated, _, info = env.step(f"goto('{desk.shop}/product/{target}')")
        ends.append((reward, terminated))
    assert ends == [(0.0, False)] * (budget - 1) + [(1.0, True)]
    assert (info["task_info"]["graded"], info["task_info"]["steps"]) == (target, budget)
    env.close()


def test_the_example_agent_runs_a_session_and_a_probe(desk: Desk, walker: Any) -> None:
    ids = recallreach_browsergym.register(desk)
    for name in ids[:2]:
        reward, info = walker.run(name, seed=1)
        assert reward == float(info["correct"])
        assert info["graded"] in (None, *info["products"])
        assert 1 <= info["steps"] <= info["budget"]


@dataclass
class WalkerArgs(AbstractAgentArgs):
    """The example agent, as AgentLab wants its agents."""

    def make_agent(self) -> Agent:
        spec = importlib.util.spec_from_file_location("collection_walker", EXAMPLE)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)

        class Walker(Agent):
            walker = module.CollectionWalker(0)

            def obs_preprocessor(self, obs: dict[str, Any]) -> dict[str, Any]:
                # BrowserGym counts the tokens of every text at this level with a vocabulary from the network
                return {"whole": obs}

            def get_action(self, obs: dict[str, Any]) -> tuple[str, dict[str, Any]]:
                return self.walker.get_action(obs["whole"]), {}

        return Walker()


def test_agentlabs_experiment_loop_runs_the_benchmark(desk: Desk, tmp_path: Path) -> None:
    tasks = benchmark(desk, probes_only=True)
    assert tasks.env_args_list[0].task_name == "recallreach.c0-s0-p0"
    experiment = ExpArgs(agent_args=WalkerArgs(), env_args=tasks.env_args_list[0])
    experiment.prepare(tmp_path)
    experiment.run()
    summary = get_exp_result(experiment.exp_dir).summary_info
    assert summary["err_msg"] is None
    assert 1 <= summary["n_steps"] <= tasks.env_args_list[0].max_steps


def test_workers_find_the_shop_by_its_address(desk: Desk) -> None:
    script = (
        "import recallreach_browsergym, gymnasium; "
        "print('browsergym/recallreach.c0-s0' in gymnasium.registry)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "RECALLREACH_TASKS": desk.address},
    )
    assert done.stdout.strip() == "True"
    assert parse_address(desk.address) == desk


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch, desk: Desk) -> None:
    monkeypatch.setenv("RECALLREACH_PYTHON", "/no/such/python")
    with pytest.raises(DeskError, match="not an executable file"):
        python()
    monkeypatch.delenv("RECALLREACH_PYTHON")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(DeskError, match="set RECALLREACH_PYTHON"):
        python()
    with pytest.raises(DeskError, match="it must look like"):
        parse_address("nonsense")
    gone = Desk("http://127.0.0.1:1", "http://127.0.0.1:1", "x")
    with pytest.raises(DeskError, match="is it still running"):
        gone.listing()
    assert json.loads(gone.address)["token"] == "x"
