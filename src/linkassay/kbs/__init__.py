"""Knowledge bases: one schema for all. One module per source; `build` writes, `stored` answers."""

from __future__ import annotations

from linkassay.registry import Registry

__all__ = ["KBS"]

#: Each is a `KbSpec`.
KBS = Registry(
    "kb",
    {
        "mini": "linkassay.kbs.mini:SPEC",
        "ncbi_taxonomy": "linkassay.kbs.ncbi_taxonomy:SPEC",
        "ncbi_gene": "linkassay.kbs.ncbi_gene:SPEC",
        "umls": "linkassay.kbs.umls:SPEC",
        "dbsnp": "linkassay.kbs.dbsnp:SPEC",
        "ctd_diseases": "linkassay.kbs.ctd:CTD_DISEASES",
        "ctd_chemicals": "linkassay.kbs.ctd:CTD_CHEMICALS",
        "medic": "linkassay.kbs.medic:SPEC",
        "cellosaurus": "linkassay.kbs.cellosaurus:SPEC",
        "mesh": "linkassay.kbs.mesh:SPEC",
        "wikidata": "linkassay.kbs.wikidata:SPEC",
        **{name: f"linkassay.kbs.obo:{name.upper()}" for name in ("hp", "mondo", "doid", "chebi", "go", "cl")},
    },
)
