"""BELB's result files: `predictions.json` of any system, `native_with_gold.json` of the rule-based ones.

Both are read as predictions. The second also holds the gold ids of the mentions that its system
recognised, so it can be read as a corpus without texts: the very mentions on which BELB compares.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.formats.predictions.claims import Claim, counted
from linkassay.formats.reading import Annotation, Reading
from linkassay.formats.syntax.json_value import JsonValue, parse_json
from linkassay.ids import IdRule, curie
from linkassay.model import Document, Prediction

#: The gold of `read` covers only what a system recognised, as the manifest of such a corpus says.
OF_PREDICTIONS = "recognised"
#: Prefix of the numbers that BELB gives the entities of KBs whose ids are no numbers.
INTERNAL = "belb"

_NUMERIC = ("ncbigene", "ncbitaxon")  # KBs whose own ids are numbers
_NO_MENTION = "-"
_SEPARATORS = re.compile(r"[;|,]")


def read(files: Iterable[RawFile], reading: Reading) -> Iterator[Document]:
    """Yield the mentions of `native_with_gold.json` that count (`pred.processed`), with their gold."""
    for file in files:
        documents: dict[str, list[Annotation]] = {}
        for row in _rows(parse_json(file.text(reading.encoding), file.name), "processed", gold=True):
            name = row["hexdigest"].string()
            if name != _NO_MENTION:
                span = (row["start"].integer(), row["end"].integer())
                raw = row["y_true"].string()
                documents.setdefault(row["eid"].identifier(), []).append(
                    Annotation((span,), None, "", raw, id=name, line=row.line)
                )
        for document, mentions in documents.items():
            yield reading.document(document, [], mentions, file=file.name, textless=True)


def read_claims(files: Iterable[RawFile], reading: Reading) -> Iterator[Claim]:
    """The predictions of either file; of `native_with_gold.json` all of them (`pred.original`).

    `hexdigest` becomes the name of the mention. A number where the KB's ids are none is one of BELB's
    own and gets the prefix `belb`.
    """
    rule = reading.rule("")
    for file in files:
        for row in _rows(parse_json(file.text(reading.encoding), file.name), "original"):
            with counted(reading.problems):
                yield Claim(file.name, row.line, _prediction(row, rule))


def _rows(value: JsonValue, part: str, *, gold: bool = False) -> Iterator[JsonValue]:
    if isinstance(value.data, list):
        if gold:
            raise DataError("predictions without gold; the gold is in native_with_gold.json", file=value.file)
        rows = value
    else:
        rows = value["pred"][part]
    for number, row in enumerate(rows.items(), start=1):
        yield JsonValue(row.data, row.file, number, row.path)


def _prediction(row: JsonValue, rule: IdRule) -> Prediction:
    start, end = row["start"].integer(), row["end"].integer()
    if not 0 <= start < end:
        raise DataError(f"the span {start}-{end} is negative, empty or reversed", file=row.file, line=row.line)
    name, said = row["hexdigest"].string(), row["y_pred"]
    if isinstance(said.data, str):
        ranks = [_SEPARATORS.split(said.string())]
    else:
        ranks = [[i.identifier() for i in group.items()] for group in said.items()]
    groups = (tuple(dict.fromkeys(_id(i, rule) for i in rank if not rule.is_none(i))) for rank in ranks)
    kept = tuple(group for group in groups if group)
    document = row["eid"].identifier()
    mention = "" if name == _NO_MENTION else name
    return Prediction(document, ((start, end),), kept, mention=mention, nil=bool(ranks) and not kept)


def _id(token: str, rule: IdRule) -> str:
    internal = token.strip().isdecimal() and rule.prefix not in ("", *_NUMERIC)
    return curie(token, INTERNAL if internal else rule.prefix)
