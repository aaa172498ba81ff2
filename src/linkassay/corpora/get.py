"""Obtain a corpus: raw files from the network or a folder → one verified revision in the data home.

The revision is a fingerprint of what was read (contents of the raw files) and how (reader version,
options). The same thing is therefore never converted twice, and a new reading never hides an old one.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from linkassay import corpora, fetch, formats, store
from linkassay.corpora import stored
from linkassay.corpora.base import CorpusSpec
from linkassay.corpora.prepare import Preparation
from linkassay.errors import DataError, UsageError
from linkassay.files import RawFile, expand
from linkassay.formats.base import Reading, Units
from linkassay.ids import IdRule
from linkassay.model import Document
from linkassay.problems import Problem, Problems

__all__ = ["Got", "Own", "get", "get_own"]

#: Raised whenever the stored form changes, so that everything is converted anew.
LAYOUT = 1


@dataclass(frozen=True)
class Got:
    """What `get` ended with; `fresh` is false when the revision was there already."""

    name: str
    revision: str
    path: Path
    fresh: bool
    manifest: dict[str, Any]


@dataclass(frozen=True)
class Own:
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
    options: dict[str, Any] = field(default_factory=dict)


def get(
    name: str,
    raw: Path | None = None,
    *,
    skip_bad: bool = False,
    prepare: Preparation | None = None,
    progress: fetch.Progress = fetch.no_progress,
) -> Got:
    """Obtain the corpus `name`, from its sources or from the raw files in the folder `raw`."""
    spec = corpora.spec(name)
    files = _raw_files(spec, raw, progress)
    used = spec.used(files)
    prepare = prepare or Preparation()
    problems = Problems(skip=skip_bad)
    reading = spec.reading(problems)
    about = {
        "name": spec.name, "title": spec.title, "licence": spec.licence, "citation": spec.citation,
        "homepage": spec.homepage, "kb": spec.kb, "notes": spec.notes, "reader": spec.version,
        "expected": {split: dict(counts) for split, counts in spec.expected.items()},
    }  # fmt: skip
    return _convert(spec.name, about, used, reading, prepare, lambda: spec.read(used, reading))


def get_own(own: Own, *, skip_bad: bool = False, prepare: Preparation | None = None) -> Got:
    """Convert the user's own files; a further split of the same name is added to the corpus."""
    store.valid_name(own.name, "corpus")
    store.valid_name(own.split, "split")
    if corpora.canonical(own.name) in corpora.CORPORA:
        raise UsageError(f"{own.name!r} is the name of a built-in corpus; choose another --name")
    module = formats.FORMATS.load(own.format)
    used = expand(own.paths)
    if not used:
        raise UsageError("no files in " + ", ".join(map(str, own.paths)))
    rule = IdRule(prefix=own.kb, composite=own.composite, alternative=own.alternative)
    reading = Reading(
        rules={"": rule}, types={t: t for t in own.types} or None, problems=Problems(skip=skip_bad),
        units=own.units, encoding=own.encoding, merge=own.merge,
    )  # fmt: skip
    about = {
        "name": own.name, "title": own.name, "licence": own.licence, "citation": "", "homepage": "",
        "kb": own.kb, "notes": "", "reader": 1, "expected": {},
        "options": {
            "format": own.format, "split": own.split, "types": list(own.types), "composite": own.composite,
            "alternative": own.alternative, "units": own.units, "encoding": own.encoding, **own.options,
        },
    }  # fmt: skip

    def read() -> Iterator[tuple[str, Document]]:
        documents = module.read(used, reading, **own.options)
        return ((own.split, document) for document in documents)

    return _convert(own.name, about, used, reading, prepare or Preparation(), read, only_split=own.split)


def _raw_files(spec: CorpusSpec, raw: Path | None, progress: fetch.Progress) -> list[RawFile]:
    if raw is not None:
        files = expand([raw])
    elif spec.packaged is not None:
        files = spec.packaged()
    elif spec.sources:
        folder = store.home() / "raw" / spec.name
        fetch.obtain(spec.sources, folder, progress=progress)
        files = expand([folder])
    else:
        raise UsageError(_how_to_obtain(spec, f"{spec.title} cannot be downloaded automatically."))
    if missing := spec.missing(files):
        found = ", ".join(sorted(f.name for f in files)[:8]) or "nothing"
        raise UsageError(_how_to_obtain(
            spec, f"{spec.name}: missing from the raw files: {', '.join(missing)} (found: {found})."))  # fmt: skip
    return files


def _how_to_obtain(spec: CorpusSpec, first: str) -> str:
    needs = "\n".join(f"  {need.replace('|', ' or ')}" for need in spec.files)
    how = spec.how_to_obtain or f"See {spec.homepage}."
    return (
        f"{first}\n{how}\nFiles expected (plain or compressed, also inside an archive):\n{needs}\n"
        f"Then run: linkassay get {spec.name} --raw DIR"
    )


def _convert(
    name: str,
    about: dict[str, Any],
    used: list[RawFile],
    reading: Reading,
    prepare: Preparation,
    read: Callable[[], Iterator[tuple[str, Document]]],
    only_split: str = "",
) -> Got:
    """Write one revision, or find that it is there. With `only_split` the other splits stay as they are."""
    sources = [_source(file) for file in used]
    options = about.pop("options", {}) | prepare.options()
    if reading.problems.skip:
        options["skip_bad"] = True
    folder = stored.folder(name)
    kept = _other_splits(folder, only_split) if only_split else {}
    inputs = {split: old["inputs"][split] for split, (_, old) in kept.items()}
    inputs[only_split or "all"] = {"sources": sources, "options": options}
    revision = store.fingerprint({"layout": LAYOUT, "name": name, "reader": about["reader"], "inputs": inputs})
    target = folder / revision
    fresh = not (target / "manifest.json").exists()
    if fresh:
        with store.new_folder(target) as temporary:
            splits = _write(temporary, prepare.apply(read()), reading)
            reports = {only_split or "all": _report(reading, prepare)}
            for split, (path, old) in kept.items():
                for kind in ("documents", "mentions"):
                    shutil.copyfile(path / f"{kind}.{split}.parquet", temporary / f"{kind}.{split}.parquet")
                splits[split], reports[split] = old["splits"][split], old["reports"][split]
            types = sorted({t for counts in splits.values() for t in counts["types"]})
            stored.write_manifest(temporary, about | {
                "revision": revision, "splits": splits, "types": types, "inputs": inputs, "reports": reports,
            })  # fmt: skip
    store.set_current(folder, revision)
    return Got(name, revision, target, fresh, store.read_json(target / "manifest.json"))


def _report(reading: Reading, prepare: Preparation) -> dict[str, Any]:
    """What was wrong, repaired and left out while reading."""
    return reading.problems.as_dict() | {
        "left_out": dict(sorted(reading.left_out.items())),
        "read": dict(sorted(reading.read.items())),
        "prepared": dict(sorted(prepare.counts.items())),
    }


def _write(target: Path, documents: Iterable[tuple[str, Document]], reading: Reading) -> dict[str, Any]:
    """Write all documents, one pair of files a split; returns the counts of each split."""
    splits: dict[str, Any] = {}
    seen: dict[str, str] = {}
    with ExitStack() as stack:
        writers: dict[str, stored.SplitWriter] = {}
        for split, document in documents:
            if document.id in seen:
                reading.problems.add(Problem(
                    "document", f"document {document.id!r} of {split} occurs before, in {seen[document.id]}",
                    document=document.id))  # fmt: skip
                continue
            seen[document.id] = split
            if split not in writers:
                writers[split] = stack.enter_context(stored.SplitWriter(target, split))
                splits[split] = {"documents": 0, "annotations": 0, "labels": 0, "types": {}}
            writers[split].add(document)
            counts = splits[split]
            counts["documents"] += 1
            counts["labels"] += len(document.annotations)
            for mention in document.mentions:
                counts["annotations"] += 1
                counts["types"][mention.type] = counts["types"].get(mention.type, 0) + 1
    if not splits:
        raise DataError("no document in the given files")
    return splits


def _other_splits(folder: Path, split: str) -> dict[str, tuple[Path, Any]]:
    """Folder and manifest of each split of the current revision that stays when `split` is replaced."""
    revision = store.current(folder)
    if revision is None:
        return {}
    path = folder / revision
    old = store.read_json(path / "manifest.json")
    return {other: (path, old) for other in old["inputs"] if other != split}


def _source(file: RawFile) -> dict[str, str]:
    """Name and checksum of a raw file's contents, the same however it was compressed."""
    with file.open() as stream:
        return {"file": file.name.rsplit("/", 1)[-1], "sha256": store.digest(stream)}
