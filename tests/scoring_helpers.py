"""Small made-up corpora, knowledge bases and runs to be scored."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from linkassay import store
from linkassay.corpora.obtain import OwnCorpus, get_own_corpus
from linkassay.corpora.stored_corpus import Corpus
from linkassay.kbs.building.build import build_kb
from linkassay.kbs.schema import KbSpec, Part
from linkassay.kbs.stored_kb import Kb
from linkassay.model import Prediction
from linkassay.runs.identity import RunIdentity
from linkassay.runs.prediction_rows import row_of
from linkassay.runs.stored_run import Run, keep_predictions
from tests.helpers import raw

#: One mention: its text, its gold (alternatives with ; and composites with + between), and perhaps its type.
Given = tuple[str, str] | tuple[str, str, str]


def gold_of(text: str) -> list[list[str]]:
    return [sorted(set(alternative.split("+"))) for alternative in text.split(";") if alternative]


def corpus(
    folder: Path, name: str, splits: Mapping[str, Mapping[str, Sequence[Given]]], spans: Mapping[str, Any] | None = None
) -> Corpus:
    """A corpus of documents that are their mentions with blanks between; `spans`: evaluation spans of documents."""
    for split, documents in splits.items():
        lines = []
        for document, mentions in documents.items():
            text, found = "", []
            for surface, gold, *type_ in mentions:
                text += " " if text else ""
                place = [len(text), len(text) + len(surface)]
                found.append({"spans": [place], "type": type_[0] if type_ else "disease", "gold": gold_of(gold)})
                text += surface
            value: dict[str, Any] = {"id": document, "text": text, "mentions": found}
            if spans and document in spans:
                value["evaluation_spans"] = spans[document]
            lines.append(json.dumps(value) + "\n")
        path = folder / f"{name}.{split}.jsonl"
        path.write_text("".join(lines), encoding="utf-8")
        get_own_corpus(OwnCorpus(name, "jsonl", (path,), split=split, kb="tiny"))
    return Corpus.open(name)


def knowledge(names: Mapping[str, Sequence[str]], history: str = "", **entities: Mapping[str, Any]) -> Kb:
    """The knowledge base `tiny`; `history` has a line `old<TAB>new` for each change."""
    rows = [
        {"id": i, "type": "disease", "names": [[n, "label"] for n in ns]} | dict(entities.get(i.replace(":", ""), {}))
        for i, ns in names.items()
    ]
    files = [raw("kb.jsonl", "".join(json.dumps(r) + "\n" for r in rows)), raw("history.tsv", history)]
    parts = (
        Part("kb.jsonl", "linkassay.kbs.readers.json_lines:read_entities"),
        Part("history.tsv", "linkassay.kbs.readers.json_lines:read_history"),
    )
    build_kb(KbSpec("tiny", "Tiny", "t", ("disease",), "CC0", "", "", parts, packaged=lambda: files))
    return Kb.open("tiny")


def run_of(
    on: Corpus,
    answers: Sequence[Any],
    *,
    system: str = "made-up",
    kb: Kb | None = None,
    split: str = "test",
    **about: Any,
) -> Run:
    """A run with one answer for each mention of the split in its order: groups, None for none, "nil" (with a candidate
    that it does not mean)."""
    mentions = [m for document in on[split] for m in document.mentions]
    predictions = [
        Prediction(m.document, m.spans, tuple(map(tuple, [["t:1"]] if answer == "nil" else answer)), (), m.id, m.type,
                   answer == "nil")
        for m, answer in zip(mentions, answers, strict=True)
        if answer is not None
    ]  # fmt: skip
    revision = kb.revision if kb else ""
    identity = RunIdentity(
        on.name, on.revision, split, kb.name if kb else "tiny", revision, system, {"answers": repr(answers)}
    )
    rows = [dict(zip(store.PREDICTIONS.names, row_of(each), strict=True)) for each in predictions]
    batch = pa.RecordBatch.from_pylist(rows, schema=store.PREDICTIONS)
    return keep_predictions(identity, [batch], further=about)[0]
