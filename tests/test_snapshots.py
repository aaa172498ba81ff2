"""What is frozen beside the docs' commands (tests/test_docs.py): the demo's page, its runs, the bytes of its data."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import linkassay
from linkassay.cli.demo import LINKED
from linkassay.explorer import embed
from linkassay.pages.page_data import gather_page
from linkassay.scoring.results import Result
from tests.snapshots import check, differences, masked
from tests.standins.name_spotter import spotted


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A data home with the demo's runs and two of systems that find mentions themselves."""
    path = tmp_path_factory.mktemp("frozen")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(path))
        linkassay.get("mini")
        runs = [linkassay.link(name, "mini", abbreviations=abbreviations) for name, abbreviations in LINKED]
        yield path, [*runs, spotted(), linkassay.link("spotter", "mini", give="text"), linkassay.link("house", "mini")]


def test_corpus_and_knowledge_base_to_the_byte(demo: Any) -> None:
    path, _ = demo
    found = {}
    for file in sorted(path.glob("corpora/mini/*/*")) + sorted(path.glob("kbs/mini/*/*")):
        if file.suffix == ".parquet":
            found[f"{file.relative_to(path).parts[0]}/{file.name}"] = hashlib.sha256(file.read_bytes()).hexdigest()[:16]
    manifests = {p.relative_to(path).parts[0]: json.loads(p.read_text()) for p in path.glob("*/mini/*/manifest.json")}
    assert len(found) >= 10
    check("mini/bytes", found)
    check("mini/manifests", manifests)


def test_runs(demo: Any) -> None:
    """`run.json` of each run, and its predictions to the byte."""
    _, runs = demo
    for run in runs:
        name = run.system + ("-abbreviations" if "abbreviations" in run.about["parameters"] else "")
        name += "-imported" if run.system == "spotter" and "give" not in run.about["parameters"] else ""
        digest = hashlib.sha256((run.path / "predictions.parquet").read_bytes()).hexdigest()[:16]
        check(f"mini/run-{name}", run.about | {"predictions": digest})


#: What runs cost, the same each time, so that the page is the same each time.
_COSTS = {
    "seconds": 1.5, "finished": 1.5e9, "mentions_per_second": 100.0, "peak_memory_bytes": 10**8,
    "host": {"system": "Linux", "cores": 2, "python": "3"}, "packages": {"numpy": "2"},
}  # fmt: skip


def test_the_page(demo: Any) -> None:
    """Everything that the page of the demo shows; of pictures the hash."""
    _, runs = demo
    for run in runs:
        run.about |= {key: _COSTS[last] for key in run.about if (last := key.rpartition("_")[2]) in _COSTS}
        run.about |= {key: _COSTS[key] for key in run.about if key in _COSTS}
    result = Result([linkassay.score(run) for run in runs])
    data = gather_page(result)
    for corpus in data["corpora"]:
        for section in (*corpus["before"], *corpus["after"]):
            check(f"mini/page-{section['id']}", _hashed(section))
        del corpus["before"], corpus["after"]
    check("mini/page", data)
    check("mini/page-columns", {key: _digest(value) for key, value in embed(result.cohorts)["cohorts"][0].items()})


def _hashed(block: Any) -> Any:
    """A section with its pictures as hashes; what varies from time to time is taken out."""
    if isinstance(block, list):
        return [_hashed(each) for each in block]
    if not isinstance(block, dict):
        return block
    if block.get("kind") == "chart":
        return {k: v for k, v in block.items() if isinstance(v, str | int)} | {"spec": _digest(block["spec"])}
    return {key: _hashed(value) for key, value in block.items()}


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(masked(value), sort_keys=True).encode()).hexdigest()[:16]


def test_differences_are_said_in_words() -> None:
    kept, found = {"a": [1, {"b": 2}], "c": 3}, {"a": [1, {"b": 4}], "d": 3}
    assert sorted(differences(kept, found)) == ["$.a[1].b: was 2, is 4", "$: 'c' is gone", "$: 'd' is new"]


def test_what_varies_is_masked(tmp_path: Path) -> None:
    given = {"link_seconds": 1.5, "run": "exact-0a1b2c3d4e5f", "at": f"{tmp_path}/x.html", "value": 1 / 3, "n": 12}
    assert masked(given) == {
        "link_seconds": "*", "run": "exact-<fingerprint>", "at": "<path>", "value": 0.333333333333, "n": 12,
    }  # fmt: skip
