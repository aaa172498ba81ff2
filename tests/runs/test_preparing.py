"""Linkers made ready once (LINKER-14): what is stored, for whom, and that answers do not depend on who made it."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
import pytest

import linkassay
from linkassay import store
from linkassay.engine import Engine
from linkassay.errors import LinkassayError, UsageError
from linkassay.linkers import LINKERS, Capabilities, Query, capabilities_of
from linkassay.linkers.strings.tfidf import Tfidf
from linkassay.runs import LinkRequest, Run, execute, preparing
from tests.linkers.neural.models import tiny_model

pytestmark = pytest.mark.usefixtures("home_with_mini")

#: Those of the registry that store what they prepare.
STORING = [name for name in LINKERS if capabilities_of(LINKERS.load(name), name).stores]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tiny_model(tmp_path_factory.mktemp("models") / "tiny"))


def made_with(name: str, model: str) -> dict[str, Any]:
    """Options with which a linker does all that it can."""
    return {"model": model, "training_names": True} if LINKERS.load(name).capabilities.wants_model else {}


class Keeper:
    """Answers with the first id of its index, or with the one that training meant most often."""

    summary = "for tests, answers everything alike"
    capabilities = Capabilities(links=True, trains=True, stores=True, wants_corpus=True)
    did: ClassVar[list[str]] = []

    def __init__(self, rank: int = 0) -> None:
        self._rank = rank

    def about(self, corpus: Any) -> None:
        self._corpus = corpus.name

    def prepare(self, kb: Any, train: Any) -> None:
        assert not list(train)
        self.did.append("index")
        self._ids = [row[0] for row in kb.sql("select id from entities order by id")]
        self._usual: str | None = None

    def store_index(self, files: store.MappedFolder) -> None:
        files.put_texts("ids", self._ids)

    def open_index(self, kb: Any, files: store.MappedFolder) -> None:
        self.did.append("open")
        self._ids = files.texts("ids")  # type: ignore[assignment]
        self._usual = None

    def train(self, documents: Iterable[Any]) -> None:
        meant = sorted(i for d in documents for m in d.mentions for i in m.ids)
        if meant:
            self.did.append("train")
            self._usual = max(dict.fromkeys(meant), key=meant.count)

    def store_training(self, files: store.MappedFolder) -> None:
        files.put_record("usual", self._usual)

    def open_training(self, files: store.MappedFolder) -> None:
        self.did.append("learned")
        self._usual = files.record("usual")

    def link(self, queries: Any, top: int) -> list[Any]:
        return [[((self._usual or self._ids[self._rank],), 1.0)] for _ in queries]


@pytest.fixture
def keeper(monkeypatch: pytest.MonkeyPatch) -> type[Keeper]:
    found = type("Keeper", (Keeper,), {"did": [], "capabilities": Keeper.capabilities})
    load = LINKERS.load
    monkeypatch.setattr(LINKERS, "load", lambda name: found if name == "keeper" else load(name))
    return found


def folders() -> list[str]:
    return sorted(path.name for path in (store.home() / "linkers").glob("*"))


def said(run: Run) -> list[Any]:
    return [(p.mention, p.groups, p.scores) for p in run.predictions()]


def test_a_second_run_indexes_nothing(keeper: type[Keeper]) -> None:
    first = linkassay.link("keeper", "mini")
    assert keeper.did == ["index", "open", "train", "open", "learned"]
    keeper.did.clear()
    second = linkassay.link("keeper", "mini/disease")
    assert keeper.did == ["open", "train", "open", "learned"]  # another corpus, another training
    assert second.about["prepared"][0] == first.about["prepared"][0]
    assert second.about["prepared"][1] != first.about["prepared"][1]
    keeper.did.clear()
    linkassay.link("keeper", "mini", split="dev")
    assert keeper.did == ["open", "learned"]
    assert folders() == sorted({*first.about["prepared"], *second.about["prepared"]})


def test_what_preparing_cost_is_told_by_every_run(keeper: type[Keeper]) -> None:
    runs = [linkassay.link("keeper", "mini", split=split).about for split in ("test", "dev")]
    for key in ("index_seconds", "train_seconds", "prepare_cpu_seconds"):
        assert runs[0][key] == runs[1][key]
    assert runs[0]["index_seconds"] > 0
    assert runs[0]["prepare_seconds"] == runs[0]["index_seconds"] + runs[0]["train_seconds"]


def test_made_ready_beforehand(keeper: type[Keeper]) -> None:
    rows = linkassay.prepare("keeper", kb="mini", train_on="mini")
    assert [(row["stage"], row["fresh"]) for row in rows] == [("index", True), ("training", True)]
    assert [row["fresh"] for row in linkassay.prepare("keeper", kb="mini", train_on=["mini:train"])] == [False, False]
    assert [row["fresh"] for row in linkassay.prepare("keeper", kb="mini")] == [False]
    keeper.did.clear()
    run = linkassay.link("keeper", "mini")
    assert keeper.did == ["open", "learned"]
    assert run.about["prepared"] == [row["name"] for row in rows]


def test_nothing_to_learn_from_is_no_training(keeper: type[Keeper]) -> None:
    run = linkassay.link("keeper", "mini", train_on="none")
    assert len(run.about["prepared"]) == 1
    assert "learned" not in keeper.did
    least = linkassay.kb("mini").sql("select min(id) from entities")[0][0]
    assert {groups for _, groups, _ in said(run)} == {((least,),)}


@pytest.mark.parametrize(
    ("change", "stages"),
    [
        ({"split": "dev"}, []),
        ({"top": 3}, []),
        ({"system": "other"}, []),
        ({"train_on": "mini:dev"}, ["training"]),
        ({"abbreviations": "schwartz-hearst"}, ["training"]),
        ({"rank": 1}, ["index", "training"]),
    ],
)
def test_what_is_prepared_anew(keeper: type[Keeper], change: dict[str, Any], stages: list[str]) -> None:
    linkassay.link("keeper", "mini")
    before = folders()
    linkassay.link("keeper", "mini", **change)
    new = [name for name in folders() if name not in before]
    assert sorted(store.read_json(store.home() / "linkers" / name / "manifest.json")["stage"] for name in new) == stages


def test_what_was_made_by_other_code_is_not_used(keeper: type[Keeper], monkeypatch: pytest.MonkeyPatch) -> None:
    linkassay.prepare("keeper", kb="mini")
    monkeypatch.setattr(preparing, "software", lambda *_: ("other", {}))
    assert linkassay.prepare("keeper", kb="mini")[0]["fresh"]


@pytest.mark.parametrize("damage", ["cut", "a bit", "gone", "no manifest", "no json", "other json"])
def test_what_is_not_as_it_was_written_is_made_anew(keeper: type[Keeper], damage: str) -> None:
    name = linkassay.prepare("keeper", kb="mini")[0]["name"]
    folder = store.home() / "linkers" / name
    if damage == "cut":
        file = folder / "ids.letters.npy"
        file.write_bytes(file.read_bytes()[:-1])
    elif damage == "a bit":
        file = folder / "ids.starts.npy"
        file.write_bytes(file.read_bytes()[:-1] + b"\x40")
    elif damage == "gone":
        (folder / "ids.starts.npy").unlink()
    elif damage == "no manifest":
        (folder / "manifest.json").unlink()
    else:
        (folder / "manifest.json").write_text("{" if damage == "no json" else '{"files": {"ids.starts.npy": 7}}')
    assert linkassay.prepare("keeper", kb="mini")[0]["fresh"]
    assert not linkassay.prepare("keeper", kb="mini")[0]["fresh"]
    assert folders() == [name]


def test_several_at_once_make_it_once(keeper: type[Keeper]) -> None:
    made: list[Any] = []
    threads = [threading.Thread(target=lambda: made.extend(linkassay.prepare("keeper", kb="mini"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(row["fresh"] for row in made) == [False, False, False, True]
    assert keeper.did == ["index"]
    assert not list((store.home() / "work").glob("prepare-*"))


def test_a_linker_that_fails_leaves_nothing(keeper: type[Keeper], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise ValueError("no room")

    monkeypatch.setattr(keeper, "store_index", broken)
    with pytest.raises(LinkassayError, match="linker 'keeper' could not be prepared: ValueError: no room"):
        linkassay.link("keeper", "mini")
    assert folders() == []


def test_a_large_knowledge_base_is_indexed_by_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(preparing, "_LARGE", 0)
        patched.setattr(Tfidf, "prepare", lambda *_: pytest.fail("it is prepared here"))
        apart = linkassay.link("tfidf", "mini")
    shutil.rmtree(store.home() / "linkers")
    assert said(execute.link(LinkRequest("tfidf", "mini"), again=True)[0]) == said(apart)


def test_a_process_of_its_own_says_what_is_wrong(keeper: type[Keeper], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparing, "_LARGE", 0)
    with pytest.raises(LinkassayError, match="unknown linker 'keeper'"):
        linkassay.prepare("keeper", kb="mini")  # which no other process knows


def test_linkers_that_keep_nothing() -> None:
    with pytest.raises(
        UsageError, match=r"'exact' keeps nothing that could be prepared; those that do: biosyn, fuzzy, "
    ):
        linkassay.prepare("exact", kb="mini")
    with pytest.raises(UsageError, match="--train-on is for linkers that learn; 'tfidf' does not"):
        linkassay.prepare("tfidf", kb="mini", train_on="mini")
    assert "prepared" not in linkassay.link("exact", "mini").about


@pytest.mark.parametrize("name", STORING)
def test_answers_are_those_of_a_linker_prepared_in_memory(name: str, model: str) -> None:
    able = capabilities_of(LINKERS.load(name), name)
    plain = LINKERS.load(name)(**made_with(name, model))
    if able.wants_corpus:
        plain.about(linkassay.corpus("mini"))
    plain.prepare(linkassay.kb("mini"), ())
    if able.trains:
        plain.train(linkassay.corpus("mini")["train"])
    documents = list(linkassay.corpus("mini")["test"])
    expected = [
        (mention.id, tuple(ids for ids, _ in answer), tuple(score for _, score in answer))
        for document in documents
        for mention, answer in zip(
            document.mentions,
            plain.link([Query(m.text, m.type, m.spans, document.id, document.text) for m in document.mentions], 10),
            strict=True,
        )
    ]
    assert sorted(said(linkassay.link(name, "mini", give="mentions", **made_with(name, model)))) == sorted(expected)


@pytest.mark.parametrize("name", STORING)
def test_one_worker_or_two_say_the_same(name: str, model: str) -> None:
    request = LinkRequest(name, "mini", split="train", allow_leak=True, options=made_with(name, model))
    runs = [execute.link(request, again=True, engine=Engine(workers=n))[0] for n in (1, 2)]
    tables = [(run.path / "predictions.parquet").read_bytes() for run in runs]
    assert tables[0] == tables[1]
    assert runs[0].about["prepared"] == runs[1].about["prepared"]


@pytest.mark.parametrize("name", STORING)
def test_only_plain_files_are_written(name: str, model: str) -> None:
    run = linkassay.link(name, "mini", **made_with(name, model))
    for folder in (store.home() / "linkers" / each for each in run.about["prepared"]):
        for path in folder.iterdir():
            assert path.suffix in (".npy", ".json")
            if path.suffix == ".npy":
                np.load(path, allow_pickle=False)
            else:
                json.loads(path.read_text(encoding="utf-8"))


def test_what_is_there_is_listed(keeper: type[Keeper]) -> None:
    from linkassay.listing import LISTINGS

    assert LISTINGS["prepared"]() == []
    linkassay.prepare("keeper", kb="mini", train_on="mini")
    rows = LISTINGS["prepared"]()
    assert {row["stage"] for row in rows} == {"index", "training"}
    assert {row["kb"] for row in rows} == {linkassay.kb("mini").pinned}


def test_one_text_is_grounded_by_the_same_index(keeper: type[Keeper], monkeypatch: pytest.MonkeyPatch) -> None:
    found = linkassay.ground("asthma", kb="mini", linker="tfidf").rows
    assert [name.partition("-")[0] for name in folders()] == ["tfidf"]
    assert linkassay.link("tfidf", "mini").about["prepared"] == folders()
    assert found
