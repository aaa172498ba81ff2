"""The marks in the text of a document: its annotations, and predictions that stand on none.

Marks are ordered by their first start, then longer ones first, then annotations before predictions on none, then as
they come: annotations in corpus order, predictions by system and then by place. A prediction on none has the id of
its case; those of several systems with the same id are one mark. What a system says of a mark:

- A system that found mentions says what its case on that mark is in the NIL mode, null if there is none. The verdict
  goes by the bits for linking (`CASE_VERDICTS`); where they are none, it is `optional` or `nil` by the flags of the
  annotation, `nil` for a predicted NIL on none, else `unscored`. `categories` are the words of `cohort.errors` whose
  bits are set. It leads to `{part: "cases", system: "=LABEL", nil, at: ID}`.
- Any other says null of predictions on none and of annotations that have a parent. The verdict goes by the letter of
  its code (`LETTER_VERDICTS`); of one that is not scored it is `nil` by the flag, else `unscored`. `said` is the first
  group shown, null without one; `why` is "" where it is not scored. It leads to `{part: "mentions", system: "=LABEL",
  outcome: "any", at: ID}`; where it is not scored to `{part: "mentions", outcome: "left", at: ID}` if no system scores
  it, else to `{part: "mentions", outcome: "any", at: ID}`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from linkassay.explorer.mention_context import SHORT, clip
from linkassay.model import Span

#: Bits of linking (TP 1, FP 2, FN 4) of a case on an annotation → verdict; alone, a false positive is `spurious`.
CASE_VERDICTS = {1: "right", 2: "wrong", 3: "partly", 4: "missed", 6: "wrong"}
LETTER_VERDICTS = {"r": "right", "p": "partly", "w": "wrong", "n": "missed"}
_LINKING = 7


class Marks:
    """The marks of a document, and what so many systems say of them."""

    def __init__(self, systems: int) -> None:
        self._systems = systems
        self._marks: dict[str, dict[str, Any]] = {}

    def add_annotation(
        self, id: str, spans: Sequence[Span], text: str, type: str, gold: Sequence[Sequence[str]],
        flags: Sequence[str], parent: str | None,
    ) -> None:  # fmt: skip
        """An annotation of the corpus."""
        self._marks[id] = self._mark(id, spans, text, type, [list(ids) for ids in gold], flags, parent)

    def add_prediction(self, id: str, spans: Sequence[Span], text: str) -> None:
        """A prediction on none; what several systems have predicted is one mark."""
        self._marks.setdefault(id, self._mark(id, spans, text, "", None, (), None))

    def _mark(
        self, id: str, spans: Sequence[Span], text: str, type_: str, gold: list[list[str]] | None,
        flags: Sequence[str], parent: str | None,
    ) -> dict[str, Any]:  # fmt: skip
        return {
            "id": id, "spans": [list(span) for span in spans], "text": clip(text, SHORT), "type": type_, "gold": gold,
            "flags": list(flags), "parent": parent, "answers": [None] * self._systems,
        }  # fmt: skip

    def flags(self, id: str) -> list[str]:
        """The flags of a mark."""
        found: list[str] = self._marks[id]["flags"]
        return found

    def answer(self, system: int, id: str, said: Mapping[str, Any]) -> None:
        """What a system says of a mark."""
        self._marks[id]["answers"][system] = said

    def objects(self) -> list[dict[str, Any]]:
        """The marks in their order."""
        return sorted(self._marks.values(), key=_place)


def _place(mark: Mapping[str, Any]) -> tuple[int, int, bool]:
    spans = mark["spans"]
    return (spans[0][0], -max(end for _, end in spans), mark["gold"] is None) if spans else (-1, 0, False)


def case_answer(
    id: str, label: str, nil: str, bits: int, why: str, said: list[str] | None, flags: Collection[str],
    errors: Sequence[Sequence[Any]], *, alone: bool,
) -> dict[str, Any]:  # fmt: skip
    """What a system that found mentions says of a mark."""
    return {
        "verdict": case_verdict(bits, flags, said, alone=alone), "said": said, "why": why,
        "categories": [words for bit, words in errors if bits >> bit & 1],
        "at": {"part": "cases", "system": f"={label}", "nil": nil, "at": id},
    }  # fmt: skip


def given_answer(answer: Mapping[str, Any], id: str, label: str) -> dict[str, Any]:
    """What a system that was given the mention says of a mark."""
    return {
        "verdict": LETTER_VERDICTS[answer["verdict"]],
        "said": answer["groups"][0]["ids"] if answer["groups"] else None, "why": answer["why"], "categories": [],
        "at": {"part": "mentions", "system": f"={label}", "outcome": "any", "at": id},
    }  # fmt: skip


def no_answer(id: str, flags: Collection[str], left: bool) -> dict[str, Any]:
    """What is said of a mention that a system is not scored on; `left`: no system is."""
    return {
        "verdict": "nil" if "nil" in flags else "unscored", "said": None, "why": "", "categories": [],
        "at": {"part": "mentions", "outcome": "left" if left else "any", "at": id},
    }  # fmt: skip


def case_verdict(bits: int, flags: Collection[str], said: list[str] | None, *, alone: bool) -> str:
    """The verdict on a case.

    >>> case_verdict(6, (), ["a:1"], alone=False), case_verdict(2, (), ["a:1"], alone=True)
    ('wrong', 'spurious')
    >>> case_verdict(0, ("optional",), None, alone=False), case_verdict(0, (), [], alone=True)
    ('optional', 'nil')
    """
    if linking := bits & _LINKING:
        return "spurious" if alone else CASE_VERDICTS[linking]
    if alone:
        return "nil" if said == [] else "unscored"
    return "optional" if "optional" in flags else "nil" if "nil" in flags else "unscored"
