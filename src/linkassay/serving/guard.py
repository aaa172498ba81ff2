"""Who may ask, and what: before a request reaches the application it has to pass here.

Pages of other sites must not reach a server of this machine through a browser: not by a name of their own that they let
stand for its address (`Host`), not by a request from their page (`Origin`, `Sec-Fetch-Site`), not in a frame. Whoever
is on another machine needs the token.
"""

from __future__ import annotations

import ipaddress
import json
import secrets
import socket
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from linkassay.errors import UsageError
from linkassay.serving.refusals import RefusedError

#: Bytes of a path and of what is asked behind it.
LONGEST_PATH, LONGEST_QUERY = 200, 16_000
#: Characters of a token that somebody chose.
SHORTEST_TOKEN = 16
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return host.lower() == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class Guard:
    """Around an application. `token`: what whoever asks has to have been given, "" if nothing."""

    def __init__(self, app: Any, host: str, port: int, token: str = "") -> None:
        if token and (len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable()):
            raise UsageError(f"--token has at least {SHORTEST_TOKEN} letters, digits or signs; leave it out for one "
                             "that nobody guesses")  # fmt: skip
        if not token and not is_loopback(host):
            raise UsageError(f"--host {host} is open to other machines and needs a token")
        self._app, self._port, self._token = app, port, token
        self._session = secrets.token_urlsafe(32)
        self._cookie = f"linkassay-{port}"
        self._open = not is_loopback(host)
        self._names = {*_LOOPBACK} | ({host.lower(), socket.gethostname().lower()} if self._open else set())

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """As ASGI has it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return

        async def guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                told = {name.lower() for name, _ in message["headers"]}
                missing = [pair for pair in _HEADERS if pair[0] not in told]
                if b"cache-control" not in told:
                    missing.append((b"cache-control", b"private, no-cache"))
                message = message | {"headers": [*message["headers"], *missing]}
            await send(message)

        try:
            headers = _Headers(scope["headers"])
            self._check(scope, headers)
            entered = self._enter(scope, headers)
        except RefusedError as refused:
            await _refuse(refused, guarded)
            return
        if entered:
            await _answer(303, [(b"location", b"/"), (b"set-cookie", entered)], b"", guarded)
            return
        await self._app(scope, receive, guarded)

    def _check(self, scope: Any, headers: _Headers) -> None:
        """Whether the request is of a form that is answered, and comes from a page of ours or from none."""
        method, path = scope["method"], scope["path"]
        if len(scope.get("raw_path") or path) > LONGEST_PATH or len(scope["query_string"]) > LONGEST_QUERY:
            raise RefusedError(414, "the address is too long: name fewer runs, or shorter filters")
        cancels = path.startswith("/api/jobs/") and path.endswith("/cancel")
        if method not in (("POST",) if cancels else ("GET", "HEAD")):
            raise RefusedError(405, "nothing can be changed here: only GET, and POST to cancel a job")
        if not self._is_ours(headers.only("host")):
            raise RefusedError(403, "this server does not go by that name: open the address that it printed")
        origin = headers.only("origin")
        if origin and origin.lower() != f"http://{headers.only('host').lower()}":
            raise RefusedError(403, "requests of other sites are not answered")
        site, mode = headers.only("sec-fetch-site"), headers.only("sec-fetch-mode")
        opened = method == "GET" and path == "/" and mode == "navigate"  # a link to the explorer may be anywhere
        if site not in ("", "same-origin", "none") and not opened:
            raise RefusedError(403, "requests of other sites are not answered")

    def _is_ours(self, host: str) -> bool:
        name, colon, port = host.lower().rpartition(":")
        if not colon or port.endswith("]"):
            name, port = host.lower(), "80"
        if port != str(self._port):
            return False
        return name in self._names or (self._open and _is_address(name))

    def _enter(self, scope: Any, headers: _Headers) -> bytes:
        """A cookie for who brings the token; an error for who has neither."""
        if not self._token:
            return b""
        query = parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=100)
        if scope["path"] == "/" and scope["method"] == "GET" and "token" in query:
            if secrets.compare_digest(query["token"][0].encode(), self._token.encode()):
                return f"{self._cookie}={self._session}; Path=/; HttpOnly; SameSite=Strict".encode()
        elif secrets.compare_digest(self._given(headers).encode(), self._session.encode()):
            return b""
        raise RefusedError(401, "this explorer needs its token: open the whole address that the server printed")

    def _given(self, headers: _Headers) -> str:
        jar: SimpleCookie = SimpleCookie()
        try:
            jar.load("; ".join(headers.all("cookie")))
        except CookieError:
            return ""
        found = jar.get(self._cookie)
        return found.value if found else ""


class _Headers:
    """The headers of a request; of those that matter here there is one at most."""

    def __init__(self, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        self._pairs = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in pairs]

    def all(self, wanted: str) -> list[str]:
        return [value for name, value in self._pairs if name == wanted]

    def only(self, wanted: str) -> str:
        found = self.all(wanted)
        if len(found) > 1:
            raise RefusedError(400, f"the header {wanted} is given twice")
        return found[0].strip() if found else ""


def _is_address(name: str) -> bool:
    """A number: no page can let that stand for another machine."""
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


async def _refuse(refused: RefusedError, send: Any) -> None:
    body = json.dumps({"error": str(refused)}).encode()
    await _answer(refused.status, [(b"content-type", b"application/json")], body, send)


async def _answer(status: int, headers: list[tuple[bytes, bytes]], body: bytes, send: Any) -> None:
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
    await send({"type": "http.response.body", "body": body})
