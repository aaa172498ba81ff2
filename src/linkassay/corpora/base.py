"""What a corpus knows of itself: sources, licence, citation, id rules, fixes, expected counts.

One module per corpus in this folder defines a `CorpusSpec` named `SPEC`. Fetching, converting
and storing are the same for all and live elsewhere (`fetch`, `corpora.get`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from linkassay.errors import DataError
from linkassay.files import RawFile, find
from linkassay.formats.base import Reading, Units
from linkassay.ids import IdRule
from linkassay.model import Document
from linkassay.problems import Fix, Problems

__all__ = ["CorpusSpec", "Reader", "Source", "one", "wanted"]

#: Reads raw files into (split, document) pairs, train before dev before test.
Reader: TypeAlias = Callable[[list[RawFile], Reading], Iterator[tuple[str, Document]]]


@dataclass(frozen=True)
class Source:
    """One file to obtain. Without `sha256` the checksum is not known in advance, only recorded."""

    url: str
    file: str
    sha256: str = ""
    size: int = 0


@dataclass(frozen=True)
class CorpusSpec:
    """A corpus as a plain description plus the function that reads its raw files."""

    name: str
    title: str
    types: tuple[str, ...]
    licence: str
    citation: str
    homepage: str
    kb: str  # name of the default knowledge base
    files: tuple[str, ...]  # what the reader needs, as globs; "a|b" means either
    read: Reader
    sources: tuple[Source, ...] = ()
    how_to_obtain: str = ""  # for data that cannot simply be downloaded
    rules: Mapping[str, IdRule] = field(default_factory=lambda: {"": IdRule()})
    source_types: Mapping[str, str] | None = None  # source type → ours; others are left out
    fixes: tuple[Fix, ...] = ()
    units: Units = "codepoint"
    merge: bool = True
    expected: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # split → count name → n
    version: int = 1  # raised whenever reading changes, so that the revision changes
    notes: str = ""

    def reading(self, problems: Problems) -> Reading:
        """A fresh `Reading` with this corpus's rules."""
        return Reading(rules=self.rules, types=self.source_types, problems=problems, fixes=self.fixes,
                       units=self.units, merge=self.merge)  # fmt: skip

    def missing(self, files: list[RawFile]) -> list[str]:
        """Those of the needed globs that no file matches."""
        return [need for need in self.files if not wanted(files, need)]


def wanted(files: list[RawFile], need: str) -> list[RawFile]:
    """Files that match `need`, a glob or several separated by `|`: the first that matches any."""
    for glob in need.split("|"):
        if found := find(files, glob):
            return found
    return []


def one(files: list[RawFile], need: str) -> RawFile:
    """The one file that matches `need`."""
    found = wanted(files, need)
    if not found:
        raise DataError(f"no file named {need!r} among the raw files")
    if len(found) > 1:
        names = ", ".join(f.name for f in found[:4])
        raise DataError(f"several files match {need!r}: {names}; keep one of them in the raw folder")
    return found[0]
