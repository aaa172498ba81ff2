"""The literature's figures for a corpus, beside those of this report under the same measure and protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from linkassay.corpora import CORPORA
from linkassay.errors import UsageError
from linkassay.published import beside
from linkassay.reporting import blocks, charts
from linkassay.reporting.blocks import Block, behind, column
from linkassay.reporting.matter import Matter
from linkassay.scoring.measures import Measure
from linkassay.scoring.score import Score
from linkassay.tables import percent

__all__ = ["ours", "section"]

Row = dict[str, Any]


def section(matter: Matter, systems: Mapping[str, int]) -> Block | None:
    """For each measure and protocol a table, the first of recall@1 with a picture; none for a corpus of one's own."""
    published = beside.rows(matter.scores[0].run.corpus)
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in published:
        groups.setdefault((row["measure"], row["protocol"]), []).append(row)
    options: dict[str, list[Block]] = {}
    for (measure, protocol), rows in groups.items():
        found = [ours(score, measure, protocol) for score in matter.scores]
        mine = {label: each for label, each in zip(matter.labels, found, strict=True) if each}
        made = [_table(f"Published and ours: {measure}, {protocol or 'no protocol'}", rows, mine)]
        if measure == "recall@1" and not options:
            made.insert(0, _chart(rows, mine, systems))
        options[f"{measure} · {protocol}" if protocol else measure] = made
    if not options:
        nothing = blocks.text("No figures of the literature for this corpus are stored.")
        return blocks.section("published", [nothing]) if matter.corpus.name in CORPORA else None
    cited = list(dict.fromkeys(f"{row['work']}: {row['citation']}" for row in published))
    return blocks.section("published", [blocks.choice("Measure", options), *(blocks.text(said) for said in cited)])


def ours(score: Score, measure: str, protocol: str) -> Row | None:
    """Our figure under a published measure and protocol, over all mentions; none if we have no such measure."""
    try:
        (row,) = score.rows([_asked(measure, protocol)], by=())
    except UsageError:
        return None
    return {key: row[key] for key in ("value", "low", "high", "n")}


def _asked(measure: str, protocol: str) -> Measure:
    """A measure under a protocol: `recall@1` and `belb/strict` are `recall(protocol=belb/strict)@1`."""
    if not protocol:
        return Measure.parse(measure)
    name, at, k = measure.partition("@")
    head, _, inner = name.partition("(")
    inside = ", ".join(filter(None, [f"protocol={protocol}", inner.removesuffix(")")]))
    return Measure.parse(f"{head}({inside}){at}{k}")


def _table(caption: str, rows: Sequence[Row], mine: Mapping[str, Row]) -> Block:
    columns = [column("system"), column("source"), column("figure", "percent", interval=True),
               column("ours − published", "points"), column("scope"), column("comparable"), column("note")]  # fmt: skip
    lines: list[list[Any]] = [
        [blocks.system(label), "this report", blocks.figure(each, behind(label)), None, "all", "–", f"n {each['n']:,}"]
        for label, each in mine.items()
    ]
    by_name = {label.lower(): each | {"open": behind(label)} for label, each in mine.items()}
    for row in rows:
        same = by_name.get(row["system"].lower())
        lines.append([
            row["system"], f"{row['work']}, table {row['table']}", row["value"],
            {"v": same["value"] - row["value"], "open": same["open"]} if same and row["comparable"] else None,
            row["scope"],
            "yes" if row["comparable"] else "no", row.get("note", ""),
        ])  # fmt: skip
    return blocks.table(caption, columns, lines, sort=(2, True), kind="dense")


def _chart(rows: Sequence[Row], mine: Mapping[str, Row], systems: Mapping[str, int]) -> Block:
    """Ours in their colours, published ones grey; hollow where they are not comparable."""
    dots: list[Row] = [
        {"group": label, "system": label, **{k: each[k] for k in ("value", "low", "high")}, "open": behind(label),
         "tip": f"{label}, this report: {percent(each['value'])} %"}
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
                       title="recall@1, %; grey: published; hollow: not comparable", single=True)  # fmt: skip
