"""All corpora at once: means with intervals and tests, and every entity type of every corpus (BELB table 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from linkassay import charts
from linkassay.pages import blocks
from linkassay.pages.blocks import Block, behind, column, differing
from linkassay.pages.sections.leaderboard import level
from linkassay.pages.sections.slices import type_name
from linkassay.scoring import Figure
from linkassay.scoring.results import LEADING, Cohort, Result
from linkassay.tables import percent

MEASURE: str = LEADING[0]
MOST_TYPES = 12  # of one corpus


def section(result: Result, systems: Mapping[str, int]) -> Block:
    """The leaderboard over all corpora, and a picture of each system on each corpus."""
    cohorts, found = result.cohorts, result.means
    best = found[0].about["system"] if found[0]["corpora"] == len(cohorts) else ""
    tested = any(each.p is not None for each in found)
    columns = [column("system"), column("mean of recall@1", "percent", interval=True),
               *([column("p against best", "chance")] if tested else []), column("corpora", "count"),
               *(column(_name(m, cohorts), "percent", interval=True) for m in cohorts)]  # fmt: skip
    rows = []
    for each in found:
        label = each.about["system"]
        mean = blocks.figure(
            each,
            behind(label, from_="all"),
            strip=label,
            mark="≈" if level(each) else "",
            strong=label == best,
            weak=each["corpora"] < len(cohorts),
        )
        cells: list[Any] = []
        for m in cohorts:
            if label not in m.labels:
                cells.append(None)
                continue
            at = m.labels.index(label)
            cells.append(blocks.figure(m.figures[at]["all"][MEASURE], behind(label, corpus=m.key), strong=at == 0,
                                       mark="≈" if level(m.against_best[at]) else ""))  # fmt: skip
        rows.append([blocks.system(label), mean, *([differing(each, "p", label, best, from_="all")] if tested else []),
                     blocks.number(each, "corpora", behind(label, from_="all")), *cells])  # fmt: skip
    dots = [
        {"group": _name(m, cohorts), "system": label, **blocks.dot(figures["all"][MEASURE]),
         "open": behind(label, corpus=m.key),
         "tip": f"{label} on {_name(m, cohorts)}: {percent(figures['all'][MEASURE].value or 0)} %"}
        for m in cohorts for label, figures in zip(m.labels, m.figures, strict=True)
    ]  # fmt: skip
    chart = charts.dots(dots, "Recall@1 of each system on each corpus", systems, title="recall@1, %")
    table = blocks.table("All corpora: recall@1", columns, rows)
    return blocks.section("overview", [table, chart])


def matrix(result: Result) -> Block:
    """A line for each entity type and corpus, and for each type that several corpora have its mentions pooled."""
    cohorts = result.cohorts
    labels = [each.about["system"] for each in result.means]
    columns = [column("entity type"), column("corpus"), column("n", "count"),
               *(column(label, "percent", interval=True, system=label) for label in labels)]  # fmt: skip
    shown = {m.key: _types(m) for m in cohorts}
    kinds = dict.fromkeys(name for names in shown.values() for name in names)
    rows: list[list[Any]] = []
    for kind in sorted(kinds):
        having = [m for m in cohorts if kind in shown[m.key]]
        type_ = type_name(kind)
        said = having[0].type_name(type_)
        for m in having:
            found = {label: m.figures[m.labels.index(label)][kind][MEASURE] for label in labels
                     if label in m.labels and kind in m.figures[m.labels.index(label)]}  # fmt: skip
            links = {label: behind(label, type=type_, corpus=m.key) for label in labels}
            rows.append([said, _name(m, cohorts), *_line(labels, found, links)])
        if len(having) > 1 and type_:  # mentions without a type may be of anything
            pooled = {label: result.pooled(having, label, kind) for label in labels}
            links = {label: behind(label, type=type_, from_="all") for label in labels}
            rows.append([said, "all of them", *_line(labels, {k: v for k, v in pooled.items() if v}, links)])
    left = [f"{len(m.slices['types']) - len(shown[m.key])} of {_name(m, cohorts)}" for m in cohorts
            if len(m.slices["types"]) > len(shown[m.key])]  # fmt: skip
    note = [blocks.text(f"Left out here, being the rarest types: {', '.join(left)}.")] if left else []
    table = blocks.table("By entity type and corpus: recall@1", columns, rows, kind="dense")
    return blocks.section("matrix", [table, *note])


def _types(cohort: Cohort) -> list[str]:
    """The types of a corpus, of many the most frequent ones."""
    names = cohort.slices["types"]
    if len(names) <= MOST_TYPES:
        return names
    size = {name: max(f[name][MEASURE].n or 0 for f in cohort.figures if name in f) for name in names}
    kept = set(sorted(names, key=lambda name: -size[name])[:MOST_TYPES])
    return [name for name in names if name in kept]


def _line(labels: Sequence[str], found: Mapping[str, Figure], links: Mapping[str, dict[str, str]]) -> list[Any]:
    best = max((each.value or 0 for each in found.values()), default=None)
    most = max(found, key=lambda label: found[label].n or 0, default="")
    cells = (blocks.figure(found.get(label), links.get(label), strong=label in found and found[label].value == best)
             for label in labels)  # fmt: skip
    return [blocks.number(found[most], "n", links[most]) if most else 0, *cells]


def _name(cohort: Cohort, cohorts: Sequence[Cohort]) -> str:
    """As short as it may be: the corpus, with the split and revision only where that is needed."""
    name = cohort.key.partition("@")[0]
    return cohort.key if sum(m.key.partition("@")[0] == name for m in cohorts) > 1 else name
