"""CTD Diseases (MEDIC) and CTD Chemicals: tab-separated tables whose columns a comment line names.

In MEDIC an OMIM disease and a MeSH one that mean the same are one concept: the alternative ids of
MeSH and OMIM are history (a gold id written either way resolves to the concept) and xrefs; those
of the Disease Ontology are xrefs alone. An alternative id that is itself a concept keeps its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.ids import curie
from linkassay.kbs.readers.replaced_ids import REPLACED
from linkassay.kbs.readers.row_helpers import distinct_names, listed, xref
from linkassay.kbs.schema import Entity, History, KbSpec, Part
from linkassay.sources import Source

#: Columns of other identifiers → prefix.
_XREFS = {"CasRN": "cas", "PubChemCID": "pubchem.compound", "DTXSID": "comptox", "InChIKey": "inchikey"}


def read_diseases(file: RawFile, options: Mapping[str, Any]) -> Iterator[Entity | History]:
    """`CTD_diseases.tsv`; history comes last, when all ids are known."""
    ids: set[str] = set()
    merged: list[tuple[str, str]] = []
    for _, row in _rows(file, "DiseaseName", "DiseaseID"):
        identifier = curie(row["DiseaseID"], "mesh")
        ids.add(identifier)
        written = (other.removeprefix("DO:").strip() for other in listed(row.get("AltDiseaseIDs", ""), "|"))
        others = [curie(other, "mesh") for other in written if other]
        merged += [(other, identifier) for other in others if other.startswith(("mesh:", "omim:"))]
        slim = "|".join(listed(row.get("SlimMappings", ""), "|"))
        yield _entity(row, identifier, row["DiseaseName"], "disease", others, category=slim)
    yield from (History(old, new) for old, new in dict.fromkeys(merged) if old not in ids)


def read_chemicals(file: RawFile, options: Mapping[str, Any]) -> Iterator[Entity]:
    """`CTD_chemicals.tsv`, of any year: ids with and without `MESH:`, synonyms in one column or two."""
    for _, row in _rows(file, "ChemicalName", "ChemicalID"):
        others = [
            xref(prefix, local.removeprefix("CID:"))
            for column, prefix in _XREFS.items()
            for local in listed(row.get(column, ""), "|")
            if local.removeprefix("CID:").strip()
        ]
        yield _entity(row, curie(row["ChemicalID"], "mesh"), row["ChemicalName"], "chemical", others)


def _entity(
    row: Mapping[str, str], identifier: str, name: str, type_: str, xrefs: list[str], category: str = ""
) -> Entity:
    synonyms = [
        (synonym, kind)
        for column, kind in (("Synonyms", "synonym"), ("MESHSynonyms", "MeSH synonym"),
                             ("CTDCuratedSynonyms", "CTD synonym"))
        for synonym in listed(row.get(column, ""), "|")
    ]  # fmt: skip
    return Entity(
        id=identifier,
        type=type_,
        names=distinct_names([(name.strip(), "name"), *synonyms]),
        category=category,
        definition=row.get("Definition", "").strip(),
        parents=tuple((curie(parent, "mesh"), "is_a") for parent in listed(row.get("ParentIDs", ""), "|")),
        xrefs=tuple(dict.fromkeys(xrefs)),
    )


def _rows(file: RawFile, name: str, identifier: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Numbered rows by the column names of the comment line after `# Fields:`."""
    columns: list[str] = []
    announced = False
    for number, line in file.lines():
        if line.startswith("#"):
            text = line[1:].strip()
            if announced and not columns and text:
                columns = [column.strip() for column in text.split("\t")]
                if missing := [column for column in (name, identifier) if column not in columns]:
                    raise DataError(f"no column {missing[0]!r} among: {', '.join(columns)[:200]}",
                                    file=file.name, line=number)  # fmt: skip
            announced = announced or text.lower() == "fields:"
            continue
        if not line.strip():
            continue
        if not columns:
            raise DataError("the comment '# Fields:' and the line that names the columns are missing",
                            file=file.name, line=number)  # fmt: skip
        values = line.split("\t")
        if len(values) > len(columns):
            raise DataError(f"{len(values)} fields, but {len(columns)} columns", file=file.name, line=number)
        row = dict(zip(columns, values, strict=False))  # empty fields at the end may be left off
        for column in (name, identifier):
            if not row.get(column, "").strip():
                raise DataError(f"{column} is empty", file=file.name, line=number)
        yield number, row
    if not columns:
        raise DataError("the comment '# Fields:' and the line that names the columns are missing", file=file.name)


_LICENCE = "CTD terms: free for research and education, citation required; commercial use needs a licence"
_CITATION = (
    "Davis AP et al. Comparative Toxicogenomics Database (CTD): update 2023. Nucleic Acids Research "
    "51(D1):D1257–D1262, 2023. doi:10.1093/nar/gkac833"
)

CTD_DISEASES = KbSpec(
    name="ctd_diseases",
    title="CTD Diseases (MEDIC)",
    prefix="mesh",
    types=("disease",),
    licence=_LICENCE,
    citation=_CITATION,
    homepage="https://ctdbase.org/downloads/#alldiseases",
    parts=(Part("CTD_diseases.tsv|CTD_diseases_*.tsv", "linkassay.kbs.catalog.ctd:read_diseases"), REPLACED),
    sources=(Source("https://ctdbase.org/reports/CTD_diseases.tsv.gz", "CTD_diseases.tsv.gz"),),
    notes="Alternative MeSH and OMIM ids resolve to the concept they were merged into; Disease Ontology ids are xrefs.",
)
CTD_CHEMICALS = KbSpec(
    name="ctd_chemicals",
    title="CTD Chemicals",
    prefix="mesh",
    types=("chemical",),
    licence=_LICENCE,
    citation=_CITATION,
    homepage="https://ctdbase.org/downloads/#allchems",
    parts=(Part("CTD_chemicals.tsv|CTD_chemicals_*.tsv", "linkassay.kbs.catalog.ctd:read_chemicals"), REPLACED),
    sources=(Source("https://ctdbase.org/reports/CTD_chemicals.tsv.gz", "CTD_chemicals.tsv.gz"),),
)
