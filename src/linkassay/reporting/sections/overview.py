"""All corpora at once: means with intervals and tests, and every entity type of every corpus (BELB table 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linkassay.reporting import blocks, charts
from linkassay.reporting.blocks import Block, behind, column, differing
from linkassay.reporting.matter import LEADING, Matter
from linkassay.reporting.sections.leaderboard import level
from linkassay.reporting.sections.slices import type_name
from linkassay.scoring import bootstrap
from linkassay.scoring.measures import Measure
from linkassay.scoring.score import Score
from linkassay.scoring.significance import holm
from linkassay.tables import percent

__all__ = ["Mean", "matrix", "means", "section"]

MEASURE = LEADING[0]
MOST_TYPES = 12  # of one corpus
Mean = dict[str, Any]  # system, corpora, value, low, high, p


def means(matters: Sequence[Matter], measure: str = MEASURE) -> list[Mean]:
    """Each system's mean over its corpora, those with all corpora first, then best first; p against the best."""
    found: list[Mean] = []
    for label in dict.fromkeys(label for m in matters for label in m.labels):
        tables = [_sums(score, measure) for m in matters if (score := _of(m, label))]
        (estimate,) = bootstrap.ratios(tables, [(0, 1)])
        found.append({"system": label, "corpora": len(tables), "value": estimate.value, "low": estimate.low,
                      "high": estimate.high, "p": None})  # fmt: skip
    found.sort(key=lambda each: (-each["corpora"], -each["value"], each["system"]))
    complete = [each for each in found if each["corpora"] == len(matters)]
    if len(complete) > 1:
        ps = [_against(matters, complete[0]["system"], each["system"], measure) for each in complete[1:]]
        tested = [(each, p) for each, p in zip(complete[1:], ps, strict=True) if p is not None]
        for (each, _), p in zip(tested, holm([p for _, p in tested]), strict=True):
            each["p"] = p
    return found


def section(matters: Sequence[Matter], systems: Mapping[str, int]) -> Block:
    """The leaderboard over all corpora, and a picture of each system on each corpus."""
    found = means(matters)
    best = found[0]["system"] if found[0]["corpora"] == len(matters) else ""
    tested = any(each["p"] is not None for each in found)
    columns = [column("system"), column("mean of recall@1", "percent", interval=True),
               *([column("p against best", "chance")] if tested else []), column("corpora", "count"),
               *(column(_name(m, matters), "percent", interval=True) for m in matters)]  # fmt: skip
    rows = []
    for each in found:
        label = each["system"]
        mean = blocks.figure(
            each,
            behind(label, from_="all"),
            strip=label,
            mark="≈" if level(each["p"]) else "",
            strong=label == best,
            weak=each["corpora"] < len(matters),
        )
        cells: list[Any] = []
        for m in matters:
            if label not in m.labels:
                cells.append(None)
                continue
            at = m.labels.index(label)
            cells.append(blocks.figure(m.figures[at]["all"][MEASURE], behind(label, corpus=m.key), strong=at == 0,
                                       mark="≈" if level(m.against_best[at]) else ""))  # fmt: skip
        rows.append([blocks.system(label), mean, *([differing(each["p"], label, best, from_="all")] if tested else []),
                     {"v": each["corpora"], "open": behind(label, from_="all")}, *cells])  # fmt: skip
    dots = [
        {"group": _name(m, matters), "system": label, **_drawn(figures["all"][MEASURE]),
         "open": behind(label, corpus=m.key),
         "tip": f"{label} on {_name(m, matters)}: {percent(figures['all'][MEASURE]['value'])} %"}
        for m in matters for label, figures in zip(m.labels, m.figures, strict=True)
    ]  # fmt: skip
    chart = charts.dots(dots, "Recall@1 of each system on each corpus", systems, title="recall@1, %")
    table = blocks.table("All corpora: recall@1", columns, rows)
    return blocks.section("overview", [table, chart])


def matrix(matters: Sequence[Matter], systems: Mapping[str, int]) -> Block:
    """A line for each entity type and corpus, and for each type that several corpora have its mentions pooled."""
    labels = [each["system"] for each in means(matters)]
    columns = [column("entity type"), column("corpus"), column("n", "count"),
               *(column(label, "percent", interval=True, system=label) for label in labels)]  # fmt: skip
    shown = {m.key: _types(m) for m in matters}
    kinds = dict.fromkeys(name for names in shown.values() for name in names)
    rows: list[list[Any]] = []
    for kind in sorted(kinds):
        having = [m for m in matters if kind in shown[m.key]]
        type_ = type_name(kind)
        said = having[0].type_name(type_)
        for m in having:
            found = {label: m.figures[m.labels.index(label)][kind][MEASURE] for label in labels
                     if label in m.labels and kind in m.figures[m.labels.index(label)]}  # fmt: skip
            links = {label: behind(label, type=type_, corpus=m.key) for label in labels}
            rows.append([said, _name(m, matters), *_line(labels, found, links)])
        if len(having) > 1 and type_:  # mentions without a type may be of anything
            pooled = {label: _pooled(having, label, kind) for label in labels}
            links = {label: behind(label, type=type_, from_="all") for label in labels}
            rows.append([said, "all of them", *_line(labels, {k: v for k, v in pooled.items() if v}, links)])
    left = [f"{len(m.slices['types']) - len(shown[m.key])} of {_name(m, matters)}" for m in matters
            if len(m.slices["types"]) > len(shown[m.key])]  # fmt: skip
    note = [blocks.text(f"Left out here, being the rarest types: {', '.join(left)}.")] if left else []
    table = blocks.table("By entity type and corpus: recall@1", columns, rows, kind="dense")
    return blocks.section("matrix", [table, *note])


def _types(matter: Matter) -> list[str]:
    """The types of a corpus, of many the most frequent ones."""
    names = matter.slices["types"]
    if len(names) <= MOST_TYPES:
        return names
    size = {name: max(f[name][MEASURE]["n"] for f in matter.figures if name in f) for name in names}
    kept = set(sorted(names, key=lambda name: -size[name])[:MOST_TYPES])
    return [name for name in names if name in kept]


def _line(labels: Sequence[str], found: Mapping[str, Any], links: Mapping[str, dict[str, str]]) -> list[Any]:
    best = max((each["value"] for each in found.values()), default=None)
    n, most = max(((each["n"], label) for label, each in found.items()), key=lambda pair: pair[0], default=(0, ""))
    cells = (blocks.figure(found.get(label), links.get(label), strong=label in found and found[label]["value"] == best)
             for label in labels)  # fmt: skip
    return [{"v": n, "open": links[most]} if most else n, *cells]


def _pooled(matters: Sequence[Matter], label: str, kind: str) -> dict[str, Any] | None:
    """The mentions of a type in all these corpora together; none if the system lacks one of them."""
    tables = []
    for m in matters:
        score = _of(m, label)
        mask = dict(score.slices(["type"])).get(kind) if score else None
        if score is None or mask is None:
            return None
        tables.append(_sums(score, MEASURE, mask))
    (found,) = bootstrap.ratios([np.concatenate(tables)], [(0, 1)])
    return {"value": found.value, "low": found.low, "high": found.high, "n": int(sum(t[:, 1].sum() for t in tables))}


def _against(matters: Sequence[Matter], best: str, other: str, measure: str) -> float | None:
    """Whether the means of two systems differ by chance: documents of each corpus drawn anew for both at once."""
    tables = []
    for m in matters:
        pair = [_of(m, label) for label in (best, other)]
        first, second = (s for s in pair if s is not None)
        if list(first.items.documents) != list(second.items.documents):
            return None
        tables.append(np.hstack([_sums(first, measure), _sums(second, measure)]))
    (difference,) = bootstrap.differences(tables, [(0, 1, 2, 3)])
    return difference.p


def _sums(score: Score, measure: str, mask: Any = None) -> Any:
    sums = score.sums(Measure.parse(measure), score.in_scope if mask is None else mask)
    return np.column_stack(sums.columns(len(score.items.documents)))


def _of(matter: Matter, label: str) -> Score | None:
    return matter.scores[matter.labels.index(label)] if label in matter.labels else None


def _name(matter: Matter, matters: Sequence[Matter]) -> str:
    """As short as it may be: the corpus, with the split and revision only where that is needed."""
    name = matter.key.partition("@")[0]
    return matter.key if sum(m.key.partition("@")[0] == name for m in matters) > 1 else name


def _drawn(figure: Mapping[str, Any]) -> dict[str, Any]:
    return {key: figure[key] for key in ("value", "low", "high")}
