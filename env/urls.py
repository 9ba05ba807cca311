"""Addresses of the shop: one canonical form for both transports, and the wall around the shop's origin."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_PORTS = {"http": 80, "https": 443}
_PATH_SAFE = "/!$&()*+,;=:@-._~%"
_QUERY_SAFE = _PATH_SAFE + "?"
_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
_PLAIN_PATH = re.compile(r"/(?:[A-Za-z0-9_-]+(?:/[A-Za-z0-9_-]+)*)?")
_MAX_LENGTH = 2000


class RefusedError(Exception):
    """Something an agent may not do; its text is what the agent reads."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The shop's own scheme, host and port.

    Attributes:
        base: for instance "http://127.0.0.1:8080", without a trailing slash.
    """

    base: str

    def resolve(self, target: str, current: str) -> str:
        """The canonical path and query that `target` means on the page `current`.

        A path without a leading slash counts from the shop's root; only "?...", "./..." and "../..." are
        relative to the current page, as in a browser.

        Raises:
            RefusedError: `target` is not a page of the shop.
        """
        cleaned = _CONTROLS.sub("", target).strip()
        if len(cleaned) > _MAX_LENGTH:
            raise RefusedError(f"Refused: an address of {len(cleaned)} characters is too long.")
        return self.local(self._absolute(cleaned, current))

    def resolve_link(self, href: str, current: str) -> str:
        """The canonical path and query that a link on the page `current` leads to, by a browser's rules.

        Raises:
            RefusedError: the link leads out of the shop.
        """
        if _PLAIN_PATH.fullmatch(href):
            return href
        return self.local(urljoin(self.base + current, _CONTROLS.sub("", href).strip().replace("\\", "/")))

    def local(self, url: str) -> str:
        """Canonical path and query of an absolute URL of the shop.

        Raises:
            RefusedError: the URL leads elsewhere.
        """
        try:
            parts = urlsplit(url)
            own = self.owns(parts.scheme, parts.hostname or "", parts.port)
        except ValueError as error:
            raise RefusedError(f"Refused: {url[:80]!r} is not an address.") from error
        if not own:
            raise RefusedError(_foreign(parts.scheme, parts.hostname or url[:80]))
        query = f"?{_encoded(parts.query, _QUERY_SAFE)}" if parts.query else ""
        path = "/" + _without_dots(parts.path or "/").lstrip("/")
        return _encoded(path, _PATH_SAFE) + query

    def owns(self, scheme: str, host: str, port: int | None) -> bool:
        """Whether scheme, host and port are the shop's; the names of loopback are one host."""
        mine = urlsplit(self.base)
        own_host = mine.hostname or ""
        same_host = host == own_host or {host, own_host} <= _LOOPBACK
        same_port = (port or _PORTS.get(scheme)) == (mine.port or _PORTS.get(mine.scheme))
        return scheme in _PORTS and same_host and same_port

    def _absolute(self, target: str, current: str) -> str:
        head, mark, tail = _split_query(target)
        address = head.replace("\\", "/") + mark + tail
        if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", head):
            return address
        if address.startswith(("/", "?", "#", "./", "../")) or not address:
            return urljoin(self.base + current, address)
        return urljoin(self.base + "/", "./" + address)


def _split_query(target: str) -> tuple[str, str, str]:
    found = re.search(r"[?#]", target)
    if found is None:
        return target, "", ""
    return target[: found.start()], target[found.start()], target[found.end() :]


def _foreign(scheme: str, host: str) -> str:
    if scheme not in _PORTS:
        return f"Refused: {scheme or 'this'} addresses cannot be opened; only pages of this shop can."
    return f"Refused: {host!r} is not this shop; only its own pages can be opened."


def _encoded(text: str, safe: str) -> str:
    """Percent-encode all that a browser would, and a little more, so that browsers leave the result as it
    is."""
    return quote(_STRAY_PERCENT.sub("%25", text), safe=safe, errors="replace")


def _without_dots(path: str) -> str:
    """Resolve "." and ".." segments, also percent-encoded ones, as browsers do."""
    kept: list[str] = []
    segments = path.split("/")[1:] or [""]
    for number, segment in enumerate(segments):
        plain = re.sub("%2e", ".", segment, flags=re.I)
        last = number == len(segments) - 1
        if plain == "..":
            kept = kept[:-1]
        elif plain != ".":
            kept.append(segment)
            continue
        if last:
            kept.append("")
    return "/" + "/".join(kept)
