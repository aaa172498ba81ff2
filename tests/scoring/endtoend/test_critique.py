"""Benchmarks looked at closely (E2E-16 to E2E-18), and the Fair EL paper's tables beside our own figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from linkassay.corpora.obtain import get_corpus
from linkassay.corpora.stored_corpus import Corpus
from linkassay.errors import UsageError
from linkassay.kbs import KBS
from linkassay.kbs.building.build import build_kb
from linkassay.model import Document, Mention
from linkassay.published.fair import BENCHMARKS, TABLE_1, TABLE_4, reproduce, summary
from linkassay.scoring.endtoend import KbFacts
from linkassay.scoring.endtoend.critique import consistency, critique, critique_corpus, properties
from tests.endtoend_helpers import excerpt, linked, stored_run

HERE = ("kore50", "msnbc-updated", "news-fair-no-coref", "wiki-fair-no-coref")


@pytest.mark.parametrize(
    ("benchmark", "expected"),
    [("wiki-fair", (1761, 152, 455, 120)), ("news-fair", (507, 90, 89, 23))],
)
def test_table_2_of_the_paper(home: Path, shared: Path, benchmark: str, expected: tuple[int, ...]) -> None:
    name = benchmark.replace("-", "_")
    get_corpus(name, shared / "e2e" / "benchmarks")
    found = critique_corpus(Corpus.open(name))["properties"]
    assert tuple(found[x] for x in ("mentions", "nil", "optional", "with_alternatives")) == expected


#: Percent of scored mentions, rounded, and how far ours may be from the paper's: its mappings are of another day.
TABLE_3 = {
    "kore50": (144, {"lower_cased": 0, "multiword": 8, "nil": 1, "demonym": 0, "metonymy": 6, "partial_name": 63}),
    "msnbc-updated": (739, {"lower_cased": 1, "multiword": 43, "nil": 12, "demonym": 0, "metonymy": 2, "location": 23}),
    "news-fair": (275, {"lower_cased": 24, "nil": 18, "demonym": 0, "metonymy": 4, "partial_name": 13, "location": 12}),
}


@pytest.mark.parametrize("benchmark", TABLE_3)
def test_table_3_of_the_paper(shared: Path, benchmark: str) -> None:
    scored, shares = TABLE_3[benchmark]
    found = properties(linked(shared, "oracle", benchmark)[0], excerpt(shared))
    assert found["scored"] == scored
    for name, percent in shares.items():
        assert abs(100 * found["shares"][name] - percent) <= 2, name


def test_same_text_different_decisions() -> None:
    text = "Ada saw Ada. Ada saw the mayor of Ada."
    labels = (
        Mention("1", "d", ((0, 3),), "Ada", "", (frozenset({"q:a"}),)),
        Mention("2", "d", ((8, 11),), "Ada", "", (frozenset({"q:b"}),)),
    )
    found = consistency([Document("d", text, annotations=labels, evaluation_spans=((0, 20),))])
    assert (found["texts_repeated"], found["texts_with_several_entities"], found["places_left_out"]) == (1, 1, 1)
    assert found["examples_several_entities"] == {"Ada": {"q:a": 1, "q:b": 1}}


def test_overlap_with_training() -> None:
    train = [Document("t", "Bo", annotations=(Mention("1", "t", ((0, 2),), "Bo", "", (frozenset({"q:1"}),)),))]
    labels = (
        Mention("1", "d", ((0, 2),), "Bo", "", (frozenset({"q:2"}),)),
        Mention("2", "d", ((3, 5),), "Al", "", (frozenset({"q:1"}),)),
    )
    found = critique([Document("d", "Bo Al", annotations=labels)], KbFacts(), train)
    assert found["overlap"] == {"texts_in_training": 0.5, "entities_in_training": 0.5, "pairs_in_training": 0.0}


def test_reproduce_fair(home: Path, shared: Path) -> None:
    build_kb(KBS.load("wikidata"), shared / "e2e" / "kb")
    for benchmark in HERE:
        name = benchmark.replace("-", "_")
        get_corpus(name, shared / "e2e" / "benchmarks")
        stored_run(Corpus.open(name), "ReFinED", linked(shared, "refined__aida_", benchmark)[1])
    found = reproduce()
    assert "without aida-conll-test they are not comparable" in found["note"]
    (row,) = found["rows"]
    assert row["published_as"] == "ReFinED"
    ours = row["ours"]
    assert [round(ours[x], 3) for x in ("all_f1", "ner_f1", "disamb_accuracy")] == [0.703, 0.806, 0.880]
    assert row["paper"]["all_f1"] == 0.733
    assert row["difference"] == {}  # four benchmarks are not the paper's five
    assert row["note"].startswith("not comparable: ours is of 4 (kore50, ")
    assert {len(keys) for keys in row["keys"].values()} == {4}  # a figure of each benchmark
    assert [key.split("|")[1] for key in row["keys"]["disamb_rare"]] == ["disamb_rare_rate"] * 4


def test_rates_of_demonyms_only_where_there_are_enough() -> None:
    figures = {
        name: {"all_f1": 0.5, "ner_f1": 0.5, "disamb_accuracy": 0.5}
        | {f"{c}_{x}": n for c in ("ner_fn_lowercased", "ner_fn_partially_included", "ner_fp_lowercased",
                                   "ner_fp_groundtruth_unknown", "ner_fp_wrong_span", "disamb_demonym",
                                   "disamb_metonymy", "disamb_partial_name", "disamb_rare")
           for x, n in (("errors", errors), ("total", 10))}
        for name, errors in (("a", 1), ("b", 5))
    }  # fmt: skip
    shares = {
        "a": {"demonym": 0.02, "metonymy": 0.0, "partial_name": 0.0, "rare": 0.0},
        "b": {"demonym": 0.019, "metonymy": 0.0, "partial_name": 0.0, "rare": 0.0},
    }
    ours = summary("mine", figures, shares)["ours"]
    five = dict.fromkeys(BENCHMARKS, figures["a"])
    whole = summary("ReFinED", five, dict.fromkeys(five, shares["a"]))
    assert whole["difference"]["all_f1"] == pytest.approx(0.5 - 0.733)
    assert summary("ReFinED", dict(list(five.items())[1:]), dict.fromkeys(five, shares["a"]))["difference"] == {}
    assert (ours["disamb_demonym"], ours["disamb_metonymy"]) == (0.1, None)
    assert (ours["disamb_rare"], ours["ner_fn_lowercased"]) == (0.3, 3.0)


def test_reproduce_without_runs(home: Path) -> None:
    with pytest.raises(UsageError, match="no runs on the benchmarks of the paper"):
        reproduce()


def test_both_tables_are_of_the_same_systems() -> None:
    assert list(TABLE_1) == list(TABLE_4)
    assert {len(row) for row in TABLE_4.values()} == {9}
