"""The viewer over a made-up run: lists, filters, probes, pairs, sessions, banks; in Chromium, too."""

from __future__ import annotations

import hashlib
import io
import json
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from flask.testing import FlaskClient
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from recallreach.agents.results import HitTrace, ItemTrace, PartTrace, RecallResult, TurnTrace
from recallreach.env.browser import find_browser
from recallreach.env.trajectory import TrajectoryStore
from recallreach.env.types import SessionPlan, Trajectory, TrajectoryStep
from recallreach.errors import DataError
from recallreach.files import sha256, write_atomically
from recallreach.memory.types import Record
from recallreach.storefront.server import ShopServer
from recallreach.study.banks import snapshot
from recallreach.study.events import Trace
from recallreach.study.store import ResultStore, Unit
from recallreach.study.viewer import create_viewer
from recallreach.study.viewer.query import Leaf

MakeUnit = Callable[..., Unit]
RUDE = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"
PRODUCTS = [f"{number:08x}" for number in range(1, 5)]
SYSTEMS = ("caption", "dualmem")
PROBES = 30


def picture(shade: int) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (64, 48), (shade, 90, 120)).save(file, "JPEG")
    return file.getvalue()


def session(store: TrajectoryStore, chain: int, index: int) -> None:
    digests = [store.pictures.put(picture(40 * number)) for number in range(len(PRODUCTS))]
    steps = [TrajectoryStep("", "", "/", "Home", f"Welcome {RUDE}", None, "2024-03-01T10:00:00")]
    for product, digest in zip(PRODUCTS, digests, strict=True):
        reply = f'Thought: what about {product} {RUDE}\nAction: navigate("/product/{product}")'
        action, url = f'navigate("/product/{product}")', f"/product/{product}"
        steps.append(
            TrajectoryStep(reply, action, url, f"Lamp {product}", "text", digest, "2024-03-01T10:01:00")
        )
    plan = SessionPlan(chain, index, "lamp", "Look around", 24, "2024-03-01T10:00:00")
    store.save(Trajectory(plan, tuple(steps), tuple(PRODUCTS)))


def trace(unit: Unit, delivered: bytes) -> Trace:
    digest, url = sha256(delivered), f"/product/{unit.target}"
    turn = TurnTrace(
        "/", f"Thought: M1 {RUDE}\nAction: open(M1)", "open(M1)", f'navigate("{url}")', (), RUDE, url
    )
    result = RecallResult(
        unit.probe,
        "matcher",
        unit.system,
        "pixels",
        unit.status,
        correct=unit.correct,
        answer=unit.answer,
        turns=(
            turn,
            TurnTrace(url, "Action: add_to_wishlist", "add_to_wishlist", "add_to_wishlist", (), "", url),
        ),
        retrieved=(HitTrace(0, url, 0, 1, 0.9, {"visual": 0.8}),) if unit.rank else (),
        delivered=(
            PartTrace("text", "Memory found 1 item."),
            PartTrace("text", f"M1 {RUDE}"),
            PartTrace("image", "", digest, 64, 48, "image/jpeg"),
        ),
        items=(ItemTrace("M1", url, 0, digest),),
    )
    return Trace(f"Find the {unit.phrase}", {unit.target: digest}, result)


class Holding:
    """A memory of which only the bank is looked at."""

    bank = (Record(0, "/product/00000001", RUDE, "page text", None, 0, 1, "2024-03-01T10:01:00", "a lamp"),)


def unit_of(make_unit: MakeUnit, system: str, number: int) -> Unit:
    right = number % 3 > 0
    status = "error" if number == PROBES - 1 else "ok"
    changes: dict[str, Any] = {
        "correct": right and status == "ok",
        "rank": 1 if right else None,
        "status": status,
    }
    changes["stage"] = "error" if status == "error" else "" if right else "not retrieved"
    changes["kind"] = "crash" if status == "error" else ""
    target = PRODUCTS[number % len(PRODUCTS)]
    place = {"chain": number % 2, "session": 1, "reach": number % 2, "last_seen": 1 - number % 2}
    phrase = f"red mug {number} {RUDE if number == 0 else ''}"
    probe = f"c{number % 2}-s1-{number:03d}"
    key = sha256(f"{system} {probe}".encode())
    return make_unit(
        number,
        key=key,
        system=system,
        probe=probe,
        phrase=phrase,
        target=target,
        answer=target,
        **place,
        **changes,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run folder without units; `filled` writes them."""
    path = tmp_path_factory.mktemp("runs") / "made-up"
    path.mkdir()
    systems = [{"label": name, "memory": {"name": name, "options": {}}, "delivery": {}} for name in SYSTEMS]
    config = {"name": "made-up", "seed": 0, "chains": 2, "sessions": 2, "agent": {"name": "matcher"}}
    config["memories"] = [{"name": name} for name in SYSTEMS]
    manifest = {
        "format": 1,
        "config": config,
        "products": 4,
        "systems": systems,
        "started_at": "2026-01-01T00:00:00",
    }
    write_atomically(path / "manifest.json", json.dumps(manifest | {"finished_at": None}))
    catalog = {"products": [{"id": product, "title": f"Lamp {product}"} for product in PRODUCTS]}
    write_atomically(path / "catalog.json", json.dumps(catalog))
    recorded = TrajectoryStore(path / "trajectories")
    for chain in range(2):
        for index in range(2):
            session(recorded, chain, index)
    return path


@pytest.fixture
def filled(folder: Path, make_unit: MakeUnit) -> Path:
    """The run folder with `PROBES` probes of two systems."""
    (folder / "report.html").write_text("<p>the report</p>")
    path = folder / "results.sqlite"
    if not path.exists():
        delivered = picture(200)
        with ResultStore(path) as store:
            for system in SYSTEMS:
                store.register(system, {})
                bank = snapshot(Holding(), system, 0, 1)  # type: ignore[arg-type]
                for number in range(PROBES):
                    unit = unit_of(make_unit, system, number)
                    store.add(unit, trace(unit, delivered), {sha256(delivered): delivered}, bank)
    return folder


@pytest.fixture
def client(filled: Path) -> FlaskClient:
    return create_viewer(filled).test_client()


def get(client: FlaskClient, address: str, status: int = 200) -> str:
    answer = client.get(address, headers={"Host": "127.0.0.1:8323"})
    assert answer.status_code == status, answer.text
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    return answer.text


@pytest.mark.parametrize(
    ("query", "total"),
    [
        ("", 2 * PROBES),
        ("?system=dualmem", PROBES),
        ("?system=dualmem&system=caption", 2 * PROBES),
        ("?reach=1", PROBES),
        ("?verdict=wrong", 2 * PROBES // 3),
        ("?verdict=right&system=caption", 2 * PROBES // 3 - 1),
        ("?status=error", 2),
        ("?stage=not+retrieved&chain=0", PROBES // 3),
        ("?q=MUG+29", 2),
        ("?reach=x&verdict=perhaps", 2 * PROBES),
        ("?q=%25", 0),
    ],
)
def test_filters_say_how_many_pass(client: FlaskClient, query: str, total: int) -> None:
    page = get(client, f"/probes{query}")
    assert f"<h1>{total} probe" in page


def test_a_list_is_cut_into_pages(client: FlaskClient) -> None:
    pages = [get(client, f"/probes?page={number}") for number in (1, 2)]
    rows = [re.findall(r'<td class="cue"><a href="([^"]+)"', page) for page in pages]
    assert [len(found) for found in rows] == [50, 10]
    assert len({address for found in rows for address in found}) == 2 * PROBES
    assert get(client, "/probes?page=99") == pages[1]
    assert get(client, "/probes?page=x") == pages[0]


@pytest.mark.parametrize(
    ("wanted", "total", "leaf"),
    [("1", 0, (1, 1, 0, 0)), ("2", 101, (2, 3, 51, 100)), ("9", 101, (3, 3, 101, 101))],
)
def test_a_leaf_names_its_entries(wanted: str, total: int, leaf: tuple[int, ...]) -> None:
    found = Leaf.of(wanted, total, 50)
    assert (found.number, found.pages, found.first, found.last) == leaf


def test_a_probe_shows_what_was_asked_returned_delivered_done_and_graded(client: FlaskClient) -> None:
    address = re.findall(
        r'class="cue"><a href="([^"]+)"', get(client, "/probes?verdict=right&system=dualmem")
    )[0]
    page = get(client, address.replace("&amp;", "&"))
    for part in (
        "Find the red mug",
        "asked for",
        "visual 0.800",
        "Memory found 1 item.",
        "open(M1)",
        "carried out as",
    ):
        assert part in page
    assert "The agent ended on the right page." in page
    assert f"/pictures/{sha256(picture(200))}" in page
    assert "/compare/" in page
    assert 'rel="next"' in page
    raw = json.loads(get(client, address.partition("?")[0] + "/trace.json"))
    assert raw["turns"][0]["asked"] == "open(M1)"


def test_neighbours_are_those_of_the_filter(client: FlaskClient) -> None:
    rows = re.findall(r'class="cue"><a href="([^"]+)"', get(client, "/probes?verdict=wrong&system=caption"))
    second = get(client, rows[1].replace("&amp;", "&"))
    assert f'rel="prev" href="{rows[0]}"' in second
    assert f'rel="next" href="{rows[2]}"' in second
    outside = get(client, rows[1].partition("?")[0] + "?verdict=right")
    assert "not among the" in outside


def test_two_systems_are_shown_side_by_side(client: FlaskClient) -> None:
    page = get(client, "/compare/c1-s1-001?left=dualmem&right=caption")
    assert page.index('aria-label="dualmem"') < page.index('aria-label="caption"')
    assert 'aria-label="caption"' in get(client, "/compare/c1-s1-001?left=unknown")
    get(client, "/compare/none", 404)


def test_sessions_and_banks_are_shown(client: FlaskClient) -> None:
    assert "/chains/1/sessions/1" in get(client, "/chains")
    page = get(client, "/chains/1/sessions/0")
    assert 'id="step-4"' in page
    assert "Lamp 00000004" in page
    bank = get(client, "/chains/0/bank?memory=dualmem&session=1")
    assert "1 record," in bank
    assert "page text" in bank
    get(client, "/chains/1/bank", 404)
    get(client, "/chains/7/sessions/0", 404)
    get(client, "/chains/0/sessions/5", 404)


def test_chains_of_a_tree_show_the_sessions_they_share(filled: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(filled, tmp_path / "tree"))
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["config"] |= {"chains": 1, "sessions": 2, "branching": 2}
    (copy / "manifest.json").write_text(json.dumps(manifest))
    (copy / "trajectories" / "c0001-s0000.json").unlink()
    client = create_viewer(copy).test_client()
    assert 'class="shared" href="/chains/1/sessions/0"' in get(client, "/chains")
    assert "Session 1 of chain 2" in get(client, "/chains/1/sessions/0")
    assert "Lamp 00000004" in get(client, "/chains/1/sessions/0")
    get(client, "/chains/1/sessions/1")


def test_the_overview_leads_to_the_probes_behind_each_figure(client: FlaskClient) -> None:
    page = get(client, "/")
    assert "/probes?system=dualmem&amp;reach=1" in page
    assert "not retrieved" in page
    assert "not finished" in page
    assert "matcher" in get(client, "/manifest")


def test_the_report_is_served_as_it_is_and_can_run_nothing(client: FlaskClient) -> None:
    answer = client.get("/report", headers={"Host": "localhost:1"})
    assert answer.text == "<p>the report</p>"
    assert "script-src" not in answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    "address",
    ["/probes/none", "/pictures/none", f"/pictures/{'0' * 64}", "/nothing", "/probes/none/trace.json"],
)
def test_what_is_not_there_is_told(client: FlaskClient, address: str) -> None:
    assert "Overview" in get(client, address, 404)


def test_pictures_are_bytes_that_no_browser_reads_as_a_page(client: FlaskClient) -> None:
    answer = client.get(f"/pictures/{sha256(picture(200))}", headers={"Host": "127.0.0.1"})
    assert (answer.data, answer.mimetype) == (picture(200), "image/jpeg")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:80", "10.0.0.1:8323"])
def test_other_names_than_this_machine_are_refused(client: FlaskClient, host: str) -> None:
    assert client.get("/", headers={"Host": host}).status_code == 403


def test_nothing_can_be_sent_and_nothing_in_the_folder_changes(client: FlaskClient, filled: Path) -> None:
    def state() -> dict[str, str]:
        files = [
            path
            for path in filled.rglob("*")
            if path.is_file() and path.suffix not in (".sqlite-shm", ".sqlite-wal")
        ]
        return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}

    before = state()
    for address in ("/", "/probes", "/chains", "/chains/0/bank", "/manifest"):
        get(client, address)
        assert client.post(address, headers={"Host": "127.0.0.1"}).status_code == 405
    assert state() == before


def test_a_run_that_goes_on_is_followed(filled: Path, make_unit: MakeUnit, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(filled, tmp_path / "copy"))
    client = create_viewer(copy).test_client()
    assert f"<h1>{2 * PROBES} probes" in get(client, "/probes")
    new = replace(unit_of(make_unit, "dualmem", PROBES + 1), probe="later", key="later")
    with ResultStore(copy / "results.sqlite") as store:
        store.add(new, trace(new, picture(10)))
        assert f"<h1>{2 * PROBES + 1} probes" in get(client, "/probes")
    assert "<h1>1 probe</h1>" in get(client, "/probes?q=later")


def test_a_folder_without_results_is_told(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not a run folder"):
        create_viewer(tmp_path)
    (tmp_path / "manifest.json").write_bytes((folder / "manifest.json").read_bytes())
    with pytest.raises(DataError, match="no results yet"):
        create_viewer(tmp_path)


# In a real browser.


class Watched:
    """A page that remembers what went wrong: console, uncaught errors, dialogs, requests to elsewhere."""

    def __init__(self, page: Page, origin: str) -> None:
        self.page, self.troubles = page, list[str]()
        page.on("console", lambda message: self.troubles.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (self.troubles.append("dialog"), dialog.dismiss()))
        page.on("request", lambda request: self._request(request.url, origin))

    def _request(self, url: str, origin: str) -> None:
        if not url.startswith((f"{origin}/", "data:")):
            self.troubles.append(f"request: {url}")


@pytest.fixture
def watched(filled: Path) -> Iterator[tuple[Watched, str]]:
    with ShopServer(create_viewer(filled)) as server, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(find_browser().path))
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        yield Watched(context.new_page(), server.url), server.url
        browser.close()


@pytest.mark.browser
def test_open_filter_step_compare_and_keys_in_chromium(watched: tuple[Watched, str]) -> None:
    seen, url = watched
    page = seen.page
    page.goto(url)
    page.get_by_role("link", name="Probes", exact=True).click()
    page.get_by_label("dualmem").check()
    page.wait_for_url("**/probes?system=dualmem")
    page.keyboard.press("w")
    page.wait_for_url("**verdict=wrong**")
    assert page.locator("tr[data-row]").count() == PROBES // 3
    page.keyboard.press("j")
    page.keyboard.press("j")
    second = page.locator("tr.chosen a").get_attribute("href") or ""
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{second}")
    assert "2 of 10" in page.locator(".crumbs").inner_text()
    page.keyboard.press("j")
    page.wait_for_function("document.querySelector('.crumbs').innerText.includes('3 of 10')")
    page.keyboard.press("c")
    page.wait_for_url("**/compare/**")
    assert page.locator(".sides > section").count() == 2
    page.go_back()
    page.keyboard.press("u")
    page.wait_for_url("**/probes?**")
    page.keyboard.press("/")
    page.keyboard.type("mug 0")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=mug**")
    page.keyboard.press("?")
    assert page.locator("dialog[open]").count() == 1
    page.keyboard.press("Escape")
    for address in ("/", "/probes", second.partition("?")[0], "/chains/0/sessions/0", "/chains/0/bank"):
        page.goto(url + address)
        found = Axe().run(page).response["violations"]
        assert [(entry["id"], address) for entry in found if entry["impact"] in ("serious", "critical")] == []
    page.goto(f"{url}/chains/0/sessions/0#step-3")
    assert page.evaluate("document.querySelector(':target').id") == "step-3"
    assert seen.troubles == []


@pytest.mark.browser
def test_html_from_an_agent_does_nothing_and_no_page_outgrows_a_phone(
    watched: tuple[Watched, str],
) -> None:
    seen, url = watched
    page = seen.page
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark")
    rude = ["/probes?q=mug+0", "/compare/c0-s1-000", "/chains/0/sessions/0", "/chains/0/bank?memory=dualmem"]
    for address in ["/", *rude, "/chains", "/manifest"]:
        page.goto(url + address)
        assert page.evaluate("window.hacked") is None
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address
    page.goto(url + rude[0])
    page.locator(".cue a").first.click()
    assert page.locator("img[src='x']").count() == 0
    assert "window.hacked = 1" in page.locator("main").inner_text()
    assert page.evaluate("window.hacked") is None
    assert seen.troubles == []
