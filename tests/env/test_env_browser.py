"""Which browser is found, in which order, and what is said when there is none."""

import os
from pathlib import Path
from typing import Any

import pytest

from recallreach.env import browser as module
from recallreach.env.browser import NoBrowserError, find_browser, install_browser


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A machine without any browser; `machine(name)` puts an executable on its PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "none"))
    monkeypatch.delenv("RECALLREACH_BROWSER", raising=False)
    monkeypatch.setattr(module, "MAC_APPLICATIONS", ())

    def put(name: str, script: str = "exit 0", mode: int = 0o755) -> str:
        path = folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(mode)
        return str(path)

    return put


def test_without_a_browser_the_message_says_what_to_do(machine: Any) -> None:
    with pytest.raises(
        NoBrowserError, match=r"playwright install chromium.*chromium-headless-shell.*RECALLREACH_BROWSER"
    ):
        find_browser()


def test_the_light_system_browser_is_preferred(machine: Any) -> None:
    order = [
        "google-chrome",
        "google-chrome-stable",
        "chromium-browser",
        "chromium",
        "chromium-headless-shell",
    ]
    for name in order:
        path = machine(name)
        found = find_browser()
        assert (found.path, found.origin) == (path, "system")
        assert path in found.label


def test_the_environment_variable_comes_first_and_must_be_executable(
    machine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine("chromium")
    mine = machine("my-browser")
    monkeypatch.setenv("RECALLREACH_BROWSER", mine)
    assert (find_browser().path, find_browser().origin) == (mine, "environment")
    os.chmod(mine, 0o644)
    for wrong in (mine, os.path.dirname(mine), mine + "-not-there"):
        monkeypatch.setenv("RECALLREACH_BROWSER", wrong)
        with pytest.raises(NoBrowserError, match="not an executable file"):
            find_browser()


def test_playwrights_own_build_comes_before_the_system(
    machine: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    machine("chromium")
    cache = tmp_path / "cache"
    cache.mkdir()
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(cache))
    assert find_browser().origin == "system"
    chrome = module._expected_chrome()
    assert chrome is not None
    assert cache in chrome.parents
    chrome.parent.mkdir(parents=True)
    chrome.write_text("")
    chrome.chmod(0o755)
    found = find_browser()
    assert (found.path, found.origin) == (str(chrome), "playwright")
    build = next(part for part in chrome.parents if part.parent == cache)
    shell = (
        cache
        / build.name.replace("chromium-", "chromium_headless_shell-")
        / "shell-linux64"
        / "headless_shell"
    )
    shell.parent.mkdir(parents=True)
    shell.write_text("")
    shell.chmod(0o755)
    found = find_browser()
    assert (found.path, found.origin) == (None, "playwright")


def test_installing_tries_playwright_and_then_the_system_package(
    machine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module.sys, "executable", machine("python", "echo no network; exit 1"))
    monkeypatch.setattr(module.os, "geteuid", lambda: 0)
    shell = os.path.join(os.path.dirname(module.sys.executable), "chromium-headless-shell")
    machine("apt-get", f'[ "$1" = update ] || {{ echo "#!/bin/sh" > {shell}; /bin/chmod 755 {shell}; }}')
    said: list[str] = []
    found = install_browser(said.append)
    assert (found.path, found.origin) == (shell, "system")
    assert "python -m playwright install chromium" in said
    assert "no network" in said
    assert "apt-get update" in said
    assert any("chromium-headless-shell" in line for line in said)


def test_a_failed_installation_names_what_was_tried(machine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.sys, "executable", machine("python", "echo no network; exit 1"))
    monkeypatch.setattr(module.os, "geteuid", lambda: 0)
    machine("apt-get", "echo no package; exit 100")
    with pytest.raises(NoBrowserError, match=r"no network.*status 100, 'no package'.*RECALLREACH_BROWSER"):
        install_browser()


def test_without_root_only_playwright_is_tried(machine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.sys, "executable", machine("python", "exit 0"))
    monkeypatch.setattr(module.os, "geteuid", lambda: 1000)
    machine("apt-get", "exit 0")
    with pytest.raises(
        NoBrowserError, match=r"\(`python -m playwright install chromium`: no browser afterwards\)"
    ):
        install_browser()


@pytest.mark.browser
def test_this_machine_has_a_browser() -> None:
    found = find_browser()
    assert found.path is None or os.access(found.path, os.X_OK)
