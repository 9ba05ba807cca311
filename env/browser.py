"""Which Chromium to drive, and how to get one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import playwright
from playwright.sync_api import Error, sync_playwright

from recallreach.errors import RecallReachError

ENVIRONMENT = "RECALLREACH_BROWSER"
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
MAC_APPLICATIONS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
INSTALL_SECONDS = 900
_HINT = (
    "run `playwright install chromium`, or install a system package "
    f"(Debian: chromium-headless-shell or chromium), or set {ENVIRONMENT} to the browser's executable"
)
_WINDOW_HINT = (
    "the headless shell cannot; run `playwright install chromium`, or install a full one (Debian: chromium), "
    f"or set {ENVIRONMENT} to its executable"
)


class NoBrowserError(RecallReachError):
    """No usable Chromium; the message says how to get one."""


@dataclass(frozen=True, slots=True)
class Browser:
    """A Chromium found on this machine.

    Attributes:
        path: its executable, or None for Playwright's own build.
        origin: where it was found.
        label: one line for people.
    """

    path: str | None
    origin: Literal["environment", "playwright", "system"]
    label: str

    @property
    def shell(self) -> bool:
        """Whether it is a headless shell, which cannot show a window."""
        return "headless" in (self.label if self.path is None else Path(self.path).name)


def find_browser(*, window: bool = False) -> Browser:
    """The Chromium to use: RECALLREACH_BROWSER, Playwright's own build, then one on PATH; none is launched.

    Args:
        window: whether it has to be one that can show a window, which the headless shell cannot.

    Raises:
        NoBrowserError: there is none, or RECALLREACH_BROWSER names no executable file.
    """
    named = _from_environment()
    if named is not None and not (window and named.shell):
        return named
    found = _from_playwright(window=window) or _from_system(window=window)
    if found is None and window:
        raise NoBrowserError(f"no Chromium was found that can show a window: {_WINDOW_HINT}")
    if found is None:
        raise NoBrowserError(f"no Chromium was found: {_HINT}")
    return found


def install_browser(progress: Callable[[str], None] = lambda line: None) -> Browser:
    """Install a Chromium and return it: Playwright's build, else Debian's package where this is root on
    Debian.

    Args:
        progress: called with one line of text now and then.

    Raises:
        NoBrowserError: nothing could be installed; quotes what was tried.
    """
    tried = []
    for commands in _install_commands():
        failure = _run_all(commands, progress)
        found = _from_playwright() or _from_system()
        if failure is None and found is not None:
            return found
        tried.append(f"`{_spoken(commands[-1])}`: {failure or 'no browser afterwards'}")
    raise NoBrowserError(f"no Chromium could be installed ({'; '.join(tried)}): {_HINT}")


def _from_environment() -> Browser | None:
    path = os.environ.get(ENVIRONMENT)
    if not path:
        return None
    if not _executable(path):
        raise NoBrowserError(f"{ENVIRONMENT}={path!r} is not an executable file; correct it, or unset it")
    return Browser(path, "environment", f"{path} ({ENVIRONMENT})")


def _from_playwright(*, window: bool = False) -> Browser | None:
    """Playwright's build for this Playwright version, where its files are present; the full one for a
    window."""
    if not _playwright_folder().is_dir():
        return None
    with ThreadPoolExecutor(1, "find-browser") as thread:
        chrome = thread.submit(_expected_chrome).result()
    if chrome is None:
        return None
    if not window and _headless_shell_beside(chrome):
        return Browser(None, "playwright", "Playwright's own Chromium headless shell")
    return (
        Browser(str(chrome), "playwright", "Playwright's own Chromium") if _executable(str(chrome)) else None
    )


def _playwright_folder() -> Path:
    """Where Playwright keeps its browsers, by its documented rules."""
    configured = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    if configured == "0":
        return Path(playwright.__file__).parent
    if configured:
        return Path(configured)
    home = Path.home()
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "ms-playwright"


def _expected_chrome() -> Path | None:
    """Where this version of Playwright expects its Chromium; asks its driver and launches no browser."""
    try:
        with sync_playwright() as driver:
            return Path(driver.chromium.executable_path)
    except Error:
        return None


def _headless_shell_beside(chrome: Path) -> bool:
    """Whether the headless shell, which Playwright prefers, lies beside the full build of the same
    revision."""
    build = next((part for part in chrome.parents if part.name.startswith("chromium-")), None)
    if build is None:
        return False
    folder = build.with_name(build.name.replace("chromium-", "chromium_headless_shell-"))
    names = ("*/chrome-headless-shell", "*/headless_shell", "*/chrome-headless-shell.exe")
    return any(_executable(str(file)) for name in names for file in folder.glob(name))


def _from_system(*, window: bool = False) -> Browser | None:
    for name in NAMES:
        path = shutil.which(name)
        if path is not None and not (window and "headless" in name):
            return Browser(path, "system", f"{path} (system)")
    path = next((path for path in MAC_APPLICATIONS if _executable(path)), None)
    return Browser(path, "system", f"{path} (system)") if path else None


def _executable(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def _install_commands() -> list[tuple[list[str], ...]]:
    """What to try, in order; each entry is a sequence of commands."""
    ways: list[tuple[list[str], ...]] = [([sys.executable, "-m", "playwright", "install", "chromium"],)]
    if shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        install = ["apt-get", "install", "--yes", "--no-install-recommends"]
        update = ["apt-get", "update"]
        ways += [(update, [*install, "chromium-headless-shell"]), ([*install, "chromium"],)]
    return ways


def _run_all(commands: tuple[list[str], ...], progress: Callable[[str], None]) -> str | None:
    for command in commands:
        progress(_spoken(command))
        failure = _run(command, progress)
        if failure is not None:
            return failure
    return None


def _run(command: list[str], progress: Callable[[str], None]) -> str | None:
    """Run one command, line by line into `progress`; returns why it failed, or None."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    last = ""
    try:
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=environment,
        ) as process:
            watchdog = threading.Timer(INSTALL_SECONDS, process.kill)
            watchdog.daemon = True
            watchdog.start()
            for line in process.stdout or ():
                last = line.strip() or last
                progress(last)
            watchdog.cancel()
    except OSError as error:
        return f"{error.strerror or error}"
    return None if process.returncode == 0 else f"exit status {process.returncode}, {last[:200]!r}"


def _spoken(command: list[str]) -> str:
    return " ".join(["python" if part == sys.executable else part for part in command])
