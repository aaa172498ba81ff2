"""A large made-up data home for the explorer, written as it is stored: `python -m bench.served_home`.

One run of many mentions on one corpus with a knowledge base of many names, and many small runs on small corpora, all
with the figures that `link` would have kept.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench import scoring
from linkassay import store
from linkassay.kbs.schema import SCHEMAS
from linkassay.text import name_key

KB = "made"
#: Mentions of a small corpus, and names of an entity.
_SMALL, _NAMES_EACH = 400, 4


def make(home: Path, mentions: int, names: int, runs: int, corpora: int) -> None:
    """Fill an empty home, which is that of this process (`LINKASSAY_HOME`)."""
    from linkassay.runs import Run
    from linkassay.scoring.results import with_figures

    knowledge_base(home, names)
    scoring.corpus(home, mentions)
    manifest = home / "corpora" / "made" / "1" / "manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text(encoding="utf-8")) | {"kb": KB}), encoding="utf-8")
    folders = [_recorded(scoring.run(home, "a"), kb=KB, kb_revision="1")]
    _small(home / "small", -(-(runs - 1) // (corpora - 1)))
    few = corpora - 1
    folders += [_copied(home, f"c{number % few:02d}", number // few) for number in range(runs - 1)]
    shutil.rmtree(home / "small")
    for folder in folders:
        with_figures((Run(folder), True))
        assert (folder / "figures.json").exists(), folder


def knowledge_base(home: Path, names: int) -> None:
    """So many names, four of each entity; those of the corpus are among them."""
    folder = home / "kbs" / KB / "1"
    folder.mkdir(parents=True)
    size, random = names // _NAMES_EACH, np.random.default_rng(1)
    ids = [f"mesh:D{n:06d}" for n in range(size)]
    types = [scoring._TYPES[n % 6] for n in range(size)]
    stems = [f"{type_[:3]}{n:x}" for n, type_ in enumerate(types)]
    called = [f"{stem}{end}" for stem in stems for end in ("", " a", " b", " c")]
    keys = list(map(name_key, called))
    owners = [identifier for identifier in ids for _ in range(_NAMES_EACH)]
    parent = np.minimum(np.arange(1, size) - 1, (np.arange(1, size) * random.uniform(0.3, 0.95, size - 1)).astype(int))
    tables: dict[str, Any] = {
        "entities": {"id": ids, "type": types, "category": [""] * size, "definition": [""] * size,
                     "foreign_id": [""] * size, "obsolete": [False] * size},
        "names": {"id": owners, "name": called, "kind": ["name"] * len(called),
                  "primary": [at % _NAMES_EACH == 0 for at in range(len(called))], "key": keys},
        "parents": {"child": ids[1:], "parent": [ids[n] for n in parent.tolist()], "relation": ["is_a"] * (size - 1)},
    }  # fmt: skip
    for name, schema in SCHEMAS.items():
        table = pa.table(tables.get(name, {column: [] for column in schema.names}), schema=schema)
        pq.write_table(table, folder / f"{name}.parquet", compression="zstd")
    lookup = pa.table({"key": keys, "id": owners}).sort_by([("key", "ascending"), ("id", "ascending")])
    pq.write_table(lookup, folder / "lookup.parquet", compression="zstd")
    none = pa.table({"old": pa.array([], pa.string()), "new": pa.array([], pa.string())})
    pq.write_table(none, folder / "current.parquet", compression="zstd")
    counts = {name: len(tables[name]["id" if name != "parents" else "child"]) if name in tables else 0
              for name in SCHEMAS}  # fmt: skip
    about = dict.fromkeys(("title", "licence", "citation", "homepage"), "made up")
    store.write_manifest(folder, about | {"name": KB, "revision": "1", "types": list(scoring._TYPES), "counts": counts,
                                          "prefix": "mesh", "sources": [], "options": {}, "report": {}})  # fmt: skip
    store.set_current(folder.parent, "1")


def _recorded(run: Path, **about: Any) -> Path:
    file = run / "run.json"
    known = json.loads(file.read_text(encoding="utf-8")) | {"files": store.file_records(run), "finished": 1.0}
    file.write_text(json.dumps(known | about), encoding="utf-8")
    return run


def _small(home: Path, systems: int) -> None:
    scoring.corpus(home, _SMALL)
    for system in range(systems):
        scoring.run(home, f"s{system}", 0.5 + system / 20, seed=system)


def _copied(home: Path, corpus: str, system: int) -> Path:
    """A small run, and its corpus if it is the first of it."""
    target = home / "corpora" / corpus / "1"
    if not target.exists():
        shutil.copytree(home / "small" / "corpora" / "made" / "1", target)
        manifest = json.loads((target / "manifest.json").read_text(encoding="utf-8"))
        store.write_manifest(target, manifest | {"name": corpus, "title": f"Made up {corpus}"})
        store.set_current(target.parent, "1")
    run = home / "runs" / corpus / f"s{system}-1"
    shutil.copytree(home / "small" / "runs" / "made" / f"s{system}-1", run)
    return _recorded(run, corpus=corpus)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("mentions", "names", "runs", "corpora"):
        parser.add_argument(name, type=int)
    make(Path(os.environ["LINKASSAY_HOME"]), **vars(parser.parse_args()))
