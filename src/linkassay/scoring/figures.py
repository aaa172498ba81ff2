"""Figures of several runs together: means over corpora, tests of slices, and the counts they are sums of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow.parquet as pq

from linkassay import store
from linkassay.errors import UsageError
from linkassay.scoring import bootstrap
from linkassay.scoring.score import Score, whole
from linkassay.scoring.significance import bioel_slice, holm
from linkassay.tables import Rows

__all__ = ["bioel_tests", "corrected", "figures", "mean_over_corpora", "store_counts"]


def figures(scores: Sequence[Score], preset: str = "") -> Rows:
    """The rows of all scores; slices are tested, and corrected by Holm over all rows that are shown together.

    The preset `bioel` tests them as that paper does: z of the slice against the overall accuracy, two-sided,
    times the number of systems (SPEC §5.7).
    """
    rows = Rows(row for score in scores for row in score.rows())
    rows += mean_over_corpora(scores)
    return bioel_tests(rows) if preset == "bioel" else corrected(rows)


def corrected(rows: Rows) -> Rows:
    """Rows with the tests of their slices corrected by Holm over all of them."""
    family = [row for row in rows if row.get("p") is not None]
    for row, p in zip(family, holm([row["p"] for row in family]), strict=True):
        row["p_holm"] = p
    return rows


def bioel_tests(rows: Rows) -> Rows:
    """Rows of slices with that paper's z-test in place of ours; the systems are the runs on one corpus."""
    overall = {(row["run"], row["measure"]): row for row in rows if row["slice"] == "all"}
    for row in rows:
        if row.get("difference") is not None:
            systems = len({each["run"] for each in rows if each["corpus"] == row["corpus"]})
            whole_ = overall[row["run"], row["measure"]]
            z = bioel_slice(row["value"] * row["n"], row["n"], whole_["value"] * whole_["n"], whole_["n"], systems)
            row |= {"z": z.z, "p": z.p}
    return rows


def mean_over_corpora(scores: Sequence[Score]) -> Rows:
    """For each system and measure with `average=corpora`: the mean over its runs' corpora, each weighing the same."""
    rows = Rows()
    for system in dict.fromkeys(s.run.system for s in scores):
        mine = [s for s in scores if s.run.system == system]
        measures = [m for m in mine[0].measures if m.average == "corpora"]
        names = [s.run.corpus for s in mine]
        if measures and len(set(names)) < len(names):
            raise UsageError(f"average=corpora: several runs of {system} on one corpus; give one run for each")
        for measure in measures:
            sums = [s.sums(measure, s.in_scope) for s in mine]
            tables = [np.column_stack(x.columns(len(s.items.documents))) for s, x in zip(mine, sums, strict=True)]
            (estimate,) = bootstrap.ratios(tables, [(0, 1)], mine[0].resamples)
            rows.append({
                "run": " ".join(s.run.path.name for s in mine), "corpus": f"mean of {len(mine)}", "system": system,
                "measure": str(measure), "slice": "all", "value": estimate.value,
                "n": whole(sum(float(x.n.sum()) for x in sums)), "low": estimate.low, "high": estimate.high,
            })  # fmt: skip
    return rows


def store_counts(scores: Sequence[Score]) -> None:
    """Put the counts behind the figures beside each run, in place of those of the last time."""
    for score in scores:
        path = score.run.path
        with store.new_file(path / "counts.parquet") as temporary:
            pq.write_table(score.counts(), temporary, compression="zstd")
