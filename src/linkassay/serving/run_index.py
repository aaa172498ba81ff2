"""What the data home has, known without opening every file each time: a file is read again when it has changed.

A look at the home costs a listing of its folders; the answer to `runs` is kept as bytes until something is another.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from linkassay import store
from linkassay.corpora import in_split_order
from linkassay.errors import LinkassayError
from linkassay.runs import Facts, Run, facts_of, labels_by_facts
from linkassay.scoring.results import FIGURES, FIRST, LEADING, basis_of, kept_figures, was_given_texts
from linkassay.serving.refusals import not_found

#: A record that is larger is not read: none of ours comes near it.
_LARGEST = 64 << 20
_LARGEST_FIGURES = 4 << 20
#: Classes of a knowledge base whose names are read with it.
_MOST_CLASSES = 500
#: Of figures end to end: their keys follow from the others, and are more than all of these.
_LEFT_OUT = ("keys",)

#: What tells a file from the one that had its name before; None where there is none.
Stamp = tuple[int, int, int] | None


@dataclass(frozen=True)
class KnownRun:
    """A run of the data home. `name` is the corpus and the key; `digest` stands for all that its record says."""

    name: str
    path: Path
    corpus: str
    key: str
    split: str
    digest: str
    basis: str  # of its default figures
    revisions: tuple[str, ...]  # of corpus and knowledge base
    facts: Facts  # what tells it from other runs of its system
    row: msgspec.Raw
    state: str = "waiting"

    @cached_property
    def figures_name(self) -> str:
        """What figures of this run are called that are not beside it."""
        return store.fingerprint([self.name, self.digest, self.basis])


class Home(NamedTuple):
    """What there is at some moment: runs by name, the answer to `runs`, and what stands for that."""

    runs: dict[str, KnownRun]
    waiting: list[KnownRun]
    kbs: dict[str, str]  # name and revision
    corpora: dict[str, str]
    answer: bytes
    etag: str

    def run(self, name: str) -> KnownRun:
        """A run by its name."""
        if name not in self.runs:
            raise not_found(f"no run {name!r} in this data home; it may have been made again, or removed")
        return self.runs[name]


@dataclass
class _Read:
    """What was read of a folder, and what it was told by then."""

    record: Stamp
    known: Any
    stamps: Any = None
    figured: KnownRun | None = None


class RunIndex:
    """The runs, corpora and knowledge bases of a home.

    `kept` says where figures may be that are not beside their run, `failed` why they could not be computed.
    """

    def __init__(
        self, home: Path, kept: Callable[[str], Path | None] = lambda _: None,
        failed: Callable[[str], str] = lambda _: "",
    ) -> None:  # fmt: skip
        self._home, self._kept, self._failed = home, kept, failed
        self._lock = threading.Lock()
        self._read: dict[Path, _Read] = {}
        self._last: tuple[Any, Home] | None = None

    def now(self) -> Home:
        """What there is now."""
        with self._lock:
            seen = list(self._looked())
            told = [(folder, stamps) for folder, stamps, _ in seen]
            if self._last is None or self._last[0] != told:
                self._read = {folder: self._read[folder] for folder, _, _ in seen}
                self._last = (told, _gathered([known for _, _, known in seen if known is not None]))
            return self._last[1]

    def _looked(self) -> Iterator[tuple[Path, Any, Any]]:
        """Each folder with what tells whether it is as it was, and what is known of it."""
        for corpus in _folders(self._home / "runs"):
            for folder in _folders(corpus):
                if record := _stamp(folder / "run.json"):
                    yield self._of_run(folder, self._once(folder, record, _run))
        for room, read in (("corpora", _corpus), ("kbs", _kb)):
            for folder in _folders(self._home / room):
                if current := _stamp(folder / "current"):
                    yield folder, current, self._once(folder, current, read).known

    def _once(self, folder: Path, record: Stamp, read: Callable[[Path], Any]) -> _Read:
        found = self._read.get(folder)
        if found is None or found.record != record:
            found = self._read[folder] = _Read(record, read(folder))
        return found

    def _of_run(self, folder: Path, found: _Read) -> tuple[Path, Any, KnownRun]:
        known: KnownRun = found.known
        if known.state == "failed":
            return folder, found.record, known
        elsewhere = self._kept(known.figures_name)
        files = [folder / "predictions.parquet", folder / FIGURES, *([elsewhere] if elsewhere else [])]
        marks, why = [_stamp(file) for file in files], self._failed(known.figures_name)
        stamps = (found.record, marks, why)
        if found.figured is None or found.stamps != stamps:
            found.stamps, found.figured = stamps, _with_figures(known, files[1:], marks[0], why)
        return folder, stamps, found.figured


def _run(folder: Path) -> KnownRun:
    try:
        data = _bytes(folder / "run.json")
        run = Run(folder)
        about = run.about
        costs = [_number(about.get(f"{part}_cpu_seconds")) for part in ("index", "train", "link")]
        told = [cost for cost in costs if cost is not None]
        documents = about.get("documents", (about.get("import", {}).get("documents") or {}).get("corpus"))
        row: dict[str, Any] = {
            "run": run.key, "name": run.name, "corpus": run.corpus, "split": run.split, "system": run.system,
            "kb": run.kb.strip("@"), "finished": _number(about.get("finished")), "leak": run.leak,
            "task": "found" if was_given_texts(run) else "given",
            "cost": {"index": _number(about.get("index_seconds")), "train": _number(about.get("train_seconds")),
                     "link": _number(about.get("link_seconds")), "cpu": sum(told) if told else None,
                     "memory": _number(about.get("peak_memory_bytes")),
                     "rate": _number(about.get("mentions_per_second"))},
            "figures": [], "leading": None, "documents": _number(documents),
            "mentions": _number(about.get("mentions")), "state": "waiting", "why": "",
        }  # fmt: skip
        return KnownRun(
            f"{run.corpus}/{run.key}", folder, run.corpus, run.key, run.split,
            hashlib.sha256(data).hexdigest()[:16], store.fingerprint(basis_of(about)),
            (f"{run.corpus.partition('/')[0]}@{about['corpus_revision']}", run.kb), facts_of(run),
            _encoded(row),
        )  # fmt: skip
    except (LinkassayError, OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        return _broken(folder, str(error) or type(error).__name__)


def _with_figures(known: KnownRun, files: Sequence[Path], predictions: Stamp, why: str) -> KnownRun:
    """The run with the first of these figures that are its own; without any it waits for them, or says `why` not."""
    try:
        about = Run(known.path).about
    except LinkassayError as error:  # it was whole a moment ago
        return _broken(known.path, str(error))
    size = (about.get("files") or {}).get("predictions.parquet", {}).get("size")
    figures = None
    if predictions and size in (None, predictions[1]):  # else they are of what was there before
        figures = next((found for file in files if (found := _figures(file, about))), None)
    if figures is None:
        state: dict[str, Any] = {"state": "failed", "why": why} if why else {}
    else:
        rows = [{k: v for k, v in row.items() if k not in _LEFT_OUT} for row in figures["rows"]]
        state = {"state": "ready", "task": figures["task"], "figures": rows, "leading": _leading(figures)}
    row = msgspec.json.decode(known.row) | state
    return replace(known, row=_encoded(row), state=row["state"])


def _figures(file: Path, about: Mapping[str, Any]) -> dict[str, Any] | None:
    stamp = _stamp(file)
    return kept_figures(file, about) if stamp and stamp[1] <= _LARGEST_FIGURES else None


def _gathered(known: Sequence[Any]) -> Home:
    runs = {run.name: run for run in known if isinstance(run, KnownRun)}
    data = {room: [each for each in known if isinstance(each, dict) and each["room"] == room]
            for room in ("corpora", "kbs")}  # fmt: skip
    answer = msgspec.json.encode({"rows": _labelled(runs.values())} | {
        room: [{key: value for key, value in each.items() if key not in ("room", "revision")} for each in found]
        for room, found in data.items()
    })  # fmt: skip
    revisions = {room: {each["name"]: each["revision"] for each in found} for room, found in data.items()}
    waiting = [run for run in runs.values() if run.state == "waiting"]
    etag = hashlib.sha256(answer).hexdigest()[:24]
    return Home(runs, waiting, revisions["kbs"], revisions["corpora"], answer, etag)


def _labelled(runs: Collection[KnownRun]) -> list[msgspec.Raw]:
    """The rows, each with what its run is called among those of its corpus and split."""
    groups: dict[tuple[str, str], list[KnownRun]] = {}
    for run in runs:
        groups.setdefault((run.corpus, run.split), []).append(run)
    names: dict[str, str] = {}
    for each in groups.values():
        called = labels_by_facts([run.facts for run in each])
        names |= {run.name: label for run, label in zip(each, called, strict=True)}
    return [_with_label(run.row, names[run.name]) for run in runs]


def _with_label(row: msgspec.Raw, label: str) -> msgspec.Raw:
    """An object of JSON with one value more."""
    return msgspec.Raw(b'{"label":' + msgspec.json.encode(label) + b"," + bytes(row)[1:])


def _encoded(row: Mapping[str, Any]) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(row))


def _leading(figures: Mapping[str, Any]) -> dict[str, Any] | None:
    """What the run would be ranked by."""
    if figures["task"] == "found":
        for row in figures["rows"]:
            if row.get("mode") == FIRST.nil.upper():
                return {"measure": "all_f1", "value": row.get("all_f1"), "low": row.get("all_f1_low"),
                        "high": row.get("all_f1_high"), "n": row.get("all_tp", 0) + row.get("all_fn", 0),
                        "preset": FIRST.preset, "nil": FIRST.nil}  # fmt: skip
        return None
    for row in figures["rows"]:
        if row.get("measure") == LEADING[0] and row.get("slice") == "all":
            return {key: row.get(key) for key in ("measure", "value", "low", "high", "n")}
    return None


def _broken(folder: Path, why: str) -> KnownRun:
    """A run whose record cannot be read: it is listed, and says why it is no more."""
    corpus, key = folder.parent.name.replace("+", "/"), folder.name
    cost = dict.fromkeys(("index", "train", "link", "cpu", "memory", "rate"))
    row: dict[str, Any] = {
           "run": key, "name": f"{corpus}/{key}", "corpus": corpus, "split": "", "system": key, "kb": "",
           "finished": None, "leak": "", "task": "given", "cost": cost, "figures": [], "leading": None,
           "documents": None, "mentions": None, "state": "failed", "why": why}  # fmt: skip
    return KnownRun(
        f"{corpus}/{key}", folder, corpus, key, "", "", "", (), Facts(key, key, "", {}), _encoded(row), "failed"
    )


def _corpus(folder: Path) -> dict[str, Any] | None:
    manifest = _manifest(folder)
    if manifest is None:
        return None
    splits = {name: each for name, each in manifest.get("splits", {}).items() if isinstance(each, dict)}
    mentions = [each.get("annotations", each.get("mentions", 0)) for each in splits.values()]
    return {"room": "corpora", "name": folder.name, "revision": str(manifest.get("revision", "")),
            "title": str(manifest.get("title", "")), "licence": str(manifest.get("licence", "")),
            "splits": in_split_order(list(splits)), "documents": sum(s.get("documents", 0) for s in splits.values()),
            "mentions": sum(mentions)}  # fmt: skip


def _kb(folder: Path) -> dict[str, Any] | None:
    manifest = _manifest(folder)
    if manifest is None:
        return None
    counts, revision = manifest.get("counts", {}), str(manifest.get("revision", ""))
    return {"room": "kbs", "name": folder.name, "revision": revision, "title": str(manifest.get("title", "")),
            "entities": counts.get("entities"), "names": counts.get("names"),
            "types": _type_names(folder / (store.current(folder) or ""), counts.get("foreign"))}  # fmt: skip


def _type_names(folder: Path, count: Any) -> dict[str, str]:
    """Names of classes that types of mentions may be, such as Wikidata's; tables of taxa are larger, and no types."""
    if not isinstance(count, int) or not 0 < count <= _MOST_CLASSES:
        return {}
    import pyarrow.parquet as pq

    try:
        rows = pq.read_table(folder / "foreign.parquet", columns=["id", "name"]).to_pylist()
    except (OSError, ValueError, KeyError):
        return {}
    return {str(row["id"]).rpartition(":")[2]: row["name"] for row in rows if row["name"]}


def _manifest(folder: Path) -> dict[str, Any] | None:
    """That of the revision which the name stands for; None where it cannot be read."""
    revision = store.current(folder)
    try:
        found = msgspec.json.decode(_bytes(folder / revision / "manifest.json")) if revision else None
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _bytes(path: Path) -> bytes:
    if path.stat().st_size > _LARGEST:
        raise OSError(f"{path.name} is larger than any of ours")
    return path.read_bytes()


def _number(value: Any) -> float | int | None:
    return value if isinstance(value, int | float) else None


def _folders(root: Path) -> list[Path]:
    """The folders in a folder by name, without hidden ones, which are being written."""
    try:
        with os.scandir(root) as entries:
            return [Path(e.path) for e in sorted(entries, key=lambda e: e.name) if e.name[0] != "." and e.is_dir()]
    except OSError:
        return []


def _stamp(path: Path) -> Stamp:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
