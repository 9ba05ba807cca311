"""Ready-made environments: a whole small shop behind `gymnasium.make`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Literal

import numpy as np
from flask import Flask

from recallreach.env.probes import RECALL_BUDGET, probe_goal
from recallreach.env.sessions import FEWEST_STEPS, plan_session
from recallreach.env.store_env import StoreEnv, Task, TaskSource
from recallreach.env.types import Transport
from recallreach.errors import ConfigError
from recallreach.storefront.catalog import Catalog

_VARIANTS = 4

TransportName = Literal["in_process", "chromium"]


def browse_env(
    *,
    catalog_seed: int = 0,
    transport: TransportName = "in_process",
    pixels: bool = True,
    render_mode: str | None = None,
) -> StoreEnv:
    """A browsing session in a small synthetic shop; `reset(seed=)` draws category and budget.

    Args:
        catalog_seed: seed of the shop's catalogue.
        transport: "in_process", or "chromium" for a real browser on a real server.
        pixels: whether observations hold the decoded product picture.
        render_mode: None, "ansi", "rgb_array", or "human": with Chromium a browser window, else text on
            standard output.
    """
    catalog = _catalog(catalog_seed)
    return _build(catalog, lambda random: _browse_task(catalog, random), transport, pixels, render_mode)


def recall_env(
    *,
    catalog_seed: int = 0,
    transport: TransportName = "in_process",
    pixels: bool = True,
    render_mode: str | None = None,
) -> StoreEnv:
    """A recall question about a small synthetic shop; `reset(seed=)` draws its target.

    Arguments as in `browse_env`.
    """
    catalog = _catalog(catalog_seed)
    return _build(catalog, lambda random: _recall_task(catalog, random), transport, pixels, render_mode)


def _catalog(seed: int) -> Catalog:
    return Catalog.synthetic(seed, variants=_VARIANTS)


def _browse_task(catalog: Catalog, random: np.random.Generator) -> Task:
    plan = plan_session(catalog, int(random.integers(2**31)), 0, 0)
    return Task(plan.goal, plan.budget, min_steps=min(FEWEST_STEPS, plan.budget))


def _recall_task(catalog: Catalog, random: np.random.Generator) -> Task:
    products = list(catalog)
    target = products[int(random.integers(len(products)))].id
    return Task(probe_goal(catalog.cue_of(target).phrase), RECALL_BUDGET, target)


def _build(
    catalog: Catalog, task: TaskSource, transport: TransportName, pixels: bool, render_mode: str | None
) -> StoreEnv:
    from recallreach.storefront.app import create_app
    from recallreach.storefront.pictures import Pictures

    app = create_app(catalog, Pictures.of(catalog))
    opened, close = _open(transport, app, render_mode)
    return StoreEnv(opened, pixels=pixels, task=task, render_mode=render_mode, on_close=close)


def _open(
    transport: TransportName, app: Flask, render_mode: str | None
) -> tuple[Transport, Callable[[], None]]:
    from recallreach.env.transports import ChromiumTransport, InProcessTransport, Screenshot
    from recallreach.storefront.server import ShopServer

    stack = ExitStack()
    if transport == "in_process":
        return InProcessTransport(app), stack.close
    if transport == "chromium":
        server = stack.enter_context(ShopServer(app))
        screenshot: Screenshot | None = "jpeg" if render_mode == "rgb_array" else None
        window = render_mode == "human"
        return ChromiumTransport(server.url, screenshot=screenshot, window=window), stack.close
    raise ConfigError(f"unknown transport {transport!r}; known: in_process, chromium")
