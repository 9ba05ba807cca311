"""The shop's pages: what they show, to whom, and how they refuse."""

from __future__ import annotations

import itertools
import re
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser
from werkzeug.test import EnvironBuilder, run_wsgi_app

from recallreach.errors import ConfigError
from recallreach.storefront.app import create_app, price, style_name
from recallreach.storefront.visits import LINES_LIMIT, QUANTITY_LIMIT, RECENT_LIMIT, Visit, Visits

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


def tree(response) -> LexborHTMLParser:
    return LexborHTMLParser(response.text)


def main_text(response) -> str:
    return " ".join(tree(response).css_first("main").text(separator=" ").split())


def hrefs(response, selector: str = "a") -> list[str]:
    return [node.attributes["href"] for node in tree(response).css(selector)]


def titles_in(response, selector: str = "main .card .name") -> list[str]:
    return [node.text() for node in tree(response).css(selector)]


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
        nodes = tree(response).css("a[href], link[href], img[src]")
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
        parsed = tree(page)
        assert parsed.css_first("html").attributes["lang"] == "en"
        assert parsed.css_first("body").attributes["data-ready"] == "1"
        assert len(parsed.css("h1")) == 1, path
        assert [len(parsed.css(tag)) for tag in ("main", "header.masthead", "footer")] == [1, 1, 1]
        assert all(node.attributes.get("aria-label") for node in parsed.css("nav")), path


def test_every_picture_has_an_alternative_and_every_field_a_label(crawled):
    for path, page in pages(crawled).items():
        parsed = tree(page)
        assert all("alt" in node.attributes for node in parsed.css("img")), path
        visible = [node for node in parsed.css("input") if node.attributes.get("type") != "hidden"]
        assert all(node.attributes.get("aria-label") for node in visible), path
        assert all(node.text().strip() for node in parsed.css("a, button")), path


def test_headings_never_skip_a_level(crawled):
    for path, page in pages(crawled).items():
        levels = [int(node.tag[1]) for node in tree(page).css("h1, h2, h3, h4")]
        steps = itertools.pairwise(levels)
        assert levels[0] == 1
        assert all(after <= before + 1 for before, after in steps), (path, levels)


def test_no_page_needs_scripts_or_styles_of_its_own_or_anything_from_outside(crawled):
    for path, page in pages(crawled).items():
        parsed = tree(page)
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
    assert {f"/category/{entry.slug}" for entry in shop.catalog.categories} <= set(hrefs(home, "main a"))
    assert "Recently viewed" not in main_text(home)


def test_category_lists_its_collections_with_blurb_style_and_cover(shop, visitor):
    category = shop.catalog.categories[1]
    page = visitor.get(f"/category/{category.slug}")
    mine = [entry for entry in shop.catalog.collections if entry.category == category.slug]
    assert category.blurb in main_text(page)
    assert titles_in(page) == [entry.name for entry in mine]
    assert all(f"{style_name(entry.style)} {entry.blurb}" in main_text(page) for entry in mine)
    assert [node.attributes["src"] for node in tree(page).css("main .card img")] == [
        f"/covers/{entry.slug}" for entry in mine
    ]


def test_collection_shows_ten_a_page_in_listing_order(shop, visitor):
    collection = shop.catalog.collections[2]
    listed = [product.title for product in shop.catalog.products_in(collection.slug)]
    first = visitor.get(f"/collection/{collection.slug}")
    second = visitor.get(f"/collection/{collection.slug}?page=2")
    assert titles_in(first) == listed[:10]
    assert titles_in(second) == listed[10:]
    assert hrefs(first, "a[rel=next]") == [f"/collection/{collection.slug}?page=2"]
    assert hrefs(second, "a[rel=prev]") == [f"/collection/{collection.slug}?page=1"]
    assert visitor.get(f"/collection/{collection.slug}?page=1").text == first.text


@pytest.mark.parametrize("page", ["0", "3", "-1", "1.0", "01", "two", "", "٢", "9" * 400])
def test_a_page_that_is_not_there_says_so(shop, visitor, page):
    response = visitor.get(f"/collection/{shop.catalog.collections[0].slug}", query_string={"page": page})
    assert response.status_code == 404
    assert "does not have a page of that number" in main_text(response)


def test_product_page_says_everything_it_may(shop, visitor):
    product = shop.catalog.products[15]
    page = visitor.get(f"/product/{product.id}")
    text = main_text(page)
    assert tree(page).css_first("h1").text() == product.title
    assert price(product.price_cents) in text
    assert product.description in text
    assert all(f"{label} {value}" in text for label, value in product.details)
    assert all(review in text and author in text for author, _, review in product.reviews)
    picture = tree(page).css_first('main img[data-role="product-picture"]')
    assert picture.attributes["src"] == f"/media/{product.picture}"
    assert picture.attributes["alt"] == product.title


def test_product_page_leads_home_and_to_its_siblings(shop, visitor):
    listed = shop.catalog.products_in(shop.catalog.collections[3].slug)
    page = visitor.get(f"/product/{listed[-1].id}")
    trail = ["/", f"/category/{listed[0].category}", f"/collection/{listed[0].collection}"]
    assert hrefs(page, ".trail a") == trail
    assert titles_in(page) == [product.title for product in listed[:5]]


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
    assert {f"/category/{entry.slug}" for entry in shop.catalog.categories} <= set(hrefs(response, "main a"))


def test_a_wrong_method_helps_and_says_which_is_right(visitor):
    response = visitor.get("/cart/add")
    assert response.status_code == 405
    assert "POST" in response.headers["Allow"]
    assert "takes a form" in main_text(response)


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

    client = create_app(shop.catalog, Broken()).test_client()
    response = client.get(f"/media/{shop.catalog.products[0].picture}")
    assert response.status_code == 500
    assert "The fault is ours" in main_text(response)
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


# search


def test_search_finds_by_category_style_title_and_description(shop, visitor):
    product = shop.catalog.products[0]
    modern = sum(entry.style == "modern" for entry in shop.catalog)
    assert main_text(visitor.get("/search?q=CHAIRS")).startswith(
        "48 results for chairs".replace("chairs", "CHAIRS")
    )
    assert main_text(visitor.get("/search?q=modern")).startswith(f"{modern} results")
    assert titles_in(visitor.get("/search", query_string={"q": product.title}))[0] == product.title
    described = visitor.get("/search", query_string={"q": product.description})
    assert product.title in titles_in(described)


def test_search_wants_every_word(visitor):
    assert "Nothing found" in main_text(visitor.get("/search?q=chair+sofa+submarine"))


def test_search_pages_hold_ten_and_keep_the_query(visitor):
    first = visitor.get("/search?q=modern+chair")
    second = visitor.get(hrefs(first, "a[rel=next]")[0])
    assert len(titles_in(first)) == 10
    assert len(titles_in(second)) == 2
    assert not set(titles_in(first)) & set(titles_in(second))


def test_a_search_without_hits_offers_the_words_that_have_some(visitor):
    page = visitor.get("/search?q=Chair submarine")
    assert "48 pieces for Chair alone" in main_text(page)
    assert "48 results" in main_text(visitor.get(hrefs(page, "main header a")[0]))
    assert "alone" not in main_text(visitor.get("/search?q=submarine"))


def test_an_empty_search_explains_itself(visitor):
    assert "Type what you are looking for" in main_text(visitor.get("/search?q=+"))
    assert visitor.get("/search").status_code == 200


def test_what_a_visitor_types_is_shown_as_text(visitor):
    page = visitor.get("/search", query_string={"q": "<script>alert(1)</script>\"'&"})
    assert not tree(page).css("script")
    assert tree(page).css_first("input[name=q]").attributes["value"] == "<script>alert(1)</script>\"'&"


# cart, wishlist, recently viewed


def test_a_form_leads_back_with_one_confirmation(shop, visitor):
    product = shop.catalog.products[4]
    for what, sentence in (("cart", "Added to your cart."), ("wishlist", "Added to your wishlist.")):
        answer = visitor.post(f"/{what}/add", data={"product": product.id})
        assert (answer.status_code, answer.location) == (303, f"/product/{product.id}")
        assert sentence in main_text(visitor.get(answer.location))
        assert sentence not in main_text(visitor.get(answer.location))
        assert product.title in main_text(visitor.get(f"/{what}"))


def test_the_forms_of_the_pages_do_what_they_say(shop, visitor):
    product = shop.catalog.products[9]
    page = visitor.get(f"/product/{product.id}")
    for form in tree(page).css("main form"):
        field = form.css_first("input[name=product]").attributes["value"]
        assert visitor.post(form.attributes["action"], data={"product": field}).status_code == 303
    for what in ("cart", "wishlist"):
        form = tree(visitor.get(f"/{what}")).css_first("main form")
        field = form.css_first("input[name=product]").attributes["value"]
        answer = visitor.post(form.attributes["action"], data={"product": field}, follow_redirects=True)
        assert answer.request.path == f"/{what}"
        assert product.title not in main_text(answer)


def test_the_cart_counts_and_adds_up(shop, visitor):
    one, other = shop.catalog.products[0], shop.catalog.products[30]
    for product in (one, one, other):
        visitor.post("/cart/add", data={"product": product.id})
    page = visitor.get("/cart")
    assert f"Total {price(2 * one.price_cents + other.price_cents)}" in main_text(page)
    assert f"2 × {price(one.price_cents)}" in main_text(page)
    assert "Cart (3)" in tree(page).css_first(".lists").text()


def test_two_visitors_share_nothing(shop):
    one, other = shop.visitor(), shop.visitor()
    product = shop.catalog.products[11]
    one.post("/cart/add", data={"product": product.id})
    one.post("/wishlist/add", data={"product": product.id})
    one.get(f"/product/{product.id}")
    for path in ("/", "/cart", "/wishlist", "/recently-viewed"):
        assert product.title in main_text(one.get(path)) or path == "/"
        assert other.get(path).text == shop.visitor().get(path).text


def test_pages_depend_on_what_was_done_and_not_on_who_did_it(shop):
    product, other = shop.catalog.products[5], shop.catalog.products[50]

    def walk(client):
        client.get(f"/product/{other.id}")
        added = client.post("/wishlist/add", data={"product": product.id}, follow_redirects=True)
        return [added.text] + [
            client.get(path).text for path in ("/", "/wishlist", "/cart", "/recently-viewed")
        ]

    assert walk(shop.visitor()) == walk(shop.visitor())


def test_a_visitor_without_a_cookie_starts_afresh_and_looking_round_sets_none(shop, visitor):
    assert "Set-Cookie" not in visitor.get("/").headers
    cookie = visitor.get(f"/product/{shop.catalog.products[0].id}").headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert shop.catalog.products[0].title in main_text(visitor.get("/recently-viewed"))
    visitor.delete_cookie("tarnwell_visit")
    assert "not opened a product page yet" in main_text(visitor.get("/recently-viewed"))


def test_a_made_up_session_id_is_not_adopted(shop, visitor):
    visitor.set_cookie("tarnwell_visit", "chosen-by-someone")
    answer = visitor.post("/cart/add", data={"product": shop.catalog.products[0].id})
    assert "chosen-by-someone" not in answer.headers["Set-Cookie"]
    assert visitor.get_cookie("tarnwell_visit").value != "chosen-by-someone"


def test_recently_viewed_is_newest_first_without_doubles(shop, visitor):
    viewed = shop.catalog.products[:3]
    for product in (*viewed, viewed[0]):
        visitor.get(f"/product/{product.id}")
    expected = [viewed[0].title, viewed[2].title, viewed[1].title]
    assert titles_in(visitor.get("/recently-viewed")) == expected
    assert titles_in(visitor.get("/"))[-3:] == expected


def test_many_threads_lose_nothing(shop):
    visitor = shop.visitor()
    visitor.get(f"/product/{shop.catalog.products[0].id}")
    session_id = visitor.get_cookie("tarnwell_visit").value
    chosen = shop.catalog.products[:8]

    def add(product) -> int:
        client = shop.visitor()
        client.set_cookie("tarnwell_visit", session_id)
        return client.post("/cart/add", data={"product": product.id}).status_code

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(add, [product for product in chosen for _ in range(10)])) == {303}
    page = visitor.get("/cart")
    assert "Cart (80)" in tree(page).css_first(".lists").text()
    assert {f"10 × {price(product.price_cents)}" for product in chosen} == set(
        re.findall(r"10 × \$[\d,]+\.\d\d", main_text(page))
    )


def test_a_visit_is_bounded():
    visit = Visit()
    for _ in range(QUANTITY_LIMIT + 5):
        visit = visit.add_to_cart("a").view("a")
    for number in range(LINES_LIMIT + 5):
        visit = visit.add_to_cart(str(number)).add_to_wishlist(str(number)).view(str(number))
    assert dict(visit.cart)["a"] == QUANTITY_LIMIT
    assert (len(visit.cart), len(visit.wishlist), len(visit.recent)) == (
        LINES_LIMIT,
        LINES_LIMIT,
        RECENT_LIMIT,
    )
    assert visit.notice == "Your wishlist is full."


def test_adding_twice_and_removing_what_is_not_there_are_said():
    visit = Visit().add_to_wishlist("a").add_to_wishlist("a")
    assert (visit.wishlist, visit.notice) == (("a",), "Already in your wishlist.")
    assert Visit().remove_from_cart("a").notice == "It was not in your cart."
    assert Visit().remove_from_wishlist("a").notice == "It was not in your wishlist."


def test_the_store_forgets_the_visit_unused_longest():
    visits = Visits(limit=2)
    first, _ = visits.change(None, lambda visit: visit.view("a"))
    second, _ = visits.change(None, lambda visit: visit.view("b"))
    visits.read(first)
    visits.change(None, lambda visit: visit.view("c"))
    assert len(visits) == 2
    assert visits.read(first).recent == ("a",)
    assert visits.read(second) == Visit()


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
