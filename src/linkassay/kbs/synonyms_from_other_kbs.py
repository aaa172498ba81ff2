"""A knowledge base with the names that others have for its entities. For linkers; the stored one stays as it is.

An entity of another knowledge base is one of ours if a cross-reference of either says so, else by its primary name,
else by its other names that are no name of a second entity there; each time only if that leads to one entity of ours,
and names only within a type. Borrowed are names that nothing of ours has, if all lenders mean the same entity by them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from linkassay import store
from linkassay.kbs.schema import SCHEMAS
from linkassay.kbs.stored_kb import Kb

_OWN = """
    create temp table own as select distinct key, id, type from names join entities using (id) where not obsolete
"""
#: What may lead from an entity of the other to one of ours, the surest kind first.
_LEADS = """
    create temp table leads as
    with crossed as (
        select x.id as theirs, coalesce(c.new, x.other) as ours
        from their_xrefs x left join current c on c.old = x.other
        union select other, id from xrefs
    ), theirs as (
        select n.key, n.id, n."primary", e.type, count(distinct n.id) over (partition by n.key) as sharing
        from their_names n join their_entities e using (id) where not e.obsolete
    )
    select theirs, ours, 1 as kind from crossed join entities on entities.id = ours and not obsolete
    union select t.id, own.id, case when t."primary" then 2 else 3 end from theirs t join own using (key)
    where (t."primary" or t.sharing = 1) and ('' in (coalesce(t.type, ''), coalesce(own.type, '')) or t.type = own.type)
"""
_BORROWED = """
    with one as (select theirs, kind, min(ours) as ours from leads group by all having min(ours) = max(ours)),
    same as (select theirs, arg_min(ours, kind) as ours from one group by theirs)
    select ours as id, n.name, 'borrowed' as kind, false as "primary", n.key
    from their_names n join same on n.id = theirs join their_entities e on e.id = theirs and not e.obsolete
    anti join own using (key)
"""
_AGREED = """
    select distinct * from lent semi join (select key from lent group by key having min(id) = max(id)) using (key)
    order by key, name
"""


class _Borrower(Kb):
    """A knowledge base whose `names` and `lookup` hold borrowed names, too."""

    def __init__(self, path: Path, others: Sequence[Kb]) -> None:
        super().__init__(path)
        self._borrowed = _names(Kb(path), others)

    def connect(self, further: Mapping[str, list[Path]] | None = None) -> Any:
        connection = store.connect(self.files | dict(further or {}))
        connection.register("borrowed", self._borrowed)
        for table, columns in (("names", 'id, name, kind, "primary", key'), ("lookup", "key, id")):
            connection.execute(f"alter view {table} rename to own_{table}")
            connection.execute(f"create temp view {table} as select {columns} from own_{table} "
                               f"union all select distinct {columns} from borrowed")  # fmt: skip
        return connection

    @cached_property
    def _connection(self) -> Any:
        return self.connect()


def synonym_sources(kb: Kb, names: Sequence[str]) -> list[str]:
    """The knowledge bases `names` of the data home but `kb` itself, each with its revision, as a run records them."""
    others = (Kb.open(name) for name in dict.fromkeys(names))
    return [other.pinned for other in others if other.name != kb.name]


def with_synonyms(kb: Kb, names: Sequence[str]) -> Kb:
    """`kb` with names for its entities from the knowledge bases `names` of the data home."""
    others = [Kb.open(name) for name in synonym_sources(kb, names)]
    return _Borrower(kb.path, others) if others else kb


def _names(kb: Kb, others: Sequence[Kb]) -> pa.Table:
    """The rows of `names` that the others add, in a fixed order."""
    lent = []
    for other in others:
        connection = kb.connect({f"their_{table}": [other.path / f"{table}.parquet"] for table in SCHEMAS})
        connection.execute(_OWN)
        connection.execute(_LEADS)
        lent.append(connection.sql(_BORROWED).to_arrow_table())
    connection.register("lent", pa.concat_tables(lent))
    return connection.sql(_AGREED).to_arrow_table()
