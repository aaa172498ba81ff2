"""`serve` as far as it gets without serving: what is missing, taken or refused is one sentence."""

from __future__ import annotations

import socket
import subprocess
import sys
import webbrowser
from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_without_the_extra(linkassay: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for missing in ("starlette", "uvicorn"):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, missing, None)
            done = linkassay("serve", "--port", "0")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == "error: serve needs Starlette and uvicorn: pip install 'linkassay[serve]'\n"


def test_a_port_that_is_taken(linkassay: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = linkassay("serve", "--port", port)
    assert done.returncode == 2
    assert done.stderr == f"error: port {port} is taken: end what uses it, or choose another with --port\n"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--token", "short"), "--token has at least 16"),
        (("--host", "203.0.113.7"), "cannot listen at 203.0.113.7:"),
        (("--host", "no.such.name.invalid"), "cannot listen at no.such.name.invalid:"),
    ],
)
def test_what_is_refused(linkassay: Run, arguments: tuple[str, ...], why: str) -> None:
    done = linkassay("serve", "--port", "0", *arguments)
    assert done.returncode == 2
    assert why in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_address_is_said_and_opened(linkassay: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    import uvicorn

    opened: list[str] = []
    event = threading.Event()

    def open_(address: str) -> bool:
        opened.append(address)
        event.set()
        return True

    def run(self: Any, sockets: Any = None) -> None:
        assert event.wait(60)

    monkeypatch.setattr(webbrowser, "open", open_)
    monkeypatch.setattr(uvicorn.Server, "run", run)
    done = linkassay("serve", "--port", "0", "--open")
    assert done.returncode == 0
    [address] = opened
    assert address.startswith("http://127.0.0.1:")
    assert address in done.stdout
    assert "Ctrl-C ends it." in done.stdout
