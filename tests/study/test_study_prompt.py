"""What a model would be sent, what it would cost, and what a browsing agent did: from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from recallreach.agents.forms import count_forms
from recallreach.errors import ConfigError, RecallReachError, UnknownNameError
from recallreach.study.cli import app
from recallreach.study.config import StudyConfig
from recallreach.study.estimates import estimate_lines, probes_expected
from recallreach.study.run import run_study

STUDY = """
name = "tiny"
out = "OUT"
chains = 1
sessions = 2
probes = 1
transport = "in_process"
memories = ["no-memory", "text-only"]
agent = { name = "AGENT", OPTIONS }

[catalog]
categories = ["bookshelf"]
styles = ["modern", "rustic"]
variants = 4
objects = ["ceramic-mug", "plush-teddy", "wool-scarf"]
"""
REACT = 'model = "openai", model_options = { model = "gemini-2.5-flash" }'


def study(folder: Path, agent: str = "react", options: str = REACT) -> Path:
    file = folder / "tiny.toml"
    text = (
        STUDY.replace("OUT", str(folder))
        .replace("AGENT", agent)
        .replace(", OPTIONS", f", {options}" * bool(options))
    )
    file.write_text(text)
    return file


def recallreach(*arguments: object) -> str:
    """Standard output of a command; its error is raised."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None:
        raise result.exception
    return result.output


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that the matcher answered."""
    folder = tmp_path_factory.mktemp("finished")
    run_study(StudyConfig.load(study(folder, "matcher", "")))
    return folder / "tiny"


def test_the_first_request_of_a_session_is_printed_without_key_or_model(tmp_path: Path) -> None:
    told = recallreach("prompt", "show", study(tmp_path))
    assert "=== system" in told
    assert "Its categories are: Bookshelves." in told
    assert "open(M1)" not in told
    assert "Step 1 of" in told
    assert "[picture" not in told


def test_a_later_step_holds_the_whole_session(tmp_path: Path) -> None:
    file = study(tmp_path)
    told = recallreach(
        "prompt", "show", file, "--session", "0.1", "--step", "9", "--pictures", tmp_path / "shots"
    )
    assert told.count("=== assistant") == 8
    assert "Step 9 of" in told
    shown = told.count("[picture ")
    assert len(list((tmp_path / "shots").glob("*.jpg") if shown else [])) <= shown


def test_a_question_is_printed_as_json_with_its_pictures_in_place(tmp_path: Path) -> None:
    told = recallreach(
        "prompt",
        "show",
        study(tmp_path),
        "--session",
        "0.1",
        "--probe",
        "first",
        "--system",
        "text-only",
        "--json",
    )
    system, user = json.loads(told)["messages"]
    assert "open(M1)" in system["content"]
    texts = [part["text"] for part in user["content"] if part["type"] == "text"]
    assert any(text.startswith("M1 ") for text in texts)
    assert "You shopped here in earlier sessions" in texts[0]


def test_a_run_folder_says_again_what_was_said(finished: Path) -> None:
    """The second request of a question holds the reply that the run recorded for the first."""
    from recallreach.study.reading import StoreReader

    with StoreReader(finished / "results.sqlite") as reader:
        unit = next(unit for unit in reader.units() if unit.system == "text-only" and unit.steps > 1)
        first = reader.trace(unit.key)["turns"][0]["reply"]
    place = f"{unit.chain}.{unit.session}"
    options = ["--session", place, "--probe", unit.probe, "--system", "text-only", "--step", 2]
    assert first in recallreach("prompt", "show", finished, *options)


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        (["--step", "99"], ConfigError, "steps 1 to"),
        (["--session", "3.0"], ConfigError, "no session 0 in chain 3"),
        (["--session", "one"], ConfigError, "CHAIN.SESSION"),
        (["--probe", "first", "--system", "dualmem"], UnknownNameError, "text-only"),
        (["--probe", "c0-s0-00000000"], UnknownNameError, "unknown probe"),
    ],
)
def test_what_cannot_be_shown_is_told(
    tmp_path: Path, options: list[str], error: type[RecallReachError], told: str
) -> None:
    with pytest.raises(error, match=told):
        recallreach("prompt", "show", study(tmp_path), *options)


def test_a_folder_that_is_no_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="a study file or a run folder"):
        recallreach("prompt", "show", tmp_path)


def test_a_study_is_estimated_with_its_own_pages(tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('[models."gemini-2.5-flash"]\ninput = 0.3\noutput = 2.5\n')
    told = recallreach("model", "estimate", study(tmp_path), "--prices", prices)
    assert "model calls (at most" in told
    assert "Cost: about" in told
    with pytest.raises(ConfigError, match="calls no models"):
        recallreach("model", "estimate", study(tmp_path, "matcher", ""))
    assert "calls no models" in recallreach("model", "check", study(tmp_path, "matcher", ""))


def test_probes_are_expected_by_the_design() -> None:
    def count(**values: Any) -> int:
        return probes_expected(StudyConfig.parse({"chains": 2, "sessions": 3, **values}))

    assert count(probes=1) == 2 * (1 + 2 + 3)
    assert count(probes="exhaustive") == 2 * 12 * (1 + 2 + 3)
    assert count(probes=1, branching=2) == 2 * (1 + 2 * 2 + 4 * 3)
    assert count(probes=1, ask_after=[3]) == 2 * 3


def test_agents_without_models_are_not_estimated() -> None:
    from recallreach.agents.matcher import Matcher
    from recallreach.agents.models.scripted import ScriptedModel
    from recallreach.agents.react import ReActAgent

    config = StudyConfig.parse({"chains": 2, "sessions": 3, "probes": 1})
    assert estimate_lines(config, 4, Matcher(), Matcher()) == []
    (line,) = estimate_lines(config, 4, Matcher(), ReActAgent(ScriptedModel([])))
    assert f"{4 * 12 * 3} model calls (at most {4 * 12 * 8})" in line


def test_compliance_and_forms_of_a_run(finished: Path, tmp_path: Path) -> None:
    told = recallreach("compliance", finished)
    assert "of 2 sessions open at least 3 collections" in told
    assert "Replies to probes: clean" in told
    found = json.loads(recallreach("compliance", finished, "--json"))
    assert found["browsing"]["sessions"] == 2
    assert set(found["recall_forms"]) <= {"clean", "refused"}
    assert count_forms([("Action: done", "")]) == {"clean": 1}
    with pytest.raises(RecallReachError, match="no recorded session"):
        recallreach("compliance", tmp_path)
