"""One HTML page as a list of readings: every text and attribute, with the channel it came through and
whose."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

PRODUCT = re.compile(r"/product/([^/?#\s\"']+)")
ADDRESSES = frozenset({"href", "src", "action", "poster", "data", "formaction", "cite"})
_SRCSET = re.compile(r"(\S+)(?:\s+[\d.]+[wx])?(?:\s*,\s*|\s*$)")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e007f]"
)


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that a page says.

    Attributes:
        channel: where it stands, for instance "attribute alt" or "comment".
        text: what it says.
        product: id of the product it is said of; None for what belongs to the page.
    """

    channel: str
    text: str
    product: str | None


@dataclass(slots=True)
class PageReading:
    """One page.

    Attributes:
        items: everything it says, in document order.
        links: addresses it refers to, pictures apart.
        images: addresses of its pictures.
        cards: products listed on it, in order, the page's own left out.
        forms: (action, fields) of its POST forms.
    """

    items: list[Item] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    cards: list[str] = field(default_factory=list)
    forms: list[tuple[str, dict[str, str]]] = field(default_factory=list)


class PageReader:
    """Reads the pages of one shop; what repeats from page to page is read once.

    Args:
        known: ids of the catalogue's products.
    """

    def __init__(self, known: Collection[str]) -> None:
        self._known = known
        self._blocks: dict[str, PageReading] = {}

    def read(self, html: str, own: str | None = None) -> PageReading:
        """Read a page.

        Args:
            html: the document.
            own: the product that the page is about, if it is a product page. What lies in the smallest part
                of the page that links to one other product only is said of that product.
        """
        return _Walk(self._known, own, self._blocks).read(html)


class _Walk:
    def __init__(self, known: Collection[str], own: str | None, blocks: dict[str, PageReading]) -> None:
        self._known, self._own, self._blocks = known, own, blocks
        self._page = PageReading()
        self._linked: dict[int, frozenset[str]] = {}
        self._headed: set[int] = set()
        self._shape: dict[str | None, list[str]] = {}

    def read(self, html: str) -> PageReading:
        root = LexborHTMLParser(html).root
        if root is None:
            return self._page
        self._survey(root)
        self._visit(root, self._own, whole=True)
        for owner, tags in self._shape.items():
            self._page.items.append(Item("markup", " ".join(tags), owner))
        hidden = " ".join(f"{ord(sign):x}" for sign in _INVISIBLE.findall(html))
        self._page.items.append(Item("invisible signs", hidden, self._own))
        return self._page

    def _survey(self, node: LexborNode) -> tuple[frozenset[str], bool]:
        """Products that each part of the page links to, and whether it holds the page's heading."""
        linked: frozenset[str] = frozenset(self._products(node))
        headed = node.tag == "h1"
        for child in _children(node):
            if not (child.tag or "-").startswith("-"):
                below, heading = self._survey(child)
                linked, headed = linked | below, headed or heading
        self._linked[node.mem_id] = linked
        if headed:
            self._headed.add(node.mem_id)
        return linked, headed

    def _products(self, node: LexborNode) -> Iterator[str]:
        href = node.attributes.get("href") if node.tag == "a" else None
        found = PRODUCT.search(href or "")
        if found and found[1] in self._known and found[1] != self._own:
            yield found[1]

    def _visit(self, node: LexborNode, owner: str | None, *, whole: bool) -> None:
        linked = self._linked[node.mem_id]
        if whole and len(linked) == 1 and node.mem_id not in self._headed:
            owner, whole = next(iter(linked)), False
            if owner not in self._page.cards:
                self._page.cards.append(owner)
        self._element(node, owner)
        for child in _children(node):
            if node.tag == "body" and not self._linked.get(child.mem_id, True):
                self._block(child, owner)
            elif child.tag == "-text":
                self._say(_text_channel(node), child.text_content or "", owner)
            elif child.tag == "-comment":
                self._say("comment", child.comment_content or "", owner)
            elif not (child.tag or "-").startswith("-"):
                self._visit(child, owner, whole=whole)

    def _block(self, node: LexborNode, owner: str | None) -> None:
        """A part of the body without any product: read once and repeated."""
        html = node.html or ""
        if html not in self._blocks:
            inner = _Walk(self._known, None, {})
            inner._linked = self._linked
            inner._visit(node, None, whole=False)
            inner._say("markup", " ".join(inner._shape[None]), None)
            self._blocks[html] = inner._page
        read = self._blocks[html]
        self._page.items += [Item(item.channel, item.text, owner) for item in read.items]
        self._page.links += read.links
        self._page.images += read.images
        self._page.forms += read.forms

    def _element(self, node: LexborNode, owner: str | None) -> None:
        attributes = node.attributes
        self._shape.setdefault(owner, []).append(_tag_shape(node.tag or "", attributes))
        if node.tag == "meta":
            named = attributes.get("name") or attributes.get("property") or attributes.get("http-equiv")
            self._say(f"meta {named}" if named else "meta", attributes.get("content") or "", owner)
        if node.tag == "form" and (attributes.get("method") or "").lower() == "post":
            self._page.forms.append((attributes.get("action") or "", _fields(node)))
        for name, value in attributes.items():
            if node.tag == "meta" and name == "content":
                continue
            self._say(f"attribute {name}", value or "", owner)
            self._address(node, name, value or "", owner)

    def _address(self, node: LexborNode, name: str, value: str, owner: str | None) -> None:
        posts = node.tag == "form" and (node.attributes.get("method") or "").lower() == "post"
        found = self._page.images if node.tag in ("img", "source", "picture") else self._page.links
        if name in ADDRESSES and not posts:
            found.append(value)
        elif name in ("srcset", "imagesrcset"):
            found += _SRCSET.findall(value)
        else:
            return
        parts = urlsplit(value) if "//[" not in value else urlsplit("")
        self._say("address query", parts.query, owner)
        self._say("address fragment", parts.fragment, owner)

    def _say(self, channel: str, text: str, owner: str | None) -> None:
        if text.strip():
            self._page.items.append(Item(channel, text.strip(), owner))


def _children(node: LexborNode) -> Iterator[LexborNode]:
    child = node.child
    while child is not None:
        yield child
        child = child.next


def _text_channel(node: LexborNode) -> str:
    if node.tag == "title":
        return "page title"
    if node.tag == "style":
        return "inline styles"
    if node.tag == "script":
        kind = (node.attributes.get("type") or "").lower()
        return "JSON-LD" if "json" in kind else "inline script"
    return "visible text"


def _tag_shape(tag: str, attributes: dict[str, str | None]) -> str:
    return f"{tag}[{','.join(attributes)}]" if attributes else tag


def _fields(form: LexborNode) -> dict[str, str]:
    inputs = form.css("input[name]")
    return {field.attributes.get("name") or "": field.attributes.get("value") or "" for field in inputs}
