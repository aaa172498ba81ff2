"""The house linker as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest

import linkassay
from linkassay.kbs.building.build import build_kb
from linkassay.linkers.house.features import FEATURES
from linkassay.linkers.house.linker import House
from linkassay.linkers.protocol import Query
from linkassay.model import Document, Mention
from tests.kbs.building.test_build import entity, spec


def test_a_name_in_brackets_may_be_another_of_the_same(home: Path) -> None:
    """An unknown name is linked to what stands before it in brackets, also where it is used again."""
    name, identifier = linkassay.kb("mini").sql(
        "select name, id from names join entities using (id) where key not in (select key from names group by key "
        "having min(id) <> max(id)) and not obsolete and length(name) > 6 order by id limit 1"
    )[0]
    text = f"{name} (QX-77121) was seen; QX-77121 again."
    first, again = text.index("QX"), text.rindex("QX")
    spans = ((0, len(name)), (first, first + 8), (again, again + 8))
    linker = House()
    linker.prepare(linkassay.kb("mini"), ())
    answers = linker.link([Query(text[a:b], "", ((a, b),), "d", text) for a, b in spans], 5)
    assert [answer[0][0] for answer in answers] == [(identifier,)] * 3


@pytest.fixture
def scores(home: Path) -> dict[str, float]:
    found = {
        n: linkassay.score(linkassay.link(n, "mini"), "recall@1").rows()[0]["value"] for n in ("normalised", "house")
    }
    return found


def test_it_beats_looking_names_up(scores: dict[str, float]) -> None:
    assert scores["house"] > scores["normalised"] + 0.1


def test_without_training_data_it_ranks_by_fixed_weights(home: Path) -> None:
    linker = House()
    linker.prepare(linkassay.kb("mini"), ())
    linker.train(())
    name, identifier = linkassay.kb("mini").sql(
        "select name, id from names join entities using (id) where key not in (select key from names group by key "
        "having min(id) <> max(id)) and not obsolete order by id limit 1"
    )[0]
    [answer] = linker.link([Query(name, "", ((0, len(name)),), "d", name)], 5)
    assert answer[0][0] == (identifier,)
    assert len(set(FEATURES)) == len(FEATURES)


@pytest.mark.parametrize("unlisted", [True, False])
def test_ids_of_training_that_the_kb_lacks(home: Path, unlisted: bool) -> None:
    documents = []
    for n in range(4):
        name, text = f"d{n}", f"Case {n}: zorbicillin was given."
        mention = Mention(f"m{n}", name, ((8, 19),), text[8:19], "chemical", (frozenset({"mesh:C999999"}),))
        documents.append(Document(name, text, annotations=(mention,)))
    linker = House(unlisted=unlisted)
    linker.prepare(linkassay.kb("mini"), ())
    linker.train([*documents, *linkassay.corpus("mini")["train"]])
    [answer] = linker.link([Query("zorbicillin", "chemical", ((0, 11),), "new", "zorbicillin")], 5)
    assert ((answer[0][0] == ("mesh:C999999",)) if answer else False) == unlisted


def test_where_the_place_decides_there_is_no_first_opinion(home: Path) -> None:
    """Of the embedded benchmark genes have species, which tell them apart; of diseases alone nothing does."""
    house = House()
    house.prepare(linkassay.kb("mini"), ())
    house.train(linkassay.corpus("mini")["train"])
    assert house._first == []
    build_kb(spec([entity(f"t:{n}", f"disease {n}", f"illness {n}") for n in range(4)]))
    texts = ["disease 1 and illness 2", "illness 1 or disease 3", "disease 2, illness 3"]
    documents = [
        Document(f"d{at}", text, annotations=tuple(
            Mention(f"d{at}.{start}", f"d{at}", ((start, start + 9),), text[start : start + 9], "disease",
                    ((f"t:{text[start + 8]}",),))
            for start in sorted(text.index(what) for what in ("disease", "illness"))
        ))
        for at, text in enumerate(texts)
    ]  # fmt: skip
    house.prepare(linkassay.kb("tiny"), ())
    house.train(documents)
    assert len(house._first) == 2
