"""Predictions made elsewhere become runs. `IMPORTERS` names the formats; `base` does the work, `join` the joining."""

from __future__ import annotations

from linkassay.registry import Registry

__all__ = ["IMPORTERS", "RANKS_NAMES"]

#: Each is a function of (files, reading) that yields `Claim`s.
IMPORTERS = Registry(
    "importer",
    {
        "native": "linkassay.formats.predictions:read_claims",
        "belb": "linkassay.formats.belb:read_claims",
        "bioel": "linkassay.formats.bioel:read_claims",
        "biosyn": "linkassay.formats.biosyn:read_claims",
        "pubtator": "linkassay.formats.annotated:pubtator",
        "bioc": "linkassay.formats.annotated:bioc",
        "brat": "linkassay.formats.annotated:brat",
        "nif": "linkassay.formats.annotated:nif",
        "jsonl": "linkassay.formats.annotated:jsonl",
        "simple-jsonl": "linkassay.formats.simplejsonl:read_claims",
        "elevant": "linkassay.formats.annotated:elevant",
    },
)

#: Formats that rank names: a name whose entity came before keeps its rank when groups are counted (RANK-4,
#: `repeats` of `scoring.protocols`).
RANKS_NAMES = ("biosyn",)
