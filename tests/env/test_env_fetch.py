"""Pictures beside the browser: whole or not at all, in time or not at all."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from recallreach.env.transports.base import BrokenError
from recallreach.env.transports.fetch import PictureFetch

BODY = b"\xff\xd8picture"
WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY)


class RawServer:
    """Answers every request with the next prepared bytes; None closes the connection in their place."""

    def __init__(self) -> None:
        self.answers: list[bytes | None] = []
        self.heard: list[bytes] = []
        self.connections = 0
        self.slowly = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self.slowly.set()
        with suppress(OSError):  # closed before
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(10)

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            with connection:
                self._talk(connection)

    def _talk(self, connection: socket.socket) -> None:
        while request := connection.recv(65536):
            self.heard.append(request)
            answer = self.answers.pop(0) if self.answers else None
            if answer is None:
                return
            connection.sendall(answer)
            if b"Content-Length: 9999" in answer:
                self.slowly.wait(10)
                return


@pytest.fixture
def server() -> Iterator[RawServer]:
    running = RawServer()
    yield running
    running.close()


@pytest.fixture
def get(server: RawServer) -> Iterator[Callable[..., bytes]]:
    fetch = PictureFetch(server.url, timeout=0.5)
    yield lambda path="/media/x.jpg", cookies=(): fetch.get(path, cookies)
    fetch.close()
    fetch.close()


def test_pictures_come_over_one_connection_with_the_cookies(
    server: RawServer, get: Callable[..., bytes]
) -> None:
    server.answers = [WHOLE, WHOLE]
    cookies = [{"name": "a", "value": "1"}, {"name": "b", "value": "ö"}]
    assert get() == BODY
    assert get("/media/y.jpg", cookies) == BODY
    assert server.connections == 1
    assert b"cookie" not in server.heard[0].lower()
    assert server.heard[1].startswith(b"GET /media/y.jpg HTTP/1.1\r\n")
    assert "Cookie: a=1; b=ö\r\n".encode() in server.heard[1]


def test_a_connection_closed_while_idle_is_opened_again(server: RawServer, get: Callable[..., bytes]) -> None:
    server.answers = [WHOLE, None, WHOLE]
    assert [get(), get()] == [BODY, BODY]
    assert server.connections == 2


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "server", "answered 404"),
        (
            b"HTTP/1.1 302 Found\r\nLocation: http://elsewhere.example/\r\nContent-Length: 0\r\n\r\n",
            "server",
            "302",
        ),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\nbegin", "timeout", "did not come"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "connection", "did not come"),
        (b"nonsense\r\n\r\n", "connection", "did not come"),
        (None, "connection", "did not come"),
    ],
)
def test_anything_else_is_a_failure_that_is_named(
    server: RawServer, get: Callable[..., bytes], answer: bytes | None, kind: str, said: str
) -> None:
    server.answers = [answer]
    with pytest.raises(BrokenError, match=said) as caught:
        get()
    assert caught.value.kind == kind
    server.slowly.set()
    server.answers = [WHOLE]
    assert get() == BODY


def test_a_picture_that_breaks_off_is_not_half_delivered(
    server: RawServer, get: Callable[..., bytes]
) -> None:
    server.slowly.set()
    server.answers = [b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\nbegin"]
    with pytest.raises(BrokenError, match="broke off after 5 of 9999 bytes"):
        get()


def test_a_shop_that_is_gone_is_a_failure_of_the_connection(server: RawServer) -> None:
    server.close()
    with pytest.raises(BrokenError, match="refused") as caught:
        PictureFetch(server.url, timeout=0.5).get("/media/x.jpg", ())
    assert caught.value.kind == "connection"
