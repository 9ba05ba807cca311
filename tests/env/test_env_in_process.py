"""The in-process transport, on the real shop and on one that misbehaves."""

from typing import Any

import pytest

from recallreach.env.errors import TransportError
from recallreach.env.transports import InProcessTransport, base
from recallreach.env.types import AddToWishlist, Back, Click, Done, Invalid, Navigate, Open, Search
from recallreach.storefront.catalog import Catalog


@pytest.fixture
def troubled(trouble: Any) -> InProcessTransport:
    transport = InProcessTransport(trouble.app)
    transport.begin()
    return transport


def test_a_session_walks_the_real_shop(in_process: InProcessTransport, catalog: Catalog) -> None:
    home = in_process.begin()
    assert home.url == "/"
    assert home.picture is None
    category = next(link for link in home.links if link.kind == "category")
    listing = in_process.act(Click(category.index))
    assert listing.url == category.href
    collection = next(link for link in listing.links if link.kind == "collection")
    page = in_process.act(Click(collection.index))
    product = next(link for link in page.links if link.kind == "product")
    seen = in_process.act(Click(product.index))
    assert seen.url == product.href
    wanted = catalog.by_id(product.href.rsplit("/", 1)[-1])
    assert wanted.title in seen.title
    assert wanted.title in seen.text
    assert seen.picture is not None
    assert seen.picture.endswith(wanted.id.encode())
    assert seen.message == ""


def test_back_walks_the_history_of_pages(in_process: InProcessTransport) -> None:
    first = in_process.begin()
    assert "no page before" in in_process.act(Back()).message
    in_process.act(Navigate("/about"))
    in_process.act(Navigate("/about"))
    in_process.act(Navigate("/cart"))
    assert in_process.act(Back()).url == "/about"
    assert in_process.act(Back()) == first
    refused = in_process.act(Back())
    assert refused.url == "/"
    assert "no page before" in refused.message


def test_search_escapes_its_words(in_process: InProcessTransport) -> None:
    found = in_process.act(Search("chair & ö=?#"))
    assert found.url == "/search?q=chair+%26+%C3%B6%3D%3F%23"
    assert "chair & ö=?#" in found.text


def test_the_wishlist_form_is_submitted_on_product_pages_only(
    in_process: InProcessTransport, catalog: Catalog
) -> None:
    refused = in_process.act(AddToWishlist())
    assert refused.url == "/"
    assert "only a product page" in refused.message
    product = next(iter(catalog))
    in_process.act(Navigate(f"/product/{product.id}"))
    added = in_process.act(AddToWishlist())
    assert added.url == f"/product/{product.id}"
    assert product.title in in_process.act(Navigate("/wishlist")).text


def test_a_new_session_has_forgotten_the_last_one(in_process: InProcessTransport, catalog: Catalog) -> None:
    product = next(iter(catalog))
    in_process.act(Navigate(f"/product/{product.id}"))
    in_process.act(AddToWishlist())
    in_process.begin()
    assert product.title not in in_process.act(Navigate("/wishlist")).text
    assert in_process.act(Back()).url == "/"
    assert "no page before" in in_process.act(Back()).message


def test_pictures_can_be_left_out(app: Any, catalog: Catalog) -> None:
    transport = InProcessTransport(app, picture=False)
    transport.begin()
    assert transport.act(Navigate(f"/product/{next(iter(catalog)).id}")).picture is None


def test_refusals_leave_the_shopper_on_the_page(in_process: InProcessTransport) -> None:
    about = in_process.act(Navigate("/about"))
    actions = [
        Click(999),
        Navigate("http://evil.example/"),
        Navigate("file:///etc/passwd"),
        Open("M1"),
        Invalid("why"),
    ]
    for action in actions:
        refused = in_process.act(action)
        assert (refused.url, refused.text, refused.links) == (about.url, about.text, about.links)
        assert refused.message
    assert in_process.act(Done()) == about


def test_a_missing_page_is_shown_with_a_message(in_process: InProcessTransport) -> None:
    missing = in_process.act(Navigate("/product/ffffffff"))
    assert missing.url == "/product/ffffffff"
    assert missing.picture is None
    assert missing.message == "The shop answered 404 (Not Found)."
    assert missing.links
    assert in_process.act(Back()).url == "/"


def test_redirects_are_followed_and_the_final_address_reported(troubled: InProcessTransport) -> None:
    assert troubled.act(Navigate("/moved")).url == "/other"
    assert troubled.act(Back()).url == "/"


@pytest.mark.parametrize(
    "path", ["/away", "/away-port", "/away-file", "/json", "/text", "/empty", "/download"]
)
def test_what_is_no_page_of_the_shop_is_refused(troubled: InProcessTransport, path: str) -> None:
    refused = troubled.act(Navigate(path))
    assert refused.url == "/"
    assert refused.message.startswith("Refused: ")
    assert troubled.act(Navigate("/other")).url == "/other"


@pytest.mark.parametrize(
    ("path", "kind"), [("/boom", "server"), ("/loop", "redirects"), ("/unready", "not_ready")]
)
def test_technical_failures_are_tried_twice_and_then_raised(
    troubled: InProcessTransport, trouble: Any, path: str, kind: str
) -> None:
    with pytest.raises(TransportError, match=path) as caught:
        troubled.act(Navigate(path))
    assert caught.value.kind == kind
    assert trouble.seen[path] in (2, 40)
    assert troubled.act(Navigate("/other")).url == "/other"
    assert troubled.act(Back()).url == "/"


def test_a_failure_that_passes_is_not_noticed(troubled: InProcessTransport, trouble: Any) -> None:
    assert troubled.act(Navigate("/boom-once")).url == "/boom-once"
    assert trouble.seen["/boom-once"] == 2


def test_acting_without_a_session_says_so(trouble: Any) -> None:
    transport = InProcessTransport(trouble.app)
    with pytest.raises(TransportError, match="begin"):
        transport.act(Back())
    transport.begin()
    transport.close()
    transport.close()
    with pytest.raises(TransportError, match="begin"):
        transport.act(Back())


def test_pictures_are_fetched_once_and_a_bounded_number_is_kept(
    trouble: Any, troubled: InProcessTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "PICTURES_KEPT", 2)
    trouble.own_pictures = True
    asked = []
    for number in (1, 2, 1, 2, 3, 3, 2, 1):
        seen = troubled.act(Navigate(f"/product/{number:08x}"))
        assert seen.picture is not None
        assert seen.picture.endswith(f"{number:08x}".encode())
        asked.append(trouble.seen.total())
    fetched = [after - before - 1 for before, after in zip([1, *asked], asked, strict=False)]
    assert fetched == [1, 1, 0, 0, 1, 0, 0, 1]
