"""The documents of a split and all that is annotated in them, as columns in corpus order."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linkassay.corpora import Corpus
from linkassay.model import STRAY

#: What an annotation may be; the place of a word is its bit.
FLAGS = ("optional", "nil", "coreference", "part", "alternative", "stray")
_COLUMNS = ["document", "id", "spans", "text", "type", "gold", "optional", "parent", "role", "coreference", "kind"]


class DocumentColumns:
    """The documents: `id`, `title`, how many `chars` each has, and the kinds of its `passages`; texts are not kept."""

    def __init__(self, corpus: Corpus, split: str) -> None:
        parts = []
        for batch in corpus.batches("documents", split, ["id", "title", "text", "passages"]):
            chars = pc.utf8_length(batch["text"]).cast(pa.int64())
            parts.append(pa.table([batch["id"], pc.fill_null(batch["title"], ""), chars, batch["passages"]],
                                  names=["id", "title", "chars", "passages"]))  # fmt: skip
        self.table = pa.concat_tables(parts).combine_chunks()

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @cached_property
    def ids(self) -> Any:
        """An Arrow array."""
        return one(self.table["id"])


class Annotations:
    """All annotations; `roots` are the rows of mentions of their own."""

    def __init__(self, corpus: Corpus, split: str) -> None:
        self.documents = DocumentColumns(corpus, split)
        table = corpus.table("mentions", split, _COLUMNS).combine_chunks()
        document = one(pc.index_in(table["document"], self.documents.ids))
        if document.null_count:  # as in scoring, those of no document are none
            table, document = table.filter(document.is_valid()).combine_chunks(), document.drop_null()
        self.table: pa.Table = table
        self.document: Any = document.to_numpy(zero_copy_only=False).astype(np.int64)
        self.roots: Any = np.flatnonzero(pc.equal(table["parent"], "").to_numpy())

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def column(self, name: str) -> Any:
        """A column as an Arrow array."""
        return one(self.table[name])

    def of_roots(self, name: str) -> Any:
        """A column of the mentions of their own."""
        return self.column(name) if len(self.roots) == len(self) else self.column(name).take(pa.array(self.roots))

    @cached_property
    def types(self) -> Any:
        """Arrow texts; those without a type have ""."""
        return pc.fill_null(self.column("type"), "")

    @cached_property
    def pieces(self) -> tuple[Any, Any, Any]:
        """How many pieces the span of each has, and where all pieces start and end, one after another."""
        return pieces_of(self.column("spans"))

    @cached_property
    def flags(self) -> Any:
        """Bits of `FLAGS`."""
        kind, role = self.column("kind"), self.column("role")
        is_value = pc.not_equal(kind, "")
        none = pc.equal(pc.list_value_length(self.column("gold")), 0)
        said = (
            pc.or_(self.column("optional"), is_value), pc.and_(none, pc.invert(is_value)),
            pc.fill_null(self.column("coreference"), False), pc.equal(role, "part"), pc.equal(role, "alternative"),
            pc.equal(role, STRAY),
        )  # fmt: skip
        found = np.zeros(len(self), dtype=np.int64)
        for bit, mask in enumerate(said):
            found |= pc.fill_null(mask, False).to_numpy(zero_copy_only=False).astype(np.int64) << bit
        return found

    @cached_property
    def parents(self) -> Any:
        """Of each the row of the annotation that it belongs to, -1 of a root, and where that one is not there."""
        found = np.full(len(self), -1)
        if len(below := np.setdiff1d(np.arange(len(self)), self.roots, assume_unique=True)):
            ids = self.column("id")
            known = pc.index_in(self.column("parent").take(pa.array(below)), ids)
            found[below] = pc.fill_null(known, -1).to_numpy(zero_copy_only=False)
        return found


def pieces_of(spans: Any) -> tuple[Any, Any, Any]:
    """How many pieces each span has, and where all pieces start and end, one after another."""
    counts = pc.fill_null(pc.list_value_length(spans), 0).to_numpy(zero_copy_only=False)
    flat = pc.list_flatten(spans)
    return counts, *(flat.field(name).to_numpy(zero_copy_only=False) for name in ("start", "end"))


def words_of(flags: int) -> list[str]:
    """The words of some bits of `FLAGS`."""
    return [word for bit, word in enumerate(FLAGS) if flags >> bit & 1]


def one(column: Any) -> Any:
    """A column of a table as one Arrow array."""
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
