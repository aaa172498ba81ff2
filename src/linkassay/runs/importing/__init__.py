"""Predictions made elsewhere become runs. `IMPORTERS` names the formats, `importer` does the work, `join` joins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import Registry, front_door

if TYPE_CHECKING:
    from linkassay.runs.importing.importer import ImportOptions, find_import, import_run
    from linkassay.runs.importing.join import hold_to_corpus

__all__ = ["IMPORTERS", "RANKS_NAMES", "ImportOptions", "find_import", "hold_to_corpus", "import_run"]

__getattr__, __dir__ = front_door(__name__)

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

#: Formats that rank names: a name whose entity came before keeps its rank when groups are counted (RANK-4,
#: `repeats` of a protocol).
RANKS_NAMES = ("biosyn",)
