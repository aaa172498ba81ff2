"""Names that documentation once gave and that are elsewhere now: they work for one release more, with a warning.

Old module → its documented names, each as `room:name` of today. Nothing inside the package uses these.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

__all__ = ["MOVED", "OldNames", "find_moved"]

#: Formats whose modules were in `linkassay.formats`, and were shown as examples.
_DOCUMENT_FORMATS = ("bioc", "brat", "elevant", "iob", "jsonl", "nif", "pubtator", "standoff")

MOVED: dict[str, dict[str, str]] = {
    "linkassay.corpora": {"canonical": "linkassay.corpora:canonical_name", "spec": "linkassay.corpora:spec_of"},
    "linkassay.corpora.base": {
        "CorpusSpec": "linkassay.corpora:CorpusSpec",
        "EveryType": "linkassay.corpora:EveryType",
        "Reader": "linkassay.corpora:Reader",
        "unique_documents": "linkassay.corpora:unique_documents",
    },
    "linkassay.corpora.get": {
        "Got": "linkassay.corpora:GotCorpus",
        "Own": "linkassay.corpora:OwnCorpus",
        "get": "linkassay.corpora:get_corpus",
        "get_own": "linkassay.corpora:get_own_corpus",
    },
    "linkassay.corpora.prepare": {
        "Preparation": "linkassay.corpora:Preparation",
        "marked": "linkassay.corpora:marked",
        "sentence_documents": "linkassay.corpora:sentence_documents",
    },
    "linkassay.corpora.stored": {"Corpus": "linkassay.corpora:Corpus", "Split": "linkassay.corpora:Split"},
    "linkassay.formats": {
        "FORMATS": "linkassay.formats:DOCUMENT_FORMATS",
        "read": "linkassay.formats:read_documents",
        **{name: f"linkassay.formats.documents:{name}" for name in _DOCUMENT_FORMATS},
        "mentions": "linkassay.formats.documents:mention_table",
    },
    "linkassay.formats.base": {
        "Annotation": "linkassay.formats:Annotation",
        "Format": "linkassay.formats:Format",
        "Reading": "linkassay.formats:Reading",
        "Units": "linkassay.formats:Units",
    },
    "linkassay.formats.claims": {"Claim": "linkassay.formats.predictions:Claim"},
    "linkassay.imports": {"IMPORTERS": "linkassay.runs.importing:IMPORTERS"},
    "linkassay.imports.base": {
        "Options": "linkassay.runs.importing:ImportOptions",
        "import_run": "linkassay.runs.importing:import_run",
        "stored": "linkassay.runs.importing:find_import",
    },
    "linkassay.kbs.base": {
        "Batch": "linkassay.kbs:Batch",
        "Entity": "linkassay.kbs:Entity",
        "Foreign": "linkassay.kbs:Foreign",
        "History": "linkassay.kbs:History",
        "KbReader": "linkassay.kbs:KbReader",
        "KbSpec": "linkassay.kbs:KbSpec",
        "Part": "linkassay.kbs:Part",
    },
    "linkassay.kbs.borrowing": {
        "borrowed": "linkassay.kbs:with_synonyms",
        "lenders": "linkassay.kbs:synonym_sources",
    },
    "linkassay.kbs.stored": {"Kb": "linkassay.kbs:Kb"},
    "linkassay.linkers.base": {
        "Annotator": "linkassay.linkers:Annotator",
        "Answer": "linkassay.linkers:Answer",
        "Linker": "linkassay.linkers:MentionLinker",
        "Marked": "linkassay.linkers:FoundMention",
        "OutOfOrderError": "linkassay.linkers:OutOfOrderError",
        "Query": "linkassay.linkers:Query",
    },
    "linkassay.linkers.request": {"LinkRequest": "linkassay.runs:LinkRequest"},
    "linkassay.matrix.perform": {"Outcome": "linkassay.bench_files:BenchOutcome"},
    "linkassay.pages": {"without_charts": "linkassay.charts:without_charts"},
    "linkassay.published.beside": {"rows": "linkassay.published:published_rows"},
    "linkassay.published.table": {"work": "linkassay.published:load_work"},
    "linkassay.reporting.page": {"write": "linkassay.pages:write_report"},
    "linkassay.runs": {"stored": "linkassay.runs:find_run"},
    "linkassay.scoring.compare": {"Comparison": "linkassay.scoring.disambiguation:Comparison"},
    "linkassay.scoring.endtoend": {"Knowledge": "linkassay.scoring.endtoend:KbFacts"},
    "linkassay.scoring.measures": {
        "Measure": "linkassay.scoring.disambiguation:Measure",
        "parse_measures": "linkassay.scoring.disambiguation:parse_measures",
    },
    "linkassay.scoring.placing": {
        "Gold": "linkassay.scoring.disambiguation:GoldIds",
        "place": "linkassay.scoring.disambiguation:rank_gold",
    },
    "linkassay.scoring.protocols": {
        "TIES": "linkassay.scoring.disambiguation:TIES",
        "Protocol": "linkassay.scoring.disambiguation:Protocol",
    },
    "linkassay.scoring.score": {"Score": "linkassay.scoring.disambiguation:Score"},
    "linkassay.tables": {"FORMATS": "linkassay.tables:TABLE_FORMATS"},
    "linkassay.text.abbreviations": {
        "Pair": "linkassay.text.abbreviations:AbbreviationPair",
        "abbreviations": "linkassay.text.abbreviations:abbreviation_source",
        "pairs": "linkassay.text.abbreviations:abbreviation_pairs",
        "recorded": "linkassay.text.abbreviations:abbreviations_record",
    },
}


def find_moved(module: str, name: str, level: int = 3) -> Any:
    """What `name` of `module` is today, with a warning to whoever asks; AttributeError if it never was documented."""
    today = MOVED.get(module, {}).get(name)
    if today is None:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    room, _, new = today.partition(":")
    warnings.warn(
        f"{module}.{name} is now {room}.{new}; the old name ends with the next release",
        DeprecationWarning,
        stacklevel=level,
    )
    found = importlib.import_module(room)
    return getattr(found, new) if hasattr(found, new) else importlib.import_module(f"{room}.{new}")


class OldNames(MetaPathFinder, Loader):
    """Finds old modules, after all other finders: each is empty but for its documented names."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        """A module of the table, or a package above one."""
        if fullname in MOVED or any(old.startswith(f"{fullname}.") for old in MOVED):
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is in it until it is asked for."""
        module.__getattr__ = lambda name: find_moved(module.__name__, name)  # type: ignore[method-assign]

    @classmethod
    def install(cls) -> None:
        """Let old names be found, once for each process."""
        if not any(isinstance(finder, cls) for finder in sys.meta_path):
            sys.meta_path.append(cls())
