"""The real shop with quick pictures, a shop that misbehaves, and both transports on them."""

import os
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from io import BytesIO

import pytest
from flask import Flask, Response, make_response, redirect, request
from PIL import Image

from recallreach.env.transports import ChromiumTransport, InProcessTransport
from recallreach.storefront.app import create_app
from recallreach.storefront.catalog import Catalog
from recallreach.storefront.server import ShopServer

PIXEL = b"\xff\xd8\xff picture"

PAGE = """<!doctype html><html><head><title>{title}</title></head><body data-ready="1"><main><h1>{title}</h1>
<p>cookie {cookie}</p>{body}</main></body></html>"""


class Trouble:
    """The application, a count of requests by path, and a switch that lets hanging requests go on."""

    def __init__(self) -> None:
        self.app = Flask(__name__)
        self.app.config["PROPAGATE_EXCEPTIONS"] = False
        self.app.logger.disabled = True
        self.seen: Counter[str] = Counter()
        self.released = threading.Event()
        self.bodies: dict[str, str] = {}
        self.worker = ""
        self.own_pictures = False
        self.elsewhere = "http://127.0.0.1:9"
        self.app.before_request(self._count)
        for rule in ("/", "/other", "/product/<product_id>", "/inside/<name>"):
            self.app.add_url_rule(rule, rule, self._page)
        self.app.add_url_rule("/wishlist/add", "add", self._add, methods=["POST"])
        self.app.add_url_rule("/media/<name>.jpg", "media", self._media)
        for rule, view in self._views().items():
            self.app.add_url_rule(rule, rule, view)

    def _views(self) -> dict[str, Callable[[], object]]:
        return {
            "/moved": lambda: redirect("/other"),
            "/loop": lambda: redirect("/loop"),
            "/away": lambda: redirect("http://elsewhere.example/"),
            "/away-port": lambda: redirect("http://127.0.0.1:9/"),
            "/away-elsewhere": lambda: redirect(self.elsewhere + "/leak"),
            "/away-file": lambda: redirect("file:///etc/passwd"),
            "/boom": self._boom,
            "/boom-once": lambda: self._boom() if self.seen["/boom-once"] == 1 else self._page(),
            "/teapot": lambda: (self._page(), 418),
            "/json": lambda: {"a": 1},
            "/text": lambda: Response("words", mimetype="text/plain"),
            "/empty": lambda: ("", 204),
            "/download": lambda: Response(
                "x", mimetype="application/zip", headers={"Content-Disposition": "attachment; filename=x.zip"}
            ),
            "/unready": lambda: self._page().replace(' data-ready="1"', ""),
            "/broken-picture": lambda: self._page(),
            "/hang": self._hang,
            "/hang-once": lambda: self._hang() if self.seen["/hang-once"] == 1 else self._page(),
        }

    def _count(self) -> None:
        self.seen[request.path] += 1

    def _page(self, **_: str) -> str:
        title = request.path
        cookie = request.cookies.get("visit", "none")
        body = self.bodies.get(request.path, "")
        if request.path.startswith("/product/"):
            picture = f"{title[9:]}.jpg" if self.own_pictures else "pixel.jpg"
            body += f'<img data-role="product-picture" src="/media/{picture}">'
            body += '<form method="post" action="/wishlist/add">'
            body += f'<input type="hidden" name="product" value="{title[9:]}"><button>Add</button></form>'
        return PAGE.format(title=title, cookie=cookie, body=body)

    def _media(self, name: str) -> Response:
        return Response(PIXEL if name == "pixel" else PIXEL + name.encode(), mimetype="image/jpeg")

    def _add(self) -> Response:
        response = make_response(redirect(f"/product/{request.form['product']}", 303))
        response.set_cookie("visit", request.form["product"], httponly=True)
        return response

    def _boom(self) -> str:
        raise RuntimeError("boom")

    def _hang(self) -> str:
        self.released.wait(20)
        return self._page()


def ancestors(pid: int) -> Iterator[int]:
    """The process and those above it, up to the one that this process started."""
    while pid not in (0, os.getpid()):
        yield pid
        done = subprocess.run(
            ["ps", "-o", "ppid=", "-p", str(pid)], capture_output=True, text=True, check=False
        )
        pid = int(done.stdout or 0)


@pytest.fixture(scope="session")
def driver_of() -> Callable[[int], int]:
    """Playwright's driver of a browser's process id: between the two there may be a shell that starts it."""
    return lambda pid: list(ancestors(pid))[-1]


class PlainPictures:
    """One small plain picture per product, different for each."""

    media_type = "image/jpeg"
    version = "plain"

    def picture(self, product_id: str) -> bytes:
        return self._plain(product_id)

    def base(self, product_id: str) -> bytes:
        return self._plain(product_id)

    def _plain(self, product_id: str) -> bytes:
        color = (int(product_id[:2], 16), int(product_id[2:4], 16), int(product_id[4:6], 16))
        file = BytesIO()
        Image.new("RGB", (64, 64), color).save(file, "JPEG")
        return file.getvalue() + product_id.encode()


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    """Three categories in every style, twelve variants, so that listings have a second page."""
    return Catalog.synthetic(0, categories=("chair", "lamp", "vase"), variants=12)


@pytest.fixture(scope="session")
def app(catalog: Catalog) -> Flask:
    """The real shop."""
    return create_app(catalog, PlainPictures())


@pytest.fixture
def in_process(app: Flask) -> Iterator[InProcessTransport]:
    """The real shop without a browser, in a session."""
    transport = InProcessTransport(app)
    transport.begin()
    yield transport
    transport.close()


@pytest.fixture(scope="session")
def server(app: Flask) -> Iterator[ShopServer]:
    """The real shop on a port."""
    with ShopServer(app) as running:
        yield running


@pytest.fixture(scope="session")
def chromium(server: ShopServer) -> Iterator[ChromiumTransport]:
    """Real Chromium on the real shop; `begin` starts a fresh session."""
    transport = ChromiumTransport(server.url)
    yield transport
    transport.close()


@pytest.fixture(scope="session")
def trouble_shop() -> type[Trouble]:
    """The class of shops that misbehave."""
    return Trouble


@pytest.fixture
def trouble() -> Iterator[Trouble]:
    """A shop that misbehaves."""
    shop = Trouble()
    yield shop
    shop.released.set()


@pytest.fixture(scope="session")
def _troubled_shop() -> Iterator[tuple[Trouble, ChromiumTransport]]:
    shop = Trouble()
    with ShopServer(shop.app) as running:
        transport = ChromiumTransport(running.url, timeout=3)
        yield shop, transport
        transport.close()
        shop.released.set()


@pytest.fixture
def troubled(_troubled_shop: tuple[Trouble, ChromiumTransport]) -> Iterator[Trouble]:
    """The misbehaving shop that `troubled_chromium` is on, with nothing seen yet."""
    shop = _troubled_shop[0]
    shop.seen.clear()
    shop.bodies.clear()
    shop.released.clear()
    yield shop
    shop.released.set()


@pytest.fixture
def troubled_chromium(
    troubled: Trouble, _troubled_shop: tuple[Trouble, ChromiumTransport]
) -> ChromiumTransport:
    """Real Chromium on the misbehaving shop, with a short time limit; `begin` starts a fresh session."""
    return _troubled_shop[1]
