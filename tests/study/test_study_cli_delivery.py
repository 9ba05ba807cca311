"""The commands of the delivery stage, each to its end on a small study in process."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from recallreach.errors import ConfigError, DataError
from recallreach.study.cli import app
from recallreach.study.decompose.shown import Shown

SHOP = [
    "--catalog.categories=chair",
    "--catalog.styles=modern",
    "--catalog.variants=10",
    "--catalog.objects=ceramic-mug,plush-teddy",
    "--chains=1",
    "--sessions=1",
]
run = CliRunner()


def called(*arguments: str, out: Path) -> str:
    done = run.invoke(
        app, [*arguments, *SHOP, f"--out={out}"], catch_exceptions=False, env={"COLUMNS": "170"}
    )
    assert done.exit_code == 0, done.output
    return done.output


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_decompose_runs_every_agent_in_a_folder_of_its_own(tmp_path: Path) -> None:
    agents = '--agents="guess", { name = "guess", label = "guess again" }'
    told = called("decompose", agents, "--memories=text-only", out=tmp_path)
    for agent, ending in (("guess", "guess"), ("guess again", "guess-again")):
        folder = tmp_path / f"decompose-{ending}"
        rates = table(folder / "decompose-1.csv")
        systems = ["gold + pixels", "gold + text", "own text-only + pixels", "own text-only + text"]
        assert [row["system"] for row in rates] == systems
        assert [row["target among k %"] for row in rates[:2]] == ["100.0", "100.0"]
        families = [row["family"] for row in table(folder / "decompose-2.csv")]
        assert families == ["delivery term", "retrieval term"]
        assert (folder / "decompose.md").read_text().count("| system |") == 2
        assert f"Decomposition, agent {agent}, 1 chains" in told
        conditions = table(folder / "decompose-conditions.csv")
        assert {(row["without"], row["decision"]) for row in conditions} == {("gold + text", "modality")}


def test_the_ladder_runs_and_a_second_call_only_tells_it_again(tmp_path: Path) -> None:
    first = called("ladder", "--agents=guess", "--memories=text-only", out=tmp_path)
    assert len(table(tmp_path / "ladder" / "ladder-1.csv")) == 16
    assert "D2, identity" in first
    again = called("ladder", "--agents=guess", "--memories=text-only", out=tmp_path)
    assert "D2, identity" in again
    told = run.invoke(app, ["delivery", str(tmp_path / "ladder")], catch_exceptions=False)
    assert told.exit_code == 0
    growth = table(tmp_path / "ladder" / "delivery-3.csv")
    assert {row["cost per probe"] for row in growth} == {"images", "visual tokens", "text tokens"}
    assert growth[0]["system"] == "gold + as it is"


def test_tiles_run(tmp_path: Path) -> None:
    called("tiles", "--agents=guess", out=tmp_path)
    systems = [row["system"] for row in table(tmp_path / "tiles" / "tiles-1.csv")]
    assert systems[:2] == ["1x1, alpha 0.75 + delivermem", "2x2, alpha 0.75 + delivermem"]
    assert len(systems) == 8


def test_what_cannot_be_used_is_told_before_anything_runs(tmp_path: Path) -> None:
    for arguments, error in (
        (["decompose", "--place=frist"], "Did you mean 'first'"),
        (["decompose", "--agents= "], "names no agent"),
        (["decompose", "--agents=3"], "agent"),
        (["decompose", "--agent=macher"], "Did you mean 'matcher'"),
        (["decompose", "--deliveries=text"], "two deliveries or more"),
        (["ladder", "--agents=macher"], "Did you mean 'matcher'"),
        (["ladder", "--agents=guess, macher"], "Did you mean 'matcher'"),
        (["ladder", "--agents=guess, guess"], "'guess' twice; name it once, or give one of them a label"),
        (["tiles", '--agents="guess", { name = "oracle", label = "guess" }'], "'guess' twice"),
    ):
        with pytest.raises(ConfigError, match=error):
            run.invoke(app, [*arguments, f"--out={tmp_path}"], catch_exceptions=False)
    with pytest.raises(DataError, match="not a run folder"):
        run.invoke(app, ["delivery", str(tmp_path)], catch_exceptions=False)
    assert not list(tmp_path.rglob("*.sqlite"))


@pytest.mark.parametrize(("width", "missing"), [(80, ["least"]), (60, ["least", "second"]), (170, [])])
def test_a_table_fits_its_terminal_and_files_have_every_column(width: int, missing: list[str]) -> None:
    head = ("system", "right", "an interval", "least", "second")
    row = ("dualmem, words only, asked twice", "66.7", "66.7 to 100.0", "0" * 20, "1" * 10)
    shown, paper = Shown("title", head, (row, row), ("least", "second")), io.StringIO()
    shown.print_to(Console(file=paper, width=width))
    lines = paper.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    told = [line.split("  ") for line in lines if line.startswith("dualmem")]
    kept = [cell for name, cell in zip(head, row, strict=True) if name not in missing]
    assert [[cell.strip() for cell in cells if cell.strip()] for cells in told] == [kept, kept]
    assert shown.csv().splitlines()[0] == ",".join(head)
