"""Results of the literature as data, and our own beside them."""

from __future__ import annotations

from linkassay.registry import Registry

__all__ = ["PUBLISHED"]

#: Work → a function that gives a note on what is comparable, rows with `published`, `ours` and `difference`, and
#: (or not) lines on what is missing: see `ours.Reproduced`.
PUBLISHED = Registry(
    "published work",
    {
        "belb": "linkassay.published.belb:beside",
        "bioel": "linkassay.published.bioel:beside",
        "biowic": "linkassay.published.biowic:beside",
        "fair": "linkassay.published.fair:beside",
        "hierarchy": "linkassay.published.hierarchy:beside",
    },
)
