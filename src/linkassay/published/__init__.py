"""Results of the literature as data, and our own beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import Registry, front_door

if TYPE_CHECKING:
    from linkassay.published.literature import (
        ENTITY_KINDS,
        kind_of,
        out_of_memory,
        published_rows,
        published_rows_of_kind,
    )
    from linkassay.published.our_figures import Reproduced
    from linkassay.published.published_table import load_work

__all__ = [
    "ENTITY_KINDS",
    "PUBLISHED",
    "Reproduced",
    "kind_of",
    "load_work",
    "out_of_memory",
    "published_rows",
    "published_rows_of_kind",
]

__getattr__, __dir__ = front_door(__name__)

#: Work → a function that gives a note on what is comparable, rows with `published`, `ours` and `difference`, and
#: (or not) lines on what is missing: see `Reproduced`.
PUBLISHED = Registry(
    "published work",
    {
        "belb": "linkassay.published.belb:belb_beside_ours",
        "bioel": "linkassay.published.bioel:bioel_beside_ours",
        "biowic": "linkassay.published.biowic:biowic_beside_ours",
        "fair": "linkassay.published.fair:fair_beside_ours",
        "hierarchy": "linkassay.published.hierarchy:hierarchy_beside_ours",
    },
)
