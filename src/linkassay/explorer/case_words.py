"""What end-to-end cases count for: names of the counts, filters by them, and a sentence on each case."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from linkassay.scoring.endtoend import CATEGORIES, FN, FP, MODES, TP

_TASKS = tuple(f"{task}_{x}" for task in ("all", "ner") for x in ("tp", "fp", "fn"))
_NER, _DISAMBIGUATION = (
    [category.name for category in CATEGORIES if category.name.startswith(task)] for task in ("ner_", "disamb_")
)
#: What a case may count for; the place of a name is its bit. `_total`: it is among those that a rate is of.
COUNTS = (
    *_TASKS, *(f"{name}_{end}" for name in (*_NER, "disamb", *_DISAMBIGUATION) for end in ("errors", "total")),
)  # fmt: skip
#: Categories of errors: the bit, and words.
ERRORS = [(COUNTS.index(f"{c.name}_errors"), f"{c.kind}: {c.words}") for c in CATEGORIES]
_WORDS = {TP: "a true positive", FP: "a false positive", FN: "a false negative",
          FN | FP: "a false negative and a false positive", TP | FP: "a true and a false positive",
          0: "nothing"}  # fmt: skip
#: The counts (bits) that belong to the types of the answer; all others belong to those of gold.
OF_ANSWER = [bit for bit, name in enumerate(COUNTS) if name.endswith("_fp") or name.startswith("ner_fp_")]
#: What gold or the answer of a case is.
NOTHING, NIL, ENTITY = range(3)


class CaseFilter(NamedTuple):
    """What can be asked for: its name in the address, in words, and the counts (bits) of which one must hold."""

    key: str
    words: str
    bits: list[int]


def case_filters(held: int) -> list[CaseFilter]:
    """The filters that pass a case, of the counts (bits) that some case has."""
    found = [CaseFilter(key, said, [COUNTS.index(n) for n in names]) for key, said, names in _filters()]
    return [each for each in found if any(held >> bit & 1 for bit in each.bits)]


def _filters() -> Iterator[tuple[str, str, list[str]]]:
    for task, said in (("all", "linking"), ("ner", "recognition")):
        yield f"{task}_f1", f"{said}: all that counts", [f"{task}_{x}" for x in ("tp", "fp", "fn")]
        yield f"{task}_p", f"{said}: predicted", [f"{task}_tp", f"{task}_fp"]
        yield f"{task}_r", f"{said}: gold", [f"{task}_tp", f"{task}_fn"]
        for x, name in (("tp", "true positives"), ("fp", "false positives"), ("fn", "false negatives")):
            yield f"{task}_{x}", f"{said}: {name}", [f"{task}_{x}"]
    yield "disamb_accuracy", "right spans", ["disamb_total"]
    yield "disamb_errors", "wrong entities on right spans", ["disamb_errors"]
    for category in CATEGORIES:
        said, name = f"{category.kind}: {category.words}", category.name
        yield f"{name}_errors", said, [f"{name}_errors"]
        if category.of != "words":
            yield f"{name}_total", f"{said}, what it is of", [f"{name}_total"]


class CaseFacts(NamedTuple):
    """All that the sentence on a case goes by."""

    gold: int
    said: int
    same: bool  # they share an id
    root: bool  # gold is a mention of its own
    optional: bool
    linking: int  # outcomes, as bits of TP, FP, FN
    ner: int
    mode: int


def why_case(facts: CaseFacts) -> str:
    """What was met, then what that counts.

    >>> why_case(CaseFacts(ENTITY, ENTITY, True, True, False, TP, TP, 0))
    'Span and entity are right. Counts as a true positive.'
    >>> why_case(CaseFacts(NOTHING, NIL, False, False, False, 0, 0, 0))
    'No gold mention has this span. NIL is ignored. Counts nothing.'
    """
    return " ".join(_sentences(facts))


def _sentences(case: CaseFacts) -> Iterator[str]:
    if case.gold == NOTHING:
        yield "No gold mention has this span."
    elif case.said == NOTHING:
        yield "Nothing was predicted on this span."
    elif NIL in (case.gold, case.said):
        gold, said = ("an entity" if each == ENTITY else "NIL" for each in (case.gold, case.said))
        yield f"Gold is {gold}, the answer is {said}."
    else:
        yield "Span and entity are right." if case.same else "The span is right, the entity is not."
    if case.gold != NOTHING and not case.root:
        yield "It is part of an alternative to a longer mention."
    elif case.gold != NOTHING and not case.same and (case.linking | case.ner) & TP and (
        case.linking & TP or case.said == NOTHING
    ):  # fmt: skip
        yield f"All parts of an alternative to it {'are right' if case.linking & TP else 'were found'}."
    if NIL in (case.gold, case.said):
        yield f"NIL is {MODES[case.mode]}."
    if case.optional:
        yield "The mention need not be found."
    if case.linking == case.ner:
        yield f"Counts {_said(case.linking)}."
    else:
        yield f"Counts {_said(case.linking)} in linking, {_said(case.ner)} in recognition."


def _said(bits: int) -> str:
    return _WORDS[bits] if bits == 0 else f"as {_WORDS[bits]}"
