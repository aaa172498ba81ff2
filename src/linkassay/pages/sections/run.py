"""What was run: data, revisions, licences, parameters, times, memory, versions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import starmap
from typing import Any

from linkassay.kbs import Kb
from linkassay.pages import blocks
from linkassay.pages.blocks import Block, column
from linkassay.runs import parameter_text
from linkassay.scoring.results import Cohort

#: What a run took → its column and how its values are written; what nobody measured, as of imported runs, has none.
COSTS = {"index": ("index", "seconds"), "train": ("train", "seconds"), "link": ("link", "seconds"),
         "cpu": ("CPU", "seconds"), "speed": ("mentions/s", "rate"), "memory": ("peak memory", "bytes")}  # fmt: skip
_TERMS = {"speed": "speed", "cpu": "CPU", "memory": "peak memory"}


def section(cohort: Cohort, systems: Mapping[str, int]) -> Block:
    """Corpus, knowledge bases, machine, and a row for each system."""
    about = cohort.corpus.manifest
    keys = ("title", "name", "revision", "licence", "citation", "homepage")
    known = {"name": cohort.corpus.name, "revision": cohort.corpus.revision, "split": cohort.split}
    corpus = {key: about.get(key, "") for key in keys} | known
    sizes = {"documents": len(cohort.corpus[cohort.split]), "mentions scored": max(len(s.items) for s in cohort.scores),
             "left out, without gold id": min(map(cohort.without_id, range(len(cohort.scores))))}  # fmt: skip
    cards = [_card("Corpus", corpus | sizes), *(_card("Knowledge base", _kb(kb)) for kb in cohort.kbs.values()),
             _card("Machine and software", _machine(cohort))]  # fmt: skip
    measured = {name: title for name, title in COSTS.items()
                if any(costs[name].value is not None for costs in cohort.costs)}  # fmt: skip
    columns = [column("system"), column("parameters"), column("knowledge base"),
               *starmap(column, measured.values()), column("documents failed", "count"), column("finished"),
               column("run")]  # fmt: skip
    rows = []
    for label, score, costs in zip(cohort.labels, cohort.scores, cohort.costs, strict=True):
        run = score.run
        given = ", ".join(f"{key}={_brief(value)}" for key, value in run.about["parameters"].items()) or "none"
        finished = datetime.fromtimestamp(run.about["finished"], UTC).strftime("%Y-%m-%d %H:%M UTC")
        rows.append(
            [
                blocks.system(label),
                given,
                run.kb.removesuffix("@"),
                *(blocks.figure(costs[name]) for name in measured),
                len(run.about.get("failures", [])),
                finished,
                run.key,
            ]
        )
    table = blocks.table("Systems as run", columns, rows, kind="dense")
    absent = [term for name, term in _TERMS.items() if name not in measured]
    return blocks.section("run", [{"kind": "cards", "cards": cards}, table], absent=absent)


def _brief(value: Any) -> str:
    """A parameter on one line; of a checksum the beginning, which tells it from others."""
    return re.sub(r"\b([0-9a-f]{12})[0-9a-f]{28,}\b", r"\1…", parameter_text(value))


def _card(title: str, entries: Mapping[str, Any]) -> dict[str, Any]:
    return {"title": title, "entries": [[name, value] for name, value in entries.items() if value not in ("", None)]}


def _kb(kb: Kb) -> dict[str, Any]:
    counts = kb.manifest["counts"]
    return {key: kb.manifest.get(key, "") for key in ("title", "name", "revision", "licence", "citation")} | {
        key: counts[key] for key in ("entities", "names") if key in counts
    }


def _machine(cohort: Cohort) -> dict[str, Any]:
    about = [score.run.about for score in cohort.scores]
    host, packages = about[0].get("host", {}), about[0].get("packages", {})
    return {
        "linkassay": ", ".join(sorted({each["software"] for each in about})), "system": host.get("system"),
        "cores": host.get("cores"), "Python": host.get("python"),
        **{name: number for name, number in packages.items() if name != "linkassay"},
    }  # fmt: skip
