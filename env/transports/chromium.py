"""The shop in real Chromium: one browser, one context per session, and a limit on everything."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from playwright.sync_api import Error

from recallreach.env.browser import Browser, find_browser
from recallreach.env.errors import TransportError
from recallreach.env.transports.base import BrokenError, Request, Served, SessionTransport
from recallreach.env.transports.driver import Driver, Screenshot, Settings
from recallreach.env.transports.fetch import PictureFetch
from recallreach.env.transports.worker import Worker

ResultT = TypeVar("ResultT")

GRACE = 5.0
_LAUNCH = 90.0


class ChromiumTransport(SessionTransport):
    """Drives one Chromium from a thread of its own, so it works in scripts, notebooks and event loops alike.

    A page that crashed, a browser that was killed or hangs, a failed connection or a 5xx answer leads to a
    fresh page with the same cookies and one more try; what fails twice is a `TransportError`. Nothing waits
    beyond `timeout` and a few seconds of grace: a browser that does not answer is killed and replaced.

    A process that was forked with a session open goes on in a browser of its own and leaves its parent's
    alone.

    Args:
        base_url: root of the shop, for instance "http://127.0.0.1:8080".
        browser: the Chromium to use; found by `find_browser` when None.
        picture: whether product pages come with their picture.
        screenshot: "jpeg" or "png" to observe a screenshot, None for none (about twice as fast).
        timeout: seconds for one navigation.
        window: show the browser in a window on this machine's display; needs a Chromium that can.
    """

    def __init__(
        self,
        base_url: str,
        *,
        browser: Browser | None = None,
        picture: bool = True,
        screenshot: Screenshot | None = None,
        timeout: float = 10.0,
        window: bool = False,
    ) -> None:
        super().__init__(base_url, picture=picture, window=window)
        self._browser, self._wants_screenshot, self._timeout = browser, screenshot, timeout
        self._version = ""
        self._driver: Driver | None = None
        self._worker: Worker | None = None
        self._process = os.getpid()
        self._of_parent: list[object] = []
        self._fetch = PictureFetch(self.origin.base, timeout)
        self._cookies: list[Any] = []

    @property
    def pid(self) -> int | None:
        """Process id of the browser now running, or None."""
        return self._driver.pid if self._driver else None

    @property
    def version(self) -> str:
        """Version of the browser that was last started, for instance "131.0.6778.33", or ""."""
        return self._version

    def close(self) -> None:
        """Close the browser and leave no process behind; a second call does nothing."""
        self._here = self._page = None
        self._leave_to_parent()
        self._fetch.close()
        self._discard()

    def _new_session(self) -> None:
        self._cookies = []
        self._renew()

    def _renew(self) -> None:
        try:
            self._open()
        except BrokenError:
            self._discard()
            try:
                self._open()
            except BrokenError as error:
                self._discard()
                raise TransportError("browser", f"Chromium cannot be used: {error}") from error

    def _open(self) -> None:
        self._leave_to_parent()
        if self._driver is None or self._worker is None:
            found = self._browser = self._browser or find_browser(window=self.window)
            settings = Settings(found.path, self._wants_screenshot, self._timeout, self.window)
            self._driver, self._worker = Driver(self.origin, settings), Worker("recallreach-chromium")
        driver, cookies = self._driver, self._cookies
        self._call(lambda: driver.open(cookies), _LAUNCH)
        self._version = driver.version

    def _leave_to_parent(self) -> None:
        """After a fork: the browser and its thread live in the parent; they are neither used nor closed here,
        and kept from the garbage collector, which would close them."""
        if self._process == os.getpid():
            return
        self._of_parent += [self._driver, self._worker, self._fetch]
        self._process, self._driver, self._worker = os.getpid(), None, None
        self._fetch = PictureFetch(self.origin.base, self._timeout)

    def _serve(self, request: Request) -> Served:
        driver = self._require_driver()

        def job() -> tuple[Served, list[Any]]:
            served = driver.goto(request.path) if request.form is None else driver.submit(request.path)
            return served, driver.cookies()

        served, self._cookies = self._call(job)
        return served

    def _picture(self, path: str) -> bytes:
        return self._fetch.get(path, self._cookies)

    def _screenshot(self) -> bytes | None:
        if self._wants_screenshot is None:
            return None
        return self._call(self._require_driver().screenshot)

    def _require_driver(self) -> Driver:
        self._leave_to_parent()
        if self._driver is None:
            raise BrokenError("browser", "no browser runs in this process")
        return self._driver

    def _call(self, job: Callable[[], ResultT], limit: float | None = None) -> ResultT:
        """Run a job in the browser's thread; a browser that outlasts the limit is killed.

        Raises:
            BrokenError: the job failed or did not end in time.
        """
        assert self._worker is not None
        seconds = self._timeout + GRACE if limit is None else limit
        future = self._worker.submit(job)
        try:
            return future.result(seconds)
        except TimeoutError:
            self._kill()
            with suppress(Exception):
                future.result(GRACE)
            raise BrokenError("timeout", f"the browser did not answer within {seconds:g} seconds") from None
        except Error as error:
            raise BrokenError("browser", str(error).partition("\n")[0][:200]) from error

    def _kill(self) -> None:
        if self._driver is not None and self._driver.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(self._driver.pid, signal.SIGKILL)

    def _discard(self) -> None:
        """Close browser and thread, by force where they do not answer."""
        driver, worker = self._driver, self._worker
        if driver is None or worker is None:
            return
        with suppress(BrokenError):
            self._call(driver.shutdown, GRACE)
        worker.stop(GRACE)
        self._driver = self._worker = None
