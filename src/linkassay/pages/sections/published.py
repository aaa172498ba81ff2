"""The literature's figures for a corpus, beside those of this report under the same measure and protocol.

For a corpus that the literature has no figures of: what it has of the same kinds of entities on other corpora.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from linkassay import charts
from linkassay.errors import UsageError
from linkassay.pages import blocks
from linkassay.pages.blocks import Block, behind, column
from linkassay.pages.sections.slices import DRAWN, type_name
from linkassay.published import ENTITY_KINDS, kind_of, published_rows, published_rows_of_kind
from linkassay.scoring import Figure
from linkassay.scoring.disambiguation import Measure, Protocol
from linkassay.scoring.results import LEADING, Cohort
from linkassay.tables import percent

Row = dict[str, Any]

#: Published protocols that break ties by chance, as ours: at rank 1 they mean the same (TIE-1, TIE-3).
BY_CHANCE = ("belb/standard", "bioel/basic")
PUBLISHED = "published, on other corpora"  # in the key of the picture


def section(cohort: Cohort, systems: Mapping[str, int]) -> Block | None:
    """For each measure and protocol a table, the first of recall@1 with a picture; or figures for orientation."""
    published = published_rows(cohort.scores[0].run.corpus)
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in published:
        groups.setdefault((row["measure"], row["protocol"]), []).append(row)
    options: dict[str, list[Block]] = {}
    for (measure, protocol), rows in groups.items():
        mine = ours(cohort, measure, protocol)
        made = [_table(f"Published and ours: {measure}, {protocol or 'no protocol'}", rows, mine, cohort)]
        if measure == "recall@1" and not options:
            made.insert(0, _chart(rows, mine, systems))
        options[f"{measure} · {protocol}" if protocol else measure] = made
    if not options:
        return _orientation(cohort, systems)
    return blocks.section("published", [blocks.choice("Measure", options), *_cited(published)])


def _cited(rows: Sequence[Row]) -> list[Block]:
    return [blocks.text(said) for said in dict.fromkeys(f"{row['work']}: {row['citation']}" for row in rows)]


def _orientation(cohort: Cohort, systems: Mapping[str, int]) -> Block | None:
    """For each kind of entity of the corpus, published figures of other corpora of it; none if there is none."""
    types: dict[str, list[str]] = {}
    for slice_ in cohort.slices["types"]:
        types.setdefault(kind_of(type_name(slice_)), []).append(slice_)
    mine = {kind: _of_types(cohort, types[kind]) for kind in ENTITY_KINDS if kind in types}
    found = {
        kind: rows for kind in mine if mine[kind] and (rows := published_rows_of_kind(kind, LEADING[0], BY_CHANCE))
    }
    if not found:
        return None
    options = {kind: [_oriented(kind, rows, mine[kind], cohort)] for kind, rows in found.items()}
    chart = _range(found, mine, {label: systems[label] for label in cohort.labels[:DRAWN]})
    cited = _cited([row for rows in found.values() for row in rows])
    return blocks.section("orientation", [chart, blocks.choice("Entities", options), *cited]) | {"id": "published"}


def _of_types(cohort: Cohort, slices: Sequence[str]) -> list[Row]:
    """Our figures for some types, of the best system first."""
    return [
        {"figure": figure, "system": label, "type": type_name(slice_), "open": behind(label, type=type_name(slice_))}
        for slice_ in slices for label, figures in zip(cohort.labels, cohort.figures, strict=True)
        if (figure := figures.get(slice_, {}).get(LEADING[0])) and figure.value is not None
    ]  # fmt: skip


def _oriented(kind: str, rows: Sequence[Row], mine: Sequence[Row], cohort: Cohort) -> Block:
    columns = [column("system"), column(LEADING[0], "percent", interval=True), column("corpus"), column("mentions"),
               column("source"), column("protocol"), column("comparable")]  # fmt: skip
    lines: list[list[Any]] = [
        [blocks.system(each["system"]), blocks.figure(each["figure"], each["open"]), "this corpus",
         f"{cohort.type_name(each['type'])}, n {each['figure'].n:,}", "this report", Protocol().ties, "–"]
        for each in mine
    ]  # fmt: skip
    lines += [
        [row["system"], row["value"], row["corpus"], row["scope"], f"{row['work']}, table {row['table']}",
         row["protocol"], f"no: {row['note']}"]
        for row in rows
    ]  # fmt: skip
    return blocks.table(f"For orientation: {kind}, {LEADING[0]}", columns, lines, kind="dense")


def _range(found: Mapping[str, Sequence[Row]], mine: Mapping[str, Sequence[Row]], systems: Mapping[str, int]) -> Block:
    """Of each kind ours, a line each, and what is published on one line: hollow, since nothing of it is comparable."""
    dots: list[Row] = []
    for kind, rows in found.items():
        dots += [
            {"group": kind, "system": each["system"], **blocks.dot(each["figure"]), "open": each["open"],
             "tip": f"{each['system']}, this report, {each['type']}: {percent(each['figure'].value)} %, "
                    f"n {each['figure'].n:,}"}
            for each in mine[kind] if each["system"] in systems
        ]  # fmt: skip
        dots += [
            {"group": kind, "system": PUBLISHED, "value": row["value"], "sure": False,
             "tip": f"{row['system']}, {row['corpus']}, {row['work']} table {row['table']}: {percent(row['value'])} %, "
                    f"mentions: {row['scope']}; not comparable"}
            for row in rows
        ]  # fmt: skip
    return charts.dots(dots, "For orientation: recall@1 of ours, and published on other corpora of the same kind",
                       {**systems, PUBLISHED: charts.NEUTRAL}, title="recall@1, %")  # fmt: skip


def ours(cohort: Cohort, measure: str, protocol: str) -> dict[str, Figure]:
    """Our figures under a published measure and protocol, over all mentions; none if we have no such measure."""
    try:
        return dict(zip(cohort.labels, cohort.under(_asked(measure, protocol)), strict=True))
    except UsageError:
        return {}


def _asked(measure: str, protocol: str) -> Measure:
    """A measure under a protocol: `recall@1` and `belb/strict` are `recall(protocol=belb/strict)@1`."""
    if not protocol:
        return Measure.parse(measure)
    name, at, k = measure.partition("@")
    head, _, inner = name.partition("(")
    inside = ", ".join(filter(None, [f"protocol={protocol}", inner.removesuffix(")")]))
    return Measure.parse(f"{head}({inside}){at}{k}")


def _table(caption: str, rows: Sequence[Row], mine: Mapping[str, Figure], cohort: Cohort) -> Block:
    """Ours, then theirs; what is comparable with its difference to ours, if anything is."""
    several = bool(mine) and any(row["comparable"] for row in rows)
    columns = [column("system"), column("source"), column("figure", "percent", interval=True),
               *([column("ours − published", "points"), column("ours")] if several else []),
               column("scope"), column("comparable"), column("note")]  # fmt: skip
    lines: list[list[Any]] = [
        [blocks.system(label), "this report", blocks.figure(each, behind(label)), *([None, ""] if several else []),
         "all", "–", f"n {each.n:,}"]
        for label, each in mine.items()
    ]  # fmt: skip
    best = max(mine, key=lambda label: mine[label].value or 0, default="")
    by_name = {label.lower(): label for label in mine}
    for row in rows:
        label = by_name.get(row["system"].lower(), best)
        apart = blocks.figure(cohort.beside(mine[label], row), behind(label)) if label and row["comparable"] else None
        lines.append([
            row["system"], f"{row['work']}, table {row['table']}", row["value"],
            *([apart, blocks.system(label) if apart else ""] if several else []),
            row["scope"], "yes" if row["comparable"] else "no", row.get("note", ""),
        ])  # fmt: skip
    return blocks.table(caption, columns, lines, sort=(2, True), kind="dense")


def _chart(rows: Sequence[Row], mine: Mapping[str, Figure], systems: Mapping[str, int]) -> Block:
    """Ours in their colours, published ones grey; hollow where they are not comparable."""
    dots: list[Row] = [
        {"group": label, "system": label, **blocks.dot(each), "open": behind(label),
         "tip": f"{label}, this report: {percent(each.value or 0)} %"}
        for label, each in mine.items()
    ]  # fmt: skip
    dots += [
        {"group": f"{row['system']} ({row['work']})", "system": "published", "value": row["value"],
         "sure": row["comparable"],
         "tip": f"{row['system']}, {row['work']} table {row['table']}: {percent(row['value'])} %, {row['scope']}"}
        for row in rows
    ]  # fmt: skip
    dots.sort(key=lambda each: -each["value"])
    return charts.dots(dots, "Published figures and ours, recall@1", {**systems, "published": charts.NEUTRAL},
                       title="recall@1, %", single=True)  # fmt: skip
