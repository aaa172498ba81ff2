"""Import: files of predictions → verified claims → joined with a corpus → a stored run with its report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from linkassay import store
from linkassay.corpora import Corpus, document_ids, id_file, id_rules, read_id_file, read_same_as, with_corpus_types
from linkassay.errors import DataError, UsageError
from linkassay.files import RawFile, expand_paths
from linkassay.formats import Reading
from linkassay.formats.predictions import Claim
from linkassay.ids import from_iri, is_formed
from linkassay.kbs import Kb, id_prefix, kb_names, map_ids
from linkassay.model import EMPTY_ID
from linkassay.problems import Problems
from linkassay.registry import near_miss
from linkassay.runs.identity import RunIdentity
from linkassay.runs.importing import IMPORTERS, RANKS_NAMES
from linkassay.runs.importing.join import Joined, join, summary
from linkassay.runs.importing.prediction_columns import PredictionColumns
from linkassay.runs.stored_run import Run, keep_predictions, run_of
from linkassay.sources import checksum

_EXAMPLES = 10


@dataclass(frozen=True)
class ImportOptions:
    """How a source of predictions is read; all of it is part of what the run is."""

    prefix: str = ""  # of ids without one; "" is the corpus's
    map: str = ""  # FROM:TO, through cross-references
    ids: Path | None = None  # a file that maps the source's own ids
    types: tuple[str, ...] = ()  # keep only claims of these types
    skip_bad: bool = False
    shift: int = 0  # added to all offsets
    encoding: str = "utf-8"  # of the files
    same_as: Path | None = None  # a file of pairs of ids that mean the same
    join_blocks: bool = False  # PubTator: blocks of one article are one document

    @classmethod
    def of(cls, **given: Any) -> ImportOptions:
        """The options as people write them in Python: one type or several, the path of a file as text."""
        if unknown := next((name for name in given if name not in cls.__dataclass_fields__), ""):
            raise UsageError(f"unknown option {unknown!r}; {near_miss(unknown, list(cls.__dataclass_fields__))}")
        types = given.get("types", ())
        files = {name: Path(given[name]) for name in ("ids", "same_as") if given.get(name) is not None}
        return cls(**given | {"types": (types,) if isinstance(types, str) else tuple(types)} | files)

    def as_dict(self) -> dict[str, Any]:
        """What was asked for, JSON-ready; defaults are left out."""
        asked: dict[str, Any] = {"prefix": self.prefix, "map": self.map, "types": list(self.types),
                                 "skip_bad": self.skip_bad, "shift": self.shift}  # fmt: skip
        if self.join_blocks:
            asked["join_blocks"] = True
        if self.encoding != "utf-8":
            asked["encoding"] = self.encoding
        if self.same_as is not None:
            asked["same_as"] = checksum(id_file(self.same_as, "--same-as"))["sha256"]
        if self.ids is not None:
            asked["ids"] = checksum(id_file(self.ids))["sha256"]
        return {name: value for name, value in asked.items() if value}


@dataclass
class _Ids:
    """Rewrites predicted ids, and counts the distinct ones by what became of them."""

    tables: list[dict[str, tuple[str, ...]]] = field(default_factory=list)
    fates: dict[str, set[str]] = field(
        default_factory=lambda: {"mapped": set(), "unmapped": set(), "one_to_many": set()}
    )

    def rewrite(self, group: tuple[str, ...]) -> tuple[str, ...]:
        for table in self.tables:
            group = tuple(dict.fromkeys(now for identifier in group for now in self._now(identifier, table)))
        return group

    def _now(self, identifier: str, table: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
        if identifier not in table:
            return (identifier,)
        found = table[identifier]
        self.fates["mapped" if found else "unmapped"].add(identifier)
        if len(found) > 1:
            self.fates["one_to_many"].add(identifier)
        return found or (identifier,)


def import_run(
    format: str,
    paths: Iterable[Path],
    corpus: Corpus,
    system: str,
    *,
    split: str = "test",
    kb: str = "",
    options: ImportOptions | None = None,
) -> tuple[Run, bool]:
    """Store the predictions of `paths` as a run of `system`; the report is in `run.about["import"]`.

    Bad predictions are an error that counts them by kind, and nothing is stored; with
    `options.skip_bad` they are left out, counted. Returns the run and whether it is new.
    """
    options = options or ImportOptions()
    asked = _asked(format, paths, corpus, system, split, kb, options)
    if found := run_of(asked.identity):
        return found, False
    reader, files, knowledge = IMPORTERS.load(format), asked.files, asked.knowledge
    problems = Problems(skip=True)
    reading = Reading(
        rules=id_rules(corpus, format if options.ids is not None else id_prefix(options.prefix)),
        problems=problems,
        corpus=corpus.name,
        encoding=options.encoding,
        join_blocks=options.join_blocks,
    )
    given = _shifted(reader(files, reading), options.shift)
    left_out: Counter[str] = Counter()
    joined = join(_of_types(with_corpus_types(given, corpus), options.types, left_out), corpus, split, problems)
    if problems.counts and not options.skip_bad:
        total = sum(problems.counts.values())
        raise DataError(f"{total:,} bad predictions, nothing was stored; {summary(problems)}\n"
                        f"{f'{joined.shift}; or ' if joined.shift else ''}"
                        "use --skip-bad to leave such predictions out, counted")  # fmt: skip
    ids, predictions = _Ids(_tables(joined, corpus, options, format)), joined.columns
    if ids.tables:
        predictions.rewrite(ids.rewrite)
    report = {
        "format": format, **joined.as_dict(), "left_out_types": dict(sorted(left_out.items())),
        "ids": {fate: len(found) for fate, found in ids.fates.items()},
        "undecoded_ids": _undecoded(predictions, format), "unknown_ids": _unknown(predictions, knowledge),
        "malformed_ids": _malformed(predictions), "documents": _documents(reading, corpus, split),
        "problems": problems.as_dict(),
    }  # fmt: skip
    further = {"mentions": report["joined"], "ranks": "names" if format in RANKS_NAMES else "ids",
               "import": report | {"sources": asked.sources}}  # fmt: skip
    return keep_predictions(asked.identity, predictions.batches(), further=further)


def find_import(
    format: str,
    paths: Iterable[Path],
    corpus: Corpus,
    system: str,
    *,
    split: str = "test",
    kb: str = "",
    options: ImportOptions | None = None,
) -> Run | None:
    """The run that `import_run` would give, if it is there."""
    return run_of(_asked(format, paths, corpus, system, split, kb, options or ImportOptions()).identity)


@dataclass(frozen=True)
class _Asked:
    """What is to be imported, before any of it is read: its files, their checksums, and what the run will be."""

    files: list[RawFile]
    knowledge: Kb | None
    sources: list[dict[str, Any]]
    identity: RunIdentity


def _asked(
    format: str, paths: Iterable[Path], corpus: Corpus, system: str, split: str, kb: str, options: ImportOptions
) -> _Asked:
    store.valid_name(system, "system")
    corpus[split]  # refuses an unknown split before anything is read
    IMPORTERS.load(format)
    files = expand_paths(paths)
    if not files:
        raise UsageError("no files in " + ", ".join(map(str, paths)))
    knowledge = _knowledge_base(kb, corpus)
    sources = [checksum(file) for file in files]
    known = (knowledge.name, knowledge.revision) if knowledge else (kb or corpus.manifest["kb"], "")
    parameters = {"import": format, "sources": [s["sha256"] for s in sources], **options.as_dict()}
    identity = RunIdentity(corpus.name, corpus.revision, split, *known, system, parameters)
    return _Asked(files, knowledge, sources, identity)


def _knowledge_base(name: str, corpus: Corpus) -> Kb | None:
    """The KB that was named; else the corpus's own, where it is at hand."""
    if name:
        return Kb.open(name)
    own = corpus.manifest["kb"]
    return Kb.open(own) if own.partition("@")[0] in kb_names() else None


def _of_types(claims: Iterable[Claim], types: tuple[str, ...], others: Counter[str]) -> Iterable[Claim]:
    """Those of the wanted types; how many of the others there were is counted."""
    if not types:
        return claims
    return _only(claims, types, others)


def _only(claims: Iterable[Claim], types: tuple[str, ...], others: Counter[str]) -> Iterator[Claim]:
    kept = 0
    for claim in claims:
        if claim.prediction.type in types:
            kept += 1
            yield claim
        else:
            others[claim.prediction.type] += 1
    if not kept:
        there = ", ".join(sorted(others)) or "none"
        raise UsageError(f"no prediction of type {', '.join(types)}; there are: {there}")


def _shifted(claims: Iterable[Claim], by: int) -> Iterable[Claim]:
    """Claims with all their offsets moved (IMPORT-6)."""
    return (_moved(claim, by) for claim in claims) if by else claims


def _moved(claim: Claim, by: int) -> Claim:
    spans = tuple((start + by, end + by) for start, end in claim.prediction.spans)
    return claim._replace(prediction=replace(claim.prediction, spans=spans))


def _tables(joined: Joined, corpus: Corpus, options: ImportOptions, format: str) -> list[dict[str, tuple[str, ...]]]:
    """The mappings that were asked for, in the order in which they apply."""
    tables = []
    present = set(joined.columns.ids)
    if options.ids is not None:
        own = options.prefix or corpus.manifest["kb"]
        table = read_id_file(options.ids, format, id_prefix(own))
        table |= {i: () for i in present if i.startswith(f"{format}:") and i not in table}
        tables.append(table)
        present = {now for i in present for now in table.get(i, ()) or (i,)}
    if options.same_as is not None:
        table = read_same_as(options.same_as, id_prefix(options.prefix or corpus.manifest["kb"]))
        tables.append({i: found for i in present if (found := table.get(i)) or (found := table.get(from_iri(i)))})
        present = {now for i in present for now in tables[-1].get(i, (i,))}
    if options.map:
        source, colon, target = options.map.partition(":")
        if not colon or not source or not target:
            raise UsageError(f"--map takes FROM:TO, e.g. umls:mesh, not {options.map!r}")
        start = f"{id_prefix(source)}:"
        ids = sorted(i for i in present if i.startswith(start))
        if not ids:
            raise UsageError(f"--map {options.map}: no predicted id begins with {start!r}")
        tables.append(map_ids(source, target, ids))
    return tables


def _undecoded(predictions: PredictionColumns, format: str) -> dict[str, Any]:
    """Ids that only the source knows: they are not wrong, but nothing can be said of them."""
    start = f"{format}:"
    return _counted(predictions, {i for i in predictions.ids if i.startswith(start)})


def _unknown(predictions: PredictionColumns, kb: Kb | None) -> dict[str, Any] | None:
    """Ids that the KB has neither now nor in its history (IMPORT-4, RANK-7); None where it is not at hand."""
    if kb is None:
        return None
    import pyarrow as pa

    connection = kb.connect()
    connection.register("asked", pa.table({"id": pa.array(sorted(predictions.ids), pa.string())}))
    query = "select id from asked where id not in (select id from entities) and id not in (select old from current)"
    return _counted(predictions, {row[0] for row in connection.execute(query).fetchall()})


def _malformed(predictions: PredictionColumns) -> dict[str, Any]:
    """Ids without the form of their knowledge base (ID-6), and empty ones (ID-5)."""
    found = _counted(predictions, {i for i in predictions.ids if not is_formed(i)})
    if empty := predictions.said_nil_as(EMPTY_ID):
        found = {"ids": found["ids"] + 1, "predictions": found["predictions"] + empty,
                 "examples": [EMPTY_ID, *found["examples"]][:_EXAMPLES]}  # fmt: skip
    return found


def _documents(reading: Reading, corpus: Corpus, split: str) -> dict[str, Any] | None:
    """Which documents of the split the files do not have (IMPORT-5); None where a format does not tell."""
    if not reading.documents:
        return None
    every = document_ids(corpus.path, split)
    return {"corpus": len(every), "absent": [name for name in every if name not in reading.documents]}


def _counted(predictions: PredictionColumns, ids: set[str]) -> dict[str, Any]:
    return {"ids": len(ids), "predictions": predictions.having(ids), "examples": sorted(ids)[:_EXAMPLES]}
