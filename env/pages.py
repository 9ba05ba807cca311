"""What a shopper sees in a page's HTML: one reader for both transports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from recallreach.env.actions import product_id_of
from recallreach.env.types import Link, LinkKind
from recallreach.env.urls import Origin, RefusedError

_UNSEEN = frozenset(
    [
        "script",
        "style",
        "template",
        "noscript",
        "head",
        "title",
        "select",
        "datalist",
        "svg",
        "iframe",
        "object",
        "audio",
        "video",
        "textarea",
    ]
)
_INLINE = frozenset(
    [
        "a",
        "abbr",
        "b",
        "bdi",
        "bdo",
        "cite",
        "code",
        "data",
        "del",
        "dfn",
        "em",
        "i",
        "img",
        "ins",
        "kbd",
        "label",
        "mark",
        "q",
        "s",
        "samp",
        "small",
        "span",
        "strong",
        "sub",
        "sup",
        "time",
        "u",
        "var",
        "wbr",
    ]
)
_MARKS: dict[str, str] = {"td": " ", "th": " "} | dict.fromkeys(_INLINE, "")
_SECTIONS: dict[str, LinkKind] = {
    "category": "category",
    "collection": "collection",
    "search": "search",
    "cart": "other",
    "wishlist": "other",
}


@dataclass(frozen=True, slots=True)
class Form:
    """A form to submit: path of its action, and its fields."""

    action: str
    fields: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Page:
    """One page as read.

    Attributes:
        title, text, links: as in `Observation`.
        picture: address of the product picture, or None.
        ready: whether the page carries its ready marker.
        wishlist: the form that puts this page's product on the wishlist, or None.
    """

    title: str
    text: str
    links: tuple[Link, ...]
    picture: str | None
    ready: bool
    wishlist: Form | None


def read_page(html: str, url: str, origin: Origin) -> Page:
    """Read the HTML of the page at `url` (path and query)."""
    tree = LexborHTMLParser(html)
    body = tree.body
    main = tree.css_first("main") or body
    title = tree.css_first("head > title")
    return Page(
        title=_folded(title.text()) if title else "",
        text=visible_text(main) if main else "",
        links=tuple(_links(tree, url, origin)),
        picture=_picture(main) if main else None,
        ready=body is not None and "data-ready" in body.attributes,
        wishlist=_wishlist_form(main) if main else None,
    )


def visible_text(node: LexborNode) -> str:
    """The visible text below `node`, one block a line, white space folded."""
    pieces: list[str] = []
    _collect(node, pieces)
    lines = (_folded(line) for line in "".join(pieces).split("\n"))
    return "\n".join(line for line in lines if line)


def _collect(parent: LexborNode, pieces: list[str]) -> None:
    """Append texts in document order, with a line feed where a block begins or ends."""
    hidden = {node.mem_id for node in parent.css("[hidden], [type=hidden]")}
    stack: list[tuple[LexborNode | None, str]] = [(parent.child, "")]
    while stack:
        node, closing = stack.pop()
        while node is not None:
            tag = node.tag
            if tag == "-text":
                pieces.append((node.text_content or "").replace("\n", " "))
            elif not (tag is None or tag in _UNSEEN or tag.startswith(("-", "!")) or node.mem_id in hidden):
                mark = _MARKS.get(tag, "\n")
                pieces.append(mark)
                inside = node.child
                if inside is None:
                    pieces.append(mark)
                else:
                    stack.append((node.next, closing))
                    node, closing = inside, mark
                    continue
            node = node.next
        pieces.append(closing)


def _folded(text: str) -> str:
    return " ".join(text.split())


def _links(tree: LexborHTMLParser, url: str, origin: Origin) -> Iterator[Link]:
    index = 0
    for node in tree.css("a[href]"):
        href = (node.attributes.get("href") or "").strip()
        if href.startswith("#"):
            continue
        yield _link(index, node, href, url, origin)
        index += 1


def _link(index: int, node: LexborNode, href: str, url: str, origin: Origin) -> Link:
    try:
        path = origin.resolve_link(href, url)
    except RefusedError:
        return Link(index, _label(node), href, "other")
    return Link(index, _label(node), path, kind_of(path))


def _label(node: LexborNode) -> str:
    return _folded(node.text()) or _folded(node.attributes.get("aria-label") or "")


@lru_cache(maxsize=4096)
def kind_of(path: str) -> LinkKind:
    """What a path of the shop leads to."""
    parts = urlsplit(path)
    if parts.path == "/":
        return "home"
    if product_id_of(path) is not None:
        return "product"
    section = parts.path.split("/")[1]
    if section == "collection" and "page=" in parts.query:
        return "page"
    return _SECTIONS.get(section, "other")


def _picture(main: LexborNode) -> str | None:
    image = main.css_first('img[data-role="product-picture"]')
    return image.attributes.get("src") if image else None


def _wishlist_form(main: LexborNode) -> Form | None:
    form = main.css_first('form[action$="/wishlist/add"]')
    if form is None:
        return None
    fields = (field.attributes for field in form.css("input[name]"))
    return Form(
        str(form.attributes["action"]),
        tuple((str(field["name"]), field.get("value") or "") for field in fields),
    )
