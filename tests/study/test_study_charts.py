from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.collections import PolyCollection
from PIL import Image

from recallreach.study.charts import Curves, Line, Point, Stack, Stacks, line_of, retention_chart, spread
from recallreach.study.charts_files import LABEL_GAP, encode, figure_of, readable_on, save
from recallreach.study.charts_page import drawing, style
from recallreach.study.scoring import SystemScore, score_system
from recallreach.study.store import Unit

MakeUnit = Callable[..., Unit]
STACKS = Stacks(
    "Where answers are lost",
    ("right", "lost"),
    ("#00805e", "#c3cad4"),
    (Stack("dualmem", (3, 1)), Stack("none", (0, 0))),
)


@pytest.fixture
def scores(make_unit: MakeUnit) -> list[SystemScore]:
    units = [
        make_unit(number, chain=chain, reach=reach, correct=(number + chain) % 3 > 0)
        for chain in range(3)
        for reach in range(3)
        for number in range(4)
    ]
    return [score_system("dualmem", units, seed=0)]


@pytest.fixture
def chart(scores: list[SystemScore]) -> Curves:
    return retention_chart(scores, {0: 0.1, 1: 0.05}, "note")


def test_one_specification_gives_every_file(chart: Curves, tmp_path: Path) -> None:
    drawn = save(chart, tmp_path, "retention")
    with Image.open(tmp_path / "retention.png") as picture:
        assert picture.width >= 1200
        assert picture.getextrema() != ((255, 255), (255, 255), (255, 255), (255, 255))
    assert drawn["svg"].lstrip().startswith(b"<?xml")
    assert drawn["pdf"].startswith(b"%PDF")
    assert all((tmp_path / f"retention.{kind}").read_bytes() == data for kind, data in drawn.items())
    told = json.loads((tmp_path / "retention.json").read_text())
    assert told["kind"] == "curves"
    assert [point["y"] for point in told["lines"][0]["points"]] == [p.y for p in chart.lines[0].points]


def test_the_files_draw_the_figures_of_the_specification(chart: Curves) -> None:
    axes = figure_of(chart).axes[0]
    for line, drawn in zip([*chart.lines, chart.reference], axes.lines, strict=True):
        assert line is not None
        assert list(zip(*drawn.get_data(), strict=True)) == [(point.x, point.y) for point in line.points]
    (band,) = axes.collections
    assert isinstance(band, PolyCollection)
    ends = {tuple(corner) for corner in band.get_paths()[0].vertices.tolist()}
    assert {(point.x, end) for point in chart.lines[0].points for end in (point.low, point.high)} <= ends
    bars = figure_of(STACKS).axes[0].patches
    assert [bar.get_width() for bar in bars] == [0.75, 0, 0.25, 0]  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", ["svg", "pdf"])
def test_equal_specifications_give_equal_bytes(scores: list[SystemScore], kind: str) -> None:
    first, second = (encode(figure_of(retention_chart(scores, {0: 0.1}, "")), kind) for _ in range(2))
    assert first == second
    assert first != encode(figure_of(retention_chart(scores, {0: 0.2}, "")), kind)


def test_a_line_holds_the_figures_of_its_system(scores: list[SystemScore]) -> None:
    points = line_of(scores[0]).points
    assert [point.x for point in points] == [0, 1, 2]
    assert [point.y for point in points] == [point.rate for point in scores[0].retention]
    assert all(point.low <= point.y <= point.high for point in points)  # type: ignore[operator]
    assert {point.count for point in points} == {12}


def test_a_study_without_curves_still_gives_a_chart(make_unit: MakeUnit) -> None:
    failed = score_system("dualmem", [make_unit(1, status="error", correct=False)], seed=0)
    guessed = retention_chart([failed], {0: 0.1, 4: 0.05}, "")
    assert guessed.xs == (0, 4), "the guess alone spans the chart"
    values = Shapes(str(drawing(guessed))).values
    assert values[:2] == ["reach 0: a guess 10.0 %", "reach 4: a guess 5.0 %"]
    empty = retention_chart([failed], {}, "")
    assert encode(figure_of(empty), "png").startswith(b"\x89PNG")
    assert "<svg" in drawing(empty)
    assert "<svg" in drawing(Stacks("Nothing", (), (), ()))


def test_many_lines_get_a_legend(tmp_path: Path) -> None:
    lines = tuple(Line(f"system {number}", (Point(0, number / 20),)) for number in range(20))
    many = Curves("Many", "x", "x", lines)
    assert encode(figure_of(many), "png").startswith(b"\x89PNG")
    assert str(drawing(many)).count('<li class="c') == 20
    assert '<div class="chart">' in drawing(many)
    looks = {(line.get_color(), line.get_linestyle()) for line in figure_of(many).axes[0].lines[:16]}
    assert len(looks) == 16, "a second line of a colour is dashed"
    first, *_, ninth = re.findall(r'<li class="(c0[^"]*)"', drawing(many))[:2]
    assert (first, ninth) == ("c0", "c0 second")


class Shapes(HTMLParser):
    """Collects the spoken values and the texts of a drawing."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.values: list[str] = []
        self.texts: list[str] = []
        self.tags: set[str] = set()
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        found = dict(attrs)
        if found.get("class") == "value":
            assert found["tabindex"] == "0"
            self.values.append(found["aria-label"] or "")

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_page_tells_every_value_to_pointer_keyboard_and_ear(chart: Curves) -> None:
    shapes = Shapes(str(drawing(chart)))
    wide = shapes.values[: len(shapes.values) // 2]
    assert len(wide) == 3
    for spoken, point in zip(wide, chart.lines[0].points, strict=True):
        assert spoken.startswith(f"reach {point.x:g}: dualmem {100 * point.y:.1f} %")
        assert f"n={point.count}" in spoken
    assert "a guess 10.0 %" in wide[0]
    assert any("a guess 10.0 %" in text for text in shapes.texts)


def test_the_page_tells_every_part_of_a_bar(make_unit: MakeUnit) -> None:
    values = Shapes(str(drawing(STACKS))).values
    assert values[: len(values) // 2] == ["dualmem, right: 3 of 4, 75.0 %", "dualmem, lost: 1 of 4, 25.0 %"]
    assert encode(figure_of(STACKS), "png").startswith(b"\x89PNG")


def test_labels_that_are_html_stay_text() -> None:
    rude = "<script>alert(1)</script>"
    curves = Curves(rude, rude, rude, (Line(rude, (Point(0, 0.5),)),))
    stacks = Stacks(rude, (rude,), ("#ffffff",), (Stack(rude, (1,)),))
    for chart in (curves, stacks):
        shapes = Shapes(str(drawing(chart)))
        assert "script" not in shapes.tags
        assert any(rude in text for text in shapes.texts)


def test_labels_that_are_formulas_or_very_long_are_drawn_as_text() -> None:
    odd = r"$\frac{1}{ & ^ " * 20
    curves = Curves("t", "x", "x", (Line(odd, (Point(0, 0.5),)), Line("$a", (Point(0, 0.1),))))
    stacks = Stacks("t", ("right",), ("#00805e",), (Stack(odd, (1,)),))
    for chart in (curves, stacks):
        assert encode(figure_of(chart), "svg").lstrip().startswith(b"<?xml")


def test_labels_stay_inside_the_drawing(chart: Curves) -> None:
    markup = str(drawing(chart))
    for svg in re.findall(r"<svg.*?</svg>", markup, re.DOTALL):
        width = int(re.search(r'viewBox="0 0 (\d+)', svg)[1])  # type: ignore[index]
        for x, box in re.findall(r'class="tip"><rect x="([\d.]+)" y="[\d.]+" width="(\d+)"', svg):
            assert float(x) >= 0
            assert float(x) + int(box) <= max(width, int(box))


def test_the_style_sheet_knows_light_and_dark() -> None:
    assert "prefers-color-scheme:dark" in style()
    assert "</" not in style()


@pytest.mark.parametrize(("fill", "ink"), [("#ffffff", "#22272e"), ("#000000", "#ffffff")])
def test_figures_are_readable_on_their_fill(fill: str, ink: str) -> None:
    assert readable_on(fill) == ink


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_labels_keep_their_order_and_distance_within_the_axis(wanted: list[float]) -> None:
    placed = spread(wanted, LABEL_GAP)
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    heights = [placed[index] for index in order]
    assert all(upper - lower >= LABEL_GAP - 1e-9 for lower, upper in pairwise(heights))
    assert heights[0] >= -1e-9
    assert heights[-1] <= 1 + 1e-9


def test_labels_with_room_stay_where_they_are() -> None:
    assert spread([0.9, 0.1, 0.5], 0.05) == [0.9, 0.1, 0.5]
