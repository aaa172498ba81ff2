"""The errors a person may see. Anything else that escapes is a bug in linkassay (SAFE-1)."""

from __future__ import annotations

__all__ = ["DataError", "FetchError", "LinkassayError", "UnwritableError", "UsageError"]


class LinkassayError(Exception):
    """Base of all expected errors: the message says what, where, and what to do. Exit code 2."""


class DataError(LinkassayError):
    """A file does not say what its format promises."""

    def __init__(self, message: str, *, file: str = "", line: int = 0) -> None:
        self.message, self.file, self.line = message, file, line
        where = f"{file}:{line}: " if file and line else f"{file}: " if file else ""
        super().__init__(where + message)


class UsageError(LinkassayError):
    """The request itself cannot be met: an unknown name, options that exclude each other."""


class UnwritableError(LinkassayError):
    """The disk is full, or nothing can be written there."""


class FetchError(LinkassayError):
    """A download did not end in a whole, verified file."""
