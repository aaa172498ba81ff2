"""What others wrote, JSON or TOML, decoded by declared types (msgspec): errors say where, and what is expected.

A shape is a `msgspec.Struct` beside its reader. What a type expects is said in plain words, or in those of its
`Meta(description=…)`. Only shapes are known here, not what values mean.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import msgspec

from linkassay.errors import DataError
from linkassay.registry import near_miss

__all__ = ["Offset", "Place", "SpanPair", "converted", "decoded", "described", "load_json", "shown_json"]

#: A whole number of at most 2^53, so that no sum of offsets overflows.
Offset = Annotated[int, msgspec.Meta(ge=-(1 << 53), le=1 << 53)]
SpanPair = Annotated[tuple[Offset, Offset], msgspec.Meta(description="[start, end]")]

_Shape = TypeVar("_Shape")
_Steps = tuple[str | int, ...]
_Hook = Callable[[type, Any], Any] | None
_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", list: "a list",
          tuple: "a list", dict: "an object"}  # fmt: skip
_encode = msgspec.json.Encoder().encode
_decoder: Callable[[Any], msgspec.json.Decoder[Any]] = cache(msgspec.json.Decoder)


class Place(NamedTuple):
    """Where a value stands: a file, a line of it, a path into that."""

    file: str
    line: int = 0
    path: str = ""

    def error(self, message: str) -> DataError:
        """What is wrong there."""
        return DataError(message, file=self.file, line=self.line)

    def at(self, *steps: str | int) -> str:
        """The path to something inside.

        >>> Place("p.jsonl", 7, "[2]").at("spans", 0)
        '[2].spans[0]'
        """
        further = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
        return (self.path + further).lstrip(".")


def load_json(text: str | bytes, file: str, line: int = 0) -> Any:
    """One JSON text, of whatever shape."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        where = line or getattr(error, "lineno", 1)
        deep = isinstance(error, RecursionError)
        message = "nested too deeply" if deep else getattr(error, "msg", str(error))
        raise DataError(f"not valid JSON ({message})", file=file, line=where) from error


def decoded(shape: type[_Shape], text: str, place: Place) -> _Shape:
    """One JSON text of a shape."""
    try:
        found: _Shape = _decoder(shape).decode(text)
        return found
    except (msgspec.DecodeError, RecursionError):  # Python's own reader takes more (NaN), and says more of the rest
        return converted(shape, load_json(text, place.file, place.line), place)


def converted(shape: type[_Shape], data: Any, place: Place) -> _Shape:
    """What was loaded of JSON, or of the like, as a shape."""
    found: Any = data
    try:
        found = msgspec.convert(data, shape)
        _encode(found)
    except msgspec.ValidationError as error:
        misfit = _misfit(shape, data, str(error))
        at, there = place.at(*misfit.steps) or "value", f"found {shown_json(misfit.found)}"
        message = misfit.unknown or f"{at}: {misfit.missing or f'expected {misfit.expected}'}, {there}"
    except UnicodeEncodeError:  # half a UTF-16 pair can be escaped in JSON but neither stored nor shown
        steps, text = next(_surrogates(msgspec.to_builtins(found)))
        message = f"{place.at(*steps) or 'value'}: a lone surrogate is no character, found {shown_json(text)}"
    else:
        return cast(_Shape, found)
    raise place.error(message)


def described(shape: type[_Shape], data: Any, file: str, where: str = "", hook: _Hook = None) -> _Shape:
    """A table of TOML as a shape; `where` says which, e.g. `score: `. `hook` makes what TOML has no types for.

    What is alone stands for a list of one wherever a shape has a tuple.
    """
    data = _listed(shape, data)
    try:
        return msgspec.convert(data, shape, dec_hook=hook)
    except msgspec.ValidationError as error:
        misfit = _misfit(shape, data, str(error), hook)
    names = [step for step in misfit.steps if isinstance(step, str)]  # a list is named, not which of it
    told = misfit.unknown or misfit.missing or f"expected a table, found {misfit.found!r:.80}"
    if names and not misfit.unknown and not misfit.missing:
        told = f"{names.pop()!r} must be {misfit.expected}, not {misfit.found!r:.80}"
    raise DataError(where + "".join(f"{name}: " for name in names) + told, file=file)


def shown_json(data: Any) -> str:
    """The beginning of a value as JSON; lists and objects that are too deep only by their size."""
    try:
        return "nothing" if data is None else json.dumps(data)[:60]
    except RecursionError:
        return f"something nested, of {len(data)} parts"


class _Misfit(NamedTuple):
    """What does not have its shape: where and what it is, what was expected, or which field is not."""

    steps: _Steps
    found: Any
    expected: str
    unknown: str = ""
    missing: str = ""


def _misfit(shape: Any, data: Any, message: str, hook: _Hook = None) -> _Misfit:
    """What a message of the library is about: it has the path, shape and data have the rest."""
    steps: list[str | int] = []
    at = re.search(r" - at `(?:key` in `)?\$(.*)`$", message)
    for name, index in re.findall(r"\.(\w+)|\[(\d+|\.\.\.)\]", at[1] if at else ""):
        try:
            step = name or (_misfitting(shape, data, hook) if index == "..." else int(index))
            shape, data = _inner(shape, step), data[step]
        except (LookupError, TypeError, AttributeError):  # no path, but an unknown key that looks like one
            break
        steps.append(step)
    found = _Misfit(tuple(steps), data, _words(shape))
    struct = next(filter(_fields, _choices(shape)), None)
    if unknown := re.match(r"(?s)Object contains unknown field `(.{,60}).*`", message):
        key = unknown[1].partition("`")[0]
        return found._replace(unknown=f"unknown key {key!r}; {near_miss(key, list(_fields(struct)))}")
    if missing := re.match(r"Object missing required field `(.*?)`", message):
        return found._replace(missing=f"{missing[1]!r} is missing")
    if isinstance(data, list) and struct and struct.__struct_config__.array_like:  # which is too short
        return found._replace(missing=f"{len(data)} is missing")
    return found


def _misfitting(shape: Any, data: dict[str, Any], hook: _Hook) -> str:
    """The key of the first value that does not have its shape, which the library does not tell."""
    for key, value in data.items():
        try:
            msgspec.convert(value, _inner(shape, key), dec_hook=hook)
        except msgspec.ValidationError:
            return key
    raise LookupError(data)


def _inner(shape: Any, step: str | int) -> Any:
    """The shape of what stands at a step into a shape."""
    for choice in _choices(shape):
        fields, origin, parts = _fields(choice), get_origin(choice), get_args(choice)
        if fields:
            return fields[step] if isinstance(step, str) else list(fields.values())[step]
        if isinstance(step, str) and origin is dict:
            return parts[1]
        if isinstance(step, int) and origin in (list, tuple):
            return parts[0] if origin is list or parts[-1] is Ellipsis else parts[step]
    return Any


def _listed(shape: Any, data: Any) -> Any:
    """The data with lists of one where a shape has a tuple and something stands alone."""
    for choice in _choices(shape):
        if isinstance(data, dict) and (_fields(choice) or get_origin(choice) is dict):
            known = _fields(choice) or data
            return {key: _listed(_inner(choice, key), value) if key in known else value for key, value in data.items()}
        if get_origin(choice) is tuple:
            return [_listed(_inner(choice, 0), each) for each in (data if isinstance(data, list) else [data])]
    return data


def _words(shape: Any) -> str:
    """What a shape expects; of several the first is said."""
    origin, parts = get_origin(shape), get_args(shape)
    if origin is Annotated:
        return shape.__metadata__[0].description or _words(parts[0])
    if origin in (Union, UnionType):
        return _words(next(part for part in parts if part is not NoneType))
    if origin is Literal:
        return " or ".join(map(repr, parts))
    if _fields(shape):
        return "a list" if shape.__struct_config__.array_like else "an object"
    return _WORDS.get(origin or shape, "a text")


def _choices(shape: Any) -> Iterator[Any]:
    """The shapes that a shape leaves the choice of; nothing is none."""
    if get_origin(shape) is Annotated:
        yield from _choices(get_args(shape)[0])
    elif get_origin(shape) in (Union, UnionType):
        for part in get_args(shape):
            yield from _choices(part)
    elif shape is not NoneType:
        yield shape


@cache
def _fields(shape: Any) -> dict[str, Any]:
    """The fields of a struct, in their order."""
    struct = isinstance(shape, type) and issubclass(shape, msgspec.Struct)
    return get_type_hints(shape, include_extras=True) if struct else {}


def _surrogates(data: Any, steps: _Steps = ()) -> Iterator[tuple[_Steps, str]]:
    """Every text with half a pair, and where it stands."""
    if isinstance(data, str) and re.search("[\ud800-\udfff]", data):
        yield steps, data
    parts = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list | tuple) else ()
    for step, part in parts:
        yield from _surrogates(step, steps) if isinstance(step, str) else ()
        yield from _surrogates(part, (*steps, step))
