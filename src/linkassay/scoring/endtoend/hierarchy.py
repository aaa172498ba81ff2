"""How wrong wrong entities are where spans are predicted too: match types in a hierarchy, and F1 that accepts some.

A gold mention with an entity that must be found counts once, by the closest of its gold ids and of the ids answered:
*exact* is what is a true positive, *no answer* a span that was not found or was answered NIL. Predictions on no gold
mention are *spurious*: they have no gold to be related to. The characteristics (HIER-10) are over gold mentions.
Precision, recall and F1 with accepted types take mentions of these types as right: one that was wrong is then neither
missed nor is its answer a false positive; they are of all mentions, whatever branch or denominator is asked for.
These are HIER-21 and HIER-22.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from linkassay.errors import UsageError
from linkassay.kbs import Hierarchy, Kb
from linkassay.scoring.disambiguation.document_sums import as_count
from linkassay.scoring.endtoend.case_ledger import Ledger
from linkassay.scoring.endtoend.decision_matrix import MODES
from linkassay.scoring.endtoend.figures import about
from linkassay.scoring.endtoend.run_score import EndToEndScore
from linkassay.scoring.endtoend.slices_and_sets import CountedSlice
from linkassay.scoring.figure import Figure, Keep, same_figures
from linkassay.scoring.hierarchy.choices import HierarchyChoices
from linkassay.scoring.hierarchy.measures import CHARACTERISTICS, Parts, measure_kind
from linkassay.scoring.hierarchy.profile import Profile
from linkassay.scoring.hierarchy.relations import EXACT, TYPES, Relations
from linkassay.scoring.statistics import intervals

SPURIOUS = "spurious"
#: Types that may be accepted as right beside exact ones.
ACCEPTED = (("exact", "underspecific"), ("exact", "overspecific"), ("exact", "overspecific", "underspecific"))
_ENDS = ("precision", "recall", "f1")


@dataclass(frozen=True)
class Matches:
    """Gold mentions that must be found, as cases of the ledger, each with its match type."""

    case: np.ndarray
    type: np.ndarray  # number in `TYPES`
    counted: np.ndarray  # what the choices let count in the characteristics


def relations_of(scored: Sequence[EndToEndScore], choices: HierarchyChoices) -> Relations:
    """The hierarchy of the named KB, else that of the KB which all runs have used."""
    if choices.items != "all" or choices.location != "branch":
        raise UsageError(f"--hierarchy {choices}: items and location are of scoring with given mentions")
    names = {choices.kb or each.run.kb for each in scored}
    if len(names) > 1 or min(names).endswith("@"):
        raise UsageError(f"the runs are of the knowledge bases {', '.join(sorted(names))}; name one with --hierarchy")
    return Relations(Hierarchy.of(Kb.open(names.pop()), choices.relations))


def match(ledger: Ledger, relations: Relations, choices: HierarchyChoices, nil: str) -> Matches:
    """Relate what was answered to gold."""
    right = ledger.counts_for("all_tp", nil)
    case = np.flatnonzero(ledger.root & (ledger.gold >= 0) & (right | ledger.counts_for("all_fn", nil)))
    pairs = [
        (n, gold, said)
        for n, at in enumerate(case.tolist())
        for gold in ledger.ids(int(ledger.gold[at]))
        for said in ledger.ids(int(ledger.said[at])) or (None,)
    ]
    row = np.array([n for n, _, _ in pairs], dtype=np.int64)
    related = relations.of([gold for _, gold, _ in pairs], [said for *_, said in pairs])
    far = np.where(related.distance < 0, np.iinfo(np.int64).max, related.distance)
    order = np.lexsort((related.type, far, row))
    closest = order[np.flatnonzero(np.diff(row[order], prepend=-1))]
    is_right = right[case]  # also by the parts of an alternative, whatever was answered for the whole
    counted = np.ones(len(case), dtype=bool)
    if choices.denominator == "placed":
        counted &= related.placed[closest] | (is_right & (related.gold[closest] >= 0))
    if choices.branch:
        node = related.gold[closest]
        counted &= (node >= 0) & relations.hierarchy.branch(choices.branch)[np.maximum(node, 0)]
    return Matches(case, np.where(is_right, EXACT, related.type[closest]), counted)


def accepted(types: Sequence[str], end: str = "f1") -> str:
    """The measure that takes answers of these types as right.

    >>> accepted(("exact", "underspecific"))
    'f1(accepted=exact+underspecific)'
    """
    return f"{end}(accepted={'+'.join(types)})"


def hierarchy_figures(
    scored: Sequence[EndToEndScore], relations: Relations, choices: HierarchyChoices, nil: Sequence[str] = MODES, *,
    keep: Keep = same_figures,
) -> list[Figure]:  # fmt: skip
    """Match types, characteristics, and precision, recall and F1 with accepted types, of each set and slice."""
    found = []
    for each in scored:
        assert each.ledger is not None, "scored without cases"
        for mode in nil:
            matches = match(each.ledger, relations, choices, mode)
            for cut in each.cuts:
                found += [keep(figure) for figure in _of_cut(each, cut, matches, choices, mode)]
    return found


def _of_cut(
    scored: EndToEndScore, cut: CountedSlice, matches: Matches, choices: HierarchyChoices, nil: str
) -> Iterator[Figure]:
    ledger = cast(Ledger, scored.ledger)
    measures, counts = hierarchy_sums(ledger, cut, matches, nil)
    head = {"hierarchy": str(choices) or scored.run.kb}

    def of(measure: str) -> dict[str, Any]:
        return about(scored, cut, measure, nil) | head

    for name, number in counts.items():
        yield Figure(of(f"matches({name})"), as_count(number))
    table = np.column_stack([column for columns in measures.values() for column in columns])
    places = [(2 * n, 2 * n + 1) for n in range(len(measures))]
    for (name, (_, below)), estimate in zip(measures.items(), intervals.ratios([table], places), strict=True):
        note = cut.note if name.startswith(("precision", "f1")) else ""
        yield Figure.of(of(name), estimate, as_count(float(below.sum())), note=note)


def hierarchy_sums(
    ledger: Ledger, cut: CountedSlice, matches: Matches, nil: str
) -> tuple[dict[str, tuple[np.ndarray, np.ndarray]], dict[str, float]]:
    """Numerator and denominator per document of each measure, and how many mentions are of each type."""
    size = len(ledger.documents)
    gold, predicted = (np.ones(len(ledger)) if w is None else w for w in (cut.gold, cut.predicted))
    wrong = ledger.counts_for("all_fp", nil)

    def sums(cases: np.ndarray, weight: np.ndarray) -> np.ndarray:
        return np.bincount(ledger.document[cases], weight[cases], minlength=size)

    def typed(keep: np.ndarray) -> np.ndarray:
        return np.stack([sums(matches.case[keep & (matches.type == n)], gold) for n in range(len(TYPES))])

    counted = typed(matches.counted)
    # Each match type as one row: what a measure takes of it above and below.
    parts = Parts(cast(Profile, SimpleNamespace(related=SimpleNamespace(type=np.arange(len(TYPES))))))
    found = {name: tuple(each @ counted for each in measure_kind(name).parts(parts)) for name in CHARACTERISTICS}
    tp, fp, fn = (cut.counts.values[f"all_{x}"][MODES.index(nil)].astype(float) for x in ("tp", "fp", "fn"))
    for types in ACCEPTED:
        also = matches.case[np.isin(matches.type, [list(TYPES).index(t) for t in types if t != "exact"])]
        # The answer is booked as a false positive once, perhaps at another label on its span.
        booked = np.flatnonzero(wrong & np.isin(ledger.answer, ledger.answer[also]) & (ledger.answer >= 0))
        more, fewer = sums(also, gold), sums(booked, predicted)
        right = tp + more
        belows = (right + fp - fewer, tp + fn, right + tp + fn + fp - fewer)
        found |= {accepted(types, end): (right * (2 if end == "f1" else 1), below)
                  for end, below in zip(_ENDS, belows, strict=True)}  # fmt: skip
    names = {name: float(counted[n].sum()) for n, name in enumerate(TYPES)}
    return found, names | {SPURIOUS: float(predicted[wrong & ledger.alone].sum())}
