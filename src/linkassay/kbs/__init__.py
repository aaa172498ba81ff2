"""Knowledge bases: one schema for all. `catalog` has one module per source, `building` writes, `stored_kb` answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import Registry, front_door

if TYPE_CHECKING:
    from linkassay.kbs.building.build import BuiltKb, build_kb, find_built
    from linkassay.kbs.common_ancestors import CommonAncestors
    from linkassay.kbs.hierarchy import Hierarchy, NodeLists, NodeNumbers
    from linkassay.kbs.id_mapping import id_prefix, map_ids
    from linkassay.kbs.readers.own_table import spec_from_toml
    from linkassay.kbs.revision_changes import compare_revisions, effect_on_gold_ids
    from linkassay.kbs.schema import Batch, Entity, Foreign, History, KbReader, KbSpec, Part
    from linkassay.kbs.semantic_groups import semantic_groups_of, semantic_types_of
    from linkassay.kbs.stored_kb import Kb, kb_names
    from linkassay.kbs.synonyms_from_other_kbs import synonym_sources, with_synonyms

__all__ = [
    "KBS",
    "Batch",
    "BuiltKb",
    "CommonAncestors",
    "Entity",
    "Foreign",
    "Hierarchy",
    "History",
    "Kb",
    "KbReader",
    "KbSpec",
    "NodeLists",
    "NodeNumbers",
    "Part",
    "build_kb",
    "compare_revisions",
    "effect_on_gold_ids",
    "find_built",
    "id_prefix",
    "kb_names",
    "map_ids",
    "semantic_groups_of",
    "semantic_types_of",
    "spec_from_toml",
    "synonym_sources",
    "with_synonyms",
]

__getattr__, __dir__ = front_door(__name__)

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
