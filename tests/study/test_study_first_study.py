"""docs/first-study.md, line by line: its files are saved, its commands run, on studies as small as can be."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from recallreach.agents import human
from recallreach.study import cli_view
from recallreach.study.cli import app
from recallreach.study.manifest import read_manifest
from recallreach.study.play import game

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "first-study.md").read_text()
TINY = ["--chains", "1", "--sessions", "1", "--probes", "1", "--catalog.variants", "1"]
DEMO = [*TINY, "--transport", "in_process", "--memories", "no-memory"]
_BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


def commands() -> list[str]:
    """Every command of the page, in order."""
    blocks = [body for kind, body in _BLOCK.findall(PAGE) if kind == "sh"]
    return [
        line.partition("  #")[0].strip() for block in blocks for line in block.splitlines() if line.strip()
    ]


def files() -> dict[str, str]:
    """Files that the page says to save, by name."""
    found = re.findall(r"[Ss]ave (?:this|it) as `([\w.]+)`[^`]*?```\w+\n(.*?)```", PAGE, re.DOTALL)
    return dict(found)


def test_the_page_names_the_files_that_its_commands_use() -> None:
    assert set(files()) == {"first.toml", "newest.py", "mine.toml"}
    assert len([body for kind, body in _BLOCK.findall(PAGE) if kind in ("toml", "python")]) == 3


def test_links_of_the_page_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert (ROOT / "docs" / target).exists(), target


def test_make_demo_is_the_command_that_is_run_for_it() -> None:
    makefile = (ROOT / "Makefile").read_text()
    recipe = makefile.partition("\ndemo:")[2].splitlines()[1].strip()
    assert recipe == "@$(BIN)/recallreach demo"
    assert "\nVENV := .venv\n" in makefile


def test_every_command_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for name, text in files().items():
        (tmp_path / name).write_text(text)
    seen = []
    for command in commands():
        seen.append(command)
        _run(command, monkeypatch)
    assert len(seen) >= 9
    finished = {folder.name: read_manifest(folder)["finished_at"] for folder in (tmp_path / "runs").iterdir()}
    assert {name for name, moment in finished.items() if moment} == {"demo", "first", "mine"}
    report = (tmp_path / "runs" / "mine" / "report.html").read_text()
    assert all(system in report for system in ("text-only", "newest:Newest", "dualmem"))


def _run(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = command.split()
    if command == ". .venv/bin/activate":
        return
    if command == "make demo":
        words = ["recallreach", "demo", *DEMO]
    assert words[0] == "recallreach", command
    servers: dict[str, Callable[[list[str], pytest.MonkeyPatch], Result]] = {"view": _view, "play": _play}
    if words[1] in servers:
        result = servers[words[1]](words[1:], monkeypatch)
    else:
        result = _invoke([*words[1:], *(TINY if words[1] == "run" else [])])
    assert result.exit_code == 0, (command, result.output, result.exception)


def _invoke(words: list[str]) -> Result:
    return CliRunner().invoke(app, words)


def _view(words: list[str], monkeypatch: pytest.MonkeyPatch) -> Result:
    """The viewer serves until it is stopped; here it is asked for its first page and then told to stop."""
    said: list[str] = []

    def look() -> None:
        (address,) = re.findall(r"http://[\d.:]+", said[0])
        said.append(_fetch(address))

    with monkeypatch.context() as patch:
        patch.setattr(cli_view.typer, "echo", said.append)
        patch.setattr(cli_view, "rest", look)
        result = _invoke([*words, "--port", "0"])
    assert "Right answers by reach" in said[-1]
    return result


def _play(words: list[str], monkeypatch: pytest.MonkeyPatch) -> Result:
    """A person who opens the page and leaves: the run stops, and nothing is lost."""
    box: list[Any] = []
    opened = game.play

    def playing(config: Any, reporter: Any, port: int, told: Callable[[str], None], **options: Any) -> Any:
        def telling(address: str) -> None:
            told(address)
            threading.Thread(target=_look_and_leave, args=(address, box)).start()

        return opened(config, reporter, port, telling, **options)

    with monkeypatch.context() as patch:
        patch.setattr("recallreach.study.play.play", playing)
        result = _invoke([*words, *TINY, "--port", "0"])
    assert isinstance(result.exception, human.PersonLeftError)
    assert "Question 1 of 1" in box[0]
    result.exit_code = 0
    return result


def _look_and_leave(address: str, box: list[Any]) -> None:
    (desk,) = human._open
    desk.reply("", human.Scene(), 120)
    box.append(_fetch(address))
    desk.close()


def _fetch(address: str) -> str:
    with urllib.request.urlopen(address, timeout=60) as answer:
        return str(answer.read().decode())


def test_the_installed_command_finds_a_module_in_the_folder_one_works_in(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "class Mine:\n    def __init__(self, parts): raise ValueError('found')\n"
    )
    program = (
        "import sys; sys.argv[1:] = ['check', 'memory', 'mine:Mine']; from recallreach.study.cli import main"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"{program}; main()"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "found" in done.stderr
