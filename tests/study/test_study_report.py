"""The report in a real browser: opened from disk, pointed at, tabbed through, printed; hostile text in it."""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, sync_playwright

from recallreach.agents.registry import build_agent
from recallreach.agents.types import Agent, Turn
from recallreach.env.browser import find_browser
from recallreach.study import report as report_module
from recallreach.study import run as run_module
from recallreach.study.charts import Stack
from recallreach.study.config import Part, StudyConfig
from recallreach.study.decompose.attribution import FAILURES
from recallreach.study.decompose.paired import holm, sign_test
from recallreach.study.events import Trace
from recallreach.study.failures import COLORS, MEANINGS, RIGHT, UNKNOWN, ending_of, failures_chart
from recallreach.study.report import Results, cell, design, least_sign_p, write_report
from recallreach.study.run import run_study
from recallreach.study.store import ResultStore, StoreReader, Unit
from recallreach.study.tree import Forest

RUDE = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"
SHOP = {"categories": ["bookshelf"], "styles": ["modern"], "objects": ["ceramic-mug"], "variants": 6}
WIDE = {**SHOP, "categories": ["bookshelf", "lamp", "vase"], "objects": ["ceramic-mug", "laptop"]}


class Rude:
    """An agent whose words are HTML."""

    name = "rude"

    def begin(self, goal: str, seed: int) -> None:
        """Nothing to prepare."""

    def act(self, observation: object, delivered: object) -> Turn:
        """Answers with the home page."""
        return Turn(f"Thought: {RUDE}\nAction: done")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    values = {"chains": 2, "sessions": 2, "probes": 1, "transport": "in_process", "catalog": SHOP}
    label = f"dualmem {RUDE}"
    memories = ["no-memory", {"name": "dualmem", "label": label}]
    config = {"name": "report", "out": str(tmp_path_factory.mktemp("runs")), "memories": memories, **values}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_module, "make_agent", _made)
        return run_study(StudyConfig.parse(config))


def _made(part: Part) -> Agent:
    return Rude() if part.name == "matcher" else build_agent(part.name)


@pytest.fixture
def page() -> Iterator[Page]:
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(find_browser().path))
        yield browser.new_page()
        browser.close()


@pytest.mark.browser
def test_the_report_opens_offline_tells_its_values_and_runs_nothing(results: Results, page: Page) -> None:
    troubles: list[str] = []
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("request", lambda request: troubles.append(request.url) if _elsewhere(request.url) else None)
    page.goto(results.path.as_uri())
    tip = page.locator(".wide .value .tip").first
    assert not tip.is_visible()
    page.locator(".wide .value").first.hover()
    assert tip.is_visible()
    page.mouse.move(0, 0)
    page.locator(".wide .value").nth(1).focus()
    assert page.locator(".wide .value .tip").nth(1).is_visible()
    for width, scheme in ((1280, "light"), (390, "dark")):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
    assert page.locator(".narrow svg").first.is_visible()
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("window.hacked") is None
    assert page.locator("script").count() == 0
    assert "window.hacked = 1" in page.locator("#gallery ~ article .turns").first.inner_text()
    assert troubles == []


@pytest.mark.browser
def test_no_table_leaves_a_printed_page_and_names_stay_in_view_on_a_phone(
    results: Results, page: Page
) -> None:
    page.goto(results.path.as_uri())
    page.evaluate(
        """for (const row of document.querySelectorAll("#retention ~ .scroll tr")) {
            const last = row.lastElementChild;
            for (let n = row.children.length; n < 9; n++) {
                const copy = row.appendChild(last.cloneNode(true));
                if (copy.tagName === "TD") copy.innerHTML = "100.0 %<br><small>"
                    + '<span class="ends">[100.0, 100.0]</span> n=1,000</small>';
            }
        }"""
    )
    page.set_viewport_size({"width": 390, "height": 800})
    name = page.locator("#retention ~ .scroll td").first
    before = name.bounding_box()
    page.locator("#retention ~ .scroll").first.evaluate("box => { box.scrollLeft = 200 }")
    assert name.bounding_box() == before
    page.set_viewport_size({"width": 688, "height": 800})  # A4 less its margins, in CSS pixels
    page.emulate_media(media="print")
    widths = page.locator("table").evaluate_all("all => all.map(one => one.getBoundingClientRect().width)")
    assert len(widths) > 8
    assert max(widths) <= 688
    assert page.locator("details.short td").first.is_visible()
    page.emulate_media(media="screen")
    found = Axe().run(page).response["violations"]
    assert [entry["id"] for entry in found if entry["impact"] in ("serious", "critical")] == []


def _elsewhere(url: str) -> bool:
    return not url.startswith(("file:", "data:"))


def test_the_report_holds_its_figures_and_every_section(results: Results) -> None:
    page = results.path.read_text()
    for name in ("retention", "failures"):
        for kind in ("png", "svg", "pdf"):
            assert f'download="{name}.{kind}" href="data:' in page
    anchors = set(re.findall(r'href="#(\w+)"', page))
    assert anchors >= {"success", "retention", "failures", "costs", "controls", "errors", "ran", "gallery"}
    assert anchors <= set(re.findall(r'<h2 id="(\w+)"', page))
    assert "default-src 'none'" in page
    assert "A person answered" not in page
    folder = results.path.parent
    assert {"retention.json", "failures.json", "retention.pdf"} <= {path.name for path in folder.iterdir()}


def test_every_table_of_the_page_is_in_the_folder_as_csv_and_latex(results: Results) -> None:
    page, folder = results.path.read_text(), results.path.parent / "tables"
    headings = re.findall(r"<table>.*?</table>", page, re.DOTALL)
    names = {path.stem for path in folder.iterdir()}
    assert (
        names == {path.stem for path in folder.glob("*.csv")} == {path.stem for path in folder.glob("*.tex")}
    )
    assert names >= {
        "summary",
        "retention",
        "slopes",
        "differences",
        "failures",
        "chance",
        "compliance",
        "errors",
    }
    assert len(headings) <= len(names)
    with (folder / "failures.csv").open() as file:
        _, *rows = csv.reader(file)
    assert [row[1:] for row in rows] == [
        [*map(str, bar.counts), str(bar.total)] for bar in results.failures.bars
    ]
    with (folder / "chance.csv").open() as file:
        _, *rows = csv.reader(file)
    assert [row[:3] for row in rows] == [
        ["no-memory", str(check.correct), str(check.probes)] for check in results.checks
    ]
    with (folder / "compliance.csv").open() as file:
        _, *rows = csv.reader(file)
    assert [float(row[3]) for row in rows] == [entry.mean for entry in results.compliance]


def test_a_tree_is_told_as_one_and_its_chains_are_not_taken_for_independent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = {"chains": 1, "sessions": 3, "branching": 2, "probes": 1, "transport": "in_process"}
    config = {"name": "tree", "out": str(tmp_path), "memories": ["no-memory", "text-only"], "catalog": WIDE}
    results = run_study(StudyConfig.parse(config | values))
    page = " ".join(results.path.read_text().split())
    assert (results.clusters, results.cluster) == (1, "tree")
    assert "1 tree of 4 chains of 3 sessions (branching 2): 7 sessions instead of 12 run flat" in page
    assert (
        "Only 1 tree of chains that share sessions. Intervals draw whole trees, so one tree gives none."
        in page
    )
    assert "bootstrap over" not in page
    assert "the corrected sign test cannot come out below 1.000" in page
    assert design(Forest(12, 5)) == "12 chains of 5 sessions"

    assert "<tr><th>Reach</th>" not in page
    monkeypatch.setattr(report_module, "MANY_REACHES", 2)
    turned = write_report(tmp_path / "tree").path.read_text()
    assert "<tr><th>Reach</th><th>no-memory</th><th>text-only</th>" in turned, "a row a reach"
    for reach in range(3):
        assert f"<tr><td>{reach}</td><td>" in turned


@pytest.mark.parametrize("clusters", [1, 2, 6, 12])
def test_the_floor_of_a_corrected_sign_test_is_that_of_chains_that_all_agree(clusters: int) -> None:
    family = [sign_test([1.0] * clusters).p] * 5
    assert least_sign_p(clusters, 5) == pytest.approx(max(holm(family)))


def test_every_probe_is_in_one_part_of_its_bar(results: Results) -> None:
    assert [bar.total for bar in results.failures.bars] == [score.attempted for score in results.scores]
    assert RIGHT not in results.failures.kinds


def test_stages_have_a_meaning_and_a_colour() -> None:
    assert set(COLORS) == set(MEANINGS) == {RIGHT, UNKNOWN, *FAILURES}


def test_a_bar_counts_right_answers_stages_and_the_unknown(make_unit: Any) -> None:
    wrong = {"correct": False, "rank": None}
    units: list[Unit] = [make_unit(1), make_unit(2, stage="misread", **wrong), make_unit(3, **wrong)]
    assert [ending_of(unit) for unit in units] == [RIGHT, "misread", UNKNOWN]
    chart = failures_chart({"dualmem": units})
    assert (chart.kinds, chart.bars) == ((RIGHT, "misread", UNKNOWN), (Stack("dualmem", (1, 1, 1)),))


@pytest.mark.parametrize(
    ("value", "kind", "shown"),
    [
        (None, "share", "–"),
        (8, "text", "8"),
        (-0.0001, "points", "+0.0"),
        ("x", "text", "x"),
        (0.8712, "share", "87.1"),
        (-0.05, "points", "-5.0"),
        (0.0001, "p", "< 0.001"),
        (0.0312, "p", "0.031"),
        (12345, "count", "12,345"),
        (1.234, "number", "1.23"),
    ],
)
def test_values_are_written_as_people_read_them(value: Any, kind: Any, shown: str) -> None:
    assert cell(value, kind) == shown


def test_files_of_one_specification_agree_with_the_page(results: Results, tmp_path: Path) -> None:
    page = results.path.read_text()
    for line in results.retention.lines:
        for point in line.points:
            assert f"{100 * point.y:.1f} %" in page


def test_a_run_with_errors_only_says_so_first(results: Results, tmp_path: Path) -> None:
    folder = Path(
        shutil.copytree(results.path.parent, tmp_path / "copy", ignore=shutil.ignore_patterns("results.*"))
    )
    with (
        StoreReader(results.path.parent / "results.sqlite") as reader,
        ResultStore(folder / "results.sqlite") as store,
    ):
        for unit in reader.units():
            store.register(unit.system, {})
            lost = replace(unit, status="error", correct=False, kind="browser", stage="error", reason=RUDE)
            store.add(lost, Trace.of(reader.events(unit.key)))
    page = write_report(folder).path.read_text()
    assert "No probe was answered" in page
    assert "&lt;script&gt;" in page.partition('id="errors"')[2]
    assert RUDE not in page
