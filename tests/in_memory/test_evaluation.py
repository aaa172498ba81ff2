"""What is evaluated in memory has the figures of the stored way, to the last digit, and those of the slow reference."""

from __future__ import annotations

import json
import math
import os
import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import linkassay
from linkassay.corpora import OwnCorpus, get_own_corpus
from linkassay.errors import DataError, UsageError
from tests import reference_scoring as slow
from tests.scoring_helpers import knowledge

IDS = [f"t:{n}" for n in range(5)]
MEASURES = [f"recall(ties={ties})@{k}" for ties in slow.POLICIES for k in (1, 2)]
MORE = [*MEASURES, "recall(ties=sample)@1", "recall(gold=pairs)@1", "mrr", "coverage", "recall(average=documents)@1",
        "recall(average=entities)@1", "recall(average=types)@1"]  # fmt: skip
#: What a figure is called by, which is all that differs between the two ways.
NAMES = ("run", "corpus", "system", "key")

gold_ids = st.lists(st.lists(st.sampled_from(IDS), min_size=1, max_size=2, unique=True), max_size=2)
rankings = st.one_of(
    st.none(),
    st.lists(st.lists(st.sampled_from(IDS), min_size=1, max_size=3, unique=True), max_size=4),
)
mentions = st.lists(
    st.tuples(st.sampled_from("xyz"), st.sampled_from("ab"), gold_ids, rankings), min_size=1, max_size=8
)


def gold_rows(given_: list[Any]) -> list[dict[str, Any]]:
    return [{"mention": f"m{n}", "document": document, "type": type_, "text": f"text {n}", "ids": ids}
            for n, (document, type_, ids, _) in enumerate(given_)]  # fmt: skip


def ranked_rows(given_: list[Any]) -> list[dict[str, Any]]:
    return [{"mention": f"m{n}", "rank": rank, "id": each} for n, (*_, groups) in enumerate(given_)
            for rank, group in enumerate(groups or [], start=1) for each in group]  # fmt: skip


def grouped_rows(given_: list[Any]) -> list[dict[str, Any]]:
    return [{"mention": f"m{n}", "candidates": groups} for n, (*_, groups) in enumerate(given_) if groups is not None]


def figures(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if key not in NAMES} for row in rows]


@given(mentions)
@settings(max_examples=60)
def test_figures_are_those_of_the_slow_reference(given_: list[Any]) -> None:
    scored = [(gold, groups) for *_, gold, groups in given_ if gold]
    if not scored:
        with pytest.raises(UsageError, match="nothing to score"):
            linkassay.evaluate(gold_rows(given_), ranked_rows(given_))
        return
    result = linkassay.evaluate(gold_rows(given_), ranked_rows(given_), MEASURES)
    for row, measure in zip(result.rows(), MEASURES, strict=True):
        ties, k = measure.removeprefix("recall(ties=").split(")@")
        worth = [slow.POLICIES[ties](slow.prepare(groups or []), frozenset(sum(gold, [])), int(k)) if groups else 0.0
                 for gold, groups in scored]  # fmt: skip
        assert math.isclose(row["value"], sum(worth) / len(worth), abs_tol=1e-12)
        assert row["n"] == len(scored)


@given(mentions)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_figures_are_those_of_the_stored_way(home: Path, tmp_path: Path, given_: list[Any]) -> None:
    """Obtained as a mention table, imported as native predictions, scored: the same to the last digit."""
    if not any(gold for *_, gold, _ in given_) or not grouped_rows(given_):
        return
    rows = [row | {"start": None, "end": None} for row in gold_rows(given_)]
    schema = pa.schema([*((c, pa.string()) for c in ("document", "mention", "text", "type")), ("start", pa.int64()),
                        ("end", pa.int64()), ("ids", pa.list_(pa.list_(pa.string())))])  # fmt: skip
    pq.write_table(pa.Table.from_pylist(rows, schema), tmp_path / "gold.parquet")
    get_own_corpus(OwnCorpus("own", "mentions", (tmp_path / "gold.parquet",)))
    lines = [json.dumps(row | {"document": given_[int(row["mention"][1:])][0]}) for row in grouped_rows(given_)]
    (tmp_path / "said.jsonl").write_text("\n".join(lines), encoding="utf-8")
    run = linkassay.import_predictions("native", [tmp_path / "said.jsonl"], corpus="own", system="made-up")
    stored = figures(linkassay.score(run, MORE, by=["type"]).rows())
    for form in (ranked_rows, grouped_rows):
        found = linkassay.evaluate(gold_rows(given_), form(given_), MORE, by=["type"])
        assert figures(found.scores[0].rows()) == stored


GOLD = [
    {"mention": "a", "document": "1", "ids": ["MESH:D001", ["x", "y"]]},
    {"mention": "b", "document": "2", "ids": ["mesh:D002"]},
    {"mention": "c", "document": "2", "ids": []},
]
SAID = [
    {"mention": "a", "rank": 1, "id": "MSH:D001", "score": 0.9},
    {"mention": "b", "rank": 2, "id": "mesh:D002", "score": 0.2},
    {"mention": "b", "rank": 1, "id": "D002", "score": 0.4},
]


def recall(result: Any) -> list[float]:
    return [row["value"] for row in result.rows() if row["measure"] == "recall@1"]


def test_it_needs_no_data_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home of a format that nobody can read is not looked at, and nothing is written anywhere."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "home.json").write_text('{"format": 99}', encoding="utf-8")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("LINKASSAY_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    result = linkassay.evaluate([row | {"type": "t", "text": "a b"} for row in GOLD], SAID, by=["type", "length"])
    assert recall(result)[0] == 0.5
    with pytest.raises(DataError):
        linkassay.evaluate(GOLD, [{"mention": "a", "rank": "first", "id": "x"}])
    assert os.listdir(tmp_path / "temporary") == []
    assert os.listdir(tmp_path / "home") == ["home.json"]


def test_without_documents_there_are_no_intervals_and_it_says_why() -> None:
    bare = [{key: value for key, value in row.items() if key != "document"} for row in GOLD]
    result = linkassay.evaluate(bare, SAID)
    with_documents = linkassay.evaluate(GOLD, SAID)
    assert recall(result) == recall(with_documents)
    assert all(row["low"] is None and row["high"] is None for row in result.rows())
    assert all("no interval: gold names no documents" in row["note"] for row in result.rows())
    assert not any("no interval" in row.get("note", "") for row in with_documents.rows())
    assert all(row["low"] is not None for row in with_documents.rows())
    assert any("no intervals" in note and "`document`" in note for note in result.notes)
    assert "no intervals" in str(result)
    assert "no intervals" in result._repr_html_()
    assert not any("no intervals" in note for note in with_documents.notes)
    for measure in ("recall(average=documents)@1", "recall(per=document)@1"):
        with pytest.raises(UsageError, match=r"counts documents.*column `document`"):
            linkassay.evaluate(bare, SAID, measure)


@pytest.mark.parametrize(("by", "column"), [("type", "type"), ("length", "text"), ("one: document = '1'", "document")])
def test_slices_by_what_gold_does_not_have_are_refused(by: str, column: str) -> None:
    with pytest.raises(UsageError, match=f"no row of gold has a `{column}`"):
        linkassay.evaluate([{"mention": "a", "ids": "x"}], [], by=[by])


def test_the_predictions_of_a_stored_run_can_be_given(home: Path) -> None:
    """Its Parquet file is of native predictions; the corpus's own mentions are gold."""
    run = linkassay.link("exact", "mini")
    gold = [{"mention": m.id, "document": m.document, "text": m.text, "type": m.type, "ids": [list(a) for a in m.gold]}
            for document in linkassay.corpus("mini")["test"] for m in document.mentions]  # fmt: skip
    given_ = figures(
        linkassay.evaluate(gold, run.path / "predictions.parquet", kb="mini", by=["type"]).scores[0].rows()
    )
    stored = figures(linkassay.score(run, by=["type"]).rows())
    few = "the run has at most 4 candidates for a mention"  # that nobody has left any out is not in the file
    assert {row.pop("note", "") for row in given_ if row["measure"] == "recall@5"} == {few}
    # Rows have no places: mentions of a document are added up in the order of their names, which may turn the last bit.
    assert [list(row) for row in given_] == [list(row) for row in stored]
    for mine, theirs in zip(given_, stored, strict=True):
        for name, value in theirs.items():
            assert mine[name] == (pytest.approx(value, rel=1e-12) if isinstance(value, float) else value), name


def test_a_knowledge_base_brings_current_ids_and_its_prefix(home: Path) -> None:
    kb = knowledge({"t:1": ["one"], "t:2": ["two"]}, "t:0\tt:1\n")
    gold = [{"mention": n, "document": n, "text": "one", "ids": ["1"]} for n in (1, 2)]
    said = [{"mention": 1, "rank": 1, "id": "t:0"}, {"mention": 2, "rank": 1, "id": "2"}]
    assert recall(linkassay.evaluate(gold, said, "recall@1")) == [0.0]
    for given_ in ("tiny", kb):
        result = linkassay.evaluate(gold, said, "recall@1", kb=given_, by=["alias-match"])
        assert recall(result) == [0.5, 0.5]
    with pytest.raises(UsageError, match="knowledge base"):
        linkassay.evaluate(gold, said, by=["alias-match"]).rows()


def test_results_over_the_same_gold_can_be_compared() -> None:
    from linkassay.scoring.disambiguation import compare_runs

    gold = [{"mention": n, "document": n, "ids": ["x"]} for n in range(6)]
    one, other = (
        linkassay.evaluate(gold, [{"mention": n, "rank": 1, "id": i} for n, i in enumerate(ids)], system=system).scores[
            0
        ]
        for system, ids in (("one", "xxxyyy"), ("other", "xxxxyy"))
    )
    [pair] = compare_runs([one, other]).pairs
    assert pair["difference"] == pytest.approx(1 / 6)
    assert one.run.key != other.run.key


def test_calls_at_once_do_not_disturb_each_other() -> None:
    found: dict[int, Any] = {}

    def work(n: int) -> None:
        gold = [{"mention": m, "document": m % 7, "type": "t", "ids": ["x"]} for m in range(40)]
        said = [{"mention": m, "rank": 1, "id": "x" if m < n * 5 else "y"} for m in range(40)]
        found[n] = recall(linkassay.evaluate(gold, said, "recall@1", by=["type"]))[0]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: n / 8 for n in range(8)}
