"""From what a browser asks for to what an agent would have written."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import parse_qsl, quote, urlsplit

from recallreach.agents.text import react
from recallreach.env.types import Action, Back, Click, Navigate, Observation, Search

UNSAID = "(not said)"
"""The thought of a person who did not write one."""


def move_to(address: str, page: Observation, trail: Sequence[str]) -> Action | None:
    """The action that leads from a page to an address of the shop.

    Args:
        address: path and query that the browser asks for.
        page: the page now open.
        trail: addresses of the pages open so far in this episode, this one last.

    Returns:
        None where the page is open already; else a click where the page links there, a search, a step back
        where it is the page before, or the address typed in.
    """
    if address == page.url:
        return None
    words = _searched(address)
    if words is not None:
        return Search(words)
    link = next((link for link in page.links if link.href == address), None)
    if link is not None:
        return Click(link.index)
    before = next((url for url in reversed(trail) if url != page.url), "")
    return Back() if address == before else Navigate(address)


def reply_of(action: Action, thought: str) -> str:
    """What an agent would have written."""
    return react(thought or UNSAID, action)


def address_of(path: str, query: bytes) -> str:
    """Path and query as the shop's pages name them."""
    return f"{quote(path)}?{query.decode('ascii', 'replace')}" if query else quote(path)


def _searched(address: str) -> str | None:
    parts = urlsplit(address)
    given = dict(parse_qsl(parts.query, keep_blank_values=True))
    return given["q"] if parts.path == "/search" and set(given) == {"q"} else None
