"""The server as a process: its address, who reaches it, how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import delay
from tests.serving.conftest import wait_for
from tests.serving.test_jobs import alive


@contextmanager
def running(home: Path, *arguments: str, **environment: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`linkassay serve` on a free port, and its address."""
    command = [sys.executable, "-m", "linkassay", "serve", "--port", "0", "--json", *arguments]
    variables = os.environ | {"LINKASSAY_HOME": str(home), "PYTHONUNBUFFERED": ""} | environment
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=variables)
    try:
        assert process.stdout is not None
        said = ""
        while "}" not in said:
            line = process.stdout.readline()
            assert line, process.stderr and process.stderr.read()
            said += line
        yield process, json.loads(said)["address"]
    finally:
        process.kill()
        process.communicate()


def fetch(address: str, **headers: str) -> tuple[int, Any]:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=20) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def test_it_answers_and_ends_with_ctrl_c(served_home: Path) -> None:
    with running(served_home) as (process, address):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address)
        status, body = fetch(address + "api/runs")
        assert (status, len(json.loads(body)["rows"])) == (200, 3)
        assert fetch(address)[0] == 200
        assert fetch(address, Host="evil.example")[0] == 403
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert time.monotonic() - begin < 2 * delay()
        assert (process.returncode, err) == (130, "stopped (Ctrl-C)\n")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_its_jobs_end_with_it(served_home: Path, names: dict[str, str], number: int, code: int) -> None:
    with running(served_home) as (process, address):
        query = "&".join(f"run={name}" for name in names.values())
        assert fetch(f"{address}api/report?{query}")[0] == 202
        children = wait_for(lambda: children_of(process.pid))
        begin = time.monotonic()
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
        assert time.monotonic() - begin < 2 * delay()
        assert process.returncode == code
        assert err.count("\n") == 1
        assert not any(map(alive, children))
    assert list((served_home / "work").glob(".*")) == []


def children_of(process: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{process}/task").iterdir():
        found += map(int, (task / "children").read_text().split())
    return found


def test_a_killed_server_takes_its_jobs_with_it(served_home: Path, names: dict[str, str]) -> None:
    with running(served_home) as (process, address):
        assert fetch(f"{address}api/report?run={names['exact']}")[0] == 202
        children = wait_for(lambda: children_of(process.pid))
        process.kill()
        wait_for(lambda: not any(map(alive, children)), 5 * delay())


def test_a_connection_that_stays_open_does_not_hold_it(served_home: Path) -> None:
    with running(served_home) as (process, address):
        port = int(address.rstrip("/").rpartition(":")[2])
        with (
            socket.create_connection(("127.0.0.1", port)) as idle,
            socket.create_connection(("127.0.0.1", port)) as half,
        ):
            idle.sendall(f"GET /api/about HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            assert b"200 OK" in idle.recv(1 << 16)
            half.sendall(b"GET /api/runs HTTP/1.1\r\nHo")
            begin = time.monotonic()
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
            assert time.monotonic() - begin < 2 * delay()
            assert process.returncode == 130


def test_small_answers_do_not_wait(served_home: Path) -> None:
    """Over one connection: an answer does not wait until the one before it was acknowledged."""
    with running(served_home) as (_, address):
        connection = HTTPConnection("127.0.0.1", int(address.rstrip("/").rpartition(":")[2]), timeout=20)
        taken = []
        for _ in range(30):
            begin = time.perf_counter()
            connection.request("GET", "/api/about")
            assert connection.getresponse().read()
            taken.append(time.perf_counter() - begin)
        connection.close()
        assert sorted(taken)[15] < 0.03 * delay()


def test_large_heads_and_odd_requests(served_home: Path) -> None:
    with running(served_home) as (_, address):
        port = int(address.rstrip("/").rpartition(":")[2])
        for request in (b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 200_000 + b"\r\n\r\n", b"\x00\xff\r\n\r\n",
                        b"GET http://127.0.0.1/ HTTP/1.1\r\n\r\n"):  # fmt: skip
            with socket.create_connection(("127.0.0.1", port)) as odd:
                odd.settimeout(10)
                try:
                    odd.sendall(request)
                    assert b" 200 " not in odd.recv(1 << 16)
                except ConnectionError:
                    pass
        assert fetch(address + "api/about")[0] == 200


def test_open_to_other_machines(served_home: Path) -> None:
    """Without a token nothing, with the address that was printed everything, by a cookie."""
    with running(served_home, "--host", "0.0.0.0") as (_, address):
        token = re.fullmatch(r"http://[^/]+:(\d+)/\?token=([\w-]{40,})", address)
        assert token
        local = f"http://127.0.0.1:{token[1]}/"
        assert fetch(local + "api/runs")[0] == 401
        assert fetch(local)[0] == 401
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        with browser.open(f"{local}?token={token[2]}", timeout=20) as page:
            assert page.geturl() == local
        with browser.open(local + "api/runs", timeout=20) as answer:
            assert len(json.loads(answer.read())["rows"]) == 3


def test_a_token_from_the_environment(served_home: Path) -> None:
    with running(served_home, LINKASSAY_TOKEN="a-token-of-this-test") as (_, address):
        assert address.endswith("/?token=a-token-of-this-test")
        assert fetch(address.partition("?")[0] + "api/runs")[0] == 401
