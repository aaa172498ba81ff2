"""Names that other knowledge bases lend: whose, which, and what linkers and runs make of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import linkassay
from linkassay.errors import UsageError
from linkassay.kbs.building.build import build_kb
from linkassay.kbs.stored_kb import Kb
from linkassay.kbs.synonyms_from_other_kbs import synonym_sources, with_synonyms
from linkassay.pages.page_data import gather_page
from linkassay.runs import execute
from linkassay.runs.request import LinkRequest
from linkassay.text.normalise import name_key
from tests.bench_files.conftest import bench
from tests.corpora.catalog.test_real_cli import run as command
from tests.kbs.building.test_build import entity, spec


def made(name: str, entities: Sequence[dict[str, Any]], history: str = "") -> Kb:
    return Kb(build_kb(replace(spec(list(entities), history), name=name)).path)


def lent(kb: Kb, *others: str) -> list[tuple[str, str]]:
    found = with_synonyms(kb, others).sql("select id, name from names where kind = 'borrowed' order by id, name")
    return [(identifier, name) for identifier, name in found]


def test_who_lends_what(home: Path) -> None:
    ours = made("ours", [
        entity("t:1", "Doxorubicin"), entity("t:2", "Salt", xrefs=["o:2"]), entity("t:3", "Gout"),
        entity("t:4", "Pain"), entity("t:5", "Ache"), entity("t:6", "Gone", obsolete=True),
        entity("t:7", "Iron", type="chemical"), entity("t:8", "Cold"),
    ], "t:0\tt:8\n")  # fmt: skip
    made("theirs", [
        entity("o:1", "DOXORUBICIN", "Adriamycin", "Pain"),  # by its primary name; the last is a name of ours
        entity("o:2", "sodium chloride", "NaCl"),  # by our cross-reference
        entity("o:3", "gout disease", "gout", "podagra"),  # by a name that no other of theirs has
        entity("o:4", "pain", "dolor", "it hurts"),
        entity("o:5", "ache", "it hurts"),  # what hurts is both
        entity("o:6", "gone", "away"),  # ours is obsolete
        entity("o:7", "iron", "Fe"),  # of another type
        entity("o:8", "common cold", "coryza", xrefs=["t:0"]),  # by their cross-reference to what the id was
        entity("o:9", "salt and cold", "salt", "cold", "hash"),  # leads to two
        entity("o:10", "old", "dated", xrefs=["t:4"], obsolete=True),
    ])  # fmt: skip
    assert lent(ours, "theirs") == [
        ("t:1", "Adriamycin"), ("t:2", "NaCl"), ("t:2", "sodium chloride"), ("t:3", "gout disease"), ("t:3", "podagra"),
        ("t:4", "dolor"), ("t:8", "common cold"), ("t:8", "coryza"),
    ]  # fmt: skip
    more = with_synonyms(ours, ["theirs"])
    assert more.lookup("Adriamycin") == more.lookup("adriamycin", normalised=True) == ["t:1"]
    assert more.names_of("t:1") == ["Doxorubicin", "Adriamycin"]
    assert more.primary_names(["t:2"]) == {"t:2": "Salt"}
    assert ours.lookup("Adriamycin") == Kb.open("ours").lookup("Adriamycin") == []


def test_lenders_must_agree_and_none_lends_to_itself(home: Path) -> None:
    ours = made("ours", [entity("t:1", "one"), entity("t:2", "two")])
    made("first", [entity("o:1", "one", "uno", "I")])
    made("second", [entity("p:2", "two", "due", "I")])
    assert lent(ours, "first", "second") == [("t:1", "uno"), ("t:2", "due")]
    assert synonym_sources(ours, ["ours", "first", "first"]) == [f"first@{Kb.open('first').revision}"]
    assert with_synonyms(ours, ["ours"]) is ours
    with pytest.raises(UsageError, match="unknown knowledge base 'thrid'"):
        with_synonyms(ours, ["thrid"])


WORDS = st.sampled_from(["a", "A", "b", "c", "d", "e", "f"])
ENTITIES = st.lists(
    st.tuples(st.lists(WORDS, min_size=1, max_size=4), st.sampled_from(["disease", "chemical", ""]),
              st.lists(st.integers(0, 4), max_size=2)),
    min_size=1, max_size=5,
)  # fmt: skip


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(own=ENTITIES, theirs=ENTITIES)
def test_as_the_rule_says(home: Path, own: list[Any], theirs: list[Any]) -> None:
    tables = [
        [entity(f"{prefix}:{n}", *dict.fromkeys(names), type=type_, xrefs=[f"{far}:{x}" for x in crossed])
         for n, (names, type_, crossed) in enumerate(rows)]
        for prefix, far, rows in (("t", "o", own), ("o", "t", theirs))
    ]  # fmt: skip
    kb = made("ours", tables[0])
    made("theirs", tables[1])
    assert lent(kb, "theirs") == sorted(reference(*tables))


def reference(own: list[dict[str, Any]], theirs: list[dict[str, Any]]) -> set[tuple[str, str]]:
    """What is borrowed, entity by entity and name by name."""
    ids = {e["id"] for e in own}

    def keys(item: dict[str, Any]) -> list[str]:
        return [name_key(name) for name, _ in item["names"]]

    def named(item: dict[str, Any], wanted: list[str]) -> set[str]:
        fits = [e for e in own if not e["type"] or not item["type"] or e["type"] == item["type"]]
        return {e["id"] for e in fits for k in wanted if k in keys(e)}

    offers: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for item in theirs:
        crossed = {x for x in item["xrefs"] if x in ids} | {e["id"] for e in own if item["id"] in e["xrefs"]}
        alone = [k for k in keys(item)[1:] if sum(k in keys(o) for o in theirs) == 1]
        if keys(item)[0] in alone:  # the primary name again, in other letters
            alone.remove(keys(item)[0])
        for found in (crossed, named(item, keys(item)[:1]), named(item, alone)):
            if len(found) == 1:
                for name, _ in item["names"]:
                    offers[name_key(name)].add((next(iter(found)), name))
                break
    ours = {k for e in own for k in keys(e)}
    return {pair for k, pairs in offers.items() if k not in ours and len({i for i, _ in pairs}) == 1 for pair in pairs}


def test_linkers_see_them_and_runs_say_so(home: Path) -> None:
    corpus, kb = linkassay.corpus("mini"), linkassay.kb("mini")
    mention = next(m for d in corpus["test"] for m in d.mentions if m.ids and not kb.lookup(m.text, normalised=True))
    gold = min(mention.ids)
    lender = made("slang", [entity("s:1", "something", mention.text, type=mention.type, xrefs=[gold])])
    plain = execute.link(LinkRequest("exact", "mini"))[0]
    more, fresh = execute.link(LinkRequest("exact", "mini", synonyms=("slang", "mini")))
    assert fresh
    assert plain.path != more.path
    assert more.about["parameters"]["synonyms"] == [f"slang@{lender.revision}"]
    right = [sum(len(p.groups) > 0 for p in run.predictions()) for run in (plain, more)]
    assert right[1] > right[0]
    assert execute.find_run(LinkRequest("exact", "mini", synonyms=("slang",))).path == more.path  # type: ignore[union-attr]
    page = gather_page([linkassay.score(run) for run in (plain, more)])
    assert sorted(page["systems"]) == ["exact", "exact + synonyms"]


def test_command_line_and_bench(home: Path, tmp_path: Path) -> None:
    linkassay.kb("mini")
    made("slang", [entity("s:1", "something")])
    said = command("link", "exact", "mini", "--synonyms", "slang")
    assert said["parameters"]["synonyms"] == [f"slang@{Kb.open('slang').revision}"]
    plan = tmp_path / "plan.toml"
    plan.write_text('[[corpora]]\nname = "mini"\n[[linkers]]\nlinker = "exact"\nsynonyms = ["slang"]\n')
    [cell] = bench(str(plan))["cells"]
    assert cell["run"] == Path(said["path"]).name
    with pytest.raises(UsageError, match="names of its own"):
        execute.link(LinkRequest("command", "mini", synonyms=("slang",),
                              options={"cmd": "x {input} {output}", "exchange": "jsonl"}))  # fmt: skip
