"""What a newcomer gets wrong is answered with one sentence and touches nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from recallreach.agents.registry import build_agent
from recallreach.errors import ConfigError, DataError, RecallReachError, UnknownNameError
from recallreach.memory.parts import embedded_parts
from recallreach.memory.systems import build_memory
from recallreach.study.cli_catalog import catalog_app
from recallreach.study.config import StudyConfig
from recallreach.study.report import write_report
from recallreach.study.run import run_study


@pytest.mark.parametrize("name", ["os:system", "json:dumps", ":", ":x"])
def test_a_name_that_makes_no_memory_is_refused(name: str) -> None:
    with pytest.raises(RecallReachError, match="memory"):
        build_memory(name, embedded_parts())


def test_an_option_of_the_wrong_type_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match="alpha is a number from 0 to 1, got 'x'"):
        build_memory("dualmem", embedded_parts(), alpha="x")


def test_an_agent_that_cannot_be_made_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match="agent 'json:dumps'"):
        build_agent("json:dumps", obj={1, 2})


@pytest.mark.parametrize("config", [{}, {"seed": 0}])
def test_a_manifest_that_lost_its_facts_names_them(tmp_path: Path, config: dict[str, int]) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps({"format": 1, "config": config}))
    (tmp_path / "results.sqlite").touch()
    with pytest.raises(DataError):
        write_report(tmp_path)


def test_build_does_not_overwrite_what_is_no_catalogue(tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text("name = 'mine'")
    result = CliRunner().invoke(catalog_app, ["build", str(study)])
    assert isinstance(result.exception, DataError)
    assert study.read_text() == "name = 'mine'"


def test_sheets_are_not_drawn_for_a_file_in_the_place_of_their_folder(tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    result = CliRunner().invoke(catalog_app, ["sheet", str(tmp_path / "taken")])
    assert isinstance(result.exception, DataError)
    assert "taken is no folder" in str(result.exception)


def test_show_draws_one_product_and_refuses_an_unknown_one(tmp_path: Path) -> None:
    runner = CliRunner()
    listed = runner.invoke(catalog_app, ["show"]).output.splitlines()
    product = listed[0].split()[0]
    drawn = runner.invoke(catalog_app, ["show", product, "--folder", str(tmp_path)])
    assert drawn.exit_code == 0
    assert len(list(tmp_path.iterdir())) == 3
    unknown = runner.invoke(catalog_app, ["show", "nope"])
    assert isinstance(unknown.exception, UnknownNameError)


def test_a_cache_that_cannot_be_written_is_told_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "taken").touch()
    monkeypatch.setenv("RECALLREACH_CACHE", str(tmp_path / "taken" / "cache"))
    config = StudyConfig.parse({"name": "x", "out": str(tmp_path / "runs"), "transport": "in_process"})
    with pytest.raises(DataError, match="RECALLREACH_CACHE"):
        run_study(config)
    assert not (tmp_path / "runs").exists()
