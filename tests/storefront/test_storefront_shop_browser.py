"""The shop as people meet it in a browser: without scripts, with a screen reader, on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO

import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from recallreach.env.browser import find_browser
from recallreach.storefront.app import create_app
from recallreach.storefront.catalog import Catalog
from recallreach.storefront.server import ShopServer

pytestmark = pytest.mark.browser

DESK, PHONE, SMALL_PHONE = (
    ViewportSize(width=1280, height=900),
    ViewportSize(width=390, height=844),
    ViewportSize(width=320, height=568),
)
TOO_WIDE = """() => {
  const width = document.documentElement.clientWidth;
  const wide = element => element.getBoundingClientRect().right > width + 1;
  if (document.documentElement.scrollWidth <= width) return [];
  const all = Array.from(document.querySelectorAll('body *'));
  return all.filter(wide).map(element => element.outerHTML.slice(0, 80));
}"""
SMALL_TARGETS = """() => Array.from(document.querySelectorAll(
  'button, input:not([type=hidden]), .lists a, .aisles a, .pager a, .foot a, .action'))
  .map(element => [element.outerHTML.slice(0, 60), element.getBoundingClientRect()])
  .filter(([html, box]) => box.width < 24 || box.height < 24).map(([html]) => html)"""


class GreyPictures:
    """A small grey picture for everything."""

    media_type = "image/jpeg"

    def __init__(self) -> None:
        file = BytesIO()
        Image.new("L", (64, 64), 128).save(file, "JPEG")
        self._bytes = file.getvalue()

    def picture(self, product_id: str) -> bytes:
        return self._bytes

    def base(self, product_id: str) -> bytes:
        return self._bytes


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=find_browser().path)
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def url(shop) -> Iterator[str]:
    with ShopServer(create_app(shop.catalog, GreyPictures())) as server:
        yield server.url


@pytest.fixture
def pages(shop) -> list[str]:
    """One address of every kind of page."""
    return paths(shop.catalog)


def paths(catalog: Catalog) -> list[str]:
    product, collection = catalog.products[0], catalog.collections[0]
    listing = f"/collection/{collection.slug}"
    fixed = ["/", "/search?q=chair", "/search?q=submarine", "/search", "/about", "/no/such/page"]
    lists = ["/cart", "/wishlist", "/recently-viewed"]
    return [
        *fixed,
        f"/category/{collection.category}",
        listing,
        f"{listing}?page=2",
        f"/product/{product.id}",
        *lists,
    ]


def visit(browser: Browser, url: str, product: str, viewport: ViewportSize, *, scripts: bool = True) -> Page:
    """A visitor with something in the cart, on the wishlist and recently viewed."""
    context = browser.new_context(viewport=viewport, java_script_enabled=scripts, base_url=url)
    page = context.new_page()
    for button in ("Add to cart", "Add to wishlist"):
        page.goto(f"/product/{product}")
        page.get_by_role("button", name=button).click()
    return page


def test_it_works_without_scripts(browser: Browser, url: str, shop) -> None:
    product, other = shop.catalog.products[0], shop.catalog.products[30]
    page = visit(browser, url, product.id, DESK, scripts=False)
    page.goto("/")
    category = next(entry for entry in shop.catalog.categories if entry.slug == other.category)
    collection = next(entry for entry in shop.catalog.collections if entry.slug == other.collection)
    page.get_by_role("navigation", name="Categories").get_by_role("link", name=category.name).click()
    page.get_by_role("main").get_by_role("link", name=collection.name).click()
    if page.get_by_role("link", name=other.title).count() == 0:
        page.get_by_role("link", name="Next").click()
    page.get_by_role("link", name=other.title).click()
    page.get_by_role("button", name="Add to cart").click()
    assert page.get_by_role("status").inner_text() == "Added to your cart."
    page.get_by_role("link", name="Cart (2)").click()
    assert page.locator(".lines h2").all_inner_texts() == [product.title, other.title]
    page.get_by_role("button", name=f"Remove {product.title} from the cart").click()
    assert page.locator(".lines h2").all_inner_texts() == [other.title]
    page.get_by_role("searchbox", name="Search the shop").fill(other.title)
    page.get_by_role("searchbox").press("Enter")
    assert page.locator(".card .name").first.inner_text() == other.title
    page.context.close()


def test_two_browsers_are_two_visitors(browser: Browser, url: str, shop) -> None:
    product = shop.catalog.products[0]
    one = visit(browser, url, product.id, DESK)
    two = browser.new_context(base_url=url).new_page()
    for path, counter in (("/cart", "Cart"), ("/wishlist", "Wishlist"), ("/recently-viewed", "")):
        one.goto(path)
        two.goto(path)
        assert one.get_by_role("main").get_by_text(product.title).count() >= 1
        assert two.get_by_role("main").get_by_text(product.title).count() == 0
        assert two.get_by_role("link", name=counter, exact=True).count() >= bool(counter)
    one.context.close()
    two.context.close()


@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_axe_finds_nothing(browser: Browser, url: str, shop, pages, viewport: ViewportSize) -> None:
    page, found = visit(browser, url, shop.catalog.products[0].id, viewport), {}
    for path in pages:
        page.goto(path)
        violations = Axe().run(page).response["violations"]
        found |= {path: [(entry["id"], entry["impact"]) for entry in violations]} if violations else {}
    assert found == {}
    page.context.close()


def test_axe_would_find_something(browser: Browser, url: str) -> None:
    """The control: the check is not blind."""
    page = browser.new_context(base_url=url).new_page()
    page.goto("/")
    page.evaluate("document.querySelector('main img').removeAttribute('alt')")
    violations = Axe().run(page).response["violations"]
    assert [(entry["id"], entry["impact"]) for entry in violations] == [("image-alt", "critical")]
    page.context.close()


@pytest.mark.parametrize("viewport", [PHONE, SMALL_PHONE], ids=["phone", "small-phone"])
def test_a_phone_shows_every_page_whole(
    browser: Browser, url: str, shop, pages, viewport: ViewportSize
) -> None:
    """Nothing sticks out at the side, and everything to tap is large enough (WCAG 2.5.8: 24 pixels)."""
    page = visit(browser, url, shop.catalog.products[0].id, viewport)
    for path in pages:
        page.goto(path)
        assert page.evaluate(TOO_WIDE) == [], path
        assert page.evaluate(SMALL_TARGETS) == [], path
    page.context.close()
