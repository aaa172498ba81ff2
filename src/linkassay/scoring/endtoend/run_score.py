"""A stored run scored end to end: its corpus, its predictions and what its knowledge base knows of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from linkassay import store
from linkassay.corpora import CORPORA, Corpus
from linkassay.errors import UsageError
from linkassay.kbs import Kb
from linkassay.runs import Run
from linkassay.scoring.disambiguation.document_sums import ALL
from linkassay.scoring.disambiguation.scored_mentions import ScoringOptions
from linkassay.scoring.endtoend import stored_columns, word_count
from linkassay.scoring.endtoend.case_groups import GROUPINGS
from linkassay.scoring.endtoend.case_ledger import Ledger, read_ledger
from linkassay.scoring.endtoend.counts import Counts
from linkassay.scoring.endtoend.evaluation import evaluate
from linkassay.scoring.endtoend.kb_facts import KbFacts, kb_facts_of
from linkassay.scoring.endtoend.presets import Preset
from linkassay.scoring.endtoend.presets import preset as named
from linkassay.scoring.endtoend.slices_and_sets import CountedSlice, SlicesAndSets, refuse_unknown
from linkassay.text.abbreviations import expansions


@dataclass(frozen=True)
class EndToEndScore:
    """Counts of a run, of all that was asked for and by sets and slices, and what a person should know of them."""

    run: Run
    preset: Preset
    counts: Counts
    words_of: Mapping[str, np.ndarray]  # words of the scored text of each document
    cuts: tuple[CountedSlice, ...]  # what figures are of, for each set all mentions first
    note: str = ""
    scope: tuple[str, ...] = ()
    options: ScoringOptions = field(default_factory=ScoringOptions)
    ledger: Ledger | None = None  # what each case counts for, where that was asked for
    words_note: str = ""  # what is to be known of the number of words

    @property
    def words(self) -> dict[str, int]:
        """Words of the whole scored text."""
        return {name: int(each.sum()) for name, each in self.words_of.items()}


def score_run_end_to_end(
    run: Run, *, preset: str = "fair", spans: str = "", by: Sequence[str] = (), sets: Sequence[str] = ("global",),
    scope: Sequence[str] = (), options: ScoringOptions | None = None, cases: bool = False,
) -> EndToEndScore:  # fmt: skip
    """Score one run, all of it and by slices and sets (see `slices_and_sets`); `options` say how these compare texts.

    `cases` also keeps what each case counts for.
    """
    refuse_unknown(by, sets)
    options = options or ScoringOptions()
    corpus = run.open_corpus()
    documents = corpus[run.split]
    kb, note = _kb(run, corpus)
    facts = kb_facts_for_run(kb, run, corpus) if kb else None
    absent, told = _absent(run, named(preset, spans))
    given: dict[str, Any] = {
        "preset": preset,
        "spans": spans,
        "facts": facts,
        "current": kb.current if kb else None,
        "without": absent,
    }
    predictions = run.path / "predictions.parquet"
    counts = evaluate(documents, predictions, **given)
    cuts = [CountedSlice("global", ALL, counts)] if "global" in sets and not scope else []
    ledger = None
    if cases or by or scope or set(sets) != {"global"}:
        groupings = [each for each in by if each in GROUPINGS]
        ledger = read_ledger(documents, predictions, by=groupings, **given)
    if ledger is not None and (by or scope or set(sets) != {"global"}):
        found = SlicesAndSets(ledger, run, scope, options).cuts(sets, by)
        cuts = [cuts[0] if cuts and (cut.set, cut.slice) == ("global", ALL) else cut for cut in found]
    as_elevant = named(preset, spans).rules == "elevant" or corpus.manifest["kb"].partition("@")[0] == "wikidata"
    by_spacy = as_elevant and word_count.has_spacy()
    texts = (d for d in stored_columns.documents(documents) if d.id not in absent)
    return EndToEndScore(
        run, named(preset, spans), counts, word_count.count_words(texts, by_spacy=by_spacy), tuple(cuts),
        "; ".join(filter(None, (note, told))), tuple(scope), options, ledger,
        word_count.APPROXIMATE if as_elevant and not by_spacy else "",
    )  # fmt: skip


def _absent(run: Run, preset: Preset) -> tuple[frozenset[str], str]:
    """Documents that are not scored, being absent from the imported files (ELEVANT-10), and what is said of them."""
    if preset.rules == "elevant":
        return frozenset(run.absent), run.absence("they are not scored, as ELEVANT does it")
    return frozenset(), run.absence("their mentions count as missed")


def _kb(run: Run, corpus: Corpus) -> tuple[Kb | None, str]:
    """The KB of the run, else that of the corpus; a note where it is not at hand."""
    try:
        return Kb.open(run.kb if run.about.get("kb") else corpus.manifest["kb"]), ""
    except UsageError as error:
        return None, f"{error}; without it quantities, datetimes and the sorts of wrong entities are not told apart"


def kb_facts_for_run(kb: Kb, run: Run, corpus: Corpus) -> KbFacts:
    """What the KB knows of the run's ids and the corpus's texts."""
    connection = store.connect(
        {"mentions": [corpus[run.split].mentions_path], "said": [run.path / "predictions.parquet"]}
    )
    texts = [row[0] for row in connection.execute("select distinct text from mentions").fetchall()]
    ids = [row[0] for row in connection.execute(
        "select distinct unnest(flatten(gold)) from mentions "
        "union select distinct unnest(list_filter(groups, lambda g: len(g) > 0)[1]) from said"
    ).fetchall()]  # fmt: skip
    known = kb_facts_of(kb, ids, texts, corpus["train"] if "train" in corpus.splits else ())
    spelled = {type_.lower(): type_ for type_ in corpus.types}  # kinds as the corpus calls them, which others do not
    kinds = {i: spelled[kind.lower()] for i, kind in known.kinds.items() if kind.lower() in spelled}
    known = replace(known, kinds=kinds)
    if kb.name == "wikidata":
        return known
    defined = {d.id: frozenset(expansions(d.text)) for d in stored_columns.documents(corpus[run.split])}
    return replace(known, abbreviations={name: short for name, short in defined.items() if short})


def benchmark_name(corpus: str) -> str:
    """The name that a corpus has among ELEVANT's benchmarks, else its own."""
    name = corpus.partition("/")[0]
    files = CORPORA.load(name).files if name in CORPORA else ()
    found = next((file for file in files if file.endswith(".benchmark.jsonl")), "")
    return found.removesuffix(".benchmark.jsonl") or corpus
