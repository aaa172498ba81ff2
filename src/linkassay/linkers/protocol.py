"""The linker protocol: `prepare` once with a knowledge base and training data, then `link` or `annotate`.

A linker never sees gold ids of what it links: the runner hands it `Query` objects, or documents without gold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

from linkassay.errors import LinkassayError
from linkassay.kbs import Kb
from linkassay.model import Document, Span

#: Ranked groups of tied ids, each with its score; empty: no answer.
Answer: TypeAlias = list[tuple[tuple[str, ...], float]]


@dataclass(frozen=True, slots=True)
class Query:
    """A mention as a linker sees it: in its text, with its type, without gold."""

    text: str
    type: str
    spans: tuple[Span, ...]
    document: str
    context: str


class FoundMention(NamedTuple):
    """A mention that a linker found by itself. `nil`: it is one, but of nothing that the knowledge base has."""

    spans: tuple[Span, ...]
    answer: Answer = []  # noqa: RUF012 (a tuple's default, never changed)
    type: str = ""
    nil: bool = False


class OutOfOrderError(LinkassayError):
    """Raised by a linker that cannot go on at all, e.g. as its server is gone: the run stops, what is done stays."""


class Linker(Protocol):
    """What a linker offers. Its class attribute `summary` is one line for `linkassay ls linkers`."""

    summary: str

    def prepare(self, kb: Kb, train: Iterable[Document]) -> None:
        """Build indexes, learn from training documents."""
        ...

    def link(self, queries: Sequence[Query], top: int) -> list[Answer]:
        """One answer per query, at most `top` groups each."""
        ...


class Annotator(Protocol):
    """What an end-to-end linker offers (LINKER-1); one with `link` besides can be given mentions, too.

    Where it has no `link` and mentions are given (`--give mentions`), the documents hold these, without gold. Three
    further members are optional, for all linkers: `about(corpus)` is called before `prepare` and says how ids and
    types are spelled; `work_in(folder)` is called before each shard and says where temporary files belong: in a folder
    that all workers of the run share and that ends with it; `keeps_time` says that the linker itself sees to
    `--timeout`.
    """

    summary: str

    def prepare(self, kb: Kb, train: Iterable[Document]) -> None:
        """Build indexes, learn from training documents."""
        ...

    def annotate(self, documents: Sequence[Document], top: int) -> Sequence[list[FoundMention] | LinkassayError]:
        """The mentions of each document with at most `top` groups each; an error: this document failed."""
        ...
