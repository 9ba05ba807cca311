"""Chromium under fire: what it survives, what it reports, what it leaves behind."""

import asyncio
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Error

from recallreach.env.browser import Browser
from recallreach.env.errors import TransportError
from recallreach.env.transports import ChromiumTransport
from recallreach.env.transports import chromium as module
from recallreach.env.types import AddToWishlist, Back, Click, Navigate
from recallreach.storefront.catalog import Catalog
from recallreach.storefront.server import ShopServer

pytestmark = pytest.mark.browser

PRODUCT = "/product/0a1b2c3d"
COOKIE = "cookie 0a1b2c3d"


def running(pid: int) -> bool:
    """Whether the process exists and is no zombie."""
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout
    return bool(state.strip()) and not state.startswith("Z")


def ends(pid: int, seconds: float = 20) -> bool:
    """Whether the process is gone, or soon is."""
    deadline = time.monotonic() + seconds
    while running(pid) and time.monotonic() < deadline:
        pass
    return not running(pid)


def command(pid: int) -> str:
    """Its command line."""
    return subprocess.run(
        ["ps", "-o", "args=", "-p", str(pid)], capture_output=True, text=True, check=True
    ).stdout


def inside(transport: ChromiumTransport, job: Any) -> Any:
    """Run `job(page)` in the browser's own thread, to do harm that no action can do."""
    driver, worker = transport._driver, transport._worker
    assert driver is not None
    assert worker is not None
    return worker.submit(lambda: job(driver._page)).result(20)


@pytest.fixture
def marked(troubled_chromium: ChromiumTransport) -> ChromiumTransport:
    """A session with a cookie set."""
    troubled_chromium.begin()
    troubled_chromium.act(Navigate(PRODUCT))
    assert COOKIE in troubled_chromium.act(AddToWishlist()).text
    return troubled_chromium


def test_a_killed_browser_is_replaced_with_the_same_cookies(marked: ChromiumTransport) -> None:
    before = marked.pid
    assert before is not None
    os.kill(before, signal.SIGKILL)
    seen = marked.act(Navigate("/other"))
    assert (seen.url, seen.message) == ("/other", "")
    assert COOKIE in seen.text
    assert marked.pid != before
    assert marked.act(Back()).url == PRODUCT


def test_a_crashed_page_is_replaced_with_the_same_cookies(marked: ChromiumTransport) -> None:
    before = marked.pid
    with pytest.raises(Error):
        inside(marked, lambda page: page.goto("chrome://crash"))
    assert COOKIE in marked.act(Navigate("/other")).text
    assert marked.pid == before


def test_a_closed_page_and_a_closed_context_are_replaced(marked: ChromiumTransport) -> None:
    inside(marked, lambda page: page.close())
    assert COOKIE in marked.act(Navigate("/other")).text
    inside(marked, lambda page: page.context.close())
    assert COOKIE in marked.act(Navigate(PRODUCT)).text


def test_a_dead_playwright_driver_is_replaced(
    marked: ChromiumTransport, driver_of: Callable[[int], int]
) -> None:
    assert marked.pid is not None
    before, node = marked.pid, driver_of(marked.pid)
    assert "playwright/driver" in command(node)
    os.kill(node, signal.SIGKILL)
    assert COOKIE in marked.act(Navigate("/other")).text
    assert marked.pid != before
    assert ends(before), "its browser outlived the driver"


def test_a_server_that_hangs_becomes_an_error_and_then_works_again(
    marked: ChromiumTransport, troubled: Any
) -> None:
    with pytest.raises(TransportError, match="/hang failed twice") as caught:
        marked.act(Navigate("/hang"))
    assert caught.value.kind == "timeout"
    assert troubled.seen["/hang"] == 2
    troubled.released.set()
    seen = marked.act(Navigate("/other"))
    assert seen.url == "/other"
    assert COOKIE in seen.text
    assert marked.act(Back()).url == PRODUCT


def test_a_server_that_hangs_once_is_asked_again(marked: ChromiumTransport, troubled: Any) -> None:
    assert marked.act(Navigate("/hang-once")).url == "/hang-once"
    assert troubled.seen["/hang-once"] == 2


@pytest.mark.parametrize(
    "script",
    [
        "while (true);",
        "setTimeout(() => { while (true); }, 0)",
        "addEventListener('DOMContentLoaded', () => setTimeout(() => { while (true); }, 0))",
    ],
    ids=["at-once", "while-loading", "once-loaded"],
)
def test_a_page_that_never_answers_is_ended_by_the_watchdog(
    marked: ChromiumTransport, troubled: Any, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    monkeypatch.setattr(module, "GRACE", 1.0)
    troubled.bodies["/inside/loop"] = f"<script>{script}</script>"
    started = time.monotonic()
    with pytest.raises(TransportError):
        marked.act(Navigate("/inside/loop"))
    assert time.monotonic() - started < 60
    assert COOKIE in marked.act(Navigate("/other")).text


def test_a_server_that_is_gone_and_comes_back(troubled: Any) -> None:
    server = ShopServer(troubled.app).start()
    port = server.port
    transport = ChromiumTransport(server.url, timeout=3)
    transport.begin()
    server.close()
    with pytest.raises(TransportError) as caught:
        transport.act(Navigate("/other"))
    assert caught.value.kind == "connection"
    with ShopServer(troubled.app, port):
        assert transport.act(Navigate("/other")).url == "/other"
        transport.close()


def test_dialogs_are_dismissed(marked: ChromiumTransport, troubled: Any) -> None:
    script = (
        "window.onbeforeunload = () => 'stay'; document.title = String([alert(1), confirm(2), prompt(3)])"
    )
    troubled.bodies["/inside/dialog"] = f"<script>{script}</script>"
    assert marked.act(Navigate("/inside/dialog")).title == ",false,"
    assert marked.act(Navigate("/other")).url == "/other"


def test_downloads_are_not_accepted(marked: ChromiumTransport) -> None:
    assert "is a download" in marked.act(Navigate("/download")).message

    def failure(page: Any) -> str:
        with page.expect_download() as offered, pytest.raises(Error, match="Download is starting"):
            page.goto(marked.origin.base + "/download")
        return str(offered.value.failure())

    assert "accept_downloads" in inside(marked, failure)


def test_new_tabs_are_closed(marked: ChromiumTransport, troubled: Any) -> None:
    troubled.bodies["/inside/tabs"] = "<script>open('/other'); open('about:blank')</script>"
    assert marked.act(Navigate("/inside/tabs")).url == "/inside/tabs"
    for _ in range(3):
        assert marked.act(Navigate("/other")).url == "/other"
    assert inside(marked, lambda page: len(page.context.pages)) == 1


def test_a_link_to_a_new_tab_opens_in_the_one_page(marked: ChromiumTransport, troubled: Any) -> None:
    troubled.bodies["/inside/blank"] = '<a href="/other" target="_blank">other</a>'
    marked.act(Navigate("/inside/blank"))
    assert marked.act(Click(0)).url == "/other"
    assert inside(marked, lambda page: len(page.context.pages)) == 1


def test_a_page_that_goes_on_asking_its_server_is_not_waited_for(
    marked: ChromiumTransport, troubled: Any
) -> None:
    troubled.bodies["/inside/busy"] = "<script>fetch('/hang'); new EventSource('/hang')</script>"
    seen = marked.act(Navigate("/inside/busy"))
    assert (seen.url, seen.message, troubled.seen["/inside/busy"]) == ("/inside/busy", "", 1)


def test_a_session_ends_with_its_context(troubled_chromium: ChromiumTransport) -> None:
    for _ in range(3):
        troubled_chromium.begin()
        troubled_chromium.act(Navigate(PRODUCT))
        troubled_chromium.act(AddToWishlist())
    assert inside(troubled_chromium, lambda page: len(page.context.browser.contexts)) == 1
    troubled_chromium.begin()
    assert "cookie none" in troubled_chromium.act(Navigate("/other")).text


def test_closing_leaves_no_process_and_no_thread_behind(
    troubled: Any, driver_of: Callable[[int], int]
) -> None:
    before = {thread.ident for thread in threading.enumerate()}
    with ShopServer(troubled.app) as server:
        transport = ChromiumTransport(server.url)
        transport.begin()
        pid = transport.pid
        assert pid is not None
        assert running(pid)
        node = driver_of(pid)
        assert "playwright/driver" in command(node)
        transport.close()
        transport.close()
    assert not running(pid)
    assert not running(node)
    assert {thread.ident for thread in threading.enumerate()} <= before
    with pytest.raises(TransportError, match="begin"):
        transport.act(Back())


def test_it_works_inside_a_running_event_loop(troubled_chromium: ChromiumTransport) -> None:
    async def main() -> str:
        troubled_chromium.begin()
        return troubled_chromium.act(Navigate("/other")).url

    assert asyncio.run(main()) == "/other"


def test_two_browsers_work_side_by_side(troubled_chromium: ChromiumTransport) -> None:
    other = ChromiumTransport(troubled_chromium.origin.base)
    try:
        assert troubled_chromium.begin() == other.begin()
        other.act(Navigate(PRODUCT))
        other.act(AddToWishlist())
        assert "cookie none" in troubled_chromium.act(Navigate("/other")).text
        assert COOKIE in other.act(Navigate("/other")).text
    finally:
        other.close()


@pytest.mark.parametrize(("kind", "name"), [("jpeg", "JPEG"), ("png", "PNG")])
def test_screenshots_show_the_page(server: ShopServer, catalog: Catalog, kind: Any, name: str) -> None:
    product = next(iter(catalog))
    transport = ChromiumTransport(server.url, screenshot=kind)
    try:
        transport.begin()
        shots = [transport.act(Navigate(f"/product/{product.id}")).screenshot for _ in range(2)]
    finally:
        transport.close()
    first, second = shots
    assert first is not None
    assert second is not None
    with Image.open(BytesIO(first)) as image:
        assert (image.format, image.size) == (name, (1280, 900))
        colors = {color for _, color in image.convert("RGB").getcolors(2**24) or ()}
    picture = tuple(int(product.id[i : i + 2], 16) for i in (0, 2, 4))
    nearest = min(max(abs(a - b) for a, b in zip(color, picture, strict=True)) for color in colors)
    assert nearest <= 12, "the product picture is not in the screenshot"


def test_a_browser_that_cannot_start_is_an_error(server: ShopServer, tmp_path: Any) -> None:
    fake = tmp_path / "chromium"
    fake.write_text("#!/bin/sh\nexit 3\n")
    fake.chmod(0o755)
    transport = ChromiumTransport(server.url, browser=Browser(str(fake), "environment", "fake"))
    with pytest.raises(TransportError, match="Chromium cannot be used") as caught:
        transport.begin()
    assert caught.value.kind == "browser"
    transport.close()
