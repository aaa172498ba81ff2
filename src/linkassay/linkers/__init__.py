"""Linkers: one module per family; `base` holds the protocol they share."""

from __future__ import annotations

from linkassay.registry import Registry

__all__ = ["LINKERS"]

LINKERS = Registry(
    "linker",
    {
        "exact": "linkassay.linkers.exact:Exact",
        "normalised": "linkassay.linkers.exact:Normalised",
        "fuzzy": "linkassay.linkers.fuzzy:Fuzzy",
        "house": "linkassay.linkers.house:House",
        "house-untrained": "linkassay.linkers.house:Untrained",
        "tfidf": "linkassay.linkers.tfidf:Tfidf",
    },
)
