"""Runs of one corpus that find mentions themselves: their figures end to end, best first, and who is told apart.

Each way to count, a preset and how NIL is handled, has its figures; the first way is what systems are ranked by.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import pyarrow.compute as pc
import pyarrow.parquet as pq

from linkassay import store
from linkassay.runs import Run
from linkassay.scoring.disambiguation.document_sums import ALL
from linkassay.scoring.endtoend.comparison import compare_runs_end_to_end
from linkassay.scoring.endtoend.decision_matrix import MODES
from linkassay.scoring.endtoend.figures import Row, endtoend_figures, rows_of
from linkassay.scoring.endtoend.run_score import EndToEndScore, score_runs_end_to_end
from linkassay.scoring.figure import Figure, Keep, leak_of
from linkassay.scoring.statistics.significance import holm


class Way(NamedTuple):
    """How cases are counted."""

    preset: str
    nil: str

    def __str__(self) -> str:
        return f"{self.preset}, NIL {self.nil}"


#: What systems are ranked by.
FIRST = Way("fair", "ignored")
#: Slices that all cases are in.
_GROUPED = ("type", "mention-kind")
#: Formats whose files say what a system found in whole texts.
_OF_WHOLE_TEXTS = ("elevant", "simple-jsonl")


def was_given_texts(run: Run) -> bool:
    """Whether its record says that a run found its mentions itself, however many of them are gold."""
    parameters = run.about["parameters"]
    return parameters.get("give") == "text" or parameters.get("import") in _OF_WHOLE_TEXTS


def finds_mentions(run: Run) -> bool:
    """Whether a run found its mentions itself: its record says so, or it has an answer where gold has no mention."""
    if was_given_texts(run):
        return True
    file = pq.read_table(store.checked_parquet(run.path / "predictions.parquet"), columns=["mention"])
    return bool(pc.any(pc.equal(file["mention"], "")).as_py())


class FoundMentions:
    """Some runs of one corpus, best first by F1. `keep` sees every figure before it is used."""

    def __init__(self, runs: Sequence[Run], labels: Sequence[str], presets: Sequence[str], keep: Keep) -> None:
        self._keep = keep
        self._presets = tuple(presets)
        scored = score_runs_end_to_end(runs, preset=FIRST.preset)
        found = _figures(scored, keep)
        order = sorted(range(len(runs)), key=lambda n: (-(found[FIRST][n]["all_f1"].value or 0), labels[n]))
        self.scored = [scored[n] for n in order]
        self.labels = [labels[n] for n in order]
        self._first = {way: [rows[n] for n in order] for way, rows in found.items()}

    @property
    def runs(self) -> list[Run]:
        """The runs themselves."""
        return [each.run for each in self.scored]

    @cached_property
    def figures(self) -> dict[Way, list[Row]]:
        """For each way to count, of each system its figures by measure."""
        found = dict(self._first)
        for preset in self._presets:
            found |= _figures(score_runs_end_to_end(self.runs, preset=preset), self._keep)
        return found

    @cached_property
    def groups(self) -> dict[str, list[Row | None]]:
        """By entity type and kind of mention, as slices: of each system its figures in the first way, or None."""
        scored = score_runs_end_to_end(self.runs, preset=FIRST.preset, by=_GROUPED)
        rows = rows_of(endtoend_figures(scored, [FIRST.nil], keep=self._keep))
        found = {(run, name): row for (_, run, _, name, _), row in rows.items() if name != ALL}
        return {name: [found.get((run.key, name)) for run in self.runs] for name in dict.fromkeys(n for _, n in found)}

    @cached_property
    def against_best(self) -> list[Figure | None]:
        """For each system: the best against it in F1, `p` of the paired test over documents, Holm over these."""
        if len(self.runs) == 1:
            return [None]
        compared = compare_runs_end_to_end(self.runs, preset=FIRST.preset, nil=FIRST.nil, examples=0, keep=self._keep)
        pairs = compared.pairs[: len(self.runs) - 1]  # those with the best
        adjusted = holm([row["permutation_p"] for row in pairs])
        best = self._first[FIRST][0]["all_f1"]
        return [None, *(
            self._keep(Figure(
                dict(row["all_f1"].about) | {"against": best.about["run"]} | leak_of([self.runs[0], run]),
                pair["difference"], pair["n"], pair["low"], pair["high"], p=p, more={"lead": -pair["difference"]},
            ))
            for run, row, pair, p in zip(self.runs[1:], self._first[FIRST][1:], pairs, adjusted, strict=True)
        )]  # fmt: skip


def _figures(scored: Sequence[EndToEndScore], keep: Keep) -> dict[Way, list[Row]]:
    """Of one preset and every way to handle NIL: of each run its figures by measure."""
    rows = rows_of(endtoend_figures(scored, MODES, keep=keep))
    return {
        Way(scored[0].preset.name, nil): [
            next(row for (_, key, _, _, mode), row in rows.items() if (key, mode) == (each.run.key, nil))
            for each in scored
        ]
        for nil in MODES
    }
