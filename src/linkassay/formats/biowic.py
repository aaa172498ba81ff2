"""BioWiC files: pairs of terms in sentences, and whether both mean the same entity.

Not a corpus format: it yields pairs for the words-in-context task, not documents.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.formats.jsonvalue import Value, parse
from linkassay.model import Span

__all__ = ["Pair", "read"]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two terms, each at its span of its sentence. `label` is true if they mean the same."""

    term1: str
    term2: str
    sentence1: str
    sentence2: str
    span1: Span
    span2: Span
    category: str
    label: bool


def read(file: RawFile) -> Iterator[Pair]:
    """Yield the pairs of a JSON file; each term is checked against its sentence."""
    for value in parse(file.text(), file.name).items():
        (term1, sentence1, span1), (term2, sentence2, span2) = _side(value, "1"), _side(value, "2")
        label = value["label"].integer()
        if label not in (0, 1):
            raise DataError(f"{value.path}.label: expected 0 or 1, found {label}", file=file.name)
        yield Pair(term1, term2, sentence1, sentence2, span1, span2, value["cat"].string(), label == 1)


def _side(value: Value, side: str) -> tuple[str, str, Span]:
    term, sentence = value["term" + side].string(), value["sentence" + side].string()
    start, end = value["start" + side].integer(), value["end" + side].integer()
    if not 0 <= start < end <= len(sentence):
        raise DataError(f"{value.path}: span {start}-{end} lies outside sentence{side} of {len(sentence)} characters",
                        file=value.file)  # fmt: skip
    if sentence[start:end] != term:
        raise DataError(f"{value.path}: sentence{side} has {sentence[start:end]!r} at {start}-{end}, expected {term!r}",
                        file=value.file)  # fmt: skip
    return term, sentence, (start, end)
