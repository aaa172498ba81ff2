"""Predictions of a caller's table, column by column: what `answer_table` makes of their rows, many times as fast.

What is not plain, and whatever would be an error, is left to the rows (`NotPlainError`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from linkassay import store
from linkassay.ids import curie
from linkassay.in_memory.given_columns import (
    Integers,
    Lists,
    NotPlainError,
    encoded,
    given_columns,
    has_lists,
    ids,
    list_array,
    lists,
    numbers,
    texts,
)

Flags = NDArray[np.bool_]

_RANKED, _GROUPED = ("rank", "id", "score"), ("candidates", "groups", "scores", "nil")


class AnsweredColumns(NamedTuple):
    """The table of gold's mentions in gold's order; how many rows are of others, and these."""

    table: pa.Table
    of_others: int
    others: list[str]


class _Ids(NamedTuple):
    """Ids one after another, group by group and mention by mention."""

    codes: Integers
    group: Integers
    names: list[str]

    def once(self) -> tuple[Integers, Integers]:
        """Which of them are left if a group has each but once, and how many a group has then."""
        place = self.group * len(self.names) + self.codes
        first = np.sort(np.unique(place, return_index=True)[1])
        return first, np.bincount(self.group[first])


def answer_columns(data: Any, mentions: Mapping[str, tuple[str, str]], prefix: str) -> AnsweredColumns:
    """The predictions; `mentions` are gold's, each with its document and type."""
    columns = given_columns(data, ("mention", *_RANKED, *_GROUPED))
    if "mention" not in columns:
        raise NotPlainError
    codes, names = encoded(pc.fill_null(texts(columns["mention"]), ""))
    if not all(map(str.strip, names)):
        raise NotPlainError
    place = {mention: n for n, mention in enumerate(mentions)}
    others = [name for name in names if name not in place]
    if len(others) == len(names):
        raise NotPlainError
    after = {name: len(place) + n for n, name in enumerate(others)}
    at = np.array([place[name] if name in place else after[name] for name in names])[codes]
    ranked, grouped = (any(column in columns for column in kind[:2]) for kind in (_RANKED, _GROUPED))
    if ranked == grouped:
        raise NotPlainError
    order, parts = (_ranked if ranked else _grouped)(columns, at, prefix)
    rows = order[order < len(place)]
    ours = pa.array(np.arange(len(rows)))  # a slice would bear traces of the others, by which tables are told apart
    about = (*zip(*mentions.values(), strict=True), mentions)
    document, type_, mention = (pa.array(list(each), pa.string()).take(pa.array(rows)) for each in about)
    spans = pa.repeat(pa.scalar([], store.PREDICTIONS.field("spans").type), len(rows))
    arrays = [document, mention, spans, type_, *(part.take(ours) for part in parts), pa.repeat("", len(rows))]
    table = pa.Table.from_arrays(arrays, schema=store.PREDICTIONS)
    return AnsweredColumns(table, int((at >= len(place)).sum()), others)


def _ranked(columns: Mapping[str, pa.Array], at: Integers, prefix: str) -> tuple[Integers, tuple[pa.Array, ...]]:
    """The places of mentions in order, and for each its groups, their scores, and that it is not NIL."""
    if not {"rank", "id"} <= columns.keys():
        raise NotPlainError
    rank, there = numbers(columns["rank"])
    if not there.all():
        raise NotPlainError
    order = np.lexsort((rank, at))
    at, rank = at[order], rank[order]
    fresh = np.concatenate([[True], at[1:] != at[:-1]])
    begins = np.flatnonzero(fresh | np.concatenate([[True], rank[1:] != rank[:-1]]))
    group = np.repeat(np.arange(len(begins)), np.diff(np.append(begins, len(at))))
    codes, names = _curies(ids(columns["id"]), prefix)
    left, sizes = _Ids(codes[order], group, names).once()
    of_mention = np.diff(np.append(np.searchsorted(begins, np.flatnonzero(fresh)), len(begins)))
    groups = list_array(of_mention, list_array(sizes, pa.array(names, pa.string()).take(pa.array(codes[order][left]))))
    scores = _scores_of_ranks(columns.get("score"), order, group, begins, fresh, of_mention)
    return at[fresh], (groups, scores, pa.array(np.zeros(len(of_mention), dtype=bool)))


def _scores_of_ranks(
    column: pa.Array | None, order: Integers, group: Integers, begins: Integers, fresh: Flags, of_mention: Integers
) -> pa.Array:
    """One for each group, as tied ids have the same; none for a mention whose candidates have none."""
    if column is None:
        return list_array(np.zeros(len(of_mention), dtype=np.int64), pa.array([], pa.float64()))
    score, there = (each[order] for each in numbers(column))
    mention = np.cumsum(fresh) - 1
    scored = there[fresh]
    if (score != score[begins][group]).any() or (there != scored[mention]).any():
        raise NotPlainError
    kept = there[begins]
    return list_array(np.where(scored, of_mention, 0), pa.array(score[begins][kept]))


def _grouped(columns: Mapping[str, pa.Array], at: Integers, prefix: str) -> tuple[Integers, tuple[pa.Array, ...]]:
    """The same of rows that have all groups of a mention."""
    order = np.argsort(at, kind="stable")
    if len(np.unique(at)) < len(at):
        raise NotPlainError
    taken = {name: column.take(pa.array(order)) for name, column in columns.items()}
    outer = lists(taken["candidates" if "candidates" in taken else "groups"])
    inner = outer.values
    groups = lists(inner) if has_lists(inner) else Lists(np.ones(len(inner), dtype=np.int64), inner)
    codes, names = _curies(ids(groups.values), prefix)
    filled = groups.lengths > 0
    mention = np.repeat(np.arange(len(at)), outer.lengths)
    of_mention = np.bincount(mention[filled], minlength=len(at))
    group = np.repeat(np.arange(int(filled.sum())), groups.lengths[filled])
    left, sizes = _Ids(codes, group, names).once()
    found = list_array(of_mention, list_array(sizes, pa.array(names, pa.string()).take(pa.array(codes[left]))))
    return at[order], (found, _scores_of_groups(taken.get("scores"), outer.lengths, filled, of_mention), _nil(taken))


def _scores_of_groups(column: pa.Array | None, lengths: Integers, filled: Flags, of_mention: Integers) -> pa.Array:
    if column is None or pa.types.is_null(column.type):
        return list_array(np.zeros(len(lengths), dtype=np.int64), pa.array([], pa.float64()))
    given = lists(column, missing=True)
    scored = given.lengths > 0
    if (given.lengths[scored] != lengths[scored]).any():
        raise NotPlainError
    score, there = numbers(given.values.cast(pa.float64()) if pa.types.is_null(given.values.type) else given.values)
    if not there.all():
        raise NotPlainError
    kept = filled[np.repeat(scored, lengths)]
    return list_array(np.where(scored, of_mention, 0), pa.array(score[kept]))


def _nil(columns: Mapping[str, pa.Array]) -> pa.Array:
    column = columns.get("nil")
    if column is None:
        return pa.array(np.zeros(len(columns["mention"]), dtype=bool))
    if not pa.types.is_boolean(column.type):
        raise NotPlainError
    return pc.fill_null(column, False)


def _curies(column: pa.Array, prefix: str) -> tuple[Integers, list[str]]:
    """The different ids in their canonical forms, and the number of each row's."""
    codes, given = encoded(column)
    if not all(map(str.strip, given)):
        raise NotPlainError
    numbered: dict[str, int] = {}
    same = [numbered.setdefault(curie(each, prefix), len(numbered)) for each in given]
    return np.array(same, dtype=np.int64)[codes], list(numbered)
