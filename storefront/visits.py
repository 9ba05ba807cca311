"""Shop state of one visitor: cart, wishlist and recently viewed, kept on the server by session id."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock

RECENT_LIMIT = 10
QUANTITY_LIMIT = 99
LINES_LIMIT = 500


@dataclass(frozen=True, slots=True)
class Visit:
    """What one visitor has done so far; every change gives a new value.

    Attributes:
        cart: (product id, quantity) lines in the order they were added.
        wishlist: product ids in the order they were added.
        recent: product ids, the one viewed last first.
        notice: one sentence for the next page, or "".
    """

    cart: tuple[tuple[str, int], ...] = ()
    wishlist: tuple[str, ...] = ()
    recent: tuple[str, ...] = ()
    notice: str = ""

    @property
    def cart_count(self) -> int:
        """Pieces in the cart."""
        return sum(quantity for _, quantity in self.cart)

    def view(self, product_id: str) -> Visit:
        """The product page was opened."""
        others = tuple(seen for seen in self.recent if seen != product_id)
        return replace(self, recent=(product_id, *others)[:RECENT_LIMIT])

    def add_to_cart(self, product_id: str) -> Visit:
        """One more piece of the product."""
        lines = dict(self.cart)
        if product_id not in lines and len(lines) >= LINES_LIMIT:
            return replace(self, notice="Your cart is full.")
        if lines.get(product_id, 0) >= QUANTITY_LIMIT:
            return replace(self, notice=f"We send at most {QUANTITY_LIMIT} of one piece.")
        lines[product_id] = lines.get(product_id, 0) + 1
        return replace(self, cart=tuple(lines.items()), notice="Added to your cart.")

    def remove_from_cart(self, product_id: str) -> Visit:
        """The whole line of the product goes."""
        kept = tuple(line for line in self.cart if line[0] != product_id)
        gone = len(kept) < len(self.cart)
        return replace(
            self, cart=kept, notice="Removed from your cart." if gone else "It was not in your cart."
        )

    def add_to_wishlist(self, product_id: str) -> Visit:
        """The product is on the wishlist, once."""
        if product_id in self.wishlist:
            return replace(self, notice="Already in your wishlist.")
        if len(self.wishlist) >= LINES_LIMIT:
            return replace(self, notice="Your wishlist is full.")
        return replace(self, wishlist=(*self.wishlist, product_id), notice="Added to your wishlist.")

    def remove_from_wishlist(self, product_id: str) -> Visit:
        """The product is no longer on the wishlist."""
        kept = tuple(wished for wished in self.wishlist if wished != product_id)
        gone = len(kept) < len(self.wishlist)
        notice = "Removed from your wishlist." if gone else "It was not in your wishlist."
        return replace(self, wishlist=kept, notice=notice)

    def read_notice(self) -> Visit:
        """The notice has been shown."""
        return replace(self, notice="")


class Visits:
    """All visits by session id: in memory, safe for threads, bounded (the one unused longest goes first).

    A session id is handed out only when there is something to remember, and only by `change`: an id that a
    client made up, or that was forgotten, is never adopted.
    """

    def __init__(self, limit: int = 10_000) -> None:
        self._limit = limit
        self._lock = Lock()
        self._visits: OrderedDict[str, Visit] = OrderedDict()

    def __len__(self) -> int:
        return len(self._visits)

    def read(self, session_id: str | None) -> Visit:
        """The visit of this session; an empty one where nothing is remembered."""
        with self._lock:
            if session_id is None or session_id not in self._visits:
                return Visit()
            self._visits.move_to_end(session_id)
            return self._visits[session_id]

    def change(self, session_id: str | None, step: Callable[[Visit], Visit]) -> tuple[str, Visit]:
        """Apply `step` to the visit, as one atomic change.

        Returns:
            The session id to send to the client (a new one for an unknown session) and the new visit.
        """
        with self._lock:
            if session_id is None or session_id not in self._visits:
                session_id = secrets.token_hex(16)
            changed = self._visits[session_id] = step(self._visits.get(session_id, Visit()))
            self._visits.move_to_end(session_id)
            if len(self._visits) > self._limit:
                self._visits.popitem(last=False)
        return session_id, changed
