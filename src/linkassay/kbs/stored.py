"""A knowledge base in the data home: look up names and ids, follow history and parents, ask SQL."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

from linkassay import store
from linkassay.errors import UsageError
from linkassay.kbs import KBS
from linkassay.kbs.base import SCHEMAS
from linkassay.registry import near_miss
from linkassay.text.normalise import key

__all__ = ["Kb", "folder", "names"]


def folder(name: str) -> Path:
    """Where all revisions of the knowledge base `name` lie."""
    return store.home() / "kbs" / name


def names() -> list[str]:
    """The knowledge bases in the data home."""
    root = store.home() / "kbs"
    return sorted(p.name for p in root.iterdir() if store.current(p)) if root.is_dir() else []


class Kb:
    """One revision of a knowledge base."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.manifest: dict[str, Any] = store.read_json(path / "manifest.json")
        self.name: str = self.manifest["name"]
        self.revision: str = self.manifest["revision"]

    @classmethod
    def open(cls, name: str) -> Kb:
        """The knowledge base `name` or `name@revision` of the data home."""
        bare, _, revision = name.partition("@")
        revision = revision or store.current(folder(bare)) or ""
        path = folder(bare) / revision
        if not revision or not (path / "manifest.json").exists():
            if bare in KBS:
                raise UsageError(f"knowledge base {name!r} is not in the data home yet; run: linkassay get {bare}")
            raise UsageError(f"unknown knowledge base {name!r}; {near_miss(bare, sorted({*KBS, *names()}))}")
        return cls(path)

    def __repr__(self) -> str:
        return f"<kb {self.name}@{self.revision}>"

    def connect(self) -> Any:
        """A DuckDB connection with one view per table of SPEC §4."""
        return store.connect({name: [self.path / f"{name}.parquet"] for name in SCHEMAS})

    @cached_property
    def _connection(self) -> Any:
        return self.connect()

    def sql(self, query: str, parameters: list[Any] | None = None) -> list[tuple[Any, ...]]:
        """Plain SQL over `entities names parents history xrefs foreign`."""
        rows: list[tuple[Any, ...]] = self._connection.execute(query, parameters or []).fetchall()
        return rows

    def lookup(self, name: str, *, normalised: bool = False) -> list[str]:
        """Ids of the entities with this name, verbatim or by its normalised key."""
        column, value = ("key", key(name)) if normalised else ("name", name)
        rows = self.sql(f"select distinct id from names where {column} = ? order by id", [value])
        return [row[0] for row in rows]

    def names_of(self, identifier: str) -> list[str]:
        """The names of an entity, the primary one first."""
        query = 'select name from names where id = ? order by "primary" desc, name'
        return [row[0] for row in self.sql(query, [identifier])]

    @cached_property
    def _history(self) -> dict[str, list[str]]:
        history: dict[str, list[str]] = {}
        for old, new in self.sql("select old, new from history"):
            history.setdefault(old, []).append(new)
        return history

    def current(self, identifier: str) -> tuple[str, ...]:
        """What an id is called now: itself, what it was merged into, or () if it was removed.

        Chains are followed to their end; an id that returns to itself stays as it is.
        """
        if identifier not in self._history:
            return (identifier,)
        ends: dict[str, None] = {}
        waiting, seen = [identifier], {identifier}
        while waiting:
            at = waiting.pop()
            if at not in self._history:
                ends[at] = None
            for new in self._history.get(at, []):
                if new and new not in seen:
                    seen.add(new)
                    waiting.append(new)
                elif new:
                    ends[new] = None
        return tuple(sorted(ends))

    def ancestors(self, identifier: str) -> set[str]:
        """All entities above one, along `parents`."""
        rows = self.sql(
            "with recursive up(id) as (select parent from parents where child = ? union "
            "select parent from parents join up on child = up.id) select id from up",
            [identifier],
        )
        return {row[0] for row in rows} - {identifier}

    def statistics(self) -> dict[str, Any]:
        """Counts and shares of SPEC §4."""
        counts = self.manifest["counts"]
        shares = self.sql(
            'with n as (select id, name, "primary", count(distinct id) over (partition by name) as owners from names), '
            'p as (select id, name, count(distinct id) over (partition by name) as owners from names where "primary") '
            "select (select count(*) filter (owners > 1) / count(*) from n), "
            "(select count(*) filter (owners > 1) / count(*) from p)"
        )[0]
        return {
            "entities": counts["entities"], "names": counts["names"], "history": counts["history"],
            "synonyms_per_entity": counts["names"] / max(1, counts["entities"]),
            "homonyms": shares[0], "homonyms_primary": shares[1],
        }  # fmt: skip
