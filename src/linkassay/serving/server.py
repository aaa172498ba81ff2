"""The server itself: its address, its signals, its end."""

from __future__ import annotations

import errno
import os
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linkassay import stopping, store
from linkassay.errors import UsageError
from linkassay.serving.guard import is_loopback

if TYPE_CHECKING:
    from linkassay.serving.answers import Explorer

DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 8700
#: Seconds that requests have for coming to an end when the server ends.
_GRACE = 1
#: Bytes of the head of a request.
_LARGEST_HEAD = 64 << 10


def serve(
    *,
    host: str = DEFAULT_HOST,
    port: int = DEFAULT_PORT,
    token: str = "",
    browser: bool = False,
    ready: Callable[[str, Path], None] = lambda address, home: None,
) -> None:
    """Serve the explorer of the data home until told to stop; `ready` is told the address and the home.

    An address that other machines reach needs a token: who has none gets one that nobody guesses.
    """
    try:
        import starlette  # noqa: F401
        import uvicorn
    except ImportError:
        raise UsageError("serve needs Starlette and uvicorn: pip install 'linkassay[serve]'") from None
    from linkassay.serving.answers import Explorer
    from linkassay.serving.application import application

    home = store.home()
    if not token and not is_loopback(host):
        token = secrets.token_urlsafe(32)
    with _listening(host, port) as listening:
        port = listening.getsockname()[1]
        explorer = Explorer(home)
        stopping.at_the_end(explorer.end)
        try:
            app: Any = application(explorer, host, port, token)
            config = uvicorn.Config(
                app, log_config=None, log_level="critical", access_log=False, server_header=False, ws="none",
                lifespan="on", http="h11", proxy_headers=False, timeout_graceful_shutdown=_GRACE,
                h11_max_incomplete_event_size=_LARGEST_HEAD, limit_concurrency=512,
            )  # fmt: skip
            address = f"http://{_shown(host)}:{port}/" + (f"?token={token}" if token else "")
            ready(address, home)
            if browser:
                threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
            _server(config, explorer).run(sockets=[listening])
        finally:
            explorer.end()


def _server(config: Any, explorer: Explorer) -> Any:
    import uvicorn

    class Server(uvicorn.Server):
        """Ends what is under way as soon as it is told to stop, not when requests are over."""

        def handle_exit(self, sig: int, frame: Any) -> None:
            threading.Thread(target=explorer.end, daemon=True).start()
            super().handle_exit(sig, frame)

    return Server(config)


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # that it is TCP has to be said, else asyncio lets small answers wait for those before them (Nagle)
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # else a port could be taken from who has it
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host.strip("[]"), port))
        listening.listen(256)
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            raise UsageError(f"port {port} is taken: end what uses it, or choose another with --port") from None
        raise UsageError(f"cannot listen at {host}:{port}: {error.strerror or error}") from None
    return listening


def _shown(host: str) -> str:
    """What others call this machine, where it listens at all its addresses."""
    if host in ("0.0.0.0", "::", "[::]"):  # noqa: S104
        return socket.gethostname()
    return f"[{host.strip('[]')}]" if ":" in host else host
