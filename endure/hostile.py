"""Servers that do what no server should, each a behaviour of `httpserver`; for downloads and for linkers alike."""

from __future__ import annotations

import gzip
import socket
import struct
import time

from endure.httpserver import Behaviour, Exchange, chunked, etag, ranged, status, turns, whole

BODY = bytes(n * 7919 % 251 for n in range(200_000))
OTHER = bytes(n * 7907 % 251 for n in range(200_000))
PAGE = b"<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please sign in.</body></html>"

#: No server goes on for longer: whoever asks has its limits, which are shorter.
_LAST = 90.0


def _raw(*pieces: bytes, pause: float = 0, again: bool = False, hold: float = 0) -> Behaviour:
    """Bytes as they are, in pieces with a pause after each; the last one again and again; then silence for so long."""

    def behave(exchange: Exchange) -> None:
        limit = time.monotonic() + _LAST
        for piece in pieces:
            exchange.wfile.write(piece)
            time.sleep(pause)
        while again and time.monotonic() < limit:
            exchange.wfile.write(pieces[-1])
            time.sleep(pause)
        exchange.wfile.flush()
        time.sleep(hold)

    return behave


def _slowly(data: bytes, pause: float, before: bytes = b"") -> Behaviour:
    """Byte by byte."""
    return _raw(before, *(data[n : n + 1] for n in range(min(len(data), int(_LAST / pause)))), pause=pause)


def _reset(before: bytes = b"") -> Behaviour:
    """The connection is torn down, after some bytes."""

    def behave(exchange: Exchange) -> None:
        exchange.wfile.write(before)
        exchange.wfile.flush()
        time.sleep(0.05)
        exchange.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        exchange.connection.close()

    return behave


def _to(where: str) -> Behaviour:
    return lambda exchange: exchange.answer(302, Location=where.replace("{n}", str(exchange.visit)))


def _onwards(exchange: Exchange) -> None:
    """Always one place further."""
    number = int(exchange.path.rpartition("/")[2] or 0) if exchange.path.rpartition("/")[2].isdigit() else 0
    exchange.server.site.paths[f"/{number + 1}"] = _onwards
    exchange.answer(302, Location=f"/{number + 1}")


def _another_range(exchange: Exchange) -> None:
    """Half of it, then a piece that begins elsewhere."""
    if exchange.headers.get("Range"):
        exchange.answer(206, BODY[10:], Content_Range=f"bytes 10-{len(BODY) - 1}/{len(BODY)}", ETag=etag(BODY))
    else:
        exchange.answer(200, BODY[:1000], Content_Length=str(len(BODY)), ETag=etag(BODY))


_OK = b"HTTP/1.1 200 OK\r\n"
_SIZED = _OK + b"Content-Length: 200000\r\n\r\n"
_CHUNKED = _OK + b"Transfer-Encoding: chunked\r\n\r\n"

#: What both are met with.
COMMON: dict[str, Behaviour] = {
    "silent": _raw(b"", hold=_LAST),
    "slow-status": _slowly(_SIZED, 0.4),
    "slow-headers": _raw(_OK, b"X-Header: more\r\n", pause=0.4, again=True),
    "endless-header": _raw(_OK + b"X-Header: ", b"x" * 65536, again=True),
    "endless-headers": _raw(_OK, b"X-Header: more\r\n" * 4096, again=True),
    "endless-continue": _raw(b"HTTP/1.1 100 Continue\r\n\r\n" * 1024, again=True),
    "slow-continue": _raw(b"HTTP/1.1 100 Continue\r\n\r\n", pause=0.4, again=True),
    "slow-body": _slowly(BODY, 0.4, _SIZED),
    "stalled-body": _raw(_SIZED + BODY[:100_000], hold=_LAST),
    "short-body": whole(BODY[:100_000], Content_Length="200000"),
    "endless-body": _raw(_OK + b"\r\n", BODY, again=True),
    "endless-chunks": _raw(_CHUNKED, b"ffff\r\n" + bytes(65535) + b"\r\n", again=True),
    "slow-chunks": _raw(_CHUNKED, b"1\r\n \r\n", pause=0.4, again=True),
    "broken-chunks": chunked(BODY, broken=True),
    "chunk-of-no-size": _raw(_CHUNKED + b"zz\r\nabc\r\n"),
    "chunk-of-huge-size": _raw(_CHUNKED + b"7fffffffffffffff\r\n" + BODY),
    "chunk-of-negative-size": _raw(_CHUNKED + b"-5\r\n" + BODY),
    "endless-chunk-line": _raw(_CHUNKED + b"5;", b"x" * 65536, again=True),
    "endless-trailers": _raw(_CHUNKED + b"1\r\n{\r\n0\r\n", b"X-Trailer: more\r\n" * 4096, again=True),
    "slow-trailers": _raw(_CHUNKED + b"1\r\n{\r\n0\r\n", b"X-Trailer: more\r\n", pause=0.4, again=True),
    "page": whole(PAGE, Content_Type="text/html"),
    "page-as-data": whole(PAGE, Content_Type="application/octet-stream"),
    "circle": _to("/a"),
    "onwards": _onwards,
    "to-a-file": _to("file:///etc/passwd"),
    "to-ftp": _to("ftp://127.0.0.1/etc/passwd"),
    "to-data": _to("data:text/plain,mesh:D003924"),
    "to-nowhere": lambda exchange: exchange.answer(302),
    "to-noise": _to("http://[::1/\\x"),
    "fails-always": status(500),
    "too-many": status(429, Retry_After="1"),
    "later": status(503, Retry_After="-5, soon"),
    "not-found": status(404),
    "nothing": status(204),
    "unknown-status": _raw(b"HTTP/1.1 999 Strange\r\nContent-Length: 0\r\n\r\n"),
    "noise": _raw(bytes(range(256)) * 40),
    "no-http": _raw(b"mesh:D003924\r\n\r\n"),
    "closed": _raw(b""),
    "reset": _reset(),
    "reset-in-headers": _reset(_OK + b"Content-Le"),
    "reset-in-body": _reset(_SIZED + BODY[:50_000]),
    "negative-length": _raw(_OK + b"Content-Length: -7\r\n\r\n" + BODY),
    "length-of-noise": _raw(_OK + b"Content-Length: many\r\n\r\n" + BODY),
    "huge-length": _raw(_OK + b"Content-Length: 999999999999999999\r\n\r\n", BODY, again=True),
    "other-bytes": whole(OTHER),
    "bomb": whole(gzip.compress(bytes(50_000_000)), Content_Encoding="gzip"),
}

#: What only downloads ask for: pieces.
DOWNLOADS: dict[str, Behaviour] = {
    "good": ranged(BODY),
    "good-in-pieces": ranged(BODY, cuts=(120_000,)),
    "more-than-said": _raw(_OK + b"Content-Length: 200100\r\n\r\n" + BODY + bytes(100)),
    "another-range": _another_range,
    "changes-on-the-way": turns(ranged(OTHER, cuts=(90_000,)), ranged(BODY)),
    "range-refused": turns(ranged(BODY, cuts=(90_000,)), status(416)),
}


def _lines(data: bytes) -> Behaviour:
    return whole(data, Content_Type="application/x-ndjson")


#: What only linkers read: answers.
LINKERS: dict[str, Behaviour] = {
    "good": _lines(b""),
    "good-in-chunks": chunked(b"\n"),
    "deep": _lines(b"[" * 1_000_000),
    "long-line": _lines(b'{"document": "' + b"x" * 20_000_000 + b'"}'),
    "another-document": _lines(b'{"document": "zz", "spans": [[0, 4]], "candidates": [["mesh:D1"]]}\n'),
    "outside-of-the-text": _lines(b'{"document": "0", "spans": [[0, 99999999]], "candidates": [["mesh:D1"]]}\n'),
    "no-number": _lines(b'{"document": "0", "spans": [[0, 4]], "candidates": [["mesh:D1"]], "scores": [[NaN]]}\n'),
    "letters-of-no-text": _lines(b'{"document": "0", "spans": [[0, 4]], "candidates": [["\\ud800"]]}\n'),
    "many-answers": _lines(b'{"document": "0", "spans": [[0, 4]], "candidates": [["mesh:D1"]]}\n' * 10_000),
}
#: Where a download ends well, whatever else is tried.
GOOD: tuple[str, ...] = ("good", "good-in-pieces", "good-in-chunks")

#: Who asks → what they are met with.
GROUPS: dict[str, dict[str, Behaviour]] = {"download": COMMON | DOWNLOADS, "linker": COMMON | LINKERS}
