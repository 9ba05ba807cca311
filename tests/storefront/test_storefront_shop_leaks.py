"""Nothing the shop serves, decoded pictures apart, holds a cue word (leak contract, lexical level)."""

from __future__ import annotations

import html
import re
from urllib.parse import quote, quote_plus

import pytest

from recallreach.storefront.data import COLORS, CueWords, cue_words
from recallreach.storefront.pictures.art import Art
from recallreach.storefront.types import Cue

FIXED = (
    "/",
    "/search",
    "/cart",
    "/wishlist",
    "/recently-viewed",
    "/about",
    "/missing",
    "/health",
    "/robots.txt",
)
FILES = ("/sitemap.xml", "/static/shop.css", "/static/icon.svg", "/cart/add", "/collection/x?page=9")


@pytest.fixture(scope="module")
def forbidden() -> CueWords:
    """Words of all hundred objects and ten colours, whichever of them this catalogue uses."""
    return cue_words(Cue(name, COLORS[0], slug) for slug, name in Art().cue_names.items())


def served(response) -> str:
    """Everything of one answer except picture bytes, with entities decoded.

    The header name "Set-Cookie" is HTTP's own and the one word that is allowed.
    """
    headers = "\n".join(f"{name}: {value}" for name, value in response.headers.items())
    body = "" if response.mimetype == "image/jpeg" else html.unescape(response.text)
    return f"{response.status}\n{headers.replace('Set-Cookie', 'Cookie')}\n{response.request.path}\n{body}"


def without_echo(text: str, query: str) -> str:
    """The declared rule for searches: the visitor's own words, as typed or encoded, are not the shop's."""
    parts = [query, *query.split()]
    forms = {form for part in parts for form in (part, quote(part), quote_plus(part))}
    for form in sorted(forms, key=len, reverse=True):
        text = re.sub(rf"(?<=[>\"=“+]){re.escape(form)}(?=[<\"&”+])", "", text)
    return text


def paths(catalog) -> list[str]:
    fixed = [*FIXED, *FILES]
    fixed += [f"/category/{entry.slug}" for entry in catalog.categories]
    fixed += [f"/covers/{entry.slug}" for entry in catalog.categories]
    fixed += [f"/collection/{entry.slug}" for entry in catalog.collections]
    fixed += [f"/product/{product.id}" for product in catalog]
    return fixed + [f"/media/{product.picture}" for product in catalog]


def test_no_answer_holds_a_cue_word(whole_shop, forbidden):
    visitor = whole_shop.visitor()
    for product in whole_shop.catalog.products[:3]:
        visitor.post("/cart/add", data={"product": product.id})
        visitor.post("/wishlist/add", data={"product": product.id})
    found = {path: forbidden.found_in(served(visitor.get(path))) for path in paths(whole_shop.catalog)}
    assert {path: words for path, words in found.items() if words} == {}


def test_the_forms_answer_without_a_cue_word(whole_shop, forbidden):
    visitor = whole_shop.visitor()
    product = whole_shop.catalog.products[17]
    for path in (
        "/cart/add",
        "/wishlist/add",
        "/wishlist/add",
        "/cart/remove",
        "/cart/remove",
        "/wishlist/remove",
    ):
        answer = visitor.post(path, data={"product": product.id})
        assert forbidden.found_in(served(answer)) == []
        assert forbidden.found_in(served(visitor.get(answer.location))) == []


def test_searching_for_a_cue_finds_nothing_and_adds_no_word(whole_shop, forbidden):
    visitor, catalog = whole_shop.visitor(), whole_shop.catalog
    for product in catalog.products[::7]:
        cue = catalog.cue_of(product.id)
        for query in (cue.phrase, cue.color, cue.object):
            page = visitor.get("/search", query_string={"q": query})
            assert "Nothing found" in page.text, query
            text = served(page).replace("/search?", " ")
            assert forbidden.found_in(without_echo(text, query)) == [], query


def test_searching_for_a_single_word_of_a_cue_finds_only_declared_words(whole_shop, forbidden):
    visitor = whole_shop.visitor()
    hits = {word for word in forbidden.objects | forbidden.colors
            if "Nothing found" not in visitor.get("/search", query_string={"q": word}).text}  # fmt: skip
    assert hits <= {word for phrase in forbidden.declared for word in phrase.split()}


def test_pictures_of_all_products_have_equal_headers(whole_shop):
    visitor = whole_shop.visitor()
    answers = [visitor.get(f"/media/{product.picture}") for product in whole_shop.catalog]
    assert len({tuple(answer.headers.items()) for answer in answers}) == 1


def test_the_check_sees_a_planted_word(whole_shop, forbidden):
    page = served(whole_shop.visitor().get("/about"))
    planted = (
        '<p class="mug">',
        'alt="Purple"',
        "<!-- eye-mask -->",
        "border-box",
        "data-x='bLUE'",
        "br&#111;wn",
    )
    for leak in planted:
        assert forbidden.found_in(page + html.unescape(leak)) != [], leak
