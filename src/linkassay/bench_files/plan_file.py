"""Reads a bench file (TOML) into a plan, strictly: each value is checked by its key, and errors say where it stands.

Relative paths are relative to the file. Whether files exist is found out when they are needed, since what one cell
lacks must not stop the others; only the ids that no cell counts are read here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from linkassay.bench_files.plan import CorpusEntry, ImportEntry, KbEntry, LinkerEntry, Plan, ScoreEntry
from linkassay.bench_files.plan_checks import check_plan
from linkassay.errors import DataError, UsageError
from linkassay.files import read_toml
from linkassay.registry import near_miss
from linkassay.runs import GIVEN, LinkRequest
from linkassay.scoring.disambiguation import id_list

#: Abbreviations by name; anything else is a file.
_NAMED_ABBREVIATIONS = ("none", "schwartz-hearst", "ab3p")

_Entry = TypeVar("_Entry")
_Maker = Callable[..., _Entry]
_Reader = Callable[["_Place", str, Any], Any]


@dataclass(frozen=True)
class _Place:
    """Where a value stands, for errors, and what its paths are relative to."""

    file: Path
    where: str = ""

    def error(self, message: str) -> DataError:
        return DataError(f"{self.where}: {message}" if self.where else message, file=self.file.name)

    def expected(self, key: str, what: str, value: Any) -> DataError:
        return self.error(f"{key!r} must be {what}, not {value!r:.80}")


def _text(place: _Place, key: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise place.expected(key, "a text", value)
    return value


def _texts(place: _Place, key: str, value: Any) -> tuple[str, ...]:
    given = value if isinstance(value, list) else [value]
    return tuple(_text(place, key, each) for each in given)


def _path(place: _Place, key: str, value: Any) -> Path:
    return place.file.parent / Path(_text(place, key, value)).expanduser()


def _paths(place: _Place, key: str, value: Any) -> tuple[Path, ...]:
    return tuple(_path(place, key, each) for each in (value if isinstance(value, list) else [value]))


def _paths_by_split(place: _Place, key: str, value: Any) -> dict[str, tuple[Path, ...]]:
    if not isinstance(value, dict) or not value:
        raise place.expected(key, 'a table of files for each split, e.g. { test = "test.txt" }', value)
    return {split: _paths(place, f"{key}.{split}", each) for split, each in value.items()}


def _flag(place: _Place, key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise place.expected(key, "true or false", value)
    return value


def _whole(low: int) -> _Reader:
    def read(place: _Place, key: str, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < low:
            raise place.expected(key, f"a whole number from {low} on", value)
        return value

    return read


def _seconds(place: _Place, key: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        raise place.expected(key, "a number of seconds", value)
    return float(value)


def _one_of(*known: str) -> _Reader:
    def read(place: _Place, key: str, value: Any) -> str:
        if value not in known:
            raise place.expected(key, " or ".join(map(repr, known)), value)
        return str(value)

    return read


def _options(place: _Place, key: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise place.expected(key, "a table", value)
    return value


def _abbreviations(place: _Place, key: str, value: Any) -> str:
    return value if value in _NAMED_ABBREVIATIONS else str(_path(place, key, value))


def _ids(place: _Place, key: str, value: Any) -> tuple[str, ...]:
    """Ids as on the command line: in a list, in a text with commas between, or in a file."""
    given = _texts(place, key, value) if isinstance(value, list) else _text(place, key, value)
    try:
        return tuple(sorted(id_list(given, place.file.parent)))
    except UsageError as error:
        raise place.error(f"{key!r}: {error}") from error


#: The keys of each kind of table, each with what reads its value.
_KB: dict[str, _Reader] = {"name": _text, "raw": _paths, "description": _path, "options": _options}
_CORPUS: dict[str, _Reader] = {
    "name": _text, "splits": _texts, "kb": _text, "linkers": _texts, "raw": _paths, "format": _text,
    "files": _paths_by_split, "types": _texts, "composite": _text, "alternative": _text,
    "units": _one_of("codepoint", "byte", "utf16"), "encoding": _text, "composites": _one_of("keep", "drop"),
    "deduplicate": _flag, "sentences": _flag, "sync": _text, "skip_bad": _flag,
}  # fmt: skip
_LINKER: dict[str, _Reader] = {
    "linker": _text, "name": _text, "corpora": _texts, "top": _whole(1), "abbreviations": _abbreviations,
    "synonyms": _texts, "give": _one_of(*GIVEN), "timeout": _seconds, "strict": _flag, "workers": _whole(0),
    "options": _options, "running": _options, "train_on": _texts, "allow_leak": _flag,
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
    top = _Place(path)
    _refuse_unknown(data, _FILE, top)
    plan = Plan(
        path,
        _text(top, "title", data.get("title", path.stem)),
        _path(top, "report", data.get("report", f"{path.stem}.html")),
        _by_name(_entries(KbEntry, _KB, data, "kbs", top), top),
        tuple(_entries(CorpusEntry, _CORPUS, data, "corpora", top)),
        tuple(_entries(partial(_linker, path.parent), _LINKER, data, "linkers", top)),
        tuple(_entries(ImportEntry, _IMPORT, data, "imports", top)),
        _entry(ScoreEntry, _SCORE, data.get("score", {}), _Place(path, "score")),
    )
    check_plan(plan)
    return plan


def _linker(
    folder: Path, linker: str, *, corpora: tuple[str, ...] = (), workers: int = 1, name: str = "", **asked: Any
) -> LinkerEntry:
    return LinkerEntry(LinkRequest(linker, system=name, **asked).beside(folder), corpora, workers)


def _entries(
    kind: _Maker[_Entry], keys: Mapping[str, _Reader], data: Mapping[str, Any], name: str, top: _Place
) -> list[_Entry]:
    given = data.get(name, [])
    if not isinstance(given, list):
        raise top.error(f"{name!r} is a list: write [[{name}]], not [{name}]")
    return [_entry(kind, keys, each, _Place(top.file, f"[[{name}]] {at}")) for at, each in enumerate(given, start=1)]


def _by_name(entries: Sequence[KbEntry], top: _Place) -> dict[str, KbEntry]:
    names = [entry.name for entry in entries]
    if twice := [name for name in names if names.count(name) > 1]:
        raise top.error(f"two [[kbs]] are called {twice[0]!r}")
    return dict(zip(names, entries, strict=True))


def _entry(kind: _Maker[_Entry], keys: Mapping[str, _Reader], data: Any, place: _Place) -> _Entry:
    if not isinstance(data, dict):
        raise place.error(f"expected a table, found {data!r:.80}")
    _refuse_unknown(data, tuple(keys), place)
    needed = [
        p.name for p in inspect.signature(kind).parameters.values() if p.default is p.empty and p.kind != p.VAR_KEYWORD
    ]
    if missing := [key for key in needed if key not in data]:
        raise place.error(f"{missing[0]!r} is missing")
    values = {key: keys[key](place, key, value) for key, value in data.items()}
    try:
        return kind(**values)
    except UsageError as error:
        raise place.error(str(error)) from error


def _refuse_unknown(data: Mapping[str, Any], known: Sequence[str], place: _Place) -> None:
    for key in data:
        if key not in known:
            raise place.error(f"unknown key {key!r}; {near_miss(key, list(known))}")
