"""NCBI Gene: genes of all species with symbol, names, taxon, type and links, from gene_info and gene_history.

A gene's names are, in this order, its symbol (primary), the symbol and full name of its nomenclature
authority, its synonyms, description and other designations; a name that comes twice keeps its
first kind. Locus tags are ids of sequencing projects rather than names and are left out. The
records `NEWENTRY`, one a species, stand for genes that are not in NCBI Gene yet: this is their only name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.ids import PREFIXES
from linkassay.kbs.building.qualified_names import OPTION
from linkassay.kbs.readers.delimited import (
    WHOLE_NUMBER,
    WHOLE_NUMBER_OR_DASH,
    distinct,
    first_line,
    listed,
    prefixed,
    read,
    rows,
)
from linkassay.kbs.schema import Batch, KbSpec, Part
from linkassay.sources import Source

#: Column → kind of name; of a kind in `_LISTS` there may be several with a bar between them.
_NAMES = {
    "Symbol": "symbol",
    "Symbol_from_nomenclature_authority": "authority symbol",
    "Full_name_from_nomenclature_authority": "full name",
    "Synonyms": "synonym",
    "description": "description",
    "Other_designations": "other designation",
}
_LISTS = ("Synonyms", "Other_designations")
#: Values of the option `drop_types` that are no types of genes: one looks at the description, one at the symbol.
_HYPOTHETICAL, _NEW = "hypothetical", "NEWENTRY"


def read_info(file: RawFile, options: Mapping[str, Any]) -> Iterator[Batch]:
    """`gene_info`, of all species or of one, whichever columns its edition has."""
    columns = _header(file, ("tax_id", "GeneID", "Symbol"))
    used = [c for c in ("tax_id", "GeneID", "dbXrefs", "type_of_gene", *_NAMES) if c in columns]
    for batch in read(file, columns, used, header=True, forms=dict.fromkeys(("tax_id", "GeneID"), WHOLE_NUMBER)):
        kept = batch.filter(_wanted(batch, options))
        gene = prefixed("ncbigene", kept["GeneID"])
        type_ = kept["type_of_gene"] if "type_of_gene" in used else pa.repeat("", len(kept))
        tables = {
            "entities": rows(
                "entities",
                id=gene,
                type="gene",
                category=pc.replace_substring_regex(type_, "^-$", ""),
                foreign_id=prefixed("ncbitaxon", kept["tax_id"]),
            ),
            "names": _names(kept, gene),
        }
        if "dbXrefs" in used:
            tables["xrefs"] = _xrefs(kept["dbXrefs"], gene)
        yield tables


def read_history(file: RawFile, options: Mapping[str, Any]) -> Iterator[Batch]:
    """`gene_history`: genes that were replaced by another, or discontinued (`-`)."""
    used = ("tax_id", "GeneID", "Discontinued_GeneID")
    columns = _header(file, used)
    forms = {"tax_id": WHOLE_NUMBER, "GeneID": WHOLE_NUMBER_OR_DASH, "Discontinued_GeneID": WHOLE_NUMBER}
    for batch in read(file, columns, used, header=True, forms=forms):
        if taxa := _taxa(options):
            batch = batch.filter(pc.is_in(batch["tax_id"], pa.array(taxa, pa.string())))
        new = pc.if_else(pc.equal(batch["GeneID"], "-"), "", prefixed("ncbigene", batch["GeneID"]))
        yield {"history": rows("history", old=prefixed("ncbigene", batch["Discontinued_GeneID"]), new=new)}


def _header(file: RawFile, needed: Sequence[str]) -> list[str]:
    """The names of the columns: `#tax_id<tab>…`, or before 2016 `#Format: tax_id … (tab is used …)`."""
    first = first_line(file)
    line = first[1] if first else ""
    if line.startswith("#Format:"):
        columns = line.removeprefix("#Format:").partition("(")[0].split()
    else:
        columns = line.removeprefix("#").split("\t")
    missing = [name for name in needed if name not in columns]
    if missing or not line.startswith("#") or len(set(columns)) < len(columns):
        what = f"the first line must name the columns, {', '.join(needed)} among them: '#tax_id', tab, 'GeneID', …"
        raise DataError(what, file=file.name, line=1)
    return columns


def _wanted(batch: pa.RecordBatch, options: Mapping[str, Any]) -> pa.Array:
    wanted = pa.repeat(True, len(batch))
    if taxa := _taxa(options):
        wanted = pc.and_(wanted, pc.is_in(batch["tax_id"], pa.array(taxa, pa.string())))
    dropped = listed(options.get("drop_types"))
    if _NEW in dropped:
        wanted = pc.and_(wanted, pc.not_equal(batch["Symbol"], _NEW))
    if _HYPOTHETICAL in dropped and "description" in batch.schema.names:
        begins = pc.match_substring_regex(batch["description"], f"(?i)^{_HYPOTHETICAL}")
        wanted = pc.and_(wanted, pc.invert(begins))
    if dropped and "type_of_gene" in batch.schema.names:
        wanted = pc.and_(wanted, pc.invert(pc.is_in(batch["type_of_gene"], pa.array(dropped, pa.string()))))
    return wanted


def _taxa(options: Mapping[str, Any]) -> list[str]:
    return [taxon.removeprefix("ncbitaxon:") for taxon in listed(options.get("taxa"))]


def _names(batch: pa.RecordBatch, gene: pa.Array) -> pa.Table:
    at, names, kinds = [], [], []
    real = pc.not_equal(batch["Symbol"], _NEW)
    for number, column in enumerate(_NAMES):
        if column not in batch.schema.names:
            continue
        row, name = _several(batch[column]) if column in _LISTS else (np.arange(len(batch)), batch[column])
        given = pc.and_(pc.not_equal(name, "-"), pc.not_equal(pc.utf8_trim_whitespace(name), ""))
        if column != "Symbol":
            given = pc.and_(given, real.take(pa.array(row)))
        at.append(row[given.to_numpy(zero_copy_only=False)])
        names.append(name.filter(given))
        kinds.append(np.full(len(at[-1]), number, np.int8))
    row, kind = np.concatenate(at), np.concatenate(kinds)
    order = np.argsort(row, kind="stable")
    table = pa.table({"row": row[order], "name": pa.concat_arrays(names).take(pa.array(order)), "kind": kind[order]})
    table = distinct(table, ["row", "name"]).combine_chunks()
    kind = table["kind"]
    words = pa.array(list(_NAMES.values()))
    return rows(
        "names", id=gene.take(table["row"]), name=table["name"], kind=words.take(kind), primary=pc.equal(kind, 0)
    )


def _xrefs(column: pa.Array, gene: pa.Array) -> pa.Table:
    """`MIM:138670|HGNC:HGNC:5` as omim:138670 and hgnc:5."""
    row, other = _several(column)
    other = pc.replace_substring_regex(other, "^AllianceGenome:", "")  # in front of another database's id
    sound = pc.match_substring_regex(other, "^[^:]+:.")
    row, other = row[sound.to_numpy(zero_copy_only=False)], other.filter(sound)
    parts = pc.split_pattern(other, ":", max_splits=1)
    prefix = pc.list_element(parts, 0).dictionary_encode()
    known = pa.array([PREFIXES.get(p.lower(), p.lower()) for p in prefix.dictionary.to_pylist()], pa.string())
    local = pc.replace_substring_regex(pc.list_element(parts, 1), "^(HGNC|MGI|VGNC):", "")
    other = pc.binary_join_element_wise(known.take(prefix.indices), local, ":")
    return distinct(rows("xrefs", id=gene.take(pa.array(row)), other=other), ["id", "other"])


def _several(column: pa.Array) -> tuple[np.ndarray[Any, Any], pa.Array]:
    """The values of a column of lists, each with the number of its row."""
    lists = pc.split_pattern(column, "|")
    return pc.list_parent_indices(lists).to_numpy(), pc.list_flatten(lists)


SPEC = KbSpec(
    name="ncbi_gene",
    title="NCBI Gene",
    prefix="ncbigene",
    types=("gene",),
    licence="public domain (work of the United States government, NCBI/NLM)",
    citation=(
        "Brown GR, Hem V, Katz KS, et al. Gene: a gene-centered information resource at NCBI. Nucleic Acids Research "
        "43(D1):D36–D42, 2015. doi:10.1093/nar/gku1055"
    ),
    homepage="https://www.ncbi.nlm.nih.gov/gene",
    parts=(
        Part(
            "gene_info|*.gene_info", "linkassay.kbs.catalog.ncbi_gene:read_info", lines=True, columnar=True, header=True
        ),
        Part(
            "gene_history",
            "linkassay.kbs.catalog.ncbi_gene:read_history",
            lines=True,
            columnar=True,
            header=True,
            optional=True,
        ),
    ),
    sources=(
        Source("https://ftp.ncbi.nlm.nih.gov/gene/DATA/gene_info.gz", "gene_info.gz"),
        Source("https://ftp.ncbi.nlm.nih.gov/gene/DATA/gene_history.gz", "gene_history.gz"),
    ),
    how_to_obtain=(
        "Genes of all species: gene_info.gz and gene_history.gz from https://ftp.ncbi.nlm.nih.gov/gene/DATA/; "
        "of one species: a file of https://ftp.ncbi.nlm.nih.gov/gene/DATA/GENE_INFO/ in place of gene_info.gz."
    ),
    options={"drop_types": (), "taxa": (), OPTION: False},
    notes=(
        "drop_types leaves out genes of these types (type_of_gene, e.g. tRNA); 'hypothetical' leaves out those whose "
        "description begins so, 'NEWENTRY' the records of that name. taxa keeps only the genes of these taxa. "
        f"{OPTION} makes names of several genes tell their taxon: CO1 (ncbitaxon:9606)."
    ),
)
