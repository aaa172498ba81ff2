"""Simple JSON lines, as ELEVANT takes them: the predictions of one document a line.

{"id", "predictions": [{"entity_reference", "start_char", "end_char", "candidates"?: [reference, …]}]}
ELEVANT takes the n-th line for the n-th article; here each line must say its document (`id`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.formats.predictions.claims import Claim, counted
from linkassay.formats.reading import Reading
from linkassay.formats.syntax.json_objects import json_items
from linkassay.formats.syntax.json_value import JsonValue, parse_json
from linkassay.ids import IdRule, curie, from_iri
from linkassay.model import Prediction

_WIKIDATA = re.compile(r"[Qq][0-9]+")


def read_claims(files: Iterable[RawFile], reading: Reading) -> Iterator[Claim]:
    """The predictions of all lines; a reference that is empty or null is NIL."""
    for file in files:
        for number, text in json_items(file, reading.encoding):
            value = parse_json(text, file.name, number)
            if value.get("id").missing:
                raise DataError("'id' is missing: predictions are joined by document, not by the order of lines",
                                file=file.name, line=number)  # fmt: skip
            for row in value["predictions"].items():
                with counted(reading.problems):
                    yield Claim(file.name, number, _prediction(value["id"].identifier(), row, reading.rule("")))


def _prediction(document: str, row: JsonValue, rule: IdRule) -> Prediction:
    start, end = row["start_char"].integer(), row["end_char"].integer()
    if not 0 <= start < end:
        raise DataError(f"the span {start}-{end} is negative, empty or reversed", file=row.file, line=row.line)
    answer = row["entity_reference"].string("").strip()
    others = dict.fromkeys(_id(c.string(), rule) for c in row.get("candidates").items() if not rule.is_none(c.string()))
    if rule.is_none(answer):
        return Prediction(document, ((start, end),), nil=True)
    first = _id(answer, rule)
    further = tuple(other for other in others if other != first)
    return Prediction(document, ((start, end),), ((first,), further) if further else ((first,),))


def _id(reference: str, rule: IdRule) -> str:
    """An IRI or id as CURIE. A title is no id of Wikidata: it stays as it is, to be met as unknown."""
    known = from_iri(reference.strip())
    title = rule.prefix == "wikidata" and not _WIKIDATA.fullmatch(known)
    return known if title or "://" in reference else curie(known, rule.prefix)
