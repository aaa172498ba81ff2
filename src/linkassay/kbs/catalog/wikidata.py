"""Wikidata, or an excerpt of it, as tables: names, types, values, demonyms and the popular senses of texts.

`names` has, beside each entity's label, the texts whose most popular sense it is (kind `popular`); the words that are
demonyms are names (kind `demonym`) of the entity for the notion itself. `category` has the types of an entity, and
`QUANTITY` or `DATETIME` where it stands for such a value. `foreign` names the types.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.kbs.readers.row_helpers import listed
from linkassay.kbs.schema import Entity, Foreign, KbSpec, Part

#: Kinds of names, and categories of values.
POPULAR, DEMONYM, VALUE = "popular", "demonym", "value"
QUANTITY, DATETIME = "QUANTITY", "DATETIME"
_NOTION_OF_DEMONYM = "wikidata:Q217438"
#: Also the placeholders of tables in which only the type of a popular sense is known.
_ID = re.compile(r"[QP][0-9]+|X_[A-Z]+")


def read_entities(file: RawFile, options: Mapping[str, Any]) -> Iterator[Entity]:
    """Rows: id, label, types joined by `|`."""
    for number, (identifier, name, types) in _rows(file, 3):
        category = "|".join(_id(t, file, number) for t in listed(types, "|"))
        names = ((name, "label"),) if name.strip() else ()
        yield Entity(_id(identifier, file, number), "entity", names, category)


def read_popular(file: RawFile, options: Mapping[str, Any]) -> Iterator[Entity]:
    """Rows: a text, the ids of its most popular senses joined by `|`, and how sure this is (not kept)."""
    for number, (text, ids, *_) in _rows(file, 3):
        if text.strip():
            for identifier in listed(ids, "|"):
                yield Entity(_id(identifier, file, number), names=((text, POPULAR),), primary=False)


def read_demonyms(file: RawFile, options: Mapping[str, Any]) -> Iterator[Entity]:
    """One word a line."""
    words = tuple((word, DEMONYM) for _, (word,) in _rows(file, 1))
    yield Entity(_NOTION_OF_DEMONYM, names=(("demonym", "label"), *words))


def read_quantities(file: RawFile, options: Mapping[str, Any]) -> Iterator[Entity]:
    """One id a line."""
    return _values(file, QUANTITY)


def read_datetimes(file: RawFile, options: Mapping[str, Any]) -> Iterator[Entity]:
    """One id a line."""
    return _values(file, DATETIME)


def _values(file: RawFile, category: str) -> Iterator[Entity]:
    for number, (identifier,) in _rows(file, 1):
        known = _id(identifier, file, number)
        yield Entity(known, names=((identifier, VALUE),), category=category, primary=False)


def read_types(file: RawFile, options: Mapping[str, Any]) -> Iterator[Foreign]:
    """Rows: id and name of a type, and a type above it (not kept)."""
    for number, (identifier, name, *_) in _rows(file, 3):
        yield Foreign(_id(identifier, file, number), name)


def _rows(file: RawFile, columns: int) -> Iterator[tuple[int, list[str]]]:
    for number, line in file.lines():
        if line:
            row = line.split("\t")
            if len(row) != columns:
                raise DataError(f"expected {columns} columns, found {len(row)}", file=file.name, line=number)
            yield number, row


def _id(text: str, file: RawFile, line: int) -> str:
    if not _ID.fullmatch(text):
        raise DataError(f"{text[:60]!r} is no id of Wikidata", file=file.name, line=line)
    return f"wikidata:{text}"


def _part(name: str, reader: str, *, optional: bool = True) -> Part:
    return Part(name, f"linkassay.kbs.catalog.wikidata:{reader}", optional=optional)


SPEC = KbSpec(
    name="wikidata",
    title="Wikidata (an excerpt as tables)",
    prefix="wikidata",
    types=("entity",),
    licence="CC0-1.0",
    citation="Vrandečić D, Krötzsch M. Wikidata: a free collaborative knowledgebase. CACM 57(10):78–85, 2014",
    homepage="https://www.wikidata.org",
    parts=(
        _part("entities.tsv", "read_entities", optional=False),
        _part("popular_candidates.tsv", "read_popular"),
        _part("demonyms.tsv", "read_demonyms"),
        _part("quantity_ids.tsv", "read_quantities"),
        _part("datetime_ids.tsv", "read_datetimes"),
        _part("whitelist_types.tsv", "read_types"),
    ),
    how_to_obtain=(
        "Give a folder with tables of the part of Wikidata that you need: linkassay get wikidata --raw DIR, with "
        "entities.tsv (id, label, types joined by |) and, if you have them, popular_candidates.tsv (text, ids joined "
        "by |, source), demonyms.tsv (a word a line), quantity_ids.tsv, datetime_ids.tsv (an id a line), "
        "whitelist_types.tsv (id, name, type above). The mappings that ELEVANT distributes hold all of this."
    ),
    notes="Tables without headers. Scoring end to end takes names, types, values, demonyms and popularity from here.",
)
