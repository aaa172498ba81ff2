"""The objects of a JSON file, one at a time: a line each, over several lines each, or the elements of one array."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain

from linkassay.errors import DataError
from linkassay.files import RawFile

_BLANK = re.compile(r"\s*")


def json_items(file: RawFile, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """The text of each object and the line where it begins. Lines come in a stream; what is not so is held whole."""
    lines = ((number, line) for number, line in file.lines(encoding) if line.strip())
    first = next(lines, None)
    if first is None:
        return
    if first[1].lstrip().startswith("["):
        yield from _elements(file.text(encoding), file.name)
    elif not _is_json(first[1]) and _begins(text := file.text(encoding)):
        yield from _one_by_one(text, file.name)
    else:
        yield from chain([first], lines)


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _begins(text: str) -> bool:
    """Whether a text begins with an object, on however many lines."""
    try:
        json.JSONDecoder().raw_decode(text, _after_blanks(text, 0))
    except (ValueError, RecursionError):
        return False
    return True


def _one_by_one(text: str, file: str) -> Iterator[tuple[int, str]]:
    """Objects that stand one behind the other, each on several lines."""
    decode = json.JSONDecoder().raw_decode
    at, line, counted = _after_blanks(text, 0), 1, 0
    while at < len(text):
        line, counted = line + text.count("\n", counted, at), at
        try:
            _, end = decode(text, at)
        except (ValueError, RecursionError) as found:
            raise DataError(f"not valid JSON ({getattr(found, 'msg', found)})", file=file, line=line) from found
        yield line, text[at:end]
        at = _after_blanks(text, end)


def _elements(text: str, file: str) -> Iterator[tuple[int, str]]:
    """What stands between the commas of an array."""
    decode = json.JSONDecoder().raw_decode
    at, counted, line = text.index("[") + 1, 0, 1

    def error(message: str) -> DataError:
        return DataError(f"not valid JSON ({message})", file=file, line=text.count("\n", 0, at) + 1)

    at = _after_blanks(text, at)
    closed = text[at : at + 1] == "]"
    while not closed:
        line, counted = line + text.count("\n", counted, at), at
        try:
            _, end = decode(text, at)
        except RecursionError:
            raise error("nested too deeply") from None
        except ValueError as found:
            raise error(f"{getattr(found, 'msg', found)}; is the array whole?") from found
        yield line, text[at:end]
        at = _after_blanks(text, end)
        closed = text[at : at + 1] == "]"
        if not closed:
            if text[at : at + 1] != ",":
                raise error("a comma or the end of the array is missing")
            at = _after_blanks(text, at + 1)
            if text[at : at + 1] == "]":
                raise error("a comma stands before the end of the array")
    at = _after_blanks(text, at + 1)
    if at < len(text):
        raise error("something stands behind the end of the array")


def _after_blanks(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at
