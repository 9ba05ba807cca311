"""A person plays: the desk, what a click means, and a game in Chromium that leaves the trace of an agent."""

from __future__ import annotations

import re
import threading
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Page, sync_playwright

from recallreach.agents import human
from recallreach.agents.human import Desk, PersonLeftError, Scene, open_desk, person
from recallreach.agents.types import Turn
from recallreach.env.browser import find_browser
from recallreach.env.trajectory import TrajectoryStore
from recallreach.env.types import Action, Back, Click, Link, Navigate, Observation, Search
from recallreach.errors import ConfigError
from recallreach.memory.types import Delivered
from recallreach.study import run as run_module
from recallreach.study.config import StudyConfig
from recallreach.study.play import play, settings
from recallreach.study.play.app import create_game
from recallreach.study.play.moves import address_of, move_to, reply_of
from recallreach.study.play.watching import Score, Watching, score_of
from recallreach.study.progress import Silent
from recallreach.study.report import Results
from recallreach.study.run import run_study
from recallreach.study.store import StoreReader, Unit

LINKS = (Link(0, "Home", "/", "home"), Link(1, "A lamp", "/product/0a1b2c3d", "product"))
PAGE = Observation("/category/lamp", "Lamps", "text", LINKS, step=2, budget=8)
SHOP = {
    "categories": ["bookshelf"],
    "styles": ["modern"],
    "objects": ["ceramic-mug"],
    "variants": 6,
}


@pytest.mark.parametrize(
    ("address", "action"),
    [
        ("/category/lamp", None),
        ("/product/0a1b2c3d", Click(1)),
        ("/search?q=red+lamp", Search("red lamp")),
        ("/search?q=red&page=2", Navigate("/search?q=red&page=2")),
        ("/about", Back()),
        ("/product/ffffffff", Navigate("/product/ffffffff")),
    ],
)
def test_what_a_browser_asks_for_is_an_action(address: str, action: Action | None) -> None:
    assert move_to(address, PAGE, ["/", "/about", "/category/lamp"]) == action


def test_a_person_writes_as_an_agent_does() -> None:
    assert reply_of(Click(1), "I know it") == "Thought: I know it\nAction: click_index(1)"
    assert reply_of(Back(), "") == "Thought: (not said)\nAction: back"
    assert address_of("/search", b"q=a+b") == "/search?q=a+b"


def asking(desk: Desk, replies: list[str], times: int = 1) -> threading.Thread:
    """A loop that asks at the desk, in a thread of its own."""

    def ask() -> None:
        try:
            replies.extend(desk.ask(PAGE, Delivered()) for _ in range(times))
        except PersonLeftError as error:
            replies.append(str(error))

    thread = threading.Thread(target=ask)
    thread.start()
    return thread


def test_the_desk_hands_a_scene_over_and_the_reply_back() -> None:
    desk, replies = Desk(), list[str]()
    desk.begin("find it")
    thread = asking(desk, replies, 2)
    scene = desk.reply("", Scene(), 60)
    assert (scene.goal, scene.episode, scene.turn, scene.observation) == ("find it", 1, 1, PAGE)
    after = desk.reply("first", scene, 60)
    assert after.turn == 2
    assert desk.reply("too late", scene, 0).turn == 2
    desk.reply("second", after, 0)
    thread.join(60)
    assert replies == ["first", "second"]
    assert not desk.scene.waiting


def test_a_loop_is_sent_home_when_the_desk_closes() -> None:
    desk, replies = Desk(), list[str]()
    thread = asking(desk, replies)
    desk.close()
    thread.join(60)
    assert replies == ["the person left before the question was answered"]
    assert desk.scene.over


def test_a_person_needs_a_desk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recallreach.agents.human._open", [])
    with pytest.raises(ConfigError, match="recallreach play"):
        person()


def test_settings_of_a_game() -> None:
    config = StudyConfig.parse(settings({"sessions": 3, "name": "mine"}))
    assert (config.agent.title, config.memories[0].name, config.ask_after) == ("a person", "dualmem", "every")
    config = StudyConfig.parse(settings({"sessions": 3}, shop=True))
    assert (config.shopper.title, config.memories[0].name) == ("a person", "no-memory")
    assert config.ask_after == (3,)


def test_a_score_needs_results(tmp_path: Path) -> None:
    assert score_of(tmp_path) == Score()


@pytest.mark.parametrize(
    ("headers", "status"),
    [({"Host": "evil.example"}, 403), ({"Origin": "http://evil.example"}, 403), ({}, 303)],
)
def test_foreign_pages_are_refused(tmp_path: Path, headers: dict[str, str], status: int) -> None:
    app, _ = create_game(Flask(__name__), open_desk(), Watching(Silent()), tmp_path)
    answer = app.test_client().post(
        "/play/act", headers={"Host": "127.0.0.1:1", **headers}, data={"action": "done"}
    )
    assert answer.status_code == status


def test_a_game_waits_until_something_is_asked(tmp_path: Path) -> None:
    app, _ = create_game(Flask(__name__), open_desk(), Watching(Silent()), tmp_path)
    page = app.test_client().get("/play", headers={"Host": "localhost"}).text
    assert "One moment" in page
    assert app.test_client().get("/", headers={"Host": "localhost"}).headers["Location"] == "/play"


# A whole game.


def tiny(out: Path, **changes: Any) -> StudyConfig:
    values = {"out": str(out), "sessions": 1, "probes": 2, "catalog": SHOP, **changes}
    return StudyConfig.parse(settings(values))


class Game:
    """A game that runs in a thread of its own."""

    def __init__(self, config: StudyConfig) -> None:
        self._address, self._up = "", threading.Event()
        self.results: list[Results] = []
        self.left = False
        self._thread = threading.Thread(target=self._run, args=(config,))

    def __enter__(self) -> str:
        self._thread.start()
        assert self._up.wait(120)
        return self._address

    def __exit__(self, *_: object) -> None:
        self._thread.join(120)

    def _run(self, config: StudyConfig) -> None:
        try:
            self.results.append(play(config, Silent(), 0, self._opened, goodbye=60))
        except PersonLeftError:
            self.left = True

    def _opened(self, address: str) -> None:
        self._address = address
        self._up.set()


@pytest.fixture
def page() -> Iterator[Page]:
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(find_browser().path))
        page = browser.new_page()
        page.set_default_timeout(120_000)
        yield page
        browser.close()


class Replaying:
    """An agent that writes what a person wrote."""

    name = "human"

    def __init__(self, replies: list[str]) -> None:
        self._replies = iter(replies)

    def begin(self, goal: str, seed: int) -> None:
        """Nothing to prepare."""

    def act(self, observation: object, delivered: object) -> Turn:
        """The next reply."""
        return Turn(next(self._replies))


def answer_both(page: Page, address: str) -> None:
    """The first question by walking, the second by opening what memory named first."""
    failed = list[str]()
    page.on("requestfailed", lambda request: failed.append(str(request.failure)))
    page.goto(address)
    page.get_by_role("button", name="Start").click()
    page.get_by_text("Think aloud").click()
    page.get_by_label("Your thought").fill("It was <b>here</b>")
    page.get_by_role("button", name="Keep for the next step").click()
    page.locator("main a[href^='/category/']").first.click()
    page.locator("main a[href^='/collection/']").first.click()
    page.locator("main a[href^='/product/']").first.click()
    page.get_by_role("button", name="Back", exact=True).click()
    page.locator("main a[href^='/product/']").nth(1).click()
    page.locator("main form[action='/cart/add'] button").first.click()
    assert "cost no step" in page.locator(".rr-message").inner_text()
    assert page.locator(".rr-steps").inner_text() == "step 5 of 8"
    page.get_by_role("button", name="This is it").click()
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Open M1").click()
    page.locator("main form[action='/wishlist/add'] button").first.click()
    page.get_by_role("heading", name="You were right in").wait_for()
    page.wait_for_load_state()
    assert page.evaluate("getComputedStyle(document.querySelector('main')).maxWidth") == "640px", (
        "has its style"
    )
    assert not any("REFUSED" in reason for reason in failed)


@pytest.mark.browser
def test_a_game_leaves_the_trace_and_the_score_of_an_agent(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, game = tiny(tmp_path), Game(tiny(tmp_path))
    with game as address:
        answer_both(page, address)
    with StoreReader(config.folder / "results.sqlite") as reader:
        units = sorted(reader.units(), key=lambda unit: unit.finished_at)
        traces = [reader.trace(unit.key) for unit in units]
    first = [turn["asked"] for turn in traces[0]["turns"]]
    kinds = ["click_index", "click_index", "click_index", "back", "click_index", "add_to_wishlist"]
    assert [asked.partition("(")[0] for asked in first] == kinds
    assert traces[0]["turns"][0]["reply"].startswith("Thought: It was <b>here</b>\n")
    assert [turn["asked"] for turn in traces[1]["turns"]] == ["open(M1)", "add_to_wishlist"]

    replies = [turn["reply"] for trace in traces for turn in trace["turns"]]
    made = run_module.make_agent
    monkeypatch.setattr(
        run_module, "make_agent", lambda part: Replaying(replies) if part.title == "a person" else made(part)
    )
    again = run_study(tiny(tmp_path, name="again"))
    (played,) = game.results
    assert [(score.correct, score.probes) for score in again.scores] == [
        (score.correct, score.probes) for score in played.scores
    ]
    assert outcome(config.folder) == outcome(tmp_path / "again")


def outcome(folder: Path) -> list[tuple[object, ...]]:
    """What was done and how it was graded, without costs."""
    with StoreReader(folder / "results.sqlite") as reader:
        units = reader.units()
    return [(u.key, u.probe, u.status, u.correct, u.answer, u.stage, u.rank, u.actions) for u in units]


def test_a_person_shops_and_answers_from_their_own_memory(tmp_path: Path) -> None:
    """The same addresses that a browser would ask for, without one."""
    values = {"sessions": 1, "probes": 1, "catalog": SHOP, "out": str(tmp_path), "name": "shopping"}
    config = StudyConfig.parse(settings(values, shop=True))
    game = Game(config)
    with game as address:
        root = address.removesuffix("/play")
        assert "Shopping session 1 of 1" in next_scene(address)
        send(f"{root}/play/start")
        here, listing = fetched(f"{root}/collection/bookshelf-modern")
        products = sorted(set(re.findall(r'href="(/product/\w+)"', listing)))[:2]
        steps = 1
        while not here.endswith("/play"):
            here, _ = fetched(root + products[steps % 2])
            steps += 1
        page = next_scene(address)
        while "Question" in page:
            send(f"{root}/play/start")
            page = finish(address)
        assert "You were right in 0 of" in page
    trajectory = TrajectoryStore(config.folder / "trajectories").load(0, 0)
    assert len(trajectory.steps) - 1 == steps == trajectory.plan.budget
    assert {step.url for step in trajectory.steps[2:]} == set(products)
    assert all(step.reply.startswith("Thought: (not said)\nAction: ") for step in trajectory.steps[1:])
    assert game.results[0].complete


def test_a_game_that_is_closed_half_way_goes_on_and_loses_nothing(tmp_path: Path) -> None:
    config = tiny(tmp_path)
    game = Game(config)
    with game as address:
        root = address.removesuffix("/play")
        assert "Question 1 of 2" in next_scene(address)
        send(f"{root}/play/start")
        send(f"{root}/play/act", action="done")
        assert "Question 2 of 2" in next_scene(address)
        assert "step 0 of 8" in send(f"{root}/play/start")
        assert "step 1 of 8" in fetched(f"{root}/category/bookshelf")[1]
        assert "Go on" in fetched(address)[1], "the page was closed and opened again"
        assert "step 1 of 8" in send(f"{root}/play/start")
        human._open[0].close()
    assert game.left
    (answered,) = units_of(config)
    again = Game(config)
    with again as address:
        root = address.removesuffix("/play")
        assert "Question 2 of 2" in next_scene(address)
        assert "step 0 of 8" in send(f"{root}/play/start"), "a question left half-way is asked anew"
        assert "You were right in" in finish(address)
    assert again.results[0].complete
    assert answered in units_of(config)
    assert len(units_of(config)) == 2


def units_of(config: StudyConfig) -> list[Unit]:
    """All answers of a run."""
    with StoreReader(config.folder / "results.sqlite") as reader:
        return reader.units()


def next_scene(address: str) -> str:
    """The page between two episodes, once the run asks for something or is over."""
    human._open[0].reply("", Scene(), 120)
    return fetched(address)[1]


def finish(address: str) -> str:
    """Finish where one is; the page after it. The very last is shown once, then the game is over."""
    page = send(f"{address}/act", action="done")
    return page if "You were right in" in page else next_scene(address)


def fetched(address: str) -> tuple[str, str]:
    """Where an address leads, and the page there."""
    with urllib.request.urlopen(address, timeout=120) as answer:
        return answer.geturl(), answer.read().decode()


def send(address: str, **fields: str) -> str:
    """Send a form; the page that it leads to."""
    with urllib.request.urlopen(address, urllib.parse.urlencode(fields).encode(), timeout=120) as answer:
        return answer.read().decode()
