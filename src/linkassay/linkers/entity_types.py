"""The type of an entity as linkers see it: its own, else the one that its parents have, of whatever relation.

MeSH's supplementary concepts from tables bear none, but the headings they are mapped to do. An entity with neither may
be of any type.
"""

from __future__ import annotations

#: A table (id, type) of the entities that are not obsolete, to be put into a query.
TYPED = """(
    select e.id, case when e.type <> '' then e.type else coalesce(above.type, '') end as type
    from entities e left join (
        select child as id, min(type) as type from parents join entities on entities.id = parent
        where type <> '' group by child having min(type) = max(type)
    ) above using (id) where not obsolete
)"""
