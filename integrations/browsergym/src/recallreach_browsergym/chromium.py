"""Which Chromium BrowserGym starts."""

from __future__ import annotations

from typing import Any

from browsergym.core import _get_global_playwright


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
