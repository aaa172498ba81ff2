"""Documents and predictions cut into parts, each judged by itself, so that memory stays bounded."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path

from linkassay.corpora import Split
from linkassay.errors import DataError
from linkassay.model import Document, Prediction
from linkassay.scoring.endtoend import stored_columns
from linkassay.scoring.endtoend.columns import Codes, DocumentBatch, PredictedColumns, labels_of
from linkassay.scoring.endtoend.text_ruler import Ruler


def document_batches(
    documents: Iterable[Document] | Split,
    predictions: Iterable[Prediction] | Path,
    *,
    literal: bool = False,
    current: Callable[[str], tuple[str, ...]] | None = None,
    without: Collection[str] = (),
    characters: int = 2_000_000,
) -> Iterator[DocumentBatch]:
    """Parts of about so many characters; `literal`: ids as ELEVANT takes them; `without` these documents.

    Documents are read once, and only those of one part are held. A split of a stored corpus and the Parquet file of a
    run are read in whole columns, which is much the fastest.
    """
    codes = Codes(current)
    said = (
        stored_columns.predicted_columns(predictions, codes, literal)
        if isinstance(predictions, Path)
        else PredictedColumns.of(predictions, codes, literal)
    )
    whole = isinstance(documents, Split) and not documents.restricted
    gold = stored_columns.GoldColumns(documents).take if whole else labels_of  # type: ignore[arg-type]
    waiting: list[Document] = []
    seen: set[str] = set()
    size = 0

    def part() -> DocumentBatch:
        ruler = Ruler([d.text for d in waiting])
        labels = gold(waiting, ruler, codes, said.shapes, literal)
        return DocumentBatch(waiting, ruler, labels, said.take(waiting, ruler), codes, said.shapes)

    for document in stored_columns.documents(documents.documents_path) if whole else documents:  # type: ignore[union-attr]
        if document.id in without:
            continue
        if document.id in seen:
            raise DataError(f"document {document.id} occurs twice")
        seen.add(document.id)
        waiting.append(document)
        size += len(document.text) + 1000
        if size >= characters:
            yield part()
            waiting, size = [], 0
    last = part()
    said.finish()
    yield last
