"""Results of the literature as data, and our own beside them."""

from __future__ import annotations

from linkassay.registry import Registry

__all__ = ["PUBLISHED"]

#: Work → a function that gives a note on what is comparable, rows with `published`, `ours` and `difference`, and
#: (or not) lines on what is missing: see `ours.Reproduced`.
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
