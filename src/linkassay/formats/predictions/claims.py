"""What a file of predictions says, one answer at a time, before it is held to a corpus.

Readers of predictions yield `Claim`s; joining them with a corpus, and refusing what does not fit, is the
importer's work and not theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from linkassay.errors import DataError
from linkassay.model import Mention, Prediction, Span, join_text
from linkassay.problems import Problem, Problems

#: What to say of offsets that do not fit.
OFFSETS_RULE = (
    "offsets must count the code points of the corpus's whole text, passages joined as `linkassay get` stored them; "
    "a source that joins title, abstract and paragraphs otherwise has other offsets"
)


class Claim(NamedTuple):
    """A prediction as its source has it, and where.

    `prediction.mention` is the name of the mention in the source, empty if it names none. `text` is the
    surface form that the source says lies at the spans, empty if it says nothing. An answer with further
    candidates has the answer alone in its first group.
    """

    file: str
    line: int
    prediction: Prediction
    text: str = ""


@contextmanager
def counted(problems: Problems) -> Iterator[None]:
    """What is wrong with the row read inside the block is a problem of that row, not of the whole file."""
    try:
        yield
    except DataError as error:
        problems.add(Problem("row", error.message, error.file, error.line))


def misfit(claim: Claim, text: str) -> Problem | None:
    """What is wrong with the spans of a claim in its document's text (unknown: ""); None if nothing is."""
    prediction = claim.prediction

    def problem(kind: str, message: str, found: str = "", expected: str = "") -> Problem:
        return Problem(
            kind,
            f"{message}; {OFFSETS_RULE}",
            claim.file,
            claim.line,
            prediction.document,
            prediction.spans,
            found,
            expected,
            prediction.type,
        )

    last = 0
    for start, end in prediction.spans:
        if not last <= start < end or (text and end > len(text)):
            return problem("span", f"outside the text of {len(text)} characters")
        last = end
    if text and prediction.spans and claim.text:
        found = join_text(text, prediction.spans)
        # Line breaks and double spaces say nothing of the place.
        if found != claim.text and found.split() != claim.text.split():
            return problem("text", "the corpus has another text at the span", found, claim.text)
    return None


def mentions_at(mentions: Iterable[Mention]) -> Callable[[tuple[Span, ...], str], list[Mention]]:
    """What finds the mentions of one document at some spans: of several there, those of the type if there are any."""
    at: dict[tuple[Span, ...], list[Mention]] = {}
    for mention in mentions:
        if not mention.parent and mention.spans:
            at.setdefault(mention.spans, []).append(mention)

    def find(spans: tuple[Span, ...], type_: str) -> list[Mention]:
        found = at.get(spans, [])
        return (len(found) > 1 and [m for m in found if m.type == type_]) or found

    return find
