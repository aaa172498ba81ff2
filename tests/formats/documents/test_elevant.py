"""ELEVANT benchmarks: trees, optional and unknown labels, and the published counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from linkassay.errors import DataError
from linkassay.files import expand_paths
from linkassay.formats.documents import elevant
from linkassay.model import Document, Hyperlink, Mention, Prediction
from tests.conftest import ROOT
from tests.helpers import raw, reading

SAMPLES = ROOT / "tests" / "samples" / "elevant"
BENCHMARKS = "kore50 msnbc-updated news-fair-no-coref news-fair wiki-fair-no-coref wiki-fair error-category-examples"


def article(*labels: dict[str, Any], **more: Any) -> str:
    return json.dumps({"id": 3, "text": "Ada of London", "labels": labels, **more})


def label(id: int, **more: Any) -> dict[str, Any]:
    return {"id": id, "span": [0, 3], "entity_id": "Q7259", "name": "Ada", "type": "Q215627", **more}


def test_sample() -> None:
    walk, cafe = elevant.read(expand_paths([SAMPLES]), reading())
    assert (walk.id, walk.title, walk.evaluation_spans) == ("7", "A walk", ((0, 84),))
    assert walk.hyperlinks == (Hyperlink((16, 22), "London"),)
    both, ada, london, two, there, year, omar = walk.annotations
    assert both == Mention("7:0", "7", ((0, 22),), "Ada Lovelace of London", "OTHER", (), "<NIL>", "OTHER")
    assert ada.gold == (frozenset({"wikidata:Q7259"}),)
    assert [(m.parent, m.role) for m in (ada, london)] == [("7:0", "alternative")] * 2
    assert london.type == "Q27096213|Q43229"
    assert (two.kind, two.gold, two.raw, two.optional) == ("quantity", (), "Q200", False)
    assert (there.optional, there.coreference) == (True, True)
    assert (year.kind, year.gold) == ("datetime", ())
    assert (omar.gold, omar.coreference, ada.coreference) == ((), False, None)
    assert walk.mentions == (both, two, there, year, omar)
    zurich, roesti = cafe.annotations
    assert (zurich.text, zurich.optional) == ("Zürich", True)
    assert (roesti.text, roesti.gold, roesti.raw) == ("rösti", (), "<NO_MAPPING>")


def test_labels_on_one_span_stay_apart() -> None:
    text = article(label(0), label(1, entity_id="Q1"))
    (document,) = elevant.read([raw("x.jsonl", text)], reading(merge=True))
    assert [m.gold for m in document.annotations] == [(frozenset({"wikidata:Q7259"}),), (frozenset({"wikidata:Q1"}),)]


def test_ids_of_another_knowledge_base_follow_the_rule() -> None:
    text = article(label(0, entity_id="D001249"), label(1, entity_id=None))
    (document,) = elevant.read([raw("x.jsonl", text)], reading(prefix="mesh"))
    assert [m.gold for m in document.annotations] == [(frozenset({"mesh:D001249"}),), ()]


def test_child_listed_by_two_siblings_belongs_to_its_own_parent() -> None:
    text = article(
        label(0, children=[1, 2]),
        label(1, parent=0, children=[3]),
        label(2, parent=0, children=[3]),
        label(3, parent=1),
    )
    (document,) = elevant.read([raw("x.jsonl", text)], reading())
    assert [m.parent for m in document.annotations] == ["", "3:0", "3:0", "3:1"]


def test_parent_without_a_list_of_children() -> None:
    (document,) = elevant.read([raw("x.jsonl", article(label(0), label(1, parent=0)))], reading())
    assert [m.parent for m in document.annotations] == ["", "3:0"]


def test_counters_of_the_given_reading_are_used() -> None:
    how = reading(skip=True)
    text = article(label(0, span=[10, 99]), label(1))
    (document,) = elevant.read([raw("x.jsonl", text)], how)
    assert len(document.annotations) == 1
    assert how.problems.counts == {"span": 1}
    assert how.read == {"Q215627": 2}


BAD = [
    (article(label(0), label(0)), "label id 0 occurs twice; document 3, span 0-3 "
     "(use --skip-bad to leave such annotations out, counted)"),
    (article(evaluation_span=[0, 14]), "document 3: evaluation span 0-14 lies outside the text of 13 characters"),
    (article(evaluation_span=[0]), "evaluation_span: expected [start, end], found [0]"),
    (article({"id": 0}), "labels[0]: 'span' is missing, found {\"id\": 0}"),
    (article(label(0, entity_id=7)), "labels[0].entity_id: expected a text, found 7"),
    (article(label(0, coref="yes")), 'labels[0].coref: expected true or false, found "yes"'),
    ('{"id": 3}', "value: 'text' is missing, found {\"id\": 3}"),
    (article(label(0, span=[10, 14])),
     "the span lies outside the text of 13 characters; document 3, span 10-14 "
     "(use --skip-bad to leave such annotations out, counted)"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), BAD)
def test_broken_articles(text: str, message: str) -> None:
    with pytest.raises(DataError) as error:
        list(elevant.read([raw("x.jsonl", "\n" + text)], reading()))
    assert str(error.value) == f"x.jsonl:2: {message}"


def test_long_chain_of_parents_is_no_matter_of_recursion() -> None:
    labels = [label(0), *(label(i, parent=i - 1) for i in range(1, 5000))]
    (document,) = elevant.read([raw("x.jsonl", article(*labels))], reading())
    assert len(document.annotations) == 5000


def counts(documents: list[Document]) -> tuple[int, ...]:
    """Documents, annotations; and of the roots: all, NIL, optional, with alternatives."""
    roots = [m for d in documents for m in d.mentions]
    parents = {m.parent for d in documents for m in d.annotations}
    return (
        len(documents),
        sum(len(d.annotations) for d in documents),
        len(roots),
        sum(not m.gold and not m.kind for m in roots),
        sum(m.optional or m.kind != "" for m in roots),
        sum(m.id in parents for m in roots),
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("wiki-fair", (80, 1961, 1761, 152, 455, 120)),
        ("news-fair", (40, 545, 507, 90, 89, 23)),
        ("wiki-fair-no-coref", (80, 1677, 1481, 132, 447, 118)),
        ("news-fair-no-coref", (40, 395, 359, 49, 84, 22)),
        ("kore50", (50, 144, 144, 1, 0, 0)),
        ("msnbc-updated", (20, 739, 739, 86, 0, 0)),
        ("error-category-examples", (20, 25, 25, 1, 0, 0)),
    ],
)
def test_published_benchmarks(shared: Path, name: str, expected: tuple[int, ...]) -> None:
    files = expand_paths([shared / "e2e" / "benchmarks" / f"{name}.benchmark.jsonl.gz"])
    assert counts(list(elevant.read(files, reading()))) == expected


def test_no_benchmark_is_left_out(shared: Path) -> None:
    found = {p.name.split(".")[0] for p in (shared / "e2e" / "benchmarks").glob("*.benchmark.jsonl.gz")}
    assert found == set(BENCHMARKS.split())


def test_linked_articles_repeat_the_gold(shared: Path) -> None:
    gold = elevant.read(expand_paths([shared / "e2e" / "benchmarks" / "wiki-fair.benchmark.jsonl.gz"]), reading())
    linked = elevant.read(
        expand_paths([shared / "e2e" / "dev" / "baseline.wiki-fair.linked_articles.jsonl.gz"]), reading()
    )
    assert [d.annotations for d in linked] == [d.annotations for d in gold]


# --- predictions of linked articles --------------------------------------------------------------


def said(*mentions: dict[str, Any]) -> list[Prediction]:
    claims = list(elevant.read_linked([raw("x.jsonl", article(entity_mentions=mentions))], reading()))
    assert {(c.file, c.line) for c in claims} == {("x.jsonl", 1)}
    assert [c.text for c in claims] == ["Ada"] * len(claims)
    return [c.prediction for c in claims]


def test_answer_first_then_the_other_candidates() -> None:
    [p] = said({"span": [0, 3], "id": "Q7259", "candidates": ["Q2", "Q7259", "Q1", "<NIL>"]})
    assert p == Prediction("3", ((0, 3),), (("wikidata:Q7259",), ("wikidata:Q1", "wikidata:Q2")))


def test_unknown_answers_are_nil() -> None:
    for unknown, kept in (("<NIL>", "<NIL>"), ("<NO_MAPPING>", "<NO_MAPPING>"), ("", '""')):
        assert said({"span": [0, 3], "id": unknown, "candidates": ["Q1"]}) == [
            Prediction("3", ((0, 3),), (("wikidata:Q1",),), nil=True, nil_as=kept)
        ]


def test_mention_without_an_id_is_no_answer() -> None:
    for mention in ({"span": [0, 3]}, {"span": [0, 3], "id": None, "candidates": ["Q1"]}):
        assert said(mention) == [Prediction("3", ((0, 3),))]


def test_malformed_ids_equal_only_themselves() -> None:
    ids = ["q7259", "Q7259 ", "Unknown1", "-1", "http://www.wikidata.org/entity/Q7259"]
    predicted = said(*({"span": [0, 3], "id": i} for i in ids))
    assert [p.groups for p in predicted] == [((f"wikidata:{i}",),) for i in ids]
    labels = [label(n, entity_id=i) for n, i in enumerate(ids)]
    (document,) = elevant.read([raw("x.jsonl", article(*labels))], reading(prefix="wikidata"))
    golds = [m.gold for m in document.annotations]
    assert golds[2] == ()  # an unknown entity, though ELEVANT itself takes the id literally
    assert [g for n, g in enumerate(golds) if n != 2] == [
        (frozenset({f"wikidata:{i}"}),) for n, i in enumerate(ids) if n != 2
    ]


@pytest.mark.parametrize(
    ("mention", "message"),
    [
        ({"span": [0, 99], "id": "Q1"}, "document 3: the span 0-99 lies outside the text of 13 characters"),
        ({"span": [3, 3], "id": "Q1"}, "document 3: the span 3-3 lies outside the text of 13 characters"),
        ({"span": [0, 3], "id": 7}, "entity_mentions[0].id: expected a text, found 7"),
        ({"id": "Q1"}, "entity_mentions[0]: 'span' is missing"),
    ],
)
def test_broken_predictions(mention: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError) as error:
        said(mention)
    assert f"x.jsonl:1: {message}" in str(error.value)


def test_labels_come_in_the_order_of_their_numbers() -> None:
    (document,) = elevant.read([raw("x.jsonl", article(label(10), label(9)))], reading())
    assert [m.id for m in document.annotations] == ["3:9", "3:10"]


def test_further_parents() -> None:
    tree = [label(0, children=[1, 2]), label(1, parent=0, children=[3]), label(2, parent=0, children=[3]),
            label(3, parent=1)]  # fmt: skip
    (document,) = elevant.read([raw("x.jsonl", article(*tree))], reading())
    assert [m.further_parents for m in document.annotations] == [(), (), (), ("3:2",)]


STRAY = [
    ([label(0), label(1, parent=5)], {1: "label 1 has the parent 5, which does not exist"}),
    ([label(0), label(1, parent=5), label(2, parent=1)],
     {1: "label 1 has the parent 5, which does not exist", 2: "label 2 is below label 1, which belongs to no tree"}),
    ([label(0, children=[]), label(1, parent=0)],
     {1: "label 1 has the parent 0, which does not list it among its children"}),
    ([label(0, children=[2]), label(1), label(2, parent=0), label(3, parent=1)],
     {3: "label 3 has the parent 1, which does not list it among its children"}),
    ([label(0, parent=0)], {0: "label 0 has parents that form a circle"}),
    ([label(9), label(0, parent=1), label(1, parent=2), label(2, parent=1)],
     {0: "label 0 is below label 1, which belongs to no tree", 1: "label 1 has parents that form a circle",
      2: "label 2 has parents that form a circle"}),
]  # fmt: skip


@pytest.mark.parametrize(("labels", "stray"), STRAY)
@pytest.mark.parametrize("skip", [False, True])
def test_label_that_no_root_leads_to_is_kept_and_noted(
    labels: list[dict[str, Any]], stray: dict[int, str], skip: bool
) -> None:
    how = reading(skip=skip)
    (document,) = elevant.read([raw("x.jsonl", article(*labels))], how)
    assert len(document.annotations) == len(labels)
    assert {m.id for m in document.annotations if m.role == "stray"} == {f"3:{key}" for key in stray}
    assert not {m.id for m in document.mentions} & {f"3:{key}" for key in stray}
    assert (how.problems.counts, how.problems.notes) == ({}, {"stray label": len(stray)})
    assert [str(p) for p in how.problems.examples] == [
        f"x.jsonl:1: {why}: it counts for nothing; document 3, span 0-3" for why in stray.values()
    ]


@pytest.mark.parametrize(
    ("labels", "why"),
    [
        ([label(0, children=[5])], "label 0 lists the child 5, which does not exist"),
        ([label(0, children=[1]), label(1)], "label 0 lists the child 1, which has no parent"),
        ([label(0, children=[1, 2]), label(1, parent=0, children=[2]), label(2, parent=0, children=[1])],
         "label 2 lists the child 1, which is above it"),
        ([label(0, children=[1]), label(1, parent=0), label(2, children=[1, 3]), label(3, parent=2)],
         "label 2 lists the child 1, which is of another tree"),
    ],
)  # fmt: skip
def test_entry_that_leads_nowhere_is_left_out_and_noted(labels: list[dict[str, Any]], why: str) -> None:
    how = reading()
    (document,) = elevant.read([raw("x.jsonl", article(*labels))], how)
    assert how.problems.notes == {"child entry": 1}
    assert [p.message for p in how.problems.examples] == [f"{why}: left out"]
    assert not any(m.role == "stray" for m in document.annotations)


def test_ids_that_are_none_of_wikidata_are_noted() -> None:
    ids = ["Q1", "Cummings", "QANTITY", "", "<NIL>", "<NO_MAPPING>", "Unknown7", "QUANTITY", "q1"]
    how = reading(prefix="wikidata")
    labels = [label(n, entity_id=i, type="QUANTITY" if n == 2 else "Q5") for n, i in enumerate(ids)]
    (document,) = elevant.read([raw("x.jsonl", article(*labels))], how)
    assert how.problems.notes == {"malformed id": 4}
    assert [p.message for p in how.problems.examples] == [
        "'Cummings' is no id of Wikidata: it equals only itself",
        "'QANTITY' is no id of Wikidata: it equals only itself",
        "the id is empty: NIL", "'q1' is no id of Wikidata: it equals only itself",
    ]  # fmt: skip
    assert [(m.gold, m.raw) for m in document.annotations if m.id in ("3:1", "3:3")] == [
        ((frozenset({"wikidata:Cummings"}),), "Cummings"), ((), '""'),
    ]  # fmt: skip
