"""BioEL's result files: a JSON list of mentions, each with ranked candidates, tied ids in one group.

Only predictions are read; the gold (`db_ids`) and everything else that the rows repeat of the corpus
is left alone, since gold comes from the corpus.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from linkassay.files import RawFile
from linkassay.formats.predictions.claims import Claim, counted
from linkassay.formats.predictions.native import ranked, spans_of
from linkassay.formats.reading import Reading
from linkassay.formats.syntax.json_value import JsonValue, parse_json
from linkassay.model import Prediction

#: What BioEL adds to the name of a mention whose abbreviations were written out before linking.
EXPANDED = ".abbr_resolved"


def read_claims(files: Iterable[RawFile], reading: Reading) -> Iterator[Claim]:
    """The predictions of a list of mentions, or of an object of such by name."""
    for file in files:
        value = parse_json(file.text(reading.encoding), file.name)
        rows = value.items() if isinstance(value.data, list) else (row for _, row in value.members())
        for number, row in enumerate(rows, start=1):
            with counted(reading.problems):
                yield _claim(JsonValue(row.data, row.file, number, row.path), reading)


def _claim(row: JsonValue, reading: Reading) -> Claim:
    types = row.get("type")
    type_ = types[0].string("") if isinstance(types.data, list) and types.data else ""
    type_ = types.string("") if isinstance(types.data, str) else type_
    text = row.get("text")
    groups, scores = ranked(row, reading.source_rule(type_).prefix)
    prediction = Prediction(
        row["document_id"].identifier(), spans_of(row["offsets"]), groups, scores,
        row["mention_id"].identifier().removesuffix(EXPANDED), type_,
    )  # fmt: skip
    pieces = [t.string() for t in text.items()] if isinstance(text.data, list) else [text.string("")]
    return Claim(row.file, row.line, prediction, " ".join(pieces))
