"""What the tests of end-to-end scoring share: real files of ELEVANT, documents and predictions in a few words."""

from __future__ import annotations

import gzip
import json
from functools import lru_cache
from pathlib import Path

from linkassay import store
from linkassay.corpora.stored_corpus import Corpus
from linkassay.files import expand_paths
from linkassay.formats.documents import elevant
from linkassay.model import Document, Mention, Prediction
from linkassay.runs.stored_run import Run
from linkassay.scoring.endtoend import KbFacts
from tests.helpers import reading

SYSTEMS = ("baseline", "oracle", "refined__aida_", "rel__2014_")
BENCHMARKS = ("kore50", "msnbc-updated", "news-fair", "news-fair-no-coref", "wiki-fair", "wiki-fair-no-coref")


@lru_cache(maxsize=32)
def linked(shared: Path, system: str, benchmark: str) -> tuple[list[Document], list[Prediction]]:
    """The gold documents of a benchmark and what a system predicted."""
    gold = expand_paths([shared / "e2e" / "benchmarks" / f"{benchmark}.benchmark.jsonl.gz"])
    files = expand_paths([shared / "e2e" / "dev" / f"{system}.{benchmark}.linked_articles.jsonl.gz"])
    documents = list(elevant.read(gold, reading(prefix="wikidata")))
    return documents, [claim.prediction for claim in elevant.read_linked(files, reading())]


@lru_cache(maxsize=1)
def excerpt(shared: Path) -> KbFacts:
    """What the excerpt of Wikidata knows, read as plainly as can be."""

    def rows(name: str) -> list[list[str]]:
        path = shared / "e2e" / "kb" / name
        with gzip.open(path, "rt", encoding="utf-8") if name.endswith(".gz") else path.open(encoding="utf-8") as lines:
            return [line.rstrip("\n").split("\t") for line in lines]

    def ids(text: str) -> frozenset[str]:
        return frozenset(f"wikidata:{i}" for i in text.split("|") if i)

    entities = rows("entities.tsv.gz")
    return KbFacts(
        names={f"wikidata:{i}": name for i, name, _ in entities},
        types={f"wikidata:{i}": ids(types) for i, _, types in entities if types},
        quantities=frozenset(f"wikidata:{r[0]}" for r in rows("quantity_ids.tsv")),
        datetimes=frozenset(f"wikidata:{r[0]}" for r in rows("datetime_ids.tsv")),
        demonyms=frozenset(r[0] for r in rows("demonyms.tsv")),
        popular={text: ids(popular) for text, popular, _ in rows("popular_candidates.tsv.gz")},
    )


def mention(text: str, document: str, entity: str = "", parent: str = "", **more: object) -> Mention:
    """A label on the first place where `text` stands in the document; its id is text and entity."""
    start = document.index(text)
    gold = (frozenset({entity}),) if entity else ()
    return Mention(f"{text}={entity}", "d", ((start, start + len(text)),), text, "", gold, parent=parent,
                   **more)  # type: ignore[arg-type] # fmt: skip


def says(text: str, document: str, entity: str = "", **more: object) -> Prediction:
    """A prediction on the first place where `text` stands; without an entity the answer is NIL."""
    start = document.index(text)
    groups = ((entity,),) if entity else ()
    return Prediction("d", ((start, start + len(text)),), groups, nil=not entity, **more)  # type: ignore[arg-type]


def write_predictions(path: Path, predictions: list[Prediction]) -> None:
    """The Parquet file of a run."""
    with store.Table(path, store.PREDICTIONS) as table:
        for p in predictions:
            spans = [{"start": s, "end": e} for s, e in p.spans]
            table.add((p.document, p.mention, spans, p.type, p.groups, p.scores, p.nil, p.nil_as))


def stored_run(corpus: Corpus, system: str, predictions: list[Prediction], split: str = "test") -> Run:
    """A run in the data home with these predictions."""
    path = store.home() / "runs" / corpus.name / f"{system}-0"
    path.mkdir(parents=True)
    write_predictions(path / "predictions.parquet", predictions)
    about = {
        "corpus": corpus.name, "corpus_revision": corpus.revision, "split": split, "kb": "", "kb_revision": "",
        "system": system, "mentions": len(predictions), "finished": 1.0,
    }  # fmt: skip
    (path / "run.json").write_text(json.dumps(about), encoding="utf-8")
    return Run(path)
