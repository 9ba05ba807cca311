"""The Flask application of the shop."""

from __future__ import annotations

import importlib.resources
import logging
import mimetypes
from collections.abc import Callable
from urllib.parse import quote

from flask import Flask, Response, redirect, request
from werkzeug.exceptions import HTTPException, InternalServerError
from werkzeug.wrappers import Response as BaseResponse

from recallreach.files import sha256
from recallreach.storefront.data import shop_words
from recallreach.storefront.stock import ShopCatalog, ShopPictures
from recallreach.storefront.views import FOREVER, NoSuchPage, Shop, UnusableForm

log = logging.getLogger(__name__)

SHOP_NAME = "Tarnwell"
FORM_BYTES = 64 * 1024
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; script-src 'none'; object-src 'none'; base-uri 'none'; "
    "form-action 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}
PROBLEMS = {
    400: ("We could not read that", "Something in the request was not as the shop expects it."),
    404: ("This page is not in the shop", "It may have moved, or the address may have a slip in it."),
    405: (
        "That cannot be done here",
        "This address takes a form that was sent from a product page or a list.",
    ),
    413: ("That was too much at once", "The form was larger than anything the shop asks for."),
    500: ("Something went wrong on our side", "The fault is ours. The rest of the shop still works."),
}
UNNAMED_PROBLEM = ("That did not work", "The shop could not do what was asked.")


def create_app(catalog: ShopCatalog, pictures: ShopPictures) -> Flask:
    """The shop over one catalogue.

    Pages depend on the catalogue and on the visitor's own state (cart, wishlist, recently viewed) only, so
    equal actions give equal pages on every transport. The application never receives a cue: `catalog` is read
    through `ShopCatalog`, which has none, and `pictures` only yields bytes.

    Args:
        catalog: products, categories and collections.
        pictures: encoded pictures by product id.

    Returns:
        A WSGI application, safe for threads. State lives in its memory and ends with it; its `Shop`, with the
        visits, is `app.extensions["recallreach"]`.

    Raises:
        ConfigError: the catalogue holds no products.
    """
    app = Flask(__name__, static_folder=None)
    app.config.update(MAX_CONTENT_LENGTH=FORM_BYTES)
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True, "auto_reload": False}
    shop = Shop(catalog, pictures)
    shop.register(app)
    app.extensions["recallreach"] = shop
    files = _static_files()
    app.add_url_rule("/static/<name>", "static", _static_view(files))
    app.jinja_env.filters.update(price=price, style_name=style_name)
    app.jinja_env.globals.update(shop_name=SHOP_NAME, style_version=sha256(files["shop.css"])[:8])
    app.before_request(_without_trailing_slash)
    app.after_request(_guard)
    app.after_request(shop.attach_cookie)
    app.register_error_handler(HTTPException, _problem_page(shop))
    app.register_error_handler(Exception, _fault_page(shop))
    return app


def price(cents: int) -> str:
    """Cents as the shop writes them: 124900 -> "$1,249.00"."""
    return f"${cents // 100:,}.{cents % 100:02d}"


def style_name(slug: str) -> str:
    """A style as a person writes it: "art-deco" -> "Art deco"."""
    known = shop_words()["styles"]
    return str(known[slug]["name"]) if slug in known else slug.replace("-", " ").capitalize()


def _static_view(files: dict[str, bytes]) -> Callable[[str], Response]:
    """From memory, and without the file's date and tag that Flask's own static route would send."""

    def static(name: str) -> Response:
        if name not in files:
            raise NoSuchPage("We do not have a file of that name.")
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return Response(files[name], mimetype=kind, headers={"Cache-Control": FOREVER})

    return static


def _static_files() -> dict[str, bytes]:
    folder = importlib.resources.files("recallreach.storefront") / "static"
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


def _without_trailing_slash() -> BaseResponse | None:
    path = request.path
    if path == "/" or not path.endswith("/"):
        return None
    query = f"?{request.query_string.decode('ascii', 'replace')}" if request.query_string else ""
    return redirect(f"/{quote(path.strip('/'))}{query}", 308)


def _guard(response: Response) -> Response:
    """Safety headers for all; pages are never stored, so that going back shows the present state."""
    response.headers.update(HEADERS)
    response.headers.setdefault("Cache-Control", "no-store")
    return response


def _problem_page(shop: Shop) -> Callable[[HTTPException], BaseResponse]:
    def handle(error: HTTPException) -> BaseResponse:
        return _page(shop, error, error.code or 500)

    return handle


def _fault_page(shop: Shop) -> Callable[[Exception], BaseResponse]:
    def handle(error: Exception) -> BaseResponse:
        log.error("the shop failed at %s %s", request.method, request.path, exc_info=error)
        return _page(shop, InternalServerError(), 500)

    return handle


def _page(shop: Shop, error: HTTPException, status: int) -> Response:
    heading, advice = PROBLEMS.get(status, UNNAMED_PROBLEM)
    if isinstance(error, NoSuchPage | UnusableForm) and error.description:
        advice = error.description
    headers = [entry for entry in error.get_headers() if entry[0] == "Allow"]
    page = shop.render("problem.html", heading=heading, advice=advice, status=status)
    return Response(page, status, headers, mimetype="text/html")
