"""Documents stored many at a time are what they are one by one, in files that do not tell how they came."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkassay import store
from linkassay.corpora.document_rows import document_rows, mention_rows
from linkassay.corpora.stored_corpus import SplitWriter
from linkassay.model import Document, Mention
from tests.strategies import documents


def plain_document(split: str, document: Document) -> dict[str, Any]:
    spans = document.evaluation_spans
    return {
        "split": split, "id": document.id, "title": document.title, "text": document.text,
        "passages": [{"kind": p.kind, "offset": p.offset, "length": len(p.text)} for p in document.passages],
        "evaluation_spans": None if spans is None else [{"start": s, "end": e} for s, e in spans],
        "hyperlinks": [{"start": h.span[0], "end": h.span[1], "target": h.target} for h in document.hyperlinks],
    }  # fmt: skip


def plain_mention(split: str, m: Mention) -> dict[str, Any]:
    return {
        "split": split, "document": m.document, "id": m.id, "spans": [{"start": s, "end": e} for s, e in m.spans],
        "text": m.text, "type": m.type, "gold": [sorted(ids) for ids in m.gold], "raw": m.raw,
        "source_type": m.source_type, "optional": m.optional, "parent": m.parent, "role": m.role,
        "coreference": m.coreference, "kind": m.kind, "further_parents": list(m.further_parents),
    }  # fmt: skip


@given(st.lists(documents(rich=True), max_size=4))
def test_rows_are_those_of_single_documents(given_: list[Document]) -> None:
    rows = [plain_document("dev", document) for document in given_]
    assert document_rows("dev", given_).equals(pa.RecordBatch.from_pylist(rows, schema=store.DOCUMENTS))
    mentions = [m for document in given_ for m in document.annotations]
    rows = [plain_mention("dev", m) for m in mentions]
    assert mention_rows("dev", mentions).equals(pa.RecordBatch.from_pylist(rows, schema=store.MENTIONS))


def test_files_do_not_tell_how_many_rows_were_written_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mentions = [Mention(f"m{n}", "d", ((n, n + 1),), "x", "t", (frozenset({f"t:{n % 9}"}),)) for n in range(30)]
    given_ = [Document(f"d{n}", "x" * 40, annotations=tuple(mentions[n : n + 1])) for n in range(30)]
    files = []
    for together in (1, 7, 1000):
        monkeypatch.setattr(SplitWriter, "_TOGETHER", together)
        folder = tmp_path / str(together)
        folder.mkdir()
        with SplitWriter(folder, "test") as writer:
            for document in given_:
                writer.add(document)
        files.append([(folder / f"{kind}.test.parquet").read_bytes() for kind in ("documents", "mentions")])
    assert files[0] == files[1] == files[2]
    assert pq.read_table(tmp_path / "7" / "mentions.test.parquet")["id"].to_pylist() == [m.id for m in mentions]
