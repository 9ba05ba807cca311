"""The table at the end of a run, with long curves, long labels and labels that look like markup."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from recallreach.study.charts import retention_chart
from recallreach.study.failures import failures_chart
from recallreach.study.report import Results
from recallreach.study.scoring import chance_check, chance_curve, score_system
from recallreach.study.store import Unit
from recallreach.study.summary import MOST_REACHES, _spread, print_summary
from recallreach.study.tree import Forest


@pytest.mark.parametrize("count", [1, 2, MOST_REACHES])
def test_short_curves_are_shown_whole(count: int) -> None:
    assert _spread(list(range(count))) == list(range(count))


@pytest.mark.parametrize("count", [MOST_REACHES + 1, 15, 50, 500])
def test_of_long_curves_some_reaches_are_shown_with_both_ends(count: int) -> None:
    shown = _spread(list(range(count)))
    assert len(set(shown)) == MOST_REACHES
    assert shown == sorted(shown)
    assert (shown[0], shown[-1]) == (0, count - 1)


def printed(units: list[Unit], label: str) -> str:
    score, chance = score_system(label, units, 0), chance_curve(units)
    check = chance_check("text-only", units, 100)
    results = Results(
        manifest={"finished_at": "2026-01-01"},
        scores=(score,),
        checks=(check,) if check else (),
        chance=chance,
        compliance=(),
        retention=retention_chart([score], chance, ""),
        failures=failures_chart({label: units}),
        forest=Forest(2, 9),
        clusters=2,
        digest="0" * 64,
        path=Path("runs/[red]/report.html"),
    )
    told = io.StringIO()
    print_summary(Console(file=told, width=80), results)
    return told.getvalue()


def test_a_long_label_wraps_and_no_figure_is_cut(make_unit: Callable[..., Unit]) -> None:
    label = "dualmem with a label that takes more than its place"
    units = [
        make_unit(n, system=label, chain=n % 2, reach=reach, images=12)
        for reach in range(9)
        for n in range(4)
    ]
    told = printed(units, label)
    assert "…" not in told
    for figure in ("TSR", "100.0 %", "100–100", "r8", "errors", "images", "12.0", "0.25"):
        assert figure in told, figure
    assert max(map(len, told.splitlines())) <= 80


@pytest.mark.parametrize("label", ["[/red]", "[bold]x[/bold]", "a [0.5]"])
def test_labels_and_paths_are_no_markup(make_unit: Callable[..., Unit], label: str) -> None:
    told = printed([make_unit(n, system=label, seen=4) for n in range(3)], label)
    assert f"{label}: " in told
    assert f"\n{label} " in told
    assert "Report: runs/[red]/report.html" in told
