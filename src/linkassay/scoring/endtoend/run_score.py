"""A stored run scored end to end: its corpus, its predictions and what its knowledge base knows of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from linkassay import store
from linkassay.corpora import CORPORA
from linkassay.corpora.stored_corpus import Corpus
from linkassay.errors import UsageError
from linkassay.kbs.stored_kb import Kb
from linkassay.runs.stored_run import Run
from linkassay.scoring.disambiguation.document_sums import ALL
from linkassay.scoring.disambiguation.scored_mentions import Options
from linkassay.scoring.endtoend import stored_columns, word_count
from linkassay.scoring.endtoend.case_groups import GROUPINGS
from linkassay.scoring.endtoend.case_ledger import Ledger, read
from linkassay.scoring.endtoend.evaluation import evaluate
from linkassay.scoring.endtoend.kb_facts import Knowledge, know
from linkassay.scoring.endtoend.measures import Counts
from linkassay.scoring.endtoend.presets import Preset
from linkassay.scoring.endtoend.presets import preset as named
from linkassay.scoring.endtoend.slices_and_sets import Cut, Cuts, check
from linkassay.text.abbreviations import expansions

__all__ = ["Scored", "benchmark", "known_of", "score"]


@dataclass(frozen=True)
class Scored:
    """Counts of a run, of all that was asked for and by sets and slices, and what a person should know of them."""

    run: Run
    preset: Preset
    counts: Counts
    words_of: Mapping[str, np.ndarray]  # words of the scored text of each document
    cuts: tuple[Cut, ...]  # what figures are of, for each set all mentions first
    note: str = ""
    scope: tuple[str, ...] = ()
    options: Options = field(default_factory=Options)
    ledger: Ledger | None = None  # what each case counts for, where that was asked for

    @property
    def words(self) -> dict[str, int]:
        """Words of the whole scored text."""
        return {name: int(each.sum()) for name, each in self.words_of.items()}


def score(
    run: Run, *, preset: str = "fair", spans: str = "", by: Sequence[str] = (), sets: Sequence[str] = ("global",),
    scope: Sequence[str] = (), options: Options | None = None, cases: bool = False,
) -> Scored:  # fmt: skip
    """Score one run, all of it and by slices and sets (see `cuts`); `options` say how these compare texts.

    `cases` also keeps what each case counts for.
    """
    check(by, sets)
    options = options or Options()
    corpus = run.open_corpus()
    documents = corpus[run.split]
    kb, note = _kb(run, corpus)
    knowledge = known_of(kb, run, corpus) if kb else None
    given: dict[str, Any] = {
        "preset": preset,
        "spans": spans,
        "knowledge": knowledge,
        "current": kb.current if kb else None,
    }
    predictions = run.path / "predictions.parquet"
    counts = evaluate(documents, predictions, **given)
    cuts = [Cut("global", ALL, counts)] if "global" in sets and not scope else []
    ledger = None
    if cases or by or scope or set(sets) != {"global"}:
        groupings = [each for each in by if each in GROUPINGS]
        ledger = read(documents, predictions, by=groupings, **given)
    if ledger is not None and (by or scope or set(sets) != {"global"}):
        found = Cuts(ledger, run, scope, options).cuts(sets, by)
        cuts = [cuts[0] if cuts and (cut.set, cut.slice) == ("global", ALL) else cut for cut in found]
    words_of = word_count.count(stored_columns.documents(documents))
    return Scored(run, named(preset, spans), counts, words_of, tuple(cuts), note, tuple(scope), options, ledger)


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
    defined = {d.id: frozenset(expansions(d.text)) for d in stored_columns.documents(corpus[run.split])}
    return replace(known, abbreviations={name: short for name, short in defined.items() if short})


def benchmark(corpus: str) -> str:
    """The name that a corpus has among ELEVANT's benchmarks, else its own."""
    name = corpus.partition("/")[0]
    files = CORPORA.load(name).files if name in CORPORA else ()
    found = next((file for file in files if file.endswith(".benchmark.jsonl")), "")
    return found.removesuffix(".benchmark.jsonl") or corpus
