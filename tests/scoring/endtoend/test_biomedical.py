"""Biomedical corpora end to end: TaggerOne's real output, ids that moved on, species."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

from linkassay.corpora.obtain import get_corpus
from linkassay.corpora.stored_corpus import Corpus
from linkassay.ids import curie
from linkassay.model import Document, Prediction
from linkassay.scoring.endtoend import KbFacts, evaluate, recognised
from tests.endtoend_helpers import mention, says


@pytest.mark.parametrize(
    ("corpus", "folder", "recognised_", "document_f1"),
    [("ncbi_disease", "ncbi_disease", 787, 0.780), ("bc5cdr/disease", "bc5cdr_disease", 3587, 0.827)],
)
def test_taggerone(home: Path, shared: Path, corpus: str, folder: str, recognised_: int, document_f1: float) -> None:
    """NER recall .82 and .82, BELB table 13; document-level F1 with ids as they are written."""
    name = corpus.partition("/")[0]
    get_corpus(name, shared / "corpora" / name)
    path = shared / "predictions" / "belb" / folder / "taggerone" / "native_with_gold.json.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        written = json.load(file)["pred"]["original"]
    predictions = []
    for row in written:
        ids = tuple(curie(t, "mesh") for t in re.split("[;|,]", row["y_pred"]) if t not in ("", "-"))
        spans = ((row["start"], row["end"]),)
        predictions.append(Prediction(row["eid"], spans, (ids,) if ids else (), nil=not ids))
    documents = Corpus.open(corpus)["test"]
    counts = evaluate(documents, predictions)
    assert counts.total("ner_tp", "ignored") == recognised_
    assert round(counts.micro("ner", "ignored")[1], 2) == 0.82
    with_id = {m.id for d in documents for m in d.mentions if m.gold}
    assert len(recognised(documents, predictions) & with_id) == recognised_
    assert round(counts.micro("document", "ignored")[2], 3) == document_f1


TEXT = "BRCA1 in mice"
LABEL = mention("BRCA1", TEXT, "ncbigene:672")


def score(entity: str, **more: object) -> tuple[int, ...]:
    counts = evaluate([Document("d", TEXT, annotations=(LABEL,))], [says("BRCA1", TEXT, entity)], **more)  # type: ignore[arg-type]
    return tuple(counts.total(f"all_{x}", "ignored") for x in ("tp", "fp", "fn"))


def test_ids_that_moved_on() -> None:
    history = {"ncbigene:1": ("ncbigene:672",), "ncbigene:2": ("ncbigene:672", "ncbigene:9"), "ncbigene:3": ()}

    def current(identifier: str) -> tuple[str, ...]:
        return history.get(identifier, (identifier,))

    assert score("ncbigene:1") == (0, 1, 1)
    assert score("ncbigene:1", current=current) == (1, 0, 0)
    assert score("ncbigene:2", current=current) == (1, 0, 0)
    assert score("ncbigene:3", current=current) == (0, 1, 1)


def test_wrong_species() -> None:
    foreign = {"ncbigene:672": "ncbitaxon:9606", "ncbigene:12189": "ncbitaxon:10090", "ncbigene:675": "ncbitaxon:9606"}
    document = Document("d", TEXT, annotations=(LABEL,))
    for entity, errors in (("ncbigene:12189", 1), ("ncbigene:675", 0), ("ncbigene:672", 0)):
        counts = evaluate([document], [says("BRCA1", TEXT, entity)], facts=KbFacts(foreign=foreign))
        assert counts.total("disamb_wrong_species_errors", "ignored") == errors
        assert counts.total("disamb_wrong_species_total", "ignored") == 1


def test_abbreviations() -> None:
    """A short form counts where its own document defines it, whatever other documents define."""
    document = Document("d", TEXT, annotations=(LABEL,))
    for defined, entity, counted in (
        ({"d": frozenset({"BRCA1"})}, "ncbigene:675", (1, 1)),
        ({"d": frozenset({"BRCA1"})}, "ncbigene:672", (0, 1)),
        ({"other": frozenset({"BRCA1"}), "d": frozenset({"BRCA2"})}, "ncbigene:675", (0, 0)),
    ):
        counts = evaluate([document], [says("BRCA1", TEXT, entity)], facts=KbFacts(abbreviations=defined))
        assert tuple(counts.total(f"disamb_abbreviation_{x}", "ignored") for x in ("errors", "total")) == counted


def test_abbreviations_of_a_stored_run(home: Path) -> None:
    import linkassay
    from linkassay.scoring.endtoend.run_score import score_run_end_to_end

    counts = score_run_end_to_end(linkassay.link("exact", "mini")).counts
    assert counts.total("disamb_abbreviation_total", "ignored") > 5
