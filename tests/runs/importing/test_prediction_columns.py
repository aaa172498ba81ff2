"""Predictions held as columns, held to the plain list of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linkassay.corpora.obtain import OwnCorpus, get_own_corpus
from linkassay.corpora.stored_corpus import Corpus
from linkassay.model import Prediction
from linkassay.runs.importing.gold_places import GoldPlaces
from linkassay.runs.importing.prediction_columns import PredictionColumns

TEXT = """1|t|Gout in two brothers.
1|a|
1\t0\t4\tGout\tD\tD1
1\t8\t11\ttwo\tD\tD2

2|t|Flu.
2|a|
2\t0\t3\tFlu\tD\tD3
"""


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> GoldPlaces:
    folder = tmp_path_factory.mktemp("columns")
    (folder / "a.txt").write_text(TEXT, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(folder / "home"))
        get_own_corpus(OwnCorpus("clinic", "pubtator", (folder / "a.txt",), kb="mesh"))
        return GoldPlaces(Corpus.open("clinic"), ["test"])


IDS = st.sampled_from(["t:1", "t:2", "t:3", "u:1"])
PREDICTIONS = st.lists(
    st.builds(
        Prediction,
        st.sampled_from(["1", "2"]),
        st.sampled_from([((0, 4),), ((2, 3),), ((2, 3), (5, 6)), ((2, 3), (4, 9)), ((2, 4),)]),
        st.lists(st.lists(IDS, max_size=3, unique=True).map(tuple), max_size=3).map(tuple),
        st.lists(st.floats(0, 1), max_size=2).map(tuple),
        st.just(""),
        st.sampled_from(["", "b", "a"]),
        st.booleans(),
        st.sampled_from(["", '""', "<NIL>"]),
    ),
    max_size=8,
)


def filled(predictions: list[Prediction], gold: GoldPlaces) -> tuple[PredictionColumns, list[Prediction]]:
    """Columns of predictions of which the first of each document is that of its first gold mention; the plain list."""
    columns, order, names = PredictionColumns(gold), list(gold.documents), gold.ids.to_pylist()
    plain, met = [], set()
    for p in predictions:
        row = {"1": 0, "2": 2}[p.document] if p.document not in met else -1
        met.add(p.document)
        columns.add(p, gold.documents[p.document], p.spans, row)
        name = names[row] if row >= 0 else ""
        plain.append(Prediction(p.document, p.spans, p.groups, p.scores, name, p.type, p.nil, p.nil_as))
    by_place = sorted(plain, key=lambda p: () if p.mention else (p.spans, p.type))
    return columns, sorted(by_place, key=lambda p: (order.index(p.document), not p.mention))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(PREDICTIONS)
def test_the_order_is_the_corpus_s_and_nothing_is_lost(gold: GoldPlaces, predictions: list[Prediction]) -> None:
    columns, plain = filled(predictions, gold)
    assert columns.predictions() == plain


@given(PREDICTIONS, st.sets(IDS))
def test_ids_are_counted_and_rewritten(gold: GoldPlaces, predictions: list[Prediction], ids: set[str]) -> None:
    columns, plain = filled(predictions, gold)
    assert columns.having(ids) == sum(any(i in ids for g in p.groups for i in g) for p in plain)
    assert columns.said_nil_as('""') == sum(p.nil_as == '""' for p in plain)
    columns.rewrite(lambda group: tuple(f"new:{i}" for i in group if i != "t:2"))
    expected = [tuple(tuple(f"new:{i}" for i in g if i != "t:2") for g in p.groups) for p in plain]
    assert [p.groups for p in columns.predictions()] == expected


def test_gold_is_found_by_name_and_place(gold: GoldPlaces) -> None:
    document = gold.document("1")
    assert document is not None
    assert (document.find(((8, 11),), ""), document.find(((8, 12),), "")) == ([1], [])
    named = gold.named("2:0-3:D")
    assert named is not None
    assert (named.row, named.document, named.spans, named.text) == (2, 1, ((0, 3),), "Flu")
    assert gold.named("other") is None
    assert gold.document("3") is None


def test_home_is_not_asked_again(gold: GoldPlaces, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINKASSAY_HOME", str(tmp_path))
    assert gold.mention(0).id == "1:0-4:D"
