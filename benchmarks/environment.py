"""What one step of the environment costs, beside what the browser itself costs.

Raw Playwright and the environment take turns on the same pages of the same server in the same run, so that a
busy machine slows both alike. Prints medians with the 10th and 90th percentile in milliseconds, and each
median over its floor.

    python benchmarks/environment.py --steps 60
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

from recallreach.env.browser import find_browser
from recallreach.env.store_env import StoreEnv
from recallreach.env.transports import ChromiumTransport, InProcessTransport
from recallreach.storefront.app import create_app
from recallreach.storefront.catalog import Catalog
from recallreach.storefront.pictures import Pictures
from recallreach.storefront.server import ShopServer

READ = """() => ({url: location.href, title: document.title,
  links: Array.from(document.links, link => [link.getAttribute('href'), link.textContent.trim()])})"""
FLOORS = {"env.step": "raw", "env.step + JPEG": "raw + JPEG", "env.step in process": "test client"}
Samples = dict[str, list[float]]


def main() -> None:
    """Measure, print the table, and write JSON where asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=60, help="steps of each kind")
    parser.add_argument("--json", type=Path, help="also write all samples to this file")
    arguments = parser.parse_args()
    browser = find_browser()
    print(f"{browser.label}; {os.cpu_count()} cores, Python {platform.python_version()}\n")
    catalog = Catalog.synthetic(0)
    pictures = Pictures(catalog)
    for product in catalog:
        pictures.picture(product.id)
    app = create_app(catalog, pictures)
    with ShopServer(app) as server:
        samples = measure(app, server.url, [f"/product/{product.id}" for product in catalog], arguments.steps)
    show(samples)
    if arguments.json:
        arguments.json.write_text(json.dumps(samples))


def measure(app: Any, url: str, paths: list[str], steps: int) -> Samples:
    """Seconds of every kind of step; kinds take turns."""
    samples: Samples = defaultdict(list)
    with ExitStack() as stack:
        kinds = dict(raw_steps(stack, url)) | dict(env_steps(stack, app, url))
        for number in range(steps + 5):
            for name, step in kinds.items():
                started = time.perf_counter()
                step(paths[number % len(paths)] if number % 2 else "/")
                if number >= 5:
                    samples[name].append(time.perf_counter() - started)
        for name, transport in transports(stack, app, url).items():
            transport.begin()
            for _ in range(max(5, steps // 5)):
                started = time.perf_counter()
                transport.begin()
                samples[f"new session, {name}"].append(time.perf_counter() - started)
    return samples


def raw_steps(stack: ExitStack, url: str) -> Iterator[tuple[str, Callable[[str], object]]]:
    """The floor: goto, one evaluate, and a JPEG where it says so; no environment."""
    driver = stack.enter_context(sync_playwright())
    flags = ["--disable-gpu", "--disable-quic", "--disable-background-networking"]
    found = find_browser()
    for name, shot in (("raw", False), ("raw + JPEG", True)):
        extra = [] if shot else ["--blink-settings=imagesEnabled=false"]
        browser = driver.chromium.launch(executable_path=found.path, args=[*flags, *extra])
        stack.callback(browser.close)
        page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()

        def step(path: str, page: Any = page, shot: bool = shot) -> None:
            page.goto(url + path, wait_until="load" if shot else "domcontentloaded")
            page.evaluate(READ)
            if shot:
                page.screenshot(type="jpeg", quality=80)

        yield name, step
    client = stack.enter_context(ShopClient())
    yield "test client", client


class ShopClient:
    """Flask's test client on a shop of its own: the floor of the in-process step."""

    def __init__(self) -> None:
        catalog = Catalog.synthetic(0)
        self._client = create_app(catalog, Pictures(catalog)).test_client()

    def __enter__(self) -> ShopClient:
        return self

    def __exit__(self, *_: object) -> None:
        self._client = None

    def __call__(self, path: str) -> str:
        assert self._client is not None
        return self._client.get(path).get_data(as_text=True)


def env_steps(stack: ExitStack, app: Any, url: str) -> Iterator[tuple[str, Callable[[str], object]]]:
    """`StoreEnv.step` on each transport."""
    for name, transport in transports(stack, app, url).items():
        env = StoreEnv(transport)
        env.reset(options={"budget": 10_000})

        def step(path: str, env: StoreEnv = env) -> object:
            return env.step(f'Thought: I like it.\nAction: navigate("{path}")')

        yield f"env.step {name}".strip(), step


def transports(stack: ExitStack, app: Any, url: str) -> dict[str, Any]:
    """Every transport, to be closed with `stack`."""
    opened = {"": ChromiumTransport(url), "+ JPEG": ChromiumTransport(url, screenshot="jpeg")}
    for transport in opened.values():
        stack.callback(transport.close)
    return opened | {"in process": InProcessTransport(app)}


def show(samples: Samples) -> None:
    """Print the table."""
    medians = {name: float(np.median(values)) for name, values in samples.items()}
    print(f"{'':32}{'median':>9}{'10 %':>9}{'90 %':>9}{'over its floor':>16}")
    for name, values in samples.items():
        low, high = np.percentile(values, [10, 90])
        floor = f"{medians[name] / medians[FLOORS[name]]:.2f} x" if name in FLOORS else ""
        print(f"{name:32}{medians[name] * 1e3:9.1f}{low * 1e3:9.1f}{high * 1e3:9.1f}{floor:>16}")


if __name__ == "__main__":
    main()
