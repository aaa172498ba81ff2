"""The mentions that a stored run found, to be linked by others (COMP-2); read from its predictions alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

from linkassay import store
from linkassay.errors import LinkassayError
from linkassay.kbs import Kb
from linkassay.linkers.protocol import Capabilities, FoundMention
from linkassay.model import Document, Span


class SpansOfRun:
    """Spans and types of `predictions.parquet`; what it says that they mean is left aside."""

    summary = "the mentions that another run found"
    capabilities = Capabilities(annotates=True)

    def __init__(self, predictions: str, sha256: str = "") -> None:
        self._path, self._sha256 = Path(predictions), sha256

    def prepare(self, kb: Kb, train: Iterable[Document]) -> None:
        """Nothing: spans are read when they are first asked for."""

    def annotate(self, documents: Sequence[Document], top: int) -> list[list[FoundMention]]:
        """The mentions of each document, in its order."""
        return [self._found.get(document.id, []) for document in documents]

    @cached_property
    def _found(self) -> dict[str, list[FoundMention]]:
        with self._path.open("rb") as stream:
            if self._sha256 and store.digest_and_size(stream)["sha256"] != self._sha256:
                raise LinkassayError(f"{self._path} has been changed since the run was begun")
        found: dict[str, set[tuple[tuple[Span, ...], str]]] = {}
        for batch in store.batches(self._path, ["document", "spans", "type", "groups", "nil"]):
            for row in batch.to_pylist():
                if row["groups"] or row["nil"]:  # a mention that was given and not answered was not found
                    spans = tuple((each["start"], each["end"]) for each in row["spans"])
                    found.setdefault(row["document"], set()).add((spans, row["type"]))
        return {
            document: [FoundMention(spans, type=type_) for spans, type_ in sorted(each)]
            for document, each in found.items()
        }
