"""A run whose predictions are in memory: what a caller gave, for a corpus that is in memory as well."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Any

import pyarrow as pa

from linkassay import store
from linkassay.corpora import GivenCorpus
from linkassay.errors import UsageError
from linkassay.kbs import Kb
from linkassay.runs.stored_run import Run


class GivenRun(Run):
    """Looks like a stored run, and has no files; `notes` are what a reader of its figures must know."""

    def __init__(
        self,
        corpus: GivenCorpus,
        predictions: pa.Table,
        system: str,
        *,
        kb: Kb | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        self._corpus, self._predictions, self._kb = corpus, predictions, kb
        self.corpus, self.system, self.split, self.name = (
            corpus.name,
            system,
            corpus.splits[0],
            f"{corpus.name}/{system}",
        )
        self.about = {
            "corpus": corpus.name, "corpus_revision": corpus.revision, "split": self.split, "system": system,
            "kb": kb.name if kb else "", "kb_revision": kb.revision if kb else "", "parameters": {},
            "software": version("linkassay"), "mentions": predictions.num_rows, "notes": list(notes),
        }  # fmt: skip
        self.kb = f"{self.about['kb']}@{self.about['kb_revision']}"
        self.key = f"{system}-{store.tables_digest(predictions)}"

    #: Nobody says what given answers were chosen from.
    keeps_candidates = False

    def __repr__(self) -> str:
        return f"<run {self.name}, given>"

    def batches(self, columns: list[str] | None, rows: int = 100_000, *, encoded: bool = False) -> Iterator[Any]:
        """Some columns of the predictions, many rows at a time, as they were given."""
        table = self._predictions if columns is None else self._predictions.select(columns)
        return iter(table.to_batches(rows))

    def open_corpus(self) -> GivenCorpus:
        """The mentions that were given."""
        return self._corpus

    def open_kb(self) -> Kb:
        """The knowledge base that was named."""
        if self._kb is None:
            raise UsageError("this asks for a knowledge base: name one with `kb=`")
        return self._kb
