"""Obtain a corpus: raw files from the network or a folder → one verified revision in the data home.

The revision is a fingerprint of what was read (contents of the raw files) and how (reader version,
options). The same thing is therefore never converted twice, and a new reading never hides an old one.
"""

from __future__ import annotations

import itertools
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from linkassay import fetch, store
from linkassay.corpora import CORPORA, canonical_name, spec_of, stored_corpus
from linkassay.corpora.preparation import Preparation, without
from linkassay.errors import DataError, UsageError
from linkassay.files import RawFile, expand_paths
from linkassay.formats import DOCUMENT_FORMATS, Reading, Units
from linkassay.ids import IdRule
from linkassay.kbs import id_prefix
from linkassay.model import Document, types_of
from linkassay.problems import Problem, Problems
from linkassay.sources import RawPaths, checksum, raw_files

#: Raised whenever the stored form changes, so that everything is converted anew.
LAYOUT = 1

#: From so many mentions on it is strange that each has several alternatives.
_SUSPICIOUS = 5
_ALTERNATIVES = (
    "every mention has several alternatives, any of which is right; ids that are meant together are a composite: "
    '[["a", "b"]] in JSON, a|b elsewhere'
)

#: What becomes of a split that is there already, of other files or options.
Existing: TypeAlias = Literal["refuse", "replace", "add"]


@dataclass(frozen=True)
class GotCorpus:
    """What `get_corpus` ended with; `fresh` is false when the revision was there already."""

    name: str
    revision: str
    path: Path
    fresh: bool
    manifest: dict[str, Any]


@dataclass(frozen=True)
class OwnCorpus:
    """A corpus of the user's: which files, how they are written, and what to call the result."""

    name: str
    format: str
    paths: tuple[Path, ...]
    split: str = "test"
    types: tuple[str, ...] = ()
    kb: str = ""
    composite: str = "|+"
    alternative: str = ";,"
    units: Units = "codepoint"
    encoding: str = "utf-8"
    licence: str = "own data"
    merge: bool = True
    rename: Mapping[str, str] = field(default_factory=dict)  # types of the files to ours
    options: dict[str, Any] = field(default_factory=dict)


def get_corpus(
    name: str,
    raw: RawPaths = None,
    *,
    skip_bad: bool = False,
    prepare: Preparation | None = None,
    progress: fetch.Progress = fetch.no_progress,
    patience: fetch.Patience = fetch.PATIENCE,
    dry: bool = False,
) -> GotCorpus:
    """Obtain the corpus `name`, from its sources or from the raw files in `raw`.

    With `dry` nothing is converted: `fresh` says whether it would have to be, and there is no manifest then.
    """
    spec = spec_of(name.partition("/")[0])  # bc5cdr/disease is bc5cdr, restricted when it is opened
    files = raw_files(spec, raw, progress, patience)
    used = spec.used(files)
    prepare = prepare or Preparation()
    problems = Problems(skip=skip_bad, collect=True)
    reading = spec.reading(problems)
    about = {
        "name": spec.name, "title": spec.title, "licence": spec.licence, "citation": spec.citation,
        "homepage": spec.homepage, "kb": spec.kb, "notes": spec.notes, "reader": spec.version,
        "shares_text": spec.shares_text,
        "expected": {split: dict(counts) for split, counts in spec.expected.items()},
    }  # fmt: skip
    return _convert(spec.name, about, used, reading, prepare, lambda: spec.read(used, reading), dry=dry)


def get_own_corpus(
    own: OwnCorpus,
    *,
    skip_bad: bool = False,
    prepare: Preparation | None = None,
    dry: bool = False,
    existing: Existing = "replace",
) -> GotCorpus:
    """Convert the user's own files; a further split of the same name is added. `dry` as for `get_corpus`.

    `existing` says what becomes of a split that is there with other files: an error, replaced, or added to.
    """
    store.valid_name(own.name, "corpus")
    store.valid_name(own.split, "split")
    if canonical_name(own.name) in CORPORA:
        raise UsageError(f"{own.name!r} is the name of a built-in corpus; choose another --name")
    module = DOCUMENT_FORMATS.load(own.format)
    used = expand_paths(own.paths)
    if not used:
        raise UsageError("no files in " + ", ".join(map(str, own.paths)))
    rule = IdRule(prefix=id_prefix(own.kb), composite=own.composite, alternative=own.alternative)
    reading = Reading(
        rules={"": rule}, types={t: own.rename.get(t, t) for t in own.types} or None, renamed=own.rename,
        problems=Problems(skip=skip_bad, collect=True),
        units=own.units, encoding=own.encoding, merge=own.merge, corpus=own.name,
    )  # fmt: skip
    about = {
        "name": own.name, "title": own.name, "licence": own.licence, "citation": "", "homepage": "",
        "kb": own.kb, "notes": "", "reader": getattr(module, "VERSION", 1), "expected": {}, "shares_text": "full",
        "options": {
            "format": own.format, "split": own.split, "kb": own.kb, "merge": own.merge,
            "types": list(own.types), "composite": own.composite,
            "alternative": own.alternative, "units": own.units, "encoding": own.encoding, **own.options,
            **({"rename": dict(sorted(own.rename.items()))} if own.rename else {}),
        },
    }  # fmt: skip

    if kind := getattr(module, "OF_PREDICTIONS", ""):  # of all mentions, or of those that a system recognised
        about["of_predictions"] = kind

    def read() -> Iterator[tuple[str, Document]]:
        documents = module.read(used, reading, **own.options)
        return ((own.split, document) for document in documents)

    return _convert(
        own.name, about, used, reading, prepare or Preparation(), read, only_split=own.split, dry=dry, existing=existing
    )


def _convert(
    name: str,
    about: dict[str, Any],
    used: list[RawFile],
    reading: Reading,
    prepare: Preparation,
    read: Callable[[], Iterator[tuple[str, Document]]],
    only_split: str = "",
    dry: bool = False,
    existing: Existing = "replace",
) -> GotCorpus:
    """Write one revision, or find that it is there. With `only_split` the other splits stay as they are."""
    sources = [checksum(file) for file in used]
    options = about.pop("options", {}) | prepare.options()
    if reading.problems.skip:
        options["skip_bad"] = True
    given = {"sources": sources, "options": options}
    # the splits that stay must not change meanwhile
    with nullcontext() if dry else store.lock(stored_corpus.corpus_folder(name)):
        return _stored(name, about, given, reading, prepare, read, only_split, dry, existing)


def _stored(
    name: str,
    about: dict[str, Any],
    given: dict[str, Any],
    reading: Reading,
    prepare: Preparation,
    read: Callable[[], Iterator[tuple[str, Document]]],
    only_split: str,
    dry: bool,
    existing: Existing,
) -> GotCorpus:
    folder = stored_corpus.corpus_folder(name)
    kept = _current_splits(folder) if only_split else {}
    before = kept.pop(only_split, None)
    base = before if existing == "add" else None
    if base:
        old = base[1]["inputs"][only_split]
        if all(source in old["sources"] for source in given["sources"]):  # they were added before
            return GotCorpus(name, base[1]["revision"], base[0], False, base[1])
        given = given | {"sources": old["sources"] + given["sources"], "added_to": base[1]["revision"]}
    inputs = {split: old["inputs"][split] for split, (_, old) in kept.items()}
    inputs[only_split or "all"] = given
    revision = store.fingerprint({"layout": LAYOUT, "name": name, "reader": about["reader"], "inputs": inputs})
    target = folder / revision
    fresh = not (target / "manifest.json").exists()
    if dry:
        return GotCorpus(name, revision, target, fresh, {} if fresh else store.read_json(target / "manifest.json"))
    if before and existing == "refuse" and before[1]["inputs"][only_split] != given:
        raise UsageError(_is_there(name, only_split, before[1]))
    if fresh:
        with store.new_folder(target) as temporary:
            earlier = {d: split for split, (path, _) in kept.items() for d in stored_corpus.document_ids(path, split)}
            stays = _documents(base[0], name, only_split) if base else ()
            try:
                prepared = prepare.apply(read(), id_prefix(about["kb"]))
                splits = _write(temporary, itertools.chain(stays, prepared), reading, earlier)
            except DataError as error:
                reading.problems.refuse(error)
                raise
            reading.problems.refuse()
            _refuse_empty(splits, reading)
            report = _report(reading, prepare)
            reports = {only_split or "all": _joined(base[1]["reports"][only_split], report) if base else report}
            for split, (path, old) in kept.items():
                for kind in ("documents", "mentions"):
                    shutil.copyfile(path / f"{kind}.{split}.parquet", temporary / f"{kind}.{split}.parquet")
                splits[split], reports[split] = old["splits"][split], old["reports"][split]
            types = sorted({t for counts in splits.values() for t in counts["types"]})
            store.write_manifest(temporary, about | {
                "revision": revision, "splits": splits, "types": types, "inputs": inputs, "reports": reports,
                "files": store.file_records(temporary),
            })  # fmt: skip
    store.set_current(folder, revision)
    return GotCorpus(name, revision, target, fresh, store.read_json(target / "manifest.json"))


def _is_there(name: str, split: str, manifest: dict[str, Any]) -> str:
    counts = manifest["splits"][split]
    return (f"{name} has a split {split} of other files or options, with {counts['documents']:,} documents and "
            f"{counts['annotations']:,} mentions: --replace takes these files in its place, --add adds them to it, "
            "--split OTHER keeps them apart")  # fmt: skip


def _documents(path: Path, name: str, split: str) -> Iterator[tuple[str, Document]]:
    """The documents of a split that is stored at `path`."""
    return ((split, document) for document in stored_corpus.Corpus(name, path)[split])


def _joined(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Two reports on parts of a split as one."""
    joined: dict[str, Any] = {}
    for key, value in other.items():
        before = one.get(key, type(value)())
        if isinstance(value, dict):
            joined[key] = {what: before.get(what, 0) + value.get(what, 0) for what in sorted({*before, *value})}
        else:
            joined[key] = [*before, *value]
    return joined


def unexpected_counts(manifest: dict[str, Any]) -> list[tuple[str, str, int | None, int]]:
    """(split, what, found, expected) where a corpus as it comes does not have its known counts.

    Nothing is expected of a corpus that was prepared with options.
    """
    if any(given["options"] for given in manifest["inputs"].values()):
        return []
    different = []
    for split, expected in manifest["expected"].items():
        here = manifest["splits"].get(split, {"types": {}})
        for what, n in expected.items():
            found = here.get(what, here["types"].get(what))
            if found != n:
                different.append((split, what, found, n))
    return different


def _report(reading: Reading, prepare: Preparation) -> dict[str, Any]:
    """What was wrong, repaired and left out while reading."""
    return reading.problems.as_dict() | {
        "left_out": dict(sorted(reading.left_out.items())),
        "read": dict(sorted(reading.read.items())),
        "prepared": dict(sorted(prepare.counts.items())),
    }


def _refuse_empty(splits: dict[str, Any], reading: Reading) -> None:
    """Types were chosen and no mention is left: the wish must be a mistake."""
    if reading.types and not any(counts["annotations"] for counts in splits.values()):
        there = ", ".join(sorted(reading.left_out)) or "none"
        raise UsageError(f"no mention of type {', '.join(sorted(set(reading.types)))} in the files; there are: {there}")


def _write(
    target: Path, documents: Iterable[tuple[str, Document]], reading: Reading, seen: dict[str, str]
) -> dict[str, Any]:
    """Write all documents, one pair of files a split; `seen` are the documents of splits that stay."""
    splits: dict[str, Any] = {}
    mentions: set[str] = set()
    types: dict[str, Counter[str]] = {}  # as mentions have them, which may be several in one (DATA-13)
    several = linked = 0  # mentions of several alternatives, and those with any gold
    with ExitStack() as stack:
        writers: dict[str, stored_corpus.SplitWriter] = {}
        for split, document in documents:
            if document.id in seen:
                before = f"occurs before, in {seen[document.id]}{reading.repeated}"
                reading.problems.add(
                    Problem("document", f"document {document.id!r} of {split} {before}", document=document.id)
                )
                continue
            seen[document.id] = split
            document = _unique_mentions(document, mentions, reading.problems)
            if split not in writers:
                writers[split] = stack.enter_context(stored_corpus.SplitWriter(target, split))
                splits[split] = {"documents": 0, "annotations": 0, "labels": 0, "types": {}}
                types[split] = Counter()
            writers[split].add(document)
            counts = splits[split]
            counts["documents"] += 1
            counts["labels"] += len(document.annotations)
            for mention in document.mentions:
                counts["annotations"] += 1
                linked += bool(mention.gold)
                several += len(mention.gold) > 1
                types[split][mention.type] += 1
    if not splits:
        reading.problems.refuse()
        raise DataError("no document in the given files")
    for split, found in types.items():
        for type_, n in found.items():
            for each in types_of(type_):
                splits[split]["types"][each] = splits[split]["types"].get(each, 0) + n
    if several == linked >= _SUSPICIOUS:
        reading.problems.note(Problem("alternatives", _ALTERNATIVES))
    return splits


def _unique_mentions(document: Document, seen: set[str], problems: Problems) -> Document:
    """Mention ids name predictions, so they must be unique in the whole corpus."""
    ids = [m.id for m in document.annotations]
    repeated = seen.intersection(ids)
    for mention in document.annotations:
        if mention.id in repeated:
            problems.add(Problem("mention", f"mention id {mention.id!r} occurs before, in another document",
                                 document=document.id, spans=mention.spans, type=mention.type))  # fmt: skip
    seen.update(ids)
    return without(document, repeated) if repeated else document


def _current_splits(folder: Path) -> dict[str, tuple[Path, Any]]:
    """Folder and manifest of each split of the current revision."""
    revision = store.current(folder)
    if revision is None:
        return {}
    path = folder / revision
    old = store.read_json(path / "manifest.json")
    return dict.fromkeys(old["inputs"], (path, old))
