"""Reading a page, and the wall around the shop's origin."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recallreach.env.pages import kind_of, read_page
from recallreach.env.urls import Origin, RefusedError

SHOP = Origin("http://127.0.0.1:8080")

PAGE = """<!doctype html><html><head><title> A  page </title><style>p{}</style></head>
<body data-ready="1"><header><a href="/">Shop</a> <a href="#main">Skip</a></header>
<main id="main">
<h1>Chairs &amp; more</h1><p>One <b>bold</b>
word<br>next line</p><p hidden>secret</p><script>var secret</script><template><p>secret</p></template>
<table><tr><th>Height</th><td>80 cm</td></tr><tr><th>Width</th><td>60 cm</td></tr></table>
<ul><li>first</li><li>second <a href="/product/0a1b2c3d">The
 chair</a></li></ul>
<a href="?page=2">Next</a><a href="http://elsewhere.example/x">Away</a><a href="javascript:alert(1)">Trick</a>
<a href="/collection/chair-modern?page=2" aria-label="Page 2"></a><a>no link</a><a href="../about">About</a>
<img data-role="product-picture" src="/media/x.jpg">
<form action="/wishlist/add" method="post"><input name="product" value="0a1b2c3d"><input type="submit"></form>
</main><footer>foot</footer></body></html>"""


def test_text_is_the_visible_text_of_main_one_block_a_line() -> None:
    page = read_page(PAGE, "/collection/chair-modern", SHOP)
    assert page.title == "A page"
    assert page.text.split("\n") == [
        "Chairs & more",
        "One bold word",
        "next line",
        "Height 80 cm",
        "Width 60 cm",
        "first",
        "second The chair",
        "NextAwayTrick no linkAbout",
    ]


def test_links_are_numbered_in_document_order_with_their_path_and_kind() -> None:
    links = read_page(PAGE, "/collection/chair-modern", SHOP).links
    assert [(link.index, link.label, link.href, link.kind) for link in links] == [
        (0, "Shop", "/", "home"),
        (1, "The chair", "/product/0a1b2c3d", "product"),
        (2, "Next", "/collection/chair-modern?page=2", "page"),
        (3, "Away", "http://elsewhere.example/x", "other"),
        (4, "Trick", "javascript:alert(1)", "other"),
        (5, "Page 2", "/collection/chair-modern?page=2", "page"),
        (6, "About", "/about", "other"),
    ]


def test_picture_form_and_ready_marker_are_found() -> None:
    page = read_page(PAGE, "/", SHOP)
    assert page.picture == "/media/x.jpg"
    assert page.ready
    assert page.wishlist is not None
    assert (page.wishlist.action, page.wishlist.fields) == ("/wishlist/add", (("product", "0a1b2c3d"),))


def test_a_page_without_anything_is_read_as_nothing() -> None:
    page = read_page("", "/", SHOP)
    assert (page.title, page.text, page.links, page.picture, page.ready, page.wishlist) == (
        "",
        "",
        (),
        None,
        False,
        None,
    )


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "home"),
        ("/?x=1", "home"),
        ("/category/chair", "category"),
        ("/collection/chair-modern", "collection"),
        ("/collection/chair-modern?page=2", "page"),
        ("/product/0a1b2c3d", "product"),
        ("/product/nonsense", "other"),
        ("/search?q=oak", "search"),
        ("/cart", "other"),
        ("/wishlist", "other"),
        ("/about", "other"),
    ],
)
def test_kinds_of_links(path: str, kind: str) -> None:
    assert kind_of(path) == kind


@settings(deadline=None, max_examples=150)
@given(st.text(max_size=200))
def test_any_html_can_be_read(html: str) -> None:
    page = read_page(f"<main>{html}</main>", "/", SHOP)
    assert all(line == " ".join(line.split()) and line for line in page.text.split("\n") if page.text)
    assert [link.index for link in page.links] == list(range(len(page.links)))


@pytest.mark.parametrize(
    ("target", "current", "path"),
    [
        ("/cart", "/about", "/cart"),
        ("cart", "/category/chair", "/cart"),
        ("product/0a1b2c3d", "/category/chair", "/product/0a1b2c3d"),
        ("?page=2", "/collection/x", "/collection/x?page=2"),
        ("./y", "/collection/x", "/collection/y"),
        ("../about", "/collection/x", "/about"),
        ("#top", "/collection/x?page=2", "/collection/x?page=2"),
        ("http://127.0.0.1:8080/cart#x", "/", "/cart"),
        ("HTTP://LOCALHOST:8080/cart", "/", "/cart"),
        ("https://[::1]:8080/cart", "/", "/cart"),
        ("http://127.0.0.1:8080", "/", "/"),
        ("/a/../../cart", "/", "/cart"),
        ("/a/%2e%2E/cart", "/", "/cart"),
        ("/a/./b/.", "/", "/a/b/"),
        ("/.//evil.example/x", "/", "/evil.example/x"),
        ("http://127.0.0.1:8080//evil.example/x", "/", "/evil.example/x"),
        ("\\cart", "/", "/cart"),
        ("/ca\trt\n", "/", "/cart"),
        ("/ä ö", "/", "/%C3%A4%20%C3%B6"),
        ("/100%", "/", "/100%25"),
        ("/search?q=a b&c={d}", "/", "/search?q=a%20b&c=%7Bd%7D"),
        ("", "/collection/x?page=2", "/collection/x?page=2"),
    ],
)
def test_addresses_of_the_shop_get_one_form(target: str, current: str, path: str) -> None:
    assert SHOP.resolve(target, current) == path


@pytest.mark.parametrize(
    "target",
    [
        "http://evil.example/",
        "//evil.example/x",
        "/\\evil.example/x",
        "\\\\evil.example/x",
        "http://127.0.0.1:8081/",
        "http://127.0.0.1/",
        "http://127.0.0.1:8080@evil.example/",
        "http://user@evil.example:8080/",
        "http://127.0.0.1:99999/",
        "http://[::1/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,x",
        "view-source:http://127.0.0.1:8080/",
        "chrome://version",
        "devtools://devtools/bundled/inspector.html",
        "about:blank",
        "ftp://127.0.0.1:8080/",
        "ws://127.0.0.1:8080/",
        "blob:http://127.0.0.1:8080/x",
        "/" + "x" * 5000,
    ],
)
def test_every_other_address_is_refused_with_a_reason(target: str) -> None:
    with pytest.raises(RefusedError, match="Refused: "):
        SHOP.resolve(target, "/")


@settings(deadline=None, max_examples=300)
@given(st.text(max_size=60), st.sampled_from(["/", "/collection/x?page=2"]))
def test_no_target_raises_anything_else_and_resolving_is_idempotent(target: str, current: str) -> None:
    try:
        path = SHOP.resolve(target, current)
    except RefusedError:
        return
    assert path.startswith("/")
    assert path.isascii()
    assert SHOP.local(SHOP.base + path) == path
