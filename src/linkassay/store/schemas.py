"""The columns of our Parquet tables: documents, mentions, predictions."""

from __future__ import annotations

import pyarrow as pa

_SPANS = pa.list_(pa.struct([("start", pa.int64()), ("end", pa.int64())]))

DOCUMENTS = pa.schema(
    [
        ("split", pa.string()),
        ("id", pa.string()),
        ("title", pa.string()),
        ("text", pa.string()),
        ("passages", pa.list_(pa.struct([("kind", pa.string()), ("offset", pa.int64()), ("length", pa.int64())]))),
        ("evaluation_spans", _SPANS),
        (
            "hyperlinks",
            pa.list_(pa.struct([("start", pa.int64()), ("end", pa.int64()), ("target", pa.string())])),
        ),
    ]
)

MENTIONS = pa.schema(
    [
        ("split", pa.string()),
        ("document", pa.string()),
        ("id", pa.string()),
        ("spans", _SPANS),
        ("text", pa.string()),
        ("type", pa.string()),
        ("gold", pa.list_(pa.list_(pa.string()))),
        ("raw", pa.string()),
        ("source_type", pa.string()),
        ("optional", pa.bool_()),
        ("parent", pa.string()),
        ("role", pa.string()),
        ("coreference", pa.bool_()),
        ("kind", pa.string()),
        ("further_parents", pa.list_(pa.string())),
    ]
)

PREDICTIONS = pa.schema(
    [
        ("document", pa.string()),
        ("mention", pa.string()),
        ("spans", _SPANS),
        ("type", pa.string()),
        ("groups", pa.list_(pa.list_(pa.string()))),
        ("scores", pa.list_(pa.float64())),
        ("nil", pa.bool_()),
        ("nil_as", pa.string()),
    ]
)

#: What predictions were chosen from, row by row beside them; null where that is not known.
CANDIDATES = pa.schema([("candidates", pa.list_(pa.list_(pa.string())))])
