"""Spotting: what counts as a name in a text, what training says, what is stored, end-to-end runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import linkassay
from linkassay.engine import Engine
from linkassay.errors import LinkassayError, UsageError
from linkassay.kbs.building.build import build_kb
from linkassay.kbs.readers.own_table import spec_from_toml
from linkassay.kbs.stored_kb import Kb
from linkassay.linkers import LINKERS
from linkassay.linkers.protocol import Capabilities, FoundMention, OutOfOrderError, Query
from linkassay.linkers.spotting.capitals import Capitals
from linkassay.linkers.spotting.kb_names import Names
from linkassay.linkers.spotting.phrases import Phrases
from linkassay.linkers.spotting.spotter import Spotter, longest
from linkassay.linkers.spotting.word_tokens import tokens
from linkassay.model import Document, Mention, Span
from linkassay.runs import execute, shard
from linkassay.runs.preparing import prepare
from linkassay.runs.request import LinkRequest
from linkassay.runs.stored_run import Run
from tests.corpora.catalog.test_real_cli import run as command
from tests.kbs.building.test_build import entity, spec
from tests.linkers.stored import opened, prepared


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 6)).map(lambda s: (s[0], s[0] + s[1])), max_size=12))
def test_the_longest_spans_do_not_overlap_and_leave_none_out(spans: list[Span]) -> None:
    kept = longest(spans)
    assert kept == sorted(kept)
    assert all(a[1] <= b[0] for a, b in pairwise(kept))
    for start, end in spans:  # each is kept, or overlaps one that is at least as long
        assert any(s < end and start < e and e - s >= end - start for s, e in kept)


def small_kb(folder: Path, rows: str) -> Kb:
    """A knowledge base from lines `id name|name…`."""
    lines = [line.strip().split(" ", 1) for line in rows.strip().splitlines()]
    (folder / "names.tsv").write_text("id\tnames\n" + "".join(f"{i}\t{names}\n" for i, names in lines))
    (folder / "own.toml").write_text(
        'name = "own"\nprefix = "own"\ntype = "thing"\nfiles = "names.tsv"\nid = "id"\n'
        'names = {column = "names", separator = "|"}\n'
    )
    build_kb(spec_from_toml(folder / "own.toml"), folder)
    return Kb.open("own")


def spotted(linker: Any, text: str) -> list[tuple[str, str]]:
    [marks] = linker.annotate([Document("1", text)], 5)
    return [(text[slice(*mark.spans[0])], mark.answer[0][0][0] if mark.answer else "") for mark in marks]


NAMES = """
1 breast cancer|cancer of the breast
2 cancer
3 WAS|Wiskott Aldrich syndrome
4 IL-2|interleukin 2
5 tumor necrosis factor alpha|TNF-alpha
6 Crohn disease
7 all
"""


def test_what_counts_as_a_name_in_a_text(home: Path, tmp_path: Path) -> None:
    spotter = Spotter()
    spotter.prepare(small_kb(tmp_path, NAMES), ())
    for text, expected in [
        ("Breast cancers and Cancer.", [("Breast cancers", "own:1"), ("Cancer", "own:2")]),
        ("It was WAS, not Was.", [("WAS", "own:3")]),  # the case of short names matters
        ("IL2, IL-2 and il 2", [("IL2", "own:4"), ("IL-2", "own:4")]),
        ("interleukin-2 and IL-21 and anticancer and cancerous", [("interleukin-2", "own:4")]),
        ("TNF-α here", [("TNF-α", "own:5")]),
        ("Crohn's disease", [("Crohn's disease", "own:6")]),
        ("all of the breast. Cancer", [("Cancer", "own:2")]),  # a stop word; a name does not go on after a full stop
        ("A rare one of cancer of the breast", [("cancer of the breast", "own:1")]),
    ]:
        assert spotted(spotter, text) == expected, text


def test_a_knowledge_base_without_a_fitting_name(home: Path, tmp_path: Path) -> None:
    spotter = Spotter()
    spotter.prepare(small_kb(tmp_path, "1 12345\n2 7\n"), ())
    assert spotted(spotter, "12345 and 7") == []
    assert spotted(spotter, "") == []


def test_a_short_form_means_what_its_long_form_does(home: Path, tmp_path: Path) -> None:
    spotter = Spotter()
    spotter.prepare(small_kb(tmp_path, NAMES), ())
    assert spotted(spotter, "Breast cancer (BC) is here. BC is there, BCG is not.") == [
        ("Breast cancer", "own:1"), ("BC", "own:1"), ("BC", "own:1"),
    ]  # fmt: skip
    full = "Crohn disease is common, C. disease is not a usual word for it, D. disease neither."
    assert spotted(spotter, full) == [("Crohn disease", "own:6"), ("C. disease", "own:6")]
    assert spotted(spotter, "In the war after summer (WAS) nobody spoke. WAS it so?") == []


def trained(*texts: tuple[str, dict[str, str]]) -> list[Document]:
    """Documents in which some words are annotated wherever the first of them stands."""
    documents = []
    for n, (text, gold) in enumerate(texts):
        mentions = tuple(
            Mention(f"{n}:{word}", str(n), ((text.index(word), text.index(word) + len(word)),), word, "thing",
                    (frozenset([identifier]),))
            for word, identifier in gold.items()
        )  # fmt: skip
        documents.append(Document(str(n), text, annotations=mentions))
    return documents


def test_training_says_what_is_meant_and_what_is_no_mention(home: Path, tmp_path: Path) -> None:
    kb = small_kb(tmp_path, NAMES + "8 growth|swelling\n9 growth\n")
    train = trained(
        *[(f"The cancer study number {n} found growth.", {"growth": "own:9"}) for n in range(5)],
        ("A lump was seen.", {"lump": "own:8"}), ("A lump was seen.", {"lump": "own:8"}),
        ("A bump was seen.", {"bump": "own:not-there"}),
    )  # fmt: skip
    spotter = Spotter()
    spotter.prepare(kb, ())
    spotter.train(train)
    found = spotted(spotter, "The cancer has growth, a lump, a bump, breast cancer.")
    assert ("growth", "own:9") in found  # not own:8, which is in the KB under the same name
    assert ("lump", "own:8") in found  # a name that only training knows
    assert "cancer" not in [text for text, _ in found]  # never annotated
    assert "bump" not in [text for text, _ in found]  # its id is not in the KB
    [answer] = spotter.link([Query("Growth", "thing", ((0, 6),), "1", "Growth")], 5)
    assert [ids for ids, _ in answer] == [("own:9",), ("own:8",)]


VOCABULARY = ["gout", "Gouts", "GOUT", "acute", "WAS", "was", "(", "lump", "E. coli", "Ecola coli", "α", ".", "12"]
drawn_texts = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=12)
drawn_names = st.lists(st.sampled_from(VOCABULARY[:8]), min_size=1, max_size=2).map(" ".join)
drawn_entities = st.lists(
    st.tuples(
        st.lists(drawn_names, min_size=1, max_size=3),
        st.sampled_from(["disease", "chemical", ""]),
    ),
    min_size=1,
    max_size=6,
)
drawn_documents = st.lists(
    st.tuples(drawn_texts, st.lists(st.tuples(st.integers(0, 11), st.integers(1, 3), st.integers(0, 7)), max_size=4)),
    max_size=4,
)


def documents_of(drawn: list[tuple[list[str], list[tuple[int, int, int]]]]) -> list[Document]:
    """Documents of these words, with some of them (from, how many) annotated with an entity."""
    documents = []
    for n, (words, marks) in enumerate(drawn):
        starts = [len(" ".join([*words[:k], ""])) for k in range(len(words))]
        text = " ".join(words)
        mentions = {}
        for first, size, number in marks:
            if first < len(words):
                last = min(first + size, len(words)) - 1
                span = (starts[first], starts[last] + len(words[last]))
                mentions[span] = Mention(f"{n}:{span}", str(n), (span,), text[slice(*span)],
                                         "disease" if number % 2 else "", (frozenset([f"t:{number}"]),))  # fmt: skip
        documents.append(Document(str(n), text, annotations=tuple(mentions.values())))
    return documents


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn_entities, drawn_documents, drawn_texts)
def test_what_is_stored_answers_as_what_was_made(
    home_with_mini: Path,
    tmp_path: Path,
    entities: list[tuple[list[str], str]],
    documents: list[tuple[list[str], list[tuple[int, int, int]]]],
    words: list[str],
) -> None:
    rows = [entity(f"t:{n}", *names, type=type_) for n, (names, type_) in enumerate(entities)]
    build_kb(spec(rows, "t:7\tt:0\n"))
    kb = Kb.open("tiny")
    train = documents_of(documents)
    asked = [*train, Document("new", " ".join(words))]
    queries = [Query(text, "disease", ((0, 1),), "", "") for text in [*VOCABULARY, " ".join(words[:2]), "acute gout"]]
    for corpus in ("mini/disease", "mini"):
        spotters = [Spotter(), Spotter()]
        for spotter in spotters:
            spotter.about(linkassay.corpus(corpus))
        made = prepared(spotters[0], kb, train)
        found = opened(made, spotters[1], kb, tmp_path / "files")
        assert found.annotate(asked, 5) == made.annotate(asked, 5)
        assert found.link(queries, 5) == made.link(queries, 5)
    # Names and texts of training are looked for as if they were of one kind.
    together, _ = Phrases.of([
        *(name for row in rows for name, _ in row["names"]),
        *(mention.text for document in train for mention in document.mentions),
    ])  # fmt: skip
    pairs = set()
    for document in asked:
        read = list(tokens(document.text))
        expected = together.find(read)
        spots = made.spots(read)
        assert [spot[:3] for spot in spots] == [spot[:3] for spot in expected]
        pairs |= {(spot.pattern, one.pattern) for spot, one in zip(spots, expected, strict=True)}
    assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


def test_what_only_training_knows_has_no_rows_of_names(home: Path, tmp_path: Path) -> None:
    kb = small_kb(tmp_path, NAMES)
    train = trained(("A lump and cancer.", {"lump": "own:2", "cancer": "own:2"}))
    spotter = prepared(Spotter(), kb, train)
    lump, cancer = (spotter.spots(list(tokens(text)))[0].pattern for text in ("lump", "Cancers"))
    names = Names.of(kb)
    assert cancer == names.phrases.pattern("cancer") < names.phrases.size < lump


@pytest.mark.parametrize("linker", ["spotter", "genes"])
def test_one_index_for_all_corpora(home: Path, linker: str) -> None:
    linkassay.get("mini")
    first, _ = execute.link(LinkRequest(linker, "mini/gene"))
    index, training = prepare(LinkRequest(linker, "mini/gene").pinned())
    assert (index.fresh, training.fresh) == (False, False)
    assert first.about["prepared"] == [index.name, training.name]
    for wish in ({}, {"abbreviations": "schwartz-hearst", "give": "mentions"}):
        other, learned = prepare(LinkRequest(linker, "mini/disease", **wish).pinned())
        assert (other.name, other.fresh, learned.fresh) == (index.name, False, True)
    [alone] = prepare(LinkRequest(linker, "mini/disease", train_on=("none",)).pinned())
    assert (alone.name, alone.fresh) == (index.name, False)


def test_capitalised_spans(home: Path, tmp_path: Path) -> None:
    linker = Capitals()
    linker.prepare(small_kb(tmp_path, "1 Bank of England\n2 London\n3 Ada Lovelace\n4 Lovelace\n5 Ada\n"), ())
    assert spotted(linker, "The Bank of England in London. Ada Lovelace spoke, and Lovelace left Xyzzy.") == [
        ("Bank of England", "own:1"), ("London", "own:2"), ("Ada Lovelace", "own:3"), ("Lovelace", "own:3"),
        ("Xyzzy", ""),
    ]  # fmt: skip


@pytest.mark.parametrize("linker", ["spotter", "capitals"])
def test_a_run_that_end_to_end_scoring_takes(home: Path, linker: str) -> None:
    run = command("link", linker, "mini")
    assert run["parameters"] == {"top": 10, "give": "text"}
    assert run["failures"] == []
    rows = command("score", f"mini/{linker}", "--task", "end-to-end", "--nil", "ignored")["rows"]
    assert 0.2 < rows[0]["all_f1"] < 1
    stored = linkassay.run(f"mini/{linker}")
    joined = {p.mention for p in stored.predictions() if p.mention}
    gold = {m.id: m for d in linkassay.corpus("mini")["test"] for m in d.mentions}
    assert joined < gold.keys()
    assert all(p.spans == gold[p.mention].spans for p in stored.predictions() if p.mention)
    [coverage] = linkassay.score(stored, "coverage").rows()
    answered = [p.mention for p in stored.predictions() if p.groups and p.mention and gold[p.mention].gold]
    assert coverage["value"] == pytest.approx(len(answered) / sum(bool(m.gold) for m in gold.values()))
    [scoped] = linkassay.score(linkassay.link("exact", "mini"), "recall@1", scope=[f"recognised(mini/{linker})"]).rows()
    assert scoped["n"] == sum(bool(gold[name].gold) for name in joined)
    given = command("link", linker, "mini", "--give", "mentions")
    assert given["path"] != run["path"]
    assert given["mentions"] == len(gold)


@pytest.mark.parametrize("linker", ["spotter", "genes"])
def test_two_processes_give_the_same(home: Path, workers: list[object], linker: str) -> None:
    linkassay.get("mini")
    asked = LinkRequest(linker, "mini", split="train", allow_leak=True)
    alone = list(execute.link(asked)[0].predictions())
    run, _ = execute.link(asked, again=True, engine=Engine(workers=2))
    assert len(workers) == 2
    assert list(run.predictions()) == alone


class Fake:
    """Finds what the test says in each document."""

    summary = "for tests"
    capabilities = Capabilities(annotates=True)
    said: Any = staticmethod(lambda document: [])

    def prepare(self, kb: Any, train: Any) -> None:
        pass

    def annotate(self, documents: Sequence[Document], top: int) -> Any:
        return [type(self).said(document) for document in documents]


@pytest.fixture
def fake(home_with_mini: Path, monkeypatch: pytest.MonkeyPatch) -> type[Fake]:
    found = type("Fake", (Fake,), {})
    load = LINKERS.load
    monkeypatch.setattr(LINKERS, "load", lambda name: found if name == "fake" else load(name))
    monkeypatch.setattr(shard, "DOCUMENTS", 5)
    return found


def link(**options: Any) -> Run:
    doing = {name: options.pop(name) for name in ("again", "engine", "progress") if name in options}
    return execute.link(LinkRequest("fake", "mini", **options), **doing)[0]


GOOD = [(("mesh:D003924",), 0.5)]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ([FoundMention(((0, 10**9),), GOOD)], "outside of the text"),
        ([FoundMention(((5, 3),), GOOD)], "outside of the text"),
        ([FoundMention((), GOOD)], "without a place"),
        ([FoundMention(((0, 3),), [((), 1.0)])], "tied ids"),
        ([FoundMention(((0, 3),), [(("mesh:D003924",), float("nan"))])], "finite"),
        (LinkassayError("said the linker"), "said the linker"),
        (None, "TypeError"),
    ],
)
def test_a_document_with_bad_marks_fails_alone(fake: type[Fake], said: Any, message: str) -> None:
    bad = [d.id for d in linkassay.corpus("mini")["test"]][2]
    fake.said = staticmethod(lambda document: said if document.id == bad else [FoundMention(((0, 3),), GOOD)])
    run = link()
    [failure] = run.about["failures"]
    assert failure["document"] == bad
    assert message in failure["error"]
    assert bad not in {p.document for p in run.predictions()}
    assert run.about["mentions"] == len(linkassay.corpus("mini")["test"]) - 1
    with pytest.raises(LinkassayError, match=f"failed on document {bad}"):
        link(strict=True, again=True)


@pytest.mark.parametrize(
    ("behave", "message"),
    [(lambda: 1 / 0, "ZeroDivisionError"), (lambda: time.sleep(60), "no answer within 0.6 s (--timeout)")],
)
def test_a_crash_or_a_hang_on_the_seventh_document(
    fake: type[Fake], behave: Callable[[], object], message: str
) -> None:
    documents = [d.id for d in linkassay.corpus("mini")["test"]]
    fake.said = staticmethod(
        lambda document: behave() if document.id == documents[6] else [FoundMention(((0, 3),), GOOD)]
    )
    run = link(timeout=0.6)
    [failure] = run.about["failures"]
    assert failure["document"] == documents[6]
    assert message in failure["error"]
    assert [p.document for p in run.predictions()] == [*documents[:6], *documents[7:]]


@pytest.mark.parametrize(("lists", "message"), [(None, "it gave nothing for 1"), ([], "it gave 0 lists of mentions")])
def test_too_few_lists_of_mentions(fake: type[Fake], monkeypatch: pytest.MonkeyPatch, lists: Any, message: str) -> None:
    monkeypatch.setattr(fake, "annotate", lambda self, documents, top: lists)
    failures = link().about["failures"]
    assert len(failures) == len(linkassay.corpus("mini")["test"])
    assert all(message in failure["error"] for failure in failures)


def test_marks_with_ids_that_the_kb_does_not_have_are_counted(fake: type[Fake]) -> None:
    fake.said = staticmethod(lambda document: [FoundMention(((0, 3),), [(("mesh:NONE",), 1.0)])])
    about = link().about
    assert about["unknown_ids"] == {"count": about["mentions"], "examples": ["mesh:NONE"]}


def test_what_an_end_to_end_linker_may_see(fake: type[Fake]) -> None:
    seen: list[Document] = []
    fake.said = staticmethod(lambda document: seen.append(document) or [])
    assert link().about["mentions"] == 0
    assert not any(d.annotations for d in seen)
    seen.clear()
    gold = [m for d in linkassay.corpus("mini")["test"] for m in d.mentions]
    assert link(give="mentions").about["mentions"] == len(gold)  # one row each, though nothing was said
    shown = [m for d in seen for m in d.annotations]
    assert [m.spans for m in shown] == [m.spans for m in gold]
    assert not any(m.gold or m.raw for m in shown)


def test_marks_at_gold_spans_bear_their_names_and_nil_is_kept(fake: type[Fake]) -> None:
    first = next(m for d in linkassay.corpus("mini")["test"] for m in d.mentions)
    marks = [
        FoundMention(first.spans, GOOD, first.type),
        FoundMention(first.spans, GOOD, first.type),
        FoundMention(((0, 1),), nil=True),
    ]
    fake.said = staticmethod(lambda document: marks if document.id == first.document else [])
    found = {p.spans: p for p in link().predictions()}
    assert found[first.spans].mention == first.id
    assert found[((0, 1),)].nil
    assert len(found) == 2


def test_a_linker_that_cannot_go_on_stops_the_run_and_what_is_done_stays(fake: type[Fake]) -> None:
    documents = [d.id for d in linkassay.corpus("mini")["test"]]
    asked: list[str] = []

    def gone(document: Document) -> list[FoundMention]:
        if document.id == documents[12]:
            raise OutOfOrderError("its server is gone")
        asked.append(document.id)
        return []

    fake.said = staticmethod(gone)
    with pytest.raises(LinkassayError, match="cannot go on: its server is gone"):
        link()
    assert asked == documents[:12]
    asked.clear()
    fake.said = staticmethod(lambda document: asked.append(document.id) or [])
    link()
    assert asked == documents[10:]


def test_bad_wishes(fake: type[Fake]) -> None:
    with pytest.raises(UsageError, match=r"'exact' cannot be made with the options \{'speed': 9\}"):
        linkassay.link("exact", "mini", speed=9)
    with pytest.raises(UsageError, match="--give is mentions or text"):
        link(give="nothing")
    with pytest.raises(UsageError, match="finds no mentions itself"):
        execute.link(LinkRequest("exact", "mini", give="text"))
    with pytest.raises(UsageError, match="--abbreviations writes out given mentions"):
        link(abbreviations="schwartz-hearst")
