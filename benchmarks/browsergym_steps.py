"""The BrowserGym half of `environment.py`; runs in BrowserGym's own virtual environment.

Reads one JSON object with `url`, `browser`, `width`, `height` and `environment` (keyword arguments of
BrowserGym), then one path a line; answers each line with the seconds that one step took, the first one with
those of `reset`.
"""

from __future__ import annotations

import json
import sys
import time

import gymnasium
from browsergym.core import _get_global_playwright  # importing it registers browsergym/openended


def main() -> None:
    """Serve steps until standard input ends."""
    asked = json.loads(sys.stdin.readline())
    if asked["browser"]:
        use(asked["browser"])
    env = gymnasium.make(
        "browsergym/openended",
        task_kwargs={"start_url": asked["url"]},
        viewport={"width": asked["width"], "height": asked["height"]},
        **asked["environment"],
    )
    started = time.perf_counter()
    env.reset()
    answer(time.perf_counter() - started)
    for line in sys.stdin:
        started = time.perf_counter()
        observation, *_ = env.step(f"goto('{asked['url']}{line.strip()}')")
        answer(time.perf_counter() - started)
        if observation["last_action_error"]:
            sys.exit(str(observation["last_action_error"]))
    env.close()


def use(path: str) -> None:
    """Let BrowserGym, its chat included, start this Chromium."""
    chromium = _get_global_playwright().chromium
    launch = chromium.launch
    chromium.launch = lambda **options: launch(**({"executable_path": path} | options))


def answer(seconds: float) -> None:
    """One line to whoever measures."""
    print(seconds, flush=True)


if __name__ == "__main__":
    main()
