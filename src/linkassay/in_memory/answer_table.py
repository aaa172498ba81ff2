"""Predictions as a caller gives them, ranked ids a row each or groups of a mention in one row, become a table.

Equal ranks are ties: the ids of one rank are a group, in the order of their rows (DATA-9).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from linkassay import store
from linkassay.errors import DataError
from linkassay.ids import curie
from linkassay.in_memory.answer_columns import answer_columns
from linkassay.in_memory.given_columns import NotPlainError
from linkassay.in_memory.given_rows import Row, given_rows, read_once
from linkassay.in_memory.gold_table import GivenGold, table_of

_RANKED, _GROUPED = ("mention", "rank", "id"), ("mention", "candidates")
#: What native predictions call the candidates in Parquet files, as those of stored runs.
_STORED = ("mention", "groups")
_EXAMPLES = 3


@dataclass
class _Answer:
    """What was said of one mention: rank → ids, and rank → score where scores are given."""

    groups: dict[float, dict[str, None]] = field(default_factory=dict)
    scores: dict[float, float | None] = field(default_factory=dict)
    nil: bool = False


@dataclass(frozen=True)
class GivenAnswers:
    """The predictions of gold's mentions in gold's order, and what a reader must know of the others."""

    table: pa.Table
    notes: tuple[str, ...]


def read_answers(data: Any, gold: GivenGold, *, prefix: str = "") -> GivenAnswers:
    """Rows of `mention`, `rank`, `id` and perhaps `score`, or of `mention` and `candidates` as native predictions are.

    Predictions of mentions that gold does not have are left out and counted (RANK-7).
    """
    data = read_once(data, "predictions")
    try:
        found = answer_columns(data, gold.mentions, prefix)
    except NotPlainError:
        return _by_row(data, gold, prefix)
    silent = len(gold.mentions) - found.table.num_rows
    return GivenAnswers(found.table, _notes(found.of_others, found.others, silent, len(gold.mentions)))


def _by_row(data: Any, gold: GivenGold, prefix: str) -> GivenAnswers:
    answers: dict[str, _Answer] = {}
    form: tuple[str, ...] = ()
    of_others = 0
    others: dict[str, None] = {}
    for row in given_rows(data, "predictions", [_RANKED, _GROUPED, _STORED]):
        mine = _form(row)
        if form not in ((), mine):
            raise row.error(f"mixed forms: rows before have `{form[1]}`, this one has `{mine[1]}`; keep to one of them")
        form = mine
        mention = row.needed("mention")
        answer = answers.get(mention)
        if mine == _RANKED:
            _add_ranked(row, answers.setdefault(mention, _Answer()), prefix)
        elif answer is not None:
            raise row.error(f"mention: {mention!r} was answered before; a mention has one row of candidates (DATA-10)")
        else:
            answers[mention] = _grouped(row, prefix)
        if mention not in gold.mentions:
            of_others += 1
            others[mention] = None
    if answers and len(others) == len(answers):
        raise DataError(f"predictions: none of {len(answers):,} mentions is one of gold; gold has for example "
                        f"{next(iter(gold.mentions))!r}, predictions have {next(iter(answers))!r}")  # fmt: skip
    silent = sum(mention not in answers for mention in gold.mentions)
    table = table_of(list(_rows(answers, gold)), store.PREDICTIONS)
    return GivenAnswers(table, _notes(of_others, list(others), silent, len(gold.mentions)))


def _notes(of_others: int, others: Sequence[str], silent: int, mentions: int) -> tuple[str, ...]:
    """What was left out, and what is missing."""
    notes = []
    if others:
        told = ", ".join(map(repr, others[:_EXAMPLES])) + (" …" if len(others) > _EXAMPLES else "")
        notes.append(f"left out: {_counted(of_others, 'row')} of predictions, of "
                     f"{_counted(len(others), 'mention')} that gold does not have: {told}")  # fmt: skip
    if silent:
        notes.append(f"without a prediction, which is a miss: {_counted(silent, 'mention')} of {mentions:,}")
    return tuple(notes)


def _form(row: Row) -> tuple[str, ...]:
    """Which of the two forms a row has; an error if it has both."""
    ranked = all(row.cell(column) is not None for column in _RANKED[1:])
    grouped = _candidates(row) is not None
    if ranked and grouped:
        raise row.error("mixed forms: it has `rank` and `id` and `candidates` at once; keep to one of them")
    if grouped or not all(column in row.values for column in _RANKED):
        return _GROUPED
    return _RANKED


def _add_ranked(row: Row, answer: _Answer, prefix: str) -> None:
    rank, score = _number(row, "rank", row.cell("rank")), None
    if rank is None:
        raise row.error("rank: the cell is empty; expected a number, 1 for the best, equal numbers for ties")
    identifier = _id(row, "id", row.cell("id"), prefix)
    if "score" in row.values:
        score = _number(row, "score", row.values["score"])
    ids = answer.groups.setdefault(rank, {})
    if ids and answer.scores[rank] != score:
        raise row.error(f"score: ids of the same rank have different scores, {answer.scores[rank]} and {score}; give "
                        "them ranks of their own")  # fmt: skip
    ids[identifier], answer.scores[rank] = None, score
    if (next(iter(answer.scores.values())) is None) != (score is None):
        raise row.error("score: some candidates of this mention have a score and others have none")


def _grouped(row: Row, prefix: str) -> _Answer:
    """Groups in the order of their ranks; a group may be one id, and its score one number or one for each id."""
    answer = _Answer(nil=_nil(row))
    candidates, scores = _candidates(row), row.cell("scores") or None
    if candidates is None and answer.nil:
        candidates = []
    if not isinstance(candidates, list):
        raise row.error(f"candidates: expected a list of groups of ids, found {candidates!r:.60}")
    if scores is not None and (not isinstance(scores, list) or len(scores) != len(candidates)):
        raise row.error(f"scores: expected one for each of {len(candidates)} groups, found {scores!r:.60}")
    for rank, group in enumerate(candidates):
        members = group if isinstance(group, list) else [group]
        ids = dict.fromkeys(_id(row, "candidates", each, prefix) for each in members)
        if ids:
            answer.groups[rank] = ids
            answer.scores[rank] = None if scores is None else _score(row, scores[rank], len(members))
    return answer


def _candidates(row: Row) -> Any:
    return row.cell("candidates" if "candidates" in row.values else "groups")


def _nil(row: Row) -> bool:
    value = row.cell("nil")
    if value not in (None, True, False):
        raise row.error(f"nil: expected true or false, found {value!r:.60}")
    return bool(value)


def _score(row: Row, value: Any, size: int) -> float:
    numbers = [_number(row, "scores", each) for each in (value if isinstance(value, list) else [value])]
    if len(numbers) not in (1, size) or len(set(numbers)) > 1 or numbers[0] is None:
        raise row.error(f"scores: expected a number for a group of {size} tied ids, found {value!r:.60}")
    return numbers[0]


def _id(row: Row, column: str, value: Any, prefix: str) -> str:
    if not isinstance(value, str):
        hint = "; where there is no answer leave out the row" if value is None else ""
        raise row.error(f"{column}: expected an id as text, found {value!r:.60}{hint}")
    if not value.strip():
        raise row.error(f"{column}: an id is empty; where there is no answer leave it out")
    return curie(row.sound(column, value), prefix)


def _number(row: Row, column: str, value: Any) -> float | None:
    """A finite number; None where the cell is missing. Cells of text files are texts."""
    value = value.item() if hasattr(value, "item") and not isinstance(value, str) else value
    if value is None or (row.flat and value == ""):
        return None
    if row.flat:
        try:
            value = float(value)
        except ValueError:
            raise row.error(f"{column}: expected a number, found {value!r:.60}") from None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise row.error(f"{column}: expected a number, found {value!r:.60}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise row.error(f"{column}: expected a finite number, found {number}")
    return number + 0.0  # there is one zero


def _rows(answers: dict[str, _Answer], gold: GivenGold) -> Iterator[tuple[Any, ...]]:
    for mention, (document, type_) in gold.mentions.items():
        if mention in answers:
            answer = answers[mention]
            ranks = sorted(answer.groups)
            scores = [answer.scores[rank] for rank in ranks]
            yield (document, mention, [], type_, [list(answer.groups[rank]) for rank in ranks],
                   [] if None in scores else scores, answer.nil, "")  # fmt: skip


def _counted(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
