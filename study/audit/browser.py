"""What only a browser shows: the accessibility tree, storage, generated content, and what scripts left
behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote_plus

from flask import Flask
from playwright.sync_api import BrowserContext, ConsoleMessage, Error, Page, sync_playwright

from recallreach.env.browser import find_browser
from recallreach.env.transports.worker import Worker
from recallreach.errors import DataError
from recallreach.seeding import stream
from recallreach.storefront.audit.reading import Reading
from recallreach.storefront.server import ShopServer

BROWSED = 60
"""Product pages that Chromium reads where nothing else is asked for."""

TIMEOUT_MS = 15_000
LIMIT_SECONDS = 60 + 20
Progress = Callable[[int, int], None]

_COLLECT = """async () => {
  const found = {};
  const say = (channel, text) => {
    if (text && text.trim()) (found[channel] = found[channel] || []).push(text.trim());
  };
  for (const line of document.body.innerText.split("\\n")) say("visible text", line);
  say("document title", document.title);
  say("script-readable cookies", document.cookie);
  say("window name", window.name);
  for (const [kind, store] of [["local storage", localStorage], ["session storage", sessionStorage]])
    for (const key of Object.keys(store)) say(kind, key + "=" + store.getItem(key));
  if (indexedDB.databases)
    for (const entry of await indexedDB.databases()) say("indexed database", entry.name);
  if (window.caches)
    for (const name of await caches.keys().catch(() => [])) say("cache storage", name);
  const visit = (root) => {
    for (const element of root.querySelectorAll("*")) {
      for (const part of ["::before", "::after", "::marker", "::placeholder"]) {
        const content = getComputedStyle(element, part).content;
        if (content && content !== "none" && content !== "normal") say("generated content", content);
      }
      if (!element.shadowRoot) continue;
      say("shadow content", element.shadowRoot.textContent);
      visit(element.shadowRoot);
    }
  };
  visit(document);
  for (const entry of performance.getEntriesByType("resource"))
    say("resources loaded", new URL(entry.name).pathname);
  return found;
}"""


def read_with_browser(
    reading: Reading, shop: Flask | str, count: int, seed: int, progress: Progress | None = None
) -> None:
    """Add to `reading` what Chromium sees on the shop's shared pages and on `count` product pages (0: all).

    Args:
        reading: of the same shop; channels are called "browser: ...".
        shop: an application, served on a free loopback port meanwhile; or the root of a running shop.
        count: product pages, a seeded draw.
        seed: of that draw.
        progress: told pages done and to do.

    Raises:
        NoBrowserError: there is no Chromium.
        DataError: the browser or the shop does not answer.
    """
    worker = Worker("recallreach-audit")
    tell = progress or (lambda done, total: None)
    try:
        with _served(shop) as root:
            worker.submit(lambda: _Visit(reading, root, tell).read(_paths(reading, count, seed))).result()
    except Error as error:
        raise DataError(f"Chromium cannot read the shop: {error.message.splitlines()[0]}") from error
    finally:
        worker.stop(5)


@contextmanager
def _served(shop: Flask | str) -> Iterator[str]:
    if isinstance(shop, str):
        yield shop.rstrip("/")
        return
    with ShopServer(shop) as server:
        yield server.url


def _paths(reading: Reading, count: int, seed: int) -> list[tuple[str, str | None]]:
    products = list(reading.products)
    if 0 < count < len(products):
        drawn = stream(seed, "audit", "browsed").permutation(len(products))[:count]
        products = [products[int(at)] for at in drawn]
    listed = sorted(reading.texts.get("collection it is listed in", {}))
    shared = ["/", *listed[:10], "/cart", "/wishlist", "/recently-viewed", "/about", "/no-such-page"]
    shared += [f"/search?q={quote_plus(word)}" for word in ("oak", "no such thing")]
    return [(path, None) for path in shared] + [(f"/product/{product}", product) for product in products]


class _Visit:
    def __init__(self, reading: Reading, root: str, progress: Progress) -> None:
        self._reading, self._root, self._progress = reading, root, progress
        self._console: list[str] = []

    def read(self, paths: list[tuple[str, str | None]]) -> None:
        found = find_browser()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=found.path, args=["--disable-gpu"])
            try:
                context = browser.new_context(service_workers="block", accept_downloads=False)
                context.set_default_timeout(TIMEOUT_MS)
                page = context.new_page()
                page.on("console", self._hear)
                for done, (path, product) in enumerate(paths):
                    self._page(context, page, path, product)
                    self._progress(done + 1, len(paths))
            finally:
                browser.close()

    def _hear(self, message: ConsoleMessage) -> None:
        """What the page logs; the browser's own notice of an answer like 404 is not the page's."""
        if not message.text.startswith("Failed to load resource"):
            self._console.append(message.text)

    def _page(self, context: BrowserContext, page: Page, path: str, product: str | None) -> None:
        self._console.clear()
        page.goto(self._root + path, wait_until="load")
        said: dict[str, list[str]] = page.evaluate(_COLLECT)
        said["accessibility tree"] = [
            line.strip().replace("- ", "role ", 1)
            for line in page.locator("body").aria_snapshot().splitlines()
        ]
        said["console"] = list(self._console)
        said["cookies"] = [_cookie(cookie) for cookie in context.cookies()]
        self._reading.count("pages in Chromium")
        for channel, texts in said.items():
            for text in texts:
                self._reading.say(f"browser: {channel}", text, path, product)


def _cookie(cookie: Any) -> str:
    return f"{cookie['name']}={cookie['value']}; path={cookie['path']}"
