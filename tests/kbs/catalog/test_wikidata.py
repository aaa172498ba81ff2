"""Wikidata as tables: what becomes of each, and what scoring asks of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from linkassay.errors import DataError
from linkassay.kbs import KBS
from linkassay.kbs.building.build import build_kb
from linkassay.kbs.stored_kb import Kb
from linkassay.model import Document, Mention
from linkassay.scoring.endtoend.kb_facts import kb_facts_of, usual
from tests.endtoend_helpers import excerpt

TABLES = {
    "entities.tsv": "Q64\tBerlin\tQ27096213|Q43229\nQ188\tGerman\tQ17376908\nQ200\t2\t\n",
    "popular_candidates.tsv": "Berlin\tQ64|Q7\tA\n",
    "demonyms.tsv": "German\nBerliner\n",
    "quantity_ids.tsv": "Q200\n",
    "datetime_ids.tsv": "Q577\n",
    "whitelist_types.tsv": "Q27096213\tGeographic Entity\t\n",
}


def tables(folder: Path, **changed: str) -> Path:
    for name, text in (TABLES | {k.replace("__", "."): v for k, v in changed.items()}).items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_what_scoring_asks(home: Path, tmp_path: Path) -> None:
    build_kb(KBS.load("wikidata"), tables(tmp_path))
    known = kb_facts_of(Kb.open("wikidata"), ["wikidata:Q64", "wikidata:Q200", "wikidata:Q577"], ["Berlin", "Bonn"])
    assert known.names == {"wikidata:Q64": "Berlin", "wikidata:Q200": "2"}
    assert known.types["wikidata:Q64"] == {"wikidata:Q27096213", "wikidata:Q43229"}
    assert (known.quantities, known.datetimes) == ({"wikidata:Q200"}, {"wikidata:Q577"})
    assert known.demonyms == {"German", "Berliner"}
    assert known.popular == {"Berlin": {"wikidata:Q64", "wikidata:Q7"}}
    assert known.type_names == {"wikidata:Q27096213": "Geographic Entity"}


def test_popularity_from_training_where_the_kb_has_none(home: Path, tmp_path: Path) -> None:
    build_kb(KBS.load("wikidata"), tables(tmp_path, popular_candidates__tsv=""))
    senses = ["q:1", "q:2", "q:2", "q:3", "q:3"]
    mentions = [Mention(str(n), "d", ((0, 2),), "Bo", "", (frozenset({q}),)) for n, q in enumerate(senses)]
    train = [Document("d", "Bo", annotations=tuple(mentions))]
    assert usual(train) == {"Bo": {"q:2", "q:3"}}
    assert kb_facts_of(Kb.open("wikidata"), [], ["Bo"], train).popular == usual(train)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("entities__tsv", "Q64\tBerlin\n", "entities.tsv:1: expected 3 columns, found 2"),
        ("entities__tsv", "64\tBerlin\t\n", "entities.tsv:1: '64' is no id of Wikidata"),
        ("quantity_ids__tsv", "two\n", "quantity_ids.tsv:1: 'two' is no id of Wikidata"),
    ],
)
def test_broken_tables(home: Path, tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        build_kb(KBS.load("wikidata"), tables(tmp_path, **{name: text}))


def test_excerpt_says_what_its_tables_say(home: Path, shared: Path) -> None:
    build_kb(KBS.load("wikidata"), shared / "e2e" / "kb")
    plain = excerpt(shared)
    known = kb_facts_of(Kb.open("wikidata"), plain.names, plain.popular)
    types = {i: found - {"QUANTITY", "DATETIME"} for i, found in known.types.items()}
    assert {i: found for i, found in types.items() if found} == plain.types
    for what in ("names", "quantities", "datetimes", "demonyms", "popular"):
        assert getattr(known, what) == getattr(plain, what)
