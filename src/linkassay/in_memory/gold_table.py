"""Gold as a caller gives it, a mention a row, becomes a corpus in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from linkassay import store
from linkassay.corpora import GivenCorpus
from linkassay.errors import DataError
from linkassay.ids import IdRule, curie
from linkassay.in_memory.given_rows import Row, given_rows
from linkassay.model import Gold

#: The one document that all mentions are in where no row names one: figures have no interval then (STAT-2).
NOWHERE = "-"


@dataclass(frozen=True)
class GivenGold:
    """The corpus, which document and type each mention has, and which of the optional columns say nothing at all."""

    corpus: GivenCorpus
    mentions: dict[str, tuple[str, str]]
    lacks: frozenset[str]


def read_gold(data: Any, *, name: str = "gold", kb: str = "", prefix: str = "") -> GivenGold:
    """A row has `mention` and `ids`, and if so wished `document`, `text` and `type`; a mention occurs once.

    `ids` is a list of alternatives, an inner list being a composite; in text files `;` and `|` stand between them. One
    text is one id, nothing is NIL (DATA-5). `prefix` is that of ids without one.
    """
    rule = IdRule(prefix=prefix, composite="|", alternative=";")
    found: dict[str, tuple[str, str]] = {}
    rows: list[tuple[Any, ...]] = []
    named, lacks = 0, {"document", "text", "type"}
    for row in given_rows(data, "gold", [("mention", "ids")]):
        mention, document, type_ = row.needed("mention"), row.text("document"), row.text("type")
        lacks -= {column for column in lacks if row.text(column).strip()}
        if mention in found:
            raise row.error(f"mention: {mention!r} occurs before; give each mention one row, its ids as a list")
        named += bool(document.strip())
        if named not in (0, len(rows) + 1):
            raise row.error("document: some rows have one and others have none; fill the column or leave it out")
        found[mention] = document or NOWHERE, type_
        gold = list(map(sorted, _gold(row, rule)))
        raw = ";".join("|".join(ids) for ids in gold)
        rows.append(("test", document or NOWHERE, mention, [], row.text("text"), type_, gold, raw, "", False, "", "",
                     None, "", []))  # fmt: skip
    if not rows:
        raise DataError("gold: there is no row")
    documents = sorted({document for document, _ in found.values()})
    about: list[tuple[Any, ...]] = [("test", document, "", "", [], None, []) for document in documents]
    tables = table_of(about, store.DOCUMENTS), table_of(rows, store.MENTIONS)
    return GivenGold(GivenCorpus(name, *tables, kb=kb), found, frozenset(lacks))


def _gold(row: Row, rule: IdRule) -> Gold:
    value = row.cell("ids")
    if row.flat:
        return rule.gold(row.text("ids"))
    alternatives = [] if value is None else value if isinstance(value, list) else [value]
    sets = (frozenset(_ids(row, each, rule)) for each in alternatives)
    return tuple(dict.fromkeys(ids for ids in sets if ids))


def _ids(row: Row, alternative: Any, rule: IdRule) -> Iterator[str]:
    for each in alternative if isinstance(alternative, list) else [alternative]:
        if not isinstance(each, str):
            raise row.error(f"ids: expected texts, or lists of texts for composites, found {each!r:.60}")
        if not rule.is_none(row.sound("ids", each)):
            yield curie(each, rule.prefix)


def table_of(rows: Sequence[tuple[Any, ...]], schema: pa.Schema) -> pa.Table:
    """Rows in the order of a schema's columns as a table."""
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(schema)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)
