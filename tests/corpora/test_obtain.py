"""Obtaining corpora: revisions, second gets, own splits, problems, and reading back what was stored."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkassay
from linkassay import store
from linkassay.corpora.obtain import OwnCorpus, get_own_corpus
from linkassay.corpora.preparation import Preparation
from linkassay.corpora.stored_corpus import Corpus, SplitWriter
from linkassay.errors import DataError, UsageError
from linkassay.model import Document, Hyperlink, Mention, Passage

ONE = """1|t|Gout in two brothers.
1|a|Both men had gout and took allopurinol.
1\t0\t4\tGout\tDisease\tD006073
1\t35\t39\tgout\tDisease\tD006073
1\t49\t60\tallopurinol\tChemical\tD000493
"""
TWO = ONE.replace("1|", "2|").replace("1\t", "2\t").replace("Gout", "Rash").replace("D006073", "D005076")
BROKEN = ONE.replace("35\t39", "36\t40")


def own(tmp_path: Path, text: str, name: str = "mine", file: str = "a.txt", **options: object) -> OwnCorpus:
    path = tmp_path / file
    path.write_text(text, encoding="utf-8")
    return OwnCorpus(name, "pubtator", (path,), kb="mesh", **options)  # type: ignore[arg-type]


def test_own_files_become_a_corpus(home: Path, tmp_path: Path) -> None:
    got = get_own_corpus(own(tmp_path, ONE))
    assert got.fresh
    [document] = linkassay.corpus("mine")["test"]
    assert [(m.text, m.type, m.gold) for m in document.mentions] == [
        ("Gout", "Disease", (frozenset({"mesh:D006073"}),)),
        ("gout", "Disease", (frozenset({"mesh:D006073"}),)),
        ("allopurinol", "Chemical", (frozenset({"mesh:D000493"}),)),
    ]
    assert document.mentions[0].id == "1:0-4:Disease"


def test_a_second_get_does_nothing(home: Path, tmp_path: Path) -> None:
    first = get_own_corpus(own(tmp_path, ONE))
    before = {p: p.stat().st_mtime_ns for p in home.rglob("*")}
    second = get_own_corpus(own(tmp_path, ONE))
    assert (second.fresh, second.revision) == (False, first.revision)
    assert {p: p.stat().st_mtime_ns for p in home.rglob("*")} == before


def test_the_revision_is_of_the_contents_not_of_the_compression(home: Path, tmp_path: Path) -> None:
    first = get_own_corpus(own(tmp_path, ONE))
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(ONE.encode()))
    second = get_own_corpus(replace(own(tmp_path, ONE), paths=(tmp_path / "a.txt.gz",)))
    assert (second.fresh, second.revision) == (False, first.revision)
    third = get_own_corpus(own(tmp_path, ONE + "\n\n" + TWO))
    assert third.revision != first.revision
    assert Corpus.open(f"mine@{first.revision}").revision == first.revision  # the old one stays


def test_splits_of_one_name_add_up_in_any_order(home: Path, tmp_path: Path) -> None:
    train, test = own(tmp_path, ONE, split="train"), own(tmp_path, TWO, file="b.txt", split="test")
    get_own_corpus(train)
    both = get_own_corpus(test)
    assert list(both.manifest["splits"]) == ["test", "train"]
    assert [d.id for d in linkassay.corpus("mine")["train"]] == ["1"]
    assert [d.id for d in linkassay.corpus("mine")["test"]] == ["2"]
    again = get_own_corpus(train)
    assert (again.fresh, again.revision) == (False, both.revision)


def test_a_broken_offset_stops_and_stores_nothing(home: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        get_own_corpus(own(tmp_path, BROKEN))
    assert str(error.value) == (
        "a.txt:4: the text at the span differs from the annotation's; document 1, span 36-40; "
        "found 'out ', expected 'gout' (use --skip-bad to leave such annotations out, counted)"
    )
    assert not list(home.rglob("*.parquet"))
    assert linkassay.corpora.stored_corpus.corpus_names() == []


def test_with_skip_bad_it_is_left_out_and_counted(home: Path, tmp_path: Path) -> None:
    got = get_own_corpus(own(tmp_path, BROKEN), skip_bad=True)
    report = got.manifest["reports"]["test"]
    assert report["counts"] == {"offset": 1}
    assert report["examples"][0]["expected"] == "gout"
    assert report["read"] == {"Chemical": 1, "Disease": 2}
    assert got.manifest["splits"]["test"]["annotations"] == 2


def test_a_failed_get_leaves_the_old_revision(home: Path, tmp_path: Path) -> None:
    first = get_own_corpus(own(tmp_path, ONE))
    with pytest.raises(DataError):
        get_own_corpus(own(tmp_path, BROKEN))
    assert linkassay.corpus("mine").revision == first.revision


def test_only_the_wanted_types_are_kept_and_the_others_counted(home: Path, tmp_path: Path) -> None:
    got = get_own_corpus(own(tmp_path, ONE, types=("Disease",)))
    assert got.manifest["types"] == ["Disease"]
    assert got.manifest["reports"]["test"]["left_out"] == {"Chemical": 1}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "ncbi_disease"}, "'ncbi_disease' is the name of a built-in corpus; choose another --name"),
        ({"name": "a/b"}, "'a/b' cannot name a corpus: use letters, digits and _ . + - (at most 100)"),
        ({"format": "pubtatr"}, "unknown format 'pubtatr'; did you mean 'pubtator'?"),
        ({"paths": (Path("nowhere"),)}, "no such file or folder: nowhere"),
    ],
)
def test_bad_requests_say_what_is_wrong(home: Path, tmp_path: Path, change: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError) as error:
        get_own_corpus(replace(own(tmp_path, ONE), **change))
    assert str(error.value) == message


def test_an_empty_corpus_is_an_error(home: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"^no document in the given files$"):
        get_own_corpus(own(tmp_path, "\n"))


def test_a_document_twice_is_a_problem(home: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="document '1' of test occurs before, in test"):
        get_own_corpus(own(tmp_path, ONE + "\n" + ONE))
    got = get_own_corpus(own(tmp_path, ONE + "\n" + ONE), skip_bad=True)
    assert got.manifest["reports"]["test"]["counts"] == {"document": 1}
    assert got.manifest["splits"]["test"]["documents"] == 1


def test_unknown_names_get_near_misses(home: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown corpus 'ncbi_diseas'; did you mean 'ncbi_disease'"):
        linkassay.corpus("ncbi_diseas")
    with pytest.raises(UsageError, match="corpus 'ncbi_disease' is not in the data home yet; run: linkassay get"):
        linkassay.corpus("ncbi_disease")
    get_own_corpus(own(tmp_path, ONE))
    with pytest.raises(UsageError, match="corpus 'mine' has no split 'tset'; did you mean 'test'"):
        linkassay.corpus("mine")["tset"]
    with pytest.raises(UsageError, match="corpus 'mine' has no type 'Diseas'; did you mean 'Disease'"):
        linkassay.corpus("mine/Diseas")


def test_a_corpus_can_be_restricted_to_one_type(home: Path, tmp_path: Path) -> None:
    get_own_corpus(own(tmp_path, ONE))
    corpus = linkassay.corpus("mine/Chemical")
    assert [m.text for d in corpus for m in d.mentions] == ["allopurinol"]
    assert corpus.sql("select text from mentions") == [("allopurinol",)]


def test_preparation_is_part_of_the_revision(home: Path, tmp_path: Path) -> None:
    text = ONE.replace("D000493", "D000493|D006073") + "\n" + TWO.replace("Rash", "Gout")
    plain = get_own_corpus(own(tmp_path, text))
    prepared = get_own_corpus(
        own(tmp_path, text), prepare=Preparation(composites="drop", deduplicate=True, sentences=True)
    )
    assert plain.revision != prepared.revision
    assert prepared.manifest["reports"]["test"]["prepared"] == {
        "composite mentions": 1,
        "documents with a text that occurred before": 1,
        "mentions across sentences": 0,
    }
    corpus = linkassay.corpus("mine")
    assert [(d.id, [m.text for m in d.mentions]) for d in corpus] == [("1#s1", ["Gout"]), ("1#s2", ["gout"])]
    assert all(d.text[m.start : m.end] == m.text for d in corpus for m in d.mentions)


TEXT = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=30)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    name, text = draw(TEXT), draw(TEXT)
    annotations = []
    for number in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start + 1, len(text)))
        annotations.append(Mention(
            f"m{number}", name, ((start, end),), text[start:end], draw(TEXT),
            tuple(draw(st.lists(st.frozensets(TEXT, min_size=1, max_size=3), max_size=3))), draw(TEXT), draw(TEXT),
            draw(st.booleans()), draw(st.sampled_from(["", "m0"])), draw(st.sampled_from(["", "part"])),
            draw(st.sampled_from([None, True, False])), draw(st.sampled_from(["", "quantity"])),
        ))  # fmt: skip
    spans = draw(st.sampled_from([None, (), ((0, len(text)),)]))
    return Document(name, text, (Passage("title", 0, text),), tuple(annotations), draw(TEXT), spans,
                    (Hyperlink((0, 1), draw(TEXT)),))  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(documents(), max_size=4, unique_by=lambda d: d.id))
def test_what_is_stored_is_what_is_read(tmp_path_factory: pytest.TempPathFactory, found: list[Document]) -> None:
    path = tmp_path_factory.mktemp("corpus")
    with SplitWriter(path, "test") as writer:
        for document in found:
            writer.add(document)
    counts = {"documents": len(found), "annotations": 0, "types": {}}
    store.write_manifest(path, {"revision": "r", "splits": {"test": counts}, "types": []})
    assert list(Corpus("x", path)["test"]) == found


def test_manifests_hold_checksums_and_no_clock(home: Path, tmp_path: Path) -> None:
    got = get_own_corpus(own(tmp_path, ONE))
    text = (got.path / "manifest.json").read_text()
    [source] = json.loads(text)["inputs"]["test"]["sources"]
    assert source["file"] == "a.txt"
    assert len(source["sha256"]) == 64


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-8-sig"])
def test_other_encodings_can_be_declared(home: Path, tmp_path: Path, encoding: str) -> None:
    text = ONE.replace("Gout in", "Gout på").replace("\n", "\r\n")
    given = own(tmp_path, text)
    given.paths[0].write_bytes(text.encode(encoding))
    got = get_own_corpus(replace(given, encoding=encoding))
    assert got.manifest["splits"]["test"]["annotations"] == 3
    assert next(iter(linkassay.corpus("mine")["test"])).text.startswith("Gout på two")
