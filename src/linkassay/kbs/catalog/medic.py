"""MEDIC as a plain dictionary, `id|alternative ids…||name|synonym…`, as released with disease taggers.

Ids are bare: MeSH numbers begin with a letter, OMIM numbers are digits. Alternative ids become
history and xrefs, as in `ctd`, which reads the tables of CTD itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.ids import curie
from linkassay.kbs.readers.row_helpers import distinct_names, edges, listed
from linkassay.kbs.schema import Batch, Entity, History, KbSpec, Part

_ID = re.compile(r"(?:(?:MESH:)?[A-Z][0-9]*|(?:OMIM:)?[0-9]+)")


def read_dictionary(file: RawFile, options: Mapping[str, Any]) -> Iterator[Entity | History]:
    """Concepts in file order; history comes last, when all ids are known."""
    ids: set[str] = set()
    merged: dict[tuple[str, str], None] = {}
    for number, line in file.lines():
        if not line.strip():
            continue
        head, found, names = line.partition("||")
        if not found:
            raise DataError("expected: id|alternative ids||name|synonyms", file=file.name, line=number)
        identifier, *others = (_id(text, file.name, number) for text in head.split("|"))
        name, *synonyms = listed(names, "|") or [""]
        if not name:
            raise DataError(f"concept {identifier} has no name", file=file.name, line=number)
        ids.add(identifier)
        merged.update(((other, identifier), None) for other in others)
        yield Entity(
            id=identifier,
            type="disease",
            names=distinct_names([(name, "name"), *((synonym, "synonym") for synonym in synonyms)]),
            xrefs=tuple(dict.fromkeys(others)),
        )
    yield from (History(old, new) for old, new in merged if old not in ids)


def read_parents(file: RawFile, options: Mapping[str, Any]) -> Iterator[Batch]:
    """Pairs `child<tab>parent` of bare ids."""
    rows = []
    for number, line in file.lines():
        if not line.strip() or line.startswith("#"):
            continue
        pair = line.split("\t")
        if len(pair) != 2:
            raise DataError("expected: child, tab, parent", file=file.name, line=number)
        child, parent = (_id(text, file.name, number) for text in pair)
        rows.append((child, parent, "is_a"))
    yield edges(rows)


def _id(text: str, file: str, line: int) -> str:
    text = text.strip()
    if not _ID.fullmatch(text):
        raise DataError(f"{text[:60]!r} is neither a MeSH nor an OMIM id", file=file, line=line)
    return curie(text, "omim" if text[0].isdigit() else "mesh")


SPEC = KbSpec(
    name="medic",
    title="MEDIC as a dictionary (July 2012)",
    prefix="mesh",
    types=("disease",),
    licence="CTD terms: free for research and education, citation required; commercial use needs a licence",
    citation=(
        "Davis AP, Wiegers TC, Rosenstein MC, Mattingly CJ. MEDIC: a practical disease vocabulary used at the "
        "Comparative Toxicogenomics Database. Database 2012:bar065, 2012. doi:10.1093/database/bar065"
    ),
    homepage="https://ctdbase.org",
    parts=(
        Part("medic.txt|medic_*.txt", "linkassay.kbs.catalog.medic:read_dictionary"),
        Part("CTD_diseases_parents.txt", "linkassay.kbs.catalog.medic:read_parents", optional=True),
    ),
    how_to_obtain=(
        "The dictionary is part of the disease taggers that were trained on NCBI Disease. For the current "
        "vocabulary use ctd_diseases instead."
    ),
    notes="The edition that NCBI Disease was annotated with. The optional file of parents may be of a later edition.",
)
