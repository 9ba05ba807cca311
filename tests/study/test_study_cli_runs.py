"""The commands before a run and after several: plan, resume with other options, export, merge."""

from __future__ import annotations

import json
import sqlite3
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
    server = '{ model = "x", base_url = "http://127.0.0.1:9/v1" }'
    captioner = f'{{ name = "model", model = "openai", model_options = {server} }}'
    told = recallreach("plan", study, "--name", "other", "--captioner", captioner)[1]
    assert "Not counted: the calls of memory_model and of the captioner." in told
    assert "none is called" in recallreach("plan", study, "--name", "other")[1]
    for command in (["resume", folder], ["plan", study]):
        status, _, err = recallreach(*command, "--k", "2")
        assert status == 2
        assert "k was 5 and is now 2" in err


def test_a_trace_that_was_changed_stops_a_run_that_would_go_on(
    recallreach: Command, study: Path, tmp_path: Path
) -> None:
    assert recallreach("run", study)[0] == 0
    folder = tmp_path / "runs" / "small"
    raw = sqlite3.connect(folder / "results.sqlite")
    raw.execute("DROP TRIGGER events_are_final")
    raw.execute("UPDATE events SET body = replace(body, 'Find', 'Fine') WHERE kind = 'asked'")
    assert raw.total_changes
    raw.commit()
    raw.close()
    for command in (["resume", folder], ["run", study]):
        status, _, err = recallreach(*command)
        assert (status, "the trace of unit" in err, "not as it was written" in err) == (2, True, True)


def test_labels_that_hold_a_comma_are_told_apart(recallreach: Command, study: Path) -> None:
    labels = '["no-memory", { name = "text-only", label = "words, all of them" }]'
    assert "Systems: 2 (no-memory; words, all of them)" in recallreach("plan", study, "--memories", labels)[1]
    plain = recallreach("plan", study, "--memories", "no-memory, text-only")[1]
    assert "Systems: 2 (no-memory, text-only)" in plain
    assert "Systems: no-memory; words, all of them" in recallreach("run", study, "--memories", labels)[1]


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("encoder", '{ name = "transformers", model = "nobody/none" }', "'nobody/none' is neither a local"),
        ("encoder", '{ name = "transformers", modl = "x" }', "It knows: model, revision"),
        ("encoder", '{ name = "transformers", model = "x", batch = 0 }', "batch is a number of items"),
        ("encoder", '{ name = "embedded", path = "none.safetensors" }', "none.safetensors do not exist"),
        (
            "text_encoder",
            '{ name = "sentence-transformers", model = "nobody/none" }',
            "'nobody/none' is neither",
        ),
        ("text_encoder", '{ name = "hashed", dimension = "wide" }', "a number of cells from 1"),
        ("captioner", "model", "missing a required argument: 'model'"),
        ("captioner", '{ name = "model", model = "opnai" }', "Did you mean 'openai'"),
        ("captioner", '{ name = "model", model = 3 }', "model is a name and model_options a table"),
        (
            "captioner",
            '{ name = "model", model = "scripted", model_options = { replies = [] }, prompt = "x" }',
            "prompt 'x'",
        ),
        ("memory_model", "openai", "missing a required argument: 'model'"),
        ("memory_model", '{ name = "transformers", model = "nobody/none" }', "'nobody/none' is neither"),
        ("memories", '[{ name = "dualmem", encoder = { nme = "x" } }]', "a name or a table with a name"),
        ("memories", '[{ name = "dualmem", captioner = "model" }]', "missing a required argument: 'model'"),
    ],
)
def test_a_plan_refuses_the_parts_that_a_run_refuses(
    recallreach: Command,
    study: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    key: str,
    value: str,
    told: str,
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    status, _, planned = recallreach("plan", study, f"--{key}", value)
    assert status == 2
    assert told in planned
    assert recallreach("run", study, f"--{key}", value)[2] == planned
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("command", ["plan", "run"])
def test_more_workers_than_a_machine_carries_are_refused(
    recallreach: Command, study: Path, tmp_path: Path, command: str
) -> None:
    for engine in ("auto", "ray"):
        status, _, err = recallreach(command, study, "--workers", "4000", "--engine", engine)
        assert status == 2
        assert "workers = 4000 cannot be used" in err
        assert "--ray_address" in err
    assert not (tmp_path / "runs").exists()
    away = ("--workers", "4000", "--engine", "ray", "--ray_address", "ray://far:1")
    assert "workers: 4000" in recallreach("plan", study, *away)[1]


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
