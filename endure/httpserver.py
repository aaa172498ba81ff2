"""A loopback HTTP server whose paths misbehave in known ways, with a log of what was asked."""

from __future__ import annotations

import hashlib
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Behaviour = Callable[["Exchange"], None]


class Exchange(BaseHTTPRequestHandler):
    """One request; `visit` counts the requests for its path, from 1."""

    protocol_version = "HTTP/1.1"
    server: _Server
    visit = 0
    body = b""

    def do_POST(self) -> None:
        """What is sent is kept, then as for GET."""
        self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.do_GET()

    def do_GET(self) -> None:
        """Note the request, and behave as its path does."""
        self.close_connection = True
        site = self.server.site
        with site.lock:
            site.requests.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
            self.visit = sum(path == self.path for path, _ in site.requests)
        behaviour = site.paths.get(self.path)
        if behaviour is None:
            self.answer(404)
        else:
            behaviour(self)

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        """Send everything; `Content_Length=""` leaves that header out."""
        self.send_response(status)
        headers = {"Content_Length": str(len(body)), **headers}
        for name, value in headers.items():
            if value:
                self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    site: Site

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away is part of the game."""


@dataclass
class Site:
    """What is served, and what was asked for."""

    url: str
    paths: dict[str, Behaviour] = field(default_factory=dict)
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def serve(self, path: str, behaviour: Behaviour) -> str:
        """Add a path; its full address."""
        self.paths[path] = behaviour
        return self.url + path

    def ranges(self) -> list[str]:
        """The Range header of each request so far."""
        return [headers.get("range", "") for _, headers in self.requests]


@contextmanager
def running() -> Iterator[Site]:
    """A site on a free port of the loopback interface."""
    with _Server(("127.0.0.1", 0), Exchange) as server:
        server.site = Site(f"http://127.0.0.1:{server.server_address[1]}")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server.site
        finally:
            server.shutdown()
            thread.join()


def etag(body: bytes) -> str:
    """A strong validator of a body."""
    return f'"{hashlib.sha256(body).hexdigest()[:12]}"'


def whole(body: bytes, **headers: str) -> Behaviour:
    """All of it, always: a server that knows nothing of ranges."""
    return lambda exchange: exchange.answer(200, body, **headers)


def ranged(
    body: bytes, *, cuts: tuple[int, ...] = (), stalls: float = 0, pace: float = 0, validator: str = "ETag"
) -> Behaviour:
    """A file with ranges. Visit n breaks after `cuts[n-1]` bytes, or stalls there for so long.

    `pace` is the pause after each 4 KiB. `validator` is ETag, Last-Modified or nothing.
    """
    stamp = {"ETag": etag(body), "Last-Modified": "Tue, 01 Jul 2014 10:00:00 GMT", "": ""}[validator]

    def behave(exchange: Exchange) -> None:
        start = 0
        asked = re.fullmatch(r"bytes=(\d+)-", exchange.headers.get("Range", ""))
        if asked and exchange.headers.get("If-Range", stamp) == stamp:
            start = int(asked[1])
        if start >= len(body):
            exchange.answer(416, Content_Range=f"bytes */{len(body)}")
            return
        exchange.send_response(206 if start else 200)
        if start:
            exchange.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        if stamp:
            exchange.send_header(validator, stamp)
        exchange.send_header("Content-Length", str(len(body) - start))
        exchange.end_headers()
        cut = exchange.visit <= len(cuts)
        end = start + cuts[exchange.visit - 1] if cut else len(body)
        for at in range(start, end, 4096):
            exchange.wfile.write(body[at : min(at + 4096, end)])
            time.sleep(pace)
        if cut:
            exchange.wfile.flush()
            time.sleep(stalls)

    return behave


def turns(*behaviours: Behaviour) -> Behaviour:
    """One behaviour for each visit, the last one from then on."""
    return lambda exchange: behaviours[min(exchange.visit, len(behaviours)) - 1](exchange)


def status(code: int, **headers: str) -> Behaviour:
    """Nothing but a status."""
    return lambda exchange: exchange.answer(code, **headers)


def chunked(body: bytes, *, broken: bool = False) -> Behaviour:
    """Without a length, in chunks; `broken` leaves the end out."""

    def behave(exchange: Exchange) -> None:
        exchange.answer(200, Content_Length="", Transfer_Encoding="chunked")
        for at in range(0, len(body), 1000):
            piece = body[at : at + 1000]
            exchange.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        if not broken:
            exchange.wfile.write(b"0\r\n\r\n")

    return behave


def dripping(begin: bytes, drop: bytes, *, pause: float = 0.05, seconds: float = 4) -> Behaviour:
    """These bytes and then some more, again and again, as nothing but TCP would have it."""

    def behave(exchange: Exchange) -> None:
        exchange.wfile.write(begin)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            exchange.wfile.write(drop)
            time.sleep(pause)

    return behave


_OK = b"HTTP/1.1 200 OK\r\n"
_CHUNKS = _OK + b"Transfer-Encoding: chunked\r\n\r\n"
#: Answers that never begin, by what is sent instead.
NO_BEGINNING = {
    "slow status": dripping(b"", b"H"),
    "slow headers": dripping(_OK + b"X-Slow: ", b"x"),
    "endless 100 Continue": dripping(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "endless 100 Continue at full speed": dripping(b"", b"HTTP/1.1 100 Continue\r\n\r\n", pause=0),
    "slow headers of 100 Continue": dripping(b"HTTP/1.1 100 Continue\r\nX-Slow: ", b"x"),
}
#: Answers that begin and never end.
NO_END = {
    "slow body": dripping(_OK + b"Content-Length: 1000000\r\n\r\n", b"x"),
    "slow chunks": dripping(_CHUNKS, b"1\r\nx\r\n"),
    "slow size of a chunk": dripping(_CHUNKS + b"3\r\nabc\r\n", b"0"),
    "endless trailers": dripping(_CHUNKS + b"3\r\nabc\r\n0\r\n", b"A: b\r\n"),
}
