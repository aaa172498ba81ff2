"""A corpus of one split whose tables are in memory: mentions of a caller, without texts of documents (DATA-11)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from linkassay import store
from linkassay.corpora.stored_corpus import DOCUMENT_COLUMN, Corpus


class GivenCorpus(Corpus):
    """Looks like one revision of a corpus, and has no files. The revision stands for its contents."""

    def __init__(
        self, name: str, documents: pa.Table, mentions: pa.Table, *, split: str = "test", kb: str = ""
    ) -> None:
        self.name, self.type, self.splits = name, None, (split,)
        self._given = {"documents": documents, "mentions": mentions}
        self.revision = store.tables_digest(documents, mentions)
        types = mentions["type"].value_counts().to_pylist()
        counts = {
            "documents": documents.num_rows, "annotations": mentions.num_rows, "labels": mentions.num_rows,
            "types": {each["values"]: each["counts"] for each in types},
        }  # fmt: skip
        self.manifest = {
            "name": name, "title": name, "licence": "own data", "citation": "", "homepage": "", "kb": kb, "notes": "",
            "revision": self.revision, "splits": {split: counts}, "types": sorted(counts["types"]), "expected": {},
            "inputs": {}, "reports": {}, "shares_text": "full",
        }  # fmt: skip

    def rows(
        self, kind: str, split: str, columns: list[str] | None = None, documents: pa.Array | None = None
    ) -> Iterator[dict[str, Any]]:
        """The rows of `documents` or `mentions`, one after another; of some documents if so wished."""
        table = self._given[kind] if columns is None else self._given[kind].select(columns)
        return store.rows_of(table.to_batches(2_000), DOCUMENT_COLUMN[kind], documents)

    def batches(self, kind: str, split: str, columns: list[str]) -> Iterator[pa.RecordBatch]:
        """Some columns of `documents` or `mentions`, many rows at a time."""
        return iter(self._given[kind].select(columns).to_batches(2_000))

    def _complete(self, splits: Any) -> None:
        """Tables in memory are of this version."""

    def _tables(self) -> Any:
        connection = store.connect()
        for kind, table in self._given.items():
            connection.register(kind, table)
        return connection
