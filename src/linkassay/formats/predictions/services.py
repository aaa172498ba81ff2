"""What annotation services answer about one text, in JSON formats of their own: BERN2, REL, DBpedia Spotlight.

Each reader takes the answer to one request and the document that it is about, as the answers do not name it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.formats.predictions.claims import Claim, counted
from linkassay.formats.reading import Reading
from linkassay.formats.syntax.json_value import JsonValue, parse_json
from linkassay.ids import IdRule, curie, from_iri
from linkassay.model import Prediction, Span

_TAXON = re.compile(r"NCBI:txid([0-9]+)")  # BERN2's spelling; "NCBI:" is else that of genes
_NO_ID = ("CUI-less", "--NME--")


def bern2(file: RawFile, reading: Reading, document: str) -> Iterator[Claim]:
    """`annotations` with `id` (a list, tied), `obj` (the type), `mention` and `span.begin`, `span.end`."""
    answer = parse_json(file.text(), file.name)
    if "error" in answer:
        raise DataError(f"the service says: {answer['error'].string()[:200]}", file=file.name)
    for row in answer["annotations"].items():
        with counted(reading.problems):
            type_ = row.get("obj").string("")
            ids = (_TAXON.sub(r"ncbitaxon:\1", value.string()) for value in row["id"].items())
            span = (row["span"]["begin"].integer(), row["span"]["end"].integer())
            yield _claim(file, document, span, list(ids), reading.source_rule(type_), type_, row["mention"].string())


def rel(file: RawFile, reading: Reading, document: str) -> Iterator[Claim]:
    """A list of [start, length, mention, title, confidence of linking, of recognition, type]; titles are of Wikipedia.

    Wikidata's ids have to be looked up for them (`--ids`); without, a title is an id of REL's own.
    """
    for row in parse_json(file.text(), file.name).items():
        with counted(reading.problems):
            start = row[0].integer()
            title = row[3].string().replace(" ", "_")
            yield _claim(file, document, (start, start + row[1].integer()), [title], IdRule("rel"),
                         text=row[2].string(), score=_score(row.get(4)))  # fmt: skip


def spotlight(file: RawFile, reading: Reading, document: str) -> Iterator[Claim]:
    """`Resources` (absent if nothing was found) with `@URI`, `@surfaceForm`, `@offset`; numbers are texts."""
    for row in parse_json(file.text(), file.name).get("Resources").items():
        with counted(reading.problems):
            offset, text = row["@offset"].string(), row["@surfaceForm"].string()
            if not re.fullmatch(r"[0-9]{1,15}", offset):
                raise DataError(f"the offset {offset[:20]!r} is no whole number", file=file.name)
            span = (int(offset), int(offset) + len(text))
            yield _claim(file, document, span, [from_iri(row["@URI"].string())], IdRule(), text=text,
                         score=_score(row.get("@similarityScore")))  # fmt: skip


def _claim(
    file: RawFile, document: str, span: Span, ids: list[str], rule: IdRule, type_: str = "", text: str = "",
    score: float | None = None,
) -> Claim:  # fmt: skip
    known = tuple(dict.fromkeys(curie(i, rule.prefix) for i in ids if not rule.is_none(i) and i not in _NO_ID))
    scores = () if score is None or not known else (score,)
    return Claim(file.name, 0, Prediction(document, (span,), (known,) if known else (), scores, type=type_,
                                          nil=not known), text)  # fmt: skip


def _score(value: JsonValue) -> float | None:
    """A number, perhaps as a text; None if it is none."""
    try:
        number = float(value.data)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if abs(number) < float("inf") else None
