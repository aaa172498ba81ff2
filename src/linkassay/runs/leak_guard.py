"""Which of the documents that a linker links it was trained on (LINKER-12), or its model was: refused, or recorded."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from linkassay import store
from linkassay.corpora import Corpus, document_ids
from linkassay.errors import UsageError
from linkassay.linkers.neural import model_card
from linkassay.runs.training import TrainingDocuments, TrainingPart, parts_text, training_parts


def documents_seen(parts: Sequence[TrainingPart], corpus: Corpus, split: str) -> list[str]:
    """The documents of a split that are trained on: of the same id in the same corpus, of the same text elsewhere.

    White space makes no difference to a text; documents without one are known by their ids alone.
    """
    ids: set[str] = set()
    texts: set[str] = set()
    for part in parts:
        for name in part.splits:
            if _bare(part.corpus) == _bare(corpus):
                ids.update(document_ids(part.corpus.path, name))
            else:
                texts.update(digest for _, digest in _digests(part.corpus, name) if digest)
    if not texts:
        return [document for document in document_ids(corpus.path, split) if document in ids]
    return [document for document, digest in _digests(corpus, split) if document in ids or digest in texts]


def _bare(corpus: Corpus) -> str:
    return corpus.name.partition("/")[0]


def _digests(corpus: Corpus, split: str) -> Iterator[tuple[str, str]]:
    """Each document with what stands for its text; "" where it has none."""
    for row in store.rows(corpus[split].documents_path, columns=["id", "text"]):
        words = " ".join(row["text"].split())
        yield row["id"], hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest() if words else ""


def parts_of_model(folder: Path, corpus: Corpus) -> list[TrainingPart]:
    """What a model says that it was trained and chosen on, as far as these revisions are in the data home."""
    card, found = model_card(folder), []
    for each in (*card.get("trained_on", ()), *card.get("chosen_on", ())):
        with suppress(UsageError):
            found += training_parts([each], corpus)
    return found


def training_record(parts: Sequence[TrainingPart]) -> dict[str, Any]:
    """What `run.json` says of the training of a linker that learns."""
    return {"trained_on": _told(parts)}


def model_record(folder: Path, parts: Sequence[TrainingPart]) -> dict[str, Any]:
    """What it says of a model that `linkassay train` made: what its card names, and which `parts` of it are here."""
    card = model_card(folder)
    if not card:
        return {}
    named = {name: card.get(name) for name in ("family", "kb", "trained_on", "chosen_on", "abbreviations", "seed")}
    return {"model_training": named | {"found": _told(parts)}}


def _told(parts: Sequence[TrainingPart]) -> list[dict[str, Any]]:
    return [
        {"corpus": part.corpus.name, "revision": part.corpus.revision, "splits": list(part.splits),
         "documents": len(TrainingDocuments([part]))}
        for part in parts
    ]  # fmt: skip


def leak_record(parts: Sequence[TrainingPart], corpus: Corpus, split: str) -> dict[str, Any]:
    """What it says of documents that linker or model had seen."""
    seen = documents_seen(parts, corpus, split)
    return {"leak": {"documents": len(seen), "examples": seen[:10]}} if seen else {}


def refuse_leak(parts: Sequence[TrainingPart], corpus: Corpus, split: str, linker: str) -> None:
    """An error if a linker was to link documents that it is trained on."""
    if not (seen := documents_seen(parts, corpus, split)):
        return
    examples = ", ".join(seen[:3]) + (" …" if len(seen) > 3 else "")
    raise UsageError(
        f"linker {linker!r} is trained on {len(seen)} of the {len(corpus[split])} documents of {corpus.name} {split} "
        f"({examples}), by {', '.join(parts_text(parts))}: link another --split, train on something else (--train-on), "
        "or let it be with --allow-leak, which marks every figure of the run"
    )
