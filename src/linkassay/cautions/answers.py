"""Which types of mentions a run has answers for: by what it says itself, and by the gold mentions that they are of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Set
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linkassay import store
from linkassay.corpora import Corpus
from linkassay.runs import Run

#: Rows that are looked at together.
_TOGETHER = 5_000


def answered_types(run: Run, wanted: Set[str]) -> set[str]:
    """The types of predictions with an answer, NIL being one; each of several. Once all `wanted` are there it ends."""
    found: set[str] = set()
    for batch in _answers(run, ["type"]):
        found |= _single(pc.unique(batch["type"]).to_pylist())
        if found and found >= wanted:
            break
    return found


def unanswered(run: Run, corpus: Corpus, types: list[str]) -> dict[str, int]:
    """Those of some types of which no gold mention, by its id or its place, has an answer, and how many of them count.

    What is optional, or has no gold id, may well be left without an answer.
    """
    answered = [pc.unique(batch["mention"]) for batch in _answers(run, ["mention"])]
    named = pa.chunked_array(answered, pa.string())
    silent, left, counts = set(types), [], Counter[str]()
    columns = ["id", "document", "spans", "type", "parent", "gold", "optional"]
    for batch in store.batches(corpus[run.split].mentions_path, columns, _TOGETHER):
        gold = batch.filter(pc.equal(batch["parent"], ""))
        needed = pc.list_value_length(gold["gold"]).to_numpy(zero_copy_only=False) > 0
        needed &= ~gold["optional"].to_numpy(zero_copy_only=False)
        for type_, n in Counter(gold["type"].filter(pa.array(needed)).to_pylist()).items():
            counts.update(dict.fromkeys(_single([type_]), n))
        by_id = pc.is_in(gold["id"], value_set=named)
        silent -= _single(pc.unique(gold["type"].filter(by_id)).to_pylist())
        left.append(_of_types(gold.filter(pc.invert(by_id)), silent))
    if silent and left:
        silent -= _types_at_places(_of_types(pa.Table.from_batches(left), silent), run)
    return {type_: counts[type_] for type_ in types if type_ in silent}


def _of_types(gold: Any, types: set[str]) -> Any:
    """The rows that are of one of some types."""
    theirs = [type_ for type_ in pc.unique(gold["type"]).to_pylist() if not types.isdisjoint(_single([type_]))]
    return gold.filter(pc.is_in(gold["type"], value_set=pa.array(theirs, pa.string())))


def _answers(run: Run, columns: list[str]) -> Iterator[pa.RecordBatch]:
    """Some columns of the predictions that say something."""
    for batch in run.batches([*columns, "groups", "nil"], _TOGETHER):
        some = pc.list_value_length(batch["groups"]).to_numpy(zero_copy_only=False) > 0
        said = some | batch["nil"].to_numpy(zero_copy_only=False)
        yield batch.select(columns).filter(pa.array(said))


def _single(types: Iterable[str | None]) -> set[str]:
    return {part for type_ in types for part in (type_ or "").split("|")}


def _types_at_places(gold: pa.Table, run: Run) -> set[str]:
    """The types of those gold mentions at whose document and spans something is said."""
    documents = pc.unique(gold["document"])
    begin, places = _beginnings(gold["document"], gold["spans"].combine_chunks(), documents), set()
    for batch in _answers(run, ["document", "spans"]):
        near = np.isin(_beginnings(batch["document"], batch["spans"], documents), begin)
        places |= {(row["document"], _place(row["spans"])) for row in batch.filter(pa.array(near)).to_pylist()}
    return _single(row["type"] for row in gold.to_pylist() if (row["document"], _place(row["spans"])) in places)


def _beginnings(document: Any, spans: pa.ListArray, documents: pa.Array) -> np.ndarray:
    """One number for the document and the beginning of each row; all documents but these are one."""
    offsets, starts = spans.offsets.to_numpy(), spans.values.field("start").to_numpy()
    begin = np.append(starts, -1)[np.where(offsets[1:] > offsets[:-1], offsets[:-1], len(starts))]
    number = pc.index_in(document, value_set=documents).to_numpy(zero_copy_only=False)
    found: np.ndarray = (np.nan_to_num(number, nan=-1).astype(np.int64) << 32) + begin
    return found


def _place(spans: list[dict[str, int]]) -> tuple[tuple[int, int], ...]:
    return tuple((each["start"], each["end"]) for each in spans)
