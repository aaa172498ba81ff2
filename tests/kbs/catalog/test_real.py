"""The real knowledge bases, through the command line, to the last count. Skips only without the real data."""

from __future__ import annotations

import gzip
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import linkassay
from tests.corpora.catalog.test_real_cli import run
from tests.helpers import delay


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, shared: Path, get_kb: Callable[[str], None]) -> Any:
    """Builds knowledge bases into one data home, each once."""
    done: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(tmp_path_factory.mktemp("home")))

        def build(name: str, folder: str) -> linkassay.kbs.stored_kb.Kb:  # type: ignore[name-defined]
            if name not in done:
                get_kb(name)
                [done[name]] = run("get", name, "--raw", shared / "kbs" / folder)
            return linkassay.kb(name)

        yield build


def test_taxonomy(built: Any) -> None:
    kb = built("ncbi_taxonomy", "ncbi_taxonomy_2013")
    info = run("info", "ncbi_taxonomy")
    assert (info["entities"], info["names"], info["history"]) == (1_038_022, 1_530_851, 28_609)
    assert (info["depth"] >= 30, info["roots"]) == (True, 1)
    assert kb.current("ncbitaxon:12") == ("ncbitaxon:74109",)
    assert kb.lookup("Homo sapiens") == ["ncbitaxon:9606"]
    assert kb.hierarchy.depths[kb.hierarchy.number("ncbitaxon:9606")] == 30
    [(homonyms,)] = kb.sql("select count(*) from (select 1 from names group by lower(name) having min(id) <> max(id))")
    assert homonyms == 1_838


def test_a_hundred_thousand_names_in_one_call(built: Any) -> None:
    kb = built("ncbi_taxonomy", "ncbi_taxonomy_2013")
    names = [row[0] for row in kb.sql("select name from names using sample reservoir(100000 rows) repeatable (7)")]
    begin = time.perf_counter()
    found = kb.lookup_many(names)
    assert time.perf_counter() - begin < 10 * delay()  # a rough guard; `make bench` measures it
    assert all(found)


def test_genes(built: Any, shared: Path) -> None:
    kb = built("ncbi_gene", "ncbi_gene")
    assert kb.manifest["counts"]["entities"] == 63_354 + 73_137 + 43_752 + 25_098
    assert kb.sql("select foreign_id from entities where id = 'ncbigene:2'") == [("ncbitaxon:9606",)]
    assert kb.names_of("ncbigene:2")[0] == "A2M"
    assert len(kb.subset(["ncbitaxon:7955"])) > 40_000


def test_mesh(built: Any) -> None:
    kb = built("mesh", "mesh")
    info = run("info", "mesh")
    assert (info["entities"], info["names"]) == (30_764 + 323_304, 783_967)
    assert len(kb.descendants("mesh:D009369")) == 704


@pytest.mark.parametrize(
    ("name", "folder", "entities"),
    [
        ("medic", "medic", 11_915),
        ("doid", "disease_ontologies", 11_454),
        ("mondo", "disease_ontologies", 23_964),
        ("hp", "disease_ontologies", 17_874),
        ("chebi", "chebi_2013", 41_136),
        ("cellosaurus", "cellosaurus", 64_234),
    ],
)
def test_counts(built: Any, name: str, folder: str, entities: int) -> None:
    built(name, folder)
    assert run("info", name)["entities"] == entities


def test_gold_coverage(built: Any, shared: Path) -> None:
    built("medic", "medic")
    built("mesh", "mesh")
    run("get", "ncbi_disease", "--raw", shared / "corpora" / "ncbi_disease")
    run("get", "bc5cdr", "--raw", shared / "corpora" / "bc5cdr")
    found = run("info", "ncbi_disease", "--kb", "medic")["coverage"]["splits"]["test"]
    assert found == {"disease": {"covered": 979, "gold_ids": 979}}
    found = run("info", "bc5cdr", "--kb", "mesh")["coverage"]["splits"]["test"]
    assert found["disease"] == {"covered": 4_419, "gold_ids": 4_430}
    assert found["chemical"] == {"covered": 5_104, "gold_ids": 5_370}


def test_replaced_ids_lead_to_current_ones(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MeSH with BELB's lists; of MeSH only the entities that the corpus or the lists name, which is faster."""
    monkeypatch.setenv("LINKASSAY_HOME", str(tmp_path / "home"))
    lists = shared / "corpora" / "belb_metadata"
    run("get", "bc5cdr", "--raw", shared / "corpora" / "bc5cdr")
    named = {i for d in linkassay.corpus("bc5cdr")["test"] for m in d.mentions for i in m.ids}
    named |= {f"mesh:{i}" for path in lists.glob("*/*.yaml") for i in re.findall(r"MESH:(\w+)", path.read_text())}
    for path in (shared / "kbs" / "mesh").glob("*_mappings.tsv.gz"):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            kept = [line for line in lines if f"mesh:{line.split(chr(9))[0]}" in named]
        (tmp_path / path.stem).write_text("".join(kept), encoding="utf-8")
    run("get", "mesh", "--raw", tmp_path, "--raw", lists)
    found = run("info", "bc5cdr", "--kb", "mesh")["coverage"]["splits"]["test"]
    assert found["disease"] == {"covered": 4_430, "gold_ids": 4_430}
    assert found["chemical"] == {"covered": 5_347, "gold_ids": 5_370}
    assert linkassay.kb("mesh").current("mesh:C040029") == ("mesh:D000077206",)


def test_synchronising_with_medic_changes_ids_and_keeps_the_original(built: Any, shared: Path) -> None:
    built("medic", "medic")
    raw = shared / "corpora" / "ncbi_disease"
    [plain] = run("get", "ncbi_disease", "--raw", raw)
    [synced] = run("get", "ncbi_disease", "--raw", raw, "--sync", "medic")
    assert synced["revision"] != plain["revision"]
    prepared = synced["reports"]["all"]["prepared"]
    assert prepared["test: ids replaced"] > 0
    assert prepared.get("test: ids removed", 0) == 0  # the KB has all of them
    changed = [m for d in linkassay.corpus("ncbi_disease")["test"] for m in d.mentions if m.raw]
    assert all(i in linkassay.kb("medic") for m in changed[:50] for i in m.ids)
