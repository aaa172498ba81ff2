"""Documents and mentions as rows of `documents.*.parquet` and `mentions.*.parquet`, many at once."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

import pyarrow as pa

from linkassay import store
from linkassay.model import Document, Mention


def document_rows(split: str, documents: Sequence[Document]) -> pa.RecordBatch:
    """Rows of `store.DOCUMENTS`."""
    passages = [p for d in documents for p in d.passages]
    links = [h for d in documents for h in d.hyperlinks]
    columns = [
        pa.array([split] * len(documents), pa.string()),
        *(pa.array(list(map(attrgetter(name), documents)), pa.string()) for name in ("id", "title", "text")),
        store.list_column([d.passages for d in documents], _structs("passages", [
            [p.kind for p in passages], [p.offset for p in passages], [len(p.text) for p in passages],
        ])),
        store.span_column([d.evaluation_spans for d in documents]),
        store.list_column([d.hyperlinks for d in documents], _structs("hyperlinks", [
            [h.span[0] for h in links], [h.span[1] for h in links], [h.target for h in links],
        ])),
    ]  # fmt: skip
    return pa.RecordBatch.from_arrays(columns, schema=store.DOCUMENTS)


def _structs(name: str, members: Sequence[list[object]]) -> pa.Array:
    """The elements of a column of lists of structs."""
    fields = list(store.DOCUMENTS.field(name).type.value_type)
    return pa.StructArray.from_arrays(
        [pa.array(values, field.type) for values, field in zip(members, fields, strict=True)], fields=fields
    )


def mention_rows(split: str, mentions: Sequence[Mention]) -> pa.RecordBatch:
    """Rows of `store.MENTIONS`."""
    found = {
        "split": pa.array([split] * len(mentions), pa.string()),
        "spans": store.span_column([m.spans for m in mentions]),
        "gold": store.nested_texts([[tuple(i) if len(i) == 1 else sorted(i) for i in m.gold] for m in mentions]),
        "further_parents": store.text_lists([m.further_parents for m in mentions]),
    }
    for field in store.MENTIONS:
        if field.name not in found:
            found[field.name] = pa.array(list(map(attrgetter(field.name), mentions)), field.type)
    return pa.RecordBatch.from_arrays([found[name] for name in store.MENTIONS.names], schema=store.MENTIONS)
