"""What there is: rows for `ls`, and everything known of one corpus or knowledge base for `info`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from linkassay.corpora import CORPORA, Corpus, canonical_name, corpus_names, corpus_statistics, spec_of
from linkassay.errors import UsageError
from linkassay.formats import DOCUMENT_FORMATS
from linkassay.kbs import KBS, Kb, kb_names, semantic_groups_of, semantic_types_of
from linkassay.linkers import LINKERS, capabilities_of
from linkassay.registry import ValueRegistry, near_miss
from linkassay.runs import all_prepared, all_runs, prepared_rows
from linkassay.runs.importing import IMPORTERS
from linkassay.scoring.disambiguation import MEASURES, PROTOCOLS, SETS, SLICE_COLUMNS, SLICES, TIES

__all__ = ["LISTINGS", "coverage", "describe"]


def _corpora() -> list[dict[str, Any]]:
    here = corpus_names()
    rows = []
    for name in sorted({*CORPORA, *here}):
        if name in CORPORA:
            spec = spec_of(name)
            title, types = spec.title, spec.types
        else:
            manifest = Corpus.open(name).manifest
            title, types = manifest["title"], manifest["types"]
        revision = Corpus.open(name).revision if name in here else None
        rows.append({"name": name, "types": ", ".join(types), "title": title, "revision": revision})
    return rows


def _kbs() -> list[dict[str, Any]]:
    here = kb_names()
    rows = []
    for name in sorted({*KBS, *here}):
        about = KBS.load(name) if name in KBS else None
        stored = Kb.open(name) if name in here else None
        types = about.types if about is not None else tuple(stored.manifest["types"]) if stored else ()
        title = about.title if about is not None else stored.manifest["title"] if stored else ""
        revision = stored.revision if stored else None
        rows.append({"name": name, "types": ", ".join(types), "title": title, "revision": revision})
    return rows


def _linkers() -> list[dict[str, Any]]:
    rows = []
    for name in LINKERS:
        try:
            linker_class = LINKERS.load(name)
            capabilities_of(linker_class, name)  # an error if they are declared wrongly
            rows.append({"name": name, "summary": linker_class.summary})
        except (UsageError, AttributeError) as error:  # one broken plug-in must not hide the others
            rows.append({"name": name, "summary": f"BROKEN: {error}"})
    return rows


def _formats() -> list[dict[str, Any]]:
    rows = []
    for name in DOCUMENT_FORMATS:
        module = DOCUMENT_FORMATS.load(name)
        first = (module.__doc__ or "").strip().splitlines()[0]
        rows.append({"name": name, "writes": hasattr(module, "write"), "summary": first})
    return rows


def _importers() -> list[dict[str, Any]]:
    rows = []
    for name in IMPORTERS:
        reader = IMPORTERS.load(name)
        rows.append({"name": name, "summary": (reader.__doc__ or "").strip().splitlines()[0]})
    return rows


def _runs() -> list[dict[str, Any]]:
    return [
        {"run": run.name, "split": run.about["split"], "mentions": run.about["mentions"], "folder": run.path.name}
        for run in all_runs()
    ]


def _prepared() -> list[dict[str, Any]]:
    """Indexes and trainings that later runs take up; a folder of them can be removed, and is made again when needed."""
    return [{key: value for key, value in row.items() if key != "fresh"} for row in prepared_rows(all_prepared())]


def _values(table: ValueRegistry[Any], row: Callable[[Any], dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each value; one that cannot be loaded says why in its last column."""
    columns = list(row(table[next(iter(table))]))
    rows = []
    for name in table:
        try:
            rows.append({"name": name} | row(table[name]))
        except UsageError as error:  # one broken plug-in must not hide the others
            rows.append({"name": name} | dict.fromkeys(columns) | {columns[-1]: f"BROKEN: {error}"})
    return rows


def _measures() -> list[dict[str, Any]]:
    return _values(MEASURES, lambda m: {"k": m.k if m.k is None or m.k else "optional", "summary": m.summary})


def _protocols() -> list[dict[str, Any]]:
    presets = _values(PROTOCOLS, lambda p: {"ties": p.ties, "summary": TIES[p.ties].summary})
    policies = _values(TIES, lambda t: {"ties": None, "summary": t.summary})
    return presets + [row | {"ties": row["name"]} for row in policies]


def _slices() -> list[dict[str, Any]]:
    """Conditions and groupings, and the columns that own conditions can use."""
    rows = _values(SLICES, lambda s: {"kind": "grouping" if s.grouping else "slice", "sql": s.sql})
    return rows + [{"name": c, "kind": f"column ({of})", "sql": c} for of, cs in SLICE_COLUMNS.items() for c in cs]


LISTINGS: dict[str, Callable[[], list[dict[str, Any]]]] = {
    "corpora": _corpora,
    "kbs": _kbs,
    "linkers": _linkers,
    "formats": _formats,
    "importers": _importers,
    "prepared": _prepared,
    "runs": _runs,
    "measures": _measures,
    "protocols": _protocols,
    "sets": lambda: _values(SETS, lambda s: {"summary": s.summary}),
    "slices": _slices,
}


def describe(name: str) -> dict[str, Any]:
    """Statistics, licence, citation, revision and checksums of a corpus, a knowledge base, or both."""
    bare = canonical_name(name.partition("/")[0].partition("@")[0])
    about: dict[str, Any] = {}
    if bare in corpus_names():
        corpus = Corpus.open(name)
        keys = ("title", "licence", "citation", "homepage", "kb", "notes", "inputs", "reports")
        about = {"name": corpus.name, "revision": corpus.revision}
        about |= {key: corpus.manifest[key] for key in keys} | corpus_statistics(corpus)
    elif bare in CORPORA:
        found = spec_of(bare)
        about = {
            "name": found.name, "revision": None, "title": found.title, "licence": found.licence,
            "citation": found.citation, "homepage": found.homepage, "kb": found.kb, "notes": found.notes,
            "files": list(found.files), "sources": [s.url for s in found.sources],
            "how_to_obtain": found.how_to_obtain or f"linkassay get {found.name}",
        }  # fmt: skip
    if bare in kb_names():
        kb = Kb.open(bare if about else name)
        found_kb = {"name": kb.name, "revision": kb.revision}
        found_kb |= {key: kb.manifest[key] for key in ("title", "licence", "citation", "sources", "options", "report")}
        found_kb |= kb.statistics()
        about = about | {"knowledge_base": found_kb} if about else found_kb
    elif bare in KBS and not about:
        spec = KBS.load(bare)
        about = {
            "name": spec.name, "revision": None, "title": spec.title, "licence": spec.licence,
            "citation": spec.citation, "homepage": spec.homepage, "notes": spec.notes,
            "files": [need for need, _ in spec.needs], "sources": [s.url for s in spec.sources],
            "how_to_obtain": spec.how_to_obtain or f"linkassay get {spec.name}",
        }  # fmt: skip
    if not about:
        known = sorted({*CORPORA, *KBS, *corpus_names(), *kb_names()})
        raise UsageError(f"neither a corpus nor a knowledge base: {name!r}; {near_miss(bare, known)}")
    return about


def coverage(corpus: Corpus, kb: Kb) -> dict[str, Any]:
    """How many gold ids, counted per mention and id, the knowledge base has, by split and type; and of what kind."""
    connection = kb.connect()
    gold = (
        corpus.connect()
        .sql("select split, unnest(list_distinct(string_split(type, '|'))) as type, entity from gold_ids")
        .to_arrow_table()
    )
    connection.register("gold", gold)
    rows = connection.execute(
        "select split, type, count(*), count(*) filter (entity in (select id from entities) or entity in "
        "(select old from current where new in (select id from entities))) from gold group by all order by all"
    ).fetchall()
    splits: dict[str, Any] = {}
    for split, type_, total, covered in rows:
        splits.setdefault(split, {})[type_] = {"covered": covered, "gold_ids": total}
    kinds = connection.execute(
        "select e.type, e.category, count(*) from gold join entities e on entity = e.id group by all "
        "order by 3 desc, 1, 2"
    ).fetchall()
    types, groups = Counter[str](), Counter[str]()
    for type_, category, n in kinds:
        mine = semantic_types_of(type_, category)
        types.update(dict.fromkeys(mine, n))
        groups.update(dict.fromkeys(semantic_groups_of(mine), n))
    return {"kb": f"{kb.name}@{kb.revision}", "splits": splits, "semantic_types": dict(types.most_common()),
            "semantic_groups": dict(groups.most_common())}  # fmt: skip
