"""`reproduce`: published figures beside ours, on made-up runs and on the real ones."""

from __future__ import annotations

import doctest
import gzip
import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import linkassay
from linkassay.cli import app
from linkassay.corpora import CORPORA
from linkassay.corpora.obtain import OwnCorpus, get_corpus, get_own_corpus
from linkassay.corpora.stored_corpus import Corpus
from linkassay.errors import UsageError
from linkassay.published import PUBLISHED, belb, literature
from linkassay.published.published_table import load_work
from linkassay.runs.importing.importer import import_run
from tests.conftest import ROOT
from tests.runs.importing.test_real import SCOPES
from tests.scoring_helpers import corpus, knowledge, run_of

KEYS = ["work", "table", "system", "measure", "value", "protocol", "scope", "citation", "comparable", "note"]


def reproduce(*arguments: object) -> Any:
    done = CliRunner().invoke(app, ["reproduce", *map(str, arguments), "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def rows_of(found: dict[str, Any], table: int) -> dict[tuple[str, str, str], dict[str, Any]]:
    return {(r["corpus"], r["system"], r["measure"]): r for r in found["rows"] if r["table"] == table}


# ---- the figures of a corpus, for a report


def test_a_table_that_the_work_does_not_have(home: Path) -> None:
    with pytest.raises(UsageError, match=r"--table 99: of biowic the tables 5, 6 can be shown now"):
        CliRunner().invoke(app, ["reproduce", "biowic", "--table", "99"], catch_exceptions=False)


def test_rows_of_every_corpus_have_one_shape(home: Path) -> None:
    with_figures = set()
    for name in [*CORPORA, "bc5cdr/disease", "bc5cdr/chemical", "gnormplus-gold", "genes"]:
        for row in literature.published_rows(name):
            with_figures.add(name)
            assert list(row) == KEYS
            assert 0 < row["value"] <= 1
            assert row["comparable"] == (row["scope"] == "all")
    assert {"ncbi_disease", "bc5cdr", "bc5cdr/disease", "bc5cdr/chemical", "gnormplus-gold", "nlm_gene"} < with_figures
    assert {"mini", "genes", "wiki_fair"} & with_figures == set()


def test_rows_are_the_printed_figures() -> None:
    found = {
        (r["work"], r["table"], r["system"], r["measure"], r["protocol"]): r
        for r in literature.published_rows("bc5cdr/disease")
    }
    assert found["hierarchy", 1, "TaggerOne", "accuracy(set=novel-unique)", load_work("hierarchy").tables[1].protocol][
        "value"] == 0.8103  # fmt: skip
    assert found["belb", 4, "TaggerOne", "recall@1", "belb/standard"]["scope"] == "recognised(TaggerOne)"
    genes = {
        (r["table"], r["system"], r["protocol"]): r["value"]
        for r in literature.published_rows("gnormplus")
        if r["work"] == "belb"
    }
    assert genes[5, "GenBioEL", "belb/lenient"] == 0.86
    assert genes[5, "GenBioEL, abbreviations resolved", "belb/standard"] == 0.20
    assert (15, "GNormPlus", "belb/standard") not in genes  # it finds mentions itself: no figure on all of them
    cells = [r for r in literature.published_rows("bioid") if r["table"] == 4]
    assert (cells[0]["system"], cells[0]["scope"]) == ("FuzzySearch", "all")


# ---- made-up runs


def test_nothing_at_hand(home: Path) -> None:
    found = reproduce("belb")
    assert found["rows"] == []
    commands = (
        "linkassay get --format belb-gold results.json --name gnormplus-belb --kb ncbi_gene && "
        "linkassay import belb predictions.json --corpus gnormplus-belb --system SYSTEM"
    )
    assert any(line.endswith(commands) for line in found["missing"])
    assert any("linkassay get nlm_chem && linkassay import belb" in line for line in found["missing"])
    assert found["missing"][-1].startswith("knowledge bases (tables 2, 10): linkassay get ctd_diseases ctd_chemicals ")
    assert reproduce("bioel")["missing"][0].startswith("corpora (tables 2, 9, 10): linkassay get medmentions_full ")


def test_a_missing_work_does_not_end_all(home: Path) -> None:
    found = reproduce("all")
    assert set(found) == set(PUBLISHED) >= {"belb", "bioel", "fair", "hierarchy"}
    assert found["fair"]["rows"] == []
    assert "no runs on the benchmarks of the paper" in found["fair"]["missing"][0]
    assert "no run bc5cdr/disease/biosyn" in found["hierarchy"]["missing"][0]
    printed = CliRunner().invoke(app, ["reproduce", "all"], catch_exceptions=False)
    assert "missing: no runs on the benchmarks" in printed.stdout


def test_benchmarks_stand_beside_the_paper_without_a_run(home: Path, shared: Path) -> None:
    get_corpus("wiki_fair", shared / "e2e" / "benchmarks")
    found = reproduce("fair")
    [row] = [r for r in found["rows"] if (r["table"], r["measure"]) == (2, "all")]
    assert (row["corpus"], row["published"], row["ours"]) == ("wiki_fair", 1761, 1761)
    assert found["missing"][0].startswith("no runs on the benchmarks of the paper")


def test_unknown_works_and_options(home: Path) -> None:
    with pytest.raises(UsageError, match="unknown published work 'belp'; did you mean 'belb'"):
        CliRunner().invoke(app, ["reproduce", "belp"], catch_exceptions=False, standalone_mode=False)
    with pytest.raises(UsageError, match="fair counts no abbreviations"):
        CliRunner().invoke(
            app, ["reproduce", "fair", "--abbreviations", "ab3p"], catch_exceptions=False, standalone_mode=False
        )


MENTIONS = [("mouse", "t:1"), ("rat", "t:2"), ("yeast", "t:3"), ("fly", "t:4")]


def test_the_scope_is_what_the_rule_based_run_recognised(home: Path, tmp_path: Path) -> None:
    """Table 4 on three of four mentions, table 15 on all; two tied answers are worth a half, or nothing if strict."""
    kb = knowledge({f"t:{n}": [name] for n, (name, _) in enumerate(MENTIONS, 1)})
    on = corpus(tmp_path, "linnaeus-own", {"test": {"d": MENTIONS}})
    run_of(on, [[["t:1"]], [["t:2"]], [["t:4"]], None], system="sr4gn", kb=kb)
    run_of(on, [[["t:1"]], [["t:2", "t:1"]], [["t:1"]], [["t:4"]]], system="arboEL", kb=kb)
    found = reproduce("belb")
    four, strict, whole = (rows_of(found, n) for n in (4, 14, 15))
    arbo, rules = ("linnaeus", "arboEL", "recall@1"), ("linnaeus", "SR4GN", "recall@1")
    assert (four[arbo]["ours"], four[arbo]["n"], four[arbo]["scope"]) == (0.5, 3, "recognised(SR4GN)")
    assert (four[arbo]["published"], four[arbo]["difference"], four[arbo]["agrees"]) == (0.74, -0.24, False)
    assert (four[rules]["ours"], four[rules]["n"]) == (0.6667, 3)
    assert (strict[arbo]["ours"], strict[arbo]["protocol"]) == (0.3333, "belb/strict")
    assert (whole[arbo]["ours"], whole[arbo]["n"], whole[arbo]["scope"]) == (0.625, 4, "all")
    assert rules not in whole
    [line] = [line for line in found["missing"] if line.startswith("Linnaeus")]
    assert line.startswith("Linnaeus, tables 4, 14, 15: no run of BioSyn, GenBioEL;")


def test_one_table_and_other_forms(home: Path, tmp_path: Path) -> None:
    test_the_scope_is_what_the_rule_based_run_recognised(home, tmp_path)
    assert {row["table"] for row in reproduce("belb", "--table", 4, "--table", 15)["rows"]} == {4, 15}
    printed = CliRunner().invoke(app, ["reproduce", "belb", "--table", "15", "--format", "md"], catch_exceptions=False)
    assert "| 15 | linnaeus | arboEL | recall@1 | belb/standard | all | 0.7500 | 0.6250 | -0.1250 |" in printed.stdout
    plain = CliRunner().invoke(app, ["reproduce", "belb", "--table", "15"], catch_exceptions=False)
    assert plain.stdout.splitlines()[0] == "belb, table 15"


def test_predictions_that_do_not_join_are_not_scored(home: Path, tmp_path: Path) -> None:
    on = corpus(tmp_path, "linnaeus-own", {"test": {"d": MENTIONS}})
    said = {"import": {"claims": 100, "joined": 4, "undecoded_ids": {"ids": 0}, "format": "belb"}}
    run_of(on, [[["t:1"]]] * 4, system="arboel", **said)
    found = reproduce("belb")
    assert rows_of(found, 15) == {}
    assert any("(linnaeus-own/arboel: only 4 of 100 predictions join)" in line for line in found["missing"])


def test_spans_that_are_no_gold_mention_do_not_keep_a_run_out(home: Path, tmp_path: Path) -> None:
    """tmVar marks thrice as many variants as have an rs number: of those that its file says are gold all join."""
    on = corpus(tmp_path, "osiris-own", {"test": {"d": MENTIONS}})
    said = {"claims": 12, "joined": 4, "named": 4, "named_joined": 4, "undecoded_ids": {"ids": 0}, "format": "belb"}
    run_of(on, [[["t:1"]], [["t:2"]], [["t:1"]], [["t:4"]]], system="tmvar", **{"import": said})
    [row] = rows_of(reproduce("belb"), 4).values()
    assert (row["corpus"], row["system"], row["ours"], row["published"], row["n"]) == ("osiris", "tmVar", 0.75, 0.91, 4)
    run_of(on, [[["t:1"]]] * 4, system="tmvar", **{"import": said | {"named_joined": 2}})
    found = reproduce("belb")
    assert rows_of(found, 4) == {}
    assert any("(osiris-own/tmvar: only 2 of 4 predictions join)" in line for line in found["missing"])


def test_table_6_pools_the_runs_at_hand(home: Path, tmp_path: Path) -> None:
    """Unseen: rat and yeast of the one corpus (seen: mouse, also as mice), fly of the other, as the rules find."""
    kb = knowledge({f"t:{n}": [name] for n, (name, _) in enumerate(MENTIONS, 1)})
    first = corpus(
        tmp_path, "linnaeus-own", {"train": {"e": [("mouse", "t:1")]}, "test": {"d": [*MENTIONS, ("mice", "t:1")]}}
    )
    second = corpus(tmp_path, "s800-own", {"train": {"e": [("rat", "t:2")]}, "test": {"d": [("fly", "t:4")]}})
    run_of(first, [[["t:1"]], [["t:2"]], [["t:2"]], None, [["t:9"]]], system="sr4gn", kb=kb)
    run_of(first, [[["t:9"]], [["t:2"]], [["t:3"]], [["t:4"]], [["t:1"]]], system="arboel", kb=kb)
    run_of(second, [[["t:4"]]], system="sr4gn", kb=kb)
    run_of(second, [[["t:9"]]], system="arboel", kb=kb)
    rows = {(r["system"], r["measure"]): r for r in reproduce("belb")["rows"] if r["table"] == 6}
    entity, synonym = (f"recall(protocol=belb/standard,set={s})@1" for s in ("unseen-entity", "unseen-synonym"))
    assert {key: (r["ours"], r["n"]) for key, r in rows.items()} == {
        ("RBES", entity): (0.6667, 3), ("arboEL", entity): (0.6667, 3),
        ("RBES", synonym): (0.0, 1), ("arboEL", synonym): (1.0, 1),
    }  # fmt: skip
    row = rows["RBES", entity]
    assert (row["published"], row["corpus"], row["scope"]) == (0.65, "2 of 10 together", "recognised")
    assert (row["difference"], row["agrees"]) == (None, None)  # not all corpora
    assert row["note"].startswith("pooled over Linnaeus, S800; not comparable without NCBI Disease, BC5CDR (D), ")
    assert len(row["key"].split()) == 2


def test_a_run_whose_corpus_is_gone_is_left_out(home: Path, tmp_path: Path) -> None:
    on = corpus(tmp_path, "linnaeus-own", {"test": {"d": MENTIONS}})
    run_of(on, [[["t:1"]]] * 4, system="arboel")
    assert len(reproduce("belb")["rows"]) == 1
    shutil.rmtree(on.path.parent)
    assert reproduce("belb")["rows"] == []


def test_what_cannot_be_decoded_is_not_called_wrong(home: Path, tmp_path: Path) -> None:
    on = corpus(tmp_path, "linnaeus-own", {"test": {"d": MENTIONS}})
    said = {"import": {"claims": 4, "joined": 4, "undecoded_ids": {"ids": 2}, "format": "belb"}}
    run_of(on, [[["t:1"]], [["t:2"]], [["belb:7"]], [["belb:8"]]], system="arboel", **said)
    [row] = rows_of(reproduce("belb"), 15).values()
    assert (row["ours"], row["agrees"], row["note"]) == (0.5, None, "at least: 2 predicted ids cannot be decoded")


def test_slices_and_failures_of_bioel(home: Path, tmp_path: Path) -> None:
    names = {"t:1": ["mouse", "mice"], "t:2": ["rat"], "t:3": ["yeast"], "t:4": ["fly"]}
    kb = knowledge(names, t1={"type": "T015"}, t2={"type": "T015"})
    on = corpus(tmp_path, "medmentions_st21pv-own", {"train": {"e": MENTIONS[:1]}, "test": {"d": MENTIONS}})
    run_of(on, [[["t:1"]], [["t:1"], ["t:2"]], [["t:1"]], [["t:4"]]], system="SapBERT", kb=kb)
    found = reproduce("bioel")
    of = ("medmentions_st21pv", "SapBERT")
    assert rows_of(found, 4)[(*of, "recall@1")]["ours"] == 0.5
    assert rows_of(found, 4)[(*of, "recall@5")]["ours"] == 0.75
    assert rows_of(found, 11)[(*of, "recall@5")]["protocol"] == "bioel/relaxed"
    assert rows_of(found, 7)[(*of, "generation-failure@10")]["ours"] == 0.5
    slices = {(r["system"], r["scope"]): (r["ours"], r["n"]) for r in found["rows"] if r["table"] == 6}
    assert slices["SapBERT", "zero-shot"] == (-0.16667, 3)  # right once of three, twice of four
    assert slices["", "zero-shot"] == (0.75, 3)
    assert slices["SapBERT", "train-text-match"] == (0.5, 1)
    assert slices["SapBERT", "single-alias"] == (-0.16667, 3)
    groups = {(r["system"], r["scope"]): r["ours"] for r in found["rows"] if r["table"] == 5}
    assert groups == {("SapBERT", "semantic-group=LIVB"): 0.0, ("", "semantic-group=LIVB"): 0.5}
    run_of(on, [[["t:1"]], [["t:1"]], [["t:1"]], [["t:4"]]], system="SapBERT")  # without a KB no names are known
    found = reproduce("bioel")
    assert rows_of(found, 4)[(*of, "recall@5")]["ours"] == 0.5
    assert rows_of(found, 6) == {}


def test_species_and_abbreviations_of_bioel(home: Path, tmp_path: Path) -> None:
    """Of two abbreviations one more is right when they are written out; of four human genes one is right."""
    human, mouse = ({"foreign": f"ncbitaxon:{n}"} for n in (9606, 10090))
    kb = knowledge({"t:1": ["p53"], "t:2": ["BRCA"], "t:3": ["actin"]}, t1=human, t2=human, t3=mouse)
    genes = [("gene one", "t:1"), ("(GO)", "t:2"), ("GO", "t:1"), ("GO", "t:2"), ("actin", "t:3")]
    on = corpus(tmp_path, "nlm_gene-own", {"test": {"d": genes}})
    pairs = tmp_path / "pairs.json"
    pairs.write_text(json.dumps({"d": {"GO": "gene one"}}), encoding="utf-8")
    right, wrong = [["t:1"]], [["t:3"]]
    run_of(on, [right, wrong, wrong, wrong, wrong], system="arboel", kb=kb)
    run_of(on, [right, wrong, right, wrong, wrong], system="arboel_ar", kb=kb)
    found = reproduce("bioel", "--abbreviations", pairs)
    [effect] = [r for r in found["rows"] if r["table"] == 8]
    assert (effect["system"], effect["ours"], effect["n"], effect["published"]) == ("ArboEL", 0.5, 2, -0.087)
    species = {(r["system"], r["scope"]): (r["ours"], r["n"]) for r in found["rows"] if r["table"] == 12}
    assert species["ArboEL", "species=ncbitaxon:9606"] == (-0.15, 4)  # 1 of 4, 2 of 5 (actin is right)
    assert species["", "species=ncbitaxon:10090"] == (0.2, 1)


# ---- real data


def belb_at_hand(shared: Path, name: str) -> None:
    """What docs/reproduce.md does for one corpus."""
    folder = shared / "predictions" / "belb" / name
    rules, kb, _ = SCOPES[name]
    get_own_corpus(OwnCorpus(f"{name}-belb", "belb-gold", (folder / rules / "native_with_gold.json.gz",), kb=kb))
    for system in sorted(folder.iterdir()):
        import_run("belb", [system / "predictions.json.gz"], Corpus.open(f"{name}-belb"), system.name)


def test_table_4_of_belb_comes_out(home: Path, shared: Path) -> None:
    """Every system of GNormPlus and Linnaeus within 0.005 of the published figure."""
    for name in SCOPES:
        belb_at_hand(shared, name)
        rows = [r for r in literature.published_rows(f"{name}-belb") if r["work"] == "belb"]
        assert {r["table"] for r in rows if r["comparable"]} >= {4, 14}  # these have the mentions of this corpus
        assert {r["table"] for r in rows if not r["comparable"]} == {15}
    found = reproduce("belb")
    table = load_work("belb").tables[4]
    for printed, name in (("GNormPlus", "gnormplus"), ("Linnaeus", "linnaeus")):
        published = {load_work("belb").system(f.labels["system"], printed): f.value for f in table.figures()
                     if f.labels["corpus"] == printed}  # fmt: skip
        rows = {r["system"]: r for r in found["rows"] if (r["table"], r["corpus"]) == (4, name)}
        assert {s: r["published"] for s, r in rows.items()} == published
        rules, _, n = SCOPES[name]
        for row in rows.values():
            assert abs(row["ours"] - row["published"]) <= 0.005
            assert (row["agrees"], row["n"], row["protocol"]) == (True, n, "belb/standard")
            assert row["scope"].lower() == f"recognised({rules})"
    # So do the figures under the other protocols, and how much was recognised.
    others = [r for r in found["rows"] if r["table"] in (5, 13, 14)]
    assert len(others) == 6 + 2 + 7
    assert all(r["agrees"] for r in others)
    assert {(r["corpus"], r["ours"], r["n"]) for r in others if r["table"] == 13} == {
        ("gnormplus", 0.9342, 3222), ("linnaeus", 0.7965, 1430),
    }  # fmt: skip


def test_ncbi_disease_beside_both_papers(home: Path, shared: Path) -> None:
    linkassay.get("ncbi_disease", shared / "corpora" / "ncbi_disease")
    linkassay.get("medic", shared / "kbs" / "medic")
    found = reproduce("belb")
    one, two, ten = (rows_of(found, n) for n in (1, 2, 10))
    ours = {measure: r["ours"] for (_, _, measure), r in one.items()}
    assert ours == {
        "documents train": 592, "documents dev": 100, "documents test": 100, "annotations train": 5134,
        "annotations dev": 787, "annotations test": 960, "unseen entities": 150, "unseen entities %": 15.625,
        "unseen synonyms": 185, "unseen synonyms %": 19.2708,
    }  # fmt: skip
    assert [m for (_, _, m), r in one.items() if not r["agrees"]] == ["annotations train"]  # 5133
    assert two["medic", "", "entities"]["ours"] == 11_915
    assert (ten["ncbi_disease", "", "removed"]["ours"], ten["ncbi_disease", "", "removed"]["n"]) == (0, 979)
    file = shared / "corpora" / "abbreviations" / "abbreviations.json.gz"
    found = reproduce("bioel", "--abbreviations", file)
    agree = {(r["table"], r["measure"]): (r["published"], r["ours"]) for r in found["rows"] if r["agrees"]}
    assert agree == {
        (2, "documents"): (792, 792), (2, "mentions"): (6881, 6881), (9, "mentions"): (6881, 6881),
        (9, "unique mentions"): (2136, 2136), (9, "abbreviations"): (1611, 1611),
        (9, "unique abbreviations"): (143, 143),
    }  # fmt: skip
    overlap = {r["measure"]: (r["published"], r["ours"], r["note"]) for r in found["rows"] if r["table"] == 10}
    raw = "theirs: raw id strings"
    assert overlap == {"entity overlap": (0.67, 0.695, raw), "mention overlap": (0.8156, 0.828125, raw)}


def test_fair_tables_of_the_benchmarks(home: Path, shared: Path) -> None:
    real = shared / "e2e"
    linkassay.get("wikidata", real / "kb")
    for name in ("kore50", "wiki_fair", "wiki_fair_no_coref"):
        linkassay.get(name, real / "benchmarks")
    import_run(
        "elevant", [real / "dev" / "baseline.kore50.linked_articles.jsonl.gz"], Corpus.open("kore50"), "baseline"
    )
    found = reproduce("fair")
    two, three = rows_of(found, 2), rows_of(found, 3)
    # Coreference is told by the text where the benchmark does not say: one more than the paper.
    assert {m: (r["published"], r["ours"]) for (_, _, m), r in two.items()} == {
        "all": (1761, 1761), "coreference": (281, 282), "NIL": (152, 152), "optional": (455, 455),
        "alternative": (120, 120),
    }  # fmt: skip
    assert {c: (r["published"], r["ours"]) for (c, _, m), r in three.items() if m == "mentions"} == {
        "kore50": (144, 144), "wiki_fair_no_coref": (1035, 1034),
    }  # fmt: skip
    assert all(r["agrees"] for (c, _, m), r in three.items() if m in ("lower %", "NIL %", "demonym %", "location %"))
    one = {r["measure"]: r for r in found["rows"] if r["table"] == 1}
    assert (one["all_f1"]["published"], one["all_f1"]["published_as"], one["all_f1"]["n"]) == (0.463, "Baseline", 1)
    assert "benchmark aida-conll-test" in found["missing"][0]
    assert "no run of ReFinED, REL, GENRE, Ambiverse, Neural EL, TagMe" in found["missing"][-1]


def _as_belb_has_it(real: Path, folder: Path) -> None:
    """The folders of BELB's experiments: predictions by corpus and system, and one file of the rule-based system."""
    for system in ("sr4gn", "biosyn", "genbioel", "arboel"):
        target = folder / "results" / "linnaeus" / system
        target.mkdir(parents=True)
        (target / "predictions.json").write_bytes(gzip.decompress((real / system / "predictions.json.gz").read_bytes()))
    part = json.loads(gzip.decompress((real / "sr4gn" / "native_with_gold.json.gz").read_bytes()))
    (folder / "data" / "backup" / "sr4gn").mkdir(parents=True)
    parts = {"s800_base": {"info": {}, "pred": {"original": [], "processed": []}}, "linnaeus_base": part}
    (folder / "data" / "backup" / "sr4gn" / "results.json").write_text(json.dumps(parts), encoding="utf-8")


def test_the_guide(home: Path, tmp_path: Path, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command of docs/reproduce.md, in order, on real files; the table that it prints; its examples."""
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / "reproduce.md"
    _as_belb_has_it(shared / "predictions" / "belb" / "linnaeus", tmp_path / "belb")
    (tmp_path / "NCBI").symlink_to(shared / "corpora" / "ncbi_disease")
    file = "abbreviations.json.gz"
    (tmp_path / file).symlink_to(shared / "corpora" / "abbreviations" / file)
    text = page.read_text(encoding="utf-8")
    printed = re.findall(r"^(corpus .*?)\n```", text, re.M | re.S)[0]
    commands = re.findall(r"^linkassay (.*)$", text, re.M)
    assert len(commands) == 11
    for command in commands:
        done = CliRunner().invoke(app, shlex.split(command), catch_exceptions=False)
        assert done.exit_code == 0, (command, done.output)
        if command == "reproduce belb --table 4":
            assert printed in done.stdout
    assert doctest.testfile(str(page), module_relative=False, encoding="utf-8") == (0, 5)


def test_a_corpus_without_a_test_split_has_nothing_to_change(home_with_mini: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1|t|Gout.\n1|a|\n1\t0\t4\tGout\tdisease\tD006073\n", encoding="utf-8")
    get_own_corpus(OwnCorpus("mine", "pubtator", (tmp_path / "a.txt",), "train", ("disease",), "mini"))
    assert list(belb._changes(load_work("belb"), {"bioid": Corpus.open("mine")})) == []
