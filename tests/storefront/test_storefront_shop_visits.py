"""The shop's search, cart, wishlist and recently viewed: what one visitor finds and keeps."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from threading import Event

from recallreach.storefront.app import price
from recallreach.storefront.visits import LINES_LIMIT, QUANTITY_LIMIT, RECENT_LIMIT, Visit, Visits


def test_search_finds_by_category_style_title_and_description(shop, visitor):
    product = shop.catalog.products[0]
    modern = sum(entry.style == "modern" for entry in shop.catalog)
    assert visitor.get("/search?q=CHAIRS").main_text.startswith("48 results for CHAIRS")
    assert visitor.get("/search?q=modern").main_text.startswith(f"{modern} results")
    assert visitor.get("/search", query_string={"q": product.title}).titles_in()[0] == product.title
    described = visitor.get("/search", query_string={"q": product.description})
    assert product.title in described.titles_in()


def test_search_wants_every_word(visitor):
    assert "Nothing found" in visitor.get("/search?q=chair+sofa+submarine").main_text


def test_search_pages_hold_ten_and_keep_the_query(visitor):
    first = visitor.get("/search?q=modern+chair")
    second = visitor.get(first.hrefs("a[rel=next]")[0])
    assert len(first.titles_in()) == 10
    assert len(second.titles_in()) == 2
    assert not set(first.titles_in()) & set(second.titles_in())


def test_a_search_without_hits_offers_the_words_that_have_some(visitor):
    page = visitor.get("/search?q=Chair submarine")
    assert "48 pieces for Chair alone" in page.main_text
    assert "48 results" in visitor.get(page.hrefs("main header a")[0]).main_text
    assert "alone" not in visitor.get("/search?q=submarine").main_text


def test_an_empty_search_explains_itself(visitor):
    assert "Type what you are looking for" in visitor.get("/search?q=+").main_text
    assert visitor.get("/search").status_code == 200


def test_only_the_beginning_of_an_endless_query_counts(visitor):
    page = visitor.get("/search", query_string={"q": f"chair {' ' * 300}submarine"})
    assert page.main_text.startswith("48 results for chair")


def test_what_a_visitor_types_is_shown_as_text(visitor):
    page = visitor.get("/search", query_string={"q": "<script>alert(1)</script>\"'&"})
    assert not page.tree.css("script")
    assert page.tree.css_first("input[name=q]").attributes["value"] == "<script>alert(1)</script>\"'&"


def test_a_form_leads_back_with_one_confirmation(shop, visitor):
    product = shop.catalog.products[4]
    for what, sentence in (("cart", "Added to your cart."), ("wishlist", "Added to your wishlist.")):
        answer = visitor.post(f"/{what}/add", data={"product": product.id})
        assert (answer.status_code, answer.location) == (303, f"/product/{product.id}")
        assert sentence in visitor.get(answer.location).main_text
        assert sentence not in visitor.get(answer.location).main_text
        assert product.title in visitor.get(f"/{what}").main_text


def test_the_forms_of_the_pages_do_what_they_say(shop, visitor):
    product = shop.catalog.products[9]
    page = visitor.get(f"/product/{product.id}")
    for form in page.tree.css("main form"):
        field = form.css_first("input[name=product]").attributes["value"]
        assert visitor.post(form.attributes["action"], data={"product": field}).status_code == 303
    for what in ("cart", "wishlist"):
        form = visitor.get(f"/{what}").tree.css_first("main form")
        field = form.css_first("input[name=product]").attributes["value"]
        answer = visitor.post(form.attributes["action"], data={"product": field}, follow_redirects=True)
        assert answer.request.path == f"/{what}"
        assert product.title not in answer.main_text


def test_the_cart_counts_and_adds_up(shop, visitor):
    one, other = shop.catalog.products[0], shop.catalog.products[30]
    for product in (one, one, other):
        visitor.post("/cart/add", data={"product": product.id})
    page = visitor.get("/cart")
    assert f"Total {price(2 * one.price_cents + other.price_cents)}" in page.main_text
    assert f"2 × {price(one.price_cents)}" in page.main_text
    assert "Cart (3)" in page.tree.css_first(".lists").text()


def test_two_visitors_share_nothing(shop):
    one, other = shop.visitor(), shop.visitor()
    product = shop.catalog.products[11]
    one.post("/cart/add", data={"product": product.id})
    one.post("/wishlist/add", data={"product": product.id})
    one.get(f"/product/{product.id}")
    for path in ("/", "/cart", "/wishlist", "/recently-viewed"):
        assert product.title in one.get(path).main_text
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
    assert shop.catalog.products[0].title in visitor.get("/recently-viewed").main_text
    visitor.delete_cookie("tarnwell_visit")
    assert "not opened a product page yet" in visitor.get("/recently-viewed").main_text


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
    assert visitor.get("/recently-viewed").titles_in() == expected
    assert visitor.get("/").titles_in()[-3:] == expected


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
    assert "Cart (80)" in page.tree.css_first(".lists").text()
    assert {f"10 × {price(product.price_cents)}" for product in chosen} == set(
        re.findall(r"10 × \$[\d,]+\.\d\d", page.main_text)
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


def test_changes_of_a_visit_follow_one_another():
    visits, inside, meanwhile = Visits(), Event(), Event()
    session, _ = visits.change(None, lambda visit: visit.view("a"))

    def slowly(visit: Visit) -> Visit:
        inside.set()
        meanwhile.wait(0.3)
        return visit.add_to_cart("a")

    def quickly(visit: Visit) -> Visit:
        meanwhile.set()
        return visit.add_to_cart("b")

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(visits.change, session, slowly)
        assert inside.wait(30)
        second = pool.submit(visits.change, session, quickly)
        first.result(30)
        second.result(30)
    assert visits.read(session).cart == (("a", 1), ("b", 1))


def test_the_store_forgets_the_visit_unused_longest():
    visits = Visits(limit=2)
    first, _ = visits.change(None, lambda visit: visit.view("a"))
    second, _ = visits.change(None, lambda visit: visit.view("b"))
    visits.read(first)
    visits.change(None, lambda visit: visit.view("c"))
    assert len(visits) == 2
    assert visits.read(first).recent == ("a",)
    assert visits.read(second) == Visit()
