"""Native predictions: JSON lines, one answer of a linker a line. Reads and writes, does not score.

{"document", "spans": [[start, end]], "mention"?, "type"?, "candidates": [["id", …tied…], …],
 "scores"?: [[…], …], "nil"?: true}
A group may be one id instead of a list, and its scores one number; `spans` may be left out where
`mention` names the gold mention.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.formats.jsonvalue import Value, parse
from linkassay.ids import curie
from linkassay.model import Prediction, Span
from linkassay.registry import near_miss

__all__ = ["read", "read_numbered", "write"]

_KEYS = ("document", "spans", "mention", "type", "candidates", "scores", "nil")


def read(files: Iterable[RawFile], *, prefix: str = "") -> Iterator[Prediction]:
    """Yield the predictions of JSON lines files; `prefix` is that of ids written without one."""
    for _, _, prediction in read_numbered(files, prefix=prefix):
        yield prediction


def read_numbered(files: Iterable[RawFile], *, prefix: str = "") -> Iterator[tuple[str, int, Prediction]]:
    """The same with the file and line of each."""
    for file in files:
        for number, line in file.lines():
            if line.strip():
                yield file.name, number, _prediction(parse(line, file.name, number), prefix)


def _prediction(value: Value, prefix: str) -> Prediction:
    for key, _ in value.members():
        if key not in _KEYS:
            raise _error(value, f"unknown key {key!r}; {near_miss(key, list(_KEYS))}")
    mention = value.get("mention").string("")
    spans = _spans(value)
    if not spans and not mention:
        raise _error(value, "expected `spans`, or `mention` with the id of a gold mention")
    candidates = list(value.get("candidates").items())
    scores = None if value.get("scores").missing else list(value.get("scores").items())
    if scores is not None and len(scores) != len(candidates):
        raise _error(value, f"{len(scores)} scores for {len(candidates)} groups of candidates")
    groups: list[tuple[str, ...]] = []
    numbers: list[float] = []
    for index, candidate in enumerate(candidates):
        group = _group(candidate, prefix)
        if group:
            groups.append(group)
            if scores is not None:
                size = len(candidate.data) if isinstance(candidate.data, list) else 1
                numbers.append(_score(scores[index], size))
    document = value["document"].identifier()
    if not document.strip():
        raise _error(value, "document without an id")
    return Prediction(
        document=document,
        spans=spans,
        groups=tuple(groups),
        scores=tuple(numbers),
        mention=mention,
        type=value.get("type").string(""),
        nil=value.get("nil").boolean(False),
    )


def _spans(value: Value) -> tuple[Span, ...]:
    spans = tuple(s.span() for s in value.get("spans").items())
    last = 0
    for start, end in spans:
        if start < last or start >= end:
            raise _error(value, f"spans: {start}-{end} is negative, empty, reversed or out of order")
        last = end
    return spans


def _group(value: Value, prefix: str) -> tuple[str, ...]:
    members = value.items() if isinstance(value.data, list) else (value,)
    ids = dict.fromkeys(curie(m.string(), prefix) for m in members)
    if "" in ids:
        raise _error(value, f"{_at(value)}: an id is empty; no answer is `[]`")
    return tuple(ids)


def _score(value: Value, size: int) -> float:
    """The score of a group of `size` ids: one number, or the same number for each of them."""
    if not isinstance(value.data, list):
        return _number(value)
    numbers = [_number(v) for v in value.items()]
    if len(numbers) != size:
        raise _error(value, f"{_at(value)}: {len(numbers)} scores for {size} tied ids")
    if len(set(numbers)) > 1:
        raise _error(value, f"{_at(value)}: tied ids with different scores; put them into groups of their own")
    return numbers[0]


def _number(value: Value) -> float:
    if isinstance(value.data, bool) or not isinstance(value.data, int | float):
        raise _error(value, f"{_at(value)}: expected a number, found {json.dumps(value.data)[:60]}")
    try:
        number = float(value.data)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise _error(value, f"{_at(value)}: expected a finite number, found {number}")
    return number


def _at(value: Value) -> str:
    return value.path.lstrip(".")


def _error(value: Value, message: str) -> DataError:
    return DataError(message, file=value.file, line=value.line)


def write(predictions: Iterable[Prediction], out: TextIO) -> None:
    """Write predictions so that `read` gives them back as they were."""
    for p in predictions:
        value: dict[str, Any] = {"document": p.document, "spans": p.spans}
        if p.mention:
            value["mention"] = p.mention
        if p.type:
            value["type"] = p.type
        value["candidates"] = p.groups
        if p.scores:
            value["scores"] = [[score] * len(group) for group, score in zip(p.groups, p.scores)]
        if p.nil:
            value["nil"] = True
        out.write(json.dumps(value, ensure_ascii=False) + "\n")
