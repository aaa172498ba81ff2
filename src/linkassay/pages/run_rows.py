"""The runs of a report as rows: what was run, what it took, its default figures; their corpora and knowledge bases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from linkassay.defaults import DEFAULT_MEASURES
from linkassay.errors import LinkassayError
from linkassay.scoring import Figure
from linkassay.scoring.endtoend import Row
from linkassay.scoring.results import FIRST, LEADING, Cohort, Way, wide_row

#: Names of what a run took, and of the costs that say it.
_COSTS = {"index": "index", "train": "train", "link": "link", "cpu": "cpu", "memory": "memory", "rate": "speed"}


def run_rows(cohorts: Iterable[Cohort]) -> dict[str, Any]:
    """The answer to the request `runs`, of the runs of a report."""
    rows: list[dict[str, Any]] = []
    corpora: dict[str, dict[str, Any]] = {}
    kbs: dict[str, dict[str, Any]] = {}
    for cohort in cohorts:
        rows += _rows(cohort)
        manifest = cohort.corpus.manifest
        splits = manifest["splits"]
        corpora.setdefault(cohort.corpus.name, {
            "name": cohort.corpus.name, "title": manifest["title"], "licence": manifest["licence"],
            "splits": list(cohort.corpus.splits), "documents": sum(each["documents"] for each in splits.values()),
            "mentions": sum(each.get("annotations", each.get("mentions", 0)) for each in splits.values()),
        })  # fmt: skip
        for name, kb in cohort.kbs.items():
            counts = kb.manifest["counts"]
            kbs.setdefault(name, {"name": name, "title": kb.manifest["title"], "entities": counts.get("entities"),
                                  "names": counts.get("names"), "types": cohort.type_names})  # fmt: skip
    return {"rows": rows, "corpora": list(corpora.values()), "kbs": list(kbs.values())}


def _rows(cohort: Cohort) -> list[dict[str, Any]]:
    found = _found(cohort)
    rows = []
    for label, score, figures, costs in zip(cohort.labels, cohort.scores, cohort.figures, cohort.costs, strict=True):
        run, given = score.run, figures["all"]
        ways = found.get(run.key)
        rows.append({
            "run": run.key, "name": run.name, "corpus": run.corpus, "split": run.split, "system": run.system,
            "label": label, "kb": run.kb.removesuffix("@"), "finished": run.about["finished"],
            "task": "found" if ways else "given", "leak": run.leak,
            "cost": {name: costs[of].value for name, of in _COSTS.items()},
            "figures": [_without_keys(wide_row(row)) for row in ways.values()] if ways
                       else [given[measure].row() for measure in DEFAULT_MEASURES.split(",")],
            "leading": _leading_found(ways[FIRST]) if ways else _leading(given[LEADING[0]]),
            "documents": run.about.get("documents", len(cohort.corpus[cohort.split])),
            "mentions": run.about["mentions"], "state": "ready", "why": "",
        })  # fmt: skip
    return rows


def _found(cohort: Cohort) -> dict[str, dict[Way, Row]]:
    """Of each run that found mentions itself its figures under the usual preset, by how NIL is counted."""
    try:
        mine = cohort.found_mentions
    except LinkassayError:  # such as a corpus without places: then they are scored on given mentions only
        return {}
    if mine is None:
        return {}
    return {
        run.key: {way: rows[at] for way, rows in mine.figures.items() if way.preset == FIRST.preset}
        for at, run in enumerate(mine.runs)
    }


def _without_keys(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "keys"}


def _leading_found(row: Row) -> dict[str, Any]:
    gold = sum(row[name].value or 0 for name in ("all_tp", "all_fn"))
    return _leading(row["all_f1"]) | {"n": gold, "preset": FIRST.preset, "nil": FIRST.nil}


def _leading(figure: Figure) -> dict[str, Any]:
    return {"measure": figure.about["measure"], "value": figure.value, "low": figure.low, "high": figure.high,
            "n": figure.n}  # fmt: skip
