"""The index: what there is, without reading again what has not changed."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import linkassay
from linkassay.serving import run_index
from linkassay.serving.refusals import RefusedError
from linkassay.serving.run_index import RunIndex


def told(index: RunIndex) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(index.now().answer)
    return found


def test_runs_corpora_and_knowledge_bases(served_home: Path) -> None:
    found = told(RunIndex(served_home))
    rows = {row["system"]: row for row in found["rows"]}
    assert {name: (row["state"], row["task"]) for name, row in rows.items()} == {
        "exact": ("ready", "given"), "normalised": ("ready", "given"), "spotter": ("ready", "found")
    }  # fmt: skip
    run = linkassay.run("mini/exact")
    exact = rows["exact"]
    assert (exact["run"], exact["name"], exact["corpus"], exact["split"]) == (run.key, "mini/exact", "mini", "test")
    assert (exact["finished"], exact["mentions"], exact["documents"]) == (run.about["finished"], 343, 32)
    assert exact["cost"]["memory"] == run.about["peak_memory_bytes"]
    score = linkassay.score(run).rows()
    assert exact["figures"] == [dict(row) for row in score]
    [leading] = [row for row in score if row["measure"] == "recall@1"]
    assert exact["leading"] == {key: leading[key] for key in ("measure", "value", "low", "high", "n")}
    spotter = rows["spotter"]["leading"]
    assert (spotter["measure"], spotter["preset"], spotter["nil"]) == ("all_f1", "fair", "ignored")
    assert spotter["value"] == rows["spotter"]["figures"][0]["all_f1"]
    [corpus], [kb] = found["corpora"], found["kbs"]
    assert (corpus["name"], corpus["splits"], corpus["documents"], corpus["mentions"]) == (
        "mini", ["train", "dev", "test"], 110, 1175
    )  # fmt: skip
    assert (kb["name"], kb["entities"], kb["names"]) == ("mini", 1056, 5772)
    assert kb["types"] == {}  # its classes have no names


def test_classes_have_names(served_home: Path) -> None:
    """Of a knowledge base that has some; many are no types of mentions but taxa, and a damaged table hides nothing."""
    [revision] = (each for each in (served_home / "kbs" / "mini").iterdir() if each.is_dir())
    classes = {"id": ["wikidata:Q5", "wikidata:Q6", "wikidata:Q7"], "name": ["person", "", "place"]}
    pq.write_table(pa.table(classes), revision / "foreign.parquet")

    def types(count: int) -> dict[str, str]:
        manifest = json.loads((revision / "manifest.json").read_text())
        manifest["counts"]["foreign"] = count
        (revision / "manifest.json").write_text(json.dumps(manifest))
        [kb] = told(RunIndex(served_home))["kbs"]
        return dict(kb["types"])

    assert types(3) == {"Q5": "person", "Q7": "place"}
    assert types(2_000_000) == {}
    (revision / "foreign.parquet").write_bytes(b"nothing")
    assert types(3) == {}


def test_nothing_is_read_twice(served_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []
    whole = run_index._bytes
    monkeypatch.setattr(run_index, "_bytes", lambda path: (read.append(path), whole(path))[1])
    figures: list[Path] = []
    kept = run_index.kept_figures
    monkeypatch.setattr(run_index, "kept_figures", lambda path, about: (figures.append(path), kept(path, about))[1])
    index = RunIndex(served_home)
    first = index.now()
    assert (len(read), len(figures)) == (5, 3)
    assert index.now() is first
    assert (len(read), len(figures)) == (5, 3)


def test_new_changed_and_removed_runs_show(served_home: Path) -> None:
    index = RunIndex(served_home)
    first = index.now()
    run = linkassay.link("exact", "mini", top=3)
    second = index.now()
    assert set(second.runs) - set(first.runs) == {f"mini/{run.key}"}
    assert second.etag != first.etag
    (run.path / "figures.json").unlink()
    assert [each.key for each in index.now().waiting] == [run.key]
    linkassay.link("exact", "mini", top=3)
    assert index.now().waiting == []
    shutil.rmtree(run.path)
    assert index.now().etag == first.etag
    with pytest.raises(RefusedError) as refused:
        index.now().run(f"mini/{run.key}")
    assert refused.value.status == 404


def test_figures_of_other_predictions_are_not_shown(served_home: Path) -> None:
    index = RunIndex(served_home)
    run = linkassay.run("mini/exact")
    with (run.path / "predictions.parquet").open("ab") as file:
        file.write(b"more")
    assert [each.key for each in index.now().waiting] == [run.key]


def test_figures_elsewhere_and_failures(served_home: Path, tmp_path: Path) -> None:
    run = linkassay.run("mini/exact")
    figures = run.path / "figures.json"
    elsewhere = tmp_path / "kept.json"
    figures.rename(elsewhere)
    failed = [""]
    index = RunIndex(served_home, lambda _: elsewhere, lambda _: failed[0])
    assert index.now().waiting == []
    elsewhere.unlink()
    assert len(index.now().waiting) == 1
    failed[0] = "no memory"
    home = index.now()
    assert home.waiting == []
    [row] = [row for row in told(index)["rows"] if row["system"] == "exact"]
    assert (row["state"], row["why"]) == ("failed", "no memory")


_ODD = '{"corpus": 1, "system": {}, "split": [], "kb": null, "kb_revision": 2}'


@pytest.mark.parametrize("record", ["", "[]", "{}", "null", _ODD, "[" * 99_999, '{"a":' * 99_999], ids=range(7))
def test_a_broken_run_does_not_hide_the_others(served_home: Path, record: str) -> None:
    folder = served_home / "runs" / "mini" / "broken-1"
    folder.mkdir()
    (folder / "run.json").write_text(record, encoding="utf-8")
    rows = told(RunIndex(served_home))["rows"]
    assert len(rows) == 4
    [row] = [row for row in rows if row["run"] == "broken-1"]
    assert row["state"] in ("failed", "waiting")
    assert row.keys() == rows[-1].keys()


def test_other_files_of_a_home(served_home: Path) -> None:
    before = RunIndex(served_home).now()
    (served_home / "runs" / "mini" / ".half.linkassay-new").mkdir()
    (served_home / "runs" / "mini" / "no-run").mkdir()
    (served_home / "runs" / "note.txt").write_text("x")
    (served_home / "corpora" / "half").mkdir()
    (served_home / "corpora" / "odd").mkdir()
    (served_home / "corpora" / "odd" / "current").write_text("missing")
    assert RunIndex(served_home).now().answer == before.answer


def test_no_home(tmp_path: Path) -> None:
    assert told(RunIndex(tmp_path / "none")) == {"rows": [], "corpora": [], "kbs": []}


def test_hostile_names_are_texts(served_home: Path) -> None:
    folder = served_home / "runs" / "mini" / "hostile-1"
    shutil.copytree(linkassay.run("mini/exact").path, folder)
    about = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    name = '</script><img src=x onerror="alert(1)">\u2028'
    (folder / "run.json").write_text(json.dumps(about | {"system": name}), encoding="utf-8")
    [row] = [row for row in told(RunIndex(served_home))["rows"] if row["run"] == "hostile-1"]
    assert row["system"] == name


def test_two_hundred_runs_are_looked_at_in_no_time(served_home: Path) -> None:
    of = linkassay.run("mini/exact").path
    for number in range(200):
        shutil.copytree(of, served_home / "runs" / f"c{number % 50}" / f"exact-{number}")
    index = RunIndex(served_home)
    begin = time.process_time()
    index.now()
    cold = time.process_time() - begin
    warm = []
    for _ in range(5):
        begin = time.process_time()
        index.now()
        warm.append(time.process_time() - begin)
    assert cold < 3
    assert min(warm) < 0.05


def test_runs_of_one_system_are_told_apart(served_home: Path) -> None:
    linkassay.link("exact", "mini", abbreviations="schwartz-hearst")
    linkassay.link("exact", "mini", split="dev")
    labels = {(row["label"], row["split"]) for row in told(RunIndex(served_home))["rows"]}
    assert labels == {("exact", "test"), ("exact + abbreviations", "test"), ("exact", "dev"), ("normalised", "test"),
                      ("spotter", "test")}  # fmt: skip
