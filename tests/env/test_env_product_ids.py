"""The product id of an address, in whatever form the address comes."""

import pytest

from recallreach.env.actions import product_id_of


@pytest.mark.parametrize(
    "url",
    [
        "/product/0a1b2c3d",
        "/product/0a1b2c3d/",
        "/product/0A1B2C3D",
        "/product/0a1b2c3d?ref=home",
        "/product/0a1b2c3d/?ref=home#reviews",
        "http://127.0.0.1:8080/product/0a1b2c3d",
        "HTTPS://shop.example/product/0A1B2C3D/",
        " /product/0a1b2c3d ",
    ],
)
def test_product_ids_are_read_from_any_form_of_the_address(url: str) -> None:
    assert product_id_of(url) == "0a1b2c3d"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "/",
        "/product/",
        "/product/0a1b2c3",
        "/product/0a1b2c3d4",
        "/product/0a1b2c3g",
        "/x/product/0a1b2c3d",
        "/search?q=/product/0a1b2c3d",
        "/product/0a1b2c3d/reviews",
        "product/0a1b2c3d",
        "0a1b2c3d",
        "/#/product/0a1b2c3d",
    ],
)
def test_other_addresses_have_no_product_id(url: str) -> None:
    assert product_id_of(url) is None
