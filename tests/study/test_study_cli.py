from __future__ import annotations

import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import typer

from recallreach.env import browser as browsers
from recallreach.storefront.catalog import Catalog
from recallreach.study import cli, run
from recallreach.study.config import StudyConfig

TINY = """
chains = 1
sessions = 1
probes = 1
transport = "in_process"
memories = ["no-memory", "dualmem"]

[catalog]
categories = ["bookshelf"]
styles = ["modern"]
objects = ["ceramic-mug", "plush-teddy", "wool-scarf"]
"""
Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    file = tmp_path / "small.toml"
    file.write_text(f'out = "{tmp_path / "runs"}"\n{TINY}')
    return file


def _commands(app: typer.Typer, *path: str) -> Iterator[tuple[str, ...]]:
    yield path
    for command in app.registered_commands:
        yield (*path, command.name or getattr(command.callback, "__name__", ""))
    for group in app.registered_groups:
        if group.typer_instance is not None:
            yield from _commands(group.typer_instance, *path, group.name or "")


@pytest.mark.parametrize("path", list(_commands(cli.app)), ids=" ".join)
def test_the_help_of_every_command_is_in_readable_words(recallreach: Command, path: tuple[str, ...]) -> None:
    status, out, _ = recallreach(*path, "--help")
    assert status == 0
    _, *usage = out.splitlines()[0].removeprefix("Usage: recallreach ").split("[OPTIONS] ")
    assert " ".join(usage) == " ".join(usage).upper()
    assert not set("{}").intersection(out)
    raw = re.search(r"<(int|float|str|path|list)", out)
    assert raw is None, raw
    assert not [line for line in out.splitlines()[1:] if line.endswith("...")]


def test_a_missing_argument_is_named_as_in_the_help(recallreach: Command) -> None:
    status, _, err = recallreach("run")
    assert (status, " run [OPTIONS] STUDY" in err, "'STUDY'" in err) == (2, True, True)


def test_run_report_and_resume_end_with_the_path_of_the_report(
    recallreach: Command, study: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "runs" / "small"
    status, out, err = recallreach("run", study)
    assert (status, err) == (0, "")
    for told in (
        "Shop: 10 products",
        "1 chain of 1 session",
        "Recall probes: 2 of 2",
        "dualmem",
        "at chance",
    ):
        assert told in out
    assert out.splitlines()[-1] == f"Report: {folder / 'report.html'}"
    (folder / "report.html").unlink()
    for again in (("report", folder), ("resume", folder)):
        status, out, _ = recallreach(*again)
        assert status == 0
        assert out.splitlines()[-1] == f"Report: {folder / 'report.html'}"
        assert (folder / "report.html").exists()


def test_options_of_the_command_line_win_over_the_file(
    recallreach: Command, study: Path, tmp_path: Path
) -> None:
    status, out, _ = recallreach("run", study, "--memories", "text-only", "--name", "other", "--k", "2")
    assert status == 0
    assert "Systems: text-only\n" in out
    assert (tmp_path / "runs" / "other" / "manifest.json").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["demo", "--memories", "dualmen"], ["unknown memory 'dualmen'", "Did you mean 'dualmem'?"]),
        (["demo", "--deliveries", "txt"], ["unknown delivery 'txt'", "'text'"]),
        (["demo", "--agent", "macher"], ["unknown agent 'macher'", "'matcher'"]),
        (
            ["demo", "--memories", '[{ name = "dualmem", alhpa = 1 }]'],
            ["does not take these options", "alpha"],
        ),
        (["demo", "--chains", "six"], ["chains = 'six'", "a whole number"]),
        (["demo", "--catalog.categories", "99"], ["catalog.categories asks for 99"]),
        (["run", "none.toml"], ["study file none.toml does not exist"]),
        (["resume", "."], ["is not a run folder"]),
        (["report", "."], ["is not a run folder"]),
        (["list", "memory"], ["unknown kind of part 'memory'", "memories"]),
        (["catalog", "show", "--catalog", "none.json"], ["there is no catalogue at 'none.json'"]),
    ],
)
def test_what_a_user_can_mend_is_one_sentence_and_exit_status_2(
    recallreach: Command,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    arguments: list[str],
    told: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    if arguments[0] == "demo":
        arguments = [*arguments, "--transport", "in_process"]
    status, _, err = recallreach(*arguments)
    assert status == 2
    assert err.startswith("recallreach: ")
    assert err.count("\n") == 1
    for part in told:
        assert part in err


def test_a_wrong_key_in_a_file_names_the_file(recallreach: Command, study: Path) -> None:
    study.write_text("chainz = 3\n")
    status, _, err = recallreach("run", study)
    assert status == 2
    assert err == f"recallreach: {study}: unknown key 'chainz'. Did you mean 'chains'?\n"


def test_an_unknown_memory_in_a_file_names_the_file(recallreach: Command, study: Path) -> None:
    study.write_text('memories = ["captoin"]\n')
    status, _, err = recallreach("run", study)
    assert status == 2
    assert err.startswith(
        f"recallreach: {study}: memories: unknown memory 'captoin'. Did you mean 'caption'?"
    )


def test_debug_shows_the_traceback(recallreach: Command) -> None:
    with pytest.raises(cli.RecallReachError):
        recallreach("--debug", "run", "none.toml")


def test_a_run_folder_that_cannot_be_written_is_told(
    recallreach: Command, study: Path, tmp_path: Path
) -> None:
    (tmp_path / "runs").write_text("a file stands in the way")
    status, _, err = recallreach("run", study)
    assert status == 2
    assert "cannot write to the run folder" in err


def test_a_port_in_use_is_told(recallreach: Command) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        status, _, err = recallreach("serve", "--port", port)
    assert status == 2
    assert f"port {port}" in err
    assert "in use" in err


def test_interrupting_tells_how_to_go_on(
    recallreach: Command, monkeypatch: pytest.MonkeyPatch, study: Path, tmp_path: Path
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "run_study", interrupted)
    status, _, err = recallreach("run", study)
    assert status == 130
    assert f"recallreach resume {tmp_path / 'runs' / 'small'}" in err


def test_demo_installs_a_browser_where_there_is_none_and_says_so(
    recallreach: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none() -> browsers.Browser:
        raise browsers.NoBrowserError("no Chromium was found: run `playwright install chromium`")

    asked: list[bool] = []

    def install(progress: Callable[[str], None]) -> None:
        asked.append(True)
        progress("downloading")
        raise browsers.NoBrowserError("no Chromium could be installed")

    monkeypatch.setattr(browsers, "find_browser", none)
    monkeypatch.setattr(browsers, "install_browser", install)
    status, out, err = recallreach("demo")
    assert asked == [True]
    assert status == 2
    assert "no Chromium was found" in out
    assert "downloading" in out
    assert err == "recallreach: no Chromium could be installed\n"


def test_the_demo_is_a_study_of_four_memories() -> None:
    config = StudyConfig.parse(cli.DEMO)
    assert [part.title for part in config.memories] == ["no-memory", "text-only", "caption", "dualmem"]
    assert (config.sessions, config.transport) == (5, "chromium")
    assert config.chains >= 3


@pytest.mark.parametrize("kind", ["memories", "deliveries", "agents", "models", "encoders", "captioners"])
def test_parts_are_listed_with_a_summary(recallreach: Command, kind: str) -> None:
    status, out, _ = recallreach("list", kind)
    assert status == 0
    assert out
    assert all(len(line.split(maxsplit=1)) == 2 for line in out.splitlines())


def test_a_catalogue_is_built_saved_and_shown(recallreach: Command, tmp_path: Path) -> None:
    file = tmp_path / "shop.json"
    status, out, _ = recallreach("catalog", "build", file, "--variants", "2", "--seed", "7")
    assert status == 0
    catalog = Catalog.load(file)
    assert f"{len(catalog)} products" in out
    status, out, _ = recallreach("catalog", "show", "--catalog", file)
    assert [line.split()[0] for line in out.splitlines()] == [product.id for product in catalog]


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "recallreach", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("recallreach 0.")
