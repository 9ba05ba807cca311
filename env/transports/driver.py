"""One Chromium with one context and one page; everything here runs in the worker's thread."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from playwright.sync_api import Browser as Chromium
from playwright.sync_api import BrowserContext, Dialog, Error, Page, Playwright, Response, sync_playwright
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from recallreach.env.errors import Kind
from recallreach.env.transports.base import LEADS_OUT, BrokenError, Served, host_of, media_type_of
from recallreach.env.urls import Origin, RefusedError

Screenshot = Literal["jpeg", "png"]

VIEWPORT = (1280, 900)
JPEG_QUALITY = 80
READY_MS = 2000
DRAW_MS = 500
_MOVES_FOLLOWED = 3
_NOWHERE = "http://127.0.0.1:1"
_FLAGS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--no-first-run",
)
_LAUNCH_MS = 80_000
_LAUNCH_HINT = "set RECALLREACH_BROWSER to a Chromium that starts"
_WINDOW_HINT = (
    "a window needs a display (DISPLAY or WAYLAND_DISPLAY); without one, leave out window=True or "
    'render_mode="human"'
)
_READY = "body[data-ready]"
_READ = f"""() => [
  location.href, document.documentElement.outerHTML, document.querySelector("{_READY}") !== null
]"""
_READ_DRAWN = f"""async () => {{
  const drawn = new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  await Promise.race([drawn, new Promise(done => setTimeout(done, {DRAW_MS}))]);
  return ({_READ})();
}}"""
_SUBMIT = "selector => document.querySelector(selector).requestSubmit()"
_WISHLIST = 'main form[action$="/wishlist/add"]'
_ABORTED = "ERR_ABORTED"
_OUTSIDE = ("ERR_PROXY_CONNECTION_FAILED", "ERR_UNSAFE_REDIRECT", "ERR_UNSAFE_PORT", "ERR_UNKNOWN_URL_SCHEME")
_KINDS: tuple[tuple[str, Kind], ...] = (
    ("ERR_TOO_MANY_REDIRECTS", "redirects"),
    ("ERR_CONNECTION", "connection"),
    ("ERR_EMPTY_RESPONSE", "connection"),
    ("ERR_SOCKET", "connection"),
    ("ERR_TIMED_OUT", "timeout"),
    ("crash", "crash"),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """How to run the browser.

    Attributes:
        executable: path, or None for Playwright's own build.
        screenshot: format of screenshots, or None for none; without them pictures are not loaded into the
            page.
        timeout: seconds for one navigation.
        window: whether the browser shows itself in a window, with its pictures.
    """

    executable: str | None
    screenshot: Screenshot | None
    timeout: float
    window: bool = False

    @property
    def shows_pictures(self) -> bool:
        """Whether somebody looks at the page as it is drawn."""
        return self.window or self.screenshot is not None


class Driver:
    """A browser confined to one origin.

    Every request to another origin (page, redirect, picture, fetch, WebSocket, worker) is sent to a proxy
    that does not exist, and no other host resolves; nothing has to be intercepted request by request.
    """

    def __init__(self, origin: Origin, settings: Settings) -> None:
        self.origin, self.settings = origin, settings
        self.pid: int | None = None
        self.version = ""
        self._playwright: Playwright | None = None
        self._browser: Chromium | None = None
        self._context: BrowserContext | None = None
        self._page: Page | None = None
        self._waits: Literal["load", "domcontentloaded"] = (
            "load" if settings.shows_pictures else "domcontentloaded"
        )
        self._cookies: list[Any] = []
        self._soiled = False

    def open(self, cookies: Sequence[Any]) -> None:
        """A new context with these cookies and one empty page, in a new browser if the last one is gone.

        Raises:
            BrokenError: the browser does not start or does not answer.
        """
        try:
            if self._context is not None and self._alive():
                self._context.close()
            if not self._alive():
                self._launch()
            self._open_context(cookies)
            self._cookies, self._soiled = list(cookies), False
        except Error as error:
            raise self._broken(error) from error

    def goto(self, path: str) -> Served:
        """Navigate to a page of the shop.

        Raises:
            BrokenError: for technical reasons; the page may be unusable until `open` is called.
            RefusedError: the answer is no page, or leads out of the shop.
        """
        if self._soiled:
            self.open(self._cookies)
        try:
            return self._navigate(path)
        except Error as error:
            if _ABORTED not in str(error):
                raise self._failure(error) from error
        self.open(self._cookies)  # a page that crashed on the way and an answer without a page look the same
        try:
            return self._navigate(path)
        except Error as error:
            if _ABORTED not in str(error):
                raise self._failure(error) from error
            self._soiled = True
            raise RefusedError(f"Refused: {path} is not a page of the shop.") from error

    def submit(self, path: str) -> Served:
        """Submit the wishlist form of the page at `path`. Raises as `goto` does."""
        if self._soiled or self._require_page().url != self.origin.base + path:
            self.goto(path)
        page = self._require_page()
        try:
            with page.expect_navigation(wait_until=self._waits) as navigation:
                page.evaluate(_SUBMIT, _WISHLIST)
            return self._served(page, navigation.value)
        except Error as error:
            raise self._failure(error) from error

    def screenshot(self) -> bytes:
        """The page as it is seen in the window. Raises BrokenError."""
        page, wanted = self._require_page(), self.settings.screenshot
        quality = JPEG_QUALITY if wanted == "jpeg" else None
        try:
            return page.screenshot(type=wanted, quality=quality, animations="disabled", caret="hide")
        except Error as error:
            raise self._broken(error) from error

    def cookies(self) -> list[Any]:
        """The context's cookies, for a context that replaces it. Raises BrokenError."""
        if self._context is None:
            return []
        try:
            self._cookies = list(self._context.cookies())
        except Error as error:
            raise self._broken(error) from error
        return self._cookies

    def shutdown(self) -> None:
        """Close the browser and Playwright's driver."""
        playwright, browser = self._playwright, self._browser
        self._playwright = self._browser = self._context = self._page = None
        with suppress(Error):
            if browser is not None:
                browser.close()
        with suppress(Error):
            if playwright is not None:
                playwright.stop()

    def _launch(self) -> None:
        if self._playwright is None:
            self._playwright = sync_playwright().start()
        flags = [*_FLAGS, f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {host_of(self.origin.base)}"]
        if not self.settings.shows_pictures:
            flags.append("--blink-settings=imagesEnabled=false")
        executable = self.settings.executable
        try:
            self._browser = self._playwright.chromium.launch(
                executable_path=executable, args=flags, timeout=_LAUNCH_MS, headless=not self.settings.window
            )
        except Error as error:
            named = executable or "Playwright's own Chromium"
            line = str(error).partition("\n")[0][:200]
            hint = _WINDOW_HINT if self.settings.window else _LAUNCH_HINT
            raise BrokenError("browser", f"{named} does not start ({line}): {hint}") from error
        self.version = self._browser.version
        session = self._browser.new_browser_cdp_session()
        processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
        self.pid = next((int(entry["id"]) for entry in processes if entry["type"] == "browser"), None)
        session.detach()

    def _alive(self) -> bool:
        return self._browser is not None and self._browser.is_connected()

    def _open_context(self, cookies: Sequence[Any]) -> None:
        assert self._browser is not None
        width, height = VIEWPORT
        own = self.origin.base.partition("://")[2]
        self._context = self._browser.new_context(
            viewport={"width": width, "height": height},
            accept_downloads=False,
            service_workers="block",
            reduced_motion="reduce",
            locale="en-US",
            timezone_id="UTC",
            proxy={"server": _NOWHERE, "bypass": f"<-loopback>,{own}"},
        )
        self._context.set_default_timeout(self.settings.timeout * 1000)
        self._context.on("dialog", _dismiss)
        if cookies:
            self._context.add_cookies(list(cookies))
        self._page = self._context.new_page()

    def _require_page(self) -> Page:
        if self._page is None:
            raise BrokenError("browser", "no page is open")
        return self._page

    def _navigate(self, path: str) -> Served:
        page = self._require_page()
        return self._served(page, page.goto(self.origin.base + path, wait_until=self._waits))

    def _served(self, page: Page, response: Response | None) -> Served:
        self._close_extra_pages(page)
        if response is None:
            raise BrokenError("navigation", "the browser reported no answer")
        media_type = media_type_of(response.headers.get("content-type", ""))
        if media_type != "text/html":
            return Served(response.url, response.status, media_type, "")
        url, html, ready = self._read(page)
        if not ready and response.status < 400:
            page.wait_for_selector(_READY, state="attached", timeout=READY_MS)
            url, html, _ = self._read(page)
        return Served(url, response.status, media_type, html)

    def _read(self, page: Page) -> tuple[str, str, bool]:
        """Address, HTML and readiness; a page that moves on by itself is read where it arrives."""
        state = self._evaluated(page)
        for _ in range(_MOVES_FOLLOWED):
            if state is not None:
                break
            page.wait_for_load_state("domcontentloaded")
            state = self._evaluated(page)
        if state is None:
            raise BrokenError("redirects", "the page keeps moving on by itself")
        url, html, ready = state
        try:
            self.origin.local(url)
        except RefusedError:
            self._soiled = True
            raise RefusedError(LEADS_OUT) from None
        return url, html, ready

    def _evaluated(self, page: Page) -> tuple[str, str, bool] | None:
        """The page's state, in a window once it is drawn; None when the page navigated away from under the
        question."""
        try:
            url, html, ready = page.evaluate(_READ_DRAWN if self.settings.window else _READ)
        except Error as error:
            if "context was destroyed" not in str(error):
                raise
            return None
        return str(url), str(html), bool(ready)

    def _close_extra_pages(self, page: Page) -> None:
        if self._context is not None:
            for other in self._context.pages:
                if other is not page:
                    other.close()

    def _failure(self, error: Error) -> BrokenError | RefusedError:
        """What a failed navigation means."""
        text, self._soiled = str(error), True
        if any(mark in text for mark in _OUTSIDE) or self._was_led_out(text):
            return RefusedError(LEADS_OUT)
        if "Download is starting" in text:
            return RefusedError("Refused: that address is a download, not a page of the shop.")
        return self._broken(error)

    def _was_led_out(self, text: str) -> bool:
        """Whether the page itself, after it was served, went where the browser cannot go."""
        page = self._page
        return page is not None and page.url.startswith("chrome-error:") and "net::" not in text

    def _broken(self, error: Error) -> BrokenError:
        line = str(error).partition("\n")[0][:200]
        if not self._alive():
            return BrokenError("browser", f"the browser is gone ({line})")
        if isinstance(error, PlaywrightTimeout):
            waited = "ready" if _READY in str(error) else "answer"
            kind: Kind = "not_ready" if waited == "ready" else "timeout"
            return BrokenError(kind, f"the page did not get to its {waited} in time ({line})")
        kind = next((kind for mark, kind in _KINDS if mark in line), "navigation")
        return BrokenError(kind, line)


def _dismiss(dialog: Dialog) -> None:
    """Dialogs are closed at once: leaving a page is allowed, everything else is declined."""
    if dialog.type == "beforeunload":
        dialog.accept()
    else:
        dialog.dismiss()
