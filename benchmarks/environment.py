"""What one step of the environment costs, beside what the browser itself costs.

Kinds of step take turns on the same pages of the same server in the same run, so that a busy machine slows
all of them alike: first those with a browser, then, the browsers closed, those without. A ratio is the median
over rounds of a step's time over that of its floor in the same round; ranges are 10th and 90th percentiles.
CPU is what the browser's processes used (Linux only).

    python benchmarks/environment.py
    python benchmarks/environment.py --browsergym /path/to/browsergym/venv/bin/python --json figures.json
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from flask import Flask
from playwright.sync_api import Browser, Page, Playwright, sync_playwright
from processes import cpu_seconds, memory_mib

from recallreach.env.browser import find_browser
from recallreach.env.store_env import StoreEnv
from recallreach.env.transports import ChromiumTransport, InProcessTransport, Screenshot
from recallreach.env.types import Navigate, Transport
from recallreach.storefront.app import create_app
from recallreach.storefront.catalog import Catalog
from recallreach.storefront.pictures import Pictures
from recallreach.storefront.server import ShopServer

READ = """() => ({url: location.href, title: document.title,
  links: Array.from(document.links, link => [link.getAttribute('href'), link.textContent.trim()])})"""
WIDTH, HEIGHT = 1280, 900
SHOTS: dict[str, Screenshot | None] = {"": None, " + JPEG": "jpeg", " + PNG": "png"}
FLOORS = {f"env.step{shot}": f"raw{shot}" for shot in SHOTS} | {"env.step in process": "test client"}
BROWSERGYM = {
    "BrowserGym, default": {},
    "BrowserGym, no delays": {"slow_mo": 0, "pre_observation_delay": 0.0},
}
WARM_UP = 3


@dataclass
class Kind:
    """One kind of step, with its samples: seconds, and CPU seconds of the processes below `pid`."""

    step: Callable[[str], object]
    pid: Callable[[], int | None] = lambda: None
    seconds: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def run(self, path: str, *, keep: bool) -> None:
        """One step to `path`."""
        pid = self.pid()
        before, started = cpu_seconds(pid), time.perf_counter()
        self.step(path)
        seconds = time.perf_counter() - started
        if keep:
            self.seconds.append(seconds)
            self.cpu.append(cpu_seconds(pid) - before)


def main() -> None:
    """Measure, print the tables, and write JSON where asked."""
    options = parsed()
    print(f"{find_browser().label}; {os.cpu_count()} cores, Python {platform.python_version()}\n")
    catalog = Catalog.synthetic(0, variants=options.variants)
    pictures = Pictures.of(catalog)
    for product in catalog:
        pictures.picture(product.id)
        pictures.base(product.id)
    app, paths = create_app(catalog, pictures), [f"/product/{product.id}" for product in catalog]
    with ShopServer(app) as server:
        kinds = measure_steps(app, server.url, paths, options)
        figures: dict[str, Any] = {"steps": show_steps(kinds)}
        figures["sessions"] = show_sessions(measure_sessions(app, server.url, options.openings))
        figures["parallel"] = show_parallel(measure_parallel(server.url, paths, options.parallel))
        figures["memory"] = show_memory(measure_memory(server.url, paths, options.sessions))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def parsed() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=40, help="rounds of steps")
    parser.add_argument("--openings", type=int, default=10, help="resets and openings of each kind")
    parser.add_argument("--parallel", type=int, default=20, help="steps of each parallel session")
    parser.add_argument("--sessions", type=int, default=500, help="sessions whose memory is followed")
    parser.add_argument("--variants", type=int, default=2, help="products per collection")
    parser.add_argument("--browsergym", type=Path, help="Python of a venv with browsergym-core")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    return parser.parse_args()


def measure_steps(app: Flask, url: str, paths: list[str], options: argparse.Namespace) -> dict[str, Kind]:
    """Kinds with a browser take turns, then those without; every other page is the home page."""
    with ExitStack() as stack:
        kinds = dict(raw_kinds(stack, url)) | dict(env_kinds(stack, url))
        if options.browsergym:
            kinds |= dict(browsergym_kinds(stack, url, options.browsergym))
        take_turns(kinds, paths, options.steps)
    with ExitStack() as stack:
        take_turns(in_process := dict(in_process_kinds(stack, app)), paths, options.steps)
    return kinds | in_process


def take_turns(kinds: dict[str, Kind], paths: list[str], steps: int) -> None:
    """Rounds in which each kind goes to the same page."""
    for number in range(steps + WARM_UP):
        path = paths[number % len(paths)] if number % 2 else "/"
        for kind in kinds.values():
            kind.run(path, keep=number >= WARM_UP)


def raw_kinds(stack: ExitStack, url: str) -> Iterator[tuple[str, Kind]]:
    """The floors: goto, one evaluate, a screenshot where it says so."""
    driver = stack.enter_context(sync_playwright())
    for name, shot in SHOTS.items():
        yield f"raw{name}", raw_kind(stack, driver, url, shot)


def raw_kind(stack: ExitStack, driver: Playwright, url: str, shot: Screenshot | None) -> Kind:
    """Playwright and nothing else."""
    browser, pid = raw_browser(driver, shot)
    stack.callback(browser.close)
    page = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}).new_page()
    return Kind(lambda path: raw_step(page, url + path, shot), lambda: pid)


def raw_browser(driver: Playwright, shot: Screenshot | None) -> tuple[Browser, int]:
    """A browser with its process id; without pictures where nobody looks at them, as ours."""
    flags = ["--disable-gpu", "--disable-quic", "--disable-background-networking"]
    flags += [] if shot else ["--blink-settings=imagesEnabled=false"]
    browser = driver.chromium.launch(executable_path=find_browser().path, args=flags)
    listed = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    return browser, next(int(entry["id"]) for entry in listed if entry["type"] == "browser")


def raw_step(page: Page, url: str, shot: Screenshot | None) -> None:
    """Go there, read the page in one evaluation, take a picture."""
    page.goto(url, wait_until="load" if shot else "domcontentloaded")
    page.evaluate(READ)
    if shot:
        page.screenshot(type=shot, quality=80 if shot == "jpeg" else None)


def env_kinds(stack: ExitStack, url: str) -> Iterator[tuple[str, Kind]]:
    """`StoreEnv.step` through Chromium, with each kind of screenshot."""
    for name, shot in SHOTS.items():
        transport = ChromiumTransport(url, screenshot=shot)
        yield f"env.step{name}", env_kind(stack, transport, lambda t=transport: t.pid)


def in_process_kinds(stack: ExitStack, app: Flask) -> Iterator[tuple[str, Kind]]:
    """Flask's test client, the floor, and `StoreEnv.step` without a browser."""
    client = app.test_client()
    yield "test client", Kind(lambda path: client.get(path).get_data(as_text=True), os.getpid)
    yield "env.step in process", env_kind(stack, InProcessTransport(app), os.getpid)


def env_kind(stack: ExitStack, transport: Transport, pid: Callable[[], int | None]) -> Kind:
    """`StoreEnv.step` on a transport."""
    env = StoreEnv(transport)
    stack.callback(env.close)
    env.reset(options={"budget": 10_000})
    return Kind(lambda path: env.step(f'navigate("{path}")'), pid)


def browsergym_kinds(stack: ExitStack, url: str, python: Path) -> Iterator[tuple[str, Kind]]:
    """BrowserGym in its own Python, one process for each way to set it up."""
    for name, settings in BROWSERGYM.items():
        helper = stack.enter_context(
            subprocess.Popen(
                [python, Path(__file__).with_name("browsergym_steps.py")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        )
        asked = {"url": url, "browser": find_browser().path, "width": WIDTH, "height": HEIGHT}
        ask(helper, json.dumps(asked | {"environment": settings}))
        yield name, Kind(lambda path, helper=helper: ask(helper, path), lambda helper=helper: helper.pid)


def ask(helper: subprocess.Popen[str], line: str) -> float:
    """One line in, one line out."""
    assert helper.stdin is not None
    assert helper.stdout is not None
    helper.stdin.write(line + "\n")
    helper.stdin.flush()
    return float(helper.stdout.readline() or "nan")


def measure_sessions(app: Flask, url: str, count: int) -> dict[str, list[float]]:
    """Seconds of a reset, and of opening and closing a whole session with its browser."""
    made: dict[str, Callable[[], Any]] = {
        name.strip(" +") or "no screenshot": lambda shot=shot: ChromiumTransport(url, screenshot=shot)
        for name, shot in SHOTS.items()
    }
    made["in process"] = lambda: InProcessTransport(app)
    samples: dict[str, list[float]] = {}
    for name, make in made.items():
        for _ in range(max(2, count // 4)):
            transport = make()
            samples.setdefault(f"open, {name}", []).append(timed(transport.begin))
            samples.setdefault(f"reset, {name}", []).extend(timed(transport.begin) for _ in range(4))
            samples.setdefault(f"close, {name}", []).append(timed(transport.close))
    return samples


def measure_parallel(url: str, paths: list[str], steps: int) -> dict[str, float]:
    """Steps a second of 1, 2 and 4 sessions side by side, each with a browser and a context of its own."""
    rates: dict[str, float] = {}
    for name, shot in SHOTS.items():
        for count in (1, 2, 4) if shot != "png" else ():
            transports = [ChromiumTransport(url, screenshot=shot) for _ in range(count)]
            with ThreadPoolExecutor(count) as pool:
                list(pool.map(lambda transport: transport.begin(), transports))
                started = time.perf_counter()
                list(pool.map(lambda transport: walk(transport, paths, steps), transports))
                rates[f"{count} x{name or ' no screenshot'}"] = (
                    count * steps / (time.perf_counter() - started)
                )
                list(pool.map(lambda transport: transport.close(), transports))
    return rates


def walk(transport: Any, paths: list[str], steps: int) -> None:
    """Some steps of one session."""
    for number in range(steps):
        transport.act(Navigate(paths[number % len(paths)]))


def measure_memory(url: str, paths: list[str], sessions: int) -> dict[str, list[tuple[int, float]]]:
    """(session, MiB) over sessions of three pages in one browser, ours and bare Playwright's; Linux only."""
    transport = ChromiumTransport(url, screenshot="jpeg")

    def ours(session: int) -> None:
        transport.begin()
        walk(transport, paths[session % len(paths) :] + paths, 2)

    samples = {"env": followed(ours, lambda: transport.pid, sessions)}
    transport.close()
    with sync_playwright() as driver:
        browser, pid = raw_browser(driver, "jpeg")
        samples["raw"] = followed(
            lambda number: raw_session(browser, url, paths, number), lambda: pid, sessions
        )
        browser.close()
    return samples


def followed(
    run: Callable[[int], None], pid: Callable[[], int | None], sessions: int
) -> list[tuple[int, float]]:
    """Eleven samples over so many sessions."""
    samples = []
    for session in range(sessions + 1):
        run(session)
        if session % max(1, sessions // 10) == 0:
            samples.append((session, memory_mib(pid())))
    return samples


def raw_session(browser: Browser, url: str, paths: list[str], number: int) -> None:
    """Three pages in a context of their own, Playwright and nothing else."""
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT})
    page = context.new_page()
    for path in ("/", *(paths[number % len(paths) :] + paths)[:2]):
        raw_step(page, url + path, "jpeg")
    context.close()


def timed(call: Callable[[], object]) -> float:
    """Seconds of one call."""
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def show_steps(kinds: dict[str, Kind]) -> dict[str, Any]:
    """Print and return the table of steps."""
    print(f"{'ms a step':24}{'median':>9}{'10 %':>9}{'90 %':>9}{'CPU':>9}   over its floor (target 1.25 x)")
    rows: dict[str, Any] = {}
    for name, kind in kinds.items():
        median, low, high = spread(kind.seconds)
        row: dict[str, Any] = {"ms": median * 1e3, "ms_10": low * 1e3, "ms_90": high * 1e3}
        row["cpu_ms"] = float(np.mean(kind.cpu)) * 1e3
        if name in FLOORS:
            row["over_floor"] = spread(np.divide(kind.seconds, kinds[FLOORS[name]].seconds))
        if name in BROWSERGYM:
            row["rate"] = spread(np.divide(kind.seconds, kinds["env.step + JPEG"].seconds))
        rows[name] = row
        numbers = (row["ms"], row["ms_10"], row["ms_90"], row["cpu_ms"])
        print(f"{name:24}" + "".join(f"{number:9.1f}" for number in numbers) + f"   {note(row)}")
    return rows


def note(row: dict[str, Any]) -> str:
    """The ratio of a row, with its range."""
    if "over_floor" in row:
        median, low, high = row["over_floor"]
        return f"{median:.2f} x ({low:.2f} to {high:.2f})"
    if "rate" in row:
        median, low, high = row["rate"]
        return f"env.step + JPEG is {median:.1f} x as fast ({low:.1f} to {high:.1f})"
    return ""


def show_sessions(samples: dict[str, list[float]]) -> dict[str, Any]:
    """Print and return what opening, resetting and closing cost."""
    print(f"\n{'ms':24}{'median':>9}{'10 %':>9}{'90 %':>9}")
    rows: dict[str, Any] = {}
    for name, values in samples.items():
        rows[name] = [value * 1e3 for value in spread(values)]
        print(f"{name:24}" + "".join(f"{value:9.1f}" for value in rows[name]))
    return rows


def show_parallel(rates: dict[str, float]) -> dict[str, float]:
    """Print and return the rates of parallel sessions."""
    print("\nparallel sessions, steps a second in all")
    for name, rate in rates.items():
        print(f"{name:24}{rate:9.1f}")
    return rates


def show_memory(samples: dict[str, list[tuple[int, float]]]) -> dict[str, Any]:
    """Print and return the browsers' memory over sessions, with the slopes over their second halves."""
    print("\nbrowser memory, MiB after so many sessions of three pages")
    slopes = {}
    for name, followed in samples.items():
        slopes[name] = float(np.polyfit(*np.transpose(followed[len(followed) // 2 :]), 1)[0]) * 1024
        print(f"{name:6}" + ", ".join(f"{at}: {mib:.0f}" for at, mib in followed))
        print(f"      growth in the second half {slopes[name]:.1f} KiB a session")
    return {"mib_after_session": samples, "kib_per_session": slopes}


def spread(values: Any) -> tuple[float, float, float]:
    """Median, 10th and 90th percentile."""
    return float(np.median(values)), float(np.percentile(values, 10)), float(np.percentile(values, 90))


if __name__ == "__main__":
    main()
