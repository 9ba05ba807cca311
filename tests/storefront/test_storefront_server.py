"""The shop on a loopback port: it starts, says why not, and is really gone afterwards."""

from __future__ import annotations

import errno
import socket
import threading
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

from recallreach.errors import RecallReachError
from recallreach.storefront import server
from recallreach.storefront.server import ShopServer


def read(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=30) as answer:
        return answer.read()


def shop_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith(("shop-", "waitress"))]


def test_it_serves_what_the_application_answers(shop):
    path = f"/product/{shop.catalog.products[3].id}"
    with ShopServer(shop.app) as running:
        assert running.url == f"http://127.0.0.1:{running.port}"
        assert read(running.url + path).decode() == shop.visitor().get(path).text


def test_after_close_port_and_threads_are_free(shop):
    before = shop_threads()
    running = ShopServer(shop.app).start()
    port = running.port
    read(running.url)
    running.close()
    running.close()
    assert shop_threads() == before
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port))


def test_it_closes_with_a_connection_left_open(shop):
    with ShopServer(shop.app) as running:
        idle = socket.create_connection(("127.0.0.1", running.port))
        read(running.url)
    with idle:
        assert idle.recv(1) == b""


def test_it_can_start_again_and_starting_twice_changes_nothing(shop):
    running = ShopServer(shop.app)
    for _ in range(2):
        url = running.start().url
        assert running.start().url == url
        assert read(f"{url}/health")
        running.close()


def test_the_address_is_known_only_while_it_runs(shop):
    with pytest.raises(RecallReachError, match="not running"):
        _ = ShopServer(shop.app).url


def test_it_listens_on_loopback_only(shop):
    with ShopServer(shop.app) as running, pytest.raises(OSError, match=r".+"):
        socket.create_connection(("127.0.0.2", running.port), timeout=5)


def test_a_port_in_use_gets_a_sentence(shop):
    with ShopServer(shop.app) as first:
        with pytest.raises(RecallReachError, match=f"port {first.port} .* in use"):
            ShopServer(shop.app, first.port).start()
        assert read(f"{first.url}/health")


def test_a_port_that_needs_rights_gets_a_sentence(shop, monkeypatch):
    def refuse(*_args, **_options):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(server, "create_server", refuse)
    with pytest.raises(RecallReachError, match="port 80 needs administrator rights"):
        ShopServer(shop.app, 80).start()


@pytest.mark.parametrize("port", [-1, 65536, 10**9])
def test_a_number_that_is_no_port_gets_a_sentence(shop, port):
    with pytest.raises(RecallReachError, match=f"port {port} is not a port"):
        ShopServer(shop.app, port).start()


def test_many_requests_at_once_all_get_their_own_answer(shop):
    chosen = shop.catalog.products[:40]
    with ShopServer(shop.app) as running, ThreadPoolExecutor(16) as pool:
        answers = pool.map(lambda product: read(f"{running.url}/media/{product.picture}"), chosen)
        assert list(answers) == [f"picture {product.id}".encode() for product in chosen]
