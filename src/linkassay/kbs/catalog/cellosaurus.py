"""Cellosaurus: cell lines, from the official text or OBO file, or a plain table of names.

Accessions that were merged (`AS`, `alt_id`) and deleted become history, the parent line (`HI`) the
relation `derived_from`, the first species the foreign id; further species of hybrids are xrefs.
The table (name, accession, species) has no taxon ids: there the species stands as category.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.formats.syntax import Stanza, quoted, stanzas
from linkassay.ids import curie
from linkassay.kbs.readers.row_helpers import distinct_names, listed, xref
from linkassay.kbs.schema import Entity, Foreign, History, KbSpec, Part
from linkassay.sources import Source

_ACCESSION = re.compile(r"CVCL_[A-Z0-9]{4,}")
_SPECIES = re.compile(r"NCBI_TaxID[=:]([0-9]+)[; ]*(?:!\s*(.*))?")
_XREF = re.compile(r"([^:\s]+):(\S+)")
#: Cross-references of the OBO file that are not to the same cell line elsewhere: species, diseases, papers.
_OTHER_THINGS = {"ncbi_taxid", "ncit", "ordo", "pubmed", "doi", "patent", "cellopub"}
_SEXES = {"Female", "Male", "Mixed_sex", "Sex_ambiguous", "Sex_unspecified"}


def read(file: RawFile, options: Mapping[str, Any]) -> Iterator[Entity | History | Foreign]:
    """Cell lines of `cellosaurus.txt`, `.obo` or a `.tsv` of names."""
    if file.suffix == ".obo":
        return _read_obo(file)
    return _read_table(file) if file.suffix == ".tsv" else _read_text(file)


def _id(text: str, file: str, line: int) -> str:
    text = text.strip()
    if not _ACCESSION.fullmatch(text):
        raise DataError(f"{text[:60]!r} is no accession (CVCL_xxxx)", file=file, line=line)
    return curie(text, "cellosaurus")


def _cell_line(
    identifier: str,
    names: list[tuple[str, str]],
    species: list[tuple[str, str]],
    *,
    category: str,
    parents: list[str],
    xrefs: list[str],
    merged: list[str],
) -> Iterator[Entity | History | Foreign]:
    taxa = [f"ncbitaxon:{taxon}" for taxon, _ in species]
    yield Entity(
        id=identifier,
        type="cell_line",
        names=distinct_names(names),
        category=category,
        foreign_id=taxa[0] if taxa else "",
        parents=tuple((parent, "derived_from") for parent in dict.fromkeys(parents)),
        xrefs=tuple(dict.fromkeys([*xrefs, *taxa[1:]])),
    )
    yield from (Foreign(taxon, name.strip()) for taxon, (_, name) in zip(taxa, species, strict=True) if name)
    yield from (History(old, identifier) for old in merged)


def _read_text(file: RawFile) -> Iterator[Entity | History | Foreign]:
    """Entries from `ID` to `//`; what stands before the first of them is the preamble."""
    entry: dict[str, list[tuple[int, str]]] = {}
    begun = entries = 0
    for number, line in file.lines():
        code, text = line[:2], line[5:].strip()
        if line.startswith("ID   "):
            if begun:
                raise DataError(f"the entry of line {begun} has no end ('//')", file=file.name, line=number)
            begun, entry = number, {"ID": [(number, text)]}
        elif begun and line.strip() == "//":
            yield from _text_entry(entry, file.name)
            begun, entries = 0, entries + 1
        elif begun and line.strip():
            if line[2:5] != "   ":
                raise DataError(f"expected a line code and three spaces, found {line[:40]!r}",
                                file=file.name, line=number)  # fmt: skip
            entry.setdefault(code, []).append((number, text))
    if begun:
        raise DataError(f"the entry of line {begun} has no end ('//'); is the file whole?", file=file.name)
    if not entries:
        raise DataError("no entry ('ID   …') in it; is it cellosaurus.txt?", file=file.name)


def _text_entry(entry: Mapping[str, list[tuple[int, str]]], file: str) -> Iterator[Entity | History | Foreign]:
    line, name = entry["ID"][0]
    if not name:
        raise DataError("the cell line has no name", file=file, line=line)
    if len(entry.get("AC", [])) != 1:
        raise DataError(f"cell line {name!r} needs one accession (AC), found {len(entry.get('AC', []))}",
                        file=file, line=line)  # fmt: skip
    at, accession = entry["AC"][0]
    species = []
    for number, text in entry.get("OX", []):
        match = _SPECIES.fullmatch(text)
        if not match:
            raise DataError(f"OX: expected 'NCBI_TaxID=…; ! name', found {text[:60]!r}", file=file, line=number)
        species.append((match[1], match[2] or ""))
    databases = [text.partition(";") for _, text in entry.get("DR", [])]
    yield from _cell_line(
        _id(accession.rstrip(";"), file, at),
        [(name, "name"), *((s, "synonym") for _, text in entry.get("SY", []) for s in listed(text, "; "))],
        species,
        category="|".join(text for _, text in entry.get("CA", [])),
        parents=[_id(text.partition("!")[0], file, n) for n, text in entry.get("HI", [])],
        xrefs=[xref(database, local) for database, _, local in databases if database.strip() and local.strip()],
        merged=[_id(old, file, n) for n, text in entry.get("AS", []) for old in listed(text, ";")],
    )


def _read_obo(file: RawFile) -> Iterator[Entity | History | Foreign]:
    categories: dict[str, str] = {}
    terms = 0
    for stanza in stanzas(file):
        if not stanza.kind:
            for line, value in stanza.all("subsetdef"):
                name, _, rest = value.partition(" ")
                categories[name] = quoted(rest.strip(), file.name, line)[0]
        elif stanza.kind == "Term":
            terms += 1
            yield from _obo_entry(stanza, categories)
    if not terms:
        raise DataError("no [Term] in it; is it cellosaurus.obo?", file=file.name)


def _obo_entry(stanza: Stanza, categories: Mapping[str, str]) -> Iterator[Entity | History | Foreign]:
    file, line, name = stanza.file, stanza.line, stanza.plain("name")
    ids = stanza.tokens("id")
    if len(ids) != 1 or not name:
        raise DataError("a [Term] needs one id and a name", file=file, line=line)
    xrefs = [(n, value, match) for n, value in stanza.all("xref") if (match := _XREF.match(value))]
    relations = [(n, value.split() or [""]) for n, value in stanza.all("relationship")]
    yield from _cell_line(
        _id(ids[0], file, line),
        [(name, "name"), *((quoted(value, file, n)[0], "synonym") for n, value in stanza.all("synonym"))],
        [(species[1], species[2] or "") for _, value, _ in xrefs if (species := _SPECIES.fullmatch(value))],
        category="|".join(categories.get(s, s) for s in stanza.tokens("subset") if s not in _SEXES),
        parents=[_id(words[1], file, n) for n, words in relations if words[0] == "derived_from" and len(words) > 1],
        xrefs=[xref(match[1], match[2]) for _, _, match in xrefs if match[1].lower() not in _OTHER_THINGS],
        merged=[_id(old, file, line) for old in stanza.tokens("alt_id")],
    )


def _read_table(file: RawFile) -> Iterator[Entity]:
    """Rows (name, accession, species) in any order; the first name of an accession is its primary one."""
    names: dict[str, list[tuple[str, str]]] = defaultdict(list)
    species: dict[str, dict[str, None]] = defaultdict(dict)
    for number, line in file.lines():
        if not line.strip():
            continue
        fields = line.split("\t")
        if len(fields) not in (2, 3) or not fields[0].strip():
            raise DataError("expected: name, tab, accession, tab, species", file=file.name, line=number)
        identifier = _id(fields[1], file.name, number)
        known = names[identifier]
        known.append((fields[0], "synonym" if known else "name"))
        if len(fields) == 3 and fields[2].strip():
            species[identifier][fields[2].strip()] = None
    for identifier, known in names.items():
        yield Entity(id=identifier, type="cell_line", names=distinct_names(known),
                     category="|".join(species[identifier]))  # fmt: skip


def read_deleted(file: RawFile, options: Mapping[str, Any]) -> Iterator[History]:
    """`cellosaurus_deleted_ACs.txt`: lines that begin with an accession, the reason after it."""
    for number, line in file.lines():
        if line.startswith("CVCL_"):
            yield History(_id(line.split()[0], file.name, number))


_FTP = "https://ftp.expasy.org/databases/cellosaurus/"

SPEC = KbSpec(
    name="cellosaurus",
    title="Cellosaurus",
    prefix="cellosaurus",
    types=("cell_line",),
    licence="CC BY 4.0",
    citation=(
        "Bairoch A. The Cellosaurus, a cell-line knowledge resource. Journal of Biomolecular Techniques 29(2):25–38, "
        "2018. doi:10.7171/jbt.18-2902-002"
    ),
    homepage="https://www.cellosaurus.org",
    parts=(
        Part("cellosaurus.txt|cellosaurus.obo|cellosaurus_*.tsv", "linkassay.kbs.catalog.cellosaurus:read"),
        Part("cellosaurus_deleted_ACs.txt", "linkassay.kbs.catalog.cellosaurus:read_deleted", optional=True),
    ),
    sources=tuple(Source(_FTP + name, name) for name in ("cellosaurus.txt", "cellosaurus_deleted_ACs.txt")),
    notes="The relation of parents is `derived_from`. A hybrid's further species are xrefs to NCBI Taxonomy.",
)
