"""The commands before a run and after several: plan, resume with other options, export, merge."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

STUDY = """
chains = 1
sessions = 2
probes = 1
transport = "in_process"
memories = ["no-memory"]

[catalog]
categories = ["bookshelf"]
styles = ["modern"]
objects = ["ceramic-mug", "plush-teddy"]
"""
Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    file = tmp_path / "small.toml"
    file.write_text(f'out = "{tmp_path / "runs"}"\n{STUDY}')
    return file


def test_a_plan_becomes_exact_once_the_sessions_are_recorded_and_the_run_is_exported(
    recallreach: Command, study: Path, tmp_path: Path
) -> None:
    status, out, _ = recallreach("plan", study, "--json", "--branching", "2")
    assert status == 0
    told = json.loads(out)
    assert (told["runs"], told["paths"], told["saved"], told["exact"]) == (3, 2, 1, False)
    assert not (tmp_path / "runs").exists()
    assert recallreach("run", study)[0] == 0
    status, out, _ = recallreach("plan", study)
    assert "Sessions: 2 for 1 chain, 2 recorded already" in out
    assert "about" not in out
    asked = json.loads(recallreach("plan", study, "--json")[1])["units"]
    folder = tmp_path / "runs" / "small"
    status, out, _ = recallreach("export", folder)
    assert status == 0
    assert len((folder / "export" / "units.jsonl").read_text().splitlines()) == asked > 0
    status, out, _ = recallreach("resume", folder, "--error_threshold", "0.5", "--lengths", "1,2")
    assert status == 0
    told = recallreach("plan", study, "--name", "other", "--captioner", "model")[1]
    assert "Not counted: the calls of memory_model and of the captioner." in told
    assert "none is called" in recallreach("plan", study, "--name", "other")[1]
    for command in (["resume", folder], ["plan", study]):
        status, _, err = recallreach(*command, "--k", "2")
        assert status == 2
        assert "k was 5 and is now 2" in err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["plan", "none.toml"], "study file none.toml does not exist"),
        (["merge", "out", "a", "b"], "is not a run folder"),
        (["merge", "out", "a"], "is not a run folder"),
        (["export", "none"], "there are no results"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    recallreach: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    status, _, err = recallreach(*arguments)
    assert status == 2
    assert told in err
    assert err.count("\n") == 1
