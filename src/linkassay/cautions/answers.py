"""Which types of mentions a run has answers for: by what it says itself, and by the gold mentions that they are of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linkassay import store
from linkassay.corpora import Corpus
from linkassay.runs import Run


def answered_types(run: Run) -> set[str]:
    """The types of predictions with an answer, NIL being one; each of several."""
    found: set[str] = set()
    for batch in _answers(run, ["type"]):
        found.update(pc.unique(batch["type"]).to_pylist())
    return _single(found)


def unanswered(run: Run, corpus: Corpus, types: list[str]) -> list[str]:
    """Those of some types of gold mentions of which no mention, by its id or its place, has an answer."""
    said = _table(_answers(run, ["mention", "document", "spans"]), store.PREDICTIONS)
    path, columns = corpus[run.split].mentions_path, ["id", "document", "spans", "type", "parent"]
    gold = _table(store.batches(path, columns), store.MENTIONS)
    gold = gold.filter(pc.equal(gold["parent"], ""))
    by_id = pc.is_in(gold["id"], value_set=said["mention"])
    silent = set(types) - _single(pc.unique(gold["type"].filter(by_id)).to_pylist())
    theirs = [type_ for type_ in pc.unique(gold["type"]).to_pylist() if not silent.isdisjoint(_single([type_]))]
    left = gold.filter(pc.is_in(gold["type"], value_set=pa.array(theirs, pa.string())))
    silent -= _types_at_places(left, said)
    return [type_ for type_ in types if type_ in silent]


def _table(batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> pa.Table:
    found = list(batches)
    return pa.Table.from_batches(found).combine_chunks() if found else schema.empty_table()


def _answers(run: Run, columns: list[str]) -> Iterator[pa.RecordBatch]:
    """Some columns of the predictions that say something."""
    for batch in run.batches([*columns, "groups", "nil"]):
        some = pc.list_value_length(batch["groups"]).to_numpy(zero_copy_only=False) > 0
        said = some | batch["nil"].to_numpy(zero_copy_only=False)
        yield batch.select(columns).filter(pa.array(said))


def _single(types: Iterable[str | None]) -> set[str]:
    return {part for type_ in types for part in (type_ or "").split("|")}


def _types_at_places(gold: pa.Table, said: pa.Table) -> set[str]:
    """The types of those gold mentions at whose document and spans something is said."""
    documents = pc.unique(gold["document"])
    near = said.filter(pa.array(np.isin(_beginnings(said, documents), _beginnings(gold, documents))))
    places = {(row["document"], _place(row["spans"])) for row in near.to_pylist()}  # few are that near
    return _single(row["type"] for row in gold.to_pylist() if (row["document"], _place(row["spans"])) in places)


def _beginnings(table: pa.Table, documents: pa.Array) -> np.ndarray:
    """One number for the document and the beginning of each row; all documents but these are one."""
    spans = table["spans"].combine_chunks()
    offsets, starts = spans.offsets.to_numpy(), spans.values.field("start").to_numpy()
    begin = np.append(starts, -1)[np.where(offsets[1:] > offsets[:-1], offsets[:-1], len(starts))]
    number = pc.index_in(table["document"], value_set=documents).to_numpy(zero_copy_only=False)
    return (np.nan_to_num(number, nan=-1).astype(np.int64) << 32) + begin


def _place(spans: list[dict[str, int]]) -> tuple[tuple[int, int], ...]:
    return tuple((each["start"], each["end"]) for each in spans)
