"""How the audit asks the shop: in this process, or over HTTP."""

from __future__ import annotations

import http.client
import http.cookiejar
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlencode, urlsplit

from flask import Flask

from recallreach.errors import ConfigError, DataError

TIMEOUT = 30.0
"""Seconds without an answer after which the shop counts as gone."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the shop said to one request; redirects are not followed.

    Attributes:
        path: path and query asked for.
        status: HTTP status.
        headers: names and values in the order sent.
        body: as sent.
    """

    path: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str:
        """The first value of a header, or ""."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")

    @property
    def media_type(self) -> str:
        """For instance "text/html"."""
        return self.header("Content-Type").partition(";")[0].strip().lower()

    @property
    def text(self) -> str:
        """The body as UTF-8."""
        return self.body.decode("utf-8", "replace")


class Fetcher(Protocol):
    """One visitor of the shop, cookies included."""

    @property
    def origin(self) -> str:
        """Scheme, host and port, for instance "http://127.0.0.1:8321"."""

    def fetch(self, path: str, form: Mapping[str, str] | None = None) -> Answer:
        """GET a path, or POST a form to it.

        Raises:
            DataError: the shop does not answer.
        """


class InProcessFetcher:
    """Calls the application without a server."""

    origin = "http://localhost"

    def __init__(self, app: Flask) -> None:
        self._client = app.test_client()

    def fetch(self, path: str, form: Mapping[str, str] | None = None) -> Answer:
        """As `Fetcher` says."""
        method = "GET" if form is None else "POST"
        answer = self._client.open(path, base_url=self.origin, method=method, data=form)
        return Answer(path, answer.status_code, tuple(answer.headers.items()), answer.data)


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


class HttpFetcher:
    """Asks a running shop.

    Args:
        url: root of the shop, http or https.

    Raises:
        ConfigError: the address is not one of a web server.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError(f"{url!r} is no shop's address; give it like http://127.0.0.1:8321")
        self.origin = f"{parts.scheme}://{parts.netloc}"
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self._open = urllib.request.build_opener(_Stay, cookies).open

    def fetch(self, path: str, form: Mapping[str, str] | None = None) -> Answer:
        """As `Fetcher` says."""
        data = None if form is None else urlencode(form).encode()
        try:
            with self._open(self.origin + path, data, TIMEOUT) as answer:
                return Answer(path, answer.status, tuple(answer.headers.items()), answer.read())
        except urllib.error.HTTPError as answer:
            with answer:
                return Answer(path, answer.code, tuple(answer.headers.items()), answer.read())
        except (OSError, http.client.HTTPException) as error:
            raise DataError(
                f"{self.origin}{path} does not answer: {error}; is the shop open there?"
            ) from error
