"""The Gymnasium contract: grading, endings, counts, spaces, vectors."""

import pickle
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest
from flask import redirect
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RecordEpisodeStatistics, TimeLimit

from recallreach.env.errors import EpisodeOverError, TransportError
from recallreach.env.spaces import CHARSET, as_dict, observation_space, picture_array
from recallreach.env.store_env import StoreEnv, Task
from recallreach.env.transports import InProcessTransport
from recallreach.env.types import AddToWishlist, Click, Done, Invalid, Navigate, Observation
from recallreach.errors import ConfigError
from recallreach.storefront.catalog import Catalog

NAMES = ["recallreach/Browse-v0", "recallreach/Recall-v0"]


@pytest.fixture
def env(app: Any) -> StoreEnv:
    return StoreEnv(InProcessTransport(app))


@pytest.fixture
def products(catalog: Catalog) -> list[str]:
    return [product.id for product in catalog]


def start(env: StoreEnv, **options: Any) -> Observation:
    _, info = env.reset(seed=0, options=options)
    observation: Observation = info["observation"]
    return observation


def test_the_right_product_at_the_final_action_earns_the_reward(env: StoreEnv, products: list[str]) -> None:
    first = start(env, goal="find it", budget=8, target=products[3])
    assert (first.url, first.step, first.budget) == ("/", 0, 8)
    obs, reward, terminated, truncated, info = env.step(
        f"Thought: there.\nAction: navigate(/product/{products[3]})"
    )
    assert (reward, terminated, truncated, info["graded"], info["correct"]) == (
        0.0,
        False,
        False,
        None,
        False,
    )
    assert (obs["goal"], obs["url"], int(obs["step"])) == ("find it", f"/product/{products[3]}", 1)
    _, reward, terminated, truncated, info = env.step("Action: add_to_wishlist")
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert (info["graded"], info["correct"], info["action"]) == (products[3], True, AddToWishlist())


@pytest.mark.parametrize("final", ["done", "add_to_wishlist"])
def test_another_product_or_no_product_earns_nothing(env: StoreEnv, products: list[str], final: str) -> None:
    start(env, budget=8, target=products[3])
    env.step(f"navigate(/product/{products[4]})")
    _, reward, terminated, _, info = env.step(final)
    assert (reward, terminated, info["graded"], info["correct"]) == (0.0, True, products[4], False)
    start(env, budget=8, target=products[3])
    _, reward, terminated, _, info = env.step(final)
    assert (reward, terminated, info["graded"], info["correct"]) == (0.0, True, None, False)


def test_the_page_open_at_the_final_action_counts_wherever_the_shop_leads_then(trouble: Any) -> None:
    trouble.app.view_functions["add"] = lambda: redirect("/product/0000000b", 303)
    env = StoreEnv(InProcessTransport(trouble.app))
    start(env, target="0000000a")
    env.step("navigate(/product/0000000a)")
    obs, reward, *_, info = env.step("add_to_wishlist")
    assert (obs["url"], reward, info["graded"]) == ("/product/0000000b", 1.0, "0000000a")


def test_a_spent_budget_grades_the_page_then_open(env: StoreEnv, products: list[str]) -> None:
    start(env, budget=2, target=products[3])
    _, _, terminated, truncated, _ = env.step("navigate(/about)")
    assert (terminated, truncated) == (False, False)
    _, reward, terminated, truncated, info = env.step(f"navigate(/product/{products[3].upper()}/?x=1#y)")
    assert (reward, terminated, truncated, info["graded"]) == (1.0, False, True, products[3])


def test_the_final_action_in_the_last_step_terminates_and_does_not_truncate(
    env: StoreEnv, products: list[str]
) -> None:
    start(env, budget=1, target=products[3])
    _, _, terminated, truncated, _ = env.step("done")
    assert (terminated, truncated) == (True, False)


def test_without_a_target_nothing_is_right(env: StoreEnv, products: list[str]) -> None:
    start(env, budget=8, target=None)
    env.step(f"navigate(/product/{products[0]})")
    _, reward, _, _, info = env.step("add_to_wishlist")
    assert (reward, info["graded"], info["correct"]) == (0.0, products[0], False)
    start(env, budget=8, target=None)
    _, reward, _, _, info = env.step("done")
    assert (reward, info["graded"], info["correct"]) == (0.0, None, False)


def test_endings_before_the_least_number_of_steps_are_refused_and_counted(
    env: StoreEnv, products: list[str]
) -> None:
    start(env, budget=5, min_steps=3)
    env.step(f"navigate(/product/{products[0]})")
    obs, _, terminated, truncated, info = env.step("add_to_wishlist")
    assert (terminated, truncated, info["graded"], info["early_endings"]) == (False, False, None, 1)
    assert "too early" in obs["message"]
    assert info["observation"].url == f"/product/{products[0]}"
    _, _, terminated, _, info = env.step("done")
    assert (terminated, info["graded"], info["early_endings"]) == (True, products[0], 1)


def test_replies_without_an_action_cost_a_step_and_are_counted(env: StoreEnv) -> None:
    start(env, budget=3)
    obs, _, _, _, info = env.step("hello")
    assert (int(obs["step"]), info["invalid_actions"]) == (1, 1)
    assert isinstance(info["action"], Invalid)
    assert "click_index(N)" in obs["message"]
    _, _, _, _, info = env.step("open(M3)")
    assert info["invalid_actions"] == 2
    assert "M3" in info["observation"].message
    _, _, _, truncated, info = env.step("click_index(0)")
    assert (truncated, info["invalid_actions"], info["action"]) == (True, 2, Click(0))
    assert info["observation"].message == ""


def test_absolute_addresses_of_the_shop_are_recorded_as_paths(env: StoreEnv) -> None:
    start(env)
    *_, info = env.step('navigate("http://localhost/about")')
    assert info["action"] == Navigate("/about")
    *_, info = env.step('navigate("http://evil.example/about")')
    assert info["action"] == Navigate("http://evil.example/about")
    assert "evil.example" in info["observation"].message


def test_steps_outside_an_episode_are_clear_errors(env: StoreEnv) -> None:
    with pytest.raises(EpisodeOverError, match="reset"):
        env.step("back")
    start(env, budget=1)
    env.step("done")
    with pytest.raises(EpisodeOverError, match="ended"):
        env.step("back")
    start(env)
    env.close()
    env.close()
    with pytest.raises(EpisodeOverError, match="reset"):
        env.step("back")


def test_what_belongs_to_the_environment_is_closed_once(app: Any) -> None:
    closed: list[str] = []
    env = StoreEnv(InProcessTransport(app), on_close=lambda: closed.append("shop"))
    env.close()
    env.close()
    assert closed == ["shop"]


def test_a_second_reset_starts_afresh(env: StoreEnv, products: list[str]) -> None:
    start(env, budget=3, min_steps=3)
    env.step(f"navigate(/product/{products[0]})")
    env.step("hello")
    env.step("done")
    assert start(env, budget=8) == Observation(**fields(start(env, budget=8)))
    *_, info = env.step("back")
    assert (info["invalid_actions"], info["early_endings"]) == (0, 0)
    assert "no page before" in info["observation"].message


def fields(observation: Observation) -> dict[str, Any]:
    return {name: getattr(observation, name) for name in Observation.__slots__}


def test_two_drawings_of_one_page_are_one_observation(env: StoreEnv) -> None:
    _, info = env.reset()
    page = info["observation"]
    assert replace(page, screenshot=b"one") == replace(page, screenshot=b"another") != replace(page, text="")


def test_options_are_checked(env: StoreEnv) -> None:
    with pytest.raises(ConfigError, match=r"'budgets'.*Did you mean 'budget'"):
        env.reset(options={"budgets": 3})
    for options in ({"budget": 0}, {"budget": 3, "min_steps": 4}, {"budget": 10**9}, {"min_steps": -1}):
        with pytest.raises(ConfigError, match="budget"):
            env.reset(options=options)
    for name, value in (("goal", 5), ("budget", "x"), ("target", 3), ("min_steps", 1.5)):
        with pytest.raises(ConfigError, match=f"{name}={value!r} is no"):
            env.reset(options={name: value})
    with pytest.raises(ConfigError, match="ansi"):
        StoreEnv(env.transport, render_mode="hologram")


def test_a_transport_error_leaves_the_episode_running(trouble: Any) -> None:
    env = StoreEnv(InProcessTransport(trouble.app))
    start(env, budget=2)
    with pytest.raises(TransportError):
        env.step("navigate(/boom)")
    obs, _, _, truncated, _ = env.step("navigate(/other)")
    assert (obs["url"], int(obs["step"]), truncated) == ("/other", 1, False)


def test_observations_lie_in_the_declared_space_whatever_the_page_says() -> None:
    odd = Observation("/" + "x" * 5000, "漢字\x00", "\U0001f600" * 50_000, (), message="\ud800")
    for pixels in (False, True):
        obs = as_dict(odd, "goal\t", pixels=pixels)
        assert observation_space(pixels=pixels).contains(obs)
    assert "\N{REPLACEMENT CHARACTER}" in CHARSET
    assert as_dict(Observation("/", "€ é ö – ★", "", ()), "", pixels=False)["title"] == "€ é ö – ★"


def test_pictures_are_decoded_into_the_declared_shape(
    in_process: InProcessTransport, products: list[str]
) -> None:
    picture = in_process.act(Navigate(f"/product/{products[0]}")).picture
    array = picture_array(picture)
    wanted = [int(products[0][i : i + 2], 16) for i in (0, 2, 4)]
    assert (array.shape, array.dtype) == ((512, 512, 3), np.uint8)
    assert np.abs(array.reshape(-1, 3).mean(0) - wanted).max() < 8
    assert not picture_array(None).any()


def test_rendering_draws_the_page(app: Any, products: list[str]) -> None:
    env = StoreEnv(InProcessTransport(app), render_mode="rgb_array")
    start(env, budget=3)
    home = env.render()
    env.step(f"navigate(/product/{products[0]})")
    page = env.render()
    assert isinstance(home, np.ndarray)
    assert isinstance(page, np.ndarray)
    assert (page.shape, page.dtype) == ((900, 1280, 3), np.uint8)
    assert (home != page).any()
    color = [int(products[0][i : i + 2], 16) for i in (0, 2, 4)]
    assert np.abs(page[200, 1000].astype(int) - color).max() < 8


def test_rendering_shows_the_page_as_text(app: Any) -> None:
    env = StoreEnv(InProcessTransport(app), render_mode="ansi")
    assert env.render() is None
    start(env, budget=3)
    env.step("click_index(999)")
    text = env.render()
    assert isinstance(text, str)
    assert "step 1 of 3" in text
    assert "no link 999" in text
    assert "[0] " in text


@pytest.mark.parametrize("name", NAMES)
def test_registered_environments_pass_gymnasiums_own_check(name: str) -> None:
    env = gymnasium.make(name)
    check_env(env.unwrapped)
    env.close()
    env.close()


def test_episodes_after_a_seed_repeat_too() -> None:
    env = gymnasium.make("recallreach/Recall-v0", pixels=False)
    goals = [[env.reset(seed=seed)[0]["goal"] for seed in (7, None, None)] for _ in range(2)]
    assert goals[0] == goals[1]
    assert len(set(goals[0])) == 3
    env.close()


@pytest.mark.parametrize("name", NAMES)
def test_a_seed_decides_the_task_and_the_pages(name: str) -> None:
    runs = []
    for seed in (5, 5, 6):
        env = gymnasium.make(name, pixels=False)
        obs, _ = env.reset(seed=seed)
        steps = [env.step(action)[0] for action in ("click_index(4)", "click_index(9)", "back", "hm")]
        runs.append([obs, *steps])
        env.close()
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


def test_the_recall_environment_rewards_its_hidden_target(catalog: Catalog) -> None:
    env = gymnasium.make("recallreach/Recall-v0", pixels=False)
    goal = env.reset(seed=3)[0]["goal"]
    answers = Catalog.synthetic(0, variants=4)
    (target,) = [product.id for product in answers if answers.cue_of(product.id).phrase in goal]
    assert target not in goal
    env.step(f"navigate(/product/{target})")
    *_, info = env.step("add_to_wishlist")
    assert info["correct"]
    env.close()


def test_it_works_in_vectors() -> None:
    envs = gymnasium.make_vec("recallreach/Recall-v0", num_envs=2, vectorization_mode="sync", pixels=True)
    obs, _ = envs.reset(seed=[1, 2])
    assert obs["picture"].shape == (2, 512, 512, 3)
    obs, rewards, terminated, _, _ = envs.step(("click_index(0)", "done"))
    assert (list(rewards), list(terminated)) == ([0.0, 0.0], [False, True])
    obs, _, terminated, _, _ = envs.step(("click_index(0)", "done"))
    assert (list(obs["step"]), list(terminated)) == ([2, 0], [False, False])
    envs.close()


def test_it_works_in_processes_of_its_own() -> None:
    envs = gymnasium.make_vec(
        "recallreach.env:recallreach/Recall-v0",
        num_envs=1,
        vectorization_mode="async",
        vector_kwargs={"context": "spawn", "shared_memory": False},
        pixels=False,
    )
    obs, _ = envs.reset(seed=[1])
    assert obs["url"] == ("/",)
    obs, _, terminated, _, infos = envs.step(("click_index(0)",))
    assert (list(obs["step"]), list(terminated)) == ([1], [False])
    assert infos["action"][0] == Click(0)
    envs.close()


def test_it_works_under_the_usual_wrappers() -> None:
    wrapped = TimeLimit(RecordEpisodeStatistics(gymnasium.make("recallreach/Browse-v0", pixels=False)), 2)
    wrapped.reset(seed=0)
    wrapped.step("click_index(0)")
    *_, truncated, _info = wrapped.step("click_index(0)")
    assert truncated
    wrapped.close()


def test_infos_can_cross_process_borders(env: StoreEnv) -> None:
    start(env)
    *_, info = env.step("click_index(0)")
    assert pickle.loads(pickle.dumps(info)) == info
    assert info["timings"].total >= info["timings"].transport > 0


def test_a_task_of_its_own_serves_where_reset_gets_no_options(app: Any) -> None:
    env = StoreEnv(InProcessTransport(app), task=Task("look", budget=1))
    obs, _ = env.reset()
    assert (obs["goal"], int(obs["budget"])) == ("look", 1)
    *_, truncated, info = env.step("click_index(0)")
    assert truncated
    assert info["action"] == Click(0)
    assert not isinstance(info["action"], Done)
