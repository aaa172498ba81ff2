"""Figures as rows of JSON that the command line prints and that are kept beside a run: the same in both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from linkassay.runs import LEAK, Run

if TYPE_CHECKING:
    from linkassay.scoring.endtoend.figures import Row

#: How measures of shares end; these have intervals.
_SHARES = ("_p", "_r", "_f1", "_accuracy")


def row_head(row: Row, sets: Sequence[str]) -> dict[str, Any]:
    """What a row end to end is of; the set only where some were asked for."""
    from linkassay.scoring.endtoend.run_score import benchmark_name

    about = row["all_f1"].about
    return {"system": about["system"], "benchmark": benchmark_name(about["corpus"]), "mode": about["nil"].upper()} | (
        {"set": about["set"]} if sets else {}
    )


def row_values(row: Row) -> dict[str, Any]:
    """The values of a row by their measures, where there are any."""
    return {measure: figure.value for measure, figure in row.items() if figure.value is not None}


def wide_row(row: Row, sets: Sequence[str] = ()) -> dict[str, Any]:
    """All values of a run end to end by their measures, the intervals of shares, and the keys of all."""
    bounds = {f"{measure}_{end}": figure[end] for measure, figure in row.items() if measure.endswith(_SHARES)
              for end in ("low", "high")}  # fmt: skip
    keys = {name: figure.key for name, figure in row.items()}
    return row_head(row, sets) | row_values(row) | bounds | {"keys": keys} | row_leak(row)


def row_leak(row: Row) -> dict[str, str]:
    """What must be said of a run that was trained on what it linked."""
    about = row["all_f1"].about
    return {"note": about["leak"]} if "leak" in about else {}


def leak_notes(runs: Iterable[Run]) -> list[str]:
    """Below a table: what the mark on some of its systems means (LINKER-12)."""
    return [f"{LEAK} {run.name} {run.split}: {run.leak}; its figures say nothing of texts that are new to it"
            for run in {(run.corpus, run.key): run for run in runs}.values() if run.leak]  # fmt: skip
