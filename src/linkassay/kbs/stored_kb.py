"""A knowledge base in the data home: look up names and ids, follow history and parents, ask SQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from linkassay import store
from linkassay.errors import UsageError
from linkassay.kbs import KBS
from linkassay.kbs.hierarchy import Hierarchy
from linkassay.kbs.schema import SCHEMAS
from linkassay.registry import near_miss
from linkassay.tables import Rows, html_block
from linkassay.text import name_key

#: Tables beside the six of KB-1: ids sorted by key, and history with its chains followed.
_FURTHER = {"lookup": ("key", "id"), "current": ("old", "new")}


def kb_folder(name: str) -> Path:
    """Where all revisions of the knowledge base `name` lie."""
    return store.home() / "kbs" / name


def kb_names() -> list[str]:
    """The knowledge bases in the data home."""
    root = store.home() / "kbs"
    return sorted(p.name for p in root.iterdir() if store.current(p)) if root.is_dir() else []


class Kb:
    """One revision of a knowledge base."""

    def __init__(self, path: Path) -> None:
        self.path = path
        file = path / "manifest.json"
        self.manifest: dict[str, Any] = store.Recorded(store.read_json(file), file, _remake(path.parent.name))
        self.name: str = self.manifest["name"]
        self.revision: str = self.manifest["revision"]

    @classmethod
    def open(cls, name: str) -> Kb:
        """The knowledge base `name` or `name@revision` of the data home."""
        bare, _, revision = name.partition("@")
        wanted = revision or store.current(kb_folder(bare)) or ""
        path = kb_folder(bare) / wanted
        if not wanted or not (path / "manifest.json").exists():
            if revision and kb_folder(bare).is_dir():
                known = sorted(p.name for p in kb_folder(bare).iterdir() if (p / "manifest.json").exists())
                raise UsageError(f"knowledge base {bare!r} has no revision {revision!r}; at hand: {', '.join(known)}")
            if bare in KBS:
                raise UsageError(f"knowledge base {name!r} is not in the data home yet; run: linkassay get {bare}")
            raise UsageError(f"unknown knowledge base {name!r}; {near_miss(bare, sorted({*KBS, *kb_names()}))}")
        return cls(path)

    def __repr__(self) -> str:
        return f"<kb {self.name}@{self.revision}>"

    def _repr_html_(self) -> str:
        facts = Rows({"table": name, "rows": count} for name, count in self.manifest["counts"].items())
        notes = [f"licence: {self.manifest['licence']}"] if self.manifest["licence"] else []
        return html_block(f"knowledge base {self.pinned}: {self.manifest['title']}", facts, notes=notes)

    @property
    def pinned(self) -> str:
        """The name by which `open` finds just this revision."""
        return f"{self.name}@{self.revision}"

    def connect(self, further: Mapping[str, list[Path]] | None = None) -> Any:
        """A DuckDB connection with one view per table (KB-1), `lookup`, `current`, and any further files.

        What is registered or temporary is its own.
        """
        return store.connect(self.files | dict(further or {}))

    @cached_property
    def files(self) -> dict[str, list[Path]]:
        """The tables; an error if one is not what it must be, as in what older versions built."""
        columns = {name: schema.names for name, schema in SCHEMAS.items()} | _FURTHER
        files = {name: self.path / f"{name}.parquet" for name in columns}
        for name, path in files.items():
            store.require_columns(path, columns[name], _remake(self.name))
        return {name: [path] for name, path in files.items()}

    @cached_property
    def _connection(self) -> Any:
        return store.connect(self.files)

    def sql(self, query: str, parameters: list[Any] | None = None) -> list[tuple[Any, ...]]:
        """Plain SQL over `entities names parents history xrefs foreign` (and `lookup`, `current`)."""
        rows: list[tuple[Any, ...]] = self._connection.execute(query, parameters or []).fetchall()
        return rows

    def lookup(self, name: str, *, normalised: bool = False) -> list[str]:
        """Ids of the entities with this name, verbatim or by its normalised key (KB-6)."""
        ids = [row[0] for row in self.sql("select distinct id from lookup where key = ? order by id", [name_key(name)])]
        if normalised or not ids:
            return ids
        query = "select distinct id from names where name = ? and list_contains(?, id) order by id"
        return [row[0] for row in self.sql(query, [name, ids])]

    def lookup_many(self, names: Sequence[str], *, normalised: bool = False) -> list[list[str]]:
        """For each name what `lookup` gives, in one join."""
        table, column = ("lookup", "key") if normalised else ("names", "name")
        wanted = [name_key(n) for n in names] if normalised else list(names)
        asked = pa.table(
            {"position": pa.array(range(len(wanted)), pa.int64()), "wanted": pa.array(wanted, pa.string())}
        )
        found: list[list[str]] = [[] for _ in wanted]
        connection = self.connect()
        connection.register("asked", asked)
        query = f"select distinct position, id from asked join {table} on wanted = {column} order by position, id"
        for position, identifier in connection.execute(query).fetchall():
            found[position].append(identifier)
        return found

    def names_of(self, identifier: str) -> list[str]:
        """The names of an entity, the primary one first."""
        query = 'select name from names where id = ? order by "primary" desc, name'
        return list(dict.fromkeys(row[0] for row in self.sql(query, [identifier])))

    def primary_names(self, ids: Iterable[str]) -> dict[str, str]:
        """The primary name of each id that is an entity."""
        asked = pa.table({"id": pa.array(sorted(set(ids)), pa.string())})
        connection = self.connect()
        connection.register("asked", asked)
        return dict(connection.execute('select id, name from asked join names using (id) where "primary"').fetchall())

    @cached_property
    def _current(self) -> dict[str, tuple[str, ...]]:
        moved: dict[str, tuple[str, ...]] = {}
        for old, new in self.sql("select old, new from current order by old, new"):
            moved[old] = (*moved.get(old, ()), new) if new else ()
        return moved

    def current(self, identifier: str) -> tuple[str, ...]:
        """What an id is called now: itself, what it was merged into, or () if it was removed (KB-5)."""
        return self._current.get(identifier, (identifier,))

    def __contains__(self, identifier: object) -> bool:
        return bool(self.sql("select 1 from entities where id = ?", [identifier]))

    @cached_property
    def hierarchy(self) -> Hierarchy:
        """The entities as a directed graph over integers, by `parents` of the relation `is_a`."""
        return Hierarchy.of(self)

    def ancestors(self, identifier: str) -> set[str]:
        """All entities above one."""
        return self.hierarchy.ancestors(identifier)

    def descendants(self, identifier: str) -> set[str]:
        """All entities below one."""
        return self.hierarchy.descendants(identifier)

    def homonyms(self, *, primary: bool = False) -> list[tuple[str, list[str]]]:
        """Names that belong to several entities, with these; only primary names if so wished (KB-8)."""
        where = 'where "primary"' if primary else ""
        query = (
            f"select name, list(distinct id order by id) from names {where} group by name "
            "having min(id) <> max(id) order by name"
        )
        return [(name, ids) for name, ids in self.sql(query)]

    def subset(self, foreign_ids: Iterable[str]) -> list[str]:
        """Ids of the entities with one of these foreign ids, e.g. the genes of some taxa (KB-12)."""
        asked = pa.table({"foreign_id": pa.array(sorted(set(foreign_ids)), pa.string())})
        connection = self.connect()
        connection.register("asked", asked)
        query = "select id from entities semi join asked using (foreign_id) order by id"
        return [row[0] for row in connection.execute(query).fetchall()]

    def statistics(self) -> dict[str, Any]:
        """Counts and shares (KB-9); homonyms are name rows whose name belongs to several entities."""
        counts = self.manifest["counts"]
        share = (
            "select coalesce(sum(n) filter (shared) / nullif(sum(n), 0), 0) from (select count(*) as n, "
            "min(id) <> max(id) as shared from names {where} group by name)"
        )
        return {
            "entities": counts["entities"], "names": counts["names"], "history": counts["history"],
            "synonyms_per_entity": counts["names"] / max(1, counts["entities"]),
            "homonyms": self.sql(share.format(where=""))[0][0],
            "homonyms_primary": self.sql(share.format(where='where "primary"'))[0][0],
            "depth": self.hierarchy.depth if counts["parents"] else 0,
            "roots": len(self.hierarchy.roots) if counts["parents"] else 0,
        }  # fmt: skip


def _remake(name: str) -> str:
    return f"linkassay get {name}" if name in KBS else "linkassay kb add DESCRIPTION.toml"
