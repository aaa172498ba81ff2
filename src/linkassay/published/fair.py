"""The Fair EL paper (Bast et al. 2023) beside ours: tables 1 and 4 from runs, 2 and 3 from corpora at hand.

The paper averages five benchmarks. AIDA-CoNLL is licensed, so that often only four are at hand: then the means are
ours alone and not comparable with the paper's, and `reproduce` says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from linkassay.errors import UsageError
from linkassay.published import our_figures
from linkassay.published.our_figures import Reproduced, plain_name
from linkassay.published.published_table import load_work
from linkassay.runs import Run, all_runs
from linkassay.scoring import Figure
from linkassay.scoring.endtoend import (
    EndToEndScore,
    benchmark_name,
    critique_corpus,
    endtoend_figures,
    rate,
    rows_of,
    score_runs_end_to_end,
)
from linkassay.tables import Rows


def _shares(number: int) -> dict[str, tuple[float, ...]]:
    """A table by system, per cent as shares."""
    found: dict[str, tuple[float, ...]] = {}
    table = load_work("fair").tables[number]
    for figure in table.figures():
        percent = table.unit == "percent" or figure.measure.endswith("%")
        value = round(figure.value / 100, figure.digits + 2) if percent else figure.value
        found[figure.labels["system"]] = (*found.get(figure.labels["system"], ()), value)
    return found


BENCHMARKS = ("aida-conll-test", "kore50", "msnbc-updated", "news-fair-no-coref", "wiki-fair-no-coref")
#: System → overall F1, NER F1, disambiguation accuracy: means over the five benchmarks, as shares.
TABLE_1 = _shares(1)
#: System → mean counts of NER false negatives (lower-cased, partially included) and false positives (lower-cased, gold
#: NIL, wrong span), and mean error rates (demonym, metonym, partial name, rare).
TABLE_4 = _shares(4)
_FIGURES = ("all_f1", "ner_f1", "disamb_accuracy")
_COUNTS = ("ner_fn_lowercased", "ner_fn_partially_included", "ner_fp_lowercased", "ner_fp_groundtruth_unknown",
           "ner_fp_wrong_span")  # fmt: skip
_RATES = ("disamb_demonym", "disamb_metonymy", "disamb_partial_name", "disamb_rare")
_ALL = (*_FIGURES, *_COUNTS, *_RATES)
_SOURCE = load_work("fair").source
#: Property of tables 2 and 3 → ours.
_PROPERTIES = {
    "all": "mentions", "coreference": "coreference", "NIL": "nil", "optional": "optional",
    "alternative": "with_alternatives", "mentions": "scored", "lower %": "lower_cased", "multiword %": "multiword",
    "NIL %": "nil", "demonym %": "demonym", "metonym %": "metonymy", "partial %": "partial_name", "rare %": "rare",
    "person %": "person", "location %": "location", "organization %": "organisation",
}  # fmt: skip
#: Rates of these average only benchmarks in which at least this share of mentions is of that sort (table 4).
_SHARE = {"disamb_demonym": 0.02, "disamb_metonymy": 0.02}


def reproduce(runs: Sequence[Run] | None = None) -> dict[str, Any]:
    """The paper's figures beside those of the runs (all in the data home) on its benchmarks, NIL ignored."""
    by_system = _runs_on_benchmarks(all_runs() if runs is None else runs)
    if not by_system:
        raise UsageError(f"no runs on the benchmarks of the paper ({', '.join(BENCHMARKS)}); import some, e.g.: "
                         "linkassay import elevant FILE --corpus kore50 --system ReFinED")  # fmt: skip
    # Any run leads to its benchmark; that of the first system counts.
    one_each = {name: run for of_system in reversed(by_system.values()) for name, run in of_system.items()}
    used = sorted(one_each)
    shares = {name: critique_corpus(one_each[name].open_corpus(), one_each[name].split)["properties"]["shares"]
              for name in used}  # fmt: skip
    rows = [_system_row(system, of_system, shares) for system, of_system in by_system.items()]
    missing = [name for name in BENCHMARKS if name not in used]
    note = f"means over {len(used)} of the paper's five benchmarks ({', '.join(used)})"
    if missing:
        note += f"; without {', '.join(missing)} they are not comparable with its tables 1 and 4"
    return {"note": note, "benchmarks": used, "nil": "ignored", "rows": rows}


def _runs_on_benchmarks(runs: Iterable[Run]) -> dict[str, dict[str, Run]]:
    """System → benchmark → its newest run there."""
    by_system: dict[str, dict[str, Run]] = {}
    for run in sorted(runs, key=lambda r: r.about["finished"]):
        if (benchmark := benchmark_name(run.corpus)) in BENCHMARKS:
            by_system.setdefault(run.system, {})[benchmark] = run
    return by_system


def _system_row(system: str, runs: Mapping[str, Run], shares: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    """The summary of a system with the keys of the figures that its means are over."""
    # Only values are looked at, so intervals are not worth their time.
    scored = score_runs_end_to_end(list(runs.values()), preset="elevant")
    figures = {name: _figures(each) for name, each in zip(runs, scored, strict=True)}
    values = {name: {measure: figure.value for measure, figure in of.items()} for name, of in figures.items()}
    keys = {m: [of[_behind(m)].key for of in figures.values() if _behind(m) in of] for m in _ALL}
    leak = {name: run.leak for name, run in runs.items() if run.leak}
    told = [f"{name}: {said}" for name, said in leak.items()]
    if set(runs) != set(BENCHMARKS):
        told.append(f"not comparable: ours is of {len(runs)} ({', '.join(sorted(runs))}), the paper's of "
                    f"{len(BENCHMARKS)} benchmarks")  # fmt: skip
    note = "; ".join(told)
    return summary(system, values, shares) | {"keys": keys} | ({"note": note} if note else {})


def _figures(scored: EndToEndScore) -> dict[str, Figure]:
    """The figures of a run over all its labels, by measure."""
    (found,) = rows_of(endtoend_figures([scored], ["ignored"])).values()
    return found


def _behind(measure: str) -> str:
    """The figure of a benchmark that a mean of the paper's tables is over."""
    return measure if measure in _FIGURES else f"{measure}_{'errors' if measure in _COUNTS else 'rate'}"


def fair_beside_ours() -> Reproduced:
    """A note on what is comparable, and a row for each system and figure, and each benchmark and property."""
    try:
        found = reproduce()
    except UsageError as error:  # the benchmarks alone can stand beside the paper's
        return Reproduced("no run is at hand", Rows(_benchmarks()), [str(error)])
    rows = Rows(
        {"table": 1 if figure in _FIGURES else 4, "system": row["system"], "published_as": row["published_as"] or None,
         "measure": figure, "published": row["paper"].get(figure), "ours": value,
         "difference": row["difference"].get(figure), "n": len(row["benchmarks"]), "keys": row["keys"][figure],
         **({"note": row["note"]} if "note" in row else {})}
        for row in found["rows"] for figure, value in row["ours"].items()
    )  # fmt: skip
    rows += _benchmarks()
    rows.sort(key=lambda r: r["table"])
    lacking = [system for system in TABLE_1 if system not in {row["published_as"] for row in found["rows"]}]
    missing = [f"benchmark {name}: linkassay info {name} says how to get it"
               for name in BENCHMARKS if name not in found["benchmarks"]]  # fmt: skip
    if lacking:
        missing.append(f"tables 1 and 4: no run of {', '.join(lacking)}; with its linked articles of {_SOURCE}: "
                       "linkassay import elevant FILE --corpus BENCHMARK --system SYSTEM")  # fmt: skip
    return Reproduced(found["note"], rows, missing)


def _benchmarks() -> Iterator[dict[str, Any]]:
    """Tables 2 (with coreference) and 3 of the benchmarks at hand."""
    fair = load_work("fair")
    editions = {2: {p: n.removesuffix("_no_coref") for p, n in fair.corpora.items()}, 3: dict(fair.corpora)}
    known: dict[str, dict[str, Any]] = {}
    for number, names in editions.items():
        at_hand = our_figures.corpora_at_hand(names.values())
        for figure in fair.tables[number].figures():
            name = names[figure.labels["corpus"]]
            if name not in at_hand:
                continue
            if name not in known:
                known[name] = critique_corpus(at_hand[name])["properties"]
            key = _PROPERTIES[figure.labels.get("property", figure.measure)]
            percent = figure.measure.endswith("%")
            value = 100 * known[name]["shares"][key] if percent else known[name][key]
            what = figure.labels.get("property")
            yield our_figures.reproduced_row(
                fair.tables[number],
                replace(figure, measure=what) if what else figure,
                value,
                known[name]["scored" if percent else "mentions"],
                corpus=name,
            )


def summary(
    system: str, figures: Mapping[str, Mapping[str, Any]], shares: Mapping[str, Mapping[str, float]]
) -> dict[str, Any]:
    """One system: our means by the rules of the paper's tables, the paper's own, and the differences."""
    own: dict[str, float | None] = {name: fmean(f[name] for f in figures.values()) for name in _FIGURES}
    own |= {name: fmean(f[f"{name}_errors"] for f in figures.values()) for name in _COUNTS}
    for name in _RATES:
        sort = name.removeprefix("disamb_")
        kept = [f for b, f in figures.items() if shares[b][sort] >= _SHARE.get(name, 0.0)]
        rates = [x for f in kept if (x := rate(f, name)) is not None]
        own[name] = fmean(rates) if rates else None
    known = _published(system)
    paper = dict(zip(_ALL, (*TABLE_1[known], *TABLE_4[known]))) if known else {}
    return {
        "system": system,
        "published_as": known,
        "benchmarks": sorted(figures),
        "ours": own,
        "paper": paper,
        # Means over other benchmarks have no difference that would mean something.
        "difference": {n: own[n] - paper[n] for n in paper if own[n] is not None}  # type: ignore[operator]
        if set(figures) == set(BENCHMARKS)
        else {},
    }


def _published(system: str) -> str:
    """The paper's name of a system: the one that ours begins with, case and punctuation aside."""
    return next((name for name in TABLE_1 if plain_name(system).startswith(plain_name(name))), "")
