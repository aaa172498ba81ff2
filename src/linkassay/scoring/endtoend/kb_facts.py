"""What scoring asks of a knowledge base: names, types, demonyms, popular senses. Plain data, and how to gather it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from linkassay.kbs.catalog import wikidata
from linkassay.model import Document

if TYPE_CHECKING:
    from linkassay.kbs import Kb

LOCATION, PERSON, ETHNICITY = "wikidata:Q27096213", "wikidata:Q215627", "wikidata:Q33829"
LANGUOID, FICTIONAL, ORGANISATION = "wikidata:Q17376908", "wikidata:Q95074", "wikidata:Q43229"


@dataclass(frozen=True)
class KbFacts:
    """Names and types of entities, values by their ids, demonyms, the most popular senses of texts, foreign ids.

    `types` are what the source classes an entity by, `kinds` what it is of: disease, gene. A foreign id is e.g. the
    species of a gene. `abbreviations` are the short forms that each document defines, by its
    id. `type_names` are for people.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, frozenset[str]] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    quantities: frozenset[str] = frozenset()
    datetimes: frozenset[str] = frozenset()
    demonyms: frozenset[str] = frozenset()
    popular: Mapping[str, frozenset[str]] = field(default_factory=dict)
    foreign: Mapping[str, str] = field(default_factory=dict)
    type_names: Mapping[str, str] = field(default_factory=dict)
    abbreviations: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def of_type(self, identifier: str, *types: str) -> bool:
        """Whether the entity is of one of these types."""
        return not self.types.get(identifier, frozenset()).isdisjoint(types)


def kb_facts_of(kb: Kb, ids: Iterable[str], texts: Iterable[str], train: Iterable[Document] = ()) -> KbFacts:
    """What the KB knows of these ids and texts.

    Where the KB says nothing of popularity, the most frequent senses of a text in the training data stand for it.
    """
    connection = kb.connect()

    def ask(query: str) -> list[Any]:
        rows: list[Any] = connection.execute(query).fetchall()
        return rows

    connection.register("asked_texts", pa.table({"name": pa.array(sorted(set(texts)), pa.string())}))
    popular: dict[str, set[str]] = defaultdict(set)
    query = f"select name, id from names semi join asked_texts using (name) where kind = '{wikidata.POPULAR}'"
    for text, identifier in ask(query):
        popular[text].add(identifier)
    wanted = set(ids).union(*popular.values())
    connection.register("asked", pa.table({"id": pa.array(sorted(wanted), pa.string())}))
    rows = ask("select id, category, foreign_id, type from entities semi join asked using (id) "
               "union select id, category, foreign_id, type from entities "
               f"where category in ('{wikidata.QUANTITY}', '{wikidata.DATETIME}') "
               f"or category like '%|{wikidata.QUANTITY}' or category like '{wikidata.DATETIME}|%'")  # fmt: skip
    categories = {identifier: frozenset(category.split("|")) for identifier, category, *_ in rows if category}
    return KbFacts(
        names=dict(
            ask(
                'select id, name from names semi join asked using (id) where "primary" '
                f"and kind not in ('{wikidata.POPULAR}', '{wikidata.DEMONYM}', '{wikidata.VALUE}')"
            )
        ),
        types=categories,
        kinds={identifier: kind for identifier, *_, kind in rows if kind},
        quantities=frozenset(i for i, found in categories.items() if wikidata.QUANTITY in found),
        datetimes=frozenset(i for i, found in categories.items() if wikidata.DATETIME in found),
        demonyms=frozenset(
            name for (name,) in ask(f"select distinct name from names where kind = '{wikidata.DEMONYM}'")
        ),
        popular={text: frozenset(found) for text, found in popular.items()} or usual(train),
        foreign={identifier: other for identifier, _, other, _ in rows if other},
        type_names=dict(ask("select id, name from 'foreign' where name <> ''")),
    )


def usual(documents: Iterable[Document]) -> dict[str, frozenset[str]]:
    """For each text of the mentions its most frequent gold ids."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for document in documents:
        for mention in document.mentions:
            found[mention.text].update(mention.ids)
    return {
        text: frozenset(identifier for identifier, times in counter.items() if times == max(counter.values()))
        for text, counter in found.items()
        if counter
    }
