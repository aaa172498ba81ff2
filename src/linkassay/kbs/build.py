"""Writes a knowledge base into the data home, streaming, one revision per content."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from linkassay import store
from linkassay.errors import DataError
from linkassay.kbs.base import SCHEMAS, KbSource
from linkassay.kbs.stored import folder
from linkassay.text.normalise import key

__all__ = ["build"]

#: Raised whenever the stored form changes.
LAYOUT = 1


def build(source: KbSource) -> tuple[Path, bool]:
    """The folder of the revision, and whether it had to be written."""
    sources = []
    for file in source.files:
        with file.open() as stream:
            sources.append({"file": file.name.rsplit("/", 1)[-1], "sha256": store.digest(stream)})
    revision = store.fingerprint({"layout": LAYOUT, "name": source.name, "reader": source.version, "sources": sources})
    target = folder(source.name) / revision
    fresh = not (target / "manifest.json").exists()
    if fresh:
        with store.new_folder(target) as temporary:
            counts = _write(temporary, source)
            manifest = {
                "name": source.name, "revision": revision, "title": source.title, "licence": source.licence,
                "citation": source.citation, "sources": sources, "counts": counts,
            }  # fmt: skip
            text = json.dumps(manifest, indent=1, ensure_ascii=False, sort_keys=True)
            (temporary / "manifest.json").write_text(text + "\n", encoding="utf-8")
    store.set_current(folder(source.name), revision)
    return target, fresh


def _write(target: Path, source: KbSource) -> dict[str, int]:
    with ExitStack() as stack:
        tables: dict[str, Any] = {
            name: stack.enter_context(store.Table(target / f"{name}.parquet", schema))
            for name, schema in SCHEMAS.items()
        }
        foreign: dict[str, None] = {}
        for entity in source.entities():
            if not entity.names:
                raise DataError(f"entity {entity.id} has no name")
            tables["entities"].add((entity.id, entity.type, entity.definition, entity.foreign_id, entity.obsolete))
            for position, (name, kind) in enumerate(entity.names):
                tables["names"].add((entity.id, name, kind, position == 0, key(name)))
            for parent, relation in entity.parents:
                tables["parents"].add((entity.id, parent, relation))
            for other in entity.xrefs:
                tables["xrefs"].add((entity.id, other))
            if entity.foreign_id:
                foreign[entity.foreign_id] = None
        for old, new in source.history():
            tables["history"].add((old, new))
        for identifier in foreign:
            tables["foreign"].add((identifier, ""))
        return {name: table.rows for name, table in tables.items()}
