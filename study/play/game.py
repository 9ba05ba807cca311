"""A game: a study whose agent is a person, run like any other."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from recallreach.agents.human import open_desk
from recallreach.storefront.app import create_app
from recallreach.storefront.server import ShopServer
from recallreach.study.assembly import Materials
from recallreach.study.config import StudyConfig, put
from recallreach.study.play.app import create_game
from recallreach.study.play.watching import Watching
from recallreach.study.progress import Reporter
from recallreach.study.report import Results
from recallreach.study.run import run_study

HUMAN: dict[str, Any] = {"name": "recallreach.agents.human:person", "label": "a person"}
GAME: dict[str, Any] = {
    "name": "play",
    "chains": 1,
    "sessions": 2,
    "probes": 2,
    "transport": "in_process",
    "memories": ["dualmem"],
    "agent": HUMAN,
    "engine": "inline",
    "workers": 1,
}
"""The questions alone: a scripted shopper has browsed, a memory delivers, the person answers."""
SHOPPING: dict[str, Any] = {"shopper": HUMAN, "memories": ["no-memory"]}
"""The person browses, too, and has nothing but their own memory."""
GOODBYE = 120.0
"""Seconds that the last page stays up for a browser that has not fetched it."""


LINGER = 1.0
"""Seconds more in which that page can fetch its style sheet and its icon."""


def settings(overrides: Mapping[str, Any], *, shop: bool = False) -> dict[str, Any]:
    """The settings of a game: `GAME`, with `SHOPPING` where the person shops, too, and what was asked for.

    Raises:
        ConfigError: an override does not fit the others.
    """
    values = {**GAME, **(SHOPPING if shop else {})}
    for key, value in overrides.items():
        put(values, key, value)
    if shop and "ask_after" not in overrides:
        values["ask_after"] = [values["sessions"]]
    return values


def play(
    config: StudyConfig,
    reporter: Reporter,
    port: int,
    opened: Callable[[str], None],
    *,
    fresh: bool = False,
    goodbye: float = GOODBYE,
) -> Results:
    """Run a study whose agent, and perhaps shopper, is a person at a browser on this machine.

    Args:
        config: the study; `agent` is the person.
        reporter: hears about progress.
        port: of 127.0.0.1; 0 takes any free one.
        opened: is told the address once the page can be opened.
        fresh: throw earlier results of that folder away.
        goodbye: seconds that the last page stays up for a browser that has not fetched it.

    Raises:
        RecallReachError: as `run_study`.
    """
    desk, watching = open_desk(), Watching(reporter)
    materials = Materials.gather(config)
    shop = create_app(materials.catalog, materials.pictures)
    app, game = create_game(shop, desk, watching, Path(config.folder))
    with ShopServer(app, port) as server:
        opened(f"{server.url}/play")
        try:
            results = run_study(config, watching, fresh=fresh)
        finally:
            desk.close()
        if game.said_goodbye.wait(goodbye):
            time.sleep(LINGER)
    return results
