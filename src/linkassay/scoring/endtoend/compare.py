"""Runs that find mentions themselves against each other: paired tests over documents and over gold mentions.

Figures such as F1 are no sums over mentions: they are compared by the sums of documents, drawn or swapped as a whole.
What was fixed and broken, McNemar's test, correlation and the best possible choice are of the gold mentions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from linkassay.errors import UsageError
from linkassay.registry import near_miss
from linkassay.runs import Run
from linkassay.scoring import bootstrap
from linkassay.scoring.compare import Comparison, Paired, check
from linkassay.scoring.defaults import RESAMPLES_COMPARED
from linkassay.scoring.endtoend.cuts import Cut
from linkassay.scoring.endtoend.figures import about
from linkassay.scoring.endtoend.groups import GROUPINGS
from linkassay.scoring.endtoend.ledger import Ledger
from linkassay.scoring.endtoend.matrix import MODES
from linkassay.scoring.endtoend.measures import prf
from linkassay.scoring.endtoend.runs import Scored, score
from linkassay.scoring.figure import Keep, same
from linkassay.scoring.items import Options
from linkassay.scoring.significance import swapped
from linkassay.scoring.sums import ALL

__all__ = ["MEASURES", "compare"]

#: What can be compared: its measure, and the count that makes a gold mention right.
MEASURES = {
    "f1": ("all_f1", "all_tp"), "precision": ("all_p", "all_tp"), "recall": ("all_r", "all_tp"),
    "ner-f1": ("ner_f1", "ner_tp"), "ner-precision": ("ner_p", "ner_tp"), "ner-recall": ("ner_r", "ner_tp"),
    "disambiguation": ("disamb_accuracy", "all_tp"),
}  # fmt: skip


def compare(
    runs: Sequence[Run], measure: str = "f1", *, preset: str = "fair", spans: str = "", nil: str = "ignored",
    by: str = "", set_: str = "global", scope: Sequence[str] = (), options: Options | None = None,
    resamples: int = RESAMPLES_COMPARED, examples: int = 20, keep: Keep = same,
) -> Comparison:  # fmt: skip
    """Compare runs of one corpus, revision and split under one measure; the second of a pair against the first."""
    check(runs)
    if measure not in MEASURES:
        raise UsageError(f"unknown measure {measure!r} of --task end-to-end; {near_miss(measure, list(MEASURES))}")
    grouping, named, _ = by.partition("=")
    asked = [grouping if named and grouping in GROUPINGS else by] if by else []
    scored = [score(run, preset=preset, spans=spans, by=asked, sets=[set_], scope=scope, options=options, cases=True)
              for run in runs]  # fmt: skip
    cuts = [_cut(each, by) for each in scored]
    name, right = MEASURES[measure]
    function, width = _function(name), len(_columns(cuts[0], name, nil))
    tables = [np.column_stack(_columns(cut, name, nil)) for cut in cuts]
    mentions, values = _mentions(scored, cuts[0], name, right, nil)

    def of_all(sums: Any) -> Any:
        return np.column_stack([function(sums[:, at : at + width]) for at in range(0, sums.shape[1], width)])

    chosen = list(combinations(range(len(runs)), 2))
    title = (f"{measure} (NIL {nil}, preset {preset}{f', set {set_}' if set_ != 'global' else ''}"
             f"{f', {by}' if by else ''})")  # fmt: skip
    return Paired(
        runs, [about(each, cut, name, nil) for each, cut in zip(scored, cuts, strict=True)],
        mentions, values, np.ones(len(mentions)),
        [bootstrap.estimates(function, [table], resamples)[0] for table in tables],
        bootstrap.paired(of_all, [np.hstack(tables)], [(b, a) for a, b in chosen], resamples),
        [swapped(function, tables[a], tables[b], resamples).p for a, b in chosen],
        cuts[0].note if name.endswith(("_p", "_f1")) else "",
    ).comparison(measure, title, examples, keep)  # fmt: skip


def _cut(scored: Scored, by: str) -> Cut:
    """The one slice that was asked for, else all mentions."""
    found = [cut for cut in scored.cuts if (cut.slice != ALL) == bool(by)]
    if by.partition("=")[0] in GROUPINGS and "=" in by:
        found = [cut for cut in found if cut.slice == by]
    if len(found) != 1:
        names = ", ".join(cut.slice for cut in found[:5])
        raise UsageError(f"--by {by}: runs are compared on one slice, and this is "
                         + (f"several, such as {names}" if found else "none that holds a mention"))  # fmt: skip
    return found[0]


def _columns(cut: Cut, name: str, nil: str) -> list[np.ndarray]:
    """The sums per document that a measure is a function of."""
    what = name.rpartition("_")[0]
    names = [f"{what}_{x}" for x in (("errors", "total") if what == "disamb" else ("tp", "fp", "fn"))]
    return [cut.counts.values[each][MODES.index(nil)] for each in names]


def _function(name: str) -> Callable[[Any], Any]:
    what, _, end = name.rpartition("_")
    if what == "disamb":
        return lambda sums: np.where(sums[:, 1] > 0, 1 - sums[:, 0] / sums[:, 1], np.nan)
    at = ("p", "r", "f1").index(end)
    return lambda sums: prf(sums[:, 0], sums[:, 1], sums[:, 2])[at]


def _mentions(
    scored: Sequence[Scored], cut: Cut, name: str, right: str, nil: str
) -> tuple[list[dict[str, Any]], np.ndarray]:
    """The gold mentions of a slice that must be found, and whether each run has them right.

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
    if cut.gold is not None:
        keep &= cut.gold[roots[0]] > 0
    if not keep.any():
        raise UsageError("there is no gold mention that the runs can be compared on")
    rows = roots[0][keep]
    return [_mention(ledgers[0], case) for case in rows.tolist()], values[:, keep].astype(float)


def _mention(ledger: Ledger, case: int) -> dict[str, Any]:
    return {
        "mention": ledger.mention[case], "document": ledger.documents[ledger.document[case]],
        "text": ledger.texts[case], "type": ledger.types[case], "gold": [ledger.ids(int(ledger.gold[case]))],
    }  # fmt: skip
