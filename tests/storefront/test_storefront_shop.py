"""The shop's pages: what they show, to whom, and how they refuse."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import given, settings
from hypothesis import strategies as st
from werkzeug.test import EnvironBuilder, run_wsgi_app

from recallreach.errors import ConfigError
from recallreach.storefront.app import create_app, price, style_name

VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source"}


class TagBalance(HTMLParser):
    """Every element that opens closes, in order, and no id comes twice."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open
        assert self.open.pop() == tag


def crawl(client: FlaskClient) -> dict[str, object]:
    """Every page, picture and file that can be reached from home, by links and sources."""
    found: dict[str, object] = {}
    waiting = ["/", "/search?q=chair", "/search?q=nothingatall", "/search", "/sitemap.xml"]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        response = found[path] = client.get(path)
        if response.mimetype != "text/html":
            continue
        nodes = response.tree.css("a[href], link[href], img[src]")
        targets = [node.attributes.get("href") or node.attributes["src"] for node in nodes]
        assert not [target for target in targets if urlsplit(target).netloc]
        waiting += [urljoin(path, target) for target in targets]
    return found


@pytest.fixture(scope="module")
def crawled(shop):
    return crawl(shop.visitor())


def pages(crawled):
    return {path: page for path, page in crawled.items() if page.mimetype == "text/html"}


def test_every_link_and_picture_resolves_and_every_product_is_reachable(shop, crawled):
    assert {path: page.status_code for path, page in crawled.items() if page.status_code != 200} == {}
    assert {f"/product/{product.id}" for product in shop.catalog} <= set(crawled)
    assert {f"/media/{product.picture}" for product in shop.catalog} <= set(crawled)


def test_every_page_is_well_formed(crawled):
    for path, page in pages(crawled).items():
        balance = TagBalance()
        balance.feed(page.text)
        assert balance.open == [], path
        assert len(balance.ids) == len(set(balance.ids)), path


def test_every_page_has_landmarks_one_heading_a_language_and_the_ready_marker(crawled):
    for path, page in pages(crawled).items():
        parsed = page.tree
        assert parsed.css_first("html").attributes["lang"] == "en"
        assert parsed.css_first("body").attributes["data-ready"] == "1"
        assert len(parsed.css("h1")) == 1, path
        assert [len(parsed.css(tag)) for tag in ("main", "header.masthead", "footer")] == [1, 1, 1]
        assert all(node.attributes.get("aria-label") for node in parsed.css("nav")), path


def test_every_picture_has_an_alternative_and_every_field_a_label(crawled):
    for path, page in pages(crawled).items():
        parsed = page.tree
        assert all("alt" in node.attributes for node in parsed.css("img")), path
        visible = [node for node in parsed.css("input") if node.attributes.get("type") != "hidden"]
        assert all(node.attributes.get("aria-label") for node in visible), path
        assert all(node.text().strip() for node in parsed.css("a, button")), path


def test_headings_never_skip_a_level(crawled):
    for path, page in pages(crawled).items():
        levels = [int(node.tag[1]) for node in page.tree.css("h1, h2, h3, h4")]
        steps = itertools.pairwise(levels)
        assert levels[0] == 1
        assert all(after <= before + 1 for before, after in steps), (path, levels)


def test_no_page_needs_scripts_or_styles_of_its_own_or_anything_from_outside(crawled):
    for path, page in pages(crawled).items():
        parsed = page.tree
        assert not parsed.css("script, style, iframe, [style], [onclick]"), path
        assert not re.search(r"https?://", page.text), path


def test_headers_of_pages_and_pictures(shop, visitor):
    product = shop.catalog.products[0]
    for path in ("/", f"/media/{product.picture}", "/missing", "/static/shop.css"):
        headers = visitor.get(path).headers
        assert "script-src 'none'" in headers["Content-Security-Policy"]
        assert "default-src 'self'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert not {"ETag", "Last-Modified", "Content-Disposition", "Server"} & set(headers.keys())
    assert visitor.get("/").headers["Cache-Control"] == "no-store"
    assert "immutable" in visitor.get(f"/media/{product.picture}").headers["Cache-Control"]


def test_home_leads_to_every_category(shop, visitor):
    home = visitor.get("/")
    assert {f"/category/{entry.slug}" for entry in shop.catalog.categories} <= set(home.hrefs("main a"))
    assert "Recently viewed" not in home.main_text


def test_category_lists_its_collections_with_blurb_style_and_cover(shop, visitor):
    category = shop.catalog.categories[1]
    page = visitor.get(f"/category/{category.slug}")
    mine = [entry for entry in shop.catalog.collections if entry.category == category.slug]
    assert category.blurb in page.main_text
    assert page.titles_in() == [entry.name for entry in mine]
    assert all(f"{style_name(entry.style)} {entry.blurb}" in page.main_text for entry in mine)
    assert [node.attributes["src"] for node in page.tree.css("main .card img")] == [
        f"/covers/{entry.slug}" for entry in mine
    ]


def test_collection_shows_ten_a_page_in_listing_order(shop, visitor):
    collection = shop.catalog.collections[2]
    listed = [product.title for product in shop.catalog.products_in(collection.slug)]
    first = visitor.get(f"/collection/{collection.slug}")
    second = visitor.get(f"/collection/{collection.slug}?page=2")
    assert first.titles_in() == listed[:10]
    assert second.titles_in() == listed[10:]
    assert first.hrefs("a[rel=next]") == [f"/collection/{collection.slug}?page=2"]
    assert second.hrefs("a[rel=prev]") == [f"/collection/{collection.slug}?page=1"]
    assert visitor.get(f"/collection/{collection.slug}?page=1").text == first.text


@pytest.mark.parametrize("page", ["0", "3", "-1", "1.0", "01", "two", "", "٢", "9" * 400])
def test_a_page_that_is_not_there_says_so(shop, visitor, page):
    response = visitor.get(f"/collection/{shop.catalog.collections[0].slug}", query_string={"page": page})
    assert response.status_code == 404
    assert "does not have a page of that number" in response.main_text


def test_product_page_says_everything_it_may(shop, visitor):
    product = shop.catalog.products[15]
    page = visitor.get(f"/product/{product.id}")
    text = page.main_text
    assert page.tree.css_first("h1").text() == product.title
    assert price(product.price_cents) in text
    assert product.description in text
    assert all(f"{label} {value}" in text for label, value in product.details)
    assert all(review in text and author in text for author, _, review in product.reviews)
    picture = page.tree.css_first('main img[data-role="product-picture"]')
    assert picture.attributes["src"] == f"/media/{product.picture}"
    assert picture.attributes["alt"] == product.title


def test_product_pages_have_the_same_parts_for_all(crawled):
    products = [page for path, page in pages(crawled).items() if path.startswith("/product/")]
    parts = [
        [node.text(strip=True) for node in page.tree.css("main h2, main th, button")] for page in products
    ]
    assert len(parts) > 100
    assert all(names[-1].startswith("More from ") for names in parts)
    assert len({tuple(names[:-1]) for names in parts}) == 1


def test_product_page_leads_home_and_to_its_siblings(shop, visitor):
    listed = shop.catalog.products_in(shop.catalog.collections[3].slug)
    page = visitor.get(f"/product/{listed[-1].id}")
    trail = ["/", f"/category/{listed[0].category}", f"/collection/{listed[0].collection}"]
    assert page.hrefs(".trail a") == trail
    assert page.titles_in() == [product.title for product in listed[:5]]


def test_pictures_are_served_by_file_name(shop, visitor):
    product = shop.catalog.products[7]
    response = visitor.get(f"/media/{product.picture}")
    assert (response.data, response.mimetype) == (f"picture {product.id}".encode(), "image/jpeg")


def test_covers_show_no_incidental_object(visitor):
    assert visitor.get("/covers/chair").data.startswith(b"base ")


def test_an_id_in_capitals_or_with_a_slash_is_the_same_product(shop, visitor):
    product = next(entry for entry in shop.catalog if entry.id.upper() != entry.id)
    for path in (f"/product/{product.id.upper()}", f"/product/{product.id}/", f"/product/{product.id}?x=1"):
        response = visitor.get(path, follow_redirects=True)
        assert response.status_code == 200
        assert response.request.path == f"/product/{product.id}"


def test_a_slash_at_the_end_keeps_the_query(visitor):
    assert visitor.get("/search/?q=big chair").location == "/search?q=big%20chair"


NOWHERE = ("/nowhere", "/product/", "/product/zz", "/category/x", "/collection/x", "/media/x", "/covers/x")
HOSTILE = ("/static/x", "/static/..%2fapp.py", "/product/%00", "/product/..%2f..%2fetc", "/media/%ff")


@pytest.mark.parametrize("path", NOWHERE + HOSTILE)
def test_an_unknown_page_helps(shop, visitor, path):
    response = visitor.get(path, follow_redirects=True)
    assert response.status_code == 404
    assert {f"/category/{entry.slug}" for entry in shop.catalog.categories} <= set(response.hrefs("main a"))


def test_a_wrong_method_helps_and_says_which_is_right(visitor):
    response = visitor.get("/cart/add")
    assert response.status_code == 405
    assert "POST" in response.headers["Allow"]
    assert "takes a form" in response.main_text


def test_a_form_without_a_product_or_with_an_unknown_one(visitor):
    assert visitor.post("/cart/add").status_code == 400
    assert visitor.post("/cart/add", data={"product": "ffffffff"}).status_code == 404
    assert visitor.post("/cart/add", data={"product": "a" * 100_000}).status_code == 413


def test_a_fault_of_ours_is_a_page_and_is_logged(shop, caplog):
    class Broken:
        media_type = "image/jpeg"

        def picture(self, product_id: str) -> bytes:
            raise OSError("disk full")

        base = picture

    broken = replace(shop, app=create_app(shop.catalog, Broken()))
    response = broken.visitor().get(f"/media/{shop.catalog.products[0].picture}")
    assert response.status_code == 500
    assert "The fault is ours" in response.main_text
    assert "disk full" not in response.text
    assert "disk full" in caplog.text


def test_an_empty_catalogue_is_refused(shop):
    class Empty:
        categories = collections = ()

        def __iter__(self):
            return iter(())

    with pytest.raises(ConfigError, match="no products"):
        create_app(Empty(), shop)


def raw_get(app: Flask, path: str, query: str) -> tuple[str, dict[str, str]]:
    """Status and headers for a path exactly as a server hands it over, which no client would send."""
    environ = EnvironBuilder("/").get_environ()
    environ |= {
        "PATH_INFO": path.encode().decode("latin-1"),
        "QUERY_STRING": query.encode().decode("latin-1"),
    }
    _, status, headers = run_wsgi_app(app, environ)
    return status, dict(headers)


@settings(max_examples=150, deadline=None)
@given(
    st.text(max_size=40),
    st.text(max_size=40),
    st.sampled_from(["/", "//", "/product/", "/search/", "/search"]),
)
def test_no_address_breaks_the_shop_or_leads_out_of_it(shop, tail, query, root):
    status, headers = raw_get(shop.app, root + tail, f"q={query}&page={query}")
    assert int(status[:3]) in (200, 308, 404)
    target = urlsplit(headers["Location"] if status.startswith("308") else "/")
    assert (target.scheme, target.netloc) in (("", ""), ("http", "localhost"))


def test_health_robots_and_sitemap(shop, visitor):
    assert visitor.get("/health").json == {"status": "ok", "products": len(shop.catalog)}
    assert "Sitemap: http://localhost/sitemap.xml" in visitor.get("/robots.txt").text
    listed = re.findall(r"<loc>http://localhost(.*?)</loc>", visitor.get("/sitemap.xml").text)
    assert len(listed) == len(set(listed)) == 2 + 3 + 12 + len(shop.catalog)
    assert all(visitor.get(path).status_code == 200 for path in listed[:20])


def test_price_and_style_as_a_person_writes_them():
    assert price(124_905) == "$1,249.05"
    assert style_name("art-deco") == "Art deco"
    assert style_name("made-up-style") == "Made up style"


def test_the_application_never_asks_for_a_cue(shop):
    """A catalogue without ground truth is enough for every page."""

    class Blind:
        categories, collections = shop.catalog.categories, shop.catalog.collections

        def __iter__(self):
            return iter(shop.catalog)

        def products_in(self, slug):
            return shop.catalog.products_in(slug)

    class Pictures:
        media_type = "image/png"
        picture = base = staticmethod(str.encode)

    app: Flask = create_app(Blind(), Pictures())
    product = shop.catalog.products[0]
    assert (
        app.test_client().get(f"/product/{product.id}").text
        == shop.visitor().get(f"/product/{product.id}").text
    )
