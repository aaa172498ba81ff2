"""A result: every figure of some runs, each computed once and kept under its key.

Command line, page and bench only read it. What a figure means is decided in the modules that compute it;
which figures there are of runs on one corpus is in `cohort`, what is said of several corpora is here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from linkassay.defaults import LEADING
from linkassay.scoring.disambiguation.document_sums import about
from linkassay.scoring.disambiguation.failure_stages import failures
from linkassay.scoring.disambiguation.measures import Measure
from linkassay.scoring.disambiguation.run_score import Score
from linkassay.scoring.figure import Figure, Figures, leak_of
from linkassay.scoring.figure_plot import plot_figures
from linkassay.scoring.results.across_runs import bioel_tests, corrected, mean, mean_over_corpora, sums_by_document
from linkassay.scoring.statistics import intervals
from linkassay.scoring.statistics.significance import holm
from linkassay.tables import Rows, Tabular, html_block

if TYPE_CHECKING:
    from linkassay.charts import Drawing
    from linkassay.scoring.results.cohort import Cohort

_LEADING = Measure.parse(LEADING[0])


class Result(Tabular):
    """The figures of some scored runs; `changes` are fields that differ from what is computed, by key."""

    def __init__(self, scores: Iterable[Score] = (), changes: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self.figures = Figures(changes)
        self.scores: list[Score] = []
        self._asked: dict[str, list[Figure]] = {}  # by preset
        for score in scores:
            self.add(score)

    def __repr__(self) -> str:
        return f"<result of {len(self.scores)} run{'s' * (len(self.scores) != 1)}>"

    def __str__(self) -> str:
        return "\n".join([str(self.rows()), *self.notes])

    def _repr_html_(self) -> str:
        return html_block(repr(self)[1:-1], self.rows(), notes=self.notes)

    def rows(self) -> Rows:
        """A row for each figure that was asked for."""
        return Rows(figure.row() for figure in self.asked())

    def plot(self, measure: str = "") -> Drawing:
        """The figures that were asked for as a chart, of all measures or of one; `.save("x.svg")` writes it."""
        return plot_figures(self.asked(), [score.run for score in self.scores], measure)

    @property
    def notes(self) -> list[str]:
        """What a reader must know: mentions that are scored or not, what was left out, why something is missing."""
        return list(dict.fromkeys(note for score in self.scores for note in score.notes))

    def add(self, score: Score) -> list[Figure]:
        """One more run, and what it was asked for; where that cannot be computed it is an error, and not added.

        What was said of all runs so far is no longer so.
        """
        own = score.own
        self.scores.append(score)
        self._asked.clear()
        for name in ("cohorts", "means"):
            self.__dict__.pop(name, None)
        return own

    def keep(self, figures: Iterable[Figure]) -> list[Figure]:
        """Figures that were computed elsewhere, as they are to be shown."""
        return self.figures.keep_all(figures)

    # ---- what the scores were asked for

    def asked(self, preset: str = "") -> list[Figure]:
        """The measures and slices that all scores are of, and means over corpora; tests corrected over all of them.

        The preset `bioel` tests slices as that paper does.
        """
        if preset not in self._asked:
            found = [figure for score in self.scores for figure in score.own]
            for split in dict.fromkeys(score.run.split for score in self.scores):
                found += mean_over_corpora([score for score in self.scores if score.run.split == split])
            self._asked[preset] = self.keep(bioel_tests(found) if preset == "bioel" else corrected(found))
        return self._asked[preset]

    def of(self, score: Score) -> list[Figure]:
        """Those of `asked` that are of one run."""
        mine = {figure.key for figure in score.own}
        return [figure for figure in self.asked() if figure.key in mine]

    def failures(self, k: int, protocol: str = "") -> list[Figure]:
        """Why mentions fail, at this K."""
        return self.keep(figure for score in self.scores for figure in failures(score, k, protocol))

    # ---- corpus by corpus, and all of them

    @cached_property
    def cohorts(self) -> list[Cohort]:
        """The runs by corpus, revision and split."""
        from linkassay.scoring.results.cohort import cohorts  # with all that pages show: more than a score needs

        return cohorts(self.scores, self.figures.keep)

    @cached_property
    def means(self) -> list[Figure]:
        """Each system's mean of recall@1 over its corpora, those with all corpora first, then best first.

        How far the best is ahead is its `lead`, the test of that, Holm over the systems that have all corpora, in `p`;
        the number of its corpora in `corpora`.
        """
        found = []
        for label in dict.fromkeys(label for cohort in self.cohorts for label in cohort.labels):
            scores = [score for cohort in self.cohorts if (score := _of(cohort, label))]
            found.append(mean(scores, _LEADING, label, more={"corpora": len(scores)}))
        found.sort(key=lambda each: (-each["corpora"], -(each.value or 0), each.about["system"]))
        return self.keep(self._against_best(found))

    def _against_best(self, found: list[Figure]) -> list[Figure]:
        """With how far the best is ahead of each, and the test of that, corrected over all."""
        complete = [each for each in found if each["corpora"] == len(self.cohorts)]
        apart = {each.key: difference for each in complete[1:]
                 if (difference := self._against(complete[0].about["system"], each.about["system"]))}  # fmt: skip
        tested = {key: difference.p for key, difference in apart.items() if difference.p is not None}
        ps = dict(zip(tested, holm(list(tested.values())), strict=True))
        leads = {key: difference.value for key, difference in apart.items()}
        return [
            replace(each, p=ps.get(each.key), more=dict(each.more) | {"lead": leads.get(each.key)}) for each in found
        ]

    def _against(self, best: str, other: str) -> intervals.Difference | None:
        """Whether the means of two systems differ by chance, both on the same documents of each corpus."""
        tables = []
        for cohort in self.cohorts:
            first, second = (s for label in (best, other) if (s := _of(cohort, label)) is not None)
            if list(first.items.documents) != list(second.items.documents):
                return None
            tables.append(np.hstack([sums_by_document(first, _LEADING), sums_by_document(second, _LEADING)]))
        (difference,) = intervals.differences(tables, [(0, 1, 2, 3)])
        return difference

    def pooled(self, among: Sequence[Cohort], label: str, slice_: str) -> Figure | None:
        """A system's recall@1 on the mentions of a type in several corpora together; none if it lacks one of them."""
        scores, tables = [], []
        for cohort in among:
            score = _of(cohort, label)
            mask = dict(score.slices(["type"])).get(slice_) if score else None
            if score is None or mask is None:
                return None
            scores.append(score)
            tables.append(sums_by_document(score, _LEADING, mask))
        (found,) = intervals.ratios([np.concatenate(tables)], [(0, 1)])
        joined = {"run": " ".join(s.run.key for s in scores), "corpus": f"{len(scores)} together",
                  "system": label}  # fmt: skip
        subject = about(scores[0], LEADING[0], slice_) | joined | leak_of(score.run for score in scores)
        return self.figures.keep(Figure.of(subject, found, int(sum(table[:, 1].sum() for table in tables))))


def _of(cohort: Cohort, label: str) -> Score | None:
    return cohort.scores[cohort.labels.index(label)] if label in cohort.labels else None
