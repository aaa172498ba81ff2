"""Linkers: one folder per family; `protocol` says what they share, `LINKERS` has them by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import Registry, front_door

if TYPE_CHECKING:
    from linkassay.linkers.from_file import LinkerFile, linker_file, load_linker
    from linkassay.linkers.protocol import (
        Annotator,
        Answer,
        Candidate,
        Capabilities,
        Explainer,
        FoundMention,
        Linker,
        MentionLinker,
        OutOfOrderError,
        Query,
        Reason,
        Reranker,
        StoredLinker,
        capabilities_of,
        capable_with,
        checked_reasons,
        first_ranks,
    )
    from linkassay.linkers.with_abbreviations import Abbreviated, expanded

__all__ = [
    "LINKERS",
    "Abbreviated",
    "Annotator",
    "Answer",
    "Candidate",
    "Capabilities",
    "Explainer",
    "FoundMention",
    "Linker",
    "LinkerFile",
    "MentionLinker",
    "OutOfOrderError",
    "Query",
    "Reason",
    "Reranker",
    "StoredLinker",
    "capabilities_of",
    "capable_with",
    "checked_reasons",
    "expanded",
    "first_ranks",
    "linker_file",
    "load_linker",
]

__getattr__, __dir__ = front_door(__name__)

LINKERS = Registry(
    "linker",
    {
        "biosyn": "linkassay.linkers.neural.biosyn:BioSyn",
        "capitals": "linkassay.linkers.spotting.capitals:Capitals",
        "command": "linkassay.linkers.external.command:Command",
        "exact": "linkassay.linkers.strings.exact:Exact",
        "normalised": "linkassay.linkers.strings.exact:Normalised",
        "fuzzy": "linkassay.linkers.strings.fuzzy:Fuzzy",
        "spotter": "linkassay.linkers.spotting.spotter:Spotter",
        "genes": "linkassay.linkers.rules.genes:Genes",
        "http": "linkassay.linkers.external.http:Http",
        "house": "linkassay.linkers.house.linker:House",
        "house-untrained": "linkassay.linkers.house.linker:Untrained",
        "pipeline": "linkassay.linkers.composed.pipeline:Pipeline",
        "sapbert": "linkassay.linkers.neural.dense_alias:DenseAlias",
        "tfidf": "linkassay.linkers.strings.tfidf:Tfidf",
        "variants": "linkassay.linkers.rules.variants:Variants",
    },
)
