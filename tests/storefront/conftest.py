"""A shop that needs no picture layers: every category and style, pictures that only say whose they are."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from flask import Flask
from flask.testing import FlaskClient
from selectolax.lexbor import LexborHTMLParser
from werkzeug.test import TestResponse

from recallreach.storefront.app import create_app
from recallreach.storefront.catalog import Catalog
from recallreach.storefront.catalog_synthetic import Plan, draw_catalog
from recallreach.storefront.data import shop_words
from recallreach.storefront.pictures.art import Art


class NamedPictures:
    """Bytes that name the product they show, instead of a rendering."""

    media_type = "image/jpeg"

    def picture(self, product_id: str) -> bytes:
        return f"picture {product_id}".encode()

    def base(self, product_id: str) -> bytes:
        return f"base {product_id}".encode()


class ShopAnswer(TestResponse):
    """One answer of the shop, parsed."""

    @property
    def tree(self) -> LexborHTMLParser:
        return LexborHTMLParser(self.text)

    @property
    def main_text(self) -> str:
        """Text of the main part, white space folded."""
        main = self.tree.css_first("main")
        assert main is not None
        return " ".join(main.text(separator=" ").split())

    def hrefs(self, selector: str = "a") -> list[str]:
        return [node.attributes["href"] or "" for node in self.tree.css(selector)]

    def titles_in(self, selector: str = "main .card .name") -> list[str]:
        return [node.text() for node in self.tree.css(selector)]


@dataclass(frozen=True, repr=False)
class ShopUnderTest:
    """One catalogue, its application, and new visitors on demand."""

    catalog: Catalog
    app: Flask

    def visitor(self) -> FlaskClient:
        return FlaskClient(self.app, ShopAnswer)


def drawn_catalog(categories: int, styles: int, variants: int, seed: int = 0) -> Catalog:
    """A synthetic catalogue over any pieces and all objects, whether or not they have layers."""
    words, art = shop_words(), Art()
    pieces = itertools.product(list(words["categories"])[:categories], list(words["styles"])[:styles])
    return draw_catalog(Plan(art, seed, tuple(pieces), variants, tuple(art.cue_names)))


@pytest.fixture(scope="session")
def shop() -> ShopUnderTest:
    """Three categories, four styles, twelve variants: listings of two pages."""
    catalog = drawn_catalog(3, 4, 12)
    return ShopUnderTest(catalog, create_app(catalog, NamedPictures()))


@pytest.fixture(scope="session")
def whole_shop() -> ShopUnderTest:
    """The published size: 1,000 products."""
    catalog = drawn_catalog(10, 10, 10)
    return ShopUnderTest(catalog, create_app(catalog, NamedPictures()))


@pytest.fixture
def visitor(shop: ShopUnderTest) -> Iterator[FlaskClient]:
    """A visitor who was never here before."""
    with shop.visitor() as client:
        yield client
