"""One deadline from the connection to the last byte, whatever a server does."""

from __future__ import annotations

import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from endure.httpserver import NO_BEGINNING, NO_END, Site, chunked, dripping, running, status, whole

from linkassay.network import Deadline, opener
from tests.helpers import delay


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("no_proxy", "*")
    with running() as site:
        yield site


def read(url: str, seconds: float | None) -> bytes:
    with opener(Deadline(seconds)).open(url) as answer:
        body: bytes = answer.read()
        return body


@contextmanager
def late(after: float) -> Iterator[None]:
    """The block ends because time is up, and not much later than that."""
    begin = time.monotonic()
    with pytest.raises(OSError) as caught:  # noqa: PT011
        yield
    assert isinstance(getattr(caught.value, "reason", caught.value), TimeoutError)
    assert after - 0.1 < time.monotonic() - begin < after + delay()


@pytest.mark.parametrize("name", [*NO_BEGINNING, *NO_END])
def test_a_server_that_goes_on_and_on(site: Site, name: str) -> None:
    url = site.serve("/", (NO_BEGINNING | NO_END)[name])
    with late(0.4):
        read(url, 0.4)


def test_what_a_server_says_of_its_failure_may_be_slow_too(site: Site) -> None:
    url = site.serve("/", dripping(b"HTTP/1.1 500 Oh\r\nContent-Length: 1000\r\n\r\n", b"x"))
    with pytest.raises(urllib.error.HTTPError) as caught:
        read(url, 0.4)
    with late(0.4):
        caught.value.read()


@pytest.mark.parametrize("seconds", [5, None])
def test_who_answers_in_time_is_read_to_the_end(site: Site, seconds: float | None) -> None:
    body = b"x" * 300_000
    site.serve("/elsewhere", chunked(body))
    for behaviour in (whole(body), chunked(body), status(302, Location="/elsewhere")):
        assert read(site.serve("/", behaviour), seconds) == body


def silent(accepts: bool) -> tuple[socket.socket, list[socket.socket]]:
    """A server that does not answer: connections are made, or not even that, as too many are waiting."""
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen(5 if accepts else 0)
    waiting = []
    for _ in range(0 if accepts else 4):
        waiting.append(socket.socket())
        waiting[-1].setblocking(False)
        waiting[-1].connect_ex(server.getsockname())
    return server, waiting


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_server_that_says_nothing(monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    monkeypatch.setenv("no_proxy", "*")
    server, _ = silent(accepts=True)
    with server, late(0.4):
        read(f"{scheme}://127.0.0.1:{server.getsockname()[1]}/", 0.4)


def test_all_addresses_of_a_host_share_one_deadline(monkeypatch: pytest.MonkeyPatch, site: Site) -> None:
    monkeypatch.setenv("no_proxy", "*")
    server, waiting = silent(accepts=False)
    place = server.getsockname()
    found: Callable[..., Any] = lambda *_, **__: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", place)] * 5  # noqa: E731
    with server:
        monkeypatch.setattr(socket, "getaddrinfo", found)
        with late(0.5):
            read("http://host.test/", 0.5)
        good = int(site.url.rpartition(":")[2])
        site.serve("/", whole(b"here"))
        both = [*found()[:1], (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", good))]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: both)
        assert read("http://host.test/", 1) == b"here"  # one that is silent leaves time for the next
    for each in waiting:
        each.close()
