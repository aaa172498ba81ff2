"""Every verb that writes, killed at each of its changes to the file system, ends as if it had not been (SAFE-3)."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from endure.killing import sweep, tree

import linkassay
from linkassay.corpora.obtain import OwnCorpus, get_own_corpus


def assert_survives(result: dict[str, object], at_least: int) -> None:
    assert result["different"] == []
    assert isinstance(result["points"], int)
    assert result["points"] >= at_least  # a sweep that kills nothing proves nothing


def test_get(tmp_path: Path) -> None:
    assert_survives(sweep(["get", "mini"], tmp_path, limit=30), at_least=30)


def test_get_own(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("1|t|Gout in two brothers.\n1|a|\n1\t0\t4\tGout\tDisease\tD006073\n", encoding="utf-8")
    arguments = ["get", "--format", "pubtator", str(file), "--name", "mine", "--kb", "mesh"]
    assert_survives(sweep(arguments, tmp_path / "sweep"), at_least=6)


def test_get_own_second_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINKASSAY_HOME", str(tmp_path / "start"))
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for number, path in enumerate(paths):
        path.write_text(f"{number}|t|Gout again.\n{number}|a|\n{number}\t0\t4\tGout\tDisease\tD006073\n")
    get_own_corpus(OwnCorpus("mine", "pubtator", (paths[0],), split="train", kb="mesh"))
    arguments = ["get", "--format", "pubtator", str(paths[1]), "--name", "mine", "--kb", "mesh"]
    assert_survives(sweep(arguments, tmp_path / "sweep", tmp_path / "start"), at_least=8)


def test_kb_add(tmp_path: Path) -> None:
    (tmp_path / "aches.tsv").write_text("id\tname\n1\tPain\n2\tHeadache\n")
    description = tmp_path / "aches.toml"
    description.write_text(
        'name = "aches"\nprefix = "ache"\ntype = "disease"\nfiles = "aches.tsv"\nid = "id"\nnames = "name"\n'
    )
    assert_survives(sweep(["kb", "add", str(description)], tmp_path / "sweep", limit=20), at_least=15)


@pytest.fixture
def prepared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data home with the embedded benchmark and one run."""
    monkeypatch.setenv("LINKASSAY_HOME", str(tmp_path / "prepared"))
    linkassay.link("exact", "mini")
    return tmp_path / "prepared"


def assert_killed_between_shards(folder: Path) -> None:
    """At some point of the sweep the first shard was done and the second one was not."""
    killed = [path.parent for path in folder.glob("*/*/run-*/00000000")]
    assert any(list(work.glob(".00000032.*")) for work in killed)


def test_link(tmp_path: Path, prepared: Path) -> None:
    arguments = ["link", "normalised", "mini", "--split", "train"]
    assert_survives(sweep(arguments, tmp_path / "sweep", prepared, limit=14), at_least=14)
    assert_killed_between_shards(tmp_path / "sweep")


def test_prepare(tmp_path: Path, prepared: Path) -> None:
    arguments = ["prepare", "tfidf", "--kb", "mini"]
    assert_survives(sweep(arguments, tmp_path / "sweep", prepared, limit=14), at_least=14)


def test_link_prepares(tmp_path: Path, prepared: Path) -> None:
    """Killed before, within and after its preparation."""
    arguments = ["link", "fuzzy", "mini"]
    assert_survives(sweep(arguments, tmp_path / "sweep", prepared, limit=20), at_least=20)
    half = [path for path in (tmp_path / "sweep").glob("*/linkers/.fuzzy-*") if not (path / "manifest.json").exists()]
    done = list((tmp_path / "sweep").glob("*/linkers/fuzzy-*/manifest.json"))
    assert half
    assert done


def test_report(tmp_path: Path, prepared: Path) -> None:
    arguments = ["report", "mini/exact", "-o", "{home}/report.html"]
    assert_survives(sweep(arguments, tmp_path / "sweep", prepared, limit=8), at_least=2)


def test_demo(tmp_path: Path) -> None:
    assert_survives(sweep(["demo", "-o", "demo.html"], tmp_path, limit=2), at_least=2)


#: A linker that kills its worker, or the program that started it, at a change to the data home; once, while armed.
OWN = """
import os, signal, sys, time
from linkassay.linkers import Capabilities

changes = 0


def hook(event, details):
    global changes
    writing = event == "open" and isinstance(details[2], int) and details[2] & (os.O_WRONLY | os.O_RDWR)
    if not (writing or event in ("os.mkdir", "os.rename")) or os.environ["LINKASSAY_HOME"] not in str(details[0]):
        return
    changes += 1
    if os.environ.get("KILL", "").rpartition(":")[2] == str(changes):
        try:
            os.remove(os.environ["ARMED"])
        except FileNotFoundError:
            return
        os.kill(os.getpid() if os.environ["KILL"].startswith("worker") else os.getppid(), signal.SIGKILL)
        time.sleep(60)


class Own:
    summary = "entities with this name in lower case"
    capabilities = Capabilities(links=True)

    def prepare(self, kb, train):
        self.ids = {}
        for name, identifier in kb.sql("select name, id from names order by id"):
            self.ids.setdefault(name.lower(), []).append(identifier)
        sys.addaudithook(hook)

    def link(self, queries, top):
        with open(os.environ["LOG"], "a") as log:
            log.write(f"{os.getpid()} {queries[0].document}\\n")
        found = (self.ids.get(query.text.lower()) for query in queries)
        return [[(tuple(ids), 1.0)] if ids else [] for ids in found]
"""


class TwoWorkers:
    """`link ./own.py:Own` by two processes on documents for five shards, each time in a home as `start` is."""

    def __init__(self, folder: Path, start: Path) -> None:
        self.folder, self.start, self.home = folder, start, folder / "home"
        self.armed, self.log = folder / "armed", folder / "log"
        (folder / "own.py").write_text(OWN, encoding="utf-8")

    def link(self, kill: str = "", *, anew: bool = True) -> int:
        """The exit status; `kill` says who is killed at which change of a worker."""
        if anew:
            shutil.rmtree(self.home, ignore_errors=True)
            shutil.copytree(self.start, self.home)
        self.armed.touch()
        self.log.write_text("")
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join(sys.path), "LINKASSAY_HOME": str(self.home), "LOG": str(self.log),
            "KILL": kill, "ARMED": str(self.armed),
        }  # fmt: skip
        command = [sys.executable, "-m", "linkassay", "link", "./own.py:Own", "many", "--workers", "2"]
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, timeout=120, check=False)
        assert self.armed.exists() != bool(kill), "nobody was killed"
        return done.returncode

    def linked(self) -> list[tuple[str, str]]:
        """Of each shard that was linked the first document and who linked it, since `link` was called."""
        return sorted((document, pid) for pid, document in map(str.split, self.log.read_text().splitlines()))


@pytest.fixture
def two_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TwoWorkers:
    monkeypatch.setenv("LINKASSAY_HOME", str(tmp_path / "start"))
    linkassay.kb("mini")
    mention = {"spans": [[0, 4]], "type": "disease", "gold": [["mesh:D006073"]]}
    lines = (json.dumps({"id": f"{n:03}", "text": "Gout.", "mentions": [mention]}) for n in range(130))
    (tmp_path / "many.jsonl").write_text("\n".join(lines), encoding="utf-8")
    get_own_corpus(OwnCorpus("many", "jsonl", (tmp_path / "many.jsonl",), kb="mini"))
    return TwoWorkers(tmp_path, tmp_path / "start")


@pytest.mark.parametrize(("victim", "points"), [("program", (1, 2, 4, 7)), ("worker", (2, 6))])
def test_link_a_class_of_a_file_by_two_processes(two_workers: TwoWorkers, victim: str, points: tuple[int, ...]) -> None:
    """Killed at changes that the workers make: in their first shard, as it gets its name, and in the next one."""
    assert two_workers.link() == 0
    every, by = zip(*two_workers.linked(), strict=True)
    assert (every, len(set(by))) == (("000", "032", "064", "096", "128"), 2)
    expected = tree(two_workers.home)
    kept = 0
    for point in points:
        status = two_workers.link(f"{victim}:{point}")
        if victim == "program":
            assert status == -signal.SIGKILL
            done = {path.name[-3:] for path in two_workers.home.glob("work/run-*/0*")}
            status = two_workers.link(anew=False)
            assert done == set(every) - {document for document, _ in two_workers.linked()}  # done once, and not again
            kept += len(done)
        assert status == 0
        assert tree(two_workers.home) == expected, point
    assert kept >= (2 if victim == "program" else 0)  # two points are in a worker's second shard
