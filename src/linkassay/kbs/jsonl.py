"""Knowledge bases as JSON lines, one entity a line, with a table of the history of ids beside it.

{"id", "type", "definition"?, "foreign"?, "obsolete"?, "names": [["name", "kind"], …],
 "parents"?: [["id", "relation"], …], "xrefs"?: ["id", …]}        the first name is the primary one
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.formats.jsonvalue import Value, parse
from linkassay.ids import curie
from linkassay.kbs.base import Entity

__all__ = ["read_entities", "read_history"]


def read_entities(files: Iterable[RawFile]) -> Iterator[Entity]:
    """Entities in file order; an id that occurs twice is an error."""
    seen: set[str] = set()
    for file in files:
        for number, line in file.lines():
            if line.strip():
                entity = _entity(parse(line, file.name, number))
                if entity.id in seen:
                    raise DataError(f"entity {entity.id} occurs twice", file=file.name, line=number)
                seen.add(entity.id)
                yield entity


def _entity(value: Value) -> Entity:
    names = tuple((n[0].string(), n.get(1).string("synonym")) for n in value["names"].items())
    if not names:
        raise DataError("an entity needs at least one name", file=value.file, line=value.line)
    return Entity(
        id=curie(value["id"].string()),
        type=value["type"].string(),
        names=tuple(dict.fromkeys(names)),
        definition=value.get("definition").string(""),
        foreign_id=value.get("foreign").string(""),
        obsolete=value.get("obsolete").boolean(False),
        parents=tuple((curie(p[0].string()), p.get(1).string("is_a")) for p in value.get("parents").items()),
        xrefs=tuple(curie(x.string()) for x in value.get("xrefs").items()),
    )


def read_history(files: Iterable[RawFile]) -> Iterator[tuple[str, str]]:
    """(old, new) id pairs of tab-separated files; an empty new id means removed."""
    for file in files:
        for number, line in file.lines():
            if not line.strip() or line.startswith("#"):
                continue
            old, *rest = line.split("\t")
            if len(rest) > 1 or not old.strip():
                raise DataError("expected: old id, tab, new id (or nothing)", file=file.name, line=number)
            yield curie(old), curie(rest[0]) if rest else ""
