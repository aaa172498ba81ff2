"""A stored run scored end to end: its corpus, its predictions and what its knowledge base knows of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from linkassay import store
from linkassay.corpora import CORPORA
from linkassay.corpora.stored import Corpus
from linkassay.errors import UsageError
from linkassay.kbs.stored import Kb
from linkassay.runs import Run
from linkassay.scoring.endtoend import stored, words
from linkassay.scoring.endtoend.evaluate import evaluate
from linkassay.scoring.endtoend.knowledge import Knowledge, know
from linkassay.scoring.endtoend.measures import Counts
from linkassay.text.abbreviations import expansions

__all__ = ["Scored", "benchmark", "known_of", "score"]


@dataclass(frozen=True)
class Scored:
    """Counts of a run, the words of the scored text, and what a person should know of them."""

    run: Run
    counts: Counts
    words: dict[str, int]
    note: str = ""


def score(run: Run, *, preset: str = "fair", spans: str = "", by: Sequence[str] = ()) -> Scored:
    """Score one run."""
    corpus = run.open_corpus()
    documents = corpus[run.split]
    kb, note = _kb(run, corpus)
    knowledge = known_of(kb, run, corpus) if kb else None
    predictions = run.path / "predictions.parquet"
    counts = evaluate(documents, predictions, preset=preset, spans=spans, by=by, knowledge=knowledge,
                      current=kb.current if kb else None)  # fmt: skip
    return Scored(run, counts, words.count(stored.documents(documents)), note)


def _kb(run: Run, corpus: Corpus) -> tuple[Kb | None, str]:
    """The KB of the run, else that of the corpus; a note where it is not at hand."""
    try:
        return Kb.open(run.kb if run.about.get("kb") else corpus.manifest["kb"]), ""
    except UsageError as error:
        return None, f"{error}; without it quantities, datetimes and the sorts of wrong entities are not told apart"


def known_of(kb: Kb, run: Run, corpus: Corpus) -> Knowledge:
    """What the KB knows of the run's ids and the corpus's texts."""
    connection = store.connect(
        {"mentions": [corpus[run.split].mentions_path], "said": [run.path / "predictions.parquet"]}
    )
    texts = [row[0] for row in connection.execute("select distinct text from mentions").fetchall()]
    ids = [row[0] for row in connection.execute(
        "select distinct unnest(flatten(gold)) from mentions "
        "union select distinct unnest(list_filter(groups, lambda g: len(g) > 0)[1]) from said"
    ).fetchall()]  # fmt: skip
    known = know(kb, ids, texts, corpus["train"] if "train" in corpus.splits else ())
    if kb.name == "wikidata":
        return known
    defined = {d.id: frozenset(expansions(d.text)) for d in stored.documents(corpus[run.split])}
    return replace(known, abbreviations={name: short for name, short in defined.items() if short})


def benchmark(corpus: str) -> str:
    """The name that a corpus has among ELEVANT's benchmarks, else its own."""
    name = corpus.partition("/")[0]
    files = CORPORA.load(name).files if name in CORPORA else ()
    found = next((file for file in files if file.endswith(".benchmark.jsonl")), "")
    return found.removesuffix(".benchmark.jsonl") or corpus
