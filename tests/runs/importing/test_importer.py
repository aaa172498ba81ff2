"""Import: what joins, what is refused, what is stored, and what the report says (IMPORT-1 to IMPORT-4)."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from linkassay.cli import app
from linkassay.corpora.obtain import OwnCorpus, get_own_corpus
from linkassay.corpora.stored_corpus import Corpus
from linkassay.errors import DataError, LinkassayError, UsageError
from linkassay.formats.predictions.claims import Claim
from linkassay.model import Prediction
from linkassay.problems import Problems
from linkassay.runs.importing.importer import ImportOptions, import_run
from linkassay.runs.importing.join import join
from linkassay.runs.stored_run import Run, all_runs
from tests.conftest import ROOT
from tests.strategies import mutated

TEXT = """1|t|Gout in two brothers.
1|a|Both had gout and lupus.
1\t0\t4\tGout\tDisease\tD006073
1\t31\t35\tgout\tDisease\tD006073

2|t|Asthma and aspirin.
2|a|
2\t0\t6\tAsthma\tDisease\tD001249
2\t11\t18\taspirin\tChemical\tD001241
2\t11\t18\taspirin\tDisease\t-1

"""
TRAIN = "9|t|Flu again.\n9|a|\n9\t0\t3\tFlu\tDisease\tD007251\n"


@pytest.fixture
def corpus(home: Path, tmp_path: Path) -> Corpus:
    for split, text in (("train", TRAIN), ("test", TEXT)):
        path = tmp_path / f"{split}.txt"
        path.write_text(text, encoding="utf-8")
        get_own_corpus(OwnCorpus("clinic", "pubtator", (path,), split, kb="mesh"))
    return Corpus.open("clinic")


Rows = list[dict[str, Any]]


@pytest.fixture
def bring(corpus: Corpus, tmp_path: Path) -> Callable[..., Run]:
    """Imports rows of native predictions."""

    def run(rows: Rows, **options: Any) -> Run:
        path = tmp_path / "p.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return import_run("native", [path], corpus, "sys", options=ImportOptions(**options))[0]

    return run


def row(document: str, start: int, end: int, *ids: str, **more: Any) -> dict[str, Any]:
    return {"document": document, "spans": [[start, end]], "candidates": [[i] for i in ids], **more}


GOOD = [row("1", 0, 4, "D006073", scores=[0.5]), row("2", 0, 6, "mesh:D001249", "D1"), row("1", 40, 45, "D008180")]


def test_joined_by_place(bring: Callable[..., Run]) -> None:
    run = bring(GOOD)
    assert list(run.predictions()) == [
        Prediction("1", ((0, 4),), (("mesh:D006073",),), (0.5,), "1:0-4:Disease"),
        Prediction("1", ((40, 45),), (("mesh:D008180",),)),
        Prediction("2", ((0, 6),), (("mesh:D001249",), ("mesh:D1",)), (), "2:0-6:Disease"),
    ]
    report = run.about["import"]
    counts = {k: report[k] for k in ("claims", "joined", "by_mention", "by_span", "not_joined", "unknown_mentions")}
    assert counts == {"claims": 3, "joined": 2, "by_mention": 0, "by_span": 2, "not_joined": 1, "unknown_mentions": 0}
    assert (report["gold_mentions"], report["covered"], report["coverage"]) == (5, 2, 0.4)
    assert report["unknown_ids"] is None  # the knowledge base is not at hand
    assert (run.about["mentions"], run.about["kb"], run.about["kb_revision"]) == (2, "mesh", "")
    assert run.about["parameters"]["import"] == "native"


def test_the_order_of_rows_says_nothing(bring: Callable[..., Run]) -> None:
    expected = list(bring(GOOD).predictions())
    for seed in range(5):
        rows = random.Random(seed).sample(GOOD, len(GOOD))
        assert list(bring(rows).predictions()) == expected


def test_joined_by_name_before_place(bring: Callable[..., Run]) -> None:
    named = {"document": "1", "mention": "1:31-35:Disease", "candidates": [["D1"]]}
    unknown = row("1", 0, 4, "D2", mention="1:0-4:Syndrome")
    run = bring([named, unknown])
    report = run.about["import"]
    assert (report["by_mention"], report["unknown_mentions"], report["not_joined"]) == (1, 1, 1)
    assert [(p.mention, p.spans) for p in run.predictions()] == [("1:31-35:Disease", ((31, 35),)), ("", ((0, 4),))]


def test_names_of_another_scheme_are_left_alone(bring: Callable[..., Run]) -> None:
    run = bring([row("1", 0, 4, "D2", mention="6d529ae0"), row("2", 0, 6, "D3", mention="aff00")])
    report = run.about["import"]
    assert (report["joined"], report["by_span"], report["unknown_mentions"]) == (2, 2, 0)


def test_a_type_decides_between_mentions_at_one_place(bring: Callable[..., Run]) -> None:
    run = bring([row("2", 11, 18, "D001241", type="chemical")])
    assert [(p.mention, p.type) for p in run.predictions()] == [("2:11-18:Chemical", "Chemical")]
    with pytest.raises(DataError, match="2 mentions there"):
        bring([*GOOD, row("2", 11, 18, "D001241")])


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "document": (row("77", 0, 4, "D1"), "no such document"),
    "split": (row("9", 0, 3, "D1"), "is of the split train, not test"),
    "outside": (row("1", 40, 4000, "D1"), "outside the text of 46 characters"),
    "duplicate": (row("1", 0, 4, "D7"), "predicted before"),
    "duplicate span": (row("1", 40, 45, "D7"), "predicted before"),
    "nan": (row("1", 31, 35, "D1", scores=[float("nan")]), "finite number"),
    "infinite": (row("1", 31, 35, "D1", scores=[float("inf")]), "finite number"),
    "no number": (row("1", 31, 35, "D1", scores=["0.5"]), "expected a number"),
    "reversed": (row("1", 4, 0, "D1"), "reversed"),
    "other document": (row("1", 0, 6, "D1", mention="2:0-6:Disease"), "is of document 2"),
    "other place": (row("2", 0, 5, "D1", mention="2:0-6:Disease"), "stands at 0-6"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_predictions_are_refused_or_counted(bring: Callable[..., Run], case: str) -> None:
    bad, message = BAD[case]
    with pytest.raises(DataError, match="1 bad predictions, nothing was stored") as caught:
        bring([*GOOD, bad])
    assert message in str(caught.value)
    assert all_runs() == []
    run = bring([*GOOD, bad], skip_bad=True)
    report = run.about["import"]
    assert sum(report["problems"]["counts"].values()) == 1
    assert len(list(run.predictions())) == 3
    assert report["joined"] == 2


def test_all_problems_are_counted_with_the_first_examples(bring: Callable[..., Run]) -> None:
    bad = [row(str(n), 0, 4, "D1") for n in range(50, 60)] + [row("1", 9, 999, "D1")]
    with pytest.raises(DataError) as caught:
        bring([*GOOD, *bad])
    message = str(caught.value)
    assert "11 bad predictions" in message
    assert "document: 10; span: 1" in message
    assert message.count("no such document") == 10
    assert "--skip-bad" in message


def test_a_text_that_is_not_the_corpuss(corpus: Corpus, tmp_path: Path) -> None:
    moved = TEXT.replace("Gout in two brothers", "A gout in two brothers").replace("\t0\t4\tGout", "\t2\t6\tgout")
    moved = moved.replace("\t31\t35\t", "\t33\t37\t")
    path = tmp_path / "moved.txt"
    path.write_text(moved, encoding="utf-8")
    with pytest.raises(DataError, match="another text at the span; offsets must count the code points") as caught:
        import_run("pubtator", [path], corpus, "sys")
    assert "found 'ut i', expected 'gout'" in str(caught.value)
    assert all_runs() == []


def test_wrong_corpora_and_empty_files(bring: Callable[..., Run]) -> None:
    for skip in (False, True):
        with pytest.raises(DataError, match="there is no prediction in the files"):
            bring([], skip_bad=skip)
        with pytest.raises(DataError, match=r"none of the 2 predictions joins .*\n.*document: 2"):
            bring([row("77", 0, 4, "D1"), row("78", 0, 4, "D1")], skip_bad=skip)
        with pytest.raises(DataError, match="no span is that of a mention; offsets must count"):
            bring([row("1", 1, 5, "D1")], skip_bad=skip)
    assert all_runs() == []


def test_only_some_types(bring: Callable[..., Run]) -> None:
    rows = [row("1", 0, 4, "D1", type="Disease"), row("1", 5, 7, "D2", type="Gene")]
    report = bring(rows, types=("Disease",)).about["import"]
    assert (report["claims"], report["left_out_types"]) == (1, {"Gene": 1})
    assert bring(rows).about["import"]["not_joined_types"] == {"Gene": 1}
    with pytest.raises(UsageError, match="no prediction of type Protein; there are: Disease, Gene"):
        bring(rows, types=("Protein",))


def test_own_ids_are_decoded(bring: Callable[..., Run], tmp_path: Path) -> None:
    table = tmp_path / "ids.json"
    table.write_text('{"17": "MESH:D006073", "18": ["D1", "OMIM:2"]}', encoding="utf-8")
    run = bring([row("1", 0, 4, "17", "19"), row("2", 0, 6, "18")], ids=table)
    assert [p.groups for p in run.predictions()] == [
        (("mesh:D006073",), ("native:19",)), (("mesh:D1", "omim:2"),)
    ]  # fmt: skip
    assert run.about["import"]["ids"] == {"mapped": 2, "unmapped": 1, "one_to_many": 1}
    assert run.about["import"]["undecoded_ids"] == {"ids": 1, "predictions": 1, "examples": ["native:19"]}


def _aches(tmp_path: Path) -> None:
    (tmp_path / "aches.csv").write_text(
        "code,label,mesh\n1,Pain,D010146\n2,Gout,D006073|D7\n3,Itch,\n", encoding="utf-8"
    )
    (tmp_path / "aches.toml").write_text(
        'name = "aches"\nprefix = "ache"\ntype = "disease"\nfiles = "aches.csv"\ndelimiter = ","\nid = "code"\n'
        'names = "label"\nxrefs = {column = "mesh", prefix = "mesh", separator = "|"}\n',
        encoding="utf-8",
    )
    result = CliRunner().invoke(app, ["kb", "add", str(tmp_path / "aches.toml")], catch_exceptions=False)
    assert result.exit_code == 0


def test_ids_are_mapped_through_cross_references(bring: Callable[..., Run], tmp_path: Path) -> None:
    _aches(tmp_path)
    rows = [row("1", 0, 4, "ache:2", "ache:1"), row("2", 0, 6, "ache:3", "mesh:D5", scores=[0.5, 0.25])]
    run = bring(rows, map="aches:mesh")
    assert [(p.groups, p.scores) for p in run.predictions()] == [
        ((("mesh:D006073", "mesh:D7"), ("mesh:D010146",)), ()),
        ((("ache:3",), ("mesh:D5",)), (0.5, 0.25)),
    ]
    assert run.about["import"]["ids"] == {"mapped": 2, "unmapped": 1, "one_to_many": 1}
    with pytest.raises(UsageError, match="FROM:TO"):
        bring(rows, map="aches")
    with pytest.raises(UsageError, match="no predicted id begins with 'umls:'"):
        bring(rows, map="umls:aches")


def test_ids_that_the_knowledge_base_lacks(corpus: Corpus, tmp_path: Path) -> None:
    _aches(tmp_path)
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps(row("1", 0, 4, "ache:1", "ache:99", "mesh:D1")) + "\n", encoding="utf-8")
    run, _ = import_run("native", [path], corpus, "sys", kb="aches")
    unknown = run.about["import"]["unknown_ids"]
    assert unknown == {"ids": 2, "predictions": 1, "examples": ["ache:99", "mesh:D1"]}
    assert run.kb == f"aches@{run.about['kb_revision']}"
    with pytest.raises(UsageError, match="unknown knowledge base"):
        import_run("native", [path], corpus, "sys", kb="aces")


def test_a_corpus_of_what_was_recognised(home: Path) -> None:
    """Other mentions are outside; a shared name counts more than offsets that no text can decide."""
    samples = ROOT / "tests" / "samples"
    got = get_own_corpus(OwnCorpus("gold", "belb-gold", (samples / "belb-gold",), kb="ncbi_gene"))
    assert got.manifest["of_predictions"] == "recognised"
    run, fresh = import_run("belb", [samples / "belb"], Corpus.open("gold"), "neural")
    assert fresh
    assert [(p.mention, p.spans, p.groups[0]) for p in run.predictions()] == [
        ("aa", ((0, 5),), ("ncbigene:672", "ncbigene:675")), ("bb", ((3, 8),), ("ncbigene:4088",))
    ]  # fmt: skip
    report = run.about["import"]
    assert {k: report[k] for k in ("claims", "joined", "by_mention", "outside", "unknown_mentions", "other_spans")} == {
        "claims": 4, "joined": 2, "by_mention": 2, "outside": 2, "unknown_mentions": 1, "other_spans": 2
    }  # fmt: skip
    assert not import_run("belb", [samples / "belb"], Corpus.open("gold"), "neural")[1]


def test_queries_of_biosyn(home: Path, tmp_path: Path) -> None:
    sample = ROOT / "tests" / "samples" / "biosyn" / "top2.json"
    got = get_own_corpus(OwnCorpus("queries", "biosyn", (sample,)))
    assert got.manifest["of_predictions"] == "all"
    run, _ = import_run("biosyn", [sample], Corpus.open("queries"), "biosyn")
    assert [(p.document, p.mention) for p in run.predictions()] == [("1", "1#1"), ("2", "2#1"), ("2", "2#2")]
    other = tmp_path / "other.json"
    other.write_text(sample.read_text().replace('"ovarian cancer"', '"skin cancer"'), encoding="utf-8")
    with pytest.raises(DataError, match="mention '2#2' has another text"):
        import_run("biosyn", [other], Corpus.open("queries"), "biosyn")


def test_a_run_comes_back_from_its_own_table(bring: Callable[..., Run], corpus: Corpus) -> None:
    first = bring(GOOD)
    again, _ = import_run("native", [first.path / "predictions.parquet"], corpus, "again")
    assert list(again.predictions()) == list(first.predictions())


@pytest.mark.parametrize("format", ["bioc", "brat", "nif", "jsonl"])
def test_what_a_corpus_writes_can_be_imported(corpus: Corpus, tmp_path: Path, format: str) -> None:
    from linkassay.formats import DOCUMENT_FORMATS

    documents = [d for d in corpus["test"] if d.id == "1"]
    target = tmp_path / "written"
    if format == "brat":
        DOCUMENT_FORMATS.load(format).write(documents, target)
    else:
        with target.open("w", encoding="utf-8") as out:
            DOCUMENT_FORMATS.load(format).write(documents, out)
    run, _ = import_run(format, [target], corpus, "gold")
    assert [(p.mention, p.groups) for p in run.predictions()] == [
        ("1:0-4:Disease", (("mesh:D006073",),)), ("1:31-35:Disease", (("mesh:D006073",),))
    ]  # fmt: skip


def test_the_command(corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in GOOD), encoding="utf-8")
    command = ["import", "native", str(path), "--corpus", "clinic", "--system", "mine"]
    shown = CliRunner().invoke(app, command, catch_exceptions=False)
    assert "coverage: 2 of 5 gold mentions (0.4000)" in shown.output
    again = json.loads(CliRunner().invoke(app, [*command, "--json"], catch_exceptions=False).output)
    assert (again["fresh"], again["import"]["joined"], again["system"]) == (False, 2, "mine")
    for wrong, message in (
        (["import", "nativ", *command[2:]], "unknown importer 'nativ'; did you mean 'native'"),
        ([*command, "--split", "tset"], "has no split 'tset'"),
        ([*command[:-1], "a/b"], "cannot name a system"),
        ([*command, "--prefix", "mesh", "--ids", str(tmp_path / "none")], "no such file"),
        ([*command[:2], str(tmp_path / "nothing"), *command[3:]], "no such file"),
    ):
        error = CliRunner().invoke(app, wrong).exception
        assert isinstance(error, LinkassayError)
        assert message in str(error)


def test_importers_are_listed(home: Path) -> None:
    listed = json.loads(CliRunner().invoke(app, ["ls", "importers", "--json"], catch_exceptions=False).output)
    assert {"native", "belb", "bioel", "biosyn", "pubtator", "bioc", "brat", "nif"} <= {
        r["name"] for r in listed["importers"]
    }


def plainly_joined(claims: list[Claim], corpus: Corpus) -> tuple[dict[str, int], list[int], int]:
    """Mention → number of the claim that it gets, numbers of the spans that are no mention, bad claims: by looking."""
    gold = [m for d in corpus["test"] for m in d.mentions]
    texts = {d.id: d.text for d in corpus["test"]}
    shared = any(c.prediction.mention == m.id for c in claims for m in gold)
    joined: dict[str, int] = {}
    others: list[int] = []
    bad = 0
    for number, (_, _, p, text) in enumerate(claims):
        if p.document not in texts or any(end > len(texts[p.document]) for _, end in p.spans):
            bad += 1
            continue
        if text and p.spans and text != " ".join(texts[p.document][s:e] for s, e in p.spans):
            bad += 1
            continue
        named = [m for m in gold if m.id == p.mention]
        here = [m for m in gold if (m.document, m.spans) == (p.document, p.spans)]
        typed = [m for m in here if m.type == p.type]
        if named:
            wrong = named[0].document != p.document or (p.spans and p.spans != named[0].spans)
            found = [] if wrong else named
            bad += bool(wrong)
            free = False
        else:
            found = [] if p.mention and shared else here if len(here) == 1 else typed
            free = not found and bool(p.spans) and (not here or bool(p.mention and shared))
            bad += not found and not free
        if found and found[0].id in joined:
            bad += 1
        elif found:
            joined[found[0].id] = number
        elif free:
            same = [o for o in others if place(claims[o].prediction) == place(p)]
            bad += bool(same)
            others += [] if same else [number]
    return joined, others, bad


def place(p: Prediction) -> tuple[object, ...]:
    return p.document, p.spans, p.type


CLAIMS = st.builds(
    lambda document, spans, mention, type_, text: Claim(
        "f", 1, Prediction(document, spans, (), (), mention, type_), text
    ),
    st.sampled_from(["1", "1", "2", "2", "77"]),
    st.sampled_from([(), ((0, 4),), ((31, 35),), ((0, 6),), ((11, 18),), ((5, 7),), ((11, 99),), ((0, 4), (5, 7))]),
    st.sampled_from(["", "", "1:0-4:Disease", "2:0-6:Disease", "2:11-18:Chemical", "other"]),
    st.sampled_from(["", "Disease", "Chemical"]),
    st.sampled_from(["", "", "Gout", "Asthma"]),
)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(claims=st.lists(CLAIMS, min_size=1, max_size=6))
def test_joining_agrees_with_plain_looking(corpus: Corpus, claims: list[Claim]) -> None:
    expected, others, bad = plainly_joined(claims, corpus)
    problems = Problems(skip=True)
    try:
        found = join(claims, corpus, "test", problems)
    except DataError:
        assert not expected
        return
    numbered = {p.mention: (p.document, p.spans) for p in found.predictions if p.mention}
    gold = {m.id: m for d in corpus["test"] for m in d.mentions}
    assert numbered == {name: (gold[name].document, gold[name].spans) for name in expected}
    assert sorted(map(place, (p for p in found.predictions if not p.mention)), key=str) == sorted(
        (place(claims[o].prediction) for o in others), key=str
    )
    assert sum(problems.counts.values()) == bad
    assert found.counts["claims"] == len(expected) + len(others) + bad


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data(), skip=st.booleans())
def test_noise_is_stored_sound_or_refused(corpus: Corpus, tmp_path: Path, data: st.DataObject, skip: bool) -> None:
    good = "".join(json.dumps(r) + "\n" for r in [*GOOD, row("1", 31, 35, "D1", mention="1:31-35:Disease")])
    path = tmp_path / "noise.jsonl"
    path.write_bytes(data.draw(mutated(good.encode())))
    before = len(all_runs())
    try:
        run, _ = import_run("native", [path], corpus, "noise", options=ImportOptions(skip_bad=skip))
    except LinkassayError:
        assert len(all_runs()) == before
        return
    predictions = list(run.predictions())
    report = run.about["import"]
    gold = {m.id: m for d in corpus["test"] for m in d.mentions}
    joined = [p for p in predictions if p.mention]
    assert len({p.mention for p in joined}) == len(joined) == report["joined"] > 0
    assert all(gold[p.mention].spans == p.spans and gold[p.mention].document == p.document for p in joined)
    assert len(predictions) - len(joined) == report["not_joined"]
    left_out = sum(n for kind, n in report["problems"]["counts"].items() if kind != "row")
    assert report["claims"] == len(predictions) + left_out
    assert skip or not report["problems"]["counts"]


# --- offsets that are all off by one ------------------------------------------------------------

MOVED = [
    row("1", 1, 5, "D006073"),
    row("1", 32, 36, "D006073"),
    row("2", 1, 7, "D001249"),
    row("2", 12, 19, "D1", type="Disease"),
]


def test_constant_shift_is_proposed(bring: Callable[..., Run], corpus: Corpus) -> None:
    """One prediction joins by chance, three would if all offsets moved by -1."""
    rows = [*MOVED[:3], row("2", 11, 18, "D001241", type="Chemical")]
    report = bring(rows).about["import"]
    assert (report["joined"], report["shift"]) == (1, {"by": -1, "would_join": 3})
    moved = bring(rows, shift=-1).about["import"]
    assert (moved["joined"], moved["shift"]) == (3, None)
    assert bring(GOOD).about["import"]["shift"] is None


def test_shift_is_proposed_where_nothing_joins_or_texts_differ(
    bring: Callable[..., Run], corpus: Corpus, tmp_path: Path
) -> None:
    with pytest.raises(
        DataError, match=r"none of the 4 predictions joins.*\n4 would join if all offsets moved by -1: add --shift -1"
    ):
        bring(MOVED)
    text = TEXT.replace("\t0\t4", "\t1\t5").replace("Gout in two", " Gout in two").replace("\t31\t35", "\t32\t36")
    (tmp_path / "sys.txt").write_text(text.partition("\n\n")[0] + "\n\n", encoding="utf-8")
    with pytest.raises(DataError, match="the corpus has another text at the span"):
        import_run("pubtator", [tmp_path / "sys.txt"], corpus, "sys")


def test_shift_on_the_command_line(corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    rows = [*MOVED[:3], row("2", 11, 18, "D001241", type="Chemical")]
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    said = CliRunner().invoke(app, ["import", "native", str(path), "--corpus", "clinic", "--system", "s"])
    assert (
        "only 1 predictions join a gold mention, and 3 would if all offsets moved by -1; add --shift -1" in said.stderr
    )
    mended = CliRunner().invoke(
        app, ["import", "native", str(path), "--corpus", "clinic", "--system", "s", "--shift", "-1", "--json"]
    )
    assert json.loads(mended.stdout)["import"]["joined"] == 3


def test_claims_that_their_source_says_are_of_gold(bring: Callable[..., Run]) -> None:
    """Of what a source says of gold mentions two thirds join; a span that it says is none is not at fault."""
    rows = [row("1", 0, 4, "D1", mention="a"), row("1", 31, 35, "D1", mention="b"), row("2", 1, 3, "D1", mention="c"),
            row("1", 10, 13, "D1"), row("1", 40, 45, "D1"), row("2", 0, 6, "D1")]  # fmt: skip
    report = bring(rows).about["import"]
    assert (report["claims"], report["joined"], report["named"], report["named_joined"]) == (6, 3, 3, 2)
