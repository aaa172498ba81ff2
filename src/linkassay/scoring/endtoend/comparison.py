"""Runs that find mentions themselves against each other (E2E-13): paired tests over documents and over gold mentions.

Figures such as F1 are no sums over mentions: they are compared by the sums of documents, drawn or swapped as a whole.
What was fixed and broken, McNemar's test, correlation and the best possible choice are of the gold mentions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from linkassay.defaults import RESAMPLES_COMPARED
from linkassay.errors import UsageError
from linkassay.registry import near_miss
from linkassay.runs import Run
from linkassay.scoring.disambiguation.comparison import Comparison, Paired, refuse_incomparable
from linkassay.scoring.disambiguation.document_sums import ALL
from linkassay.scoring.disambiguation.scored_mentions import ScoringOptions
from linkassay.scoring.disambiguation.slices import asked_group, no_such_group
from linkassay.scoring.endtoend.case_groups import GROUPINGS
from linkassay.scoring.endtoend.case_ledger import Ledger
from linkassay.scoring.endtoend.counts import prf
from linkassay.scoring.endtoend.decision_matrix import MODES
from linkassay.scoring.endtoend.figures import SHARE_OF, about
from linkassay.scoring.endtoend.run_score import EndToEndScore, score_runs_end_to_end
from linkassay.scoring.endtoend.slices_and_sets import CountedSlice
from linkassay.scoring.figure import Keep, same_figures
from linkassay.scoring.statistics import intervals
from linkassay.scoring.statistics.bootstrap import drawn_pairs
from linkassay.scoring.statistics.significance import swapped

#: What can be compared: its measure, and the count that makes a gold mention right.
COMPARED_MEASURES = {
    "f1": ("all_f1", "all_tp"), "precision": ("all_p", "all_tp"), "recall": ("all_r", "all_tp"),
    "ner-f1": ("ner_f1", "ner_tp"), "ner-precision": ("ner_p", "ner_tp"), "ner-recall": ("ner_r", "ner_tp"),
    "disambiguation": ("disamb_accuracy", "all_tp"),
}  # fmt: skip


def compare_runs_end_to_end(
    runs: Sequence[Run], measure: str = "f1", *, preset: str = "fair", spans: str = "", nil: str = "ignored",
    by: str = "", set_: str = "global", scope: Sequence[str] = (), options: ScoringOptions | None = None,
    resamples: int = RESAMPLES_COMPARED, examples: int = 20, keep: Keep = same_figures,
) -> Comparison:  # fmt: skip
    """Compare runs of one corpus, revision and split under one measure; the second of a pair against the first."""
    refuse_incomparable(runs)
    if measure not in COMPARED_MEASURES:
        raise UsageError(
            f"unknown measure {measure!r} of --task end-to-end; {near_miss(measure, list(COMPARED_MEASURES))}"
        )
    scored, cuts = _scored(runs, by, preset=preset, spans=spans, sets=[set_], scope=scope, options=options, cases=True)
    if any(each.counts.documents != scored[0].counts.documents for each in scored):
        raise UsageError(f"preset {preset!r} leaves out documents that imported files do not have, and these runs lack "
                         "different ones: compare them with preset 'fair', or import whole files")  # fmt: skip
    name, right = COMPARED_MEASURES[measure]
    function, width = _function(name, cuts[0].empty), len(_columns(cuts[0], name, nil))
    tables = [np.column_stack(_columns(cut, name, nil)) for cut in cuts]
    mentions, values, weights = _mentions(scored, cuts, name, right, nil)

    def of_all(sums: Any) -> Any:
        return np.column_stack([function(sums[:, at : at + width]) for at in range(0, sums.shape[1], width)])

    chosen = list(combinations(range(len(runs)), 2))
    backwards = [(b, a) for a, b in chosen]
    of = [_sizes(table, name) for table in tables]
    title = (f"{measure} (NIL {nil}, preset {preset}{f', set {set_}' if set_ != 'global' else ''}"
             f"{f', {by}' if by else ''})")  # fmt: skip
    return Paired(
        runs, [about(each, cut, name, nil) for each, cut in zip(scored, cuts, strict=True)],
        mentions, values, weights,
        [intervals.estimates(function, [table], [sizes])[0] for table, sizes in zip(tables, of, strict=True)],
        intervals.paired(of_all, [np.hstack(tables)], backwards, [np.column_stack(of)]),
        drawn_pairs(of_all, [np.hstack(tables)], backwards, resamples),
        [swapped(function, tables[a], tables[b], resamples).p for a, b in chosen],
        cuts[0].note if name.endswith(("_p", "_f1")) else "",
    ).comparison(measure, title, examples, keep)  # fmt: skip


def _scored(runs: Sequence[Run], by: str, **given: Any) -> tuple[list[EndToEndScore], list[CountedSlice]]:
    """The runs scored, and of each the one slice that was asked for, else all mentions.

    What is written as a group of a grouping is that group, a value in quotes is a condition.
    """
    grouping, named, _ = by.partition("=")
    if named and grouping in GROUPINGS:
        scored = score_runs_end_to_end(runs, by=[grouping], **given)
        groups = [[cut for cut in each.cuts if cut.slice == by] for each in scored]
        if all(groups):
            return scored, [cut for (cut,) in groups]
        if asked_group(by, GROUPINGS):
            raise no_such_group(by, sorted({cut.slice for each in scored for cut in each.cuts if cut.slice != ALL}))
    scored = score_runs_end_to_end(runs, by=[by] if by else [], **given)
    return scored, [_only([cut for cut in each.cuts if (cut.slice != ALL) == bool(by)], by) for each in scored]


def _only(found: Sequence[CountedSlice], by: str) -> CountedSlice:
    if len(found) != 1:
        names = ", ".join(cut.slice for cut in found[:5])
        raise UsageError(f"--by {by}: runs are compared on one slice, and this is "
                         + (f"several, such as {names}" if found else "none that holds a mention"))  # fmt: skip
    return found[0]


def _columns(cut: CountedSlice, name: str, nil: str) -> list[np.ndarray]:
    """The sums per document that a measure is a function of."""
    what = name.rpartition("_")[0]
    names = [f"{what}_{x}" for x in (("errors", "total") if what == "disamb" else ("tp", "fp", "fn"))]
    return [cut.counts.values[each][MODES.index(nil)] for each in names]


def _sizes(table: np.ndarray, name: str) -> np.ndarray:
    """What a measure is a share of in each document."""
    what, _, end = name.rpartition("_")
    return table[:, 1] if what == "disamb" else table[:, SHARE_OF[end]].sum(axis=1)


def _function(name: str, empty: float) -> Callable[[Any], Any]:
    """A measure of such sums; `empty` where a cut has nothing in them."""
    what, _, end = name.rpartition("_")
    if what == "disamb":
        return lambda sums: np.where(sums[:, 1] > 0, 1 - sums[:, 0] / sums[:, 1], np.nan)
    at = ("p", "r", "f1").index(end)
    return lambda sums: prf(sums[:, 0], sums[:, 1], sums[:, 2], empty=empty)[at]


def _mentions(
    scored: Sequence[EndToEndScore], cuts: Sequence[CountedSlice], name: str, right: str, nil: str
) -> tuple[list[dict[str, Any]], np.ndarray, np.ndarray]:
    """The gold mentions of a slice that must be found, whether each run has them right, and what they weigh.

    Of disambiguation those whose spans all runs have found.
    """
    ledgers = [each.ledger for each in scored if each.ledger is not None]
    roots = [np.flatnonzero(ledger.root) for ledger in ledgers]
    names = [[ledger.mention[case] for case in rows.tolist()] for ledger, rows in zip(ledgers, roots, strict=True)]
    if any(other != names[0] for other in names):
        raise UsageError("the runs are not of the same gold mentions: they cannot be compared mention by mention")

    def counted(what: str) -> np.ndarray:
        return np.array([ledger.counts_for(what, nil)[rows] for ledger, rows in zip(ledgers, roots, strict=True)])

    if name == "disamb_accuracy":
        keep, values = counted("disamb_total").all(axis=0), ~counted("disamb_errors")
    else:
        values = counted(right)
        keep = (values | counted(right.replace("_tp", "_fn"))).any(axis=0)
    weights = _weights(scored, cuts, roots)
    keep &= weights > 0
    if not keep.any():
        raise UsageError("there is no gold mention that the runs can be compared on")
    rows = roots[0][keep]
    return [_mention(ledgers[0], case) for case in rows.tolist()], values[:, keep].astype(float), weights[keep]


def _weights(scored: Sequence[EndToEndScore], cuts: Sequence[CountedSlice], roots: Sequence[np.ndarray]) -> np.ndarray:
    """What each gold mention weighs, which must be the same for all runs."""
    first, *others = (
        np.ones(len(rows)) if cut.gold is None else cut.gold[rows] for cut, rows in zip(cuts, roots, strict=True)
    )
    if not all(np.array_equal(first, each) for each in others):
        name = " of ".join(part for part in (cuts[0].slice, cuts[0].set) if part not in (ALL, "global"))
        kbs = " and ".join(dict.fromkeys(each.run.kb for each in scored))
        raise UsageError(f"{name or 'the scope'}: other gold mentions are in it by one knowledge base than by another, "
                         f"and the runs are of {kbs}; link them against one revision, or compare them on what does not "
                         "depend on it")  # fmt: skip
    return first


def _mention(ledger: Ledger, case: int) -> dict[str, Any]:
    return {
        "mention": ledger.mention[case], "document": ledger.documents[ledger.document[case]],
        "text": ledger.texts[case], "type": ledger.types[case], "gold": [ledger.ids(int(ledger.gold[case]))],
    }  # fmt: skip
