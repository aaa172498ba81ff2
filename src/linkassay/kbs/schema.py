"""What a knowledge base is made of: its tables, what its readers yield, and its description.

One module per knowledge base in `catalog` defines a `KbSpec`. Fetching, cutting into shards,
building and storing are the same for all and live in `building`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import pyarrow as pa

from linkassay.files import RawFile
from linkassay.sources import Source

#: Columnar rows of one or more tables, as the fastest readers yield them.
Batch: TypeAlias = Mapping[str, pa.Table]


def _strings(*names: str) -> list[tuple[str, pa.DataType]]:
    return [(name, pa.string()) for name in names]


#: The tables of a knowledge base (KB-1), one Parquet file each. `category` is the source's own
#: class of an entity: taxonomic rank, gene type, UMLS semantic types, MeSH record kind.
#: `history` is as the source has it but for ids that are entities still; an empty `new` means removed. Readers need
#: not give `key`.
SCHEMAS: dict[str, pa.Schema] = {
    "entities": pa.schema([*_strings("id", "type", "category", "definition", "foreign_id"), ("obsolete", pa.bool_())]),
    "names": pa.schema([*_strings("id", "name", "kind"), ("primary", pa.bool_()), *_strings("key")]),
    "parents": pa.schema(_strings("child", "parent", "relation")),
    "history": pa.schema(_strings("old", "new")),
    "xrefs": pa.schema(_strings("id", "other")),
    "foreign": pa.schema(_strings("id", "name")),
}


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity, or what one file knows of it: rows of the same id from several files are joined.

    The first of `names` is the primary name unless `primary` is false. Names are verbatim, each
    with its kind in the source's words.
    """

    id: str
    type: str = ""
    names: tuple[tuple[str, str], ...] = ()
    category: str = ""
    definition: str = ""
    foreign_id: str = ""  # e.g. the taxon of a gene
    obsolete: bool = False
    parents: tuple[tuple[str, str], ...] = ()  # (parent, relation)
    xrefs: tuple[str, ...] = ()
    primary: bool = True


@dataclass(frozen=True, slots=True)
class History:
    """`old` is now called `new`; an empty `new` means removed without a successor."""

    old: str
    new: str = ""


@dataclass(frozen=True, slots=True)
class Foreign:
    """The name of a foreign id, e.g. of a taxon in a gene KB."""

    id: str
    name: str


#: Reads one raw file, or one piece of it, with the options of the KB.
KbReader: TypeAlias = Callable[[RawFile, Mapping[str, Any]], Iterator[Entity | History | Foreign | Batch]]


@dataclass(frozen=True)
class Part:
    """One kind of raw file and the function ("module:name", a `KbReader`) that reads it.

    A file of `lines` may be cut at line ends into pieces that are read in parallel; with `header`
    its first line is repeated at the head of each piece. A `columnar` reader loops over no rows in
    Python, so that pieces are best read by threads.
    """

    files: str  # glob; "a|b": the first that matches
    read: str
    lines: bool = False
    header: bool = False
    optional: bool = False
    columnar: bool = False
    several: bool = False  # files of one name in several folders are all read


@dataclass(frozen=True)
class KbSpec:
    """A knowledge base as a plain description."""

    name: str
    title: str
    prefix: str
    types: tuple[str, ...]
    licence: str
    citation: str
    homepage: str
    parts: tuple[Part, ...]
    sources: tuple[Source, ...] = ()
    packaged: Callable[[], list[RawFile]] | None = None
    how_to_obtain: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)  # option → default
    version: int = 1
    notes: str = ""

    @property
    def needs(self) -> tuple[tuple[str, bool], ...]:
        """Globs of the files to read, each with whether it must be there."""
        return tuple((part.files, not part.optional) for part in self.parts)


def batches(found: Iterable[Entity | History | Foreign | Batch], rows: int = 100_000) -> Iterator[dict[str, pa.Table]]:
    """What a reader yields as tables without `key`, in pieces of about `rows` names."""
    columns: dict[str, list[tuple[Any, ...]]] = {name: [] for name in SCHEMAS}
    for item in found:
        if isinstance(item, Entity):
            entity = (item.id, item.type, item.category, item.definition, item.foreign_id, item.obsolete)
            columns["entities"].append(entity)
            for position, (name, kind) in enumerate(item.names):
                columns["names"].append((item.id, name, kind, item.primary and position == 0))
            columns["parents"].extend((item.id, parent, relation) for parent, relation in item.parents)
            columns["xrefs"].extend((item.id, other) for other in item.xrefs)
        elif isinstance(item, History):
            columns["history"].append((item.old, item.new))
        elif isinstance(item, Foreign):
            columns["foreign"].append((item.id, item.name))
        else:
            yield dict(item)
            continue
        if max(map(len, columns.values())) >= rows:
            yield _tables(columns)
            columns = {name: [] for name in SCHEMAS}
    if any(columns.values()):
        yield _tables(columns)


def _tables(columns: Mapping[str, list[tuple[Any, ...]]]) -> dict[str, pa.Table]:
    tables = {}
    for name, rows in columns.items():
        if rows:
            schema = pa.schema([f for f in SCHEMAS[name] if f.name != "key"])
            arrays = [pa.array(c, type=f.type) for c, f in zip(zip(*rows, strict=True), schema, strict=True)]
            tables[name] = pa.Table.from_arrays(arrays, schema=schema)
    return tables
