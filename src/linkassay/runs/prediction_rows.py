"""Predictions as rows of `predictions.parquet` (`store.PREDICTIONS`), and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from linkassay.model import Prediction

#: The file beside `predictions.parquet` that has what these were chosen from (`store.CANDIDATES`), if that is known.
CANDIDATES = "candidates.parquet"
#: Columns that older runs do not have, and can do without.
LATER = ("nil_as",)


def row_of(prediction: Prediction) -> tuple[Any, ...]:
    """A prediction as a row, in the order of the columns."""
    spans = [{"start": start, "end": end} for start, end in prediction.spans]
    return (prediction.document, prediction.mention, spans, prediction.type, prediction.groups, prediction.scores,
            prediction.nil, prediction.nil_as)  # fmt: skip


def prediction_of(row: Mapping[str, Any]) -> Prediction:
    """The prediction that a row holds."""
    return Prediction(
        row["document"], tuple((s["start"], s["end"]) for s in row["spans"]),
        tuple(map(tuple, row["groups"])), tuple(row["scores"]), row["mention"], row["type"], row["nil"],
        row.get("nil_as", ""),
    )  # fmt: skip
