"""JSON with manners: a wrapper whose errors say file, line and path instead of a traceback."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

from linkassay.decoding import load_json, shown_json
from linkassay.errors import DataError
from linkassay.model import Span
from linkassay.registry import near_miss

_MISSING: Any = object()


def parse_json(text: str | bytes, file: str, line: int = 0) -> JsonValue:
    """Parse one JSON text."""
    return JsonValue(load_json(text, file, line), file, line)


class JsonValue:
    """A JSON value that knows where it stands."""

    __slots__ = ("data", "file", "line", "path")

    def __init__(self, data: Any, file: str, line: int = 0, path: str = "") -> None:
        self.data, self.file, self.line, self.path = data, file, line, path

    @property
    def missing(self) -> bool:
        """Absent or null."""
        return self.data is _MISSING or self.data is None

    def __contains__(self, key: str) -> bool:
        return isinstance(self.data, dict) and self.data.get(key) is not None

    def __getitem__(self, key: str | int) -> JsonValue:
        found = self.get(key)
        if found.data is _MISSING:
            raise self._error(f"{key!r} is missing")
        return found

    def get(self, key: str | int) -> JsonValue:
        """The member, or a missing value."""
        if isinstance(key, str):
            if not isinstance(self.data, dict):
                raise self._error("expected an object")
            return JsonValue(self.data.get(key, _MISSING), self.file, self.line, f"{self.path}.{key}")
        if not isinstance(self.data, list):
            raise self._error("expected a list")
        data = self.data[key] if key < len(self.data) else _MISSING
        return JsonValue(data, self.file, self.line, f"{self.path}[{key}]")

    def items(self) -> Iterator[JsonValue]:
        """The elements of a list; none if it is missing."""
        if self.missing:
            return
        if not isinstance(self.data, list):
            raise self._error("expected a list")
        for index, data in enumerate(self.data):
            yield JsonValue(data, self.file, self.line, f"{self.path}[{index}]")

    def members(self) -> Iterator[tuple[str, JsonValue]]:
        """The members of an object; none if it is missing."""
        if self.missing:
            return
        if not isinstance(self.data, dict):
            raise self._error("expected an object")
        for key, data in self.data.items():
            name = JsonValue(key, self.file, self.line, self.path).string()  # refuses what is no text
            yield name, JsonValue(data, self.file, self.line, f"{self.path}.{name}")

    def only(self, known: Sequence[str]) -> None:
        """Refuse an object that has members other than `known`."""
        for key, _ in self.members():
            if key not in known:
                message = f"unknown member {key[:60]!r}; {near_miss(key[:60], list(known))}"
                raise DataError(f"{self._at}: {message}", file=self.file, line=self.line)

    def string(self, default: str | None = None) -> str:
        """A text; `default` where it is missing."""
        if self.missing and default is not None:
            return default
        if not isinstance(self.data, str):
            raise self._error("expected a text")
        # Half a UTF-16 pair can be escaped in JSON but neither stored nor shown.
        if not self.data.isascii() and any("\ud800" <= c <= "\udfff" for c in self.data):
            raise self._error("a lone surrogate is no character")
        return self.data

    def identifier(self) -> str:
        """A text or an integer, as text."""
        if isinstance(self.data, int) and not isinstance(self.data, bool):
            return str(self.data)
        return self.string()

    def integer(self) -> int:
        """A whole number of at most 2^53, so that no sum of offsets overflows."""
        if not isinstance(self.data, int) or isinstance(self.data, bool) or abs(self.data) > 1 << 53:
            raise self._error("expected a whole number")
        return self.data

    @overload
    def boolean(self, default: bool) -> bool: ...
    @overload
    def boolean(self, default: None) -> bool | None: ...
    def boolean(self, default: bool | None) -> bool | None:
        """True or false; `default` where it is missing."""
        if self.missing:
            return default
        if not isinstance(self.data, bool):
            raise self._error("expected true or false")
        return self.data

    def span(self) -> Span:
        """A pair of whole numbers."""
        if not isinstance(self.data, list) or len(self.data) != 2:
            raise self._error("expected [start, end]")
        return self[0].integer(), self[1].integer()

    def _error(self, message: str) -> DataError:
        shown = shown_json(None if self.missing else self.data)
        return DataError(f"{self._at}: {message}, found {shown}", file=self.file, line=self.line)

    @property
    def _at(self) -> str:
        return self.path.lstrip(".") or "value"
