"""The example plug-in, built, installed into a folder of its own, listed, checked and run; broken ones."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DRIVER = """
import sys
from pathlib import Path
from typer.testing import CliRunner
from recallreach.study.cli import app

for line in sys.argv[1:]:
    result = CliRunner().invoke(app, line.split())
    print(f"{line} -> {result.exit_code}")
    print(result.output)
    if result.exception and not isinstance(result.exception, SystemExit):
        print(f"{type(result.exception).__name__}: {result.exception}")
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the installed plug-in and nothing else."""
    work = tmp_path_factory.mktemp("plugin")
    shutil.copytree(ROOT / "examples" / "plugin", work / "source")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    build = [
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "-w",
        str(work),
        str(work / "source"),
    ]
    subprocess.run([*pip, *build], check=True)
    (wheel,) = work.glob("*.whl")
    install = ["install", "--no-deps", "--no-index", "--target", str(work / "site"), str(wheel)]
    subprocess.run([*pip, *install], check=True)
    return work / "site"


def _run(site: Path, *lines: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, *lines], capture_output=True, text=True, env=environment, cwd=site
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_it_is_listed_checked_and_run(site: Path, tmp_path: Path) -> None:
    study = ROOT / "examples" / "plugin" / "study.toml"
    lines = [
        "list memories",
        "check memory recent -o half_life=0.5",
        "check delivery headlines",
        "check agent first-item",
        "check memory recent -o half_life=0",
        f"run {study} --out {tmp_path} --chains 1 --probes 1 --agent first-item",
    ]
    told = _run(site, *lines)
    assert "Captions by cosine, worth half as much" in told
    assert "(plug-in from recallreach-recent)" in told
    for line in lines:
        assert f"{line} -> {1 if line.endswith('=0') else 0}" in told, told
    assert "cannot be made with {'half_life': 0}: half_life is a number of sessions above 0" in told
    assert (tmp_path / "plugin" / "report.html").exists()
    assert "recent (half-life 1) + headlines" in told


def test_broken_plug_ins_are_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    info = tmp_path / "careless-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: careless\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[recallreach.memories]\n"
        "careless = careless:Memory\nabsent = nowhere_at_all:Memory\ndualmem = careless:Memory\n"
    )
    (tmp_path / "careless.py").write_text("1 / 0\n")
    (tmp_path / "my_module.py").write_text(
        "class Memory:\n    name = ''\n    def __init__(self, parts): ...\n"
    )
    lines = [
        "list memories",
        "check memory careless",
        "check memory my_module:Memory",
        "check memory my_module:name",
        "check memories dualmem",
        "check memory dualmem -o alpha",
    ]
    told = _run(tmp_path, *lines)
    assert "careless      plug-in from careless that cannot be loaded" in told
    assert "absent        plug-in from careless that cannot be loaded" in told
    assert "dualmem       picture vector and caption vector" in told
    assert "plug-in memory 'dualmem' from careless is ignored: recallreach has that name" in told
    assert "ZeroDivisionError: division by zero" in told
    assert "careless.py" in told
    assert "the plug-in memory 'careless' from careless cannot be loaded: ZeroDivisionError" in told
    assert "memory 'my_module:Memory' breaks its contract: Memory lacks default_delivery, write(), " in told
    assert "cannot load memory 'my_module:name': module 'my_module' has no attribute 'name'" in told
    assert "unknown kind of part 'memories'. Did you mean 'memory'" in told
    assert "an option is given as key=value, got 'alpha'" in told
