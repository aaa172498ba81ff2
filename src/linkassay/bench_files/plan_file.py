"""Reads a bench file (TOML) into a plan, strictly: each value is checked by its key, and errors say where it stands.

Relative paths are relative to the file. Whether files exist is found out when they are needed, since what one cell
lacks must not stop the others; only the ids that no cell counts are read here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta

from linkassay.bench_files.plan import CorpusEntry, ImportEntry, KbEntry, LinkerEntry, Options, Plan, ScoreEntry, Text
from linkassay.bench_files.plan_checks import check_plan
from linkassay.decoding import described
from linkassay.errors import DataError, UsageError
from linkassay.files import read_toml
from linkassay.linkers.composed import PIPELINE
from linkassay.runs import LinkRequest
from linkassay.scoring.disambiguation import id_list

#: Abbreviations by name; anything else is a file.
_NAMED_ABBREVIATIONS = ("none", "schwartz-hearst", "ab3p")

_Entry = TypeVar("_Entry", bound=msgspec.Struct)


class _File(msgspec.Struct, forbid_unknown_fields=True):
    title: Text = ""
    report: Path | None = None
    mentions: Literal["", "all", "errors"] | Annotated[int, Meta(ge=1, description="a whole number from 1 on")] = ""
    text: Literal["", "full", "snippet", "none"] = ""
    score: Any = {}
    kbs: Any = []
    corpora: Any = []
    linkers: Any = []
    imports: Any = []


class _Linker(msgspec.Struct, forbid_unknown_fields=True):
    """What is left out is as `LinkRequest` has it."""

    linker: Text = ""
    spot: Text | None = None
    candidates: Text | None = None
    rerank: Text | None = None
    name: Text = ""
    corpora: tuple[Text, ...] = ()
    workers: Annotated[int, Meta(ge=0, description="a whole number from 0 on")] = 1
    top: Annotated[int, Meta(ge=1, description="a whole number from 1 on")] | None = None
    abbreviations: Text | None = None
    synonyms: tuple[Text, ...] | None = None
    give: Literal["mentions", "text"] | None = None
    timeout: Annotated[float, Meta(ge=0, description="a number of seconds")] | None = None
    strict: bool | None = None
    options: Options | None = None
    running: Options | None = None
    train_on: tuple[Text, ...] | None = None
    allow_leak: bool | None = None


def read_plan(path: Path) -> Plan:
    """The plan that a file describes; what cannot be meant is an error, before any work is done."""
    data = read_toml(path)
    path = path.resolve()
    file = _table(_File, data, path)
    plan = Plan(
        path,
        file.title or path.stem,
        file.report or path.parent / f"{path.stem}.html",
        _by_name(_tables(KbEntry, file.kbs, path, "kbs"), path),
        tuple(_tables(CorpusEntry, file.corpora, path, "corpora")),
        tuple(
            _linker(each, path, f"[[linkers]] {at}: ")
            for at, each in enumerate(_tables(_Linker, file.linkers, path, "linkers"), start=1)
        ),
        tuple(_tables(ImportEntry, file.imports, path, "imports")),
        _score(file.score, path),
        file.mentions,
        file.text,
    )
    check_plan(plan)
    return plan


def _table(shape: type[_Entry], data: Any, file: Path, where: str = "") -> _Entry:
    def beside(_: type, value: Any) -> Path:
        if not isinstance(value, str) or not value.strip() or "\0" in value:
            raise ValueError(value)
        try:
            return file.parent / Path(value).expanduser()
        except RuntimeError as error:  # ~name of nobody
            raise ValueError(value) from error

    return described(shape, data, file.name, where, beside)


def _tables(shape: type[_Entry], given: Any, file: Path, name: str) -> list[_Entry]:
    if not isinstance(given, list):
        raise DataError(f"{name!r} is a list: write [[{name}]], not [{name}]", file=file.name)
    return [_table(shape, each, file, f"[[{name}]] {at}: ") for at, each in enumerate(given, start=1)]


def _by_name(entries: Sequence[KbEntry], file: Path) -> dict[str, KbEntry]:
    names = [entry.name for entry in entries]
    if twice := [name for name in names if names.count(name) > 1]:
        raise DataError(f"two [[kbs]] are called {twice[0]!r}", file=file.name)
    return dict(zip(names, entries, strict=True))


def _linker(said: _Linker, file: Path, where: str) -> LinkerEntry:
    asked = {key: value for key, value in msgspec.structs.asdict(said).items() if value is not None}
    corpora, workers, system = asked.pop("corpora"), asked.pop("workers"), asked.pop("name")
    if parts := {key: asked.pop(key) for key in ("spot", "candidates", "rerank") if key in asked}:
        asked["options"] = asked.get("options", {}) | parts
    if "candidates" in parts:
        asked["linker"] = said.linker or PIPELINE
    if not asked["linker"]:
        raise DataError(f"{where}'linker' is missing: a linker, or 'candidates' of a pipeline", file=file.name)
    if said.abbreviations:
        asked["abbreviations"] = _abbreviations(said.abbreviations, file)
    try:
        return LinkerEntry(LinkRequest(**asked, system=system).beside(file.parent), corpora, workers)
    except UsageError as error:
        raise DataError(f"{where}{error}", file=file.name) from error


def _score(data: Any, file: Path) -> ScoreEntry:
    said = _table(ScoreEntry, data, file, "score: ")
    try:  # ids as on the command line: in a list, in a text with commas between, or in a file
        excluded = tuple(sorted(id_list(data.get("exclude_ids", []), file.parent)))
    except UsageError as error:
        raise DataError(f"score: 'exclude_ids': {error}", file=file.name) from error
    return msgspec.structs.replace(said, abbreviations=_abbreviations(said.abbreviations, file), exclude_ids=excluded)


def _abbreviations(said: str, file: Path) -> str:
    return said if said in _NAMED_ABBREVIATIONS else str(file.parent / Path(said).expanduser())
