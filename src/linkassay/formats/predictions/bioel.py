"""BioEL's result files: a JSON list of mentions, each with ranked candidates, tied ids in one group.

Only predictions are read; the gold (`db_ids`) and everything else that the rows repeat of the corpus
is left alone, since gold comes from the corpus.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from linkassay.decoding import Place, SpanPair, converted
from linkassay.files import RawFile
from linkassay.formats.predictions.claims import Claim, counted
from linkassay.formats.predictions.native import Groups, Scores, in_order, ranked
from linkassay.formats.reading import Reading
from linkassay.formats.syntax.json_value import parse_json
from linkassay.model import Prediction

#: What BioEL adds to the name of a mention whose abbreviations were written out before linking.
EXPANDED = ".abbr_resolved"


class _Row(msgspec.Struct):
    document_id: str | int
    mention_id: str | int
    offsets: tuple[SpanPair, ...] | None
    text: str | list[str] | None = None
    type: str | list[str | None] | None = None
    candidates: Groups | None = None
    scores: Scores | None = None


def read_claims(files: Iterable[RawFile], reading: Reading) -> Iterator[Claim]:
    """The predictions of a list of mentions, or of an object of such by name."""
    for file in files:
        value = parse_json(file.text(reading.encoding), file.name)
        rows = value.items() if isinstance(value.data, list) else (row for _, row in value.members())
        for number, row in enumerate(rows, start=1):
            place = Place(row.file, number, row.path)
            with counted(reading.problems):
                yield _claim(converted(_Row, row.data, place), place, reading)


def _claim(row: _Row, place: Place, reading: Reading) -> Claim:
    types = row.type if isinstance(row.type, list) else [row.type]
    type_ = (types and types[0]) or ""
    groups, scores = ranked(row.candidates or (), row.scores, place, reading.source_rule(type_).prefix)
    prediction = Prediction(
        str(row.document_id), in_order(row.offsets, place, "offsets"), groups, scores,
        str(row.mention_id).removesuffix(EXPANDED), type_,
    )  # fmt: skip
    return Claim(
        place.file, place.line, prediction, " ".join(row.text) if isinstance(row.text, list) else row.text or ""
    )
