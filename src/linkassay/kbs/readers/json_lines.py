"""Knowledge bases as JSON lines, one entity a line, with a table of the history of ids beside it.

{"id", "type", "category"?, "definition"?, "foreign"?, "obsolete"?, "names": [["name", "kind"?], …],
 "parents"?: [["id", "relation"?], …], "xrefs"?: ["id", …]}      the first name is the primary one

Of a knowledge base of one type the option `type` stands for entities that do not say theirs, and
`prefix` is that of bare ids.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.formats.syntax import JsonValue, parse_json
from linkassay.ids import curie
from linkassay.kbs.readers.row_helpers import distinct_names
from linkassay.kbs.schema import Entity, History


def read_entities(file: RawFile, options: Mapping[str, Any]) -> Iterator[Entity]:
    """Entities in file order."""
    prefix, type_ = str(options.get("prefix", "")), str(options.get("type", ""))
    for number, line in file.lines():
        if line.strip():
            yield _entity(parse_json(line, file.name, number), prefix, type_)


def _entity(value: JsonValue, prefix: str, type_: str) -> Entity:
    names = distinct_names((n[0].string(), n.get(1).string("synonym")) for n in value["names"].items())
    if not names:
        raise DataError("an entity needs at least one name", file=value.file, line=value.line)
    identifier = curie(value["id"].identifier(), prefix)
    if not identifier:
        raise DataError("an entity needs an id", file=value.file, line=value.line)
    foreign = value.get("foreign")
    return Entity(
        id=identifier,
        type=value.get("type").string(type_) if type_ else value["type"].string(),
        names=names,
        category=value.get("category").string(""),
        definition=value.get("definition").string(""),
        foreign_id="" if foreign.missing else curie(foreign.string()),
        obsolete=value.get("obsolete").boolean(False),
        parents=tuple((curie(p[0].string(), prefix), p.get(1).string("is_a")) for p in value.get("parents").items()),
        xrefs=tuple(curie(x.string()) for x in value.get("xrefs").items()),
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
