"""The preset `elevant` (PRESET-4) against the figures that ELEVANT itself reports: every count of every file."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from linkassay.corpora.obtain import get_corpus
from linkassay.corpora.stored_corpus import Corpus
from linkassay.kbs import KBS
from linkassay.kbs.building.build import build_kb
from linkassay.runs.importing.importer import import_run
from linkassay.scoring.endtoend import Counts, evaluate
from linkassay.scoring.endtoend.run_score import score_run_end_to_end
from linkassay.scoring.endtoend.word_count import count_words
from tests.endtoend_helpers import BENCHMARKS, SYSTEMS, excerpt, linked

#: Word counts of spaCy's tokenizer, which are no cases.
WORDS = ("ner_fp_all_total", "ner_fp_lowercased_total", "ner_fp_other_total")


def scored(shared: Path, system: str, benchmark: str) -> Counts:
    return evaluate(*linked(shared, system, benchmark), preset="elevant", facts=excerpt(shared))


def test_every_count_of_the_expected_figures(shared: Path) -> None:
    compared, wrong = 0, []
    with (shared / "e2e" / "expected.tsv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    assert {(r["system"], r["benchmark"]) for r in rows} == {(s, b) for s in SYSTEMS for b in BENCHMARKS}
    found = {(s, b): scored(shared, s, b) for s in SYSTEMS for b in BENCHMARKS}
    for row in rows:
        counts = found[row["system"], row["benchmark"]]
        nil = row["mode"].lower()
        for name, value in row.items():
            if value.isdigit() and name.endswith(("_tp", "_fp", "_fn", "_errors", "_total")) and name not in WORDS:
                compared += 1
                if counts.total(name, nil) != int(value):
                    wrong.append((row["system"], row["benchmark"], nil, name, value, counts.total(name, nil)))
        for name in ("all", "entity", "ner"):
            figures = tuple(float(row[f"{name}_{x}"]) for x in ("p", "r", "f1"))
            assert max(abs(a - b) for a, b in zip(counts.micro(name, nil), figures)) < 1e-12
        assert abs(counts.accuracy(nil) - float(row["disamb_accuracy"])) < 1e-12
    assert (compared, wrong) == (1344, [])


def test_every_count_of_disambiguation(shared: Path) -> None:
    compared, wrong = 0, []
    for system in SYSTEMS:
        for benchmark in BENCHMARKS:
            counts = scored(shared, system, benchmark)
            path = shared / "e2e" / "dev" / f"{system}.{benchmark}.eval_results.json"
            for mode, figures in json.loads(path.read_text(encoding="utf-8")).items():
                reported = figures["error_categories"]["wrong_disambiguation"]
                for name in ("demonym", "metonymy", "partial_name", "rare", "other"):
                    for what, value in reported[name].items():
                        compared += 1
                        ours = counts.total(f"disamb_{name}_{what}", mode.lower())
                        if ours != value:
                            wrong.append((system, benchmark, mode, name, what, value, ours))
                for name in ("wrong_candidates", "multiple_candidates"):
                    assert (f"disamb_{name}_total" in counts.values) == (reported[name] is not None)
                    for what, value in (reported[name] or {}).items():
                        assert counts.total(f"disamb_{name}_{what}", mode.lower()) == value
    assert (compared, wrong) == (480, [])


def test_every_number_of_words(shared: Path) -> None:
    """The three totals that `evaluate` does not count, of each benchmark."""
    with (shared / "e2e" / "expected.tsv").open(encoding="utf-8") as lines:
        expected = {r["benchmark"]: [int(r[name]) for name in WORDS] for r in csv.DictReader(lines, delimiter="\t")}
    for benchmark in BENCHMARKS:
        found = count_words(linked(shared, "oracle", benchmark)[0], by_spacy=True)
        assert [int(found[name].sum()) for name in WORDS] == expected[benchmark], benchmark


KINDS = {
    "entity_named": "named", "entity_non_named": "non-named", "entity_unknown": "unknown", "coref_nominal": "nominal",
    "coref_pronominal": "pronominal",
}  # fmt: skip


def test_every_count_by_kind_of_mention_and_by_type(shared: Path) -> None:
    compared, wrong = 0, []
    for system in SYSTEMS:
        for benchmark in BENCHMARKS:
            counts = evaluate(*linked(shared, system, benchmark), preset="elevant", facts=excerpt(shared),
                              by=("type", "mention-kind"))  # fmt: skip
            path = shared / "e2e" / "dev" / f"{system}.{benchmark}.eval_results.json"
            for mode, figures in json.loads(path.read_text(encoding="utf-8")).items():
                groups = {
                    f"mention-kind={KINDS[name]}": v for name, v in figures["mention_types"].items() if name in KINDS
                }
                groups |= {f"type={name}": v for name, v in figures["entity_types"].items()}
                for group, reported in groups.items():
                    for what, name in (("tp", "true"), ("fp", "false"), ("fn", "false")):
                        value = reported[f"{name}_{'negatives' if what == 'fn' else 'positives'}"]
                        compared += 1
                        if counts.total(f"{group}_{what}", mode.lower()) != value:
                            wrong.append((system, benchmark, mode, group, what))
    assert (compared, wrong) == (5040, [])


def test_every_count_by_type_of_an_imported_run(home: Path, shared: Path) -> None:
    """The way of the command line: predictions joined with gold are still of the types of what was predicted."""
    build_kb(KBS.load("wikidata"), shared / "e2e" / "kb")
    get_corpus("wiki_fair", shared / "e2e" / "benchmarks")
    folder = shared / "e2e" / "dev"
    run, _ = import_run(
        "elevant", [folder / "refined__aida_.wiki-fair.linked_articles.jsonl.gz"], Corpus.open("wiki_fair"), "ReFinED"
    )
    cuts = {cut.slice: cut.counts for cut in score_run_end_to_end(run, preset="elevant", by=["type"]).cuts}
    assert not [name for name in cuts if "|" in name]
    reported = json.loads((folder / "refined__aida_.wiki-fair.eval_results.json").read_text(encoding="utf-8"))
    compared = 0
    for mode, figures in reported.items():
        for type_, counted in figures["entity_types"].items():
            for what, name in (("tp", "true_positives"), ("fp", "false_positives"), ("fn", "false_negatives")):
                found = cuts[f"type={type_}"].total(f"all_{what}", mode.lower()) if f"type={type_}" in cuts else 0
                assert found == counted[name], (mode, type_, what)
                compared += 1
    assert compared == 180
