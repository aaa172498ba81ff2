"""`score --task end-to-end`: runs in, one table (or JSON rows) out. What is counted lives in `scoring.endtoend`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from linkassay.cli import show
from linkassay.tables import rounded

if TYPE_CHECKING:
    from linkassay.runs import Run
    from linkassay.scoring.endtoend import Counts

__all__ = ["score_end_to_end"]

_FIGURES = {
    "F1": "all_f1", "P": "all_p", "R": "all_r", "NER F1": "ner_f1", "disamb.": "disamb_accuracy",
    "document F1": "document_f1",
}  # fmt: skip
_SHOWN = {
    "NER missed: lower-cased": "ner_fn_lowercased", "partially included": "ner_fn_partially_included",
    "overlap": "ner_fn_partial_overlap", "other": "ner_fn_other", "NER spurious: lower-cased": "ner_fp_lowercased",
    "NIL or unlabelled": "ner_fp_groundtruth_unknown", "other ": "ner_fp_other", "wrong span": "ner_fp_wrong_span",
    "wrong entity: demonym": "disamb_demonym", "metonym": "disamb_metonymy", "partial name": "disamb_partial_name",
    "rare": "disamb_rare", "other  ": "disamb_other", "not among candidates": "disamb_wrong_candidates",
    "among several": "disamb_multiple_candidates", "wrong species": "disamb_wrong_species",
    "abbreviation": "disamb_abbreviation",
}  # fmt: skip


def score_end_to_end(
    runs: Sequence[Run],
    *,
    preset: str = "fair",
    nil: str = "",
    by: Sequence[str] = (),
    spans: str = "",
    as_json: bool = False,
) -> None:
    """Score predicted mentions and entities of some runs; without `nil` both ways of handling it."""
    from linkassay.scoring.endtoend import report
    from linkassay.scoring.endtoend.matrix import MODES
    from linkassay.scoring.endtoend.presets import preset as named
    from linkassay.scoring.endtoend.runs import benchmark, score

    chosen = named(preset, spans)
    modes = MODES if not nil else (nil,)
    show.one_of("--nil", modes[0], MODES)
    rows: list[dict[str, Any]] = []
    groups: list[dict[str, Any]] = []
    for run in runs:
        scored = score(run, preset=preset, spans=spans, by=by)
        if scored.note:
            print(f"warning: {scored.note}", file=sys.stderr)
        head = {"system": run.system, "benchmark": benchmark(run.corpus)}
        for mode in modes:
            rows.append(report.row(scored.counts, mode, scored.words, **head))
            groups += _groups(scored.counts, mode, head)
    means = []
    for mode in (m.upper() for m in modes):
        for system in dict.fromkeys(r["system"] for r in rows):
            own = [r for r in rows if r["system"] == system and r["mode"] == mode]
            mean = report.average(own, system=system, benchmark=f"mean of {len(own)}")
            means.append(mean | {"profile": report.profile(mean, own)})
    if as_json:
        found = {"preset": preset, "spans": chosen.spans, "rows": rows, "averages": means}
        show.print_json(found | ({"groups": groups} if by else {}))
        return
    _print(rows, means, groups, preset)


def _groups(counts: Counts, mode: str, head: dict[str, Any]) -> list[dict[str, Any]]:
    names = sorted(name.removesuffix("_tp") for name in counts.values if "=" in name and name.endswith("_tp"))
    found = []
    for name in names:
        numbers = {x: counts.total(f"{name}_{x}", mode) for x in ("tp", "fp", "fn")}
        figures = dict(zip(("p", "r", "f1"), counts.micro(name, mode)))
        if any(numbers.values()):
            found.append(head | {"mode": mode.upper(), "group": name} | numbers | figures)
    return found


def _print(rows: list[dict[str, Any]], means: list[dict[str, Any]], groups: list[dict[str, Any]], preset: str) -> None:
    several = len({r["benchmark"] for r in rows}) > 1
    everything = [*rows, *(means if several else [])]
    heads = ("system", "benchmark", "mode")
    show.table(f"end to end, preset {preset} (NIL {' and '.join(sorted({r['mode'].lower() for r in rows}))})", [
        {h: r[h] for h in heads} | {shown: r[name] for shown, name in _FIGURES.items() if name in r} for r in everything
    ])  # fmt: skip
    shown = {words: name for words, name in _SHOWN.items() if any(r.get(f"{name}_total") for r in rows)}
    for r in everything:
        print()
        show.table(" ".join(str(r[h]) for h in heads), [
            {"category": words.strip(), "errors": rounded(r[f"{name}_errors"], 1), "of": rounded(r[f"{name}_total"], 1),
             "rate": _rate(r, name)}
            for words, name in shown.items()
        ])  # fmt: skip
    if groups:
        print()
        show.table("by group", groups)
    print()
    for mean in means:
        print(f"{mean['system']} (NIL {mean['mode'].lower()}): {mean['profile']}")


def _rate(row: dict[str, Any], name: str) -> float | None:
    total = row[f"{name}_total"]
    return row.get(f"{name}_rate", row[f"{name}_errors"] / total if total else None)
