"""Small files in ELEVANT's true form, on the whole way from `get` and `import` to `score`.

What is odd in them is counted as ELEVANT does (TREE-6, ELEVANT-5, ELEVANT-9, ELEVANT-10), told, and never refused.
"""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from linkassay.cli import app
from linkassay.kbs import KBS
from linkassay.kbs.building.build import build_kb
from linkassay.scoring.endtoend.word_count import APPROXIMATE

TEXT = "Ada met Bob Cummings in New York, and Carl met Ada."
ENTITIES = """Q1\tAda\tQ215627
Q2\tBob Cummings\tQ215627|Q17537576
Q3\tNew York\tQ27096213
Q4\tYork\tQ27096213|Q43229
"""


def at(text: str, number: int = 0) -> list[int]:
    start = -1
    for _ in range(number + 1):
        start = TEXT.index(text, start + 1)
    return [start, start + len(text)]


def label(id: int, text: str, entity: Any, type_: str = "Q215627", **more: Any) -> dict[str, Any]:
    return {"id": id, "span": at(text), "entity_id": entity, "name": text, "type": type_, **more}


def said(text: str, entity: Any, candidates: list[str] | None = None, number: int = 0) -> dict[str, Any]:
    listed = [entity] if candidates is None and entity else candidates or []
    return {"span": at(text, number), "id": entity, "recognized_by": "X", "linked_by": "X", "candidates": listed}


class Bench:
    """Benchmark and linked articles written to files, obtained, imported and scored by the command line."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def run(self, *arguments: str, fails: bool = False) -> str:
        found = CliRunner().invoke(app, list(arguments))
        assert (found.exit_code == 0) is not fails, found.output
        return f"{found.exception}\n{found.stdout}" if fails else found.stdout

    def get(self, *articles: list[dict[str, Any]]) -> dict[str, Any]:
        path = self._folder / "tiny.benchmark.jsonl"
        path.write_text("".join(
            json.dumps({"id": n, "title": "", "text": TEXT, "evaluation_span": [0, len(TEXT)], "labels": labels}) + "\n"
            for n, labels in enumerate(articles)
        ), encoding="utf-8")  # fmt: skip
        (got,) = json.loads(
            self.run("get", str(path), "--format", "elevant", "--name", "tiny", "--kb", "wikidata", "--json")
        )
        return got["reports"]["test"]

    def bring(self, articles: dict[int, list[dict[str, Any]]], system: str = "sys") -> dict[str, Any]:
        path = self._folder / "sys.tiny.linked_articles.jsonl"
        path.write_text("".join(
            json.dumps({"id": n, "title": "", "text": TEXT, "labels": [], "entity_mentions": mentions}) + "\n"
            for n, mentions in articles.items()
        ), encoding="utf-8")  # fmt: skip
        run = json.loads(self.run("import", "elevant", str(path), "--corpus", "tiny", "--system", system, "--json"))
        return run["import"]

    def score(self, preset: str, nil: str = "ignored", **more: str) -> dict[str, Any]:
        options = [part for name, value in more.items() for part in (f"--{name}", value)]
        found = json.loads(self.run("score", "tiny/sys", "--task", "end-to-end", "--preset", preset, "--nil", nil,
                                    "--json", *options))  # fmt: skip
        return found | {"row": found["rows"][0]}


def outcome(found: dict[str, Any], what: str = "all") -> tuple[int, int, int]:
    return tuple(found["row"][f"{what}_{x}"] for x in ("tp", "fp", "fn"))  # type: ignore[return-value]


@pytest.fixture
def bench(home: Path, tmp_path: Path) -> Bench:
    folder = tmp_path / "kb"
    folder.mkdir()
    (folder / "entities.tsv").write_text(ENTITIES, encoding="utf-8")
    build_kb(KBS.load("wikidata"), folder)
    return Bench(tmp_path)


@pytest.mark.parametrize("preset", ["fair", "elevant"])
def test_label_with_a_missing_parent_counts_for_nothing(bench: Bench, preset: str) -> None:
    """Neither missed nor found, and what is predicted there is no error; its own child is as stray as it is."""
    report = bench.get([
        label(0, "Ada", "Q1"), label(1, "Bob Cummings", "Q2", parent=7), label(2, "New York", "Q3", parent=1),
    ])  # fmt: skip
    assert (report["counts"], report["notes"]) == ({}, {"stray label": 2})
    assert report["examples"][0]["message"] == "label 1 has the parent 7, which does not exist: it counts for nothing"
    bench.bring({0: [said("Ada", "Q1")]})
    assert outcome(bench.score(preset)) == (1, 0, 0)
    bench.bring({0: [said("Ada", "Q1"), said("Bob Cummings", "Q9"), said("New York", "Q3"), said("Carl", "Q9")]})
    for nil in ("ignored", "required"):
        assert outcome(bench.score(preset, nil)) == (1, 1, 0)  # Carl
        assert outcome(bench.score(preset, nil), "ner") == (1, 1, 0)
        assert [g["group"] for g in bench.score(preset, nil, by="type")["groups"]] == ["type=OTHER", "type=Q215627"]


def test_missing_parent_is_told_on_the_terminal_and_by_check(bench: Bench, tmp_path: Path) -> None:
    bench.get([label(0, "Ada", "Q1"), label(1, "Bob Cummings", "Q2", parent=7)])
    out = bench.run("get", str(tmp_path / "tiny.benchmark.jsonl"), "--format", "elevant", "--name", "again")
    assert "1 × stray label" in out
    assert "label 1 has the parent 7, which does not exist: it counts for nothing" in out
    for target in ([str(tmp_path / "tiny.benchmark.jsonl"), "--format", "elevant"], ["again"]):
        assert "1 × stray label" in bench.run("check", *target, fails=True)


def test_stray_label_stays_so_in_our_own_format(bench: Bench, tmp_path: Path) -> None:
    import linkassay
    from linkassay.formats.documents import jsonl

    bench.get([label(0, "Ada", "Q1"), label(1, "Bob Cummings", "Q2", parent=7)])
    with (tmp_path / "own.jsonl").open("w", encoding="utf-8") as out:
        jsonl.write(linkassay.corpus("tiny")["test"], out)
    bench.run("get", str(tmp_path / "own.jsonl"), "--format", "jsonl", "--name", "own", "--kb", "wikidata")
    (document,) = linkassay.corpus("own")["test"]
    assert [m.role for m in document.annotations] == ["", "stray"]


def test_wrong_span_tells_nil_from_no_mapping(bench: Bench) -> None:
    """A predicted NIL inside of gold NIL is at a wrong span only if the files write both alike."""
    bench.get([label(0, "Bob Cummings", "<NO_MAPPING>"), label(1, "New York", "<NIL>"), label(2, "Ada", "Q1")])
    ada = said("Ada", "Q1")
    bench.bring({0: [ada, said("Bob", "<NIL>"), said("York", "<NIL>")]})
    assert bench.score("elevant", "required")["row"]["ner_fp_wrong_span_errors"] == 1
    assert bench.score("fair", "required")["row"]["ner_fp_wrong_span_errors"] == 2
    bench.bring({0: [ada, said("Bob", "<NO_MAPPING>"), said("York", "<NO_MAPPING>")]})
    assert bench.score("elevant", "required")["row"]["ner_fp_wrong_span_errors"] == 1
    bench.bring({0: [ada, said("Bob Cummings", "<NIL>"), said("New York", "<NO_MAPPING>")]})
    assert outcome(bench.score("elevant", "required")) == (3, 0, 0)  # on the same span any NIL is right


def test_empty_id_is_nil_on_both_sides_and_an_entity_to_elevant(bench: Bench) -> None:
    report = bench.get([label(0, "Ada", ""), label(1, "Bob Cummings", "Q2")])
    assert report["notes"] == {"malformed id": 1}
    brought = bench.bring({0: [said("Ada", "", []), said("Bob Cummings", "", []), said("Carl", "", [])]})
    assert brought["malformed_ids"] == {"ids": 1, "predictions": 3, "examples": ['""']}
    assert outcome(bench.score("fair")) == (0, 0, 1)
    assert outcome(bench.score("fair", "required")) == (1, 2, 1)
    for nil in ("ignored", "required"):
        assert outcome(bench.score("elevant", nil)) == (1, 2, 1)
    bench.bring({0: [said("Ada", "<NIL>", [])]})
    assert outcome(bench.score("fair", "required")) == (1, 0, 1)
    assert outcome(bench.score("elevant", "required")) == (0, 1, 2)
    bench.bring({0: [said("Ada", None, [])]})  # no id at all is no answer
    assert outcome(bench.score("fair", "required")) == (0, 0, 2)


def test_ids_without_the_form_of_wikidata_are_counted(bench: Bench) -> None:
    report = bench.get([label(0, "Ada", "Q1"), label(1, "Bob Cummings", "Cummings"), label(2, "Carl", "QANTITY")])
    assert report["notes"] == {"malformed id": 2}
    assert {e["message"] for e in report["examples"]} == {
        "'Cummings' is no id of Wikidata: it equals only itself",
        "'QANTITY' is no id of Wikidata: it equals only itself",
    }  # fmt: skip
    brought = bench.bring({0: [said("Ada", "Q1"), said("Bob Cummings", "Cummings"), said("Carl", "Cummings")]})
    assert brought["malformed_ids"] == {"ids": 1, "predictions": 2, "examples": ["wikidata:Cummings"]}
    assert outcome(bench.score("elevant")) == outcome(bench.score("fair")) == (2, 1, 1)
    assert "1 ids have no form of their knowledge base, in 2 predictions: wikidata:Cummings" in CliRunner().invoke(
        app, ["import", "elevant", str(bench._folder / "sys.tiny.linked_articles.jsonl"), "--corpus", "tiny",
              "--system", "sys"],
    ).stderr  # fmt: skip


def test_documents_that_are_absent_from_the_linked_articles(bench: Bench) -> None:
    gold = [label(0, "Ada", "Q1"), label(1, "New York", "Q3")]
    bench.get(gold, gold, gold)
    brought = bench.bring({0: [said("Ada", "Q1"), said("Carl", "Q9")], 1: []})
    assert brought["documents"] == {"corpus": 3, "absent": ["2"]}
    fair, elevant = bench.score("fair"), bench.score("elevant")
    assert (outcome(fair), outcome(elevant)) == ((1, 1, 5), (1, 1, 3))
    assert [n["note"] for n in fair["notes"]] == [
        "1 of 3 documents are not in the imported files: their mentions count as missed"
    ]
    assert [n["note"] for n in elevant["notes"]] == [
        "1 of 3 documents are not in the imported files: they are not scored, as ELEVANT does it"
    ]
    assert elevant["row"]["ner_fp_all_total"] * 3 == fair["row"]["ner_fp_all_total"] * 2  # words of two documents
    assert outcome(bench.score("elevant", by="type"), "all") == (1, 1, 3)
    assert "1 of 3 documents are not in the imported files: their mentions count as missed" in bench.run(
        "score", "tiny/sys"
    )
    bench.bring({0: [said("Ada", "Q1")], 2: []}, system="other")
    refused = bench.run("compare", "tiny/sys", "tiny/other", "--task", "end-to-end", "--preset", "elevant", fails=True)
    assert "compare them with preset 'fair', or import whole files" in refused
    bench.run("compare", "tiny/sys", "tiny/other", "--task", "end-to-end", "--resamples", "100")


def test_whole_linked_articles_say_nothing_of_documents(bench: Bench) -> None:
    bench.get([label(0, "Ada", "Q1")], [label(0, "Ada", "Q1")])
    assert bench.bring({0: [said("Ada", "Q1")], 1: []})["documents"] == {"corpus": 2, "absent": []}
    assert bench.score("fair")["notes"] == []


@pytest.mark.parametrize("preset", ["fair", "elevant"])
def test_false_positives_are_of_the_types_of_the_predicted_entity(bench: Bench, preset: str) -> None:
    """Gold Ada is a person, the prediction on it a place and an organisation: the error is theirs."""
    bench.get(
        [label(0, "Ada", "Q1"), label(1, "Bob Cummings", "Q2", "Q215627|Q17537576"), label(2, "Carl", "Q7", "OTHER")]
    )
    bench.bring({0: [said("Ada", "Q4"), said("New York", "Q2"), said("Carl", "Q1")]})
    groups = {g["group"]: (g["tp"], g["fp"], g["fn"]) for g in bench.score(preset, by="type")["groups"]}
    assert groups == {
        "type=Q215627": (0, 2, 2), "type=Q17537576": (0, 1, 1), "type=Q27096213": (0, 1, 0), "type=Q43229": (0, 1, 0),
        "type=OTHER": (0, 0, 1),
    }  # fmt: skip


def test_mentions_of_several_types_count_under_each_everywhere(bench: Bench) -> None:
    import linkassay

    bench.get([label(0, "Ada", "Q1"), label(1, "Bob Cummings", "Q2", "Q215627|Q17537576")])
    bench.bring({0: [said("Ada", "Q1"), said("Bob Cummings", "Q9")]})
    rows = json.loads(bench.run("score", "tiny/sys", "--by", "type", "--measures", "recall@1", "--json"))["rows"]
    assert {r["slice"]: (r["value"], r["n"]) for r in rows} == {
        "all": (0.5, 2),
        "type=Q17537576": (0.0, 1),
        "type=Q215627": (0.5, 2),
    }
    (mean,) = json.loads(bench.run("score", "tiny/sys", "--measures", "recall(average=types)@1", "--json"))["rows"]
    assert (mean["value"], mean["n"]) == (0.25, 2)
    info = json.loads(bench.run("info", "tiny", "--json"))
    assert {t: c["annotations"] for t, c in info["splits"]["test"]["types"].items()} == {"Q17537576": 1, "Q215627": 2}
    assert linkassay.corpus("tiny").types == ("Q17537576", "Q215627")
    restricted = linkassay.corpus("tiny/Q215627")
    assert [m.id for d in restricted["test"] for m in d.mentions] == ["0:0", "0:1"]
    assert restricted.sql("select count(*) from mentions") == [(2,)]
    assert linkassay.corpus("tiny/Q17537576").sql("select id from mentions") == [("0:1",)]


def test_child_that_names_another_parent_makes_no_tree_right(bench: Bench) -> None:
    """Label 1 lists label 3, which names label 2 as its parent: found, it is no part of label 1 under `fair`."""
    tree = [
        label(0, "Bob Cummings in New York", "Q9", "OTHER", children=[1, 2]),
        label(1, "Bob Cummings", "Q2", parent=0, children=[3]),
        label(2, "New York", "Q3", parent=0, children=[3]), label(3, "York", "Q4", parent=2), label(4, "Ada", "Q1"),
    ]  # fmt: skip
    bench.get(tree)
    bench.bring({0: [said("Ada", "Q1"), said("York", "Q4")]})
    assert outcome(bench.score("fair")) == (1, 0, 1)
    assert outcome(bench.score("elevant")) == (2, 0, 0)  # which follows the lists


def test_optional_nil_root_that_is_answered_nil_counts_nothing(bench: Bench) -> None:
    """TREE-4, whatever is below it; answered otherwise the part below must be found."""
    tree = [label(0, "New York", "<NIL>", "OTHER", optional=True, children=[1]), label(1, "York", "Q4", parent=0)]
    bench.get([*tree, label(2, "Ada", "Q1")])
    for mentions, expected in (
        ([said("New York", "<NIL>")], (1, 0, 0)),
        ([], (1, 0, 1)),
        ([said("York", "Q4")], (2, 0, 0)),
    ):
        bench.bring({0: [said("Ada", "Q1"), *mentions]})
        for nil in ("ignored", "required"):
            assert outcome(bench.score("fair", nil)) == expected
            if mentions:
                assert outcome(bench.score("elevant", nil)) == expected


def test_categories_of_candidates_only_where_a_system_lists_any(bench: Bench) -> None:
    bench.get([label(0, "Ada", "Q1"), label(1, "New York", "Q3")])
    names = ("disamb_wrong_candidates_errors", "disamb_multiple_candidates_total")
    bench.bring({0: [said("Ada", "Q9"), said("New York", "Q3")]})
    for preset in ("fair", "elevant"):
        found = bench.score(preset)
        assert not [name for name in found["row"] if "_candidates_" in name]
        assert not [f for f in found["figures"] if "_candidates_" in f["measure"]]
        assert found["row"]["disamb_errors"] == 1
    bench.bring({0: [said("Ada", "Q9", ["Q9", "Q8"]), said("New York", "Q3")]})
    for preset in ("fair", "elevant"):
        assert [bench.score(preset)["row"][name] for name in names] == [1, 0]


def test_gerbil_shows_means_over_documents(bench: Bench) -> None:
    """Two documents, one wholly right, one wholly missed: half by documents, two thirds by mentions."""
    bench.get([label(0, "Ada", "Q1"), label(1, "New York", "Q3")], [label(0, "Ada", "Q1")])
    bench.bring({0: [said("Ada", "Q1"), said("New York", "Q3")], 1: []})
    shown = bench.run("score", "tiny/sys", "--task", "end-to-end", "--preset", "gerbil/weak", "--nil", "ignored")
    head, figures = next(
        lines for lines in itertools.pairwise(shown.splitlines()) if "macro F1" in lines[0] and "macro R" in lines[0]
    )
    assert [figures[head.index(name) :].split()[0] for name in ("macro F1", "macro P", "macro R")] == ["0.500"] * 3
    assert figures[head.index(" R ") + 1 :].split()[0] == "0.667"
    assert "macro F1" not in bench.run("score", "tiny/sys", "--task", "end-to-end")


WORDS = ("ner_fp_all_total", "ner_fp_lowercased_total", "ner_fp_other_total")


def test_words_are_those_of_spacy(bench: Bench) -> None:
    """Not so our own tokenizer: `and/or` is one word of it."""
    bench.get([label(0, "Ada", "Q1")])
    bench.bring({0: [said("Ada", "Q1"), said("Carl", "Q1")]})
    found = bench.score("elevant")
    assert [found["row"][name] for name in WORDS] == [11, 4, 7]
    assert {f["measure"]: f.get("note") for f in found["figures"]}["ner_fp_all_total"] is None


def test_words_without_spacy_carry_a_note(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)  # as if it were not installed
    bench.get([label(0, "Ada", "Q1")])
    bench.bring({0: [said("Ada", "Q1"), said("Carl", "Q1")]})
    for preset in ("fair", "elevant"):
        notes = {f["measure"]: f.get("note") for f in bench.score(preset)["figures"]}
        assert {notes[name] for name in (*WORDS, "ner_fp_other_rate")} == {APPROXIMATE}
        assert notes["ner_fp_wrong_span_total"] is None
    assert f"shares of words: {APPROXIMATE}" in bench.run("score", "tiny/sys", "--task", "end-to-end")


def test_tweets_are_counted_as_spacy_does() -> None:
    from linkassay.model import Document
    from linkassay.scoring.endtoend.word_count import count_words

    text = "@ada_99 soooo #happy 2day :) can't w8 http://t.co/x1 <3 U.S. w/ e-mail 10km"
    (exact,), (near,) = (count_words([Document("d", text)], by_spacy=by)["ner_fp_all_total"] for by in (True, False))
    assert exact == len([t for t in _spacy(text) if not t.is_punct and not t.is_space])
    assert near != exact  # else this says nothing


def _spacy(text: str) -> Any:
    import spacy

    return spacy.blank("en")(text)
