"""What a request is answered with that cannot be met: one sentence and a status of HTTP."""

from __future__ import annotations

from linkassay.errors import LinkassayError


class RefusedError(LinkassayError):
    """A request that is not answered, with the status that says so."""

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        super().__init__(message)


def not_found(message: str) -> RefusedError:
    """What is asked for is not there."""
    return RefusedError(404, message)


def bad_request(message: str) -> RefusedError:
    """What is asked for cannot be."""
    return RefusedError(400, message)
