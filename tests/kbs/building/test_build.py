"""Building knowledge bases (KB-1 to KB-9): pieces, repairs and reports, the same bytes anywhere, queries."""

from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import linkassay
from linkassay.cli import app
from linkassay.engine import Engine
from linkassay.errors import DataError, UsageError
from linkassay.kbs.building import build as build_module
from linkassay.kbs.building.build import BuiltKb, build_kb
from linkassay.kbs.schema import KbSpec, Part
from linkassay.kbs.stored_kb import Kb
from tests.helpers import overtaking, raw

PARTS = (
    Part("*.jsonl", "linkassay.kbs.readers.json_lines:read_entities", lines=True),
    Part("history.tsv", "linkassay.kbs.readers.json_lines:read_history", optional=True),
)


def entity(identifier: str, *names: str, **more: Any) -> dict[str, Any]:
    return {"id": identifier, "type": "disease", "names": [[n, "synonym"] for n in names], **more}


def spec(entities: list[dict[str, Any]], history: str = "", prefix: str = "t") -> KbSpec:
    files = [raw("a.jsonl", "".join(json.dumps(e, ensure_ascii=False) + "\n" for e in entities))]
    if history:
        files.append(raw("history.tsv", history))
    return KbSpec("tiny", "Tiny", prefix, ("disease",), "CC0", "", "", PARTS, packaged=lambda: files)


def tree(path: Path) -> dict[str, str]:
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(path.iterdir())}


def test_tables_and_queries(home: Path) -> None:
    built = build_kb(spec(
        [
            entity("t:1", "Disease", definition="Anything bad."),
            entity("t:2", "Gout", "gouty  arthritis", "Podagra", parents=[["t:1", "is_a"]], xrefs=["omim:1"]),
            entity("t:3", "GOUT", parents=[["t:2", "is_a"]], foreign="ncbitaxon:9606"),
        ],
        "t:8\tt:9\nt:9\tt:2\nt:7\t\n",
    ))  # fmt: skip
    kb = linkassay.kb("tiny")
    assert built.manifest["counts"] == {"entities": 3, "names": 5, "parents": 2, "history": 3, "xrefs": 1, "foreign": 1}
    assert built.manifest["report"] == {}
    assert kb.lookup("Gout") == ["t:2"]
    assert kb.lookup("gout", normalised=True) == ["t:2", "t:3"]
    assert kb.lookup_many(["Gout", "nothing", "gouty  arthritis"]) == [["t:2"], [], ["t:2"]]
    assert kb.lookup_many(["GOUTY arthritis", "gout"], normalised=True) == [["t:2"], ["t:2", "t:3"]]
    assert kb.names_of("t:2") == ["Gout", "Podagra", "gouty  arthritis"]
    assert kb.primary_names(["t:2", "t:3", "t:0"]) == {"t:2": "Gout", "t:3": "GOUT"}
    assert [kb.current(i) for i in ("t:8", "t:9", "t:7", "t:2", "t:0")] == [("t:2",), ("t:2",), (), ("t:2",), ("t:0",)]
    assert kb.ancestors("t:3") == {"t:1", "t:2"}
    assert kb.descendants("t:1") == {"t:2", "t:3"}
    assert kb.hierarchy.common_ancestors("t:3", "t:2") == {"t:1", "t:2"}
    assert kb.subset(["ncbitaxon:9606"]) == ["t:3"]
    assert ("t:2" in kb, "t:8" in kb) == (True, False)
    assert kb.sql("select id from entities where definition <> ''") == [("t:1",)]
    assert kb.statistics() == {
        "entities": 3, "names": 5, "history": 3, "synonyms_per_entity": 5 / 3, "homonyms": 0.0,
        "homonyms_primary": 0.0, "depth": 2, "roots": 1,
    }  # fmt: skip


def test_homonyms_are_name_rows_of_shared_names(home: Path) -> None:
    build_kb(
        spec([entity("t:1", "MS", "multiple sclerosis"), entity("t:2", "mitral stenosis", "MS"), entity("t:3", "x")])
    )
    kb = linkassay.kb("tiny")
    assert kb.homonyms() == [("MS", ["t:1", "t:2"])]
    assert kb.homonyms(primary=True) == []
    assert kb.statistics()["homonyms"] == 2 / 5


def test_what_is_odd_is_reported_and_the_build_completes(home: Path) -> None:
    built = build_kb(spec(
        [
            entity("t:1", "one", parents=[["t:2", "is_a"]]),
            entity("t:2", "two", parents=[["t:1", "is_a"], ["t:404", "is_a"]]),
            entity("t:3", "three", "drei"),
            {"id": "t:3", "type": "disease", "names": [["tres", "synonym"]]},  # a second primary name
        ],
        "t:5\tt:6\nt:6\tt:0\nt:0\tt:5\nt:7\tt:500\nt:1\tt:2\nt:4\tt:5\n",
    ))  # fmt: skip
    report = {what: (found["count"], found["examples"]) for what, found in built.manifest["report"].items()}
    assert report == {
        "entities without exactly one primary name (the first name is taken)": (1, ["t:3"]),
        "parents that are no entity": (1, ["t:404"]),
        "is_a edges that close a circle (left out of the hierarchy)": (1, ["t:1 → t:2"]),
        "ids whose history is a circle (they stay as they are)": (3, ["t:0", "t:5", "t:6"]),
        "history to ids that are no entity": (2, ["t:5", "t:500"]),
        "history of ids that are entities still (left out)": (1, ["t:1"]),
    }
    kb = linkassay.kb("tiny")
    assert kb.sql('select id, count(*) filter ("primary") from names group by id order by id') == [
        ("t:1", 1), ("t:2", 1), ("t:3", 1),
    ]  # fmt: skip
    assert (kb.current("t:5"), kb.current("t:4")) == (("t:5",), ("t:5",))
    assert kb.hierarchy.broken == [("t:1", "t:2")]


IDS = st.sampled_from([f"t:{i}" for i in range(8)])


def reference_current(history: set[tuple[str, str]], identifier: str) -> tuple[str, ...] | None:
    """Follow every path; None if a circle is met on the way."""
    moves = {new for old, new in history if old == identifier and new}
    if not any(old == identifier for old, _ in history):
        return (identifier,)
    ends: set[str] = set()
    for new in moves:
        rest = None if new == identifier else reference_current(history - {(identifier, new)}, new)
        if rest is None or identifier in rest:
            return None
        ends.update(rest)
    return tuple(sorted(ends))


@settings(max_examples=40, deadline=None)
@given(st.sets(st.tuples(IDS, IDS).filter(lambda p: int(p[0][2:]) < int(p[1][2:])), max_size=10))
def test_history_is_followed_to_its_ends(
    tmp_path_factory: pytest.TempPathFactory, history: set[tuple[str, str]]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(tmp_path_factory.mktemp("home")))
        build_kb(spec([entity("t:100", "x")], "".join(f"{old}\t{new}\n" for old, new in sorted(history)) or "#\n"))
        kb = linkassay.kb("tiny")
        for identifier in [f"t:{i}" for i in range(8)]:
            assert kb.current(identifier) == reference_current(history, identifier)


def test_long_chains_and_chains_into_circles(home: Path) -> None:
    chain = "".join(f"t:{i}\tt:{i + 1}\n" for i in range(1000, 1200))  # longer than is followed all at once
    circle = "t:1\tt:2\nt:2\tt:3\nt:3\tt:2\nt:3\tt:9\nt:8\tt:1\n"
    built = build_kb(spec([entity("t:1", "x", obsolete=True)], chain + circle))
    kb = linkassay.kb("tiny")
    assert kb.current("t:1000") == ("t:1200",)
    assert kb.current("t:1199") == ("t:1200",)
    assert [kb.current(f"t:{i}") for i in (8, 1, 2, 3, 9)] == [("t:2",), ("t:2",), ("t:2",), ("t:3",), ("t:9",)]
    assert built.manifest["report"]["ids whose history is a circle (they stay as they are)"]["count"] == 2


def test_the_same_bytes_however_the_work_is_cut(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entities = [
        entity(f"t:{i}", f"name {i}", f"Näme-{i % 7}", parents=[[f"t:{i // 3}", "is_a"]]) for i in range(1, 400)
    ]
    whole = tree(build_kb(spec(entities)).path)
    for pieces, workers in ((2_000, 1), (5_000, 2)):
        monkeypatch.setattr(build_module, "PIECE", pieces)
        monkeypatch.setenv("LINKASSAY_HOME", str(home.parent / f"home-{pieces}"))
        built = build_kb(spec(entities), engine=Engine(workers=workers))
        assert built.fresh
        assert tree(built.path) == whole
        assert not (home.parent / f"home-{pieces}" / "work").exists() or not any(
            (home.parent / f"home-{pieces}" / "work").iterdir()
        )


def test_a_second_build_does_nothing(home: Path) -> None:
    first = build_kb(spec([entity("t:1", "one")]))
    second = build_kb(spec([entity("t:1", "one")]))
    assert (first.fresh, second.fresh, first.revision) == (True, False, second.revision)


def test_keys_are_those_of_single_names(home: Path) -> None:
    from linkassay.text.normalise import name_key

    names = ["Plain words 2", "TNF-α", " two  spaces", "Crohn’s disease", "x", "ÅNGSTRÖM", "a-b", "A  b", "-"]
    build_kb(spec([entity("t:1", *names)]))
    rows = linkassay.kb("tiny").sql("select name, key from names")
    assert sorted(rows) == sorted((name, name_key(name)) for name in names)


def test_broken_raw_files_are_clear_errors_and_store_nothing(home: Path) -> None:
    bad = replace(spec([]), packaged=lambda: [raw("a.jsonl", '{"id": 1')])
    with pytest.raises(DataError, match=r"^a\.jsonl:1: not valid JSON"):
        build_kb(bad)
    assert not list(home.rglob("manifest.json"))
    with pytest.raises(UsageError, match=r"tiny: missing from the raw files: \*\.jsonl \(found: nothing\)"):
        build_kb(replace(bad, packaged=list))
    with pytest.raises(UsageError, match="tiny has no option 'colour'"):
        build_kb(spec([entity("t:1", "x")]), options={"colour": 1})


def test_unknown_names_and_revisions(home: Path) -> None:
    build_kb(spec([entity("t:1", "one")]))
    for name, message in (
        ("tinny", "unknown knowledge base 'tinny'; did you mean 'tiny'"),
        ("mesh", "knowledge base 'mesh' is not in the data home yet; run: linkassay get mesh"),
        ("tiny@123", "knowledge base 'tiny' has no revision '123'; at hand: "),
    ):
        with pytest.raises(UsageError, match=message):
            Kb.open(name)


def run(*arguments: object) -> Any:
    result = CliRunner().invoke(app, [*map(str, arguments), "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_diff_map_and_sync(home: Path, tmp_path: Path) -> None:
    cold = entity("mesh:A3", "cold", xrefs=["omim:7"])
    old = build_kb(spec([entity("mesh:A1", "gout"), entity("mesh:A2", "rash"), cold],
                     prefix="mesh"))  # fmt: skip
    new = build_kb(spec([entity("mesh:A1", "Gout"), entity("mesh:A4", "flu"), cold],
                     "mesh:A2\tmesh:A4\n", "mesh"))  # fmt: skip
    text = "1|t|Gout, rash, cold, ache.\n1|a|\n1\t0\t4\tGout\tD\tA1\n1\t6\t10\trash\tD\tA2\n1\t12\t16\tcold\tD\tA3\n1\t18\t22\tache\tD\tA9\n"  # noqa: E501
    (tmp_path / "a.txt").write_text(text)
    arguments = ("get", "--format", "pubtator", tmp_path / "a.txt", "--name", "mine", "--kb", "mesh", "--replace")
    run(*arguments)
    found = run("kb", "diff", f"tiny@{old.revision}", f"tiny@{new.revision}", "--corpus", "mine")
    assert {kind: found[kind]["examples"] for kind in ("added", "removed", "merged", "renamed")} == {
        "added": {"mesh:A4": "mesh:A4"}, "removed": {}, "merged": {"mesh:A2": "mesh:A4"},
        "renamed": {"mesh:A1": "gout → Gout"},
    }  # fmt: skip
    assert found["corpus"]["merged"] == {"test": 1}
    pairs = [{"id": "mesh:A3", "other": "omim:7"}]
    assert run("kb", "map", "tiny", "omim")["pairs"] == pairs
    assert run("kb", "map", "tiny", "omim", "mesh:A3", "mesh:A1")["pairs"] == pairs
    assert run("info", "mine", "--kb", "tiny")["coverage"]["splits"] == {"test": {"D": {"covered": 3, "gold_ids": 4}}}
    [synced] = run(*arguments, "--sync", "tiny")
    assert synced["reports"]["test"]["prepared"] == {
        "test: ids removed": 1, "test: ids replaced": 1, "test: mentions left without id, dropped": 1,
    }  # fmt: skip
    [document] = linkassay.corpus("mine")["test"]
    assert [(m.text, m.raw, sorted(m.ids)) for m in document.mentions] == [
        ("Gout", "A1", ["mesh:A1"]), ("rash", "A2", ["mesh:A4"]), ("cold", "A3", ["mesh:A3"]),
    ]  # fmt: skip


def test_the_same_build_twice_at_once(home: Path) -> None:
    """The second one waits; what the first has read is not taken away from under it."""
    tiny, others = spec([entity("1", "a")]), list[BuiltKb]()
    other = threading.Thread(target=lambda: others.append(build_kb(tiny)))
    first = build_kb(tiny, engine=overtaking(other))
    other.join(60)
    assert (first.fresh, [(o.path, o.fresh) for o in others]) == (True, [(first.path, False)])


def test_raw_files_of_one_name_are_not_merged(home: Path, tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "old"):
        folder.mkdir(exist_ok=True)
        (folder / "a.jsonl").write_text(json.dumps(entity("t:1", "Gout")) + "\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"tiny: two of the raw files have one name, .*a\.jsonl and .*old/a\.jsonl"):
        build_kb(spec([]), tmp_path)
