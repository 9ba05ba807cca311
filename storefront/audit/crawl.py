"""Read the whole shop: every address it links to, every product, its errors and its search."""

from __future__ import annotations

import html
import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from urllib.parse import quote, quote_plus, urljoin, urlsplit

from recallreach.errors import DataError
from recallreach.seeding import stream
from recallreach.storefront.audit.dom import PRODUCT, Item, PageReader, PageReading
from recallreach.storefront.audit.fetch import Answer, Fetcher
from recallreach.storefront.audit.lexicon import queries
from recallreach.storefront.audit.picture_files import read_picture
from recallreach.storefront.audit.reading import Reading
from recallreach.storefront.catalog import Catalog

MOST_ANSWERS = 60_000
"""Requests after which the crawl stops and says so."""

STARTS = ("/", "/robots.txt", "/sitemap.xml", "/favicon.ico", "/feed.xml", "/products.json", "/api/products",
          "/manifest.json", "/health")  # fmt: skip
"""Addresses asked for whether or not anything links to them."""

FORMS_TRIED = 6
"""Product pages whose forms are sent."""

_HTML = frozenset({"text/html", "application/xhtml+xml"})
_PRICE = re.compile(r"[$€£¥]\s?(\d[\d,. ]*\d|\d)")
_CSS_URL = re.compile(r"url\(\s*['\"]?([^'\")]+)")
_XML_LOC = re.compile(r"<loc>\s*([^<]+?)\s*</loc>")
_IDS = re.compile(r"[\w-]+")
_UNHELD = frozenset({"date"})
"""Headers that tell the time: read for words, not held against cues."""

Progress = Callable[[int, int], None]


def crawl(fetcher: Fetcher, catalog: Catalog, progress: Progress | None = None) -> Reading:
    """Read a shop that shows `catalog`.

    Args:
        fetcher: a new visitor.
        catalog: the ground truth; the shop itself never sees it.
        progress: told the number of product pages read and of all products.

    Raises:
        DataError: the shop does not answer, or shows none of the products.
    """
    return _Crawl(fetcher, catalog, progress or (lambda done, total: None)).run()


class _Crawl:
    def __init__(self, fetcher: Fetcher, catalog: Catalog, progress: Progress) -> None:
        self._fetcher, self._catalog, self._progress = fetcher, catalog, progress
        products = tuple(product.id for product in catalog)
        self.reading = Reading(products, tuple(product.collection for product in catalog))
        self._known = frozenset(products)
        self._reader = PageReader(self._known)
        self._templates: dict[str, PageReading] = {}
        self._images: dict[str, None] = {}
        self._queue: deque[str] = deque(STARTS)
        self._met: set[str] = set(STARTS)
        self._lists: dict[tuple[str, str], dict[int, list[str]]] = defaultdict(dict)
        self._pictures: dict[str, str | None] = {}
        self._forms: list[tuple[str, dict[str, str]]] = []
        self._shown = self._answered = 0
        self._shopping = False

    def run(self) -> Reading:
        self._follow()
        self._products()
        self._send_forms()
        self._follow()
        self._read_pictures()
        self._errors()
        self._neutral_searches()
        self._positions()
        self._cue_searches()
        return self.reading

    def _follow(self) -> None:
        while self._queue and self._answered < MOST_ANSWERS:
            path = self._queue.popleft()
            self._read(self._ask(path))
        if self._queue:
            self.reading.notes.append(
                f"stopped after {MOST_ANSWERS:,} answers; {len(self._queue):,} addresses are unread"
            )
            self._queue.clear()

    def _products(self) -> None:
        shuffled = stream(self._catalog.seed, "audit", "order").permutation(len(self.reading.products))
        for done, at in enumerate(shuffled):
            product = self.reading.products[int(at)]
            self._read(self._ask(f"/product/{product}"))
            self._follow()
            self._progress(done + 1, len(shuffled))
        if not self._shown:
            raise DataError(
                f"{self._fetcher.origin} shows none of the {len(shuffled)} products of this catalogue; "
                "is it the shop of another one?"
            )
        if self._shown < len(shuffled):
            self.reading.notes.append(f"{len(shuffled) - self._shown} products have no page")

    def _read_pictures(self) -> None:
        for path in self._images:
            if path not in self._met:
                self._met.add(path)
                self._read(self._ask(path))

    def _ask(self, path: str, form: dict[str, str] | None = None) -> Answer:
        self._answered += 1
        return self._fetcher.fetch(path, form)

    # One answer.

    def _read(self, answer: Answer) -> None:
        product = self._own(answer)
        is_picture = answer.media_type.startswith("image/") and answer.media_type != "image/svg+xml"
        owner = self._pictures.get(answer.path) if is_picture else product
        self.reading.say(
            "address path", urlsplit(answer.path).path, answer.path, owner if not is_picture else None
        )
        self._headers(answer, owner, "picture header" if is_picture else "header")
        if is_picture:
            self._picture(answer, owner)
        elif answer.media_type in _HTML:
            self._page(answer, product)
        else:
            self._other(answer)
        if answer.header("Location"):
            self._link(answer.header("Location"), answer.path)

    def _own(self, answer: Answer) -> str | None:
        found = PRODUCT.fullmatch(urlsplit(answer.path).path)
        return found[1] if found and found[1] in self._known and answer.status == 200 else None

    def _headers(self, answer: Answer, owner: str | None, channel: str) -> None:
        self.reading.say("status", str(answer.status), answer.path, owner)
        for name, value in answer.headers:
            held = owner if name.lower() not in _UNHELD else None
            self.reading.say(f"{channel} {name.lower()}", value, answer.path, held)
        self.reading.say("header names", " ".join(name for name, _ in answer.headers), answer.path, owner)

    def _page(self, answer: Answer, product: str | None) -> None:
        page = self._reader.read(answer.text, product)
        kind = urlsplit(answer.path).path.strip("/").partition("/")[0] or "home"
        self.reading.count(f"{kind} pages" if answer.status < 400 else "error pages")
        for item in page.items:
            prefix = "listing " if item.product not in (None, product) else ""
            owner = None if self._shopping and item.product != product else item.product
            self.reading.say(prefix + item.channel, item.text, answer.path, owner)
        if product is not None:
            self._product_page(answer, page, product)
        elif page.cards and answer.status == 200 and not self._shopping:
            self._listed(answer.path, kind, page.cards)
        for link in page.links:
            self._link(link, answer.path)
        for link in page.images:
            path = self._local(link, answer.path)
            if path is not None:
                self._images[path] = None

    def _product_page(self, answer: Answer, page: PageReading, product: str) -> None:
        self._shown += 1
        self.reading.say("page length", str(len(answer.body)), answer.path, product)
        for price in _prices(page.items, product):
            self.reading.say("price", price, answer.path, product)
        for item in page.items:
            if item.product == product and item.channel == "attribute src":
                self._own_picture(item.text, answer.path, product)
        if self._shown <= FORMS_TRIED:
            self._forms += page.forms

    def _own_picture(self, link: str, base: str, product: str) -> None:
        path = self._local(link, base)
        if path is None or path.startswith("/static/"):
            return
        shared = path in self._pictures and self._pictures[path] != product
        self._pictures[path] = None if shared else product
        self.reading.say("picture file name", path.rpartition("/")[2], base, product)

    def _listed(self, path: str, kind: str, cards: Sequence[str]) -> None:
        parts = urlsplit(path)
        number = re.search(r"(?:^|&)page=(\d+)", parts.query)
        query = re.sub(r"(?:^|&)page=\d+", "", parts.query)
        self._lists[kind, f"{parts.path}?{query}"][int(number[1]) if number else 1] = list(cards)
        if kind != "search":
            for product in cards:
                self.reading.say(f"{kind} it is listed in", parts.path, path, product)

    def _picture(self, answer: Answer, owner: str | None) -> None:
        self.reading.count("pictures")
        facts = read_picture(answer.body)
        self.reading.say("picture byte length", str(len(answer.body)), answer.path, owner)
        self.reading.say("picture dimensions", facts.size, answer.path, owner)
        self.reading.say("picture format", facts.mode, answer.path, owner)
        for name, said in facts.metadata:
            self.reading.say(f"picture metadata {name}", said, answer.path, owner)

    def _other(self, answer: Answer) -> None:
        path = urlsplit(answer.path).path
        if not (
            answer.media_type.startswith(("text/", "image/svg"))
            or "json" in answer.media_type
            or "xml" in answer.media_type
        ):
            self.reading.count("other files")
            return
        self.reading.count("other files")
        name = {"/robots.txt": "robots", "/sitemap.xml": "sitemap"}.get(path, f"file {path}")
        for line in answer.text.splitlines():
            if line.strip():
                self.reading.say(name, line.strip(), answer.path)
        for found in (*_CSS_URL.findall(answer.text), *_XML_LOC.findall(answer.text)):
            self._link(found, answer.path)
        ids = [word for word in dict.fromkeys(_IDS.findall(answer.text)) if word in self._known]
        for at, product in enumerate(ids):
            self.reading.say(f"position in {path}", str(at), answer.path, product)

    # Where it leads.

    def _link(self, link: str, base: str) -> None:
        path = self._local(link, base)
        if path is None or path in self._met:
            return
        found = PRODUCT.fullmatch(urlsplit(path).path)
        if found and found[1] in self._known and not urlsplit(path).query:
            return
        self._met.add(path)
        self._queue.append(path)

    def _local(self, link: str, base: str) -> str | None:
        """Path and query of an address of this shop; None for others and for what is no address."""
        try:
            parts = urlsplit(urljoin(self._fetcher.origin + base, link))
        except ValueError:
            return None
        if f"{parts.scheme}://{parts.netloc}" != self._fetcher.origin:
            return None
        return quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._") + (
            f"?{parts.query}" if parts.query else ""
        )

    # What only shows when one does something.

    def _send_forms(self) -> None:
        """Carts and wishlists: send the forms, read the answers and the lists; then take things out again.

        What these lists hold is this visitor's own doing and says nothing of the products on them.
        """
        self._shopping = True
        for action, fields in self._forms:
            path = self._local(action, "/")
            if path is not None:
                self._read(self._ask(path, fields))
        lists = [path for path in ("/cart", "/wishlist", "/recently-viewed", "/") if path in self._met]
        for path in lists:
            answer = self._ask(path)
            self._read(answer)
            for action, fields in self._reader.read(answer.text).forms[:FORMS_TRIED]:
                target = self._local(action, path)
                if target is not None:
                    self._read(self._ask(target, fields))
        self._shopping = False

    def _errors(self) -> None:
        """Pages that are not there, beside every product and for every cue."""
        for product in self.reading.products:
            for path in (f"/product/{product}/more", f"/product/{product[::-1]}x"):
                self._wrong(self._ask(path), product)
        names = {cue.slug for cue in self._catalog.cues} | {cue.color for cue in self._catalog.cues}
        for name in sorted(names):
            for path in (f"/product/{quote(name)}", f"/collection/{quote(name)}", f"/{quote(name)}"):
                self._wrong(self._ask(path), None, echo=name)

    def _wrong(self, answer: Answer, product: str | None, echo: str = "") -> None:
        self.reading.count("error pages")
        own = product or echo
        if answer.status in (301, 302, 303, 307, 308):
            self.reading.say("error page", answer.header("Location").replace(own, "…"), answer.path, product)
            return
        page = self._template(answer.text, (own,))
        headers = [f"{name}: {value}" for name, value in answer.headers if name.lower() not in _UNHELD]
        said = [str(answer.status), *headers, *(item.text for item in page.items)]
        for text in said:
            self.reading.say("error page", text.replace(own, "…"), answer.path, product)
        if answer.status == 200 and page.cards:
            self.reading.hits[answer.path] = page.cards

    def _template(self, text: str, echoes: Sequence[str]) -> PageReading:
        """A page without the visitor's own words; pages that differ in nothing else are read once."""
        for echo in echoes:
            for form in _forms(echo):
                text = text.replace(form, "…")
        if text not in self._templates:
            self._templates[text] = self._reader.read(text)
        return self._templates[text]

    def _neutral_searches(self) -> None:
        """Listings that a visitor gets by searching for what the shop says itself."""
        words = [entry.name for entry in self._catalog.categories]
        words += sorted({entry.style for entry in self._catalog.collections})
        for word in dict.fromkeys(words):
            self._queue.append(f"/search?q={quote_plus(word)}")
            self._met.add(self._queue[-1])
        self._follow()

    def _positions(self) -> None:
        """Order on every listing, over all its pages."""
        for (kind, path), pages in sorted(self._lists.items()):
            listed = [product for number in sorted(pages) for product in pages[number]]
            for at, product in enumerate(dict.fromkeys(listed)):
                self.reading.say(f"position on {kind} pages", str(at), path, product)

    def _cue_searches(self) -> None:
        for query in queries(self._catalog.cues):
            answer = self._ask(f"/search?q={quote_plus(query)}")
            if answer.media_type not in _HTML:
                continue
            self.reading.count("searches for cue words")
            page = self._template(answer.text, (query,))
            self._search_answer(query, page, answer)

    def _search_answer(self, query: str, page: PageReading, answer: Answer) -> None:
        """What a search for a cue says. It depends on the query, so it is read for words and products
        only."""
        place, words = f"search for {query!r}", frozenset(_forms(*query.split()))
        for item in page.items:
            if item.product is None and item.text.rpartition("q=")[2] not in words:
                self.reading.say("search answer", item.text, place)
        for name, value in answer.headers:
            self.reading.say("search answer", f"{name}: {value}", place)
        named = dict.fromkeys(word for word in _IDS.findall(answer.text) if word in self._known)
        if named:
            self.reading.hits[query] = list(named)


def _prices(items: Iterable[Item], product: str) -> list[str]:
    said = [item.text for item in items if item.channel == "visible text" and item.product == product]
    return [found[1] for text in said for found in _PRICE.finditer(text)][:1]


def _forms(*echoes: str) -> list[str]:
    """How a page writes what the visitor typed: in text, and in addresses."""
    forms: dict[str, None] = {}
    for echo in echoes:
        escaped = html.escape(echo)
        written = (escaped, escaped.replace("&#x27;", "&#39;"), echo, quote_plus(echo), quote(echo))
        forms |= dict.fromkeys(written)
    return list(forms)
