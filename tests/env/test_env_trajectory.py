"""Trajectories on disk: exact, checked, replayable."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recallreach.env.actions import render_action
from recallreach.env.sessions import plan_session, seen_at
from recallreach.env.store_env import StoreEnv
from recallreach.env.trajectory import TrajectoryStore, experiences, products_seen, verify
from recallreach.env.transports import InProcessTransport
from recallreach.env.types import Observation, Trajectory, TrajectoryStep
from recallreach.errors import DataError
from recallreach.storefront.catalog import Catalog

SCRIPT = [
    "click_index(4)",
    "hm",
    "click_index(9)",
    "click_index(10)",
    "back",
    'search("oak")',
    "navigate(/nope)",
    "done",
]


def record(store: TrajectoryStore, catalog: Catalog, app: Any) -> Trajectory:
    """A short session over the real shop, with invalid and refused actions in it."""
    env, plan = StoreEnv(InProcessTransport(app)), plan_session(catalog, 0, 2, 1)
    first, second = [product.id for product in catalog][:2]
    script = [
        *SCRIPT[:3],
        f"navigate(/product/{first})",
        "click_index(9999)",
        "add_to_wishlist",
        f"navigate(/product/{second})",
        *SCRIPT[3:],
    ]
    script += [f"navigate(/product/{first})", "add_to_wishlist"]
    _, info = env.reset(options={"goal": plan.goal, "budget": 50, "min_steps": len(script)})
    steps = [step("", "", info["observation"], seen_at(plan, 0, 0), store)]
    for number, reply in enumerate(script, 1):
        *_, info = env.step(reply)
        action = render_action(info["action"])
        steps.append(step(reply, action, info["observation"], seen_at(plan, 0, number), store))
    return Trajectory(plan, tuple(steps), products_seen(steps), {"catalog": catalog.hash, "agent": "script"})


def step(reply: str, action: str, seen: Observation, when: str, store: TrajectoryStore) -> TrajectoryStep:
    picture = None if seen.picture is None else store.pictures.put(seen.picture)
    return TrajectoryStep(reply, action, seen.url, seen.title, seen.text, picture, when, seen.message)


@pytest.fixture
def store(tmp_path: Path) -> TrajectoryStore:
    return TrajectoryStore(tmp_path / "trajectories")


@pytest.fixture
def trajectory(store: TrajectoryStore, catalog: Catalog, app: Any) -> Trajectory:
    return record(store, catalog, app)


def test_what_is_saved_is_what_is_loaded(store: TrajectoryStore, trajectory: Trajectory) -> None:
    assert not store.has(2, 1)
    path = store.save(trajectory)
    before = path.read_bytes()
    assert store.load(2, 1) == trajectory
    assert store.has(2, 1)
    assert store.keys() == [(2, 1)]
    store.save(store.load(2, 1))
    assert path.read_bytes() == before
    store.save(replace(trajectory, plan=replace(trajectory.plan, index=12345)))
    assert store.keys() == [(2, 1), (2, 12345)]
    assert [entry.name for entry in path.parent.iterdir() if entry.name.startswith(".")] == []


def test_pictures_are_kept_once_by_their_digest(store: TrajectoryStore, trajectory: Trajectory) -> None:
    digests = {entry.picture for entry in trajectory.steps} - {None}
    assert len(digests) == len(trajectory.products) >= 2
    assert {path.stem for path in store.pictures.folder.iterdir()} == digests


def test_damage_is_noticed(store: TrajectoryStore, trajectory: Trajectory) -> None:
    digest = next(entry.picture for entry in trajectory.steps if entry.picture)
    path = store.pictures.folder / f"{digest}.jpg"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DataError, match="damaged"):
        list(experiences(trajectory, store.pictures))
    path.unlink()
    with pytest.raises(DataError, match="cannot read"):
        store.pictures.get(digest)
    with pytest.raises(DataError, match="not the SHA-256"):
        store.pictures.get("../../etc/passwd")


def edited(content: dict[str, Any], where: list[Any], value: Any) -> str:
    place: Any = content
    for key in where[:-1]:
        place = place[key]
    if value is KeyError:
        del place[where[-1]]
    else:
        place[where[-1]] = value
    return json.dumps(content)


@pytest.mark.parametrize(
    ("where", "value", "said"),
    [
        (["version"], 99, "version 99"),
        (["version"], KeyError, "keys 'version' and 'trajectory'"),
        (["trajectory", "steps", 0, "url"], 3, r"steps\.0\.url: .*string"),
        (["trajectory", "steps", 0, "url"], KeyError, r"steps\.0\.url: .*missing|required"),
        (["trajectory", "steps", 0, "extra"], 1, r"steps\.0\.extra: .*unexpected"),
        (["trajectory", "plan", "budget"], "22", r"plan\.budget: .*integer"),
        (["trajectory", "steps"], {}, "steps: "),
        (["trajectory", "plan", "index"], 7, "holds session 7"),
    ],
)
def test_a_wrong_file_is_refused_with_its_name_and_what_is_wrong(
    store: TrajectoryStore, trajectory: Trajectory, where: list[Any], value: Any, said: str
) -> None:
    path = store.save(trajectory)
    path.write_text(edited(json.loads(path.read_text()), where, value))
    with pytest.raises(DataError, match=said) as caught:
        store.load(2, 1)
    assert str(path) in str(caught.value)


def test_missing_and_unreadable_files_are_refused(store: TrajectoryStore, trajectory: Trajectory) -> None:
    with pytest.raises(DataError, match="does not exist"):
        store.load(0, 0)
    store.save(trajectory).write_text("{")
    with pytest.raises(DataError, match="not valid JSON"):
        store.load(2, 1)


def test_experiences_are_the_page_views(store: TrajectoryStore, trajectory: Trajectory) -> None:
    views = list(experiences(trajectory, store.pictures))
    assert [view.step for view in views if trajectory.steps[view.step].action == "invalid"] == []
    assert len(views) == len(trajectory.steps) - 4
    assert views[0].url == "/"
    for view in views:
        recorded = trajectory.steps[view.step]
        assert (view.url, view.text, view.seen_at, view.session) == (
            recorded.url,
            recorded.text,
            recorded.seen_at,
            1,
        )
        assert (view.picture is None) == (recorded.picture is None)
    assert [view.url for view in views].count("/nope") == 1


def test_products_are_those_whose_page_was_open(trajectory: Trajectory, catalog: Catalog) -> None:
    first, second = [product.id for product in catalog][:2]
    assert trajectory.products[:2] == (first, second) or {first, second} <= set(trajectory.products)
    missing = TrajectoryStep("", "", "/product/ffffffff", "", "", None, "")
    assert products_seen([missing]) == ()


def test_a_replay_meets_the_same_pages(trajectory: Trajectory, app: Any) -> None:
    assert verify(trajectory, InProcessTransport(app)) is None


@pytest.mark.parametrize(
    ("field", "value"), [("url", "/x"), ("title", "x"), ("text", "x"), ("picture", "0" * 64)]
)
def test_a_replay_names_the_first_difference(
    trajectory: Trajectory, app: Any, field: str, value: str
) -> None:
    steps = list(trajectory.steps)
    for number in (4, 6):
        steps[number] = replace(steps[number], **{field: value})
    difference = verify(replace(trajectory, steps=tuple(steps)), InProcessTransport(app))
    assert difference is not None
    assert (difference.step, difference.field, difference.recorded) == (4, field, value)
    assert difference.found == getattr(trajectory.steps[4], field)
    assert "step 4" in str(difference)
