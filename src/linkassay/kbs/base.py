"""What every knowledge base reader yields: entities one by one, and the history of ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from linkassay.files import RawFile

__all__ = ["SCHEMAS", "Entity", "KbSource"]


@dataclass(frozen=True, slots=True)
class Entity:
    """One entity. The first of `names` is the primary name; names are verbatim, with their kind."""

    id: str
    type: str
    names: tuple[tuple[str, str], ...]
    definition: str = ""
    foreign_id: str = ""  # e.g. the taxon of a gene
    obsolete: bool = False
    parents: tuple[tuple[str, str], ...] = ()  # (parent, relation)
    xrefs: tuple[str, ...] = ()


@dataclass(frozen=True)
class KbSource:
    """A knowledge base as a description plus the functions that read its raw files.

    `history` yields (old, new) id pairs; an empty `new` means removed without a successor.
    """

    name: str
    title: str
    licence: str
    citation: str
    files: list[RawFile]
    entities: Callable[[], Iterator[Entity]]
    history: Callable[[], Iterator[tuple[str, str]]]
    version: int = 1


#: The tables of a knowledge base (SPEC §4), one Parquet file each.
SCHEMAS = {
    "entities": pa.schema(
        [
            ("id", pa.string()),
            ("type", pa.string()),
            ("definition", pa.string()),
            ("foreign_id", pa.string()),
            ("obsolete", pa.bool_()),
        ]
    ),
    "names": pa.schema(
        [
            ("id", pa.string()),
            ("name", pa.string()),
            ("kind", pa.string()),
            ("primary", pa.bool_()),
            ("key", pa.string()),
        ]
    ),
    "parents": pa.schema([("child", pa.string()), ("parent", pa.string()), ("relation", pa.string())]),
    "history": pa.schema([("old", pa.string()), ("new", pa.string())]),
    "xrefs": pa.schema([("id", pa.string()), ("other", pa.string())]),
    "foreign": pa.schema([("id", pa.string()), ("name", pa.string())]),
}
