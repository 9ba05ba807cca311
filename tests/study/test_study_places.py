"""A full disk and a folder that may not be written: a clear sentence, a store that opens, nothing lost."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recallreach.errors import DataError
from recallreach.study.config import StudyConfig
from recallreach.study.report import Results
from recallreach.study.run import run_study
from recallreach.study.store import ResultStore

STUDY: dict[str, Any] = {
    "chains": 1,
    "sessions": 3,
    "probes": 1,
    "transport": "in_process",
    "memories": ["caption", "no-memory"],
    "catalog": {
        "categories": ["bookshelf", "chair"],
        "styles": ["modern"],
        "objects": ["ceramic-mug", "plush-teddy", "wool-scarf"],
    },
}
LIMITED = """
import resource, signal, sys
from recallreach.study import cli

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
sys.argv[:2] = ["recallreach"]
sys.exit(cli.main())
"""
NOBODY = 65534


def config(out: Path, name: str = "run") -> StudyConfig:
    return StudyConfig.parse({"name": name, "out": str(out), **STUDY})


def command(script: str, *arguments: object) -> tuple[int, str]:
    """A command in a process of its own: its status, and what it wrote on standard error."""
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return run_study(config(tmp_path_factory.mktemp("runs")))


@pytest.fixture
def study_file(tmp_path: Path) -> Path:
    """The same study as a file."""
    shop = STUDY["catalog"]
    lines = [f"{key} = {value!r}" for key, value in STUDY.items() if key != "catalog"]
    lines += ["[catalog]", *(f"{key} = {value!r}" for key, value in shop.items())]
    file = tmp_path / "study.toml"
    file.write_text("\n".join(lines))
    return file


@pytest.mark.parametrize(
    ("limit", "where", "answered"),
    [(97_000, "pictures", False), (200_000, "results.sqlite", True)],
    ids=["while a session is recorded", "while answers are stored"],
)
def test_a_disk_that_fills_up_stops_the_run_and_the_rest_is_done_later(
    undisturbed: Results, study_file: Path, tmp_path: Path, limit: int, where: str, answered: bool
) -> None:
    """No file may grow beyond a limit, which to a program is a disk with no room left."""
    status, told = command(LIMITED, limit, "run", study_file, "--name", "run", "--out", tmp_path)
    assert status == 2
    assert told.splitlines()[-1].startswith("recallreach: cannot write ")
    assert where in told
    assert "run the same command again" in told
    with ResultStore(tmp_path / "run" / "results.sqlite") as store:
        assert bool(store.units()) is answered
    assert run_study(config(tmp_path)).digest == undisturbed.digest


def refused(folder: Path, what: Callable[[], object]) -> str:
    """What `what` says in a fork of this process that may not write to `folder`; root gives up its rights."""
    heard, said = os.pipe()
    for place in (Path(os.environ["RECALLREACH_CACHE"]), *list(folder.parents)[:3]):
        place.chmod(0o755)
    folder.chmod(0o555)
    if (child := os.fork()) == 0:
        if os.geteuid() == 0:
            os.setegid(NOBODY)
            os.seteuid(NOBODY)
        try:
            what()
        except DataError as error:
            os.write(said, str(error).encode())
        finally:
            os._exit(0)
    os.close(said)
    os.waitpid(child, 0)
    folder.chmod(0o755)
    with os.fdopen(heard) as told:
        return told.read()


def test_a_run_in_a_read_only_folder_is_refused_before_it_starts(
    undisturbed: Results, tmp_path: Path
) -> None:
    told = refused(tmp_path, lambda: run_study(config(tmp_path)))
    assert told == (
        f"cannot write to the run folder {tmp_path / 'run'}: Permission denied. Choose another with --out."
    )
    assert os.listdir(tmp_path) == []


def test_resuming_in_a_read_only_folder_says_so_and_changes_nothing(
    undisturbed: Results, tmp_path: Path
) -> None:
    folder = shutil.copytree(undisturbed.path.parent, tmp_path / "run")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    told = refused(folder, lambda: run_study(config(tmp_path)))
    assert told.startswith(f"cannot write to the run folder {folder}: Permission denied.")
    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
