"""Everything of a cohort that can be looked at, gathered once: what views store and pages embed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, reduce
from operator import or_
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linkassay.cautions import result_cautions
from linkassay.errors import LinkassayError
from linkassay.explorer.case_columns import CaseColumns, find_cases
from linkassay.explorer.case_words import ERRORS, OF_ANSWER, case_filters
from linkassay.explorer.gold_columns import Golds
from linkassay.explorer.mention_columns import MentionColumns
from linkassay.explorer.outcome_words import MISMATCHES, OUTCOMES, slices_named
from linkassay.runs import GivenRun, Run
from linkassay.scoring.disambiguation import hits_at, sections_at
from linkassay.scoring.endtoend import MENTION_KINDS, MODES
from linkassay.scoring.hierarchy import DISTANCES, LOCATION_BINS
from linkassay.scoring.results import Cohort, finds_mentions

#: Told how much is done, of how much, and what is being done. An error that it raises ends the work.
Progress = Callable[[int, int, str], None]


def silent(done: int, of: int, what: str) -> None:
    """Nobody is told."""


class Exploration:
    """A cohort to look into."""

    def __init__(self, cohort: Cohort) -> None:
        self.cohort = cohort
        self.columns = MentionColumns(cohort)
        self.annotations = self.columns.annotations
        self.golds = Golds(self.annotations, cohort.scores[0])
        self.trouble: list[str] = []  # why there are no cases of systems that find mentions

    @cached_property
    def cases(self) -> dict[str, CaseColumns]:
        """The cases of each system that found mentions itself, best first."""
        found = {}
        for label, score in zip(self.cohort.labels, self.cohort.scores, strict=True):
            if isinstance(score.run, GivenRun) or not finds_mentions(score.run):
                continue
            try:
                found[label] = find_cases(score.run, self.cohort.kbs.get(score.run.kb), self.annotations)
            except LinkassayError as error:  # such as a corpus without places
                self.trouble.append(f"{label} is not scored end to end: {error}.")
        return {label: found[label] for label in sorted(found, key=lambda label: (-found[label].f1(0), label))}

    @cached_property
    def groups(self) -> list[list[str]]:
        """The kinds of mentions and the types that cases belong to, and what a reader knows them by."""
        grouped = (each.grouped[n] for each in self.cases.values() for n in np.unique(each.groups).tolist())
        found = {name for each in grouped for name in (*each.gold, *each.said)}
        kinds = [[name, kind] for kind in MENTION_KINDS if (name := f"mention-kind={kind}") in found]
        types = sorted(name.removeprefix("type=") for name in found if name.startswith("type="))
        return kinds + [[f"type={each}", self.cohort.type_name(each)] for each in types]

    @cached_property
    def combination(self) -> Any:
        """Of each annotation the number of its combination; -1 where it has a parent."""
        found = np.full(len(self.annotations), -1)
        found[self.annotations.roots[self.columns.place]] = self.columns.combinations[1]
        return found

    @cached_property
    def worst(self) -> Any:
        """Of each annotation the worst rank of gold, as `MentionColumns.worst`; -2 where it has a parent."""
        found = np.full(len(self.annotations), -2)
        found[self.annotations.roots[self.columns.place]] = self.columns.worst
        return found

    @cached_property
    def section(self) -> pa.Array:
        """Of each annotation the kind of the passage in which it begins."""
        counts, starts, _ = self.annotations.pieces
        first = np.append(starts, 0)[np.cumsum(counts) - counts]
        passages = self.annotations.documents.table["passages"]
        return sections_at(passages, self.annotations.document, np.where(counts > 0, first, -1))

    @cached_property
    def sections(self) -> list[str]:
        """The kinds of passages, as they first occur."""
        kinds = pc.list_flatten(self.annotations.documents.table["passages"].combine_chunks()).field("kind")
        return list(dict.fromkeys([*pc.unique(kinds).to_pylist(), *pc.unique(self.section).to_pylist()]))

    # ---- documents

    @cached_property
    def mentions_of(self) -> Any:
        """Of each document how many mentions it has."""
        roots = self.annotations.document[self.annotations.roots]
        return np.bincount(roots, minlength=len(self.annotations.documents))

    @cached_property
    def differ(self) -> Any:
        """Of each document how many mentions are not worth the same to all systems that are scored on them."""
        width, kinds = self.columns.width, self.columns.combinations[0]
        apart = np.array([len({*kind.codes[::width]} - {"x"}) > 1 for kind in kinds], dtype=bool)
        rows = np.flatnonzero(np.append(apart, False)[self.combination])
        return np.bincount(self.annotations.document[rows], minlength=len(self.annotations.documents))

    @cached_property
    def figures(self) -> list[dict[str, Any]]:
        """Of each system, by document: `right` and `n`; of those that found mentions `tp`, `fp`, `fn` by NIL mode."""
        size = len(self.annotations.documents)
        found: list[dict[str, Any]] = []
        for at, label in enumerate(self.cohort.labels):
            if label in self.cases:
                cases = self.cases[label]
                found.append({
                    x: [np.bincount(cases.document[cases.counted(f"all_{x}", mode)], minlength=size)
                        for mode in range(len(MODES))] for x in ("tp", "fp", "fn")
                })  # fmt: skip
                continue
            row = self.columns.row[at]
            inside = row >= 0
            places = self.annotations.roots[self.columns.place[row[inside]]]
            document, hits = self.annotations.document[places], hits_at(self.cohort.scores[at], 1)[inside]
            right = np.bincount(document, hits, minlength=size)
            found.append({"right": np.round(right, 4), "n": np.bincount(document, minlength=size)})
        return found

    # ---- the cohort itself

    def cohort_object(self, held: int | None = None) -> dict[str, Any]:
        """The answer to `cohort`; `held`: mentions that are at hand, all if nothing is said."""
        cohort, columns, cases = self.cohort, self.columns, self.cases
        runs = [score.run for score in cohort.scores]
        stored = [run for run in runs if isinstance(run, Run) and not isinstance(run, GivenRun)]
        all_bits = reduce(or_, (each.held for each in cases.values()), 0)
        asked = (by for score in cohort.scores for by in score.slice_names)
        names = slices_named(asked)
        warnings = [each.as_dict() for each in result_cautions(stored, end_to_end=len(cases) == len(runs))]
        return {
            "key": cohort.key, "corpus": runs[0].corpus, "title": cohort.title, "split": cohort.split,
            "systems": cohort.labels, "runs": [run.key for run in runs], "types": columns.types,
            "type_names": cohort.type_names, "slices": columns.slices,
            "slice_names": {name: names.get(name, name) for name in columns.slices},
            "sets": list(columns.sets),
            "places": [list(each) for each in columns.places], "width": columns.width,
            "hierarchy": len(columns.places) > 1,
            "sizes": {"documents": len(self.annotations.documents), "scored": columns.scored,
                      "left": columns.left_out, "held": len(columns) if held is None else held},
            "given": cohort.labels, "found": list(cases), "nil": list(MODES),
            "filters": [list(each) for each in case_filters(all_bits)], "errors": [list(each) for each in ERRORS],
            "groups": self.groups, "of_answer": OF_ANSWER,
            "warnings": warnings, "trouble": [*cohort.trouble, *self.trouble], "sections": self.sections,
            "licence": cohort.corpus.manifest["licence"], "outcomes": OUTCOMES, "mismatches": MISMATCHES,
            "distances": DISTANCES, "locations": LOCATION_BINS,
        }  # fmt: skip
