"""Results of the literature as data, and our own beside them."""

from __future__ import annotations

from linkassay.registry import Registry

__all__ = ["PUBLISHED"]

#: Work → a function that gives a note on what is comparable, and rows with `published`, `ours` and `difference`.
PUBLISHED = Registry(
    "published work",
    {
        "biowic": "linkassay.published.biowic:beside",
        "fair": "linkassay.published.fair:beside",
        "hierarchy": "linkassay.published.hierarchy:beside",
    },
)
