"""Every core type, on one page: documents, mentions, gold, predictions.

Plain frozen data without behaviour beyond small derived properties. Reading, storing and scoring
live in their own rooms; nothing here touches files. Offsets are half-open and count code points
of the document's text (DATA-1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

__all__ = [
    "EMPTY_ID",
    "NO_MAPPING",
    "STRAY",
    "Document",
    "Gold",
    "Hyperlink",
    "Mention",
    "Passage",
    "Prediction",
    "Span",
    "join_text",
    "types_of",
]

#: Half-open character range `[start, end)` in code points of the document text.
Span: TypeAlias = tuple[int, int]

#: Alternatives, each a non-empty set of ids; a set of several is a composite mention, where all
#: ids are meant together. The empty tuple is NIL: no entity of the knowledge base (DATA-5).
Gold: TypeAlias = tuple[frozenset[str], ...]

#: How sources write that a mention has no entity, where they have several ways: it is not in their mapping, or its id
#: is empty. All of them are NIL; only ELEVANT tells them apart (ELEVANT-5, ELEVANT-9).
NO_MAPPING, EMPTY_ID = "<NO_MAPPING>", '""'
#: Role of an annotation that has a parent and that no root leads to: it counts for nothing (DATA-12).
STRAY = "stray"


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a document (title, abstract, paragraph, caption …) at its place in the full text."""

    kind: str
    offset: int
    text: str


@dataclass(frozen=True, slots=True)
class Hyperlink:
    """A link that the source text carries, e.g. of a Wikipedia article."""

    span: Span
    target: str


@dataclass(frozen=True, slots=True)
class Mention:
    """One annotated mention (DATA-3). `text` is the document's text at `spans`, pieces joined by a space.

    `parent` and `role` make trees (DATA-7): an *alternative* is another way to annotate what its parent
    covers (ELEVANT), a *part* is one member of a composite mention (BioC). Flags are DATA-8; `kind` is `quantity`
    or `datetime` where the gold is of that kind and has no id. `further_parents` are others of the same
    tree that list it among their children although it belongs to `parent` (some files of ELEVANT).
    """

    id: str
    document: str
    spans: tuple[Span, ...]
    text: str
    type: str
    gold: Gold = ()
    raw: str = ""  # the ids as the source writes them
    source_type: str = ""  # the type as the source writes it
    optional: bool = False
    parent: str = ""
    role: str = ""  # "" (a mention of its own), "alternative", "part", `STRAY`
    coreference: bool | None = None  # None: the source does not say
    kind: str = ""  # "", "quantity", "datetime"
    further_parents: tuple[str, ...] = ()

    @property
    def start(self) -> int:
        """Where the mention begins."""
        return self.spans[0][0]

    @property
    def end(self) -> int:
        """Where the mention ends."""
        return self.spans[-1][1]

    @property
    def ids(self) -> frozenset[str]:
        """All gold ids, over alternatives and composites."""
        return frozenset().union(*self.gold)


@dataclass(frozen=True, slots=True)
class Document:
    """A text with its annotations (DATA-2). `annotations` holds everything, `mentions` what is scored."""

    id: str
    text: str
    passages: tuple[Passage, ...] = ()
    annotations: tuple[Mention, ...] = ()
    title: str = ""
    evaluation_spans: tuple[Span, ...] | None = None  # None: the whole text
    hyperlinks: tuple[Hyperlink, ...] = ()

    @property
    def mentions(self) -> tuple[Mention, ...]:
        """Annotations that stand for themselves: neither alternatives nor parts of another."""
        return tuple(m for m in self.annotations if not m.parent)


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a linker says of one mention: ranked groups of ids, the ids of a group being tied (DATA-9).

    No groups and `nil` false is "no answer"; `nil` true is the explicit answer "not in the KB", `nil_as` how its
    source writes that, where it has several ways (ELEVANT). `scores` is empty or has one number for each group.
    `candidates`: what it was chosen from, where that is known.
    """

    document: str
    spans: tuple[Span, ...]
    groups: tuple[tuple[str, ...], ...] = ()
    scores: tuple[float, ...] = ()
    mention: str = ""  # id of the gold mention, where the mentions were given
    type: str = ""
    nil: bool = False
    nil_as: str = ""
    candidates: tuple[tuple[str, ...], ...] | None = None


def types_of(type_: str) -> tuple[str, ...]:
    """The types that a mention is of, where its source gives several (DATA-13).

    >>> types_of("Q17537576|Q215627"), types_of("disease"), types_of("")
    (('Q17537576', 'Q215627'), ('disease',), ('',))
    """
    return tuple(dict.fromkeys(type_.split("|")))


def join_text(text: str, spans: tuple[Span, ...]) -> str:
    """The text that `spans` cover, pieces joined by a space.

    >>> join_text("ocular and auditory toxicity", ((0, 6), (20, 28)))
    'ocular toxicity'
    """
    if len(spans) == 1:
        [(start, end)] = spans
        return text[start:end]
    return " ".join([text[start:end] for start, end in spans])
