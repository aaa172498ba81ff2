"""Every kind of warning is seen where its mistake is made, with what helps; without the mistake nothing is said."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

import linkassay
from linkassay.cautions import KINDS, answers, of_runs
from linkassay.cli import app
from linkassay.corpora import Corpus, OwnCorpus, get_own_corpus
from linkassay.errors import UsageError
from linkassay.runs import Run
from tests.conftest import ROOT
from tests.scoring_helpers import corpus, knowledge, run_of
from tests.snapshots import run_documented

#: Twenty documents, so that nothing is said of their number, each with one mention of each of the ids.
Ids = list[str]


def many(ids: Ids, documents: int = 20, type_: str = "disease") -> dict[str, Any]:
    return {"test": {f"d{n}": [(f"name{at}", each, type_) for at, each in enumerate(ids)] for n in range(documents)}}


def hpo() -> Any:
    return knowledge({"t:0000118": ["name0"], "t:0001250": ["name1"], "u:77": ["name2"], "t:D5": ["name3"]})


def verb(*words: str, code: int = 0) -> Result:
    result = CliRunner().invoke(app, list(words), catch_exceptions=bool(code))
    assert result.exit_code == code or (code and result.exception), result.output
    return result


def warned(*words: str) -> dict[str, dict[str, str]]:
    """The warnings in the JSON of a command, by kind; the same stand on standard error."""
    result = verb(*words, "--json")
    found = json.loads(result.stdout)
    warnings = found[0]["warnings"] if isinstance(found, list) else found["warnings"]
    for each in warnings:
        assert f"warning: {each['about']}: {each['message']}" in result.stderr
    return {each["kind"]: each for each in warnings}


def of_gold(home: Path, tmp_path: Path) -> dict[str, dict[str, str]]:
    hpo()
    corpus(tmp_path, "own", many(["t:118", "t:1250"]))
    found = warned("check", "own")
    linked = warned("link", "exact", "own")["gold-not-in-kb"]
    assert linked == found["gold-not-in-kb"] | {"about": "own test"}
    assert found["gold-not-in-kb"]["message"].startswith("40 of 40 gold ids (100.0 %) are not in tiny: t:118")
    assert "leading zeros may be lost or added (t:118 for t:0000118)" in found["gold-not-in-kb"]["cure"]
    assert "gold-not-in-kb" in warned("score", "own/exact")
    return found


def of_predicted(home: Path, tmp_path: Path) -> dict[str, dict[str, str]]:
    hpo()
    corpus(tmp_path, "own", many(["t:0000118"]))
    lines = [{"mention": m.id, "document": m.document, "spans": [[0, 5]], "candidates": [["t:666"]]}
             for d in Corpus.open("own")["test"] for m in d.mentions]  # fmt: skip
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    found = warned("import", "native", str(tmp_path / "p.jsonl"), "--corpus", "own", "--system", "s")
    assert found == warned("score", "own/s")
    assert "1 predicted ids are not in tiny, in 20 predictions: t:666" in found["predicted-not-in-kb"]["message"]
    return found


def imported(tmp_path: Path, **report: Any) -> dict[str, dict[str, str]]:
    """A run whose import had something to report, as score tells of it."""
    kb = hpo()
    on = corpus(tmp_path, "own", many(["t:0000118"]))
    whole = {"joined": 3, "other_spans": 0, "not_joined": 0, "documents": None} | report
    run_of(on, [[["t:0000118"]]] * 20, system="s", kb=kb, **{"import": whole})
    return warned("score", "own/s")


def of_undecoded(home: Path, tmp_path: Path) -> dict[str, dict[str, str]]:
    found = imported(tmp_path, undecoded_ids={"ids": 2, "predictions": 9, "examples": ["belb:1", "belb:2"]})
    assert "belb:1, belb:2" in found["undecoded-ids"]["message"]
    assert "--ids FILE" in found["undecoded-ids"]["cure"]
    return found


def of_malformed(home: Path, tmp_path: Path) -> dict[str, dict[str, str]]:
    return imported(tmp_path, malformed_ids={"ids": 1, "predictions": 1, "examples": ["wikidata:Cummings"]})


def of_shift(home: Path, tmp_path: Path) -> dict[str, dict[str, str]]:
    found = imported(tmp_path, shift={"by": 1, "would_join": 17})
    assert found["shifted-offsets"]["cure"] == "add --shift 1"
    return found


def of_absent(home: Path, tmp_path: Path) -> dict[str, dict[str, str]]:
    return imported(tmp_path, documents={"corpus": 20, "absent": ["d1"]})


def of_other_spans(home: Path, tmp_path: Path) -> dict[str, dict[str, str]]:
    hpo()
    corpus(tmp_path, "own", many(["t:0000118"]))
    lines = [{"document": d.id, "spans": spans, "candidates": [["t:0000118"]]}
             for d in Corpus.open("own")["test"] for spans in ([[0, 5]], [[1, 3]])]  # fmt: skip
    (tmp_path / "p.json").write_text(json.dumps(lines), encoding="utf-8")
    assert warned("import", "native", str(tmp_path / "p.json"), "--corpus", "own", "--system", "s") == {}
    found = warned("score", "own/s")
    assert "20 of its 40 predictions stand on no gold mention" in found["found-mentions"]["message"]
    assert "--task end-to-end" in found["found-mentions"]["cure"]
    assert "found-mentions" not in warned("score", "own/s", "--task", "end-to-end")
    return found


def of_leak(home: Path, tmp_path: Path) -> dict[str, dict[str, str]]:
    verb("link", "genes", "mini", "--split", "dev", "--train-on", "mini:dev", "--allow-leak")
    return warned("score", "mini/genes") | warned("check", "mini/genes")


def of_changed(home: Path, tmp_path: Path) -> dict[str, dict[str, str]]:
    verb("link", "exact", "mini")
    [file] = home.glob("runs/mini/exact-*/predictions.parquet")
    table = pq.read_table(file)
    pq.write_table(table.slice(0, 300), file)
    found = warned("score", "mini/exact")
    assert found["changed-files"]["message"] == "predictions.parquet changed since it was written"
    assert "linkassay link exact mini --again" in found["changed-files"]["cure"]
    return found


def of_revision(home: Path, tmp_path: Path) -> dict[str, dict[str, str]]:
    hpo()
    corpus(tmp_path, "own", many(["t:0000118"]))
    verb("link", "exact", "own")
    corpus(tmp_path, "own", many(["t:0001250"]))
    return warned("score", "own/exact") | warned("check", "own/exact")


def of_few(home: Path, tmp_path: Path) -> dict[str, dict[str, str]]:
    hpo()
    corpus(tmp_path, "own", many(["t:0000118"], documents=19))
    assert warned("link", "exact", "own") == {}  # nothing is counted yet
    found = warned("score", "own/exact")
    assert "only 19 documents" in found["few-documents"]["message"]
    return found


def of_silence(home: Path, tmp_path: Path) -> dict[str, dict[str, str]]:
    knowledge({"t:0000118": ["other"]})
    corpus(tmp_path, "own", many(["t:0000118"]))
    return warned("link", "exact", "own") | warned("score", "own/exact")


def of_silent_type(home: Path, tmp_path: Path) -> dict[str, dict[str, str]]:
    found = warned("link", "variants", "mini")
    assert found == warned("score", "mini/variants")
    assert "disease (83 mentions)" in found["no-answer-for-type"]["message"]
    return found


def of_failures(home: Path, tmp_path: Path) -> dict[str, dict[str, str]]:
    kb = hpo()
    on = corpus(tmp_path, "own", many(["t:0000118"]))
    run_of(on, [[["t:0000118"]]] * 20, kb=kb, failures=[{"document": "d1", "error": "boom"}])
    return warned("score", "own/made-up")


def of_type(home: Path, tmp_path: Path) -> dict[str, dict[str, str]]:
    hpo()
    path = tmp_path / "t.jsonl"
    lines = [{"id": f"d{n}", "text": "name0", "mentions": [{"spans": [[0, 5]], "type": "DiseaseOrPhenotypicFeature",
              "gold": [["t:0000118"]]}]} for n in range(20)]  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    get = ("get", "--format", "jsonl", str(path), "--name", "own", "--kb", "tiny")
    found = warned(*get)
    assert (
        found["unknown-type"]["cure"]
        == "get it again with --types DiseaseOrPhenotypicFeature=disease --replace (there are disease)"
    )
    assert warned(*get, "--types", "DiseaseOrPhenotypicFeature=disease", "--replace") == {}
    assert Corpus.open("own").types == ("disease",)
    return found


def of_unknown_kb(home: Path, tmp_path: Path) -> dict[str, dict[str, str]]:
    (tmp_path / "a.jsonl").write_text(
        '{"id": 1, "text": "Ache", "mentions": [{"spans": [[0, 4]], "gold": [["D1"]]}]}', "utf-8")  # fmt: skip
    get = ("get", "--format", "jsonl", str(tmp_path / "a.jsonl"), "--name")
    assert warned(*get, "b", "--kb", "something-else") == warned(*get, "c", "--kb", "omim") == {}
    found = warned(*get, "a", "--kb", "mseh")
    assert "--kb mesh --replace" in found["unknown-kb"]["cure"]
    assert found == warned("check", "a")
    return found


def of_no_gold(home: Path, tmp_path: Path) -> dict[str, dict[str, str]]:
    (tmp_path / "a.txt").write_text("1|t|Ache.\n1|a|\n1\t0\t4\tAche\tdisease\n", encoding="utf-8")
    return warned("get", "--format", "pubtator", str(tmp_path / "a.txt"), "--name", "a", "--kb", "mesh")


def of_abbreviations(home: Path, tmp_path: Path) -> dict[str, dict[str, str]]:
    (tmp_path / "short.json").write_text('{"no-such-document": {"DM": "diabetes"}}', encoding="utf-8")
    return warned("link", "exact", "mini", "--abbreviations", str(tmp_path / "short.json"))


def of_counts(home: Path, tmp_path: Path) -> dict[str, dict[str, str]]:
    (tmp_path / "NCBItestset_corpus.txt").write_text("1|t|Colon cancer.\n1|a|\n1\t0\t12\tColon cancer\tSpecificDisease"
                                                     "\tD015179\n", encoding="utf-8")  # fmt: skip
    for part in ("train", "develop"):
        (tmp_path / f"NCBI{part}set_corpus.txt").write_text(
            f"{len(part)}|t|Colon cancer.\n{len(part)}|a|\n", encoding="utf-8")  # fmt: skip
    return warned("get", "ncbi_disease", "--raw", str(tmp_path))


def of_notes(home: Path, tmp_path: Path) -> dict[str, dict[str, str]]:
    label = {"id": 1, "span": [0, 5], "entity_id": "Q1", "name": "", "parent": 7, "children": [], "optional": False,
             "type": "Q5"}  # fmt: skip
    article = {"id": 1, "title": "a", "text": "Paris", "evaluation_span": [0, 5], "labels": [label]}
    (tmp_path / "a.jsonl").write_text(json.dumps(article) + "\n", encoding="utf-8")
    return warned("get", "--format", "elevant", str(tmp_path / "a.jsonl"), "--name", "odd", "--kb", "wikidata")


CASES: dict[str, Callable[[Path, Path], dict[str, dict[str, str]]]] = {
    "gold-not-in-kb": of_gold,
    "predicted-not-in-kb": of_predicted,
    "undecoded-ids": of_undecoded,
    "malformed-ids": of_malformed,
    "trained-on-test": of_leak,
    "changed-files": of_changed,
    "other-revision": of_revision,
    "few-documents": of_few,
    "no-answer": of_silence,
    "no-answer-for-type": of_silent_type,
    "failed-documents": of_failures,
    "absent-documents": of_absent,
    "shifted-offsets": of_shift,
    "found-mentions": of_other_spans,
    "unknown-kb": of_unknown_kb,
    "no-gold": of_no_gold,
    "unknown-type": of_type,
    "unused-abbreviations": of_abbreviations,
    "unexpected-counts": of_counts,
    "odd-input": of_notes,
}


@pytest.mark.parametrize("kind", CASES)
def test_a_kind_is_seen(kind: str, home: Path, tmp_path: Path) -> None:
    assert kind in CASES[kind](home, tmp_path)


def test_every_kind_has_a_case_and_a_place_in_the_docs() -> None:
    page = (ROOT / "docs" / "warnings.md").read_text(encoding="utf-8")
    assert [*CASES] == [*KINDS]
    assert sorted(re.findall(r"^### (.*)$", page, re.M)) == sorted(KINDS)


def test_the_commands_of_the_page(home: Path) -> None:
    page = (ROOT / "docs" / "warnings.md").read_text(encoding="utf-8")
    for number, line in enumerate(re.findall(r"^linkassay (.*)$", page, re.M)):
        run_documented(line, f"warnings/{number:02d}")


@pytest.mark.parametrize(("gold", "why"), [
    ("t:00118", "leading zeros"), ("v:77", "the prefix may be wrong (v:77 for u:77)"),
    ("t:d5", "ids may be spelt otherwise (t:d5 for t:D5)"), ("t:9", "they are old ids that were removed, e.g. t:9: "
     "get it again with --sync tiny"), ("t:T_0000118", "ids may be spelt otherwise (t:T_0000118 for t:00"),
    ("t:118.0", "ids may be spelt otherwise"), ("t:T:0000118", "ids may be spelt otherwise"),
    ("mini:x", "no id of tiny begins with mini:"), ("mesh:D003920", "mini has all of them: is it the right --kb?"),
])  # fmt: skip
def test_what_may_have_happened_to_gold_ids(gold: str, why: str, home_with_mini: Path, tmp_path: Path) -> None:
    knowledge({"t:0000118": ["name0"], "u:77": ["name2"], "t:D5": ["name3"]}, history="t:9\t\n")
    corpus(tmp_path, "own", many([gold]))
    assert why in warned("check", "own")["gold-not-in-kb"]["cure"]


def test_types_where_the_knowledge_base_tells_none_apart(home: Path, tmp_path: Path) -> None:
    (tmp_path / "entities.tsv").write_text("Q90\tParis\tQ515\n", encoding="utf-8")
    verb("get", "wikidata", "--raw", str(tmp_path))
    label = {"id": 1, "span": [0, 5], "entity_id": "Q90", "name": "", "parent": None, "children": [], "optional": False,
             "type": "Q515"}  # fmt: skip
    article = {"id": 1, "title": "a", "text": "Paris", "evaluation_span": [0, 5], "labels": [label]}
    (tmp_path / "a.jsonl").write_text(json.dumps(article) + "\n", encoding="utf-8")
    get = ("get", "--format", "elevant", str(tmp_path / "a.jsonl"), "--name", "own", "--kb", "wikidata")
    assert warned(*get) == warned("check", "own") == {}


def test_ids_of_another_form(home: Path, tmp_path: Path) -> None:
    knowledge({"mesh:D003920": ["name0"]})
    corpus(tmp_path, "own", many(["mesh:10090"]))
    found = warned("check", "own")["gold-not-in-kb"]
    assert found["cure"] == "mesh:10090 has not the form of its knowledge base: is it the right --kb?"


def test_check_says_how_many_warnings_there_are(home: Path, tmp_path: Path) -> None:
    assert verb("check", "mini").stdout.endswith("\nok: nothing wrong found, but 1 warning\n")
    hpo()
    corpus(tmp_path, "own", many(["t:0000118"]))
    assert verb("check", "own").stdout.endswith("\nok: nothing wrong found\n")


def test_what_was_strange_in_files_is_repeated_by_check(home: Path, tmp_path: Path) -> None:
    found = of_notes(home, tmp_path)["odd-input"]
    done = CliRunner().invoke(app, ["check", "odd"])
    assert (done.exit_code, f"warning: {found['about']}: {found['message']}" in done.stderr) == (1, True)
    assert found["message"].partition(": ")[2] in done.stdout
    assert "not ok, " in done.stdout


@pytest.mark.parametrize(("kind", "said"), [({}, True), ({"optional": True}, False), ({"gold": []}, False)])
def test_mentions_that_need_no_answer(kind: dict[str, Any], said: bool, home: Path, tmp_path: Path) -> None:
    """Where mentions of a type are optional or have no gold id, a system that leaves them out is not at fault."""
    knowledge({"t:0000118": ["name0"], "t:5": ["other"]})
    lines = [{"id": f"d{n}", "text": "name0 name1", "mentions": [
        {"spans": [[0, 5]], "type": "disease", "gold": [["t:0000118"]]},
        {"spans": [[6, 11]], "type": "date", "gold": [["t:5"]], **kind}]} for n in range(20)]  # fmt: skip
    (tmp_path / "a.json").write_text(json.dumps(lines), encoding="utf-8")
    verb("get", "--format", "jsonl", str(tmp_path / "a.json"), "--name", "own", "--kb", "tiny")
    assert ("no-answer-for-type" in warned("link", "exact", "own")) is said


def test_few_missing_ids_are_left_to_check(home: Path, tmp_path: Path) -> None:
    hpo()
    documents = many(["t:0000118"], documents=200)
    documents["test"]["d7"] = [("name0", "t:4")]
    corpus(tmp_path, "own", documents)
    assert "1 of 200" in warned("check", "own")["gold-not-in-kb"]["message"]
    assert warned("link", "exact", "own") == warned("score", "own/exact") == {}


def test_nothing_is_said_of_what_is_right(home: Path) -> None:
    assert warned("link", "tfidf", "mini") == warned("score", "mini/tfidf") == warned("check", "mini/tfidf") == {}


def test_strict(home: Path, tmp_path: Path) -> None:
    verb("link", "variants", "mini")
    for words in (["score"], ["report", "-o", str(tmp_path / "r.html")], ["compare"], ["check"], ["profile"]):
        with pytest.raises(UsageError, match="1 warning, errors with --strict:\n  mini/variants: it answered nothing"):
            CliRunner().invoke(app, [words[0], "mini/variants", *words[1:], "--strict"], catch_exceptions=False)
    assert not (tmp_path / "r.html").exists()
    assert verb("score", "mini/variants").exit_code == 0


def test_a_large_file_is_looked_at_whole_by_check(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A changed byte amid the data leaves length and footer as they were."""
    verb("link", "exact", "mini")
    [file] = home.glob("kbs/mini/*/names.parquet")
    data = bytearray(file.read_bytes())
    data[100] ^= 255
    file.write_bytes(bytes(data))
    found = linkassay.check("mini")
    [kb] = [file.parent]
    from linkassay.cautions import kb_cautions
    from linkassay.kbs import Kb

    assert [c.kind for c in kb_cautions(Kb(kb))] == ["changed-files"]
    monkeypatch.setattr(sys.modules["linkassay.store.file_records"], "_LARGE", 0)
    assert kb_cautions(Kb(kb)) == []
    assert [c.kind for c in kb_cautions(Kb(kb), whole=True)] == ["changed-files"]
    assert "changed-files" in {each["kind"] for each in found["warnings"]}
    assert not found["ok"]


def test_the_knowledge_base_that_fits_is_named(home_with_mini: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("1|t|Diabetes.\n1|a|\n1\t0\t8\tDiabetes\tdisease\tMESH:D003920\n", encoding="utf-8")
    get_own_corpus(OwnCorpus("own", "pubtator", (path,), kb="mesh"))
    get_own_corpus(OwnCorpus("bare", "pubtator", (path,)))
    with pytest.raises(
        UsageError, match="its own, mesh, is not in the data home; mini covers 1 of 1 gold ids: add --kb m"
    ):
        linkassay.link("exact", "own")
    path.write_text(path.read_text("utf-8").replace("D003920", "D003920|MESH:D1|MESH:D2"), encoding="utf-8")
    get_own_corpus(OwnCorpus("other", "pubtator", (path,), kb="mesh"))
    with pytest.raises(UsageError, match="'mesh' is not in the data home yet; run: linkassay get mesh"):
        linkassay.link("exact", "other")  # one id of three is no reason to take mini
    with pytest.raises(UsageError, match="it names none; mini covers 1 of 1"):
        linkassay.link("exact", "bare")
    assert linkassay.link("exact", "own", kb="mini").about["kb"] == "mini"


def test_a_split_is_not_replaced_silently(home: Path, tmp_path: Path) -> None:
    def get(name: str, *more: str, code: int = 0) -> Result:
        path = tmp_path / f"{name}.txt"
        path.write_text(f"{name}|t|Ache.\n{name}|a|\n{name}\t0\t4\tAche\tdisease\tMESH:D1\n", encoding="utf-8")
        return verb("get", "--format", "pubtator", str(path), "--name", "own", *more, code=code)

    def documents() -> list[str]:
        return [document.id for document in Corpus.open("own")["test"]]

    get("1")
    assert "nothing to do" in get("1").output
    refused = get("2", code=2)
    assert "own has a split test of other files or options, with 1 documents and 1 mentions: --replace" in str(
        refused.exception
    )
    assert documents() == ["1"]
    get("2", "--replace")
    assert documents() == ["2"]
    get("3", "--add")
    assert documents() == ["2", "3"]
    assert "nothing to do" in get("3", "--add").output
    assert documents() == ["2", "3"]
    assert linkassay.check("own")["ok"]
    get("4", "--split", "train")
    assert Corpus.open("own").splits == ("train", "test")
    assert "exclude each other" in str(get("5", "--add", "--replace", code=2).exception)


def test_a_hierarchy_that_is_not_there_is_refused(home: Path, tmp_path: Path) -> None:
    hpo()
    corpus(tmp_path, "own", many(["t:0000118"]))
    verb("link", "exact", "own")
    for words in (["score"], ["profile"]):
        refused = verb(*words, "own/exact", "--hierarchy", "tiny", code=2)
        assert "knowledge base 'tiny' has no parents" in str(refused.exception)


def test_answers_are_looked_at_until_every_type_has_one(home_with_mini: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large run is not read a second time for it."""
    run, read = linkassay.link("exact", "mini"), []
    batches = type(run).batches

    def counted(self: Run, *asked: Any, **more: Any) -> Any:
        for batch in batches(self, *asked, **more):
            read.append(len(batch))
            yield batch

    monkeypatch.setattr(answers, "_TOGETHER", 50)
    monkeypatch.setattr(Run, "batches", counted)
    assert of_runs._of_answers(run) == []
    assert sum(read) < run.about["mentions"]
