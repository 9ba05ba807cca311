"""A browser in a window: which one, what it shows, and what is said where there can be none."""

import os
import shutil
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import sync_playwright

from recallreach.env.browser import Browser, NoBrowserError, find_browser
from recallreach.env.errors import TransportError
from recallreach.env.transports import ChromiumTransport
from recallreach.env.types import AddToWishlist, Navigate
from recallreach.errors import RecallReachError
from recallreach.storefront.catalog import Catalog
from recallreach.storefront.server import ShopServer

SIZE = "1400x1000x24"


class Screen:
    """A display without a monitor; its picture lies in a file (X window dump format)."""

    def __init__(self, folder: Path) -> None:
        reading, writing = os.pipe()
        command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", SIZE, "-fbdir", str(folder)]
        self._process = subprocess.Popen(
            [*command, "-nolisten", "tcp"], pass_fds=[writing], stderr=subprocess.DEVNULL
        )
        os.close(writing)
        with os.fdopen(reading) as said:
            self.name = f":{said.readline().strip()}"
        self._file = folder / "Xvfb_screen0"

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(10)

    def shows(self, color: tuple[int, ...], seconds: float = 20) -> bool:
        """Whether something of this colour is, or soon comes, on the screen."""
        deadline, shown = time.monotonic() + seconds, False
        while not shown and time.monotonic() < deadline:
            far = np.abs(self._pixels().astype(int) - color).max(1)
            shown = int((far <= 12).sum()) > 10_000
        return shown

    def _pixels(self) -> np.ndarray:
        """(pixels, 3) red, green, blue."""
        dump = self._file.read_bytes()
        header = struct.unpack(">25I", dump[:100])
        start = header[0] + 12 * header[19]
        return np.frombuffer(dump, np.uint8, header[12] * header[5], start).reshape(-1, 4)[:, 2::-1]


@pytest.fixture
def screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Screen | None]:
    """The only display: one of our own where Xvfb is installed, else none at all."""
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.delenv("DISPLAY", raising=False)
    if shutil.which("Xvfb") is None:
        yield None
        return
    own = Screen(tmp_path)
    monkeypatch.setenv("DISPLAY", own.name)
    yield own
    own.close()


def has_window_browser() -> bool:
    try:
        return find_browser(window=True) is not None
    except NoBrowserError:
        return False


def color_of(product_id: str) -> tuple[int, ...]:
    """The colour of the quick pictures of these tests."""
    return tuple(int(product_id[i : i + 2], 16) for i in (0, 2, 4))


@pytest.mark.browser
def test_a_window_shows_every_page_or_its_lack_is_said(
    server: ShopServer, catalog: Catalog, screen: Screen | None
) -> None:
    transport = ChromiumTransport(server.url, window=True)
    lacking = not has_window_browser() or (screen is None and sys.platform != "darwin")
    if lacking:
        with pytest.raises(RecallReachError, match=r"can show a window: .*install|a window needs a display"):
            transport.begin()
        transport.close()
        return
    first, last = catalog.products[0].id, catalog.products[-1].id
    assert transport.begin().url == "/"
    for product in (first, last):
        seen = transport.act(Navigate(f"/product/{product}"))
        assert (seen.url, seen.screenshot) == (f"/product/{product}", None)
        assert screen is None or screen.shows(color_of(product))
    assert "Added to your wishlist." in transport.act(AddToWishlist()).text
    transport.close()
    assert transport.pid is None


@pytest.mark.browser
def test_a_window_without_a_display_is_a_clear_error(server: ShopServer, tmp_path: Path) -> None:
    full = tmp_path / "chromium"
    full.write_text("#!/bin/sh\necho 'Missing X server or $DISPLAY' >&2\nexit 1\n")
    full.chmod(0o755)
    transport = ChromiumTransport(
        server.url, window=True, browser=Browser(str(full), "environment", "without a display")
    )
    with pytest.raises(TransportError, match="a window needs a display"):
        transport.begin()
    transport.close()


def executable(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    path.chmod(0o755)
    return str(path)


def test_a_window_is_not_asked_of_the_headless_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "none"))
    monkeypatch.setenv("PATH", str(tmp_path))
    shell = executable(tmp_path / "chromium-headless-shell")
    monkeypatch.setenv("RECALLREACH_BROWSER", shell)
    assert find_browser().path == shell
    with pytest.raises(NoBrowserError, match="show a window: the headless shell cannot; run `playwright"):
        find_browser(window=True)
    full = executable(tmp_path / "chromium")
    assert find_browser(window=True).path == full
    named = executable(tmp_path / "my-browser")
    monkeypatch.setenv("RECALLREACH_BROWSER", named)
    assert find_browser(window=True).path == named


def test_a_window_takes_playwrights_full_build_beside_its_headless_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RECALLREACH_BROWSER", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "builds"))
    (tmp_path / "builds").mkdir()
    with sync_playwright() as driver:
        full = Path(driver.chromium.executable_path)
    build = full.relative_to(tmp_path / "builds").parts[0]
    beside = build.replace("chromium-", "chromium_headless_shell-")
    executable(tmp_path / "builds" / beside / "linux" / "headless_shell")
    system = executable(tmp_path / "chromium")
    assert find_browser().shell
    assert find_browser(window=True).path == system
    executable(full)
    assert find_browser().shell
    assert find_browser(window=True).path == str(full)
