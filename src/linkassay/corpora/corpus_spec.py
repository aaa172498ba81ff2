"""What a corpus knows of itself (CORPUS-1): sources, licence, citation, id rules, fixes, expected counts.

One module per corpus in `catalog` defines a `CorpusSpec` named `SPEC`. Fetching, converting
and storing are the same for all and live elsewhere (`sources`, `obtain`, `stored_corpus`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from linkassay.files import RawFile
from linkassay.formats import Reading, Units
from linkassay.ids import IdRule
from linkassay.model import Document
from linkassay.problems import Fix, Problems
from linkassay.sources import Source, matching_files

#: How much of a corpus's texts a page may pass on: whole texts, or the sentences around mentions.
SharedText: TypeAlias = Literal["full", "snippet"]

#: Reads raw files into (split, document) pairs, train before dev before test.
Reader: TypeAlias = Callable[[list[RawFile], Reading], Iterator[tuple[str, Document]]]


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
    optional: tuple[str, ...] = ()  # globs of files that the reader uses where they are there
    sources: tuple[Source, ...] = ()
    packaged: Callable[[], list[RawFile]] | None = None  # for data that ships with linkassay
    how_to_obtain: str = ""  # for data that cannot simply be downloaded
    rules: Mapping[str, IdRule] = field(default_factory=lambda: {"": IdRule()})
    source_types: Mapping[str, str] | None = None  # source type → ours; others are left out
    fixes: tuple[Fix, ...] = ()
    span_is_right: Callable[[str, str, str], str] | None = None  # see `Reading`
    units: Units = "codepoint"
    merge: bool = True
    expected: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # split → count name → n
    version: int = 1  # raised whenever reading changes, so that the revision changes
    notes: str = ""
    shares_text: SharedText = "snippet"  # whole texts only where the licence is known to allow it

    def reading(self, problems: Problems) -> Reading:
        """A fresh `Reading` with this corpus's rules."""
        return Reading(rules=self.rules, types=self.source_types, problems=problems, fixes=self.fixes,
                       units=self.units, merge=self.merge, span_is_right=self.span_is_right)  # fmt: skip

    @property
    def needs(self) -> tuple[tuple[str, bool], ...]:
        """Globs of the files to read, each with whether it must be there."""
        return tuple((need, True) for need in self.files) + tuple((need, False) for need in self.optional)

    def missing(self, files: list[RawFile]) -> list[str]:
        """Those of the needed globs that no file matches."""
        return [need for need in self.files if not matching_files(files, need)]

    def used(self, files: list[RawFile]) -> list[RawFile]:
        """Those of `files` that the reader gets: what it needs and what it can use."""
        return list({f.name: f for need, _ in self.needs for f in matching_files(files, need)}.values())


class EveryType(Mapping[str, str]):
    """Source types that are all one type of ours, for sources with too many of them to list.

    >>> EveryType("umls")["T116,T123"], "T047" in EveryType("umls")
    ('umls', True)
    """

    def __init__(self, type_: str) -> None:
        self._type = type_

    def __getitem__(self, source_type: str) -> str:
        return self._type

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def unique_documents(
    documents: Iterable[Document], problems: Problems, repeated: Collection[str], why: str
) -> Iterator[Document]:
    """`documents` without the second occurrence of those known to be `repeated`, listed as fixes.

    Documents that occur twice without being known for it stay; they are reported where documents
    are stored.
    """
    seen: set[str] = set()
    for document in documents:
        if document.id in seen and document.id in repeated:
            problems.fixes.append(Fix(document.id, (0, len(document.text)), "", why))
            continue
        seen.add(document.id)
        yield document
