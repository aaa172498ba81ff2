"""Gold and predictions of a caller become a result: a corpus and a run in memory, scored as stored ones are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from linkassay.defaults import DEFAULT_MEASURES
from linkassay.errors import UsageError
from linkassay.in_memory.answer_table import read_answers
from linkassay.in_memory.gold_table import read_gold
from linkassay.kbs import Kb
from linkassay.runs import GivenRun
from linkassay.scoring.disambiguation import Measure, parse_slice, score_run
from linkassay.scoring.results import Result

#: Columns of slices → the column of gold that they are made from.
_MADE_FROM = {
    **dict.fromkeys(("text", "expansion", "length", "words", "alias_match", "wrong_alias_match", "homonym"), "text"),
    "type": "type",
    "document": "document",
}
NO_DOCUMENTS = "no intervals: they are over documents, and the rows of gold name none (column `document`)"


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
    fold: bool | None = None,
    resamples: int | None = None,
) -> Result:
    """The figures of one system; `kb` brings ids to current ones and gives ids without a prefix its own."""
    prefix = kb.manifest["prefix"] if kb else ""
    said = read_gold(gold, kb=kb.name if kb else "", prefix=prefix)
    answers = read_answers(predictions, said, prefix=prefix)
    _refuse_missing(by, said.lacks)
    notes = [*answers.notes, *([NO_DOCUMENTS] if "document" in said.lacks else [])]
    run = GivenRun(said.corpus, answers.table, system, kb=kb, notes=notes)
    score = score_run(run, measures, by=by, protocol=protocol, set=set, exclude_ids=exclude_ids, fold=fold,
                      resamples=resamples)  # fmt: skip
    if "document" in said.lacks:
        score.without_interval = "no interval: gold names no documents"
    for measure in score.measures if "document" in said.lacks else ():
        if measure.per == "document" or measure.average == "documents":  # all mentions would count as one of them
            raise UsageError(
                f"{measure} counts documents, and the rows of gold name none: give gold a column `document`"
            )
    return Result([score])


def _refuse_missing(by: Sequence[str], lacks: frozenset[str]) -> None:
    """Slices that ask for what no row of gold has would put all mentions into one."""
    for each in by:
        asked = {_MADE_FROM.get(word, "") for word in re.findall(r"\w+", parse_slice(each)[1].lower())}
        if missing := sorted(asked & lacks):
            raise UsageError(f"slice {each!r}: no row of gold has a `{missing[0]}`; give gold that column")
