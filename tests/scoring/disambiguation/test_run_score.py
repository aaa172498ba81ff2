"""The score of a run (MEASURE-2 to MEASURE-9): by hand, and held to a slow reference on made-up corpora and on mini."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import linkassay
from linkassay.errors import LinkassayError, UsageError
from linkassay.runs.stored_run import Run
from linkassay.scoring.disambiguation.evaluation_sets import SETS
from linkassay.scoring.disambiguation.measures import MEASURES, parse_measures
from linkassay.scoring.disambiguation.mention_outcomes import CUT_OFFS, mention_outcomes_of
from linkassay.scoring.disambiguation.rankings import Rankings
from linkassay.scoring.disambiguation.run_score import Score
from linkassay.scoring.disambiguation.scored_mentions import id_list
from linkassay.scoring.disambiguation.slices import SLICE_COLUMNS, SLICES
from linkassay.scoring.statistics.intervals import ratios
from linkassay.text.abbreviations.sources import abbreviations_record
from tests import reference_scoring as ranking
from tests.reference_figures import Reference
from tests.scoring_helpers import corpus, knowledge, run_of

# ---- by hand


DOCUMENTS = {  # document → (text, gold) of its mentions; names of the KB below decide what is predicted
    "d1": [("gout", "t:1"), ("MS", "t:3"), ("rash", "t:4")],
    "d2": [("gout", "t:1"), ("ache", "t:5")],
    "d3": [("MS", "t:2"), ("old rash", "t:9"), ("thing", "")],
}
NAMES = {"t:1": ["gout"], "t:2": ["MS"], "t:3": ["multiple sclerosis", "MS"], "t:4": ["rash", "old rash"]}


@pytest.fixture
def scored(home: Path, tmp_path: Path) -> Score:
    corpus(tmp_path, "hand", {"test": DOCUMENTS})
    knowledge(NAMES, "t:9\tt:4\n")
    return linkassay.score(linkassay.link("exact", "hand", kb="tiny"))


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Score]:
    """A run on the embedded benchmark."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(tmp_path_factory.mktemp("mini")))
        yield linkassay.score(linkassay.link("exact", "mini"), "recall@1")


def of(score: Score, measure: str) -> dict[str, Any]:
    """The one row of a measure over all mentions."""
    [row] = [r for r in score.rows(measure, by=()) if r["slice"] == "all"]
    return row


def test_figures_by_hand(scored: Score) -> None:
    """gout right twice, MS tied between two (1/2 each), rash right, old rash right by history, ache not answered."""
    rows = {r["measure"]: r for r in scored.rows()}
    assert rows["recall@1"]["value"] == pytest.approx((1 + 0.5 + 1 + 1 + 0 + 0.5 + 1) / 7)
    assert rows["recall@5"]["value"] == pytest.approx(6 / 7)
    assert rows["coverage"]["value"] == pytest.approx(6 / 7)
    assert {r["n"] for r in rows.values()} == {7}
    assert scored.items.left_out == {"without a gold id": 1}
    assert rows["recall@1"]["tie_sd"] == pytest.approx((2 * 0.25) ** 0.5 / 7)
    assert "tie_sd" not in rows["coverage"]


def test_intervals_are_over_documents(scored: Score) -> None:
    """Sums of three documents by hand: what leaving each out does, with t of two degrees of freedom at most."""
    (expected,) = ratios([[(2.5, 3), (1, 2), (1.5, 2)]], [(0, 1)])
    row = of(scored, "recall@1")
    assert [row[name] for name in ("value", "low", "high")] == [expected.value, expected.low, expected.high]
    assert 0 < row["low"] < 0.5 < row["high"] < 1


def test_resamples_are_of_no_use_any_more(scored: Score) -> None:
    with pytest.warns(DeprecationWarning, match="no effect"):
        again = linkassay.score(scored.run, "recall@1", resamples=100)
    assert of(again, "recall@1") == of(scored, "recall@1")


def test_one_document_gives_no_interval(home: Path, tmp_path: Path) -> None:
    on = corpus(tmp_path, "one", {"test": {"d1": [("gout", "t:1"), ("rash", "t:4")]}})
    for measure in ("recall@1", "recall(average=entities)@1", "recall(average=documents)@1", "recall(per=document)@1"):
        row = of(linkassay.score(run_of(on, [[["t:1"]], [["t:1"]]])), measure)
        assert (row["low"], row["high"]) == (None, None)
        assert row["value"] == (0 if "per=" in measure else 0.5)


def test_failure_stages_by_hand(scored: Score) -> None:
    """Wrong at rank 1: two halves of MS (gold is second), and ache (no gold at all)."""
    generation, disambiguation = of(scored, "generation-failure@5"), of(scored, "disambiguation-failure@5")
    assert (generation["value"], generation["n"]) == (1 / 2, 2)
    assert (disambiguation["value"], disambiguation["n"]) == (1 / 2, 2)
    assert of(scored, "normalised-accuracy@5")["value"] == pytest.approx(5 / 6)


def test_nil_and_no_answer_are_misses_and_count(home: Path, tmp_path: Path) -> None:
    on = corpus(tmp_path, "three", {"test": {"d1": [("gout", "t:1"), ("rash", "t:1"), ("ache", "t:5")]}})
    score = linkassay.score(run_of(on, [[["t:1"]], "nil", None]))
    same = {"run": "", "measure": "", "key": ""}
    assert of(score, "recall@1") | same == of(score, "coverage") | same
    assert of(score, "recall@1")["value"] == pytest.approx(1 / 3)


def test_without_a_knowledge_base(home: Path, tmp_path: Path) -> None:
    on = corpus(tmp_path, "bare", {"test": {"d1": [("gout", "t:1")], "d2": [("gout", "t:1")]}})
    score = linkassay.score(run_of(on, [[["t:1"]], [["t:2"]]]), by=["type"])
    assert [r["value"] for r in score.rows("recall@1")] == [0.5, 0.5]
    with pytest.raises(UsageError, match="asks the knowledge base, but the run names none"):
        score.by("alias-match")
    with pytest.raises(UsageError, match="bare has no mention in a train split"):
        score.by("zero-shot")
    with pytest.raises(UsageError, match="unseen-entity asks what training data have seen, but bare has none"):
        score.rows("recall(set=unseen-entity)@1")
    novel, unique = score.rows("recall(set=novel)@1,recall(set=novel-unique)@1", by=())
    assert (novel["value"], novel["n"]) == (0.5, 2)  # without training data everything is novel
    assert (unique["value"], unique["n"]) == (0.5, 1)


def test_nothing_to_score(home: Path, tmp_path: Path) -> None:
    on = corpus(tmp_path, "nothing", {"test": {"d1": [("gout", "")]}})
    with pytest.raises(UsageError, match="no mention with a gold id in nothing test: nothing to score"):
        linkassay.score(run_of(on, [None]))


# ---- what is left out


def test_evaluation_spans_and_excluded_ids(home: Path, tmp_path: Path) -> None:
    test = {"d1": [("gout", "t:1"), ("rash", "t:4;t:5"), ("ache", "t:5"), ("MS", "t:5+t:3"), ("late", "t:1")]}
    on = corpus(tmp_path, "some", {"train": {"a": [("x", "t:5"), ("y", "t:9")]}, "test": test}, {"d1": [[0, 17]]})
    run = run_of(on, [[["t:1"]], [["t:5"], ["t:4"]], [["t:5"]], [["t:3"]], [["t:1"]]])
    score = linkassay.score(run, "recall@1..2", exclude_ids="t:5")
    assert score.items.left_out == {"outside of the evaluation spans": 1, "with excluded gold ids only": 1}
    assert [(r["value"], r["n"]) for r in score.rows()] == [(pytest.approx(2 / 3), 3), (1, 3)]
    assert of(score, "recall(protocol=belb/lenient,gold=all)@1")["value"] == pytest.approx(2 / 3)  # t:3 is all of MS
    assert score.sets.unseen("unseen-entity").all()  # t:5 does not count in training either
    (tmp_path / "ids.txt").write_text("t:5\nt:1\n")
    assert len(linkassay.score(run, exclude_ids=str(tmp_path / "ids.txt")).items) == 2
    assert len(linkassay.score(run, exclude_ids=["t:5"]).items) == 3


def test_excluded_ids_in_a_list_are_spelled_as_freely_as_in_a_text() -> None:
    assert id_list(["MESH:D001405 ", "NCBITaxon:9606"]) == id_list("MESH:D001405,NCBITaxon:9606")
    assert "mesh:D001405" in id_list(["MESH:D001405"])
    with pytest.raises(UsageError, match=r"excluded ids need a prefix, .*: D001405"):
        id_list(["D001405"])


def test_an_excluded_id_is_excluded_under_its_old_name_too(home: Path, tmp_path: Path) -> None:
    splits = {"train": {"a": [("x", "t:9"), ("y", "t:2")]}, "test": {"d1": [("gout", "t:9"), ("y", "t:2")]}}
    run = run_of(
        corpus(tmp_path, "old", splits), [[["t:1"]], None], kb=knowledge({"t:1": ["gout"], "t:2": ["y"]}, "t:9\tt:1\n")
    )
    for exclude in ("t:1", "t:9"):
        items = linkassay.score(run, exclude_ids=exclude).items
        assert (len(items), items.left_out) == (1, {"with excluded gold ids only": 1})
        assert items.training(["train"])["gold"].to_pylist() == [["t:2"]]


# ---- sets


def test_a_pair_whose_repeats_differ_scores_their_mean(home: Path, tmp_path: Path) -> None:
    train = {"a": [("gout", "t:1"), ("rash", "t:4")]}
    test = {
        "d1": [("gout", "t:1"), ("ache", "t:5"), ("Gout", "t:1"), ("gout", "t:2")],
        "d2": [("ache", "t:5"), ("ache", "t:5"), ("gout", "t:1")],
    }
    on = corpus(tmp_path, "repeats", {"train": train, "test": test})
    right, wrong = [["t:1"]], [["t:0"]]
    run = run_of(on, [right, [["t:5"]], right, wrong, wrong, wrong, wrong])
    score = linkassay.score(run)

    def value(set_: str) -> tuple[Any, Any]:
        row = of(score, f"accuracy(set={set_})")
        return row["value"], row["n"]

    assert value("global") == (pytest.approx(3 / 7), 7)
    assert value("global-unique") == (pytest.approx((1 / 2 + 1 / 3 + 1 + 0) / 4), 4)
    assert value("novel") == (pytest.approx(2 / 5), 5)
    assert value("novel-unique") == (pytest.approx((1 / 3 + 1 + 0) / 3), 3)
    folded = linkassay.score(run, fold=True)
    assert (of(folded, "accuracy(set=global-unique)")["value"]) == pytest.approx((2 / 3 + 1 / 3 + 0) / 3)
    assert (of(folded, "accuracy(set=novel)")["value"]) == pytest.approx(1 / 4)
    sums = score.counts().to_pylist()
    assert sums  # counts follow the default measures
    novel = linkassay.score(run, "accuracy(set=novel-unique)").counts().to_pylist()
    assert sum(r["total"] for r in novel) / sum(r["n"] for r in novel) == pytest.approx(value("novel-unique")[0])


def test_lists_of_unseen_entities_and_synonyms(home: Path, tmp_path: Path) -> None:
    training = {"train": {"a": [("gout", "t:1"), ("MS", "t:2")]}, "dev": {"b": [("rash", "t:4")]}}
    test = [("Gout", "t:1"), ("new", "t:9"), ("gout", "t:9"), ("podagra", "t:1"), ("ms", "t:4"), ("rash", "t:9;t:4")]
    on = corpus(tmp_path, "lists", training | {"test": {"d": test}})
    sets = linkassay.score(run_of(on, [None] * 6)).sets
    assert sets.unseen("unseen-entity").tolist() == [False, True, True, False, False, False]
    assert sets.unseen("unseen-synonym").tolist() == [False, False, False, True, False, False]
    assert sets.unseen("unseen-synonym-of-entity").tolist() == [False, False, False, True, True, False]


# ---- held to the reference


TEXTS = ["gout", "Gout", "MS", "rash", "old rash", "ache", "AS"]
IDS = [f"t:{n}" for n in range(1, 10)]  # 7 was split, 8 removed, 9 merged


def some_corpus(folder: Path, seed: int) -> Run:
    """Documents with repeats, composites, alternatives, two types; a run with ties, repeats, gaps, obsolete ids."""
    choose = random.Random(seed)

    def gold() -> str:
        ways = ["+".join(choose.sample(IDS, choose.choice([1, 1, 1, 2]))) for _ in range(choose.choice([1, 1, 2]))]
        return ";".join(ways) if choose.random() < 0.9 else ""

    def split(name: str, documents: int, ids: int) -> dict[str, Any]:
        return {
            f"{name}{d}": [
                (choose.choice(TEXTS), gold(), choose.choice(["disease", "symptom"]))
                for _ in range(choose.randint(1 + (name == "c"), ids))
            ]
            for d in range(documents)
        }

    on = corpus(folder, f"made{seed}", {"train": split("a", 3, 4), "dev": split("b", 2, 3), "test": split("c", 7, 7)})
    names = {i: choose.sample(TEXTS, choose.randint(1, 3)) + [f"name {i}"] * choose.randint(0, 1) for i in IDS[:6]}
    names["t:5"] = [*names["t:5"], *(f"alias {n}" for n in range(6))]
    kb = knowledge(names, "t:9\tt:1\nt:8\t\nt:7\tt:2\nt:7\tt:3\n", t1={"definition": "swelling"})
    answers: list[Any] = []
    for _ in (m for d in on["test"] for m in d.mentions):
        groups = [choose.sample(IDS, choose.randint(1, 3)) for _ in range(choose.randint(0, 4))]
        answers.append(choose.choice([groups, groups, groups, groups, None, "nil"]))
    return run_of(on, answers, kb=kb)


def assert_same(row: dict[str, Any], wanted: tuple[float | None, float]) -> None:
    assert row["value"] == (None if wanted[0] is None else pytest.approx(wanted[0])), row
    assert row["n"] == pytest.approx(wanted[1]), row


SEEDS = range(3)


@pytest.mark.parametrize("seed", SEEDS)
def test_measures_averages_sets_and_policies_are_the_reference(home: Path, tmp_path: Path, seed: int) -> None:
    run = some_corpus(tmp_path, seed)
    fold = bool(seed % 2)
    score = linkassay.score(run, abbreviations="none", fold=fold)
    slow = Reference(run, score.items.corpus, score.kb, fold)
    names = [f"{name}@3" if kind.k is not None else name for name, kind in MEASURES.items()]
    names += ["mrr", "recall@1"]
    texts = [f"{name.partition('@')[0]}({options}){'@' * bool(cut)}{cut}" for name in names
             for cut in [name.partition("@")[2]]
             for options in [
                 *(f"average={a}" for a in ("micro", "entities", "documents", "types", "corpora")),
                 *(f"set={s},average={a}" for s in SETS for a in ("micro", "entities")),
                 *(f"set={s},gold=pairs,protocol=belb/lenient" for s in SETS),
                 "gold=pairs,average=entities", "gold=pairs,average=types", "protocol=belb/strict,obsolete=exclude",
                 "protocol=belb/standard,average=documents", "protocol=bioel/strict,repeats=keep",
                 "protocol=bioel/basic-code",
                 *(["protocol=belb/lenient,gold=all", "protocol=bioel/basic-code,gold=all"] if "mrr" not in name else [])]]  # fmt: skip  # noqa: E501
    wanted = parse_measures(",".join(texts))
    rows = score.rows(wanted, by=())
    assert len(rows) == len(wanted) > 200
    for measure, row in zip(wanted, rows, strict=True):
        assert row["measure"] == str(measure)
        assert_same(row, slow.figure(measure))


@pytest.mark.parametrize("seed", SEEDS)
def test_slices_are_the_reference(home: Path, tmp_path: Path, seed: int) -> None:
    run = some_corpus(tmp_path, seed)
    fold = bool(seed % 2)
    score = linkassay.score(run, abbreviations="none", fold=fold)
    slow = Reference(run, score.items.corpus, score.kb, fold)
    ids = np.array(score.items.table["id"].to_pylist())
    conditions = {name for name, each in SLICES.items() if not each.grouping}
    names = sorted(conditions - {"abbreviation", "seen", "discontinuous"})
    found = {name: set(ids[mask]) for name, mask in score.slices(names)}
    for name in names:
        assert found.get(name, set()) == slow.slice(name), name
    measures = parse_measures("recall@1,mrr,recall(set=global-unique)@2,generation-failure@3,recall(average=types)@1")
    for row in score.rows(measures, by=names):
        [measure] = [m for m in measures if str(m) == row["measure"]]
        assert_same(row, slow.figure(measure, None if row["slice"] == "all" else found[row["slice"]]))


def test_slices_of_the_embedded_benchmark_are_the_reference(home: Path) -> None:
    run = linkassay.link("tfidf", "mini")
    score = linkassay.score(run, abbreviations="none", fold=False)
    slow = Reference(run, score.items.corpus, score.kb)
    ids = np.array(score.items.table["id"].to_pylist())
    assert set(ids) == set(slow.mentions)
    names = sorted(
        {"train-text-match", "zero-shot", "train-pair-match", "unseen-entity", "unseen-synonym", "composite"}
    )
    for name, mask in score.slices(names):
        assert name == "all" or set(ids[mask]) == slow.slice(name), name
    measures = parse_measures("recall@1,recall@5,mrr,coverage,recall(set=novel-unique)@1,recall(average=entities)@1")
    for measure, row in zip(measures, score.rows(measures, by=()), strict=True):
        assert_same(row, slow.figure(measure))


def test_groupings_divide_the_mentions(mini: Score) -> None:
    score = mini
    for name in (name for name, each in SLICES.items() if each.grouping):
        masks = [mask for each, mask in score.slices([name]) if each != "all"]
        assert len(masks) > 1 or name in ("semantic-group",), name
        assert np.sum(masks, axis=0).tolist() == [1] * len(score.items), name
    lengths = dict(score.slices(["length"]))
    words = [len(t.split()) for t in score.items.table["text"].to_pylist()]
    assert lengths["length=1"].tolist() == [n == 1 for n in words]
    assert lengths["length=4+"].tolist() == [n >= 4 for n in words]


def test_popularity_counts_training_mentions_of_the_most_frequent_gold_id(home: Path, tmp_path: Path) -> None:
    train = {"a": [("x", "t:1")] * 3 + [("y", "t:2+t:1")] * 8, "b": [("z", "t:3")]}
    on = corpus(
        tmp_path, "often", {"train": train, "test": {"d": [("x", f"t:{n}") for n in (1, 2, 3, 4)] + [("q", "t:3;t:1")]}}
    )
    score = linkassay.score(run_of(on, [None] * 5))
    found = {name: mask.tolist() for name, mask in score.slices(["popularity"])}
    del found["all"]
    assert list(found) == ["popularity=0", "popularity=1", "popularity=2-9", "popularity=10-99"]
    assert found["popularity=10-99"] == [True, False, False, False, True]
    assert found["popularity=2-9"] == [False, True, False, False, False]


# ---- slices of one's own


def test_keys_of_slices_tell_which_abbreviations_are_written_out(home: Path, tmp_path: Path) -> None:
    for name, long in (("a.json", "x y"), ("b.json", "x z")):
        (tmp_path / name).write_text(f'{{"1": {{"XY": "{long}"}}}}', encoding="utf-8")
    linkassay.get("mini")
    run = linkassay.link("exact", "mini")
    given = ["schwartz-hearst", "none", str(tmp_path / "a.json"), str(tmp_path / "b.json")]
    keys = [linkassay.score(run, "recall@1", by=["zero-shot"], abbreviations=each).rows()[1]["key"]
            for each in given]  # fmt: skip
    said = [key.partition("|under=")[2] for key in keys]
    assert said[:2] == ["", "abbreviations none"]
    assert said[2:] == [f"abbreviations {abbreviations_record(each)}" for each in given[2:]]
    assert said[2] != said[3]


def test_own_slices_are_conditions_over_the_mentions(home: Path, tmp_path: Path) -> None:
    train, test = {"a": [("gout", "t:1")]}, {"d1": [("gout", "t:1"), ("old rash", "t:4")], "d2": [("ache", "t:5")]}
    on = corpus(tmp_path, "own", {"train": train, "test": test})
    score = linkassay.score(run_of(on, [[["t:1"]], None, None], kb=knowledge(NAMES)))
    wanted = {"short: length <= 4": 2, "starts_with(text, 'old')": 1, "words::int > 1": 1, "homonym": None,
              "train_text and alias_match": 1, "not train_text": 2, "list_contains(gold, 't:5')": 1}  # fmt: skip
    sizes = {r["slice"]: r["n"] for r in score.rows("recall@1", by=list(wanted))}
    assert sizes == {"all": 3} | {name.partition(": ")[0]: n for name, n in wanted.items() if n}  # no mention: no row
    for condition in (c for columns in SLICE_COLUMNS.values() for c in columns):
        score.by(f"{condition} is null or true")


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("zero-shoot", "unknown slice 'zero-shoot'; did you mean 'zero-shot'?"),
        ("no such thing", "unknown slice 'no such thing'; known are: "),
        ("x: lenght < 3", "slice 'x: lenght < 3': Binder Error: Referenced column \"lenght\" not found"),
        ("x: length <", "not an SQL condition (syntax error"),
        ("x: text", "Could not convert string"),
        ("x: unnest([true, false])", "answers for"),
        ("x: count(*) > 1", "Binder Error"),
        ("x: true) from mention; drop table mention; select (true", "not an SQL condition"),
        ("x: (select count(*) from read_csv('/etc/passwd')) > 0", "read_csv is no function of a condition"),
        ("x: (select count(*) from read_text('/etc/passwd')) > 0", "read_text is no function of a condition"),
        ("x: (select count(*) from '/etc/hostname') > 0", "'/etc/hostname' is not the table 'mention'"),
        ("type=gne", "type=gne: no mention has 'gne' for its type; did you mean 'gene'?"),
        ("all: length > 3", "two slices are called 'all'; give 'all: length > 3' another name"),
    ],
)
def test_bad_conditions_are_one_message(mini: Score, condition: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        mini.by(condition)
    assert message in str(error.value)
    assert len(mini.by("type")) > 3  # and nothing is lost by it


def test_slices_of_one_name(mini: Score) -> None:
    assert len(mini.by("type", "type")) == len(mini.by("type"))
    with pytest.raises(UsageError, match="two slices are called 'a'"):
        mini.by("a: length > 3", "a: length > 4")


# ---- what figures are sums of


@pytest.mark.parametrize("seed", SEEDS)
def test_counts_add_up_to_the_figures(home: Path, tmp_path: Path, seed: int) -> None:
    measures = (
        "recall@1,mrr,normalised-accuracy@3,recall(set=novel-unique)@2,recall(average=entities)@1,"
        "recall(average=documents)@1,recall(average=types)@1,recall(per=document)@1,recall(gold=pairs)@1"
    )
    score = linkassay.score(some_corpus(tmp_path, seed), measures, by=["type", "zero-shot", "length"])
    counts = score.counts().to_pylist()
    keys = [(r["measure"], r["slice"], r["document"], r["unit"]) for r in counts]
    assert len(set(keys)) == len(keys)
    for row in score.rows():
        mine = [c for c in counts if (c["measure"], c["slice"]) == (row["measure"], row["slice"])]
        units = sorted({c["unit"] for c in mine})
        sums = [
            (sum(c["total"] for c in mine if c["unit"] == u), sum(c["n"] for c in mine if c["unit"] == u))
            for u in units
        ]
        ratios = [total / n for total, n in sums if n]
        value = sum(ratios) / len(ratios) if ratios else None
        assert row["value"] == (None if value is None else pytest.approx(value))
        assert row["n"] == pytest.approx(len(ratios) if units != [""] else sum(n for _, n in sums))


def test_merged_corpora_add_counts(home: Path, tmp_path: Path) -> None:
    first = {"d1": [("gout", "t:1"), ("MS", "t:2")], "d2": [("rash", "t:4")]}
    second = {"d3": [("gout", "t:1")], "d4": [("ache", "t:5"), ("MS", "t:3")]}
    answers = [[["t:1", "t:2"]], [["t:3"], ["t:2"]], None, [["t:1"]], [["t:4", "t:5", "t:6"]], []]
    sums = []
    for name, documents, mine in (
        ("one", first, answers[:3]),
        ("two", second, answers[3:]),
        ("both", first | second, answers),
    ):
        score = linkassay.score(run_of(corpus(tmp_path, name, {"test": documents}), mine), "recall@1..3,mrr,coverage")
        counts = score.counts().to_pylist()
        sums.append({(r["measure"], r["document"]): (r["total"], r["n"]) for r in counts})
    assert sums[2] == sums[0] | sums[1]


def test_a_document_is_right_when_all_its_mentions_are(home: Path, tmp_path: Path) -> None:
    documents = {
        "q1": [("gout", "t:1"), ("rash", "t:4")],
        "q2": [("MS", "t:2"), ("MS", "t:2")],
        "q3": [("ache", "t:5")],
    }
    run = run_of(
        corpus(tmp_path, "queries", {"test": documents}),
        [[["t:1"]], [["t:9"], ["t:4"]], [["t:2", "t:3"]], [["t:2", "t:3"]], None],
    )
    score = linkassay.score(run)
    assert of(score, "recall(per=document)@1")["value"] == pytest.approx((0 + 1 / 4 + 0) / 3)
    assert of(score, "recall(per=document)@2")["value"] == pytest.approx(2 / 3)
    assert of(score, "recall(per=document,protocol=belb/lenient)@1")["value"] == pytest.approx(1 / 3)
    row = of(score, "coverage(per=document)")
    assert (row["value"], row["n"]) == (pytest.approx(2 / 3), 3)


def test_ids_of_one_mention_are_drawn_together_and_say_nothing_of_the_spread(home: Path, tmp_path: Path) -> None:
    on = corpus(tmp_path, "pair", {"test": {"d1": [("both", "t:1+t:2")], "d2": [("one", "t:1")]}})
    score = linkassay.score(run_of(on, [[["t:1", "t:2"]], [["t:1", "t:3"]]]))
    assert "tie_sd" not in of(score, "recall(gold=pairs)@1")  # exactly one of the two is first, for sure
    assert of(score, "recall@1")["tie_sd"] == pytest.approx(0.5 / 2)


def test_a_macro_average_counts_the_units_it_is_a_mean_of(home: Path, tmp_path: Path) -> None:
    on = corpus(tmp_path, "units", {"test": {"d1": [("gout", "t:1"), ("rash", "t:4")], "d2": [("gout", "t:1")]}})
    score = linkassay.score(run_of(on, [[["t:1"]], [["t:9"]], [["t:2"], ["t:1"]]]))
    row = of(score, "normalised-accuracy(average=entities)@2")
    assert (row["value"], row["n"]) == (0.5, 1)  # rash has no gold among its candidates: undefined


# ---- scopes


def test_recognised_keeps_the_mentions_that_all_runs_have(home: Path, tmp_path: Path) -> None:
    on = corpus(tmp_path, "scope", {"test": {"d1": [("a", "t:1"), ("b", "t:1")], "d2": [("c", "t:1"), ("d", "t:1")]}})
    right: Any = [["t:1"]]
    run_of(on, [right, right, right, None], system="tagger")
    run_of(on, [None, right, right, right], system="other")
    run = run_of(on, [right, right, [["t:2"]], right])
    assert of(linkassay.score(run, scope=["recognised(scope/tagger)"]), "recall@1")["n"] == 3
    both = linkassay.score(run, scope=["recognised(scope/tagger)", "recognised(scope/other)"])
    assert (of(both, "recall@1")["value"], of(both, "recall@1")["n"]) == (0.5, 2)
    elsewhere = run_of(corpus(tmp_path, "else", {"test": {"x": [("a", "t:1")]}}), [right])
    with pytest.raises(UsageError, match=r"recognised\(scope/tagger\): that run is of scope test, not of else test"):
        linkassay.score(elsewhere, scope=["recognised(scope/tagger)"]).rows()
    with pytest.raises(UsageError, match=r"unknown scope 'seen\(x\)'; a scope is written recognised\(RUN\)"):
        linkassay.score(run, scope=["seen(x)"]).rows()


# ---- rows of predictions


def rewritten(run: Run, rows: list[int]) -> Score:
    """The run with its predictions in these rows."""
    path = run.path / "predictions.parquet"
    pq.write_table(pq.read_table(path).take(rows), path)
    return linkassay.score(run, "recall@1..3,mrr,recall(ties=sample)@1,recall(protocol=belb/lenient)@1", by=["type"])


def test_the_order_of_predictions_does_not_matter(home: Path, tmp_path: Path) -> None:
    run = some_corpus(tmp_path, 2)
    size = pq.read_metadata(run.path / "predictions.parquet").num_rows
    before = rewritten(run, list(range(size))).rows()
    assert size > 5
    assert rewritten(run, random.Random(1).sample(range(size), size)).rows() == before


def test_a_mention_answered_twice_is_an_error(home: Path, tmp_path: Path) -> None:
    run = some_corpus(tmp_path, 2)
    with pytest.raises(LinkassayError, match="a mention was answered twice; import the predictions again"):
        rewritten(run, [0, 1, 2, 0, 1, 2]).rows()


@pytest.mark.parametrize("seed", SEEDS)
def test_judged_mentions_are_the_reference(home: Path, tmp_path: Path, seed: int) -> None:
    """What pages show of each mention: its groups as they were ranked, and what they are worth at each k."""
    run = some_corpus(tmp_path, seed)
    score = linkassay.score(run)
    slow = Reference(run, score.items.corpus, score.kb)
    found = mention_outcomes_of(score)
    assert {j.id for j in found} == set(slow.mentions)
    names = score.items.table["id"].to_pylist()
    ranked = {
        names[item]: [group.ids for group in groups]
        for items, batch in score.rankings()
        for item, groups in zip(items, Rankings.of(batch["groups"], score.items.moved).lists(), strict=True)
    }
    for each in found:
        groups = ranking.prepare(slow.answers.get(each.id, []), slow.moved)
        assert ranked.get(each.id, []) == groups
        gold = frozenset().union(*slow.gold(slow.mentions[each.id]))
        assert (each.gold, each.answered) == (gold, bool(groups))
        assert each.hits == pytest.approx([ranking.expected(groups, gold, k) for k in CUT_OFFS])
