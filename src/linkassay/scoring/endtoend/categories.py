"""Fine-grained categories of errors, each with its total (CAT-1 to CAT-15, ELEVANT-8); those in words: `word_count`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from linkassay.scoring.endtoend.cases import Cases
from linkassay.scoring.endtoend.columns import KINDS, NO_ANSWER, DocumentBatch, alike
from linkassay.scoring.endtoend.decision_matrix import FN, FP, IGNORED, LINKING, NER, TP
from linkassay.scoring.endtoend.kb_facts import ETHNICITY, FICTIONAL, LANGUOID, LOCATION, PERSON, KbFacts
from linkassay.scoring.endtoend.text_ruler import Covers, overlapping

#: Kinds of disambiguation, the first that applies (CAT-8 to CAT-11).
DISAMBIGUATION = ("demonym", "metonymy", "partial_name", "rare", "other")

#: Counts of candidates: nothing is said of a system that gave no lists of them (CAT-15).
CANDIDATES = tuple(
    f"disamb_{which}_candidates_{what}" for which in ("wrong", "multiple") for what in ("errors", "total")
)
#: Ends the names of counts that hold for benchmarks without NIL labels.
NO_NIL = "?"
_NOT_ASKED = NO_ANSWER - 1
_FIRST_KIND = NO_ANSWER  # kinds of value as classes are below it
_UNMAPPED = NO_ANSWER  # a NIL of its own, in a place that is free where only answers are compared
#: A name of a count and which cases it counts, each as often as it weighs.
Counted = tuple[str, np.ndarray]


def ner_false_negatives(cases: Cases, labelled: np.ndarray, mode: int) -> Iterator[Counted]:
    """Undetected mentions by what may have kept them from being detected (CAT-1 to CAT-3)."""
    ner = cases.outcomes[mode, NER]
    counted = labelled & ~cases.coreference
    right, missed = counted & (ner & TP > 0), counted & (ner & FN > 0)
    spurious = np.flatnonzero(labelled & (ner & FP > 0))
    start, end = cases.start[spurious], cases.end[spurious]
    lower = missed & cases.lower_cased
    rest = missed & ~cases.lower_cased
    included = np.zeros_like(rest)
    rows = np.flatnonzero(rest)
    touched = rows[overlapping(cases.start[rows], cases.end[rows], (start, end)) > 0]
    covers = Covers(start, end)
    included[touched] = [
        covers.inside(s, e) for s, e in zip(cases.start[touched].tolist(), cases.end[touched].tolist())
    ]
    overlap = np.zeros_like(rest)
    overlap[touched] = True
    overlap &= ~included
    named = counted & ~cases.lower_cased & (ner & (TP | FN) > 0)
    yield "ner_fn_all_errors", missed
    yield "ner_fn_all_total", missed | right
    yield "ner_fn_lowercased_errors", lower
    yield "ner_fn_lowercased_total", lower | (right & cases.lower_cased)
    yield "ner_fn_partially_included_errors", included  # CAT-2
    yield "ner_fn_partially_included_total", included | (named & cases.spaced)
    yield "ner_fn_partial_overlap_errors", overlap
    yield "ner_fn_partial_overlap_total", named
    yield "ner_fn_other_errors", rest & ~included & ~overlap
    yield "ner_fn_other_total", named


def ner_false_positives(
    part: DocumentBatch, cases: Cases, labelled: np.ndarray, mode: int, kinds: np.ndarray
) -> Iterator[Counted]:
    """Spurious mentions by what may have led to them (CAT-4 to CAT-7). `kinds`: of value, of each code.

    What depends on whether the benchmark has NIL labels at all, which one part cannot know, is counted for both; the
    names for benchmarks without any end in `NO_NIL`.
    """
    ner = cases.outcomes[mode, NER]
    relevant = cases.root & ((cases.known & ~cases.optional) if mode == IGNORED else cases.root)
    spurious = labelled & (ner & FP > 0)
    counted = spurious & ~cases.coreference
    overlaps = overlapping(cases.start, cases.end, (cases.start[relevant], cases.end[relevant])) > 0
    lower = counted & cases.lower_cased & ~overlaps
    named = counted & ~cases.lower_cased
    avoided = labelled & ~cases.coreference & ~cases.lower_cased & cases.unknown & (ner & FP == 0)
    for ending, unknown in (("", named & cases.unknown), (NO_NIL, named & (cases.unknown | ~overlaps))):
        yield f"ner_fp_groundtruth_unknown_errors{ending}", unknown  # CAT-5
        yield f"ner_fp_groundtruth_unknown_total{ending}", unknown | avoided
        yield f"ner_fp_other_errors{ending}", counted & ~lower & ~unknown  # CAT-6
    wrong = _wrong_span(part, cases, np.flatnonzero(spurious & overlaps), np.flatnonzero(relevant), kinds)
    yield "ner_fp_all_errors", counted
    yield "ner_fp_lowercased_errors", lower
    yield "ner_fp_wrong_span_errors", wrong
    yield "ner_fp_wrong_span_total", wrong | (labelled & ~cases.coreference & (ner & (TP | FP) > 0))


def _wrong_span(
    part: DocumentBatch, cases: Cases, spurious: np.ndarray, relevant: np.ndarray, kinds: np.ndarray
) -> np.ndarray:
    """Spurious mentions that overlap a gold span, not their own, of the entity (or kind of value) that they predict."""
    labels, answers = part.labels, part.answers
    found = np.zeros(len(cases.root), dtype=bool)
    said = cases.answer[spurious]
    predicted = np.where(answers.unmapped[said], _UNMAPPED, answers.entity[said])  # ELEVANT-9
    gold_entity = np.where(labels.unmapped, _UNMAPPED, labels.entity)
    keys = ((cases.start[relevant] << np.int64(32)) | cases.end[relevant])[::-1]
    relevant = relevant[::-1][np.unique(keys, return_index=True)[1]]  # the last label on a span
    values = np.setdiff1d(kinds[predicted], 0)
    asked = np.isin(gold_entity[relevant], predicted) | np.isin(labels.kind[relevant], values)
    relevant = relevant if part.codes.several else relevant[asked]
    gold, gold_class = _classes(part, relevant, gold_entity[relevant], labels.kind[relevant])
    row, row_class = _classes(part, spurious, predicted, kinds[predicted])
    # A ruler for each class, all of them end to end: what is counted of other classes cancels out.
    length = part.ruler.ends.max(initial=0) + 1
    starts, ends = gold_class * length + cases.start[gold], gold_class * length + cases.end[gold]
    start, end = row_class * length + cases.start[row], row_class * length + cases.end[row]
    touched = overlapping(start, end, (starts, ends))
    own = set(zip(starts.tolist(), ends.tolist()))
    for at in np.flatnonzero(touched > 0).tolist():
        if touched[at] > ((int(start[at]), int(end[at])) in own):
            found[row[at]] = True
    return found


def _classes(
    part: DocumentBatch, rows: np.ndarray, entity: np.ndarray, kind: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Rows with what each may be equal by: a single id of its set, or its kind of value; NIL is one as well."""
    several = np.isin(entity, list(part.codes.several)) if part.codes.several else np.zeros(len(entity), dtype=bool)
    further = [
        (row, part.codes[identifier])
        for row, code in zip(rows[several].tolist(), entity[several].tolist())
        for identifier in part.codes.sets[code]
    ]
    values = kind > 0
    more = np.array(further, dtype=np.int64).reshape(-1, 2)
    found = np.concatenate([rows[~several], more[:, 0], rows[values]])
    classes = np.concatenate([entity[~several], more[:, 1], _FIRST_KIND - kind[values]])
    return found, classes - _FIRST_KIND + max(KINDS.values())


def disambiguation(
    part: DocumentBatch, cases: Cases, labelled: np.ndarray, mode: int, sorts: DisambiguationCategories
) -> Iterator[Counted]:
    """Right and wrong entities on right spans, by what makes them hard (CAT-8 to CAT-13, CAT-15)."""
    linking, ner = cases.outcomes[mode, LINKING], cases.outcomes[mode, NER]
    counted = labelled & ~cases.coreference & cases.root
    right = counted & (linking & TP > 0)
    wrong = counted & (linking & FN > 0) & (ner & TP > 0)
    yield "disamb_errors", wrong
    yield "disamb_total", wrong | right
    sort = np.full(len(wrong), -1)
    for of_kind, is_wrong in ((wrong, True), (right, False)):
        rows = np.flatnonzero(of_kind & (cases.factor > 0))
        sort[rows] = sorts.of(rows, is_wrong)
    for number, name in enumerate(DISAMBIGUATION):
        yield f"disamb_{name}_errors", wrong & (sort == number)
        yield f"disamb_{name}_total", sort == number
    listed, several = sorts.candidates
    missing = wrong & ~listed
    yield "disamb_wrong_candidates_errors", missing
    yield "disamb_wrong_candidates_total", missing | (counted & (ner & TP > 0) & (right | listed))
    yield "disamb_multiple_candidates_errors", wrong & several & listed
    yield "disamb_multiple_candidates_total", (wrong | right) & several & listed
    has_species, other_species = sorts.species
    yield "disamb_wrong_species_errors", wrong & other_species  # CAT-12
    yield "disamb_wrong_species_total", (wrong | right) & has_species
    yield "disamb_abbreviation_errors", wrong & sorts.abbreviated
    yield "disamb_abbreviation_total", (wrong | right) & sorts.abbreviated


def has_candidates(part: DocumentBatch, cases: Cases) -> bool:
    """Whether a case has more than one candidate."""
    answers = part.answers
    rows = cases.answer[cases.answer >= 0]
    return bool((_candidate_count(part)[rows] > 1).any()) if len(answers.entity) else False


def _candidate_count(part: DocumentBatch) -> np.ndarray:
    """How many candidates each prediction has, its answer being one."""
    answers = part.answers
    single = (answers.entity >= 0) & ~np.isin(answers.entity, list(part.codes.several))
    found: np.ndarray = answers.last - answers.first + single
    return found


class DisambiguationCategories:
    """What makes the gold of a case hard to tell, and what its prediction's candidates say."""

    def __init__(self, part: DocumentBatch, cases: Cases, facts: KbFacts) -> None:
        self._part, self._cases, self._facts = part, cases, facts
        self._sorts = np.full((2, len(cases.root)), -1)
        self._answers = np.append(part.answers.entity, NO_ANSWER)

    def of(self, rows: np.ndarray, is_wrong: bool) -> np.ndarray:
        """Numbers in `DISAMBIGUATION`; each is found once, whichever way of handling NIL asks for it."""
        found = self._sorts[int(is_wrong)]
        new = rows[found[rows] < 0]
        gold, answer = self._part.labels.entity[new], self._cases.answer[new]
        predicted = self._answers[answer] if is_wrong else np.full(len(new), _NOT_ASKED)
        predicted[answer < 0] = _NOT_ASKED
        first, which = alike(self._cases.text[new], gold, predicted, self._cases.known[new])
        sorts = [self._of(int(new[at]), int(gold[at]), int(predicted[at])) for at in first.tolist()]
        found[new] = np.array(sorts, dtype=np.int64)[which]
        asked: np.ndarray = found[rows]
        return asked

    def _of(self, row: int, gold: int, predicted: int) -> int:
        sets = self._part.codes.sets
        ids = sets[gold] if gold >= 0 else frozenset()
        answers = None if predicted == _NOT_ASKED else sets[predicted] if predicted >= 0 else frozenset()
        return DISAMBIGUATION.index(
            disambiguation_category(
                self._facts, self._cases.texts[row], ids, answers, known=bool(self._cases.known[row])
            )
        )

    @cached_property
    def species(self) -> tuple[np.ndarray, np.ndarray]:
        """Where gold has a foreign id (the species of a gene), and where the prediction has another one."""
        has = np.zeros(len(self._cases.root), dtype=bool)
        other = np.zeros_like(has)
        foreign, sets = self._facts.foreign, self._part.codes.sets
        if not foreign:
            return has, other
        for row in np.flatnonzero(self._cases.root & self._cases.known).tolist():
            gold = {foreign[i] for i in sets[self._part.labels.entity[row]] if i in foreign}
            has[row] = bool(gold)
            answer = self._cases.answer[row]
            code = int(self._part.answers.entity[answer]) if answer >= 0 else NO_ANSWER
            if gold and code >= 0:
                predicted = {foreign[i] for i in sets[code] if i in foreign}
                other[row] = bool(predicted) and predicted.isdisjoint(gold)
        return has, other

    @cached_property
    def abbreviated(self) -> np.ndarray:
        """Where the text is a short form that its document defines."""
        found = np.zeros(len(self._cases.root), dtype=bool)
        short = [self._facts.abbreviations.get(document.id) for document in self._part.documents]
        if any(short):
            for row in np.flatnonzero(self._cases.root).tolist():
                found[row] = self._cases.texts[row] in (short[self._cases.document[row]] or ())
        return found

    @cached_property
    def candidates(self) -> tuple[np.ndarray, np.ndarray]:
        """Where gold is among the candidates, and where there are more than one."""
        listed = np.zeros(len(self._cases.root), dtype=bool)
        several = np.zeros_like(listed)
        answers, codes = self._part.answers, self._part.codes
        rows = np.flatnonzero((self._cases.answer >= 0) & self._cases.root)
        first, last = answers.first[self._cases.answer[rows]], answers.last[self._cases.answer[rows]]
        said = answers.entity[self._cases.answer[rows]]
        several[rows] = _candidate_count(self._part)[self._cases.answer[rows]] > 1
        # All candidates of these rows side by side, each with the row that it belongs to.
        owner = np.repeat(np.arange(len(rows)), last - first)
        place = np.arange(len(owner)) - np.repeat(np.cumsum(last - first) - (last - first), last - first)
        found = answers.candidates[np.repeat(first, last - first) + place]
        gold = self._part.labels.entity[rows]
        hit = codes.same(gold[owner], found)
        listed[rows] = (np.bincount(owner, weights=hit, minlength=len(rows)) > 0) | codes.same(gold, said)
        return listed, several


def disambiguation_category(
    facts: KbFacts, text: str, gold: frozenset[str], predicted: frozenset[str] | None = None, *, known: bool
) -> str:
    """The first of `DISAMBIGUATION` that applies; `predicted` is a wrong answer, None: the right one or none asked."""
    if text in facts.demonyms and any(facts.of_type(i, LOCATION, ETHNICITY, LANGUOID) for i in gold):
        return "demonym"  # CAT-8
    popular = facts.popular.get(text, frozenset())
    if (
        known
        and not any(facts.of_type(i, LOCATION, PERSON, ETHNICITY, FICTIONAL) for i in gold)
        and any(facts.of_type(i, LOCATION) for i in popular)
        and (predicted is None or any(facts.of_type(i, LOCATION) for i in predicted))
    ):
        return "metonymy"  # CAT-9
    if known and any(_is_part(text, facts.names.get(i, "")) for i in gold):
        return "partial_name"  # CAT-10
    if popular and popular.isdisjoint(gold) and (predicted is None or not popular.isdisjoint(predicted)):
        return "rare"  # CAT-11
    return "other"


def _is_part(text: str, name: str) -> bool:
    return " " in name and len(text) < len(name) and text in name
