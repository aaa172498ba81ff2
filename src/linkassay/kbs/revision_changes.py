"""Two revisions of a knowledge base compared, and what the change does to gold ids."""

from __future__ import annotations

from typing import Any

from linkassay import store
from linkassay.kbs.stored_kb import Kb

EXAMPLES = 10

#: Each yields (id, what became of it), in the order of the ids (KB-11).
_CHANGES = {
    "added": "select id, id from new_entities anti join old_entities using (id)",
    "merged": "select e.id, string_agg(c.new, ' ' order by c.new) from old_entities e anti join new_entities n "
    "using (id) join new_current c on c.old = e.id where c.new <> '' group by e.id",
    "removed": "select e.id, '' from old_entities e anti join new_entities n using (id) "
    "where e.id not in (select old from new_current where new <> '')",
    "renamed": "select a.id, a.name || ' → ' || b.name from old_names a join new_names b using (id) "
    'where a."primary" and b."primary" and a.name <> b.name',
}


def compare_revisions(old: Kb, new: Kb) -> dict[str, Any]:
    """Counts and examples of entities added, removed, merged into others and renamed."""
    connection = _both(old, new)
    result: dict[str, Any] = {"old": f"{old.name}@{old.revision}", "new": f"{new.name}@{new.revision}"}
    for kind, query in _CHANGES.items():
        count = connection.execute(f"select count(*) from ({query})").fetchall()[0][0]
        rows = connection.execute(f"select * from ({query}) order by 1 limit {EXAMPLES}").fetchall()
        result[kind] = {"count": count, "examples": {row[0]: row[1] for row in rows}}
    return result


def effect_on_gold_ids(gold: Any, old: Kb, new: Kb) -> dict[str, Any]:
    """How many gold ids each change touches, by split; `gold` is an Arrow table of split, mention, entity."""
    connection = _both(old, new)
    connection.register("gold", gold)
    result: dict[str, Any] = {}
    for kind in ("merged", "removed", "renamed"):
        rows = connection.execute(
            f"select split, count(*) from gold join ({_CHANGES[kind]}) as changed(id, what) on entity = changed.id "
            "group by split"
        ).fetchall()
        result[kind] = dict(rows)
    total = connection.execute("select split, count(*) from gold group by split").fetchall()
    return {"gold_ids": dict(total), **result}


def _both(old: Kb, new: Kb) -> Any:
    tables = ("entities", "names", "current")
    sides = {"old": old, "new": new}
    return store.connect({f"{s}_{t}": kb.files[t] for s, kb in sides.items() for t in tables})
