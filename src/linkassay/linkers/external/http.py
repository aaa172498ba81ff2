"""A linker that is a service: each document in one request, its answer back, with patience but not without end.

Nothing is asked but the address that the user gives; redirections are refused.
"""

from __future__ import annotations

import http.client
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from linkassay import store
from linkassay.errors import LinkassayError, UsageError
from linkassay.fetch import retry_after
from linkassay.linkers.external.exchange import Outside
from linkassay.linkers.protocol import FoundMention, OutOfOrderError
from linkassay.model import Document
from linkassay.network import Deadline, opener

#: Statuses that may pass, and the longest pause before the next attempt.
_PASSING = (408, 425, 429, 500, 502, 503, 504)
_LONGEST_PAUSE = 120.0


class _TryAgainError(Exception):
    """What may pass, after so many seconds if the server says so; `gone`: there was no server at all."""

    def __init__(self, message: str, pause: float = 0.0, *, gone: bool = False) -> None:
        super().__init__(message)
        self.pause, self.gone = pause, gone


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


class Http(Outside):
    """Documents by POST to `url`, all workers together at most `rate` a second; what may pass is tried again.

    A document whose request fails for good, or takes longer than `timeout` seconds, is recorded as failed. A server
    that cannot be reached at all stops the run.
    """

    summary = "an outside service over HTTP (--url, --exchange)"
    first_pause = 1.0

    def __init__(
        self, url: str = "", exchange: str = "", timeout: float = 600.0, retries: int = 4, rate: float = 0.0,
        **spelling: Any,
    ) -> None:  # fmt: skip
        if not url or not exchange:
            raise UsageError("the linker `http` needs --url and --exchange, e.g. "
                             "--url http://127.0.0.1:8000/nif --exchange nif")  # fmt: skip
        try:
            parts = urllib.parse.urlsplit(url)
            bad = parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0
        except ValueError:  # of the port, or brackets
            bad = True
        if bad or not url.isascii() or not url.isprintable() or " " in url:
            raise UsageError(f"--url is an address that begins with http:// or https://, not {url!r}; spaces and "
                             "letters other than English ones are written as %20, %C3%BC …")  # fmt: skip
        super().__init__(exchange, **spelling)
        self._url, self._timeout, self._retries, self._rate = url, timeout or None, retries, rate
        self._late = f"no answer within {timeout:g} s (--timeout)"

    def annotate(self, documents: Sequence[Document], top: int) -> list[list[FoundMention] | LinkassayError]:
        """One request for each document; those that fail do so by themselves."""
        return [self._annotated(self.shown(document)) for document in documents]

    def _annotated(self, document: Document | LinkassayError) -> list[FoundMention] | LinkassayError:
        if not isinstance(document, Document):
            return document
        try:
            answer = self._asked(self.exchange.write([document]).encode("utf-8"))
            [said] = self.understood(answer, [document], "answer")
        except OutOfOrderError:
            raise
        except LinkassayError as error:
            return error
        return said

    def _asked(self, body: bytes) -> bytes:
        pause = self.first_pause
        for attempt in range(self._retries + 1):
            try:
                return self._once(body)
            except _TryAgainError as error:
                if attempt < self._retries:
                    time.sleep(min(error.pause or pause, _LONGEST_PAUSE))
                    pause *= 2
                    continue
                times = f" ({self._retries + 1} attempts)" if self._retries else ""
                if error.gone:
                    raise OutOfOrderError(f"{self._url}: {error}{times}") from error
                raise LinkassayError(f"{error}{times}") from error
        raise AssertionError("unreachable")

    def _once(self, body: bytes) -> bytes:
        self._wait()
        headers = {"Content-Type": f"{self.exchange.content}; charset=utf-8", "Accept": self.exchange.accept,
                   "User-Agent": "linkassay"}  # fmt: skip
        request = urllib.request.Request(self._url, body, headers)  # noqa: S310 (the scheme was checked)
        try:
            with opener(Deadline(self._timeout), _NoRedirects).open(request) as answer:
                return self._read(answer)
        except urllib.error.HTTPError as error:
            said = ""
            with suppress(OSError, http.client.HTTPException):
                if error.fp:
                    said = " ".join(error.read(500).decode("utf-8", "replace").split())
                    error.close()
            message = f"the server answered {error.code} {error.reason}" + (f": {said[:200]}" if said else "")
            if error.code in _PASSING:
                raise _TryAgainError(message, retry_after(error.headers.get("Retry-After", ""))) from error
            raise LinkassayError(message) from error
        except TimeoutError as error:
            raise LinkassayError(self._late) from error
        except (http.client.IncompleteRead, http.client.RemoteDisconnected, ConnectionResetError) as error:
            raise _TryAgainError("the answer ended before it was whole") from error
        except http.client.HTTPException as error:
            raise LinkassayError(f"the answer is no HTTP ({error!r:.100})") from error
        except OSError as error:
            cause = getattr(error, "reason", error)
            if isinstance(cause, TimeoutError):
                raise LinkassayError(self._late) from error
            if isinstance(cause, http.client.RemoteDisconnected | ConnectionResetError):
                raise _TryAgainError("the answer ended before it was whole") from error
            raise _TryAgainError(f"no connection ({getattr(cause, 'strerror', None) or cause})", gone=True) from error

    def _read(self, answer: Any) -> bytes:
        """All of the answer, but not more than it may be."""
        data = bytearray()
        while block := answer.read1(1 << 16):
            data += block
            if len(data) > self.max_output:
                raise LinkassayError(f"its answer is larger than {self.max_output:,} bytes (--max-output)")
        if answer.length:  # read1 does not notice a connection that ends early
            raise http.client.IncompleteRead(bytes(data[:100]), answer.length)
        return bytes(data)

    def _wait(self) -> None:
        """Not before the last request of any worker is 1/`rate` seconds ago; who waits keeps the others waiting."""
        if not self._rate:
            return
        if self.folder is None:  # not in a run: nobody knows who else asks
            time.sleep(1 / self._rate)
            return
        turns = self.folder / "rate"
        with store.lock(turns):  # its time of change is that of the last request
            wait = turns.stat().st_mtime + 1 / self._rate - time.time()
            time.sleep(min(max(0.0, wait), 1 / self._rate))  # clocks may be set back
            os.utime(turns, (time.time(),) * 2)
