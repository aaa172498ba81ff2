"""Knowledge bases as JSON lines, one entity a line, with a table of the history of ids beside it.

{"id", "type", "category"?, "definition"?, "foreign"?, "obsolete"?, "names": [["name", "kind"?], …],
 "parents"?: [["id", "relation"?], …], "xrefs"?: ["id", …]}      the first name is the primary one

Of a knowledge base of one type the option `type` stands for entities that do not say theirs, and
`prefix` is that of bare ids.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from linkassay.decoding import Place, decoded
from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.formats.syntax import json_items
from linkassay.ids import curie
from linkassay.kbs.readers.row_helpers import distinct_names
from linkassay.kbs.schema import Entity, History


class _Pair(msgspec.Struct, array_like=True):
    text: str
    kind: str | None = None


class _Line(msgspec.Struct):
    id: str | int
    names: list[_Pair] | None
    type: str | None = None
    category: str | None = None
    definition: str | None = None
    foreign: str | None = None
    obsolete: bool | None = None
    parents: list[_Pair] | None = None
    xrefs: list[str] | None = None


def read_entities(file: RawFile, options: Mapping[str, Any]) -> Iterator[Entity]:
    """Entities in file order."""
    prefix, type_ = str(options.get("prefix", "")), str(options.get("type", ""))
    for number, text in json_items(file):
        place = Place(file.name, number)
        yield _entity(decoded(_Line, text, place), place, prefix, type_)


def _entity(said: _Line, place: Place, prefix: str, type_: str) -> Entity:
    names = distinct_names((name.text, "synonym" if name.kind is None else name.kind) for name in said.names or ())
    if not names:
        raise place.error("an entity needs at least one name")
    identifier = curie(str(said.id), prefix)
    if not identifier:
        raise place.error("an entity needs an id")
    if said.type is None and not type_:
        raise place.error("type: expected a text, found nothing")
    return Entity(
        id=identifier,
        type=type_ if said.type is None else said.type,
        names=names,
        category=said.category or "",
        definition=said.definition or "",
        foreign_id="" if said.foreign is None else curie(said.foreign),
        obsolete=bool(said.obsolete),
        parents=tuple((curie(up.text, prefix), "is_a" if up.kind is None else up.kind) for up in said.parents or ()),
        xrefs=tuple(curie(x) for x in said.xrefs or ()),
    )


def read_history(file: RawFile, options: Mapping[str, Any]) -> Iterator[History]:
    """Pairs of a tab-separated file: the old id and the new one, or nothing if it was removed."""
    prefix = str(options.get("prefix", ""))
    for number, line in file.lines():
        if not line.strip() or line.startswith("#"):
            continue
        old, *rest = line.split("\t")
        if len(rest) > 1 or not old.strip():
            raise DataError("expected: old id, tab, new id (or nothing)", file=file.name, line=number)
        new = rest[0].strip() if rest else ""
        yield History(curie(old, prefix), curie(new, prefix) if new else "")
