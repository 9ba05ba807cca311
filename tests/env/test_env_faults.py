"""Two thousand random steps in real Chromium while pages, browsers and the shop fail at random."""

import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from threading import Event
from typing import Any

import numpy as np
import pytest
from flask import Flask, Response, make_response, redirect, request
from playwright.sync_api import Error

from recallreach.env.errors import Kind, TransportError
from recallreach.env.transports import ChromiumTransport
from recallreach.env.types import (
    Action,
    AddToWishlist,
    Back,
    Click,
    Done,
    Invalid,
    Navigate,
    Observation,
    Search,
)
from recallreach.storefront.server import ShopServer

pytestmark = pytest.mark.browser

STEPS = 2_000
TIMEOUT = 3.0
PRODUCTS = [f"{number:08x}" for number in range(5)]
PAGE = """<!doctype html><html><head><title>{path}</title></head><body {ready}><main><h1>{path}</h1>
<p>visit {visit} wished {wished}</p>{links}{body}</main></body></html>"""
FORM = '<form method="post" action="/wishlist/add"><input type="hidden" name="product" value="{}"></form>'
SCRIPTS = {
    "dialog": "<script>onbeforeunload = () => 'stay'; alert(1); confirm(2)</script>",
    "tab": "<script>open('/plain/3'); open('about:blank')</script>",
    "leaves": "<script>location.href = 'http://elsewhere.example/'</script>",
}


class FragileShop:
    """Tiny pages that show the visitor's own list, and one fault at a time for the next requests."""

    def __init__(self) -> None:
        self.app = Flask("fragile")
        self.app.config["PROPAGATE_EXCEPTIONS"] = False
        self.app.logger.disabled = True
        self.wished: dict[str, list[str]] = {}
        self.fault, self.left = "", 0
        self.released = Event()
        rules = ("/", "/plain/<name>", "/product/<name>", "/search")
        for rule in rules:
            self.app.add_url_rule(rule, rule, self._page)
        self.app.add_url_rule("/wishlist/add", "add", self._add, methods=["POST"])
        self.app.add_url_rule("/loop", "loop", lambda: redirect("/loop"))

    def fail(self, fault: str, times: int) -> None:
        """The next `times` requests for a page meet this fault."""
        self.fault, self.left = fault, times
        self.released.clear()

    def mend(self) -> None:
        """No fault from now on; requests that hang are let go."""
        self.fault, self.left = "", 0
        self.released.set()

    def _add(self) -> Any:
        self.wished.setdefault(request.cookies["visit"], [])
        mine = self.wished[request.cookies["visit"]]
        if request.form["product"] not in mine:
            mine.append(request.form["product"])
        return redirect(f"/product/{request.form['product']}", 303)

    def _page(self, **_: str) -> Any:
        fault = self.fault if self.left > 0 else ""
        self.left -= 1
        views: dict[str, Callable[[], Any]] = {
            "500": lambda: ("broken", 500),
            "hang": self._hang,
            "loop": lambda: redirect("/loop"),
            "unready": lambda: self._plain(ready=""),
            "download": lambda: Response("x", headers={"Content-Disposition": "attachment; filename=x.zip"}),
        }
        if fault in views:
            return views[fault]()
        return self._plain(body=SCRIPTS.get(fault, ""))

    def _hang(self) -> Any:
        self.released.wait(60)
        return self._plain()

    def _plain(self, ready: str = 'data-ready="1"', body: str = "") -> Response:
        visit = request.cookies.get("visit") or f"v{len(self.wished)}"
        wished = self.wished.setdefault(visit, [])
        if request.path.startswith("/product/"):
            body += FORM.format(request.path[9:])
        links = "".join(f'<a href="/product/{product}">{product}</a>' for product in PRODUCTS)
        text = PAGE.format(
            path=request.path,
            ready=ready,
            visit=visit,
            wished=" ".join(wished) or "none",
            links=links,
            body=body,
        )
        response = make_response(text)
        response.set_cookie("visit", visit, httponly=True)
        return response


@dataclass(frozen=True)
class Fault:
    """What goes wrong, how it is brought about, and how the step may end.

    `ends` holds "recovered", "refused", or the kind of a `TransportError`.
    """

    name: str
    ends: tuple[str, ...]
    times: int = 0


def ends_with(kind: Kind) -> tuple[str, ...]:
    return (kind,)


RECOVERED = ("recovered",)
FAULTS = [
    Fault("crash", RECOVERED),
    Fault("close page", RECOVERED),
    Fault("close context", RECOVERED),
    Fault("kill browser", RECOVERED),
    Fault("kill driver", RECOVERED),
    Fault("stop browser", RECOVERED),
    Fault("500", RECOVERED, 1),
    Fault("500", ends_with("server"), 2),
    Fault("hang", RECOVERED, 1),
    Fault("hang", ends_with("timeout"), 2),
    Fault("loop", RECOVERED, 1),
    Fault("loop", ends_with("redirects"), 2),
    Fault("unready", RECOVERED, 1),
    Fault("unready", ends_with("not_ready"), 2),
    Fault("download", ("refused",), 1),
    Fault("dialog", RECOVERED, 1),
    Fault("tab", RECOVERED, 1),
    Fault("leaves", ("refused", "recovered"), 1),
]
ROUNDS = 2
"""How often each fault comes in the whole walk."""


@dataclass
class Walk:
    """The walk's own idea of where the shopper is and what is on the list."""

    transport: ChromiumTransport
    shop: FragileShop
    here: Observation
    visit: str = ""
    wished: set[str] = field(default_factory=set)
    maybe: set[str] = field(default_factory=set)
    processes: set[int] = field(default_factory=set)
    ends: Counter[str] = field(default_factory=Counter)
    last_error: str = ""

    def begin(self) -> None:
        """A new session: another visit, an empty list."""
        before = self.visit
        self.here, self.visit, self.wished, self.maybe = self.transport.begin(), "", set(), set()
        self.check()
        assert self.visit != before

    def act(self, action: Action) -> str:
        """Carry the action out; how it ended. Whatever is shown must be this visit's own list."""
        self.note_processes()
        before = self.here
        try:
            seen = self.transport.act(action)
        except TransportError as error:
            if isinstance(action, AddToWishlist):
                self.maybe.add(before.url[9:])
            self.last_error = str(error)
            return error.kind
        finally:
            self.note_processes()
        if seen.message:
            assert (seen.url, seen.text) == (before.url, before.text)
            return "refused"
        self.here = seen
        if isinstance(action, AddToWishlist):
            self.wished.add(before.url[9:])
        if not isinstance(action, Done):
            self.check()
        return "recovered"

    def check(self) -> None:
        """The page belongs to this visit and shows its list."""
        _, visit, _, *wished = self.here.text.split("\n")[1].split(" ")
        self.visit = self.visit or visit
        shown = set(wished) - {"none"}
        assert visit == self.visit
        assert self.wished <= shown <= self.wished | self.maybe
        self.wished = shown

    def note_processes(self) -> None:
        """Remember the browser and its driver, to look for them at the end."""
        pid = self.transport.pid
        if pid is not None and pid not in self.processes:
            self.processes |= set(family(pid))


def processes() -> Iterator[tuple[int, int, int]]:
    """(pid, parent, process group) of every process that is no zombie."""
    listing = subprocess.run(
        ["ps", "-eo", "pid=,ppid=,pgid=,stat="], capture_output=True, text=True, check=True
    )
    for line in listing.stdout.splitlines():
        pid, ppid, group, state = line.split()[:4]
        if not state.startswith("Z"):
            yield int(pid), int(ppid), int(group)


def family(pid: int) -> list[int]:
    """The browser, the shell that may have started it, and Playwright's driver, started by this process."""
    parents = {known: ppid for known, ppid, _ in processes()}
    found = [pid]
    while parents.get(found[-1], os.getpid()) != os.getpid():
        found.append(parents[found[-1]])
    return found


def left_over(started: set[int], seconds: float = 10) -> set[int]:
    """Processes of these browsers that still live after a while."""
    deadline, alive = time.monotonic() + seconds, {0}
    while alive and time.monotonic() < deadline:
        alive = {pid for pid, _, group in processes() if pid in started or group in started}
    return alive


def inside(transport: ChromiumTransport, job: Callable[[Any], Any]) -> Any:
    """Run `job(page)` in the browser's own thread."""
    driver, worker = transport._driver, transport._worker
    assert driver is not None
    assert worker is not None
    return worker.submit(lambda: job(driver._page)).result(20)


def bring_about(fault: Fault, walk: Walk) -> None:
    """Do the harm; faults of the shop meet its next requests."""
    if fault.times:
        walk.shop.fail(fault.name, fault.times)
        return
    assert walk.transport.pid is not None
    pid, driver = walk.transport.pid, family(walk.transport.pid)[-1]
    harm: dict[str, Callable[[], object]] = {
        "crash": lambda: inside(walk.transport, crash),
        "close page": lambda: inside(walk.transport, lambda page: page.close()),
        "close context": lambda: inside(walk.transport, lambda page: page.context.close()),
        "kill browser": lambda: os.kill(pid, signal.SIGKILL),
        "kill driver": lambda: os.kill(driver, signal.SIGKILL),
        "stop browser": lambda: os.kill(pid, signal.SIGSTOP),
    }
    harm[fault.name]()


def crash(page: Any) -> None:
    with pytest.raises(Error):
        page.goto("chrome://crash")


def drawn(random: np.random.Generator, here: Observation) -> Action:
    """Any action: most lead to a page, some are refused, some are nothing."""
    product = PRODUCTS[int(random.integers(len(PRODUCTS)))]
    kinds: list[Action] = [
        Click(int(random.integers(len(here.links)))),
        Navigate(f"/product/{product}"),
        Navigate(f"/plain/{random.integers(10)}"),
        Search("oak"),
        Back(),
        AddToWishlist(),
        Done(),
        Invalid("because"),
        Navigate("http://elsewhere.example/"),
        Click(len(here.links)),
    ]
    return kinds[int(random.integers(len(kinds)))]


@pytest.fixture
def walk() -> Iterator[Walk]:
    shop = FragileShop()
    with ShopServer(shop.app) as server:
        transport = ChromiumTransport(server.url, timeout=TIMEOUT)
        started = Walk(transport, shop, transport.begin())
        yield started
        shop.mend()
        transport.close()


@pytest.mark.timeout(1_800)
def test_two_thousand_random_steps_with_faults(walk: Walk) -> None:
    random = np.random.default_rng(0)
    plan = dict.fromkeys(range(STEPS), None) | {
        int(step): fault
        for step, fault in zip(
            random.choice(STEPS, ROUNDS * len(FAULTS), replace=False), ROUNDS * FAULTS, strict=True
        )
    }
    walk.begin()
    for step, fault in plan.items():
        if step % 100 == 99:
            walk.begin()
        if fault is None:
            ended = walk.act(drawn(random, walk.here))
            assert ended in ("recovered", "refused"), (step, ended, walk.last_error)
            continue
        bring_about(fault, walk)
        action = Navigate(f"/product/{PRODUCTS[int(random.integers(len(PRODUCTS)))]}")
        ended = walk.act(action)
        walk.ends[ended] += 1
        walk.shop.mend()
        assert ended in fault.ends, (step, fault, ended, walk.last_error)
        assert inside(walk.transport, lambda page: len(page.context.browser.contexts)) == 1, (step, fault)
    assert sum(walk.ends.values()) == ROUNDS * len(FAULTS)
    assert walk.act(Navigate("/plain/0")) == "recovered"
    assert inside(walk.transport, lambda page: len(page.context.pages)) == 1
    walk.transport.close()
    assert left_over(walk.processes) == set()
