"""The application: addresses of the server and what answers them."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio.to_thread
from anyio import CapacityLimiter
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from linkassay.pages import server_shell
from linkassay.serving.answers import QUICK, Answer, Explorer, error_answer
from linkassay.serving.guard import Guard
from linkassay.serving.refusals import RefusedError

#: Threads for requests that ask a database, and for all others, which so never wait for those.
_ASKING, _READING = 8, 8


def application(explorer: Explorer, host: str, port: int, token: str = "") -> Guard:
    """The application that answers from `explorer`, behind its guard; `host` and `port` are where it is reached."""
    asking, reading = CapacityLimiter(_ASKING), CapacityLimiter(_READING)
    page, script, style = server_shell()

    async def api(request: Request) -> Response:
        name = request.path_params["name"]
        known = request.headers.get("if-none-match", "")
        limiter = reading if name in QUICK else asking
        query = request.scope["query_string"]
        return _response(await anyio.to_thread.run_sync(explorer.answer, name, query, known, limiter=limiter))

    async def job(request: Request) -> Response:
        return _response(explorer.job(request.path_params["job"]))

    async def cancel(request: Request) -> Response:
        return _response(explorer.cancel(request.path_params["job"]))

    @asynccontextmanager
    async def alive(_: Starlette) -> AsyncIterator[None]:
        yield
        await anyio.to_thread.run_sync(explorer.end)

    routes = [
        Route("/", _file(page, "text/html")),
        Route("/assets/script.js", _file(script, "text/javascript")),
        Route("/assets/style.css", _file(style, "text/css")),
        Route("/api/{name}", api),
        Route("/api/jobs/{job}", job),
        Route("/api/jobs/{job}/cancel", cancel, methods=["POST"]),
    ]
    handlers: dict[Any, Any] = {HTTPException: _http_error, RefusedError: _refused}
    return Guard(Starlette(routes=routes, exception_handlers=handlers, lifespan=alive), host, port, token)


def _file(text: str, kind: str) -> Any:
    data = text.encode("utf-8")
    etag = f'"{hashlib.sha256(data).hexdigest()[:24]}"'

    async def answer(request: Request) -> Response:
        if etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers={"etag": etag})
        return Response(data, media_type=f"{kind}; charset=utf-8", headers={"etag": etag})

    return answer


def _response(answer: Answer) -> Response:
    headers = {"etag": f'"{answer.etag}"'} if answer.etag else {"cache-control": "no-store"}
    if answer.status == 503:
        headers["retry-after"] = "2"
    return Response(answer.body, answer.status, headers, media_type="application/json")


async def _http_error(_: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 500)
    return _response(error_answer(status, "there is nothing at this address" if status == 404 else "not allowed here"))


async def _refused(_: Request, error: Exception) -> Response:
    return _response(error_answer(getattr(error, "status", 400), str(error)))
