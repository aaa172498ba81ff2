"""Native predictions: one answer of a linker a line, as JSON lines or Parquet. Reads and writes, does not score.

{"document", "spans": [[start, end]], "mention"?, "type"?, "candidates": [["id", …tied…], …],
 "scores"?: [[…], …], "nil"?: true, "nil_as"?}
A group may be one id instead of a list, and its scores one number; `spans` may be left out where
`mention` names the gold mention. A Parquet file has the columns of `store.PREDICTIONS`, as the
`predictions.parquet` of a run; all but `document` and `groups` may be left out.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

import msgspec

from linkassay import store
from linkassay.decoding import Place, SpanPair, converted, decoded
from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.formats.predictions.claims import Claim, counted
from linkassay.formats.reading import Reading
from linkassay.formats.syntax.json_objects import json_items
from linkassay.ids import curie
from linkassay.model import Prediction, Span
from linkassay.registry import near_miss

#: Ranked groups of tied ids, and a score for each; what stands alone is a group of one.
Groups = tuple[str | tuple[str, ...], ...]
Scores = tuple[float | int | tuple[float | int, ...] | None, ...]


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    document: str | int
    spans: tuple[SpanPair, ...] | None = None
    mention: str | None = None
    type: str | None = None
    candidates: Groups | None = None
    scores: Scores | None = None
    nil: bool | None = None
    nil_as: str | None = None


def read(files: Iterable[RawFile], *, prefix: str = "") -> Iterator[Prediction]:
    """Yield the predictions of JSON lines files; `prefix` is that of ids written without one."""
    for file in files:
        for place, line in _lines(file, "utf-8"):
            yield _prediction(decoded(_Line, line, place), place, prefix)


def read_claims(files: Iterable[RawFile], reading: Reading) -> Iterator[Claim]:
    """The predictions of JSON lines and Parquet files; rows that say nothing sensible are problems."""
    prefix = reading.rule("").prefix
    for file in files:
        parquet = file.suffix == ".parquet"
        for place, row in _parquet(file) if parquet else _lines(file, reading.encoding):
            with counted(reading.problems):
                said = converted(_Line, row, place) if parquet else decoded(_Line, row, place)
                yield Claim(file.name, place.line, _prediction(said, place, prefix))


def _lines(file: RawFile, encoding: str) -> Iterator[tuple[Place, Any]]:
    return ((Place(file.name, number), text) for number, text in json_items(file, encoding))


def _parquet(file: RawFile) -> Iterator[tuple[Place, Any]]:
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
                yield Place(file.name, number), row | {"spans": spans, "candidates": groups, "scores": scores}
    except (pa.ArrowException, OSError, MemoryError, ValueError) as error:
        raise DataError(f"not a readable Parquet file ({str(error).splitlines()[0][:200]})", file=file.name) from error


def _prediction(said: _Line, place: Place, prefix: str) -> Prediction:
    spans = in_order(said.spans, place, "spans")
    if not spans and not said.mention:
        raise place.error("expected `spans`, or `mention` with the id of a gold mention")
    groups, scores = ranked(said.candidates or (), said.scores, place, prefix)
    document = str(said.document)
    if not document.strip():
        raise place.error("document without an id")
    return Prediction(
        document, spans, groups, scores, said.mention or "", said.type or "", bool(said.nil), nil_as=said.nil_as or ""
    )


def in_order(spans: tuple[Span, ...] | None, place: Place, key: str) -> tuple[Span, ...]:
    """The spans, if each is one and they follow each other."""
    last = 0
    for start, end in spans or ():
        if start < last or start >= end:
            raise place.error(f"{place.at(key)}: {start}-{end} is negative, empty, reversed or out of order")
        last = end
    return spans or ()


def ranked(
    candidates: Groups, scores: Scores | None, place: Place, prefix: str
) -> tuple[tuple[tuple[str, ...], ...], tuple[float, ...]]:
    """The groups and scores that are said; empty groups vanish with theirs."""
    if scores is not None and len(scores) != len(candidates):
        raise place.error(f"{len(scores)} scores for {len(candidates)} groups of candidates")
    groups: list[tuple[str, ...]] = []
    numbers: list[float] = []
    for index, tied in enumerate(candidates):
        members = (tied,) if isinstance(tied, str) else tied
        group = tuple(dict.fromkeys([curie(member, prefix) for member in members]))
        if "" in group:
            raise place.error(f"{place.at('candidates', index)}: an id is empty; no answer is `[]`")
        if group:
            groups.append(group)
            if scores is not None:
                numbers.append(_score(scores[index], len(members), place, index))
    return tuple(groups), tuple(numbers)


def _score(said: float | tuple[float, ...] | None, size: int, place: Place, index: int) -> float:
    """The score of a group of `size` ids: one number, or the same number for each of them."""
    if said is None:
        raise place.error(f"{place.at('scores', index)}: expected a number, found null")
    numbers = said if isinstance(said, tuple) else (said,) * size
    if len(numbers) != size:
        raise place.error(f"{place.at('scores', index)}: {len(numbers)} scores for {size} tied ids")
    for inner, number in enumerate(numbers):
        if not abs(number) <= sys.float_info.max:
            at = place.at("scores", index, *([inner] if numbers is said else []))
            raise place.error(f"{at}: expected a finite number, found {number if isinstance(number, float) else 'inf'}")
    if len(set(numbers)) > 1:
        raise place.error(
            f"{place.at('scores', index)}: tied ids with different scores; put them into groups of their own"
        )
    return float(numbers[0])


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
