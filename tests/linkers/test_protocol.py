"""The linker protocol (LINKER-1): what every linker of the registry declares, and what is made of declarations."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

import linkassay
from linkassay.errors import LinkassayError, UsageError
from linkassay.linkers import LINKERS
from linkassay.linkers.protocol import (
    Answer,
    Candidate,
    Capabilities,
    FoundMention,
    Query,
    Reason,
    capabilities_of,
    checked_reasons,
)
from linkassay.linkers.strings.exact import Exact
from linkassay.linkers.with_abbreviations import Abbreviated
from linkassay.listing import LISTINGS
from linkassay.model import Document
from linkassay.runs import execute
from linkassay.runs.identity import RunIdentity
from linkassay.runs.request import LinkRequest
from linkassay.runs.stored_run import Run
from linkassay.text.abbreviations import SchwartzHearst
from tests.scoring_helpers import corpus, knowledge

#: The method behind each capability that has one; those of the others were attributes of the same names.
METHODS = {
    "links": "link",
    "annotates": "annotate",
    "trains": "train",
    "stores": "open_index",
    "prepares_in_parts": "make_part",
    "wants_corpus": "about",
    "wants_folder": "work_in",
    "explains": "explain",
    "reranks": "rerank",
    "pools": "pooled",
    "composed": "compose",
}
FLAGS = ("learns", "keeps_time", "outside", "wants_model", "trains_with")
GOOD: Answer = [(("mesh:D003924",), 0.5)]


@pytest.fixture(autouse=True)
def _no_warnings() -> Iterator[None]:
    """Whoever declares is not warned."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        yield


# ---- the contract of every linker


@pytest.mark.parametrize("name", list(LINKERS))
def test_what_a_linker_declares_is_what_it_has(name: str) -> None:
    linker_class = LINKERS.load(name)
    declared = capabilities_of(linker_class, name)
    assert declared == linker_class.capabilities
    assert {able for able in METHODS if getattr(declared, able)} == {
        able for able, method in METHODS.items() if callable(getattr(linker_class, method, None))
    }
    assert callable(linker_class.prepare)
    assert declared.links or declared.annotates
    assert not any(hasattr(linker_class, flag) for flag in FLAGS)  # said once, among the capabilities


@pytest.mark.parametrize("name", list(LINKERS))
def test_a_linker_says_in_one_line_what_it_is(name: str) -> None:
    linker_class = LINKERS.load(name)
    assert linker_class.summary == linker_class.summary.strip()
    assert 10 < len(linker_class.summary) <= 120
    assert "\n" not in linker_class.summary
    assert (linker_class.__doc__ or "").strip()


def test_outside_systems_and_no_others_are_outside() -> None:
    declared = {name: LINKERS.load(name).capabilities for name in LINKERS}
    assert {name for name in declared if declared[name].outside} == {"command", "http"}
    assert {name for name in declared if declared[name].keeps_time} == {"command", "http"}


def test_who_learns_declares_it() -> None:
    found = {name for name in LINKERS if LINKERS.load(name).capabilities.uses_training}
    assert found == {"house", "spotter", "capitals", "genes", "biosyn", "sapbert", "pipeline"}


def test_who_trains_by_an_option_does_not_without_it() -> None:
    declared = Capabilities(links=True, trains=True, trains_with="more")
    assert str(declared) == "Capabilities(links=True, trains=True, trains_with='more')"
    assert declared.made_with({"more": True}) == declared
    assert [declared.made_with(options).uses_training for options in ({}, {"more": False}, {"other": True})] == [
        False
    ] * 3
    assert Capabilities(links=True, learns=True).made_with({}).uses_training


def test_every_capability_is_a_method_or_a_flag_and_is_somebodys() -> None:
    names = [each.name for each in fields(Capabilities)]
    assert names == [*METHODS, *FLAGS]
    assert all(any(getattr(LINKERS.load(linker).capabilities, name) for linker in LINKERS) for name in names)


# ---- declarations


class Plain:
    """Links mentions, and has further methods that are its own affair."""

    summary = "for tests"
    capabilities = Capabilities(links=True)

    def prepare(self, kb: Any, train: Any) -> None:
        """Nothing."""

    def link(self, queries: Sequence[Query], top: int) -> list[Answer]:
        return [GOOD for _ in queries]

    def about(self) -> str:
        return "no method of the protocol"


@pytest.fixture
def plug_in(home_with_mini: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    """Puts a linker into the registry under the name `mine`."""
    load = LINKERS.load

    def put(linker_class: Any) -> None:
        monkeypatch.setattr(LINKERS, "load", lambda name: linker_class if name == "mine" else load(name))

    return put


def link(**options: Any) -> Run:
    return execute.link(LinkRequest("mine", "mini", **options))[0]


def test_what_a_class_declares_counts_and_not_what_its_methods_are_called(plug_in: Callable[[Any], None]) -> None:
    assert capabilities_of(Plain, "mine") == capabilities_of(Plain(), "mine") == Capabilities(links=True)
    plug_in(Plain)
    assert link().about["failures"] == []


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        (Capabilities(annotates=True), r"'mine' declares Capabilities\(annotates=True\), but has no `annotate`"),
        (Capabilities(links=True, trains=True, wants_folder=True), "but has no `train` and no `work_in`"),
        (Capabilities(links=True, stores=True), "but has no `store_index` and no `open_index`"),
        (Capabilities(links=True, prepares_in_parts=True), "no `parts` and no `make_part` and no `join_parts`"),
        (Capabilities(links=True, stores=True, learns=True), "must not depend on training; let it learn in `train`"),
        (Capabilities(), r"'mine' declares Capabilities\(\): it must link, annotate, or do both"),
        (Capabilities(keeps_time=True), "it must link, annotate, or do both"),
        ({"links": True}, r"of linker 'mine' is \{'links': True\}; expected is e\.g\. Capabilities\(links=True\)"),
        (Capabilities, "expected is e.g. Capabilities"),
    ],
)
def test_a_declaration_that_is_not_true_is_refused(
    plug_in: Callable[[Any], None], home_with_mini: Path, declared: Any, message: str
) -> None:
    plug_in(type("Mine", (Plain,), {"capabilities": declared}))
    with pytest.raises(UsageError, match=message):
        link()
    assert list((home_with_mini / "work").glob("run-*")) == []


def test_a_linker_that_cannot_be_prepared_is_refused() -> None:
    with pytest.raises(UsageError, match=r"'mine' declares .* but has no `prepare`"):
        capabilities_of(type("Mine", (Plain,), {"prepare": None}), "mine")


def test_a_wrong_declaration_is_listed_as_broken_and_hides_no_other(
    plug_in: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    plug_in(type("Mine", (Plain,), {"capabilities": Capabilities(annotates=True)}))
    monkeypatch.setattr(type(LINKERS), "__iter__", lambda self: iter(["exact", "mine"]))
    rows = {row["name"]: row["summary"] for row in LISTINGS["linkers"]()}
    assert rows["exact"] == Exact.summary
    assert rows["mine"].startswith("BROKEN: linker 'mine' declares")


def test_a_function_that_makes_linkers_can_declare(plug_in: Callable[[Any], None]) -> None:
    class Made(Plain):
        capabilities = Capabilities(links=True, annotates=True)

        def annotate(self, documents: Sequence[Document], top: int) -> list[list[FoundMention]]:
            return [[FoundMention(((0, 1),), GOOD)] for _ in documents]

    def make() -> Made:
        return Made()

    make.capabilities = Made.capabilities  # type: ignore[attr-defined]
    plug_in(make)
    assert link().about["mentions"] == len(linkassay.corpus("mini")["test"])


def test_what_wraps_a_linker_links_and_hands_on_the_rest(plug_in: Callable[[Any], None]) -> None:
    called: list[str] = []

    class Wanting(Plain):
        capabilities = Capabilities(
            links=True, annotates=True, trains=True, wants_corpus=True, wants_folder=True, keeps_time=True
        )

        def about(self, corpus: Any = None) -> str:
            called.append("about")
            return ""

        def prepare(self, kb: Any, train: Any) -> None:
            assert list(train) == []
            called.append("prepare")

        def train(self, documents: Any) -> None:
            assert list(documents)
            called.append("train")

        def work_in(self, folder: Path) -> None:
            called.append("work_in")

        def annotate(self, documents: Sequence[Document], top: int) -> list[list[FoundMention]]:
            raise AssertionError("mentions are given")

    plug_in(Wanting)
    for abbreviations in ("none", "schwartz-hearst"):
        assert link(give="mentions", abbreviations=abbreviations).about["failures"] == []
        assert called == ["about", "prepare", "train", "work_in"]
        called.clear()


def test_what_wraps_a_linker_explains_by_it() -> None:
    class Explaining(Plain):
        capabilities = Capabilities(links=True, explains=True)

        def explain(self, query: Query, first: Candidate, second: Candidate) -> list[Reason]:
            return [Reason(query.text, first.id, second.id)]

    query = Query("WSS", "", ((29, 32),), "1", "Wrinkly skin syndrome (WSS). WSS!")
    wrapped = Abbreviated(Explaining(), Explaining.capabilities, SchwartzHearst())
    assert capabilities_of(wrapped, "mine").explains
    assert wrapped.explain(query, Candidate("t:1"), Candidate("t:2")) == [Reason("Wrinkly skin syndrome", "t:1", "t:2")]


@pytest.mark.parametrize(
    "given",
    [None, 5, [5], ["text"], [("what", 1, 2, 3, 4)], [()], [("", 1, 2)], [(1, 1, 2)], [("a", [1], 2)],
     [("a", float("nan"), 2)], [("a", 1, 2, float("inf"))], [("a", "\ud800", 2)],
     [("\ud800",)], [("a", 1, 2, "3")], "ab"],
)  # fmt: skip
def test_reasons_are_texts_and_numbers(given: Any) -> None:
    with pytest.raises(LinkassayError, match=r"it explained with .*; expected is a list of Reason"):
        checked_reasons(given)


# ---- linkers that declare nothing, as before there was something to declare


def old(**members: Any) -> Any:
    """A class that declares nothing."""
    every = {"summary": "for tests", "prepare": lambda self, kb, train: None}
    return type("Old", (), every | members)


def links(self: Any, queries: Sequence[Query], top: int) -> list[Answer]:
    return [GOOD for _ in queries]


def annotates(self: Any, documents: Sequence[Document], top: int) -> list[list[FoundMention]]:
    return [[FoundMention(((0, 1),), GOOD)] for _ in documents]


def nothing(self: Any, given: Any) -> None:
    """A further method."""


@pytest.mark.parametrize(
    ("members", "inferred"),
    [
        ({"link": links}, Capabilities(links=True, learns=True)),
        ({"annotate": annotates}, Capabilities(annotates=True, learns=True)),
        ({"link": links, "train": nothing}, Capabilities(links=True, trains=True)),
        (
            {"annotate": annotates, "about": nothing, "work_in": nothing, "keeps_time": True, "outside": True},
            Capabilities(annotates=True, wants_corpus=True, wants_folder=True, keeps_time=True, outside=True),
        ),
        ({"link": links, "keeps_time": False}, Capabilities(links=True, learns=True)),
    ],
)
def test_methods_tell_what_an_old_linker_can_do(members: dict[str, Any], inferred: Capabilities) -> None:
    for linker in (old(**members), old(**members)()):
        with pytest.warns(DeprecationWarning, match=re.escape(f"write in its class: capabilities = {inferred} (")):
            assert capabilities_of(linker, "mine") == inferred


def test_old_linkers_run_as_before(plug_in: Callable[[Any], None]) -> None:
    plug_in(old(link=links))
    with pytest.warns(DeprecationWarning, match="'mine' does not declare"):
        run = link()
    assert (run.about["failures"], run.about["parameters"]) == ([], {"top": 10})
    plug_in(old(link=links, annotate=annotates))
    with pytest.warns(DeprecationWarning, match=r"Capabilities\(links=True, annotates=True, learns=True\)"):
        run = link()
    assert run.about["parameters"] == {"top": 10, "give": "text"}
    assert run.about["mentions"] == len(linkassay.corpus("mini")["test"])


def test_a_function_that_makes_old_linkers(plug_in: Callable[[Any], None]) -> None:
    plug_in(lambda: old(link=links)())
    with pytest.warns(DeprecationWarning, match=r"Capabilities\(links=True, learns=True\)"):
        run = link()
    assert run.about["failures"] == []


def test_what_an_heir_adds_to_a_declaration_counts_for_now() -> None:
    """An old plug-in may inherit from a linker that declares."""
    declared = Capabilities(links=True)
    assert capabilities_of(type("Heir", (Exact,), {}), "mine") == declared
    with pytest.warns(DeprecationWarning, match=r"capabilities = Capabilities\(links=True, annotates=True\)"):
        found = capabilities_of(type("Heir", (Exact,), {"annotate": annotates}), "mine")
    assert found == replace(declared, annotates=True)
    http = LINKERS.load("http")
    with pytest.warns(DeprecationWarning, match="links=True"):
        assert capabilities_of(type("Heir", (http,), {"link": links}), "mine") == replace(http.capabilities, links=True)
    assert capabilities_of(type("Heir", (Plain,), {"more": 1})(), "mine") == declared  # `about` was there, not added
    own = {"annotate": annotates, "capabilities": declared}
    assert capabilities_of(type("Heir", (Exact,), own), "mine") == declared


def test_parameters_of_a_run_are_those_of_before(home_with_mini: Path) -> None:
    """Whether it is recorded what was given depends on what a linker can do."""
    found = {name: RunIdentity.of(LinkRequest(name, "mini").pinned()).parameters for name in ("exact", "house")}
    assert found == {"exact": {"top": 10}, "house": {"top": 10}}
    for name in ("spotter", "capitals", "command"):
        options = {"cmd": "true", "exchange": "nif"} if name == "command" else {}
        request = LinkRequest(name, "mini", options=options).pinned()
        assert RunIdentity.of(request).parameters == {"top": 10, "give": "text", **options}


@pytest.mark.parametrize("name", ["exact", "normalised", "fuzzy", "tfidf", "house", "house-untrained", "spotter"])
def test_a_mention_without_a_type_may_be_of_any(name: str, home: Path, tmp_path: Path) -> None:
    """Also where the knowledge base has entities without one: these are not of a type called ""."""
    kb = knowledge({"t:1": ["ache"], "t:2": ["ache"], "t:3": ["gout"]}, t2={"type": ""}, t3={"type": "gene"})
    documents: dict[str, list[tuple[str, str, str]]] = {
        f"d{n}": [("ache", "t:1", ""), ("gout", "t:3", "")] for n in range(3)
    }
    on = corpus(tmp_path, "own", {"train": {"a": [("gout", "t:3", "")]}, "test": documents})
    run = linkassay.link(name, on.name, kb=kb.pinned, give="mentions")
    found = {p.mention.split(":")[1].split("-")[0]: {i for group in p.groups for i in group} for p in run.predictions()}
    assert found["0"] >= {"t:1", "t:2"}
    assert "t:3" in found["5"]
