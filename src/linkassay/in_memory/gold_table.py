"""Gold as a caller gives it, a mention a row, becomes a corpus in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linkassay import store
from linkassay.corpora import GivenCorpus
from linkassay.errors import DataError
from linkassay.ids import IdRule, curie
from linkassay.in_memory.given_columns import (
    Integers,
    NotPlainError,
    encoded,
    given_columns,
    has_lists,
    ids,
    lists,
    texts,
)
from linkassay.in_memory.given_rows import Row, given_rows, read_once

#: The one document that all mentions are in where no row names one: figures have no interval then (STAT-2).
NOWHERE = "-"
_OPTIONAL = ("document", "text", "type")


@dataclass(frozen=True)
class GivenGold:
    """The corpus, which document and type each mention has, and which of the optional columns say nothing at all."""

    corpus: GivenCorpus
    mentions: dict[str, tuple[str, str]]
    lacks: frozenset[str]


class _Mentions(NamedTuple):
    """Columns: what rows say of each mention; `gold` has the ids that occur, `which` the number of each mention's."""

    name: list[str]
    document: list[str]
    text: list[str]
    type: list[str]
    gold: list[list[list[str]]]
    which: Sequence[int] | Integers


def read_gold(data: Any, *, name: str = "gold", kb: str = "", prefix: str = "") -> GivenGold:
    """A row has `mention` and `ids`, and if so wished `document`, `text` and `type`; a mention occurs once.

    `ids` is a list of alternatives, an inner list being a composite; in text files `;` and `|` stand between them. One
    text is one id, nothing is NIL (DATA-5). `prefix` is that of ids without one.
    """
    rule = IdRule(prefix=prefix, composite="|", alternative=";")
    data = read_once(data, "gold")
    try:
        mentions = _by_column(data, rule)
    except NotPlainError:
        mentions = _by_row(data, rule)
    if not mentions.name:
        raise DataError("gold: there is no row")
    lacks = frozenset(column for column in _OPTIONAL if not any(map(str.strip, set(getattr(mentions, column)))))
    documents = [document or NOWHERE for document in mentions.document]
    about: list[tuple[Any, ...]] = [("test", document, "", "", [], None, []) for document in sorted(set(documents))]
    tables = table_of(about, store.DOCUMENTS), _stored(mentions._replace(document=documents))
    found = dict(zip(mentions.name, zip(documents, mentions.type, strict=True), strict=True))
    return GivenGold(GivenCorpus(name, *tables, kb=kb), found, lacks)


def _stored(mentions: _Mentions) -> pa.Table:
    """As a corpus has them; nothing is known of their places."""
    raw = [";".join("|".join(ids) for ids in gold) for gold in mentions.gold]
    known = {"split": "test", "document": mentions.document, "id": mentions.name, "spans": [], "text": mentions.text,
             "type": mentions.type, "source_type": "", "optional": False, "parent": "", "role": "", "coreference": None,
             "kind": "", "further_parents": []}  # fmt: skip
    of_ids, which = {"gold": mentions.gold, "raw": raw}, pa.array(mentions.which, pa.int64())

    def column(field: pa.Field) -> pa.Array:
        if field.name in of_ids:
            return pa.array(of_ids[field.name], field.type).take(which)
        value = known[field.name]
        if isinstance(value, list) and value:
            return pa.array(value, field.type)
        return pa.repeat(pa.scalar(value, field.type), len(mentions.name))

    return pa.Table.from_arrays(list(map(column, store.MENTIONS)), schema=store.MENTIONS)


def _by_column(data: Any, rule: IdRule) -> _Mentions:
    """The mentions of a table; what the same ids stand for is worked out once."""
    columns = given_columns(data, ("mention", "ids", *_OPTIONAL))
    if not {"mention", "ids"} <= columns.keys():
        raise NotPlainError
    names, documents, said, types = (
        pc.fill_null(texts(columns[name]), "").to_pylist() if name in columns else [""] * len(columns["ids"])
        for name in ("mention", *_OPTIONAL)
    )
    named = sum(map(bool, map(str.strip, documents)))
    if len(set(names)) < len(names) or not all(map(str.strip, names)) or named not in (0, len(names)):
        raise NotPlainError
    which, cells = _different(columns["ids"])
    gold = [_sorted(_canonical(each, rule) for each in cell) for cell in cells]
    return _Mentions(names, documents, said, types, gold, which)


def _different(column: pa.Array) -> tuple[Sequence[int] | Integers, Iterable[Iterable[Iterable[str]]]]:
    """The different cells of a column, as alternatives of ids each, and the number of each row's."""
    alone = _without_lists(column)
    if alone is not None:
        which, names = encoded(pc.fill_null(texts(alone, digits=False), ""))  # to say nothing is to say that it is none
        return which, ([[name]] for name in names)
    inner = lists(column, missing=True).values
    ids(lists(inner).values if has_lists(inner) else inner)  # they are texts
    wrapped = (lambda each: tuple(each)) if has_lists(inner) else (lambda each: (each,))
    cells: dict[tuple[tuple[str, ...], ...], int] = {}
    found = [cells.setdefault(tuple(map(wrapped, cell or ())), len(cells)) for cell in column.to_pylist()]
    return found, cells


def _without_lists(column: pa.Array) -> pa.Array | None:
    """The column with the one value of each list in place of it, if no list has more."""
    while has_lists(column):
        lengths, values = lists(column, missing=True)
        if (lengths > 1).any():
            return None
        if values.null_count:
            raise NotPlainError
        column = values.take(pa.array(np.cumsum(lengths) - 1, mask=lengths == 0))
    return column


def _by_row(data: Any, rule: IdRule) -> _Mentions:
    found: dict[str, tuple[str, str, str]] = {}
    gold: list[list[list[str]]] = []
    named = 0
    for row in given_rows(data, "gold", [("mention", "ids")]):
        mention, document, text, type_ = row.needed("mention"), *map(row.text, _OPTIONAL)
        if mention in found:
            raise row.error(f"mention: {mention!r} occurs before; give each mention one row, its ids as a list")
        named += bool(document.strip())
        if named not in (0, len(found) + 1):
            raise row.error("document: some rows have one and others have none; fill the column or leave it out")
        found[mention] = document, text, type_
        gold.append(_gold(row, rule))
    documents, said, types = ([each[n] for each in found.values()] for n in range(len(_OPTIONAL)))
    return _Mentions(list(found), documents, said, types, gold, range(len(gold)))


def _gold(row: Row, rule: IdRule) -> list[list[str]]:
    value = row.cell("ids")
    if row.flat:
        return _sorted(rule.gold(row.text("ids")))
    alternatives = [] if value is None else value if isinstance(value, list) else [value]
    return _sorted(_canonical(_checked(row, each), rule) for each in alternatives)


def _checked(row: Row, alternative: Any) -> list[str]:
    """The ids of an alternative, which are texts."""
    given = alternative if isinstance(alternative, list) else [alternative]
    for each in given:
        if not isinstance(each, str):
            raise row.error(f"ids: expected texts, or lists of texts for composites, found {each!r:.60}")
        row.sound("ids", each)
    return given


def _canonical(alternative: Iterable[str], rule: IdRule) -> frozenset[str]:
    """Ids that are meant together, without those that say that there is none."""
    return frozenset(curie(each, rule.prefix) for each in alternative if not rule.is_none(each))


def _sorted(alternatives: Iterable[frozenset[str]]) -> list[list[str]]:
    """Each alternative once, in the order in which they are given."""
    return [sorted(ids) for ids in dict.fromkeys(alternatives) if ids]


def table_of(rows: Sequence[tuple[Any, ...]], schema: pa.Schema) -> pa.Table:
    """Rows in the order of a schema's columns as a table."""
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(schema)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)
