"""Predictions made elsewhere become runs. `IMPORTERS` names the formats; `base` does the work, `join` the joining."""

from __future__ import annotations

from linkassay.registry import Registry

__all__ = ["IMPORTERS", "RANKS_NAMES"]

#: Each is a function of (files, reading) that yields `Claim`s.
IMPORTERS = Registry(
    "importer",
    {
        "native": "linkassay.formats.predictions.native:read_claims",
        "belb": "linkassay.formats.predictions.belb:read_claims",
        "bioel": "linkassay.formats.predictions.bioel:read_claims",
        "biosyn": "linkassay.formats.predictions.biosyn:read_claims",
        "pubtator": "linkassay.formats.predictions.annotated_documents:pubtator",
        "bioc": "linkassay.formats.predictions.annotated_documents:bioc",
        "brat": "linkassay.formats.predictions.annotated_documents:brat",
        "nif": "linkassay.formats.predictions.annotated_documents:nif",
        "jsonl": "linkassay.formats.predictions.annotated_documents:jsonl",
        "simple-jsonl": "linkassay.formats.predictions.simple_jsonl:read_claims",
        "elevant": "linkassay.formats.predictions.annotated_documents:elevant",
    },
)

#: Formats that rank names: a name whose entity came before keeps its rank when groups are counted (SPEC §5.2,
#: `repeats` of `scoring.protocols`).
RANKS_NAMES = ("biosyn",)
