"""What each format of predictions says, claim by claim."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from linkassay import store
from linkassay.corpora import CORPORA, spec_of
from linkassay.errors import DataError
from linkassay.files import expand_paths
from linkassay.formats.predictions import annotated_documents, belb, bioel, biosyn, simple_jsonl
from linkassay.formats.predictions.native import read_claims as native
from linkassay.model import Prediction
from linkassay.runs.importing import IMPORTERS
from tests.conftest import ROOT
from tests.helpers import raw, reading

SAMPLES = ROOT / "tests" / "samples"


def claims(read: Any, sample: str, prefix: str = "") -> list[Prediction]:
    return [claim.prediction for claim in read(expand_paths([SAMPLES / sample]), reading(prefix=prefix))]


def test_belb_predictions() -> None:
    found = claims(belb.read_claims, "belb", "ncbigene")
    assert found[0] == Prediction(
        "1", ((10, 15),), (("ncbigene:672", "ncbigene:675"), ("ncbigene:7157",)), mention="aa"
    )
    assert (found[1].document, found[1].groups) == ("2", (("ncbigene:4088",),))


def test_belb_numbers_are_its_own_where_the_knowledge_base_has_none() -> None:
    assert claims(belb.read_claims, "belb", "mesh")[2].groups == (("belb:9",),)
    assert claims(belb.read_claims, "belb", "")[2].groups == (("9",),)  # as the gold would be, if no KB was said
    [claim] = belb.read_claims(
        [raw("p", '[{"eid": "1", "start": 0, "end": 2, "hexdigest": "-", "y_pred": [["MESH:D1"]]}]')],
        reading(prefix="mesh"),
    )
    assert (claim.prediction.groups, claim.prediction.mention) == ((("mesh:D1",),), "")


def test_belb_native_output() -> None:
    found = claims(belb.read_claims, "belb-gold", "ncbigene")
    assert [p.mention for p in found] == ["aa", "", "bb", "cc"]
    assert found[2].groups == (("ncbigene:4087", "ncbigene:4089"),)
    assert (found[3].groups, found[3].nil) == ((), True)


def test_belb_gold_as_a_corpus() -> None:
    how = reading(prefix="ncbigene")
    how.rules = {"": how.rules[""].__class__(prefix="ncbigene", alternative=";")}
    documents = list(belb.read(expand_paths([SAMPLES / "belb-gold"]), how))
    mentions = [m for d in documents for m in d.mentions]
    assert [(m.id, m.document, m.spans, m.text) for m in mentions] == [
        ("aa", "1", ((0, 5),), ""), ("bb", "2", ((3, 8),), "")
    ]  # fmt: skip
    assert mentions[1].ids == {"ncbigene:4087", "ncbigene:4088"}
    with pytest.raises(DataError, match=r"the gold is in results\.json of a rule-based system"):
        list(belb.read(expand_paths([SAMPLES / "belb"]), reading()))


def test_bioel() -> None:
    first, second = bioel.read_claims(expand_paths([SAMPLES / "bioel"]), reading())
    assert first.prediction == Prediction(
        "1", ((0, 5),), (("ncbigene:675", "ncbigene:672"), ("ncbigene:7157",)), (0.9, 0.5), "1.1", "Gene"
    )
    assert (second.prediction.spans, second.prediction.groups, second.text) == (((0, 3), (8, 14)), (), "eye injury")


def test_biosyn() -> None:
    found = claims(biosyn.read_claims, "biosyn")
    assert [(p.document, p.mention, p.spans) for p in found] == [("1", "1#1", ()), ("2", "2#1", ()), ("2", "2#2", ())]
    assert found[0].groups == (("mesh:D008180", "omim:152700"),)  # a candidate without id is none
    assert found[2].groups == (("mesh:D009369",), ("mesh:D010051",))
    documents = list(biosyn.read(expand_paths([SAMPLES / "biosyn"]), reading()))
    assert [[m.id for m in d.mentions] for d in documents] == [["1#1"], ["2#1", "2#2"]]
    assert documents[1].mentions[1].gold == (frozenset({"mesh:D001943"}), frozenset({"mesh:D010051"}))


def test_simple_json_lines() -> None:
    found = claims(simple_jsonl.read_claims, "simplejsonl", "wikidata")
    assert [p.groups for p in found] == [
        (("wikidata:Q30",), ("wikidata:Q142",)), (("wikidata:Q5",),), (), (("Berlin",),)
    ]  # fmt: skip
    assert [p.nil for p in found] == [False, False, True, False]
    with pytest.raises(DataError, match="not by the order of lines"):
        list(simple_jsonl.read_claims([raw("x.jsonl", '{"predictions": []}')], reading()))


def test_native_parquet_is_what_a_run_stores(tmp_path: Path) -> None:
    given = [
        Prediction("d", ((0, 3), (5, 7)), (("mesh:D1", "mesh:D2"), ("mesh:D3",)), (0.5, 0.25), "m", "t"),
        Prediction("e", ((1, 2),), nil=True),
    ]
    with store.Table(tmp_path / "p.parquet", store.PREDICTIONS) as table:
        for p in given:
            spans = [{"start": s, "end": e} for s, e in p.spans]
            table.add((p.document, p.mention, spans, p.type, p.groups, p.scores, p.nil, p.nil_as))
    assert [claim.prediction for claim in native(expand_paths([tmp_path]), reading())] == given


@pytest.mark.parametrize("score", [float("nan"), float("inf"), float("-inf")])
def test_native_parquet_with_bad_scores(tmp_path: Path, score: float) -> None:
    with store.Table(tmp_path / "p.parquet", store.PREDICTIONS) as table:
        table.add(("d", "", [{"start": 0, "end": 1}], "", [["a:1"]], [score], False, ""))
        table.add(("d", "", [{"start": 1, "end": 2}], "", [["a:1"]], [0.5], False, ""))
    how = reading(skip=True)
    assert len(list(native(expand_paths([tmp_path]), how))) == 1
    assert how.problems.counts == {"row": 1}
    assert "finite number" in how.problems.examples[0].message


def test_native_parquet_of_other_columns(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"document": ["d"], "group": [[["a:1"]]]}), tmp_path / "p.parquet")
    with pytest.raises(DataError, match="no single column 'groups'; did you mean 'group'"):
        list(native(expand_paths([tmp_path]), reading()))
    pq.write_table(pa.table({"document": ["d"], "groups": ["a:1"]}), tmp_path / "p.parquet")
    with pytest.raises(DataError, match="not a readable Parquet file"):
        list(native(expand_paths([tmp_path]), reading()))
    (tmp_path / "p.parquet").write_bytes(b"PAR1 nothing")
    with pytest.raises(DataError, match="not a readable Parquet file"):
        list(native(expand_paths([tmp_path]), reading()))


def test_bad_rows_are_counted_one_by_one() -> None:
    rows = '{"document": "d", "spans": [[0, 1]], "candidates": [["a"]], "scores": [%s]}\n'
    how = reading(skip=True)
    text = rows % 1 + rows % "NaN" + rows % '"0.5"' + rows % "Infinity" + rows % 2
    assert len(list(native([raw("p.jsonl", text)], how))) == 2
    assert how.problems.counts == {"row": 3}
    assert str(how.problems.examples[0]).startswith("p.jsonl:2: scores[0]: expected a finite number")


def test_annotations_of_corpus_formats() -> None:
    text = "1|t|BRCA1 and BRCA2 again.\n1|a|\n1\t0\t5\tBRCA1\tGene\t672;675\n1\t10\t15\tBRCA2\tGene\t-1\n"
    how = reading(prefix="ncbigene")
    how.rules = {"": how.rules[""].__class__(prefix="ncbigene", alternative="|;,")}
    first, second = annotated_documents.pubtator([raw("p.txt", text)], how)
    assert first.prediction == Prediction("1", ((0, 5),), (("ncbigene:672", "ncbigene:675"),), type="Gene")
    assert first.text == "BRCA1"
    assert (second.prediction.groups, second.prediction.nil) == ((), True)
    for name in ("bioc", "brat", "nif", "jsonl"):
        assert list(IMPORTERS.load(name)(expand_paths([SAMPLES / name]), reading())), name


def _results(**parts: list[dict[str, Any]]) -> str:
    """`data/backup/TOOL/results.json` of BELB: a part for each corpus."""
    return json.dumps({
        name: {"info": {"tp": len(rows), "obsolete": 0}, "pred": {"original": rows, "processed": rows[:1]}}
        for name, rows in parts.items()
    })  # fmt: skip


def _row(document: str, said: str, gold: str = "-") -> dict[str, Any]:
    return {"eid": document, "start": 0, "end": 5, "hexdigest": f"m{document}", "y_true": gold, "y_pred": said}


@pytest.mark.parametrize("corpus", ["s800", "s800-belb", "S800_recognised"])
def test_belb_results_have_a_part_for_each_corpus(corpus: str) -> None:
    text = _results(s800_base=[_row("1", "4097", "4097"), _row("2", "9606")], linnaeus_base=[_row("3", "10090")])
    found = [c.prediction for c in belb.read_claims([raw("r", text)], reading(prefix="ncbitaxon", corpus=corpus))]
    assert [(p.document, p.groups) for p in found] == [("1", (("ncbitaxon:4097",),)), ("2", (("ncbitaxon:9606",),))]
    (document,) = belb.read([raw("r", text)], reading(prefix="ncbitaxon", corpus=corpus))
    assert [(m.id, m.ids) for m in document.mentions] == [("m1", {"ncbitaxon:4097"})]


def test_belb_results_of_a_type() -> None:
    text = _results(bc5cdr_chemical_base=[_row("1", "D1")], bc5cdr_disease_base=[_row("2", "D2")])
    [claim] = belb.read_claims([raw("r", text)], reading(prefix="mesh", corpus="bc5cdr/disease"))
    assert claim.prediction.document == "2"


@pytest.mark.parametrize("corpus", ["nlm_gene", "bc5cdr", ""])
def test_belb_results_whose_part_cannot_be_told(corpus: str) -> None:
    text = _results(bc5cdr_chemical_base=[], bc5cdr_disease_base=[])
    with pytest.raises(DataError, match="it has the parts bc5cdr_chemical, bc5cdr_disease, and which is of the corpus"):
        list(belb.read_claims([raw("r", text)], reading(corpus=corpus)))
    only = _results(gnormplus_base=[_row("1", "2")])
    assert len(list(belb.read_claims([raw("r", only)], reading(corpus=corpus)))) == 1  # there is no other


def test_belb_rs_numbers_and_nil_of_variants() -> None:
    text = json.dumps([_row("1", "NIL") | {"y_pred": [["NIL"]]}, _row("2", "") | {"y_pred": [["659366"]]}])
    for name in ("osiris", "snp", "tmvar3"):
        rule = spec_of(name).rules[next(iter(spec_of(name).rules))]
        how = reading()
        how.rules = {"": rule}
        nil, known = (c.prediction for c in belb.read_claims([raw("p", text)], how))
        assert (nil.groups, nil.nil) == ((), True), name
        assert known.groups == (("dbsnp:rs659366",),), name


def test_nil_is_no_entity_of_any_corpus() -> None:
    for name in CORPORA:
        for rule in spec_of(name).rules.values():
            assert all(rule.is_none(said) for said in ("NIL", "-", "-1", "", "None"))
            assert rule.gold("NIL") == ()
