"""Words in context (WIC-1 to WIC-17): the construction held to a reference over all pairs, promises, files."""

from __future__ import annotations

import dataclasses
import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from endure.killing import sweep
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import linkassay
from linkassay.cli import app
from linkassay.errors import LinkassayError, UsageError
from linkassay.files import expand_paths
from linkassay.model import Document, Mention
from linkassay.wic import candidates, contexts, entity_facts, guarantees, pair_files, pairing
from linkassay.wic.building import build_dataset, construct
from linkassay.wic.checking import check_dataset, read_splits
from linkassay.wic.contexts import Context
from linkassay.wic.entity_facts import CloseEntities, EntityFacts
from linkassay.wic.groups import GROUPS
from linkassay.wic.lemmas import lemma
from linkassay.wic.settings import Settings
from linkassay.wic.similar_texts import similar_pairs
from tests import reference_wic as reference
from tests.test_kill import assert_survives

TERMS = st.one_of(
    st.text("ab ", min_size=1, max_size=9).map(str.strip).filter(bool),
    st.sampled_from(
        ["gout", "gouty", "cell death", "cd", "cold", "colds", "anaemia", "anemia", "anemic", "common cold"]
    ),
)


@pytest.mark.parametrize(
    ("one", "two"),
    [("studies", "study"), ("mice", "mouse"), ("imaging", "images"), ("aging", "ageing"), ("SLEs", "SLE"),
     ("metastases", "metastasis"), ("viruses", "virus"), ("sitting", "SAT"), ("planned", "plans"), ("died", "die")],
)  # fmt: skip
def test_forms_of_a_word_have_one_lemma(one: str, two: str) -> None:
    assert lemma(one) == lemma(two)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("gas", "ga"),
        ("seed", "se"),
        ("are", "AR"),
        ("king", "k"),
        ("class", "clas"),
        ("gout", "gouty"),
        ("basis", "bas"),
    ],
)
def test_other_words_keep_theirs(one: str, two: str) -> None:
    assert lemma(one) != lemma(two)


@settings(max_examples=80)
@given(st.lists(st.text("abc d", max_size=12), unique=True, max_size=25), st.sampled_from([0.67, 0.7, 0.75, 0.8, 0.9]),
       st.integers(1, 3))  # fmt: skip
def test_similar_texts_are_those_of_all_pairs(texts: list[str], threshold: float, workers: int) -> None:
    expected = [
        (a, b)
        for a in range(len(texts))
        for b in range(a + 1, len(texts))
        if reference.ratio(texts[a], texts[b]) > threshold + 1e-12
    ]
    assert similar_pairs(texts, threshold, workers) == expected


@settings(max_examples=80)
@given(
    st.lists(TERMS, unique_by=str.lower, max_size=20), st.randoms(use_true_random=False), st.sampled_from([0.7, 0.75])
)
def test_term_pairs_are_those_of_all_pairs(terms: list[str], dice: random.Random, threshold: float) -> None:
    names = [frozenset(dice.sample("xyz", dice.choice([0, 0, 1, 2]))) for _ in terms]
    assert candidates.term_pairs(terms, names, threshold) == reference.term_pairs(terms, names, threshold)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[Context], EntityFacts]:
    """Contexts and what a knowledge base says of their terms and entities."""
    entities = [f"e:{n}" for n in range(draw(st.integers(1, 6)))]
    terms = draw(st.lists(TERMS, min_size=1, max_size=10, unique=True))
    dice = draw(st.randoms(use_true_random=False))
    found = []
    for n in range(draw(st.integers(0, 60))):
        term, entity = dice.choice(terms), dice.choice(entities[: dice.randint(1, len(entities))])
        found.append(Context(f"{term} in sentence {n}.", 0, len(term), entity, f"d{n // 3}", "c", f"m{n}", "t"))
    pairs = [(a, b) for a in entities for b in entities if a < b]
    relations = CloseEntities(
        frozenset(p for p in pairs if dice.random() < 0.2), frozenset(p for p in pairs if dice.random() < 0.1),
        {e: frozenset(dice.sample("uvw", 1)) for e in entities if dice.random() < 0.3},
    )  # fmt: skip
    names = {t.lower(): frozenset(e for e in entities if dice.random() < 0.3) for t in terms}
    return found, EntityFacts({e: (e,) for e in entities}, names, relations)


@settings(max_examples=60)
@given(worlds(), st.sampled_from([0.7, 0.75]))
def test_every_pair_is_grouped_labelled_and_pruned_as_by_hand(
    world: tuple[list[Context], EntityFacts], t: float
) -> None:
    found, known = world
    chosen = contexts.choose(found, known.unified, 1, Counter())
    assert sorted(c.sentence for c in chosen) == sorted({c.sentence for c in found})
    terms = sorted({c.term.lower() for c in chosen})
    made = pairing.pair_terms(
        chosen, terms, candidates.term_pairs(terms, [known.named(x) for x in terms], t), known.relations, 1
    )
    ours = Counter({(g, "true" if label == "True" else "false"): n for (g, label), n in made.possible.items()})
    ours += Counter({(g, rule): n for rule, groups in made.pruned.items() for g, n in groups.items()})
    assert ours == reference.possible(chosen, known, t)


@settings(max_examples=60)
@given(worlds(), st.booleans(), st.integers(1, 5), st.integers(1, 6), st.integers(0, 1000))
def test_splits_meet_all_constraints(
    world: tuple[list[Context], EntityFacts], disjoint: bool, cap: int, pair_cap: int, seed: int
) -> None:
    found, known = world
    chosen = Settings(seed, test=40, dev=40, sentence_cap=cap, pair_cap=pair_cap, document_disjoint=disjoint)
    pairs, report = construct(found, known, chosen)
    assert reference.constraints(pairs, cap, disjoint) == []
    everything = [p for own in pairs.values() for p in own]
    assert len({frozenset((p.sentence1, p.sentence2)) for p in everything}) == len(everything)
    for pair in everything:
        names = known.named(pair.term1), known.named(pair.term2)
        assert pair.category == reference.group(pair.term1, pair.term2, names, 0.75)
        assert pair.label == (pair.entity1 == pair.entity2)
        assert pair.sentence1[slice(*pair.span1)] == pair.term1
        assert pair.sentence2[slice(*pair.span2)] == pair.term2
    assert report["splits"] == {
        name: {g.name: sum(p.category == g.name for p in own) for g in GROUPS} for name, own in pairs.items()
    }
    backwards, _ = construct(found[::-1], known, chosen, workers=2)
    assert backwards == pairs  # neither the order of the input nor the number of workers matters


def _document(text: str, *mentions: tuple[str, tuple[frozenset[str], ...]]) -> Document:
    spans = [(text.index(term), text.index(term) + len(term)) for term, _ in mentions]
    made = tuple(
        Mention(f"m{n}", "d", (span,), term, "disease", gold)
        for n, (span, (term, gold)) in enumerate(zip(spans, mentions, strict=True))
    )
    return Document("d", text, (), made)


def test_why_mentions_are_not_used() -> None:
    one = (frozenset({"x:1"}),)
    both, either = (frozenset({"x:1", "x:2"}),), (frozenset({"x:1"}), frozenset({"x:2"}))
    document = _document("Gout and flu. Then colds. Ache again.", ("Gout", one), ("flu", ()), ("colds. Ache", one),
                         ("again", both), ("Then", either))  # fmt: skip
    in_pieces = Mention("p", "d", ((0, 4), (9, 12)), "Gout flu", "disease", one)
    found = contexts.find("c", [dataclasses.replace(document, annotations=(*document.annotations, in_pieces))])
    assert found.counts == {
        "documents": 1, "sentences": 3, "mentions": 6, "no entity": 1, "mention across sentences": 1,
        "composite mention": 1, "several alternative entities": 1, "mention in pieces": 1,
    }  # fmt: skip
    assert [(c.term, c.sentence, c.entity) for c in found.contexts] == [("Gout", "Gout and flu.", "x:1")]


def test_ids_without_one_entity_are_counted_not_used() -> None:
    made = [Context(f"gout {n}", 0, 4, f"x:{n}", "d", "c", f"m{n}", "") for n in range(3)]
    counts: Counter[str] = Counter()
    chosen = contexts.choose(made, {"x:0": (), "x:1": ("y:1", "y:2"), "x:2": ("y:3",)}, 1, counts)
    assert [(c.sentence, c.entity) for c in chosen] == [("gout 2", "y:3")]
    assert counts == {"id unknown to the knowledge base": 1, "id with several unified targets": 1, "usable mentions": 1}


@pytest.fixture
def diseases(home: Path, tmp_path: Path) -> Path:
    """Two knowledge bases: one whose ids count, and one of other ids that cross-references lead from."""
    for name, prefix, rows in (
        ("aches", "ache", "1\tPain\t\t\n2\tHeadache\t1\t\n3\tMigraine\t2\tother:9|code:7\n4\tHemicrania\t\tcode:7\n"),
        ("others", "other", "9\tMegrim\t\t\n8\tStitch\t\tache:1|ache:2\n7\tItch\t\t\n"),
    ):
        (tmp_path / f"{name}.tsv").write_text("id\tname\tparent\txref\n" + rows)
        (tmp_path / f"{name}.toml").write_text(
            f'name = "{name}"\nprefix = "{prefix}"\ntype = "disease"\nfiles = "{name}.tsv"\nid = "id"\nnames = "name"\n'
            'parents = "parent"\nxrefs = {column = "xref", separator = "|"}\n'
        )
        result = CliRunner().invoke(app, ["kb", "add", str(tmp_path / f"{name}.toml")])
        assert result.exit_code == 0, result.output
    return tmp_path


def test_ids_are_unified_and_relations_found(diseases: Path) -> None:
    kbs = [linkassay.kb("aches"), linkassay.kb("others")]
    known = entity_facts.load_entity_facts(
        kbs,
        ["ache:1", "ache:2", "ache:3", "ache:4", "other:9", "other:8", "other:7", "none:1"],
        ["headache", "MEGRIM", "migraine"],
    )
    assert known.unified == {
        "ache:1": ("ache:1",), "ache:2": ("ache:2",), "ache:3": ("ache:3",), "ache:4": ("ache:4",),
        "other:9": ("ache:3",), "other:8": ("ache:1", "ache:2"), "other:7": ("other:7",), "none:1": (),
    }  # fmt: skip
    assert known.have_common_name("Megrim", "Migraine")
    assert not known.have_common_name("headache", "migraine")
    between = known.relations.between
    assert (between("ache:1", "ache:2"), between("ache:3", "ache:4"), between("ache:1", "ache:3")) == (
        "related", "shared code", "",
    )  # fmt: skip


def test_the_embedded_benchmark_makes_a_dataset(home: Path, tmp_path: Path) -> None:
    arguments = ["wic", "build", "--corpora", "mini", "--kb", "mini", "--out", str(tmp_path / "wic"), "--json"]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    report = json.loads(result.stdout)["report"]
    assert report["splits"]["train"]["label_similarity"] > 0
    assert report["splits"]["train"]["term_identity"] > 0
    again = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert json.loads(again.stdout)["fresh"] is False
    checked = CliRunner().invoke(app, ["wic", "check", str(tmp_path / "wic"), "--json"], catch_exceptions=False)
    assert checked.exit_code == 0
    rows = {row["promise"]: row for row in json.loads(checked.stdout)["promises"]}
    assert {rows[name]["verdict"] for name in rows} <= {"held", "reported"}
    assert rows["documents"]["verdict"] == "reported"
    about = json.loads((tmp_path / "wic" / "manifest.json").read_text())
    (tmp_path / "moved").mkdir()
    (tmp_path / "moved" / "test.json").write_bytes((tmp_path / "wic" / "test.json").read_bytes())
    (tmp_path / "moved" / "manifest.json").write_text(json.dumps(about | {"kbs": [["mini", "gone"]]}))
    moved = CliRunner().invoke(app, ["wic", "check", str(tmp_path / "moved"), "--json"], catch_exceptions=False)
    assert {r["promise"] for r in json.loads(moved.stdout)["promises"] if r["verdict"] == "unknown"} == {
        "C", "pruning", "sentence cap",
    }  # fmt: skip
    other = CliRunner().invoke(app, [*arguments, "--seed", "7"])
    assert isinstance(other.exception, UsageError)
    assert "holds another dataset" in str(other.exception)


def test_killed_at_any_moment_the_bytes_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINKASSAY_HOME", str(tmp_path / "start"))
    linkassay.corpus("mini")
    linkassay.kb("mini")
    arguments = ["wic", "build", "--corpora", "mini", "--kb", "mini", "--out", "{home}/wic"]
    assert_survives(sweep(arguments, tmp_path / "sweep", tmp_path / "start", limit=4), at_least=3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--similarity", "0.5"], "--similarity is from 0.6667 to below 1, not 0.5"),
        (["--sentence-cap", "0"], "--sentence-cap is at least 1, not 0"),
        (["--test-share", "0.9", "--dev-share", "0.2"], "together below 1"),
        (["--test-size", "-1"], "--test-size cannot be negative"),
        (["--corpora", "nowhere"], "unknown corpus 'nowhere'"),
    ],
)
def test_bad_requests(home: Path, tmp_path: Path, options: list[str], message: str) -> None:
    arguments = ["wic", "build", "--corpora", "mini", "--kb", "mini", "--out", str(tmp_path / "x"), *options]
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, LinkassayError)
    assert message in str(result.exception)
    assert not (tmp_path / "x").exists()


def test_what_is_no_dataset_is_not_overwritten(home: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="no dataset of ours"):
        build_dataset([linkassay.corpus("mini")], [linkassay.kb("mini")], tmp_path)
    assert (tmp_path / "notes.txt").read_text() == "mine"


GOOD = pair_files.TermPair(
    "cold", "Cold", "A cold.", "Cold!", (2, 6), (0, 4), "term_identity", True, "1", "e:1", "e:1", "d1", "d2"
)


def _pair(**changes: Any) -> pair_files.TermPair:
    return dataclasses.replace(GOOD, **changes)


BAD = _pair(sentence1="The cold.", span1=(4, 8), sentence2="Cold again!", label=False, entity2="e:2")
OTHER = _pair(term2="colds", sentence1="No cold.", span1=(3, 7), sentence2="Two colds.", span2=(4, 9))
OTHER_FALSE = dataclasses.replace(OTHER, sentence1="My cold.", sentence2="My two colds.", span2=(7, 12), label=False,
                                  entity2="e:2")  # fmt: skip


@pytest.mark.parametrize(
    ("promise", "splits"),
    [
        ("offsets", {"test": [_pair(span1=(1, 5)), BAD]}),
        ("groups", {"test": [_pair(category="other"), dataclasses.replace(BAD, category="other")]}),
        ("balance", {"test": [GOOD]}),
        ("A", {"test": [_pair(term2="flu", sentence2="flu", span2=(0, 3)), BAD]}),
        ("B", {"test": [_pair(category="abbreviations"), dataclasses.replace(BAD, category="abbreviations")]}),
        ("C", {"test": [_pair(category="synonyms"), dataclasses.replace(BAD, category="synonyms")]}),
        ("D", {"test": [_pair(term2="flu", sentence2="flu", span2=(0, 3), category="label_similarity"),
                        dataclasses.replace(OTHER_FALSE, category="label_similarity")]}),
        ("order", {"test": [_pair(category="synonyms"), dataclasses.replace(BAD, category="synonyms")]}),
        ("labels", {"test": [_pair(entity2="e:2"), BAD]}),
        ("pruning", {"test": [GOOD, dataclasses.replace(BAD, entity2="e:3")]}),
        ("repeats", {"train": [GOOD, GOOD, BAD, OTHER_FALSE]}),
        ("test terms", {"test": [GOOD, BAD]}),
        ("test sentences", {"test": [OTHER, dataclasses.replace(OTHER_FALSE, sentence1="No cold.")]}),
        ("sentences apart", {"train": [OTHER, OTHER_FALSE], "test": [_pair(sentence1="No cold.", span1=(3, 7))]}),
        ("terms apart", {"dev": [BAD], "test": [GOOD]}),
        ("sentence cap", {"train": [_pair(sentence2=f"Cold {n}") for n in range(3)]}),
        ("documents", {"dev": [OTHER], "test": [GOOD]}),
    ],
)  # fmt: skip
def test_each_broken_promise_is_seen(promise: str, splits: dict[str, list[pair_files.TermPair]]) -> None:
    relations = CloseEntities(parents=frozenset({("e:1", "e:3")}))
    known = EntityFacts({}, {"cold": frozenset(), "colds": frozenset()}, relations)
    data = guarantees.Dataset(splits, True, 0.75, 2, True, known)
    assert {row["promise"]: row["verdict"] for row in guarantees.verify(data)}[promise] == "broken"


def test_every_promise_has_a_case_that_breaks_it() -> None:
    [mark] = [m for m in test_each_broken_promise_is_seen.pytestmark if m.name == "parametrize"]  # type: ignore[attr-defined]
    assert {case[0] for case in mark.args[1]} == {promise.name for promise in guarantees.GUARANTEES}


def test_files_are_read_as_they_were_written(tmp_path: Path) -> None:
    (tmp_path / "test.json").write_text(pair_files.pairs_text([GOOD, BAD]), encoding="utf-8")
    assert read_splits(tmp_path) == {"test": [GOOD, BAD]}
    assert read_splits(tmp_path / "test.json") == {"test": [GOOD, BAD]}
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match=r"none of train\.json"):
        read_splits(tmp_path / "empty")


def test_check_of_the_published_data(shared: Path, home: Path) -> None:
    """Issue 8: the counts that must hold, and what BioWiC's own data do not keep, reported."""
    linkassay.get("ncbi_disease", shared / "corpora" / "ncbi_disease")
    linkassay.get("bc5cdr", shared / "corpora" / "bc5cdr")
    result = CliRunner().invoke(app, ["wic", "check", str(shared / "corpora" / "biowic"), "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    rows = {row["promise"]: (row["verdict"], row["held"], row["of"]) for row in found["promises"]}
    assert rows["offsets"] == ("held", 6000, 6000)
    assert rows["balance"] == ("held", 8, 8)
    assert rows["test terms"] == ("held", 2000, 2000)
    assert rows["test sentences"] == rows["sentences apart"] == ("held", 4000, 4000)
    assert rows["terms apart"] == ("held", 2000, 2000)
    assert rows["B"] == ("held", 300, 300)
    assert rows["D"][0] == rows["documents"][0] == "reported"
    assert rows["documents"][2] - rows["documents"][1] == 120
    assert rows["labels"][0] == rows["C"][0] == rows["sentence cap"][0] == "unknown"
    dev, test = found["statistics"]["sizes"]
    assert [dev[key] for key in (*"ABCD", "all", "true", "sentences")] == [400, 100, 400, 100, 1000, 500, 1820]
    assert [test[key] for key in (*"ABCD", "all", "true", "sentences", "term_pairs")] == [
        800, 200, 800, 200, 2000, 1000, 4000, 2000,
    ]  # fmt: skip
    groups = found["statistics"]["groups"][1]
    assert (groups["A_only_by_lemma"], groups["B_initials"], groups["D_over_0.75"]) == (147, 200, 139)
    assert groups["D_minimum"] == 0.7018
    lengths = found["statistics"]["lengths"]
    assert [list(row.values())[1:5] for row in lengths] == [[1385, 458, 118, 39], [2987, 784, 166, 63]]
    strict = CliRunner().invoke(app, ["wic", "check", str(shared / "corpora" / "biowic"), "--similarity", "0.75",
                                      "--corpora", "none"])  # fmt: skip
    assert strict.exit_code == 1
    followed = CliRunner().invoke(app, ["wic", "check", str(shared / "corpora" / "biowic"), "--similarity", "0.7",
                                        "--corpora", "none"])  # fmt: skip
    assert followed.exit_code == 0
    written = json.loads(pair_files.pairs_text(read_splits(shared / "corpora" / "biowic")["dev"]))
    [source] = expand_paths([shared / "corpora" / "biowic" / "dev.json.gz"])
    assert written == json.loads(source.text())


def test_build_from_real_corpora(shared: Path, get_kb: Callable[[str], None], home: Path, tmp_path: Path) -> None:
    """Issue 8: NCBI Disease and BC5CDR with MeSH; all groups, enough false pairs of group A, its own promises kept."""
    for name in ("ncbi_disease", "bc5cdr"):
        linkassay.get(name, shared / "corpora" / name)
    get_kb("mesh")
    for out, corpora, workers in (("one", "ncbi_disease,bc5cdr", 1), ("two", "bc5cdr,ncbi_disease", 2)):
        arguments = ["--corpora", corpora, "--kb", "mesh", "--out", str(tmp_path / out), "--workers", str(workers)]
        assert CliRunner().invoke(app, ["wic", "build", *arguments], catch_exceptions=False).exit_code == 0
    splits = read_splits(tmp_path / "one")
    counts = Counter((p.category, p.label) for own in splits.values() for p in own)
    assert counts["term_identity", False] >= 50
    for split, own in splits.items():
        assert {p.category for p in own} == {group.name for group in GROUPS}, split
    assert reference.constraints(splits, 100, False) == []
    for name in ("train.json", "dev.json", "test.json", "report.json", "manifest.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    found = check_dataset(tmp_path / "one", kbs=[linkassay.kb("mesh")])
    assert {row["promise"] for row in found["promises"] if row["verdict"] != "held"} == {"documents"}
    report = json.loads((tmp_path / "one" / "report.json").read_text())
    collected = report["collected"]
    assert list(collected)[:3] == ["documents", "sentences", "mentions"]
    assert sum(list(collected.values())[3:]) == collected["mentions"]  # each is used, or has a reason not to be
    assert collected["composite mention"] == 431
    assert report["pruned"]["related"]["label_similarity"] > 0
