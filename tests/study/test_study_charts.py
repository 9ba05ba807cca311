from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from recallreach.study.charts import LABEL_GAP, encode, line_of, retention_figure, save, spread
from recallreach.study.scoring import SystemScore, score_system
from recallreach.study.store import Unit

MakeUnit = Callable[..., Unit]


@pytest.fixture
def scores(make_unit: MakeUnit) -> list[SystemScore]:
    units = [
        make_unit(number, chain=chain, reach=reach, correct=(number + chain) % 3 > 0)
        for chain in range(3)
        for reach in range(3)
        for number in range(4)
    ]
    return [score_system("dualmem", units, seed=0)]


def test_a_chart_gives_a_picture_and_a_drawing(scores: list[SystemScore], tmp_path: Path) -> None:
    drawn = save(retention_figure(scores, {0: 0.1, 1: 0.05}, "note"), tmp_path, "retention")
    with Image.open(tmp_path / "retention.png") as picture:
        assert picture.width >= 1200
        assert picture.getextrema() != ((255, 255), (255, 255), (255, 255), (255, 255))
    assert (tmp_path / "retention.svg").read_bytes() == drawn["svg"]
    assert drawn["svg"].lstrip().startswith(b"<?xml")


def test_equal_scores_give_equal_bytes(scores: list[SystemScore]) -> None:
    first, second = (encode(retention_figure(scores, {0: 0.1}, "note"), "svg") for _ in range(2))
    assert first == second
    assert first != encode(retention_figure(scores, {0: 0.2}, "note"), "svg")


def test_a_line_holds_the_figures_of_its_system(scores: list[SystemScore]) -> None:
    line = line_of(scores[0])
    assert line.reaches == (0, 1, 2)
    assert line.rates == tuple(point.rate for point in scores[0].retention)
    assert all(low <= rate <= high for low, rate, high in zip(line.low, line.rates, line.high, strict=True))


def test_a_study_without_curves_still_gives_a_chart(make_unit: MakeUnit) -> None:
    failed = score_system("dualmem", [make_unit(1, status="error", correct=False)], seed=0)
    assert encode(retention_figure([failed], {}, ""), "png").startswith(b"\x89PNG")


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
