"""Whether a plan can be meant: all that it names is known, and no cell is asked for twice. Nothing is run here."""

from __future__ import annotations

from collections.abc import Sequence

from linkassay import store
from linkassay.bench_files.plan import CorpusEntry, Plan
from linkassay.corpora import CORPORA, SPLIT_ORDER, canonical_name
from linkassay.errors import DataError, UsageError
from linkassay.files import text_encoding
from linkassay.formats import DOCUMENT_FORMATS
from linkassay.kbs import KBS, kb_names
from linkassay.linkers import LINKERS, linker_file
from linkassay.registry import Registry, near_miss
from linkassay.runs.importing import IMPORTERS
from linkassay.scoring.disambiguation import SETS, parse_slice

#: Keys of a corpus that say how own files are read.
_OF_OWN_FILES = ("files", "types", "composite", "alternative", "units", "encoding")


def check_plan(plan: Plan) -> None:
    """Refuse a plan that cannot be meant, with the first thing that is wrong."""
    _check_registered(plan)
    _check_linkers(plan)
    _check_imports(plan)
    _check_corpora(plan)
    _check_kbs(plan)
    _check_scoring(plan)
    _check_cells(plan)


def _check_registered(plan: Plan) -> None:
    asked: list[tuple[Registry, list[str]]] = [
        (LINKERS, [name for linker in plan.linkers if not linker_file(name := linker.request.linker)]),
        (IMPORTERS, [given.format for given in plan.imports]),
        (DOCUMENT_FORMATS, [corpus.format for corpus in plan.corpora if corpus.format]),
    ]
    for registry, names in asked:
        _require(plan, names, list(registry), f"unknown {registry.kind}")
    for system in (*(linker.system for linker in plan.linkers), *(given.system for given in plan.imports)):
        store.valid_name(system, "system")


def _check_linkers(plan: Plan) -> None:
    names = [corpus.name for corpus in plan.corpora]
    for linker in plan.linkers:
        _require(plan, linker.corpora, names, f"linker {linker.system!r}: unknown corpus")


def _check_imports(plan: Plan) -> None:
    names = [corpus.name for corpus in plan.corpora]
    for given in plan.imports:
        _require(plan, [given.corpus], names, f"import of {given.system!r}: unknown corpus")
        splits = [split for corpus in plan.corpora if corpus.name == given.corpus for split in corpus.splits]
        _require(plan, [given.split], splits, f"import of {given.system!r}: {given.corpus} is not run on split")


def _check_corpora(plan: Plan) -> None:
    systems = [linker.system for linker in plan.linkers]
    for corpus in plan.corpora:
        _require(plan, corpus.linkers, systems, f"corpus {corpus.name!r}: unknown linker")
        if corpus.format:
            _check_own_files(plan, corpus)
        else:
            _check_known_corpus(plan, corpus)


def _check_own_files(plan: Plan, corpus: CorpusEntry) -> None:
    where = f"corpus {corpus.name!r}"
    if not corpus.files or corpus.raw:
        raise _error(plan, f"{where}: own files are given as files = {{ test = … }}, without 'raw'")
    _require(plan, corpus.splits, list(corpus.files), f"{where}: no files of split")
    try:
        text_encoding(corpus.encoding)
    except UsageError as error:
        raise _error(plan, f"{where}: 'encoding': {error}") from error


def _check_known_corpus(plan: Plan, corpus: CorpusEntry) -> None:
    bare = canonical_name(corpus.name.partition("/")[0])
    where = f"corpus {corpus.name!r}"
    plain = CorpusEntry(corpus.name)
    if given := [key for key in _OF_OWN_FILES if getattr(corpus, key) != getattr(plain, key)]:
        raise _error(plan, f"{where}: {given[0]!r} is for own files; add 'format'")
    if bare in CORPORA:
        _require(plan, corpus.splits, [*SPLIT_ORDER, *CORPORA.load(bare).expected], f"{where}: unknown split")
    elif not (store.home() / "corpora" / bare).is_dir():
        raise _error(plan, f"unknown corpus {corpus.name!r}; {near_miss(bare, list(CORPORA))} (one of your own has "
                     "'format' and 'files')")  # fmt: skip


def _check_kbs(plan: Plan) -> None:
    for entry in plan.kbs.values():
        if entry.description is None and entry.name not in KBS:
            raise _error(plan, f"unknown kb {entry.name!r}; {near_miss(entry.name, list(KBS))} (one of your own has "
                         "a 'description', docs/own-kb.md)")  # fmt: skip
    known = sorted({*KBS, *plan.kbs, *kb_names()})
    for linker in plan.linkers:
        lenders = [name.partition("@")[0] for name in linker.request.synonyms]
        _require(plan, lenders, known, f"linker {linker.system!r}: unknown kb")
    for corpus in plan.corpora:
        if corpus.kb and not corpus.format:  # of own files it may be no more than what their ids are of
            _require(plan, [corpus.kb.partition("@")[0]], known, f"corpus {corpus.name!r}: unknown kb")


def _check_scoring(plan: Plan) -> None:
    _require(plan, plan.score.sets, list(SETS), "score: unknown set")
    try:
        plan.score.parsed()
        for by in plan.score.by:
            parse_slice(by)
    except UsageError as error:
        raise _error(plan, f"score: {error}") from error


def _check_cells(plan: Plan) -> None:
    names = [str(cell) for cell in plan.cells()]
    if not names:
        raise _error(plan, "nothing to run: it needs [[corpora]], and [[linkers]] or [[imports]]")
    if twice := [name for name in names if names.count(name) > 1]:
        raise _error(plan, f"{twice[0]} is asked for twice; give one of the two another name (name, or system)")


def _require(plan: Plan, names: Sequence[str], known: Sequence[str], what: str) -> None:
    """Refuse the first of some names that is not known."""
    for name in names:
        if name not in known:
            raise _error(plan, f"{what} {name!r}; {near_miss(name, list(known))}")


def _error(plan: Plan, message: str) -> DataError:
    return DataError(message, file=plan.file.name)
