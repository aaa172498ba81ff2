"""BELB's result files: `predictions.json` of any system, `results.json` of the rule-based ones.

Both are read as predictions. The second (`data/backup/TOOL/results.json` of BELB's experiments) has a part for each
corpus, or is one such part by itself. It also holds the gold ids of the mentions that its system recognised, so that a
part can be read as a corpus without texts: the very mentions on which BELB compares.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from linkassay.decoding import Offset, Place, converted
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

_NUMERIC = ("ncbigene", "ncbitaxon", "dbsnp")  # KBs whose own ids are numbers
_NO_MENTION = "-"
_SEPARATORS = re.compile(r"[;|,]")


class _Row(msgspec.Struct):
    eid: str | int
    start: Offset
    end: Offset
    hexdigest: str


class _Predicted(_Row):
    y_pred: str | tuple[tuple[str | int, ...] | None, ...] | None


class _Gold(_Row):
    y_true: str | None = None  # of mentions only


def read(files: Iterable[RawFile], reading: Reading) -> Iterator[Document]:
    """Yield the mentions of a part of `results.json` that count (`pred.processed`), with their gold."""
    for file in files:
        documents: dict[str, list[Annotation]] = {}
        for place, data in _rows(file, reading, "processed", gold=True):
            row = converted(_Gold, data, place)
            if row.hexdigest != _NO_MENTION and row.y_true is None:
                raise place.error(f"{place.at()}: a mention without 'y_true'")
            if row.hexdigest != _NO_MENTION:
                documents.setdefault(str(row.eid), []).append(
                    Annotation(((row.start, row.end),), None, "", row.y_true or "", id=row.hexdigest, line=place.line)
                )
        for document, mentions in documents.items():
            yield reading.document(document, [], mentions, file=file.name, textless=True)


def read_claims(files: Iterable[RawFile], reading: Reading) -> Iterator[Claim]:
    """The predictions of either file; of a part of `results.json` all of them (`pred.original`).

    `hexdigest` becomes the name of the mention. A number where the KB's ids are none is one of BELB's
    own and gets the prefix `belb`.
    """
    rule = reading.rule("")
    for file in files:
        for place, data in _rows(file, reading, "original"):
            with counted(reading.problems):
                yield Claim(file.name, place.line, _prediction(converted(_Predicted, data, place), place, rule))


def _rows(file: RawFile, reading: Reading, part: str, *, gold: bool = False) -> Iterator[tuple[Place, Any]]:
    value = parse_json(file.text(reading.encoding), file.name)
    if isinstance(value.data, list):
        if gold:
            raise DataError("predictions without gold; the gold is in results.json of a rule-based system, which BELB "
                            "has in data/backup", file=value.file)  # fmt: skip
        rows = value
    else:
        rows = _of_corpus(value, reading.corpus)["pred"][part]
    for number, row in enumerate(rows.items(), start=1):
        yield Place(row.file, number, row.path), row.data


def _of_corpus(value: JsonValue, corpus: str) -> JsonValue:
    """The part of `results.json` for a corpus: the only one, or the one whose name (`s800_base`) the corpus's is.

    A name may go on where the other ends: `linnaeus-belb`, `bc5cdr/disease` for `bc5cdr_disease_base`.
    """
    if not value.get("pred").missing:
        return value
    parts = {_plain(name.removesuffix("_base")): part for name, part in value.members()}
    name = _plain(corpus)
    near = [part for key, part in parts.items() if name.startswith(f"{key}_") or key.startswith(f"{name}_")]
    found = [parts[name]] if name in parts else list(parts.values()) if len(parts) == 1 else near
    if len(found) != 1:
        raise DataError(f"it has the parts {', '.join(parts) or 'none'}, and which is of the corpus {corpus!r} cannot "
                        "be told; call the corpus as one of them", file=value.file)  # fmt: skip
    return found[0]


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def _prediction(row: _Predicted, place: Place, rule: IdRule) -> Prediction:
    if not 0 <= row.start < row.end:
        raise place.error(f"the span {row.start}-{row.end} is negative, empty or reversed")
    said = row.y_pred or ()
    ranks = [_SEPARATORS.split(row.y_pred)] if isinstance(row.y_pred, str) else [map(str, r or ()) for r in said]
    groups = (tuple(dict.fromkeys(_id(i, rule) for i in rank if not rule.is_none(i))) for rank in ranks)
    kept = tuple(group for group in groups if group)
    mention = "" if row.hexdigest == _NO_MENTION else row.hexdigest
    return Prediction(str(row.eid), ((row.start, row.end),), kept, mention=mention, nil=bool(ranks) and not kept)


def _id(token: str, rule: IdRule) -> str:
    internal = token.strip().isdecimal() and rule.prefix not in ("", *_NUMERIC)
    return curie(token, INTERNAL if internal else rule.prefix)
