"""What a bench file asks for: its corpora, linkers, imports and measures, and the cells they make. Nothing is run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from linkassay.defaults import DEFAULT_MEASURES
from linkassay.errors import UsageError
from linkassay.registry import near_miss
from linkassay.runs import LinkRequest
from linkassay.scoring.disambiguation import Measure, Protocol, parse_measures

#: What values of a bench file are, and what is said of those that are not.
Text = Annotated[str, Meta(pattern=r"\S", description="a text")]
Options = Annotated[dict[str, Any], Meta(description="a table")]
FilesOfSplits = Annotated[
    dict[str, tuple[Path, ...]],
    Meta(min_length=1, description='a table of files for each split, e.g. { test = "test.txt" }'),
]


class KbEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A knowledge base and where a fresh data home gets it: raw files, a description of its own, or the network."""

    name: Text
    raw: tuple[Path, ...] = ()
    description: Path | None = None
    options: Options = {}


class CorpusEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A corpus, the splits of it that count, and where a fresh data home gets it; own files have a `format`."""

    name: Text
    splits: tuple[Text, ...] = ("test",)
    kb: Text = ""
    linkers: tuple[Text, ...] = ()  # only these; all if empty
    raw: tuple[Path, ...] = ()
    format: Text = ""
    files: FilesOfSplits = {}
    types: tuple[Text, ...] = ()
    composite: Text = "|+"
    alternative: Text = ";,"
    units: Literal["codepoint", "byte", "utf16"] = "codepoint"
    encoding: Text = "utf-8"
    composites: Literal["keep", "drop"] = "keep"
    deduplicate: bool = False
    sentences: bool = False
    sync: Text = ""
    skip_bad: bool = False


@dataclass(frozen=True)
class LinkerEntry:
    """What is asked of a linker, of each corpus in turn."""

    request: LinkRequest
    corpora: tuple[str, ...] = ()  # only these; all if empty
    workers: int = 1

    @property
    def system(self) -> str:
        """What its runs are called."""
        return self.request.called


class ImportEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Predictions made elsewhere."""

    format: Text
    files: tuple[Path, ...]
    corpus: Text
    system: Text
    split: Text = "test"
    kb: Text = ""
    map: Text = ""
    prefix: Text = ""
    ids: Path | None = None
    types: tuple[Text, ...] = ()
    skip_bad: bool = False


class ScoreEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How all runs are scored; measures, protocols and sets are multiplied with each other."""

    measures: tuple[Text, ...] = tuple(DEFAULT_MEASURES.split(","))
    protocols: tuple[Text, ...] = ()
    sets: tuple[Text, ...] = ("global",)
    by: tuple[Text, ...] = ()
    abbreviations: Text = "schwartz-hearst"
    exclude_ids: tuple[Text, ...] = ()
    fold_case: bool | None = None
    #: Of versions that drew documents for intervals: without effect.
    resamples: Annotated[int, Meta(ge=100, description="a whole number from 100 on")] | None = None

    def parsed(self) -> list[Measure]:
        """The measures, each under each protocol and on each set."""
        protocols: list[Protocol | None] = [Protocol.parse(name) for name in self.protocols]
        text = ",".join(self.measures)
        parts = [parse_measures(text, protocol, set_) for set_ in self.sets for protocol in protocols or [None]]
        return list(dict.fromkeys(measure for part in parts for measure in part))


@dataclass(frozen=True)
class PlannedRun:
    """One run that is asked for: a split of a corpus, and a linker or a file of predictions."""

    corpus: CorpusEntry
    split: str
    source: LinkerEntry | ImportEntry

    @property
    def system(self) -> str:
        """What the run is called."""
        return self.source.system

    def __str__(self) -> str:
        return f"{self.corpus.name} {self.split} × {self.system}"


@dataclass(frozen=True)
class Plan:
    """A bench file, read and checked."""

    file: Path
    title: str
    report: Path
    kbs: Mapping[str, KbEntry]
    corpora: tuple[CorpusEntry, ...]
    linkers: tuple[LinkerEntry, ...]
    imports: tuple[ImportEntry, ...]
    score: ScoreEntry
    mentions: str | int = ""  # that the report holds, and how much of the texts
    text: str = ""

    def cells(self) -> list[PlannedRun]:
        """All runs that are asked for: corpus by corpus, linkers before imports."""
        cells = []
        for corpus in self.corpora:
            for split in corpus.splits:
                cells += [PlannedRun(corpus, split, linker) for linker in self._linkers_on(corpus)]
                cells += [PlannedRun(corpus, split, given) for given in self._imports_for(corpus, split)]
        return cells

    def _linkers_on(self, corpus: CorpusEntry) -> list[LinkerEntry]:
        """The linkers that want the corpus and that it wants."""
        return [
            linker
            for linker in self.linkers
            if (not linker.corpora or corpus.name in linker.corpora)
            and (not corpus.linkers or linker.system in corpus.linkers)
        ]

    def _imports_for(self, corpus: CorpusEntry, split: str) -> list[ImportEntry]:
        return [given for given in self.imports if (given.corpus, given.split) == (corpus.name, split)]


def chosen_cells(plan: Plan, only: Sequence[str]) -> list[PlannedRun]:
    """The cells of the corpora, splits and systems that `only` names; of a kind that it does not name, all."""
    cells = plan.cells()
    kinds: list[Callable[[PlannedRun], str]] = [lambda c: c.corpus.name, lambda c: c.split, lambda c: c.system]
    known = [{kind(cell) for cell in cells} for kind in kinds]
    if unknown := [name for name in only if not any(name in names for names in known)]:
        raise UsageError(f"--only {unknown[0]}: no such corpus, split or linker in {plan.file.name}; "
                         f"{near_miss(unknown[0], sorted(set().union(*known)))}")  # fmt: skip
    for kind, names in zip(kinds, known, strict=True):
        if wanted := names.intersection(only):
            cells = [cell for cell in cells if kind(cell) in wanted]
    if not cells:
        raise UsageError(f"--only {' '.join(only)}: {plan.file.name} has no cell of all of these")
    return cells
