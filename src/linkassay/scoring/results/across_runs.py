"""Figures of several runs together: means over corpora, Holm's and BioEL's treatment of slices, and their counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from linkassay import store
from linkassay.errors import UnwritableError, UsageError
from linkassay.scoring.disambiguation.document_sums import ALL, about, as_count
from linkassay.scoring.disambiguation.measures import Measure
from linkassay.scoring.disambiguation.run_score import Score
from linkassay.scoring.figure import Figure, leak_of
from linkassay.scoring.statistics import intervals
from linkassay.scoring.statistics.significance import bioel_slice, holm


def corrected(figures: Sequence[Figure]) -> list[Figure]:
    """Figures with the tests of their slices corrected by Holm over all of them (STAT-10)."""
    family = iter(holm([figure.p for figure in figures if figure.p is not None]))
    return [figure if figure.p is None else replace(figure, p_holm=next(family)) for figure in figures]


def bioel_tests(figures: Sequence[Figure]) -> list[Figure]:
    """Figures of slices with BioEL's z-test in place of ours: against the overall accuracy, two-sided, times systems.

    The systems are the runs on one corpus (STAT-11).
    """
    overall = {_place(figure): figure for figure in figures if figure.about["slice"] == ALL}
    systems: dict[str, set[str]] = {}
    for figure in figures:
        systems.setdefault(figure.about["corpus"], set()).add(figure.about["run"])
    return [
        figure if figure["difference"] is None else _z_tested(figure, overall[_place(figure)],
                                                            len(systems[figure.about["corpus"]]))
        for figure in figures
    ]  # fmt: skip


def _place(figure: Figure) -> tuple[str, str]:
    return figure.about["run"], figure.about["measure"]


def _z_tested(figure: Figure, of: Figure, systems: int) -> Figure:
    assert figure.value is not None and figure.n is not None and of.value is not None and of.n is not None  # noqa: PT018
    z = bioel_slice(figure.value * figure.n, figure.n, of.value * of.n, of.n, systems)
    subject = dict(figure.about) | {"tested": "bioel"}
    return replace(figure, about=subject, p=z.p, more=dict(figure.more) | {"z": z.z}, note="")


def mean_over_corpora(scores: Sequence[Score]) -> list[Figure]:
    """For each system and measure with `average=corpora`: the mean over its runs' corpora, each weighing the same."""
    found = []
    for system in dict.fromkeys(s.run.system for s in scores):
        mine = [s for s in scores if s.run.system == system]
        measures = [m for m in mine[0].measures if m.average == "corpora"]
        names = [s.run.corpus for s in mine]
        if measures and len(set(names)) < len(names):
            raise UsageError(f"average=corpora: several runs of {system} on one corpus; give one run for each")
        found += [mean(mine, measure, system) for measure in measures]
    return found


def mean(scores: Sequence[Score], measure: Measure, system: str, **more: Any) -> Figure:
    """The mean of one measure over the corpora of some runs, each corpus weighing the same."""
    tables = [sums_by_document(score, measure) for score in scores]
    (estimate,) = intervals.ratios(tables, [(0, 1)])
    joined = {"run": " ".join(s.run.key for s in scores), "corpus": f"mean of {len(scores)}", "system": system}
    joined |= leak_of(score.run for score in scores)
    n = as_count(sum(float(table[:, 1].sum()) for table in tables))
    return Figure.of(about(scores[0], str(measure)) | joined, estimate, n, **more)


def sums_by_document(score: Score, measure: Measure, mask: Any = None) -> Any:
    """Numerator and denominator of a measure in each document, of all mentions in scope or of some."""
    sums = score.sums(measure, score.in_scope if mask is None else mask)
    return np.column_stack(sums.columns(len(score.items.documents)))


def store_counts(scores: Sequence[Score]) -> str:
    """Put the counts behind the figures beside each run, in place of those of the last time; why not, if it cannot be.

    Figures need no place on the disk, so that those of a read-only home are as good.
    """
    for score in scores:
        path = score.run.path / "counts.parquet"
        try:
            with store.new_file(path) as temporary:
                pq.write_table(score.counts(), temporary, compression="zstd")
        except UnwritableError as error:
            return str(error)
        except OSError as error:
            return f"{path}: cannot be written ({error.strerror or error})"
    return ""
