"""HTTP within a deadline: from the connection to the last byte, whatever a server sends in between (SAFE-11).

A time-out of a socket begins anew with each packet, so that a server which sends a byte now and then, or one `100
Continue` after another, holds a program up for ever. Here each packet has only what is left. Names are looked up by the
system, which has a patience of its own.
"""

from __future__ import annotations

import http.client
import io
import socket
import time
import urllib.request
from functools import partial
from typing import Any

__all__ = ["Deadline", "opener"]


class Deadline:
    """A moment at which time is up; with 0 or None seconds it never comes."""

    def __init__(self, seconds: float | None) -> None:
        self.renew(seconds)

    def renew(self, seconds: float | None) -> None:
        """So many seconds from now."""
        self._end = time.monotonic() + seconds if seconds else None

    def left(self) -> float | None:
        """How many seconds are left, None for any number; `TimeoutError` where there are none."""
        if self._end is None:
            return None
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("time is up")
        return left


def opener(deadline: Deadline, *handlers: Any) -> urllib.request.OpenerDirector:
    """Opens addresses as `urllib` does, with these handlers; all that it takes, redirections too, by the deadline."""
    return urllib.request.build_opener(_Http(deadline), _Https(deadline), *handlers)


class _Bounded:
    def __init__(self, deadline: Deadline) -> None:
        super().__init__()
        self._deadline = deadline

    def do_open(self, kind: Any, request: Any, **given: Any) -> Any:
        timed = _HttpsConnection if issubclass(kind, http.client.HTTPSConnection) else _HttpConnection
        return super().do_open(partial(timed, self._deadline), request, **given)  # type: ignore[misc]


class _Http(_Bounded, urllib.request.HTTPHandler):  # type: ignore[misc]
    pass


class _Https(_Bounded, urllib.request.HTTPSHandler):  # type: ignore[misc]
    pass


class _Connection(http.client.HTTPConnection):
    """One whose every wait is for as long as is left."""

    def __init__(self, deadline: Deadline, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._deadline = deadline
        self._create_connection = self._connected
        self.response_class: Any = partial(_Response, deadline)

    def _connected(self, address: tuple[str, int], *_: Any) -> socket.socket:
        """Each address of a host has its part of the time, so that one which is silent leaves some for the next."""
        found = socket.getaddrinfo(*address, type=socket.SOCK_STREAM)
        for waiting, (family, kind, protocol, _name, place) in zip(range(len(found), 0, -1), found, strict=True):
            left = self._deadline.left()
            made = socket.socket(family, kind, protocol)
            try:
                made.settimeout(left / waiting if left is not None else None)
                made.connect(place)
                made.settimeout(self._deadline.left())
            except OSError:
                made.close()
                if waiting == 1:
                    raise
            else:
                return made
        raise OSError(f"{address[0]} has no address")

    def send(self, data: Any) -> None:
        if self.sock is None and self.auto_open:
            self.connect()
        self.sock.settimeout(self._deadline.left())
        super().send(data)


class _HttpConnection(_Connection):
    pass


class _HttpsConnection(_Connection, http.client.HTTPSConnection):
    pass


class _Response(http.client.HTTPResponse):
    """Status, headers, chunks and trailers are all read through `_Reads`."""

    def __init__(self, deadline: Deadline, sock: Any, *given: Any, **named: Any) -> None:
        super().__init__(sock, *given, **named)
        self.fp: Any = io.BufferedReader(_Reads(sock, self.fp.detach(), deadline))


class _Reads(io.RawIOBase):
    def __init__(self, sock: Any, raw: Any, deadline: Deadline) -> None:
        self._sock, self._raw, self._deadline = sock, raw, deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Any:
        self._sock.settimeout(self._deadline.left())
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()
