"""Both transports, side by side: equal observations for equal actions, whatever the actions are."""

from typing import Any

import numpy as np
import pytest

from recallreach.env.errors import TransportError
from recallreach.env.transports import ChromiumTransport, InProcessTransport
from recallreach.env.types import (
    Action,
    AddToWishlist,
    Back,
    Click,
    Done,
    Invalid,
    Navigate,
    Observation,
    Open,
    Search,
)
from recallreach.storefront.catalog import Catalog
from recallreach.storefront.server import ShopServer

pytestmark = pytest.mark.browser

HOSTILE = [
    "http://evil.example/",
    "//evil.example/x",
    "file:///etc/passwd",
    "javascript:document.title='x'",
    "data:text/html,<h1>x</h1>",
    "view-source:/",
    "chrome://version",
    "about:blank",
    "http://127.0.0.1:1/",
    "http://127.0.0.1:8080@evil.example/",
]
ODD = [
    "/nope",
    "/product/ffffffff",
    "/health",
    "/robots.txt",
    "/sitemap.xml",
    "/static/shop.css",
    "/cart/add",
    "/wishlist/add",
    "/collection/nope?page=9",
    "/about/",
    "/about/?x=1#y",
    "/a/../about",
    "/%61bout",
    "/%2e%2e/about",
    "//about",
    "/.//about",
    "/about;x",
    "/ä ö/'\"<>`{}|^[]",
    "/about?q='\"<>`{}|^[] ä%",
    "/%",
    "/%ff",
    "/%00",
    "about",
    "?page=2",
    "?page=1000000000000000000000",
    "#top",
    "",
    "\\about",
    "/search?q=%ff%fe",
    "/search?q=a&q=b",
    "/search?q=chair&page=2",
]
WORDS = [
    "oak",
    "chair",
    "",
    "ö & ü",
    "<b>",
    "a" * 300,
    "100% +1",
    "\U0001f600",
    "\ud800",
    "No. 4",
    "\x00",
    "x\ny",
]


def drawn(random: np.random.Generator, here: Observation, catalog: Catalog) -> Action:
    """A click most of the time, and everything else now and then."""
    ids = [product.id for product in catalog]
    product = ids[int(random.integers(len(ids)))]
    kinds: list[Action] = [
        Click(int(random.integers(len(here.links) + 2))),
        Click(int(random.integers(len(here.links) + 1))),
        Navigate(f"/product/{product}"),
        Navigate(f"/product/{product.upper()}/?x=1"),
        Navigate(HOSTILE[int(random.integers(len(HOSTILE)))]),
        Navigate(ODD[int(random.integers(len(ODD)))]),
        Navigate("".join(chr(int(code)) for code in random.integers(0, 0x2FF, 6))),
        Search(WORDS[int(random.integers(len(WORDS)))]),
        Back(),
        AddToWishlist(),
        [Done(), Invalid("because"), Open("M1")][int(random.integers(3))],
    ]
    return kinds[int(random.integers(len(kinds)))]


@pytest.mark.parametrize("seed", range(3))
def test_random_walks_meet_equal_pages(
    chromium: ChromiumTransport, server: ShopServer, app: Any, catalog: Catalog, seed: int
) -> None:
    random = np.random.default_rng(seed)
    plain = InProcessTransport(app, base_url=server.url)
    here = plain.begin()
    assert chromium.begin() == here
    for number in range(40):
        action = drawn(random, here, catalog)
        here = plain.act(action)
        assert chromium.act(action) == here, (number, action)


@pytest.mark.parametrize("target", [*ODD, *HOSTILE])
def test_odd_and_hostile_addresses_mean_the_same(
    chromium: ChromiumTransport, server: ShopServer, app: Any, target: str
) -> None:
    plain = InProcessTransport(app, base_url=server.url)
    assert chromium.begin() == plain.begin()
    assert chromium.act(Navigate(target)) == plain.act(Navigate(target))


TROUBLE = ["/moved", "/away", "/away-port", "/away-file", "/json", "/text", "/empty", "/download", "/teapot"]
TROUBLE += ["/boom-once", "/loop", "/boom", "/unready", "/product/0a1b2c3d"]


@pytest.mark.parametrize("path", TROUBLE)
def test_a_shop_that_misbehaves_looks_the_same(
    trouble: Any, troubled: Any, troubled_chromium: ChromiumTransport, path: str
) -> None:
    plain = InProcessTransport(trouble.app, base_url=troubled_chromium.origin.base)
    ends = []
    for transport in (plain, troubled_chromium):
        transport.begin()
        transport.act(Navigate("/other"))
        try:
            seen = transport.act(Navigate(path))
        except TransportError as error:
            ends.append((error.kind, transport.act(Navigate("/other")), transport.act(Back())))
        else:
            ends.append((seen, transport.act(AddToWishlist()), transport.act(Back())))
    assert ends[0] == ends[1]
    pages = [
        {page: n for page, n in shop.seen.items() if "/media/" not in page} for shop in (trouble, troubled)
    ]
    assert path == "/empty" or pages[0] == pages[1]
