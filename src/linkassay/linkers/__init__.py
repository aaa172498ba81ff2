"""Linkers: one module per family; `base` holds the protocol they share."""

from __future__ import annotations

from linkassay.registry import Registry

__all__ = ["LINKERS"]

LINKERS = Registry(
    "linker",
    {
        "capitals": "linkassay.linkers.capitals:Capitals",
        "command": "linkassay.linkers.command:Command",
        "exact": "linkassay.linkers.exact:Exact",
        "normalised": "linkassay.linkers.exact:Normalised",
        "fuzzy": "linkassay.linkers.fuzzy:Fuzzy",
        "spotter": "linkassay.linkers.spotting:Spotter",
        "genes": "linkassay.linkers.genes:Genes",
        "http": "linkassay.linkers.http:Http",
        "house": "linkassay.linkers.house:House",
        "house-untrained": "linkassay.linkers.house:Untrained",
        "tfidf": "linkassay.linkers.tfidf:Tfidf",
        "variants": "linkassay.linkers.variants:Variants",
    },
)
