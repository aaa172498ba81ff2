"""Native predictions: one answer of a linker a line, as JSON lines or Parquet. Reads and writes, does not score.

{"document", "spans": [[start, end]], "mention"?, "type"?, "candidates": [["id", …tied…], …],
 "scores"?: [[…], …], "nil"?: true, "nil_as"?}
A group may be one id instead of a list, and its scores one number; `spans` may be left out where
`mention` names the gold mention. A Parquet file has the columns of `store.PREDICTIONS`, as the
`predictions.parquet` of a run; all but `document` and `groups` may be left out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

from linkassay import store
from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.formats.predictions.claims import Claim, counted
from linkassay.formats.reading import Reading
from linkassay.formats.syntax.json_value import JsonValue, parse_json
from linkassay.ids import curie
from linkassay.model import Prediction, Span
from linkassay.registry import near_miss

_KEYS = ("document", "spans", "mention", "type", "candidates", "scores", "nil", "nil_as")


def read(files: Iterable[RawFile], *, prefix: str = "") -> Iterator[Prediction]:
    """Yield the predictions of JSON lines files; `prefix` is that of ids written without one."""
    for file in files:
        yield from (_prediction(value, prefix) for value in _lines(file, "utf-8"))


def read_claims(files: Iterable[RawFile], reading: Reading) -> Iterator[Claim]:
    """The predictions of JSON lines and Parquet files; rows that say nothing sensible are problems."""
    prefix = reading.rule("").prefix
    for file in files:
        rows = _parquet(file) if file.suffix == ".parquet" else _lines(file, reading.encoding)
        for value in rows:
            with counted(reading.problems):
                yield Claim(file.name, value.line, _prediction(value, prefix))


def _lines(file: RawFile, encoding: str) -> Iterator[JsonValue]:
    return (parse_json(line, file.name, number) for number, line in file.lines(encoding) if line.strip())


def _parquet(file: RawFile) -> Iterator[JsonValue]:
    """The rows of a Parquet file as the objects that a line would hold."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    data = file.bytes()
    number = 0
    try:
        table = pq.ParquetFile(pa.BufferReader(data))
        names = table.schema_arrow.names
        for needed in ("document", "groups"):
            if names.count(needed) != 1:
                raise DataError(
                    f"the table has no single column {needed!r}; {near_miss(needed, names)}", file=file.name
                )
        schema = pa.schema([field for field in store.PREDICTIONS if names.count(field.name) == 1])
        for batch in table.iter_batches(columns=schema.names):
            for row in pa.Table.from_batches([batch]).select(schema.names).cast(schema).to_pylist():
                number += 1
                spans = [[s and s["start"], s and s["end"]] for s in row.pop("spans", None) or ()]
                groups, scores = row.pop("groups"), row.pop("scores", None) or None
                yield JsonValue(row | {"spans": spans, "candidates": groups, "scores": scores}, file.name, number)
    except (pa.ArrowException, OSError, MemoryError, ValueError) as error:
        raise DataError(f"not a readable Parquet file ({str(error).splitlines()[0][:200]})", file=file.name) from error


def _prediction(value: JsonValue, prefix: str) -> Prediction:
    for key, _ in value.members():
        if key not in _KEYS:
            raise _error(value, f"unknown key {key!r}; {near_miss(key, list(_KEYS))}")
    mention = value.get("mention").string("")
    spans = spans_of(value.get("spans"))
    if not spans and not mention:
        raise _error(value, "expected `spans`, or `mention` with the id of a gold mention")
    groups, scores = ranked(value, prefix)
    document = value["document"].identifier()
    if not document.strip():
        raise _error(value, "document without an id")
    return Prediction(
        document=document,
        spans=spans,
        groups=groups,
        scores=scores,
        mention=mention,
        type=value.get("type").string(""),
        nil=value.get("nil").boolean(False),
        nil_as=value.get("nil_as").string(""),
    )


def ranked(value: JsonValue, prefix: str) -> tuple[tuple[tuple[str, ...], ...], tuple[float, ...]]:
    """The groups and scores that the members `candidates` and `scores` of an object say; empty groups vanish."""
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
    return tuple(groups), tuple(numbers)


def spans_of(value: JsonValue) -> tuple[Span, ...]:
    """A list of [start, end] as spans in order."""
    spans = tuple(s.span() for s in value.items())
    last = 0
    for start, end in spans:
        if start < last or start >= end:
            raise _error(value, f"{_at(value)}: {start}-{end} is negative, empty, reversed or out of order")
        last = end
    return spans


def _group(value: JsonValue, prefix: str) -> tuple[str, ...]:
    members = value.items() if isinstance(value.data, list) else (value,)
    ids = dict.fromkeys(curie(m.string(), prefix) for m in members)
    if "" in ids:
        raise _error(value, f"{_at(value)}: an id is empty; no answer is `[]`")
    return tuple(ids)


def _score(value: JsonValue, size: int) -> float:
    """The score of a group of `size` ids: one number, or the same number for each of them."""
    if not isinstance(value.data, list):
        return _number(value)
    numbers = [_number(v) for v in value.items()]
    if len(numbers) != size:
        raise _error(value, f"{_at(value)}: {len(numbers)} scores for {size} tied ids")
    if len(set(numbers)) > 1:
        raise _error(value, f"{_at(value)}: tied ids with different scores; put them into groups of their own")
    return numbers[0]


def _number(value: JsonValue) -> float:
    if isinstance(value.data, bool) or not isinstance(value.data, int | float):
        raise _error(value, f"{_at(value)}: expected a number, found {json.dumps(value.data)[:60]}")
    try:
        number = float(value.data)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise _error(value, f"{_at(value)}: expected a finite number, found {number}")
    return number


def _at(value: JsonValue) -> str:
    return value.path.lstrip(".")


def _error(value: JsonValue, message: str) -> DataError:
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
        if p.nil_as:
            value["nil_as"] = p.nil_as
        out.write(json.dumps(value, ensure_ascii=False) + "\n")
