"""The real corpora, through the command line, to the last count. Skips only without the real data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import linkassay
from linkassay.cli import app


def run(*arguments: object, code: int = 0) -> Any:
    """Run a verb with --json; returns what it printed."""
    result = CliRunner().invoke(app, [*map(str, arguments), "--json"], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)


def counts(info: Any, what: str) -> list[int]:
    return [info["splits"][split][what] for split in ("train", "dev", "test")]


def by_type(info: Any, type_: str, what: str) -> list[int]:
    return [info["splits"][split]["types"][type_][what] for split in ("train", "dev", "test")]


def test_ncbi_disease(shared: Path, home: Path) -> None:
    [got] = run("get", "ncbi_disease", "--raw", shared / "corpora" / "ncbi_disease")
    assert got["fresh"]
    [report] = got["reports"].values()
    assert report["counts"] == {}
    assert {fix["document"] for fix in report["fixes"]} >= {"8528200"}
    info = run("info", "ncbi_disease")
    assert {"name", "revision", "licence", "splits", "test_unseen_entities", "test_unseen_synonyms"} <= set(info)
    assert counts(info, "documents") == [592, 100, 100]
    assert counts(info, "annotations") == [5134, 787, 960]
    assert (info["test_unseen_entities"], info["test_unseen_synonyms"]) == (150, 185)
    assert run("check", "ncbi_disease")["ok"]
    texts = {m.text for d in linkassay.corpus("ncbi_disease") for m in d.mentions}
    assert len(texts) == 2136  # BioEL table 9: unique mentions
    [again] = run("get", "ncbi_disease", "--raw", shared / "corpora" / "ncbi_disease")
    assert not again["fresh"]


def test_abbreviations_are_those_of_bioel(shared: Path, home: Path) -> None:
    """BioEL table 9, before any exclusion: 1 611 abbreviated mentions of 143 texts."""
    run("get", "ncbi_disease", "--raw", shared / "corpora" / "ncbi_disease")
    file = shared / "corpora" / "abbreviations" / "abbreviations.json.gz"
    assert run("info", "ncbi_disease", "--abbreviations", file)["abbreviations"] == {"mentions": 1611, "unique": 143}


@pytest.mark.parametrize("form", ["PubTator.txt", "BioC.xml"])
def test_bc5cdr(shared: Path, home: Path, tmp_path: Path, form: str) -> None:
    for path in (shared / "corpora" / "bc5cdr").glob(f"*.{form}.gz"):
        (tmp_path / path.name).symlink_to(path)
    run("get", "bc5cdr", "--raw", tmp_path)
    info = run("info", "bc5cdr")
    assert counts(info, "documents") == [500, 500, 500]
    assert by_type(info, "chemical", "annotations") == [5203, 5347, 5385]
    assert by_type(info, "disease", "annotations") == [4182, 4244, 4424]
    assert by_type(info, "chemical", "without_id") == [44, 43, 30]
    assert by_type(info, "disease", "without_id") == [32, 16, 61]
    parts = [n - m for n, m in zip(counts(info, "labels"), counts(info, "annotations"), strict=True)]
    assert parts == ([0, 0, 0] if form == "PubTator.txt" else [185, 182, 119])
    assert run("check", "bc5cdr")["ok"]
    disease = linkassay.corpus("bc5cdr/disease")
    assert sum(len(d.mentions) for d in disease["test"]) == 4424


@pytest.mark.parametrize(
    ("name", "documents", "types", "read", "errors"),
    [
        ("GNormPlus", (432, 262), ["Gene"], (4246, 3288), (14, 3)),
        ("GNormPlus", (432, 262), [], None, (35, 4)),
        ("SPECIES", (639, 160), [], (3053, 739), (0, 0)),
        ("Linnaeus", (80, 20), [], (2321, 576), (0, 0)),
        ("tmVar3", (342, 158), [], None, 21),
        ("BioID", (9704, 3993), [], (4137, 1453), 1),
    ],
)
def test_reannotated(
    shared: Path, home: Path, name: str, documents: tuple[int, int], types: list[str], read: Any, errors: Any
) -> None:
    found_errors, found_read = [], []
    for split, n in zip(("Train", "Test"), documents, strict=True):
        [path] = (shared / "corpora" / "pubtator_reannotated").glob(f"{name}_{split}*")
        options = [word for t in types for word in ("--type", t)]
        [got] = run("get", "--format", "pubtator", path, "--name", f"x-{split}", "--skip-bad", *options)
        assert got["splits"]["test"]["documents"] == n
        report = got["reports"]["test"]
        found_errors.append(sum(report["counts"].values()))
        found_read.append(sum(report["read"].values()))
    assert (sum(found_errors) if isinstance(errors, int) else tuple(found_errors)) == errors
    if read is not None:
        assert tuple(found_read) == read


def test_check_lists_offset_errors_and_exits_1(shared: Path, home: Path) -> None:
    path = shared / "corpora" / "pubtator_reannotated" / "GNormPlus_Test.PubTator.gz"
    result = run("check", path, code=1)
    assert result["problems"]["counts"] == {"offset": 4}
    assert {"kind": "offset", "type": "Gene", "count": 3} in result["problems"]["by_type"]
    example = result["problems"]["examples"][0]
    assert example["document"]
    assert example["found"] != example["expected"]


def test_linnaeus_spans(shared: Path, home: Path) -> None:
    path = shared / "corpora" / "linnaeus_spans" / "LINNAEUS_GSC_brat.tar.gz"
    [got] = run("get", "--format", "brat", path, "--name", "linnaeus-spans")
    assert (got["splits"]["test"]["documents"], got["splits"]["test"]["annotations"]) == (100, 4259)
    assert run("check", "linnaeus-spans")["ok"]


@pytest.mark.parametrize(
    ("name", "documents", "labels", "roots"), [("wiki-fair", 80, 1961, 1761), ("news-fair", 40, 545, 507)]
)
def test_elevant_benchmarks(shared: Path, home: Path, name: str, documents: int, labels: int, roots: int) -> None:
    [got] = run("get", name, "--raw", shared / "e2e" / "benchmarks")
    found = got["splits"]["test"]
    assert (found["documents"], found["labels"], found["annotations"]) == (documents, labels, roots)


@pytest.mark.parametrize(
    ("file", "annotations", "with_id"),
    [("OSIRIScorpusv01.xml.gz", 554, 253), ("SETH_OSIRIS_corpus.xml.gz", 563, 261)],
)
def test_osiris(shared: Path, home: Path, tmp_path: Path, file: str, annotations: int, with_id: int) -> None:
    raw = tmp_path / "raw"
    raw.mkdir()
    (raw / file).symlink_to(shared / "corpora" / "snp_osiris" / file)
    run("get", "osiris", "--raw", raw)
    test = run("info", "osiris")["splits"]["test"]
    assert test["documents"] == 105
    assert (test["annotations"], test["annotations"] - test["without_id"]) == (annotations, with_id)
    assert sum(any(m.gold for m in d.mentions) for d in linkassay.corpus("osiris")) == 57


def test_snp(shared: Path, home: Path) -> None:
    run("get", "snp", "--raw", shared / "corpora" / "snp_osiris")
    test = run("info", "snp")["splits"]["test"]
    assert (test["documents"], test["annotations"] - test["without_id"]) == (296, 527)
