"""A stored run scored end to end: its corpus, its predictions and what its knowledge base knows of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from linkassay.corpora import CORPORA, Corpus, Split
from linkassay.errors import UsageError
from linkassay.kbs import Kb
from linkassay.model import Document
from linkassay.runs import Run
from linkassay.scoring.disambiguation.document_sums import ALL
from linkassay.scoring.disambiguation.scored_mentions import ScoringOptions
from linkassay.scoring.endtoend import stored_columns, word_count
from linkassay.scoring.endtoend.case_groups import GROUPINGS
from linkassay.scoring.endtoend.case_ledger import Ledger, read_ledger
from linkassay.scoring.endtoend.counts import Counts
from linkassay.scoring.endtoend.evaluation import evaluate
from linkassay.scoring.endtoend.kb_facts import KbFacts, kb_facts_of, usual
from linkassay.scoring.endtoend.kept_words import Counted, counted_once
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
    return score_runs_end_to_end([run], preset=preset, spans=spans, by=by, sets=sets, scope=scope, options=options,
                                 cases=cases)[0]  # fmt: skip


def score_runs_end_to_end(
    runs: Sequence[Run], *, preset: str = "fair", spans: str = "", by: Sequence[str] = (),
    sets: Sequence[str] = ("global",), scope: Sequence[str] = (), options: ScoringOptions | None = None,
    cases: bool = False,
) -> list[EndToEndScore]:  # fmt: skip
    """Score some runs, each as `score_run_end_to_end` does; knowledge bases are asked once for all of them."""
    refuse_unknown(by, sets)
    asked = _Asked(
        named(preset, spans), spans, tuple(by), tuple(sets), tuple(scope), options or ScoringOptions(), cases
    )
    corpora = [run.open_corpus() for run in runs]
    opened = [_kb(run, corpus) for run, corpus in zip(runs, corpora, strict=True)]
    kbs: dict[Path, Kb] = {}
    known: dict[int, KbFacts] = {}
    for kb, _ in opened:
        if kb is not None and kbs.setdefault(kb.path, kb) is kb:
            mine = [at for at, (other, _) in enumerate(opened) if other is not None and other.path == kb.path]
            found = kb_facts_for_runs(kb, [(runs[at], corpora[at]) for at in mine])
            known |= zip(mine, found, strict=True)
    return [
        _scored(run, corpora[at], kbs[kb.path] if kb is not None else None, known.get(at), note, asked)
        for at, (run, (kb, note)) in enumerate(zip(runs, opened, strict=True))
    ]


@dataclass(frozen=True)
class _Asked:
    """What figures are asked for, of each run alike."""

    preset: Preset
    spans: str
    by: tuple[str, ...]
    sets: tuple[str, ...]
    scope: tuple[str, ...]
    options: ScoringOptions
    cases: bool


def _scored(run: Run, corpus: Corpus, kb: Kb | None, facts: KbFacts | None, note: str, asked: _Asked) -> EndToEndScore:
    preset, by, sets, scope = asked.preset, asked.by, asked.sets, asked.scope
    documents = corpus[run.split]
    absent, told = _absent(run, preset)
    given: dict[str, Any] = {
        "preset": preset.name,
        "spans": asked.spans,
        "facts": facts,
        "current": kb.current if kb else None,
        "without": absent,
    }
    predictions = run.path / "predictions.parquet"
    counts = evaluate(documents, predictions, **given)
    cuts = [CountedSlice("global", ALL, counts)] if "global" in sets and not scope else []
    ledger = None
    if asked.cases or by or scope or set(sets) != {"global"}:
        groupings = [each for each in by if each in GROUPINGS]
        ledger = read_ledger(documents, predictions, by=groupings, **given)
    if ledger is not None and (by or scope or set(sets) != {"global"}):
        found = SlicesAndSets(ledger, run, scope, asked.options).cuts(sets, by)
        cuts = [cuts[0] if cuts and (cut.set, cut.slice) == ("global", ALL) else cut for cut in found]
    as_elevant = preset.rules == "elevant" or corpus.manifest["kb"].partition("@")[0] == "wikidata"
    by_spacy = as_elevant and word_count.has_spacy()
    return EndToEndScore(
        run, preset, counts, _words(documents, absent, by_spacy), tuple(cuts), "; ".join(filter(None, (note, told))),
        scope, asked.options, ledger, word_count.APPROXIMATE if as_elevant and not by_spacy else "",
    )  # fmt: skip


def _words(documents: Split, absent: Collection[str], by_spacy: bool) -> dict[str, np.ndarray]:
    """Words of the scored text of each document that is not absent."""
    names, words = _words_of(documents.documents_path, by_spacy)
    if not absent:
        return words
    kept = np.array([name not in absent for name in names], dtype=bool)
    return {name: each[kept] for name, each in words.items()}


@lru_cache(maxsize=16)  # revisions never change, and several runs share them
def _words_of(documents: Path, by_spacy: bool) -> Counted:
    """The documents of a split, and the words of each."""

    def count() -> Counted:
        names: list[str] = []

        def met() -> Iterator[Document]:
            for document in stored_columns.documents(documents):
                names.append(document.id)
                yield document

        return names, word_count.count_words(met(), by_spacy=by_spacy)

    return counted_once(documents, count) if by_spacy else count()


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
    return kb_facts_for_runs(kb, [(run, corpus)])[0]


def kb_facts_for_runs(kb: Kb, runs: Sequence[tuple[Run, Corpus]]) -> list[KbFacts]:
    """For each run what the KB knows of its ids and the texts of its corpus, and perhaps of the others' ids."""
    files = [corpus[run.split].mentions_path for run, corpus in runs]
    gold = {file: stored_columns.texts_and_ids(file) for file in dict.fromkeys(files)}
    asked = [gold[file] for file in files]
    answers = [stored_columns.answered_ids(run.path / "predictions.parquet") for run, _ in runs]
    known = kb_facts_of(kb, set().union(*(ids for _, ids in asked), *answers), set().union(*(t for t, _ in asked)))
    return [_of_corpus(known, kb, run, corpus, texts) for (run, corpus), (texts, _) in zip(runs, asked, strict=True)]


def _of_corpus(known: KbFacts, kb: Kb, run: Run, corpus: Corpus, texts: set[str]) -> KbFacts:
    """What is known, as it is for one corpus."""
    popular = {text: senses for text, senses in known.popular.items() if text in texts}
    spelled = {type_.lower(): type_ for type_ in corpus.types}  # kinds as the corpus calls them, which others do not
    kinds = {i: spelled[kind.lower()] for i, kind in known.kinds.items() if kind.lower() in spelled}
    if not popular and "train" in corpus.splits:
        popular = usual(corpus["train"])
    known = replace(known, kinds=kinds, popular=popular)
    if kb.name == "wikidata":
        return known
    defined = {d.id: frozenset(expansions(d.text)) for d in stored_columns.documents(corpus[run.split].documents_path)}
    return replace(known, abbreviations={name: short for name, short in defined.items() if short})


def benchmark_name(corpus: str) -> str:
    """The name that a corpus has among ELEVANT's benchmarks, else its own."""
    name = corpus.partition("/")[0]
    files = CORPORA.load(name).files if name in CORPORA else ()
    found = next((file for file in files if file.endswith(".benchmark.jsonl")), "")
    return found.removesuffix(".benchmark.jsonl") or corpus
