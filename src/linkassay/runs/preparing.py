"""Linkers made ready once (LINKER-14): index and training are folders of plain files that all who link with them map.

An index is of a knowledge base; what was learned is a folder of its own that stands on an index. Whoever needs one that
is missing makes it; one that was changed, or made by other code, is not taken for it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from linkassay import store
from linkassay.engine import Engine, call_in_process
from linkassay.errors import LinkassayError, UsageError
from linkassay.kbs import Kb
from linkassay.linkers import LINKERS, capabilities_of, linker_file, load_linker
from linkassay.runs.costs import Clock, Memory
from linkassay.runs.identity import software
from linkassay.runs.parts import make_parts, with_parts
from linkassay.runs.ready_linker import INDEX, TRAINING, ReadyLinker, prepared_folder, stages, trained_parts
from linkassay.runs.request import LinkRequest
from linkassay.runs.training import NO_TRAINING, TrainingDocuments, parts_text
from linkassay.text.abbreviations import abbreviations_record

#: Names of a knowledge base from which on a process of its own prepares a linker for it.
_LARGE = 100_000
#: What preparing cost: beside the manifest, which is the same whenever it is written.
_COSTS = "costs.json"
_VERBS = {INDEX: "index", TRAINING: "train"}
#: Told what is being prepared, how much of it is done, and of how much.
Progress = Callable[[str, int, int], None]


class Prepared(NamedTuple):
    """A folder that was made ready, now (`fresh`) or before."""

    stage: str  # INDEX or TRAINING
    path: Path
    about: dict[str, Any]
    fresh: bool

    @property
    def name(self) -> str:
        """By which `ready_linker` finds it."""
        return self.path.name


def prepare(request: LinkRequest, *, progress: Progress | None = None, engine: Engine | None = None) -> list[Prepared]:
    """Make ready what a pinned request needs, where it is missing, in the order of `stages`.

    What is made in parts is made by the engine; other work by one process.
    """
    made = [each for part in request.parts() for each in prepare(part, progress=progress, engine=engine)]
    for stage in stages(request)[len(made) :]:
        names = [each.name for each in made]
        under = {"parts": names} if request.parts() else {"index": names[0]} if names else {}
        made.append(_made(request, stage, _identity(request, stage) | under, made[:], progress, engine))
    return made


def prepare_linker(
    linker: str, kb: str, train_on: tuple[str, ...] = (), *, progress: Progress | None = None, **request: Any
) -> list[Prepared]:
    """The same by a linker's name and what it is to be ready for; without `train_on` its index alone."""
    if not _keeps(linker):
        able = [name for name in LINKERS if _keeps(name)]
        raise UsageError(f"linker {linker!r} keeps nothing that could be prepared; those that do: {', '.join(able)}")
    wanted = LinkRequest(linker, kb=kb, train_on=train_on or (NO_TRAINING,), **request).ready_for_any()
    return prepare(wanted, progress=progress)


def _keeps(linker: str) -> bool:
    able = capabilities_of(load_linker(linker), linker)
    return able.stores or able.composed


def _identity(request: LinkRequest, stage: str) -> dict[str, Any]:
    """What the fingerprint of a folder stands for: all that can change what is in it."""
    linker_class = load_linker(request.linker)
    file = linker_file(request.linker)
    kb = Kb.open(request.kb)
    able = request.capabilities
    told = request if stage == TRAINING else replace(request, abbreviations="none")
    of_training = () if stage == TRAINING else (able.trains_with,)
    options = {name: value for name, value in request.options.items() if name not in of_training}
    code, libraries = software(linker_class, told)
    found: dict[str, Any] = {
        "linker": file.cls if file else request.linker, "stage": stage, "kb": kb.name, "kb_revision": kb.revision,
        "synonyms": list(request.synonyms), "options": options, "software": version("linkassay"),
        "code": code, "libraries": libraries,
    }  # fmt: skip
    if stage == TRAINING:
        found["trained_on"] = list(parts_text(trained_parts(request)))
        if request.abbreviations != "none":
            found["abbreviations"] = abbreviations_record(request.abbreviations)
        if able.wants_corpus:
            found["corpus"] = request.corpus
    return found


def _made(
    request: LinkRequest, stage: str, identity: dict[str, Any], under: Sequence[Prepared], progress: Progress | None,
    engine: Engine | None,
) -> Prepared:  # fmt: skip
    """The folder of this identity; made by one process while others wait for it."""
    file = linker_file(request.linker)
    path = prepared_folder(f"{file.system if file else request.linker}-{store.fingerprint(identity)}")
    if about := _whole(path, checked=True):
        return Prepared(stage, path, about, fresh=False)
    work = store.home() / "work" / f"prepare-{path.name}"
    with store.lock(work):
        try:
            if about := _whole(path, checked=True):
                return Prepared(stage, path, about, fresh=False)
            about = _filled(request, stage, identity, under, path, progress, engine)
            return Prepared(stage, path, about, fresh=True)
        finally:
            shutil.rmtree(work, ignore_errors=True)


def _filled(
    request: LinkRequest, stage: str, identity: dict[str, Any], under: Sequence[Prepared], path: Path,
    progress: Progress | None, engine: Engine | None,
) -> dict[str, Any]:  # fmt: skip
    what = f"{_VERBS[stage]} {path.name.rpartition('-')[0]}"
    if progress:
        progress(what, 0, 1)
    in_parts = store.home() / "work" / f"parts-{path.name}"
    parts: list[Path] = []
    if stage == INDEX and request.capabilities.prepares_in_parts:
        parts = make_parts(request, in_parts, partial(progress, what) if progress else None, engine)
    work: dict[str, Any] = {
        "request": request.as_data(), "stage": stage, "identity": identity, "under": [each.name for each in under],
        "name": path.name, "parts": list(map(str, parts)),
    }  # fmt: skip
    if Kb.open(request.kb).manifest["counts"]["names"] < _LARGE:
        fill_folder(**work)
    else:  # what that takes of memory is given back
        call_in_process(f"{__name__}:fill_folder", work)
    if progress:
        progress(what, 1, 1)
    about = _whole(path)
    shutil.rmtree(in_parts, ignore_errors=True)
    if about is None:
        raise LinkassayError(f"{path} was written and is not whole: is the disk full, or somebody else at work there?")
    return about


def fill_folder(
    request: dict[str, Any], stage: str, identity: dict[str, Any], under: Sequence[str], name: str, parts: Sequence[str]
) -> None:
    """Index or train, and write what came of it; `under`: the index that a training stands on, `parts`: those of it."""
    asked = LinkRequest.of_data(request)
    memory, clock = Memory(), Clock()
    ready = ReadyLinker.made(asked)
    with store.new_folder(prepared_folder(name), replace=True) as temporary:
        files = store.MappedFolder(temporary)
        try:
            if ready.capabilities.composed:
                ready.open_parts(under)
                clock.lap("open")
                ready.linker.train_fusion(TrainingDocuments(trained_parts(asked)))
                clock.lap("train")
                ready.linker.store_training(files)
            elif stage == INDEX:
                if ready.capabilities.prepares_in_parts:
                    ready.linker.parts(ready.knowledge())
                    ready.linker.join_parts([store.MappedFolder(Path(part)) for part in parts])
                else:
                    ready.linker.prepare(ready.knowledge(), ())
                clock.lap("index")
                ready.linker.store_index(files)
            else:
                ready.open_index(under[0])
                clock.lap("open")
                ready.linker.train(TrainingDocuments(trained_parts(asked)))
                clock.lap("train")
                ready.linker.store_training(files)
            clock.lap("store")
        except LinkassayError:
            raise
        except (Exception, SystemExit) as error:
            if store.unwritable(error):
                raise
            raise ready.error(error) from error
        told = _told(files)
        written = {file.name: _size_and_checksum(file) for file in sorted(temporary.iterdir())}
        costs = with_parts({**clock.laps, "peak_memory_bytes": memory.peak()}, map(Path, parts))
        (temporary / _COSTS).write_text(json.dumps(costs) + "\n", encoding="utf-8")
        store.write_manifest(
            temporary, {**identity, **told, "files": written, "bytes": sum(size for size, _ in written.values())}
        )


def _told(files: store.MappedFolder) -> dict[str, Any]:
    """What a linker has to tell of what it stored, if it does."""
    about = files.record("about") if files.file("about", "json").is_file() else {}
    return {"about": about} if about else {}


def _whole(path: Path, *, checked: bool = False) -> dict[str, Any] | None:
    """What a folder says of itself, if all of it is there as it was written, by sizes or also by checksums.

    Compiled loops trust the numbers in it: with one that is damaged they would read anywhere.
    """
    try:
        about: dict[str, Any] = store.read_json(path / "manifest.json")
        about["costs"] = store.read_json(path / _COSTS)
        found = {name: (path / name).stat().st_size for name in about["files"]}
        if found != {name: size for name, (size, _) in about["files"].items()}:
            return None
        if checked and any(_size_and_checksum(path / name) != said for name, said in about["files"].items()):
            return None
    except (LinkassayError, OSError, KeyError, TypeError, ValueError, AttributeError):
        return None
    return about


def _size_and_checksum(path: Path) -> list[int]:
    """Length and CRC-32, which takes a fifteenth of a second for an index of 450 MB; it is no guard against intent."""
    size = checksum = 0
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            size, checksum = size + len(block), crc32(block, checksum)
    return [size, checksum]


def prepared_rows(found: Iterable[Prepared]) -> list[dict[str, Any]]:
    """What to tell of folders that are ready."""
    return [
        {
            "name": each.name,
            "stage": each.stage,
            "linker": each.about["linker"],
            "kb": f"{each.about['kb']}@{each.about['kb_revision']}",
            "trained_on": ", ".join(each.about.get("trained_on", ())),
            "megabytes": each.about["bytes"] / 1e6,
            "about": ", ".join(f"{name} {value}" for name, value in each.about.get("about", {}).items()),
            "seconds": sum(s for key, s in each.about["costs"].items() if key in ("index_seconds", "train_seconds")),
            "fresh": each.fresh,
        }
        for each in found
    ]


def all_prepared() -> Iterator[Prepared]:
    """What is there, of whatever version."""
    root = prepared_folder("")
    for path in sorted(root.iterdir()) if root.is_dir() else ():
        if not path.name.startswith(".") and (about := _whole(path)):
            yield Prepared(about["stage"], path, about, fresh=False)
