"""Whoever is not at this machine, or is a page of another site in its browser, gets nothing."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from linkassay.errors import UsageError
from linkassay.serving.guard import LONGEST_QUERY, Guard, is_loopback

TOKEN = "a-token-of-this-test"


async def _reached(scope: Any, receive: Any, send: Any) -> None:
    await PlainTextResponse("reached")(scope, receive, send)


def client(host: str = "127.0.0.1", token: str = "", base: str = "http://127.0.0.1:8700") -> TestClient:
    return TestClient(Guard(_reached, host, 8700, token), base_url=base, follow_redirects=False)


def status(headers: dict[str, str] | None = None, method: str = "GET", path: str = "/api/runs", **made: Any) -> int:
    found = client(**made).request(method, path, headers=headers or {})
    assert (found.text == "reached") == (found.status_code == 200)
    return found.status_code


@pytest.mark.parametrize("host", ["127.0.0.1:8700", "localhost:8700", "LOCALHOST:8700", "[::1]:8700"])
def test_names_of_this_machine(host: str) -> None:
    assert status({"host": host}) == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example:8700", "127.0.0.1.evil.example:8700", "127.0.0.1:8701", "127.0.0.1", "", "evil.example",
     "[::1]", "8700", "127.0.0.1:8700@evil.example", "10.0.0.1:8700", "localhost:8700.evil.example"],
)  # fmt: skip
def test_a_name_that_others_let_stand_for_this_machine(host: str) -> None:
    """DNS rebinding: the browser of the user asks us under the name of a page that is not ours."""
    assert status({"host": host}) == 403


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"origin": "http://127.0.0.1:8700"}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "https://127.0.0.1:8700"}, 403),
        ({"origin": "http://localhost:8700"}, 403),  # another origin, though the same machine
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "none", "sec-fetch-mode": "navigate"}, 200),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),  # another port of this machine
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, 403),
    ],
)
def test_requests_of_other_pages(headers: dict[str, str], expected: int) -> None:
    assert status(headers) == expected
    assert status(headers, "POST", "/api/jobs/x/cancel") == expected


def test_a_link_to_the_explorer_may_stand_anywhere() -> None:
    navigation = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert status(navigation, path="/") == 200
    assert status(navigation | {"sec-fetch-mode": "no-cors"}, path="/") == 403
    assert status(navigation, "POST", "/api/jobs/x/cancel") == 403


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "POST", "TRACE"])
def test_nothing_is_changed(method: str) -> None:
    assert status(method=method) == 405


def test_only_a_job_is_cancelled_by_post() -> None:
    assert status(method="POST", path="/api/jobs/x/cancel") == 200
    assert status(method="GET", path="/api/jobs/x/cancel") == 405


def test_a_header_that_is_given_twice() -> None:
    found = client().get("/", headers=[("host", "127.0.0.1:8700"), ("host", "evil.example")])
    assert found.status_code == 400


def test_long_addresses() -> None:
    assert status(path="/api/" + "x" * 300) == 414
    assert status(path="/api/runs?x=" + "x" * LONGEST_QUERY) == 414
    assert status(path="/api/runs?x=" + "x" * 1000) == 200


def test_every_answer_is_locked_down() -> None:
    for host in ("127.0.0.1:8700", "evil.example"):
        headers = client().get("/", headers={"host": host}).headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; ")
        assert "unsafe" not in policy
        assert "http" not in policy
        for part in ("connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"):
            assert part in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert "access-control-allow-origin" not in headers


def test_web_sockets_are_refused() -> None:
    from starlette.websockets import WebSocketDisconnect

    with pytest.raises(WebSocketDisconnect), client().websocket_connect("/api/runs"):
        pass


# ---- the token


def test_who_has_no_token() -> None:
    assert status(token=TOKEN) == 401
    assert status(token=TOKEN, path="/") == 401
    assert status(token=TOKEN, path="/?token=another-token-of-it") == 401
    assert status(token=TOKEN, path="/?token=") == 401
    assert status(token=TOKEN, path=f"/api/runs?token={TOKEN}") == 401  # once, in the address that was given
    assert status({"cookie": f"linkassay-8700={TOKEN}"}, token=TOKEN) == 401  # the cookie holds something else


def test_the_token_is_given_once() -> None:
    mine = client(token=TOKEN)
    entered = mine.get(f"/?token={TOKEN}")
    assert (entered.status_code, entered.headers["location"]) == (303, "/")
    cookie = entered.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert TOKEN not in cookie
    assert mine.get("/api/runs").text == "reached"
    assert mine.get("/").text == "reached"
    assert client(token=TOKEN).get("/api/runs").status_code == 401


def test_a_cookie_of_another_server() -> None:
    mine, other = client(token=TOKEN), client(token=TOKEN)
    mine.get(f"/?token={TOKEN}")
    held = {"cookie": "; ".join(f"{each.name}={each.value}" for each in mine.cookies.jar)}
    assert mine.get("/api/runs", headers=held).text == "reached"
    assert other.get("/api/runs", headers=held).status_code == 401
    assert other.get("/api/runs", headers={"cookie": 'linkassay-8700="\\'}).status_code == 401


def test_open_to_other_machines() -> None:
    """By number or by the name that it was given, never by a name that somebody else chose."""
    for host, expected in (("10.0.0.1:8700", 401), ("server.example:8700", 401), ("evil.example:8700", 403),
                           ("127.0.0.1:8700", 401), ("[fd00::1]:8700", 401), ("server.example:80", 403)):  # fmt: skip
        assert status({"host": host}, host="server.example", token=TOKEN) == expected
    with pytest.raises(UsageError, match="needs a token"):
        client("0.0.0.0")
    for short in ("short", "x" * 15, "x" * 20 + "\n", "é" * 20):
        with pytest.raises(UsageError, match="at least 16"):
            client(token=short)


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", True), ("127.8.8.8", True), ("localhost", True), ("::1", True), ("[::1]", True), ("0.0.0.0", False),
     ("::", False), ("10.0.0.1", False), ("localhost.evil.example", False), ("server", False), ("", False)],
)  # fmt: skip
def test_loopback(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected
