"""The house linker and its parts."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkassay
from linkassay.kbs.building.build import build_kb
from linkassay.kbs.hierarchy import NodeLists
from linkassay.kbs.stored_kb import Kb
from linkassay.linkers.house.asked_mentions import AskedMention, variant
from linkassay.linkers.house.boosted_trees import Ranker
from linkassay.linkers.house.exchanged_words import ExchangedWords
from linkassay.linkers.house.features import FEATURES
from linkassay.linkers.house.linker import House
from linkassay.linkers.house.name_forms import loose, plain_words
from linkassay.linkers.house.name_index import NameIndex
from linkassay.linkers.house.ranking import agreed, first_opinions
from linkassay.linkers.house.related_words import RelatedWords
from linkassay.linkers.house.short_forms import short_forms, written_out
from linkassay.linkers.house.string_features import STRING_FEATURES, StringFeatures
from linkassay.linkers.protocol import Query
from linkassay.linkers.rules.species_words import SpeciesWords
from linkassay.model import Document, Mention
from tests.kbs.building.test_build import entity, spec


def ranking(groups: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ten rows a group; the right one is that with the highest product of two features."""
    rows = np.random.default_rng(seed).random((groups * 10, 6))
    best = (rows[:, 1] * rows[:, 4]).reshape(groups, 10).argmax(axis=1)
    right = np.zeros(len(rows), dtype=bool)
    right[np.arange(groups) * 10 + best] = True
    return rows, np.repeat(np.arange(groups), 10), right


def test_trees_learn_a_ranking_and_are_deterministic() -> None:
    rows, groups, right = ranking(400, 1)
    model = Ranker().fit(rows, groups, right)
    further, _, answers = ranking(300, 2)
    scores = model.scores(further)
    hits = answers.reshape(-1, 10)[np.arange(300), scores.reshape(-1, 10).argmax(axis=1)]
    assert hits.mean() > 0.75
    assert (Ranker().fit(rows, groups, right).scores(further) == scores).all()


def test_words_that_names_exchange_or_leave_out() -> None:
    organs = ["heart", "liver", "lung", "skin", "bone", "brain", "colon"]
    found = ExchangedWords(
        [[f"{o} cancer", f"{o} neoplasms", f"cancer of the {o}", f"malignant {o} cancer"] for o in organs]
    )
    assert found.form("cancer of jaw") == found.form("jaw neoplasm") == found.form("malignant jaw neoplasms")
    assert found.form("jaw cancer") != found.form("heart cancer")
    numbered = ExchangedWords([[f"{o} type 1", f"{o} type 2"] for o in organs])
    assert numbered.form("gout type 1") != numbered.form("gout type 2")


def test_words_are_related_by_names_by_training_and_by_their_beginning() -> None:
    organs = [("kidney", "renal"), ("liver", "hepatic"), ("heart", "cardiac")]
    entities = [[f"{o} {what}", f"{a} {what}"] for o, a in organs for what in ("failure", "pain", "tumor", "cyst")]
    texts = sorted({loose(name) for names in entities for name in names} | {"brain ischemia", "retinal disease"})
    related = RelatedWords(texts, entities)
    assert related.near("renal")["kidney"] > 0.5
    assert "liver" not in related.near("renal")
    assert related.near("ischemic")["ischemia"] > 0.7
    found = [texts[n] for n in related.texts(plain_words("ischemic brain"), 1)]
    assert found == ["brain ischemia"]
    assert "lesion" not in related.near("disease")
    related.learn((f"d{n}", "lesion of the retina", ["disease of the retina"]) for n in range(4))
    assert related.near("lesion")["disease"] == pytest.approx(3 / 4)
    assert related.common(plain_words("renal pain"), plain_words("kidney pain")) > related.common(
        plain_words("renal pain"), plain_words("liver pain")
    )


def test_what_one_document_says_is_no_relation() -> None:
    related = RelatedWords(["retina disease"], [])
    related.learn(("d", "lesion of the retina", ["disease of the retina"]) for _ in range(9))
    assert related.near("lesion") == {"lesion": 1.0}


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 40)), max_size=30, unique=True))
def test_lists_hold_members_that_are_no_nodes(pairs: list[tuple[int, int]]) -> None:
    owner, member = (np.array([pair[n] for pair in pairs], dtype=np.int64) for n in (0, 1))
    lists = NodeLists(owner, member, 5)
    for node in range(5):
        assert lists[node].tolist() == sorted(m for o, m in pairs if o == node)


def test_a_small_letter_before_a_capital_marks_a_species() -> None:
    class NoNames:
        def sql(self, query: str) -> list[tuple[str, str]]:
            return []

    cues = SpeciesWords(["", "ncbitaxon:9606", "ncbitaxon:10090"], cast(Kb, NoNames()))
    assert (cues.marks("hMRE11"), cues.marks("mCB2"), cues.marks("MRE11"), cues.marks("human")) == ([1], [2], [], [])
    found = cues.of("in human cells")
    assert found.at(3)[2].tolist() == [0.0, 1.0, 0.0]
    assert found.at(3, cues.marks("mCB2"))[2].tolist() == [0.0, 0.0, 1.0]


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


def test_capitals_that_the_text_does_not_define_may_stand_for_a_mention() -> None:
    mentions = ["overactive bladder", "OAB", "divalproex", "DVP", "IL", "interleukin"]
    found = short_forms("Nothing is defined here.", mentions, {"il"})
    assert found == {"OB": "overactive bladder", "OAB": "overactive bladder", "DVP": "divalproex"}
    assert written_out("OAB/DVP-induced", found) == "overactive bladder/divalproex-induced"


def test_names_of_the_same_letters_or_words_can_be_hidden(home: Path) -> None:
    kb = NameIndex(linkassay.kb("mini"))
    strings = StringFeatures(kb, 20)
    same = [STRING_FEATURES.index(name) for name in ("exact", "key", "compact", "loose")]
    for number in range(0, len(kb.keys), 37):
        entity = int(kb.entity[kb.rows[number]])
        same_text = variant(kb.spelled[kb.rows[number]])
        for hiding in (False, True):
            entities, rows = strings.of(same_text, same_text, "", {entity}, hiding=hiding)
            assert entity in entities
            assert rows[:, same].any() != hiding


def test_what_is_above_the_entities_with_a_word(home: Path) -> None:
    """Against a count over all names and parents."""
    kb = linkassay.kb("mini")
    index = NameIndex(kb)
    having: dict[str, set[str]] = defaultdict(set)
    live = {row[0] for row in kb.sql("select id from entities where not obsolete")}
    for identifier, normal in kb.sql("select id, key from names"):
        if identifier in live:
            for word in plain_words(normal):
                having[word].add(identifier)
    above: dict[str, set[str]] = defaultdict(set)
    for child, parent in kb.sql("select child, parent from parents"):
        if parent in live:
            above[child].add(parent)
    children = Counter(parent for child, parents in above.items() if child in live for parent in parents)
    told = 0
    for word, holders in having.items():
        times = Counter(parent for holder in holders for parent in above[holder])
        for number, below, own in index.above_word(word):
            parent = index.ids[number]
            assert below == pytest.approx(times[parent] / (1 + len(holders)))
            assert own == pytest.approx(times[parent] / (1 + children[parent]))
            told += 1
    assert told > 20


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


def asked(text: str, long: str = "") -> AskedMention:
    return AskedMention(text, "disease", 0, len(text), variant(text), variant(long or text), [])


def test_a_short_form_is_answered_as_the_mention_that_it_stands_for() -> None:
    mentions = [asked("OAB", "Overactive bladder"), asked("overactive bladder"), asked("CHF", "congestive failure"),
                asked("Overactive Bladder")]  # fmt: skip
    answers = [[((f"t:{n}",), 1.0)] for n in range(4)]
    assert [answer[0][0] for answer in agreed(mentions, answers)] == [("t:1",), ("t:1",), ("t:2",), ("t:3",)]


def test_a_first_opinion_has_an_even_chance_at_least() -> None:
    class Given:
        def scores(self, rows: np.ndarray) -> np.ndarray:
            return np.asarray(rows[:, 0])

    mentions = [asked(text) for text in ("one", "two", "three", "none", "one")]
    made = [
        (np.arange(len(scores)) + 10 * n, np.array(scores, dtype=float).reshape(-1, 1))
        for n, scores in enumerate(([0, 2, 1], [0, 1], [0, 0, 0], [], [9]))
    ]
    rankers = cast(list[Ranker], [Given(), Given()])
    assert first_opinions(mentions, made, rankers) == {"one": {1}, "two": {11}}
    assert first_opinions(mentions, made, []) == {}


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
