"""What a run is (RUN-1): an edit changes the identity of runs whose answers it can change, and no others."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import linkassay
from linkassay.linkers import LINKERS
from linkassay.runs import dependencies
from linkassay.runs.dependencies import Graph, versions
from linkassay.runs.identity import RunIdentity, software
from linkassay.runs.request import LinkRequest

PACKAGE = Path(linkassay.__file__).parent
Edit = Callable[[str, str, str], None]


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of our own sources, to be edited."""
    return shutil.copytree(PACKAGE, tmp_path / "linkassay", ignore=shutil.ignore_patterns("__pycache__", "mini"))


def code(package: Path, linker: str, **asked: Any) -> str:
    return software(LINKERS.load(linker), LinkRequest(linker, **asked), package)[0]


def edit(file: Path, old: str = "", new: str = "") -> None:
    """Replace a text; at the end a comment, if none is given."""
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1) if old else text + "\n# edited\n", encoding="utf-8")


ALL = ("capitals", "exact", "fuzzy", "genes", "house", "http", "normalised", "spotter", "tfidf", "variants")


@pytest.mark.parametrize(
    ("file", "changed"),
    [
        ("text/normalise.py", set(ALL)),  # of the keys by which a knowledge base is asked
        ("store/parquet.py", set(ALL)),  # of a room that is imported as a whole
        ("store/data_home.py", set()),
        ("linkers/strings/fuzzy.py", {"fuzzy"}),
        ("linkers/strings/subsequence_loops.py", {"fuzzy"}),  # imported inside of a function
        ("linkers/house/boosted_trees.py", {"house"}),
        ("runs/shard.py", set(ALL)),
        ("text/abbreviations/schwartz_hearst.py", {"capitals", "genes", "house", "spotter"}),
        ("text/abbreviations/sources.py", set()),
        ("kbs/synonyms_from_other_kbs.py", set()),
        ("formats/documents/nif.py", {"http"}),
        ("runs/execute.py", set()),
        ("runs/stored_run.py", set()),
        ("runs/costs.py", set()),
        ("scoring/disambiguation/run_score.py", set()),
    ],
)
def test_an_edit_is_of_those_who_use_the_module(copied: Path, file: str, changed: set[str]) -> None:
    before = {linker: code(copied, linker) for linker in ALL}
    edit(copied / file)
    assert {linker for linker in ALL if code(copied, linker) != before[linker]} == changed


def test_a_new_name_in_a_registry_changes_nothing(copied: Path) -> None:
    before = {linker: code(copied, linker) for linker in ALL}
    for room, first in (("linkers", "exact"), ("corpora", "mini"), ("kbs", "mini")):
        line = f'        "{first}":'
        edit(copied / room / "__init__.py", line, f'        "mine": "linkassay.{room}.mine:Mine",\n{line}')
    edit(copied / "__init__.py")
    assert {linker: code(copied, linker) for linker in ALL} == before


@pytest.mark.parametrize(
    ("asked", "files"),
    [
        ({"abbreviations": "schwartz-hearst"}, ["text/abbreviations/sources.py", "linkers/with_abbreviations.py"]),
        ({"synonyms": ("other",)}, ["kbs/synonyms_from_other_kbs.py"]),
    ],
)
def test_what_a_request_uses_counts_where_it_does(copied: Path, asked: dict[str, Any], files: list[str]) -> None:
    for file in files:
        plain, more = code(copied, "exact"), code(copied, "exact", **asked)
        edit(copied / file)
        assert code(copied, "exact") == plain
        assert code(copied, "exact", **asked) != more


def test_a_librarys_version_is_of_those_who_use_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def of(linker: str) -> dict[str, str]:
        return software(LINKERS.load(linker), LinkRequest(linker))[1]

    before = {linker: of(linker) for linker in ALL}
    assert set(before["exact"]) == {"duckdb", "numpy", "pyarrow"}
    assert set(before["house"]) == {"duckdb", "numba", "numpy", "pyarrow", "rapidfuzz"}
    version = dependencies.version
    changed = {"numba": "99", "rapidfuzz": "99"}
    monkeypatch.setattr(dependencies, "version", lambda name: changed.get(name) or version(name))
    users = {"capitals", "fuzzy", "house", "spotter", "tfidf", "variants"}
    assert {linker for linker in ALL if of(linker) != before[linker]} == users


def test_all_of_it_is_in_the_fingerprint(home_with_mini: Path) -> None:
    request = LinkRequest("exact", "mini").pinned()
    identity = RunIdentity.of(request)
    facts = identity.as_dict()
    assert facts["code"] == code(PACKAGE, "exact")
    assert facts["libraries"] == software(LINKERS.load("exact"), request)[1]
    others = [
        RunIdentity(**facts | {name: {} if isinstance(value, dict) else "other"}) for name, value in facts.items()
    ]
    assert len({each.fingerprint for each in (identity, *others)}) == len(facts) + 1
    assert linkassay.link("exact", "mini").path == identity.folder


def test_an_identity_reads_each_source_once(home_with_mini: Path) -> None:
    request = LinkRequest("house", "mini").pinned()
    dependencies._read.cache_clear()
    first = RunIdentity.of(request)
    read = dependencies._read.cache_info().misses
    assert 10 < read < len(list(PACKAGE.rglob("*.py"))) / 2
    assert RunIdentity.of(request) == first
    assert dependencies._read.cache_info().misses == read


# ---- plug-ins


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package with a linker in it, installed beside linkassay."""
    installed = tmp_path / "installed"
    about, package = installed / "plugged-1.0.dist-info", installed / "plugged"
    about.mkdir(parents=True)
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "rules.py").write_text("ANSWER = 'mesh:D003924'\n")
    (package / "data.py").write_text("FOUND = 'by name'\n")
    (package / "linker.py").write_text(
        "from linkassay.linkers.strings.exact import Exact\nfrom .rules import ANSWER\n"
        "class Mine(Exact):\n    summary = 'x'\n"
    )
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[linkassay.linker]\nplugged = plugged.linker:Mine\n")
    monkeypatch.syspath_prepend(installed)
    LINKERS.__dict__.pop("_plugins", None)
    yield installed
    LINKERS.__dict__.pop("_plugins", None)
    for module in [name for name in sys.modules if name.partition(".")[0] == "plugged"]:
        del sys.modules[module]


def test_an_edited_plug_in_is_another(plugin: Path, copied: Path) -> None:
    found = [code(copied, "plugged")]
    for file in (plugin / "plugged/rules.py", plugin / "plugged/data.py", copied / "linkers/strings/exact.py"):
        edit(file)
        found.append(code(copied, "plugged"))
    assert len(set(found)) == 4
    edit(copied / "linkers/strings/fuzzy.py")
    assert code(copied, "plugged") == found[-1]


def test_data_files_of_a_plug_in_count(plugin: Path) -> None:
    found = [code(PACKAGE, "plugged")]
    for name in ("names.tsv", "model/weights.bin"):
        (plugin / "plugged" / name).parent.mkdir(exist_ok=True)
        for text in ("a", "bc"):
            (plugin / "plugged" / name).write_text(text)
            found.append(code(PACKAGE, "plugged"))
    assert len(set(found)) == 5
    for name in ("__pycache__/names.nbi", "rules.pyc", ".hidden", ".git/HEAD"):
        (plugin / "plugged" / name).parent.mkdir(exist_ok=True)
        (plugin / "plugged" / name).write_text("x")
    assert code(PACKAGE, "plugged") == found[-1]


def test_a_large_file_of_a_plug_in_is_not_read(plugin: Path) -> None:
    large = plugin / "plugged" / "model.bin"
    with large.open("wb") as out:
        out.truncate(1 << 30)  # takes no room
    os.utime(large, (1, 1))
    found = code(PACKAGE, "plugged")
    with large.open("r+b") as out:
        out.write(b"x")
    written = code(PACKAGE, "plugged")
    os.utime(large, (1, 1))
    assert (written != found, code(PACKAGE, "plugged") == found) == (True, True)
    large.write_bytes(b"small")
    assert code(PACKAGE, "plugged") not in (found, written)


def test_a_new_version_of_a_plug_in_is_another(plugin: Path) -> None:
    def libraries() -> dict[str, str]:
        return software(LINKERS.load("plugged"), LinkRequest("plugged"))[1]

    before = libraries()
    assert before["plugged"] == "1.0"
    edit(plugin / "plugged-1.0.dist-info/METADATA", "Version: 1.0", "Version: 1.1")
    assert libraries() == before | {"plugged": "1.1"}


def test_a_linker_from_no_file_has_a_run_all_the_same() -> None:
    made: dict[str, Any] = {"__name__": "nowhere"}
    exec("class Mine:\n    summary = 'x'\n", made)
    assert software(made["Mine"], LinkRequest("mine"))[1]["pyarrow"]


# ---- the graph itself


def test_what_counts_as_an_import(tmp_path: Path) -> None:
    sources = {
        "__init__": "",
        "a": "if TYPE_CHECKING:\n    from p import unused\nelse:\n    import p.late\n",
        "late": "def f():\n    try:\n        from . import deep\n    except:\n        from .sub.inner import x\n",
        "deep": "match 1:\n    case 1:\n        import yaml, os.path\n",
        "unused": "import nothing",
        "sub/__init__": "from p.a import y",
        "sub/inner": "from ..other import z\nfrom .. import data as d\nfrom . import beside",
        "sub/beside": "import p.a as q",
        "other": "import this is no python",
        "data": "",
    }
    for name, text in sources.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.py").write_text(text)
    graph = Graph({"p": tmp_path})
    found = graph.reach(["p.a"])
    assert found == {f"p.{name}" for name in ("a", "late", "deep", "sub.inner", "sub.beside", "other", "data")}
    assert graph.libraries(found) == {"yaml"}
    assert graph.reach(["p.a"], ["p.late"]) == {"p.a"}
    assert graph.reach(["q", "p.none"]) == frozenset()


def test_versions_are_those_of_distributions() -> None:
    assert set(versions({"numpy", "_pytest", "no_such_package"})) == {"numpy", "pytest"}
