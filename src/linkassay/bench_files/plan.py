"""What a bench file asks for: its corpora, linkers, imports and measures, and the cells they make. Nothing is run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from linkassay.defaults import DEFAULT_MEASURES
from linkassay.errors import UsageError
from linkassay.registry import near_miss
from linkassay.runs import LinkRequest
from linkassay.scoring.disambiguation import Measure, Protocol, parse_measures


@dataclass(frozen=True)
class KbEntry:
    """A knowledge base and where a fresh data home gets it: raw files, a description of its own, or the network."""

    name: str
    raw: tuple[Path, ...] = ()
    description: Path | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class CorpusEntry:
    """A corpus, the splits of it that count, and where a fresh data home gets it; own files have a `format`."""

    name: str
    splits: tuple[str, ...] = ("test",)
    kb: str = ""
    linkers: tuple[str, ...] = ()  # only these; all if empty
    raw: tuple[Path, ...] = ()
    format: str = ""
    files: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)  # own files: split → files
    types: tuple[str, ...] = ()
    composite: str = "|+"
    alternative: str = ";,"
    units: str = "codepoint"
    encoding: str = "utf-8"
    composites: str = "keep"
    deduplicate: bool = False
    sentences: bool = False
    sync: str = ""
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


@dataclass(frozen=True)
class ImportEntry:
    """Predictions made elsewhere."""

    format: str
    files: tuple[Path, ...]
    corpus: str
    system: str
    split: str = "test"
    kb: str = ""
    map: str = ""
    prefix: str = ""
    ids: Path | None = None
    types: tuple[str, ...] = ()
    skip_bad: bool = False


@dataclass(frozen=True)
class ScoreEntry:
    """How all runs are scored; measures, protocols and sets are multiplied with each other."""

    measures: tuple[str, ...] = tuple(DEFAULT_MEASURES.split(","))
    protocols: tuple[str, ...] = ()
    sets: tuple[str, ...] = ("global",)
    by: tuple[str, ...] = ()
    abbreviations: str = "schwartz-hearst"
    exclude_ids: tuple[str, ...] = ()
    fold_case: bool | None = None
    resamples: int | None = None  # of versions that drew documents for intervals: without effect

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
