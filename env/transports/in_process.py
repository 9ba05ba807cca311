"""The shop without a browser: Flask's test client, about a millisecond a step."""

from __future__ import annotations

from typing import Any
from urllib.parse import urljoin

from flask import Flask
from flask.testing import FlaskClient

from recallreach.env.transports.base import (
    LEADS_OUT,
    BrokenError,
    Request,
    Served,
    SessionTransport,
    media_type_of,
)
from recallreach.env.urls import RefusedError

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_KEEP_METHOD = frozenset({307, 308})
_MOST_REDIRECTS = 20


class InProcessTransport(SessionTransport):
    """Calls the Flask application directly; equal to `ChromiumTransport` in everything but screenshots.

    Args:
        app: the shop.
        picture: whether product pages come with their picture.
        base_url: the origin the shop believes to have; absolute addresses of it are the shop's own.
    """

    def __init__(self, app: Flask, *, picture: bool = True, base_url: str = "http://127.0.0.1") -> None:
        super().__init__(base_url, picture=picture)
        self._app = app
        self._client: FlaskClient | None = None

    def close(self) -> None:
        """Forget the session; a second call does nothing."""
        self._client, self._here, self._page = None, None, None

    def _new_session(self) -> None:
        self._client = self._app.test_client()

    def _renew(self) -> None:
        """Cookies live in the client, which no failure breaks."""

    def _screenshot(self) -> bytes | None:
        return None

    def _serve(self, request: Request) -> Served:
        url, form = self.origin.base + request.path, request.form
        if form is not None:
            url = urljoin(url, form.action)
        method, fields = ("GET", None) if form is None else ("POST", dict(form.fields))
        for _ in range(_MOST_REDIRECTS):
            response = self._request(method, url, fields)
            location = response.headers.get("Location")
            if response.status_code not in _REDIRECTS or location is None:
                return _served(url, response)
            url = self._next(urljoin(url, location))
            if response.status_code not in _KEEP_METHOD:
                method, fields = "GET", None
        raise BrokenError("redirects", f"more than {_MOST_REDIRECTS} redirects")

    def _next(self, url: str) -> str:
        """Where a redirect leads; out of the shop is refused."""
        try:
            return self.origin.base + self.origin.local(url)
        except RefusedError:
            raise RefusedError(LEADS_OUT) from None

    def _request(self, method: str, url: str, fields: dict[str, str] | None) -> Any:
        """One request; a WSGI application that raises is a server that answers 500."""
        client = self._client
        if client is None:
            raise BrokenError("connection", "the transport is closed")
        path = self.origin.local(url)
        return client.open(path, base_url=self.origin.base, method=method, data=fields)

    def _picture(self, path: str) -> bytes:
        response = self._request("GET", self.origin.base + path, None)
        if response.status_code != 200:
            raise BrokenError("server", f"the picture {path} answered {response.status_code}")
        return bytes(response.data)


def _served(url: str, response: Any) -> Served:
    if response.headers.get("Content-Disposition", "").startswith("attachment"):
        raise RefusedError("Refused: that address is a download, not a page of the shop.")
    media_type = media_type_of(response.headers.get("Content-Type", ""))
    html = (
        response.get_data(as_text=True) if response.status_code != 204 and media_type == "text/html" else ""
    )
    return Served(url, response.status_code, media_type if response.status_code != 204 else "", html)
