"""What both transports share: one session's history, what is refused, what is tried twice."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from http import HTTPStatus
from urllib.parse import quote_plus, urlsplit

from recallreach.env.actions import product_id_of
from recallreach.env.errors import Kind, TransportError
from recallreach.env.pages import Form, Page, read_page
from recallreach.env.types import (
    Action,
    AddToWishlist,
    Back,
    Click,
    Done,
    Invalid,
    Navigate,
    Observation,
    Open,
    Search,
)
from recallreach.env.urls import Origin, RefusedError

LEADS_OUT = "Refused: that address leads out of this shop."
PICTURES_KEPT = 256
"""Product pictures that a transport keeps; each is some hundred kilobytes, and the shop never changes one."""
_HTML = frozenset({"text/html", "application/xhtml+xml"})


class BrokenError(Exception):
    """One attempt at a step failed for a technical reason; the step may be tried once more."""

    def __init__(self, kind: Kind, message: str) -> None:
        self.kind: Kind = kind
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Request:
    """A page to open: path and query, or a form to submit on the page `path`."""

    path: str
    form: Form | None = None


@dataclass(frozen=True, slots=True)
class Served:
    """What the shop answered, after redirects: absolute URL, HTTP status, media type, HTML."""

    url: str
    status: int
    media_type: str
    html: str


@dataclass(frozen=True, slots=True)
class _Arrival:
    path: str
    status: int
    page: Page
    picture: bytes | None
    screenshot: bytes | None


class SessionTransport(ABC):
    """A `Transport` but for the four verbs that differ between a browser and a test client.

    Only `_serve`, `_picture`, `_screenshot` and `_renew` touch the outside; everything an agent can tell the
    transports apart by is decided here, once.
    """

    def __init__(self, origin: str, *, picture: bool, window: bool = False) -> None:
        self.window = window
        self.origin = Origin(origin.rstrip("/"))
        self._wants_picture = picture
        self._history: list[str] = []
        self._here: Observation | None = None
        self._page: Page | None = None
        self._pictures: dict[str, bytes] = {}

    def begin(self) -> Observation:
        """Start a new session with empty cart, wishlist and history, and open the home page.

        Raises:
            TransportError: the shop or the browser does not answer.
        """
        self._history, self._here, self._page = [], None, None
        self._new_session()
        try:
            return self._go("/")
        except RefusedError as refusal:
            raise TransportError(
                "navigation", f"the shop's home page cannot be opened: {refusal}"
            ) from refusal

    def act(self, action: Action) -> Observation:
        """Carry out one action; what cannot be done leaves the shopper on the page, with a message.

        Raises:
            TransportError: the step failed twice; the shopper is still on the page it was on.
        """
        if self._here is None or self._page is None:
            raise TransportError("navigation", "no session is open: call begin() first")
        try:
            return self._carry_out(action, self._here, self._page)
        except RefusedError as refusal:
            return replace(self._here, message=str(refusal))

    @abstractmethod
    def close(self) -> None:
        """Release everything; a second call does nothing."""

    @abstractmethod
    def _new_session(self) -> None:
        """Forget cookies and pages of the last session."""

    @abstractmethod
    def _serve(self, request: Request) -> Served:
        """Open a page. Raises BrokenError, or RefusedError where the answer is no page of the shop."""

    @abstractmethod
    def _picture(self, path: str) -> bytes:
        """The bytes of one picture of the page now open. Raises BrokenError."""

    @abstractmethod
    def _screenshot(self) -> bytes | None:
        """The page now open as an encoded picture, where one is wanted. Raises BrokenError."""

    @abstractmethod
    def _renew(self) -> None:
        """After a failure: a fresh page with the same cookies. Raises TransportError where that fails,
        too."""

    def _carry_out(self, action: Action, here: Observation, page: Page) -> Observation:
        match action:
            case Navigate(target):
                return self._go(self.origin.resolve(target, here.url))
            case Click(index):
                return self._go(self._link(index, here))
            case Search(words):
                return self._go(f"/search?q={quote_plus(words, errors='replace')}")
            case Back():
                return self._back()
            case AddToWishlist():
                return self._wish(here, page)
            case Done():
                return replace(here, message="")
            case Open(tag):
                raise RefusedError(f"Refused: no memory item called {tag!r} was delivered.")
            case Invalid(reason):
                raise RefusedError(f"Not understood: {reason}.")

    def _link(self, index: int, here: Observation) -> str:
        if index >= len(here.links):
            range_ = f"0 to {len(here.links) - 1}" if here.links else "none"
            raise RefusedError(f"Refused: this page has no link {index}; its links are {range_}.")
        return self.origin.resolve_link(here.links[index].href, here.url)

    def _back(self) -> Observation:
        if len(self._history) < 2:
            raise RefusedError("Refused: there is no page before this one in this session.")
        arrival = self._attempt_twice(Request(self._history[-2]))
        self._history.pop()
        return self._arrive(arrival)

    def _wish(self, here: Observation, page: Page) -> Observation:
        if product_id_of(here.url) is None or page.wishlist is None:
            raise RefusedError("Refused: only a product page has something to put on the wishlist.")
        return self._arrive(self._attempt_twice(Request(here.url, page.wishlist)))

    def _go(self, path: str) -> Observation:
        return self._arrive(self._attempt_twice(Request(path)))

    def _arrive(self, arrival: _Arrival) -> Observation:
        if not self._history or self._history[-1] != arrival.path:
            self._history.append(arrival.path)
        page, self._page = arrival.page, arrival.page
        message = f"The shop answered {_status(arrival.status)}." if arrival.status >= 400 else ""
        seen = (arrival.picture, arrival.screenshot)
        self._here = Observation(arrival.path, page.title, page.text, page.links, *seen, message=message)
        return self._here

    def _attempt_twice(self, request: Request) -> _Arrival:
        try:
            return self._attempt(request)
        except BrokenError:
            self._renew()
        try:
            return self._attempt(request)
        except BrokenError as error:
            self._renew()
            raise TransportError(error.kind, f"{request.path} failed twice: {error}") from error

    def _attempt(self, request: Request) -> _Arrival:
        served = self._serve(request)
        if served.status >= 500:
            raise BrokenError("server", f"the shop answered {_status(served.status)}")
        path = self.origin.local(served.url)
        if served.media_type not in _HTML:
            raise RefusedError(f"Refused: {path} is not a page of the shop.")
        page = read_page(served.html, path, self.origin)
        if served.status < 400 and not page.ready:
            raise BrokenError("not_ready", "the page carries no ready marker (<body data-ready>)")
        wanted = page.picture if self._wants_picture and product_id_of(path) else None
        picture = None if wanted is None else self._kept(self.origin.resolve_link(wanted, path))
        return _Arrival(path, served.status, page, picture, self._screenshot())

    def _kept(self, path: str) -> bytes:
        """A picture, fetched unless it is among those kept; the one kept longest goes first."""
        if path not in self._pictures:
            picture = self._picture(path)
            while len(self._pictures) >= PICTURES_KEPT:
                del self._pictures[next(iter(self._pictures))]
            self._pictures[path] = picture
        return self._pictures[path]


def media_type_of(content_type: str) -> str:
    """The media type in a Content-Type header, without its parameters."""
    return content_type.partition(";")[0].strip().lower()


def host_of(origin: str) -> str:
    """Host of an origin, for messages and name rules."""
    return urlsplit(origin).hostname or ""


def _status(code: int) -> str:
    try:
        return f"{code} ({HTTPStatus(code).phrase})"
    except ValueError:
        return str(code)
