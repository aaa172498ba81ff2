"""What the house linker stores (LINKER-14): opened, it answers as if it had been prepared and trained here."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import linkassay
from linkassay.engine import Engine
from linkassay.kbs import Kb
from linkassay.kbs.building.build import build_kb
from linkassay.linkers.house.linker import House, Untrained
from linkassay.linkers.protocol import Query
from linkassay.model import Document, Mention
from linkassay.runs import execute
from linkassay.runs.preparing import all_prepared
from linkassay.runs.request import LinkRequest
from linkassay.runs.stored_run import Run
from linkassay.store import MappedFolder
from tests.kbs.building.test_build import entity, spec

WORDS = "renal kidney failure acute ischemia ischemic tumor cancer type 2 α E. + mBAX".split()  # noqa: SIM905
#: Entities, training documents, documents to link.
Task = tuple[list[dict[str, Any]], list[Document], list[Document]]

names = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)


@st.composite
def knowledge(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Entities, maybe with parents, foreign ids and types."""
    levels, foreign = draw(st.booleans()), draw(st.booleans())
    found = []
    for n in range(draw(st.integers(1, 9))):
        more: dict[str, Any] = {"obsolete": n == 7}
        if levels and n:
            relation = draw(st.sampled_from(["is_a", "mapped_to"]))
            more["parents"] = [[f"t:{draw(st.integers(0, n - 1))}", relation]]
        if foreign:
            more["foreign"] = draw(st.sampled_from(["ncbitaxon:9606", "ncbitaxon:10090"]))
        more["type"] = draw(st.sampled_from(["disease", "gene", ""]))
        found.append(entity(f"t:{n}", *draw(st.lists(names, min_size=1, max_size=3, unique=True)), **more))
    return found


@st.composite
def document(draw: st.DrawFn, number: int, last: int) -> Document:
    """Mentions of names and of ids, some of which no knowledge base has, one after another."""
    text, mentions = "Human ", []
    for n in range(draw(st.integers(1, 4))):
        said = draw(names)
        gold = f"t:{draw(st.integers(0, last))}"
        mentions.append(Mention(f"d{number}.{n}", f"d{number}", ((len(text), len(text) + len(said)),), said,
                                draw(st.sampled_from(["disease", "gene"])), (frozenset({gold}),)))  # fmt: skip
        text += said + draw(st.sampled_from([" and ", " (", ") in mice "]))
    return Document(f"d{number}", text, annotations=tuple(mentions))


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    kb = draw(knowledge())
    documents = [draw(document(n, len(kb) + 2)) for n in range(draw(st.integers(1, 7)))]
    cut = draw(st.integers(0, len(documents) - 1))
    return kb, documents[:cut], documents[cut:]


def answers(linker: Untrained, documents: list[Document]) -> list[Any]:
    return linker.link([Query(m.text, m.type, m.spans, d.id, d.text) for d in documents for m in d.mentions], 10)


def reopened(linker: House, kb: Kb, documents: list[Document], folder: Path) -> House:
    """As the runner does: one process indexes, a second trains on the opened index, a third opens both."""
    index, training = folder / "index", folder / "training"
    for path in (index, training):
        path.mkdir()
    unlisted = linker._unlisted
    first, second, third = (House(unlisted=unlisted) for _ in range(3))
    first.prepare(kb, ())
    first.store_index(MappedFolder(index))
    second.open_index(kb, MappedFolder(index))
    second.train(documents)
    second.store_training(MappedFolder(training))
    third.open_index(kb, MappedFolder(index))
    third.open_training(MappedFolder(training))
    return third


@settings(max_examples=25)
@given(tasks(), st.booleans())
@example(([entity("t:0", "gout")], [], [Document("d", "no mention")]), True)
def test_opened_as_prepared_here(
    task: tuple[list[dict[str, Any]], list[Document], list[Document]], unlisted: bool
) -> None:
    entities, training, asked = task
    with TemporaryDirectory() as folder, mock.patch.dict(os.environ, LINKASSAY_HOME=f"{folder}/home"):
        build_kb(spec(entities, "t:90\tt:0\n"))
        kb = linkassay.kb("tiny")
        linker = House(unlisted=unlisted)
        linker.prepare(kb, ())
        linker.train(training)
        opened = reopened(linker, kb, training, Path(folder))
        assert answers(opened, [*asked, *training]) == answers(linker, [*asked, *training])
        assert opened._entities.added == linker._entities.added
        plain, untrained = Untrained(), Untrained()
        plain.prepare(kb, ())
        untrained.open_index(kb, MappedFolder(Path(folder) / "index"))
        assert answers(untrained, asked) == answers(plain, asked)


@pytest.mark.parametrize("unlisted", [False, True])
def test_the_embedded_benchmark_with_trees(home: Path, tmp_path: Path, unlisted: bool) -> None:
    kb, training = linkassay.kb("mini"), list(linkassay.corpus("mini")["train"])
    linker = House(unlisted=unlisted)
    linker.prepare(kb, ())
    linker.train(training)
    opened = reopened(linker, kb, training, tmp_path)
    assert opened._ranker is not None
    asked = list(linkassay.corpus("mini")["test"])
    assert answers(opened, asked) == answers(linker, asked)
    for path in (tmp_path / "index").iterdir(), (tmp_path / "training").iterdir():
        for file in path:  # nothing that could run
            if file.suffix == ".npy":
                assert np.load(file, allow_pickle=False).dtype.kind in "biuf"
            else:
                assert file.suffix == ".json"
                json.loads(file.read_text())


def test_first_opinions_are_stored(home: Path, tmp_path: Path) -> None:
    """Without species two rankers say what mentions are at first sight."""
    build_kb(spec([entity(f"t:{n}", f"disease {n}", f"illness {n}") for n in range(4)]))
    documents = []
    for at in range(6):
        text = f"disease {at % 4} and illness {(at + 1) % 4}"
        mentions = [Mention(f"{at}.{s}", f"d{at}", ((s, s + 9),), text[s : s + 9], "disease",
                            (frozenset({f"t:{text[s + 8]}"}),)) for s in (0, 14)]  # fmt: skip
        documents.append(Document(f"d{at}", text, annotations=tuple(mentions)))
    linker = House()
    linker.prepare(linkassay.kb("tiny"), ())
    linker.train(documents)
    opened = reopened(linker, linkassay.kb("tiny"), documents, tmp_path)
    assert len(opened._first) == len(linker._first) == 2
    for ours, theirs in zip([linker._ranker, *linker._first], [opened._ranker, *opened._first], strict=True):
        assert ours is not None
        assert theirs is not None
        rows = np.random.default_rng(1).random((50, len(ours._ends)))
        assert (ours.scores(rows) == theirs.scores(rows)).all()
    assert answers(opened, documents) == answers(linker, documents)


def test_learned_words_and_priors_are_stored(home: Path, tmp_path: Path) -> None:
    """In several documents a word stands for another one of a name."""
    organs = ["retina", "heart", "kidney", "skin", "liver"]
    build_kb(spec([entity(f"t:{n}", f"disease of {organ}", f"ailment {n}") for n, organ in enumerate(organs)]))
    documents = []
    for n, organ in enumerate(organs[:4]):
        text = f"lesion of {organ}"
        mention = Mention(f"m{n}", f"d{n}", ((0, len(text)),), text, "disease", (frozenset({f"t:{n}"}),))
        documents.append(Document(f"d{n}", text, annotations=(mention,)))
    linker = House()
    linker.prepare(linkassay.kb("tiny"), ())
    linker.train(documents)
    opened = reopened(linker, linkassay.kb("tiny"), documents, tmp_path)
    ours, theirs = linker._finder, opened._finder
    assert theirs.index.related.learned == ours.index.related.learned
    assert theirs.index.related.near("lesion")["disease"] == pytest.approx(3 / 4)
    assert theirs.strings.swaps == ours.strings.swaps
    assert theirs.strings.swaps["lesion"] == ["disease"]
    for one, other in zip(ours.priors, theirs.priors, strict=True):
        assert one.tolist() == other.tolist()
    assert any(prior.any() for prior in theirs.priors)
    new = Document("new", "lesion of liver", annotations=(replace(documents[0].mentions[0], text="lesion of liver"),))
    assert answers(opened, [new]) == answers(linker, [new])


def test_an_opened_index_is_mapped(home: Path, tmp_path: Path) -> None:
    """No array of it is copied into the process."""
    linker = Untrained()
    linker.prepare(linkassay.kb("mini"), ())
    linker.store_index(MappedFolder(tmp_path))
    linker.open_index(linkassay.kb("mini"), MappedFolder(tmp_path))
    index = linker._index
    for values in (index.keys.letters, index.spelled.letters, index.rows.entity, index.entities.age,
                   index._loose.forms.digests, index.related._idf, index._keys_of.members):  # fmt: skip
        base: Any = values
        while isinstance(base, np.ndarray) and not isinstance(base, np.memmap):
            base = base.base
        assert isinstance(base, np.memmap)


def run(linker: str, workers: int = 1, **request: Any) -> Run:
    wanted = LinkRequest(linker, "mini", **request)
    return execute.link(wanted, again=workers > 1, engine=Engine(workers=workers))[0]


@pytest.mark.parametrize("linker", ["house", "house-untrained"])
def test_two_workers_answer_as_one(home_with_mini: Path, linker: str) -> None:
    said = [(run(linker, workers).path / "predictions.parquet").read_bytes() for workers in (1, 2)]
    assert said[0] == said[1]


def test_a_knowledge_base_is_indexed_once(home_with_mini: Path) -> None:
    first = run("house")
    second = run("house", train_on=("mini:dev",))
    third = run("house", train_on=("none",))
    assert len({each.about["prepared"][0] for each in (first, second, third)}) == 1
    assert first.about["prepared"][1] != second.about["prepared"][1]
    assert [len(each.about["prepared"]) for each in (first, second, third)] == [2, 2, 1]
    assert len(list(all_prepared())) == 3


def test_lent_names_make_another_index(home_with_mini: Path) -> None:
    """What a knowledge base lends is found after opening, and changes nothing for those who do not ask for it."""
    name, identifier = linkassay.kb("mini").sql(
        "select name, id from names join entities using (id) where not obsolete and type = 'disease' and \"primary\" "
        "order by id limit 1"
    )[0]
    build_kb(spec([entity("t:1", name, "Zorblax fever")]))
    plain, lent = run("house-untrained"), run("house-untrained", synonyms=("tiny",))
    assert plain.about["prepared"] != lent.about["prepared"]
    linker = Untrained()
    linker.open_index(linkassay.kb("mini"), MappedFolder(home_with_mini / "linkers" / lent.about["prepared"][0]))
    asked = [Query("Zorblax fever", "disease", ((0, 13),), "d", "Zorblax fever")]
    assert linker.link(asked, 1)[0][0][0] == (identifier,)
    linker.open_index(linkassay.kb("mini"), MappedFolder(home_with_mini / "linkers" / plain.about["prepared"][0]))
    [answer] = linker.link(asked, 1)
    assert not answer or answer[0][1] < 4
