"""Gold and predictions of a caller become a result: a corpus and a run in memory, scored as stored ones are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linkassay.defaults import DEFAULT_MEASURES, RESAMPLES
from linkassay.errors import UsageError
from linkassay.in_memory.answer_table import read_answers
from linkassay.in_memory.gold_table import read_gold
from linkassay.kbs import Kb
from linkassay.runs import GivenRun
from linkassay.scoring.disambiguation import Measure, Score, score_run
from linkassay.scoring.results import Result

NO_DOCUMENTS = "no intervals: they are drawn over documents, and the rows of gold name none (column `document`)"


def evaluate(
    gold: Any,
    predictions: Any,
    measures: str | Sequence[str | Measure] = DEFAULT_MEASURES,
    *,
    kb: Kb | None = None,
    system: str = "system",
    by: Sequence[str] = (),
    protocol: str = "",
    set: str = "global",
    exclude_ids: str | Sequence[str] = (),
    fold: bool = False,
    resamples: int = RESAMPLES,
) -> Result:
    """The figures of one system; `kb` brings ids to current ones and gives ids without a prefix its own."""
    prefix = kb.manifest["prefix"] if kb else ""
    said = read_gold(gold, kb=kb.name if kb else "", prefix=prefix)
    answers = read_answers(predictions, said, prefix=prefix)
    notes = [*answers.notes, *([] if said.has_documents else [NO_DOCUMENTS])]
    run = GivenRun(said.corpus, answers.table, system, kb=kb, notes=notes)
    score = score_run(run, measures, by=by, protocol=protocol, set=set, exclude_ids=exclude_ids, fold=fold,
                      resamples=resamples)  # fmt: skip
    if not said.has_documents:
        _refuse_documents(score)
    return Result([score])


def _refuse_documents(score: Score) -> None:
    """Measures that count documents would take all mentions for one."""
    for measure in score.measures:
        if measure.per == "document" or measure.average == "documents":
            raise UsageError(
                f"{measure} counts documents, and the rows of gold name none: give gold a column `document`"
            )
