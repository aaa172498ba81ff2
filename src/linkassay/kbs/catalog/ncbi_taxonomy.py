"""NCBI Taxonomy: taxa with names of all classes, ranks, parents, merged and deleted ids, from the taxonomy dump."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow.compute as pc

from linkassay.files import RawFile
from linkassay.kbs.readers.delimited import FILLED, WHOLE_NUMBER, prefixed, read, rows
from linkassay.kbs.schema import Batch, KbSpec, Part
from linkassay.sources import Source

_PREFIX = "ncbitaxon"


def read_names(file: RawFile, options: Mapping[str, Any]) -> Iterator[Batch]:
    """`names.dmp`: every row is a name, its class the kind; the scientific name is the primary one.

    The column "unique name", a label made of the name and a hint at its taxon, is no name in use.
    """
    columns = ("tax_id", "|", "name_txt", "|", "unique name", "|", "name class", "|")
    forms = {"tax_id": WHOLE_NUMBER, "name_txt": FILLED}
    for batch in read(file, columns, ("tax_id", "name_txt", "name class"), forms=forms):
        kind = batch["name class"]
        yield {
            "names": rows(
                "names",
                id=prefixed(_PREFIX, batch["tax_id"]),
                name=batch["name_txt"],
                kind=kind,
                primary=pc.equal(kind, "scientific name"),
            )
        }


def read_nodes(file: RawFile, options: Mapping[str, Any]) -> Iterator[Batch]:
    """`nodes.dmp`: the taxa with their rank and parent; the root, its own parent there, has none."""
    columns = ("tax_id", "|", "parent tax_id", "|", "rank", "|")
    for batch in read(
        file,
        columns,
        ("tax_id", "parent tax_id", "rank"),
        forms=dict.fromkeys(("tax_id", "parent tax_id"), WHOLE_NUMBER),
    ):
        taxon = prefixed(_PREFIX, batch["tax_id"])
        inner = pc.not_equal(batch["tax_id"], batch["parent tax_id"])
        parent = prefixed(_PREFIX, batch["parent tax_id"].filter(inner))
        yield {
            "entities": rows("entities", id=taxon, type="species", category=batch["rank"]),
            "parents": rows("parents", child=taxon.filter(inner), parent=parent, relation="is_a"),
        }


def read_merged(file: RawFile, options: Mapping[str, Any]) -> Iterator[Batch]:
    """`merged.dmp`: old id, new id."""
    columns = ("old_tax_id", "|", "new_tax_id", "|")
    for batch in read(
        file, columns, ("old_tax_id", "new_tax_id"), forms=dict.fromkeys(("old_tax_id", "new_tax_id"), WHOLE_NUMBER)
    ):
        old, new = prefixed(_PREFIX, batch["old_tax_id"]), prefixed(_PREFIX, batch["new_tax_id"])
        yield {"history": rows("history", old=old, new=new)}


def read_deleted(file: RawFile, options: Mapping[str, Any]) -> Iterator[Batch]:
    """`delnodes.dmp`: ids without a successor."""
    for batch in read(file, ("tax_id", "|"), ("tax_id",), forms={"tax_id": WHOLE_NUMBER}):
        yield {"history": rows("history", old=prefixed(_PREFIX, batch["tax_id"]))}


SPEC = KbSpec(
    name="ncbi_taxonomy",
    title="NCBI Taxonomy",
    prefix=_PREFIX,
    types=("species",),
    licence="public domain (work of the United States government, NCBI/NLM)",
    citation=(
        "Schoch CL, Ciufo S, Domrachev M, et al. NCBI Taxonomy: a comprehensive update on curation, resources and "
        "tools. Database 2020:baaa062, 2020. doi:10.1093/database/baaa062"
    ),
    homepage="https://www.ncbi.nlm.nih.gov/taxonomy",
    parts=(
        Part("names.dmp", "linkassay.kbs.catalog.ncbi_taxonomy:read_names", lines=True, columnar=True),
        Part("nodes.dmp", "linkassay.kbs.catalog.ncbi_taxonomy:read_nodes", lines=True, columnar=True),
        Part("merged.dmp", "linkassay.kbs.catalog.ncbi_taxonomy:read_merged", lines=True, columnar=True, optional=True),
        Part(
            "delnodes.dmp", "linkassay.kbs.catalog.ncbi_taxonomy:read_deleted", lines=True, columnar=True, optional=True
        ),
    ),
    sources=(Source("https://ftp.ncbi.nlm.nih.gov/pub/taxonomy/taxdump.tar.gz", "taxdump.tar.gz"),),
    notes="The type is species whatever the rank; the rank is the category.",
)
