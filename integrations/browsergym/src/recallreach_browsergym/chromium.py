"""Which Chromium BrowserGym starts."""

from __future__ import annotations

import os
import shutil
from functools import lru_cache
from pathlib import Path
from typing import Any

from browsergym.core import _get_global_playwright

ENVIRONMENT = "RECALLREACH_BROWSER"
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable", "google-chrome")


@lru_cache(maxsize=1)
def choose_chromium() -> None:
    """Once a process: RECALLREACH_BROWSER, else Playwright's own build, else one on PATH."""
    path = os.environ.get(ENVIRONMENT)
    if not path and not Path(_get_global_playwright().chromium.executable_path).exists():
        path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path:
        use_chromium(path)


def use_chromium(path: str) -> None:
    """Let BrowserGym, its chat window included, start the Chromium at `path` instead of Playwright's own.

    BrowserGym passes `pw_chromium_kwargs` to the task's browser only; its chat needs Playwright's own build,
    which a machine may lack.
    """
    chromium = _get_global_playwright().chromium
    launch = chromium.launch

    def launch_that(**options: Any) -> Any:
        return launch(**({"executable_path": path} | options))

    chromium.launch = launch_that
