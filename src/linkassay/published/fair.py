"""The Fair EL paper (Bast et al. 2023): its tables 1 and 4, and the same figures of runs at hand.

The paper averages five benchmarks. AIDA-CoNLL is licensed, so that often only four are at hand: then the means are
ours alone and not comparable with the paper's, and `reproduce` says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from linkassay.errors import UsageError
from linkassay.runs import Run, all_runs
from linkassay.scoring.endtoend import report
from linkassay.scoring.endtoend.critique import critique_corpus
from linkassay.scoring.endtoend.runs import benchmark, score
from linkassay.tables import Rows

__all__ = ["BENCHMARKS", "TABLE_1", "TABLE_4", "beside", "reproduce", "summary"]

BENCHMARKS = ("aida-conll-test", "kore50", "msnbc-updated", "news-fair-no-coref", "wiki-fair-no-coref")
#: Overall F1, NER F1, disambiguation accuracy: means over the five benchmarks.
TABLE_1 = {
    "ReFinED": (0.733, 0.827, 0.892), "REL": (0.677, 0.823, 0.830), "GENRE": (0.646, 0.742, 0.874),
    "Ambiverse": (0.590, 0.762, 0.783), "Neural EL": (0.506, 0.736, 0.687), "Baseline": (0.463, 0.740, 0.638),
    "TagMe": (0.430, 0.542, 0.807),
}  # fmt: skip
#: Mean counts of NER false negatives (lower-cased, partially included) and false positives (lower-cased, gold NIL,
#: wrong span), and mean error rates (demonym, metonym, partial name, rare).
TABLE_4 = {
    "ReFinED": (39.6, 14.6, 6.6, 121.2, 11.4, 0.057, 0.308, 0.168, 0.181),
    "REL": (42.4, 20.8, 0.6, 115.4, 10.0, 0.190, 0.271, 0.250, 0.319),
    "GENRE": (44.4, 16.0, 1.4, 52.2, 13.2, 0.021, 0.284, 0.188, 0.161),
    "Ambiverse": (43.4, 33.6, 22.6, 121.8, 15.6, 0.396, 0.739, 0.293, 0.436),
    "Neural EL": (44.4, 17.6, 0.0, 95.6, 8.0, 0.225, 0.781, 0.544, 0.746),
    "Baseline": (41.8, 37.2, 56.2, 110.6, 10.2, 0.531, 1.000, 0.655, 1.000),
    "TagMe": (27.8, 21.4, 462.6, 70.8, 39.4, 0.515, 0.634, 0.227, 0.605),
}  # fmt: skip
_FIGURES = ("all_f1", "ner_f1", "disamb_accuracy")
_COUNTS = ("ner_fn_lowercased", "ner_fn_partially_included", "ner_fp_lowercased", "ner_fp_groundtruth_unknown",
           "ner_fp_wrong_span")  # fmt: skip
_RATES = ("disamb_demonym", "disamb_metonymy", "disamb_partial_name", "disamb_rare")
#: Rates of these average only benchmarks in which at least this share of mentions is of that sort (table 4).
_SHARE = {"disamb_demonym": 0.02, "disamb_metonymy": 0.02}


def reproduce(runs: Sequence[Run] | None = None) -> dict[str, Any]:
    """The paper's figures beside those of the runs (all in the data home) on its benchmarks, NIL ignored."""
    found: dict[str, dict[str, Run]] = {}
    for run in sorted(all_runs() if runs is None else runs, key=lambda r: r.about["finished"]):
        if benchmark(run.corpus) in BENCHMARKS:
            found.setdefault(run.system, {})[benchmark(run.corpus)] = run  # the newest
    if not found:
        raise UsageError(f"no runs on the benchmarks of the paper ({', '.join(BENCHMARKS)}); import some, e.g.: "
                         "linkassay import elevant FILE --corpus kore50 --system ReFinED")  # fmt: skip
    used = sorted({name for own in found.values() for name in own})
    shares = {}
    for name in used:
        run = next(own[name] for own in found.values() if name in own)
        shares[name] = critique_corpus(run.open_corpus(), run.split)["properties"]["shares"]
    rows = []
    for system, own in found.items():
        scored = {name: score(run, preset="elevant") for name, run in own.items()}
        figures = {name: report.row(s.counts, "ignored", s.words) for name, s in scored.items()}
        rows.append(summary(system, figures, shares))
    missing = [name for name in BENCHMARKS if name not in used]
    note = f"means over {len(used)} of the paper's five benchmarks ({', '.join(used)})"
    if missing:
        note += f"; without {', '.join(missing)} they are not comparable with its tables 1 and 4"
    return {"note": note, "benchmarks": used, "nil": "ignored", "rows": rows}


def beside() -> tuple[str, Rows]:
    """A note on what is comparable, and a row for each system and figure."""
    found = reproduce()
    return found["note"], Rows(
        {"system": row["system"], "published_as": row["published_as"] or None, "figure": figure,
         "published": row["paper"].get(figure), "ours": value, "difference": row["difference"].get(figure)}
        for row in found["rows"] for figure, value in row["ours"].items()
    )  # fmt: skip


def summary(
    system: str, figures: Mapping[str, Mapping[str, Any]], shares: Mapping[str, Mapping[str, float]]
) -> dict[str, Any]:
    """One system: our means by the rules of the paper's tables, the paper's own, and the differences."""
    ours: dict[str, float | None] = {name: fmean(f[name] for f in figures.values()) for name in _FIGURES}
    ours |= {name: fmean(f[f"{name}_errors"] for f in figures.values()) for name in _COUNTS}
    for name in _RATES:
        sort = name.removeprefix("disamb_")
        kept = [f for b, f in figures.items() if shares[b][sort] >= _SHARE.get(name, 0.0)]
        rates = [x for f in kept if (x := report.rate(f, name)) is not None]
        ours[name] = fmean(rates) if rates else None
    names = (*_FIGURES, *_COUNTS, *_RATES)
    known = _published(system)
    paper = dict(zip(names, (*TABLE_1[known], *TABLE_4[known]))) if known else {}
    return {
        "system": system,
        "published_as": known,
        "benchmarks": sorted(figures),
        "ours": ours,
        "paper": paper,
        "difference": {n: ours[n] - paper[n] for n in paper if ours[n] is not None},  # type: ignore[operator]
    }


def _published(system: str) -> str:
    """The paper's name of a system: the one that ours begins with, case and punctuation aside."""

    def plain(name: str) -> str:
        return re.sub(r"[^a-z0-9]", "", name.lower())

    return next((name for name in TABLE_1 if plain(system).startswith(plain(name))), "")
