"""What was wrong with a source: counted by kind, with examples; stopped at or skipped.

A *problem* concerns one annotation or document and can be skipped; a *note* is of what was read all the same. A file
that cannot be read at all is a `DataError` instead. *Fixes* are repairs that a corpus declares for known source errors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from linkassay.errors import DataError
from linkassay.model import Span

__all__ = ["Fix", "Problem", "Problems"]

#: The kind of a line that cannot be read.
UNREADABLE = "unreadable"
_SKIP = "use --skip-bad to leave such annotations out, counted"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, and where."""

    kind: str
    message: str
    file: str = ""
    line: int = 0
    document: str = ""
    spans: tuple[Span, ...] = ()
    found: str = ""
    expected: str = ""
    type: str = ""

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}: " if self.line else f"{self.file}: " if self.file else ""
        parts = [f"{where}{self.message}"]
        if self.document:
            at = " ".join(f"{start}-{end}" for start, end in self.spans)
            parts.append(f"document {self.document}" + (f", span {at}" if at else ""))
        if self.found or self.expected:
            parts.append(f"found {_clip(self.found)}, expected {_clip(self.expected)}")
        return "; ".join(parts)

    def as_dict(self) -> dict[str, Any]:
        """The problem as JSON-ready data."""
        return {
            "kind": self.kind, "message": self.message, "file": self.file, "line": self.line,
            "document": self.document, "spans": [list(s) for s in self.spans], "found": self.found,
            "expected": self.expected, "type": self.type,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fix:
    """A declared repair of one annotation of a source, matched by document, span and text.

    `span` reaches from the annotation's first start to its last end. `new_spans`/`new_text` replace
    what the source says; with neither the annotation is dropped.
    """

    document: str
    span: Span
    text: str
    why: str
    new_spans: tuple[Span, ...] = ()
    new_text: str = ""


@dataclass
class Problems:
    """Collects problems and applied fixes while a source is read.

    With `skip` a problem is counted, kept as an example (up to `keep` of each kind), and the reader
    goes on without the bad thing. Without, the first is raised as a `DataError`, or with `collect`
    all of them together, by `refuse` in the end.
    """

    skip: bool = False
    collect: bool = False
    keep: int = 20
    counts: Counter[str] = field(default_factory=Counter)
    by_type: Counter[tuple[str, str]] = field(default_factory=Counter)
    examples: list[Problem] = field(default_factory=list)
    fixes: list[Fix] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)  # what was read all the same, by kind

    def add(self, problem: Problem) -> None:
        """Report one problem: raise it, or count it and go on."""
        if not self.skip and not self.collect:
            raise DataError(f"{problem} ({_SKIP})")
        self.by_type[problem.kind, problem.type] += 1
        self._count(self.counts, problem)

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """Let a reader go on with the next line after one that cannot be read, where all is collected to be refused."""
        try:
            yield
        except DataError as error:
            if self.skip or not self.collect:
                raise
            self.add(Problem(UNREADABLE, error.message, error.file, error.line))

    def refuse(self, last: DataError | None = None) -> None:
        """Where problems were collected: one error about all of them, and about what ended the reading."""
        if self.skip or not self.counts:
            return
        every, shown = self.counts.total(), [each for each in self.examples if each.kind in self.counts][: self.keep]
        hint = "" if UNREADABLE in self.counts else f" ({_SKIP})"
        if every == 1 and last is None:
            raise DataError(f"{shown[0]}{hint}")
        lines = [*map(str, shown), *([f"and {every - len(shown):,} more"] if every > len(shown) else [])]
        if last is not None:
            lines.append(f"{last}; nothing was read from there on")
        kinds = ", ".join(f"{n:,} × {kind}" for kind, n in self.counts.most_common())
        raise DataError(
            "\n  ".join([f"{every:,} problem{'s' if every > 1 else ''}, nothing was stored: {kinds}", *lines])
            + (f"\n{_SKIP}" if hint else "")
        )

    def extend(self, later: Problems) -> None:
        """Add problems that were counted apart."""
        kept = Counter(self.counts)
        for problem in later.examples:
            kept[problem.kind] += 1
            if kept[problem.kind] <= self.keep:
                self.examples.append(problem)
        self.counts.update(later.counts)
        self.by_type.update(later.by_type)

    def note(self, problem: Problem) -> None:
        """Count what is strange and was read all the same: never an error."""
        self._count(self.notes, problem)

    def _count(self, counts: Counter[str], problem: Problem) -> None:
        counts[problem.kind] += 1
        if counts[problem.kind] <= self.keep:
            self.examples.append(problem)

    def as_dict(self) -> dict[str, Any]:
        """Counts, notes, examples and fixes as JSON-ready data."""
        return {
            "counts": dict(sorted(self.counts.items())),
            "notes": dict(sorted(self.notes.items())),
            "by_type": [{"kind": k, "type": t, "count": n} for (k, t), n in sorted(self.by_type.items())],
            "examples": [p.as_dict() for p in self.examples],
            "fixes": [{"document": f.document, "span": list(f.span), "text": f.text, "why": f.why} for f in self.fixes],
        }


def _clip(text: str, limit: int = 80) -> str:
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")
