"""What a bench file asks for: its tables, checked key by key, and the cells they make. Nothing is run here.

Relative paths are relative to the file. Whether files exist is found out when they are needed, since what one cell
lacks must not stop the others; only the ids that no cell counts are read here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from linkassay import store
from linkassay.corpora import CORPORA, SPLIT_ORDER, canonical_name
from linkassay.defaults import DEFAULT_MEASURES, RESAMPLES
from linkassay.errors import DataError, UsageError
from linkassay.files import read_toml
from linkassay.formats import DOCUMENT_FORMATS
from linkassay.kbs import KBS, kb_names
from linkassay.linkers import LINKERS
from linkassay.registry import near_miss
from linkassay.runs import GIVEN, LinkRequest
from linkassay.runs.importing import IMPORTERS
from linkassay.scoring.disambiguation import SETS, Measure, Protocol, id_list, parse_measures, parse_slice

#: Abbreviations by name; anything else is a file.
_NAMED = ("none", "schwartz-hearst", "ab3p")


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
        return self.request.system or self.request.linker


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
    fold_case: bool = False
    resamples: int = RESAMPLES

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
        found = []
        for corpus in self.corpora:
            for split in corpus.splits:
                for linker in self.linkers:
                    here = not linker.corpora or corpus.name in linker.corpora
                    if here and (not corpus.linkers or linker.system in corpus.linkers):
                        found.append(PlannedRun(corpus, split, linker))
                found += [
                    PlannedRun(corpus, split, given)
                    for given in self.imports
                    if (given.corpus, given.split) == (corpus.name, split)
                ]
        return found


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


# ---- reading

_Entry = TypeVar("_Entry")
_Maker = Callable[..., _Entry]
_Reader = Callable[["_Table", str, Any], Any]


@dataclass(frozen=True)
class _Table:
    """Where a value stands, for errors, and what its paths are relative to."""

    file: Path
    where: str = ""

    def error(self, message: str) -> DataError:
        return DataError(f"{self.where}: {message}" if self.where else message, file=self.file.name)

    def expected(self, key: str, what: str, value: Any) -> DataError:
        return self.error(f"{key!r} must be {what}, not {value!r:.80}")


def _text(table: _Table, key: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise table.expected(key, "a text", value)
    return value


def _texts(table: _Table, key: str, value: Any) -> tuple[str, ...]:
    given = value if isinstance(value, list) else [value]
    return tuple(_text(table, key, each) for each in given)


def _path(table: _Table, key: str, value: Any) -> Path:
    return table.file.parent / Path(_text(table, key, value)).expanduser()


def _paths(table: _Table, key: str, value: Any) -> tuple[Path, ...]:
    return tuple(_path(table, key, each) for each in (value if isinstance(value, list) else [value]))


def _of_splits(table: _Table, key: str, value: Any) -> dict[str, tuple[Path, ...]]:
    if not isinstance(value, dict) or not value:
        raise table.expected(key, 'a table of files for each split, e.g. { test = "test.txt" }', value)
    return {split: _paths(table, f"{key}.{split}", each) for split, each in value.items()}


def _flag(table: _Table, key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise table.expected(key, "true or false", value)
    return value


def _whole(low: int) -> _Reader:
    def read(table: _Table, key: str, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < low:
            raise table.expected(key, f"a whole number from {low} on", value)
        return value

    return read


def _seconds(table: _Table, key: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        raise table.expected(key, "a number of seconds", value)
    return float(value)


def _one_of(*known: str) -> _Reader:
    def read(table: _Table, key: str, value: Any) -> str:
        if value not in known:
            raise table.expected(key, " or ".join(map(repr, known)), value)
        return str(value)

    return read


def _options(table: _Table, key: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise table.expected(key, "a table", value)
    return value


def _abbreviations(table: _Table, key: str, value: Any) -> str:
    return value if value in _NAMED else str(_path(table, key, value))


def _ids(table: _Table, key: str, value: Any) -> tuple[str, ...]:
    """Ids as on the command line: in a list, in a text with commas between, or in a file."""
    given = _texts(table, key, value) if isinstance(value, list) else _text(table, key, value)
    try:
        return tuple(sorted(id_list(given, table.file.parent)))
    except UsageError as error:
        raise table.error(f"{key!r}: {error}") from error


#: The keys of each kind of table, each with what reads its value.
_KB: dict[str, _Reader] = {"name": _text, "raw": _paths, "description": _path, "options": _options}
_CORPUS: dict[str, _Reader] = {
    "name": _text, "splits": _texts, "kb": _text, "linkers": _texts, "raw": _paths, "format": _text,
    "files": _of_splits, "types": _texts, "composite": _text, "alternative": _text,
    "units": _one_of("codepoint", "byte", "utf16"), "encoding": _text, "composites": _one_of("keep", "drop"),
    "deduplicate": _flag, "sentences": _flag, "sync": _text, "skip_bad": _flag,
}  # fmt: skip
_OWN = ("files", "types", "composite", "alternative", "units", "encoding")
_LINKER: dict[str, _Reader] = {
    "linker": _text, "name": _text, "corpora": _texts, "top": _whole(1), "abbreviations": _abbreviations,
    "synonyms": _texts, "give": _one_of(*GIVEN), "timeout": _seconds, "strict": _flag, "workers": _whole(0),
    "options": _options, "running": _options,
}  # fmt: skip
_IMPORT: dict[str, _Reader] = {
    "format": _text, "files": _paths, "corpus": _text, "system": _text, "split": _text, "kb": _text, "map": _text,
    "prefix": _text, "ids": _path, "types": _texts, "skip_bad": _flag,
}  # fmt: skip
_SCORE: dict[str, _Reader] = {
    "measures": _texts, "protocols": _texts, "sets": _texts, "by": _texts, "abbreviations": _abbreviations,
    "exclude_ids": _ids, "fold_case": _flag, "resamples": _whole(100),
}  # fmt: skip
_FILE = ("title", "report", "score", "kbs", "corpora", "linkers", "imports")


def read_plan(path: Path) -> Plan:
    """The plan that a file describes; what cannot be meant is an error, before any work is done."""
    data = read_toml(path)
    path = path.resolve()
    top = _Table(path)
    _check(data, _FILE, top)
    plan = Plan(
        path,
        _text(top, "title", data.get("title", path.stem)),
        _path(top, "report", data.get("report", f"{path.stem}.html")),
        _by_name(_entries(KbEntry, _KB, data, "kbs", top), top),
        tuple(_entries(CorpusEntry, _CORPUS, data, "corpora", top)),
        tuple(_entries(partial(_linker, path.parent), _LINKER, data, "linkers", top)),
        tuple(_entries(ImportEntry, _IMPORT, data, "imports", top)),
        _entry(ScoreEntry, _SCORE, data.get("score", {}), _Table(path, "score")),
    )
    _verify(plan, top)
    return plan


def _linker(
    folder: Path, linker: str, *, corpora: tuple[str, ...] = (), workers: int = 1, name: str = "", **asked: Any
) -> LinkerEntry:
    return LinkerEntry(LinkRequest(linker, system=name, **asked).beside(folder), corpora, workers)


def _entries(
    kind: _Maker[_Entry], keys: Mapping[str, _Reader], data: Mapping[str, Any], name: str, top: _Table
) -> list[_Entry]:
    given = data.get(name, [])
    if not isinstance(given, list):
        raise top.error(f"{name!r} is a list: write [[{name}]], not [{name}]")
    return [_entry(kind, keys, each, _Table(top.file, f"[[{name}]] {at}")) for at, each in enumerate(given, start=1)]


def _by_name(entries: Sequence[KbEntry], top: _Table) -> dict[str, KbEntry]:
    names = [entry.name for entry in entries]
    if twice := [name for name in names if names.count(name) > 1]:
        raise top.error(f"two [[kbs]] are called {twice[0]!r}")
    return dict(zip(names, entries, strict=True))


def _entry(kind: _Maker[_Entry], keys: Mapping[str, _Reader], data: Any, table: _Table) -> _Entry:
    if not isinstance(data, dict):
        raise table.error(f"expected a table, found {data!r:.80}")
    _check(data, tuple(keys), table)
    needed = [
        p.name for p in inspect.signature(kind).parameters.values() if p.default is p.empty and p.kind != p.VAR_KEYWORD
    ]
    if missing := [key for key in needed if key not in data]:
        raise table.error(f"{missing[0]!r} is missing")
    values = {key: keys[key](table, key, value) for key, value in data.items()}
    try:
        return kind(**values)
    except UsageError as error:
        raise table.error(str(error)) from error


def _check(data: Mapping[str, Any], known: Sequence[str], table: _Table) -> None:
    for key in data:
        if key not in known:
            raise table.error(f"unknown key {key!r}; {near_miss(key, list(known))}")


# ---- what is named must exist


def _verify(plan: Plan, top: _Table) -> None:
    systems = [linker.system for linker in plan.linkers]
    names = [corpus.name for corpus in plan.corpora]
    _known(LINKERS, [linker.request.linker for linker in plan.linkers], top)
    _known(IMPORTERS, [given.format for given in plan.imports], top)
    _known(DOCUMENT_FORMATS, [corpus.format for corpus in plan.corpora if corpus.format], top)
    for system in (*systems, *(given.system for given in plan.imports)):
        store.valid_name(system, "system")
    for linker in plan.linkers:
        _named(linker.corpora, names, f"linker {linker.system!r}: unknown corpus", top)
    for given in plan.imports:
        _named([given.corpus], names, f"import of {given.system!r}: unknown corpus", top)
        splits = [split for c in plan.corpora if c.name == given.corpus for split in c.splits]
        _named([given.split], splits, f"import of {given.system!r}: {given.corpus} is not run on split", top)
    for corpus in plan.corpora:
        _named(corpus.linkers, systems, f"corpus {corpus.name!r}: unknown linker", top)
        _verify_corpus(corpus, top)
    for entry in plan.kbs.values():
        if entry.description is None and entry.name not in KBS:
            raise top.error(f"unknown kb {entry.name!r}; {near_miss(entry.name, list(KBS))} (one of your own has "
                            "a 'description', docs/own-kb.md)")  # fmt: skip
    bases = sorted({*KBS, *plan.kbs, *kb_names()})
    for linker in plan.linkers:
        lenders = [name.partition("@")[0] for name in linker.request.synonyms]
        _named(lenders, bases, f"linker {linker.system!r}: unknown kb", top)
    for corpus in plan.corpora:
        if corpus.kb and not corpus.format:  # of own files it may be no more than what their ids are of
            _named([corpus.kb.partition("@")[0]], bases, f"corpus {corpus.name!r}: unknown kb", top)
    _named(plan.score.sets, list(SETS), "score: unknown set", top)
    try:
        plan.score.parsed()
        for by in plan.score.by:
            parse_slice(by)
    except UsageError as error:
        raise top.error(f"score: {error}") from error
    cells = plan.cells()
    if not cells:
        raise top.error("nothing to run: it needs [[corpora]], and [[linkers]] or [[imports]]")
    names = [str(cell) for cell in cells]
    if twice := [name for name in names if names.count(name) > 1]:
        raise top.error(f"{twice[0]} is asked for twice; give one of the two another name (name, or system)")


def _verify_corpus(corpus: CorpusEntry, top: _Table) -> None:
    bare = canonical_name(corpus.name.partition("/")[0])
    where = f"corpus {corpus.name!r}"
    if not corpus.format:
        if given := [key for key in _OWN if getattr(corpus, key) != getattr(CorpusEntry, key, {})]:
            raise top.error(f"{where}: {given[0]!r} is for own files; add 'format'")
        if bare not in CORPORA and not (store.home() / "corpora" / bare).is_dir():
            raise top.error(f"unknown corpus {corpus.name!r}; {near_miss(bare, list(CORPORA))} (one of your own has "
                            "'format' and 'files')")  # fmt: skip
        if bare in CORPORA:
            _named(corpus.splits, [*SPLIT_ORDER, *CORPORA.load(bare).expected], f"{where}: unknown split", top)
    elif not corpus.files or corpus.raw:
        raise top.error(f"{where}: own files are given as files = {{ test = … }}, without 'raw'")
    else:
        _named(corpus.splits, list(corpus.files), f"{where}: no files of split", top)


def _known(registry: Any, names: Sequence[str], top: _Table) -> None:
    for name in names:
        if name not in registry:
            raise top.error(f"unknown {registry.kind} {name!r}; {near_miss(name, list(registry))}")


def _named(names: Sequence[str], known: Sequence[str], what: str, top: _Table) -> None:
    for name in names:
        if name not in known:
            raise top.error(f"{what} {name!r}; {near_miss(name, list(known))}")
