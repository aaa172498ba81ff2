"""The linker protocol: `prepare` once with a knowledge base and training data, then `link`.

A linker never sees gold ids of what it links: the runner hands it `Query` objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from linkassay.kbs.stored import Kb
from linkassay.model import Document, Span

__all__ = ["Answer", "Linker", "Query"]

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


class Linker(Protocol):
    """What a linker offers. Its class attribute `summary` is one line for `linkassay ls linkers`."""

    summary: str

    def prepare(self, kb: Kb, train: Iterable[Document]) -> None:
        """Build indexes, learn from training documents."""
        ...

    def link(self, queries: Sequence[Query], top: int) -> list[Answer]:
        """One answer per query, at most `top` groups each."""
        ...
