"""A caution as a value, and every kind of it by name. Where each is found is in `of_data` and `of_runs`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from linkassay.errors import UsageError

#: Every kind, and what it is about; docs/warnings.md has a section for each, with its cause and cure.
KINDS = {
    "gold-not-in-kb": "gold ids that the knowledge base lacks",
    "predicted-not-in-kb": "predicted ids that the knowledge base lacks",
    "undecoded-ids": "predicted ids of a source's own, which nothing can decode",
    "malformed-ids": "predicted ids without the form of their knowledge base",
    "trained-on-test": "documents that the system was trained on",
    "changed-files": "stored files that are no longer what was written",
    "other-revision": "a run of another revision than the current one",
    "few-documents": "so few documents that intervals are wide",
    "no-answer": "a system that answered nothing",
    "no-answer-for-type": "a type for which a system answered nothing",
    "failed-documents": "documents on which a linker failed",
    "absent-documents": "documents that imported files do not have",
    "shifted-offsets": "offsets of imported files that are all off by one number",
    "found-mentions": "a system that finds mentions itself, scored as if they were given to it",
    "unknown-kb": "a knowledge base that nobody knows",
    "no-gold": "a split without any gold id",
    "unknown-type": "a type of mentions that no entity has",
    "unused-abbreviations": "a file of abbreviations that has none of any document",
    "unexpected-counts": "a corpus without the counts that it is known to have",
    "odd-input": "something strange in files that were read all the same",
}

#: How many ids, types or documents a caution names.
EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Caution:
    """One thing to know before a figure is believed: its kind, what it is of, what is doubtful, and what helps."""

    kind: str
    about: str
    message: str
    cure: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"no kind of caution: {self.kind!r}")

    def __str__(self) -> str:
        return f"{self.about}: {self.message}" + (f"; {self.cure}" if self.cure else "")

    def as_dict(self) -> dict[str, str]:
        """The caution as JSON-ready data."""
        return asdict(self)


def named(examples: Sequence[str], of: int | None = None) -> str:
    """The first few, and a sign that there are more.

    >>> named(["a", "b", "c", "d"])
    'a, b, c …'
    """
    more = (len(examples) if of is None else of) > EXAMPLES
    return ", ".join(examples[:EXAMPLES]) + (" …" if more else "")


def refuse_cautions(cautions: Sequence[Caution]) -> None:
    """With --strict: an error if there is any."""
    if cautions:
        lines = "\n".join(f"  {caution}" for caution in cautions)
        raise UsageError(f"{len(cautions)} warning{'s' if len(cautions) > 1 else ''}, errors with --strict:\n{lines}")
