"""Knowledge bases: one schema for all. One module per source; `build` writes, `stored` answers."""

from __future__ import annotations

from linkassay.registry import Registry

__all__ = ["KBS"]

#: Each is a `KbSpec`.
KBS = Registry(
    "kb",
    {
        "mini": "linkassay.kbs.catalog.mini:SPEC",
        "ncbi_taxonomy": "linkassay.kbs.catalog.ncbi_taxonomy:SPEC",
        "ncbi_gene": "linkassay.kbs.catalog.ncbi_gene:SPEC",
        "umls": "linkassay.kbs.catalog.umls:SPEC",
        "dbsnp": "linkassay.kbs.catalog.dbsnp:SPEC",
        "ctd_diseases": "linkassay.kbs.catalog.ctd:CTD_DISEASES",
        "ctd_chemicals": "linkassay.kbs.catalog.ctd:CTD_CHEMICALS",
        "medic": "linkassay.kbs.catalog.medic:SPEC",
        "cellosaurus": "linkassay.kbs.catalog.cellosaurus:SPEC",
        "mesh": "linkassay.kbs.catalog.mesh:SPEC",
        "wikidata": "linkassay.kbs.catalog.wikidata:SPEC",
        **{name: f"linkassay.kbs.catalog.obo:{name.upper()}" for name in ("hp", "mondo", "doid", "chebi", "go", "cl")},
    },
)
