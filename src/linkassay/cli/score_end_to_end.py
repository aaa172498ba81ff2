"""`score --task end-to-end`: tables or JSON of runs that find mentions themselves. All is counted in `scoring`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from linkassay.cli import terminal
from linkassay.cli.unneeded_imports import NoTorchForSpacy
from linkassay.scoring import Figure, Keep, same_figures
from linkassay.scoring.results import leak_notes, row_head, row_leak, row_values, wide_row
from linkassay.tables import rounded

if TYPE_CHECKING:
    from linkassay.runs import Run
    from linkassay.scoring.disambiguation import ScoringOptions
    from linkassay.scoring.endtoend import EndToEndScore, Row

_FIGURES = {
    "F1": "all_f1", "P": "all_p", "R": "all_r", "NER F1": "ner_f1", "disamb.": "disamb_accuracy",
    "document F1": "document_f1",
}  # fmt: skip
#: Means over documents, which GERBIL's own tables have (E2E-2).
_MACRO = {"macro F1": "all_macro_f1", "macro P": "all_macro_p", "macro R": "all_macro_r"}
_OUTCOMES = ("tp", "fp", "fn")


def score_end_to_end(
    runs: Sequence[Run],
    *,
    preset: str = "fair",
    nil: str = "",
    by: Sequence[str] = (),
    spans: str = "",
    sets: Sequence[str] = (),
    scope: Sequence[str] = (),
    options: ScoringOptions | None = None,
    hierarchy: str = "",
    form: str = "",
    strict: bool = False,
    as_json: bool = False,
    keep: Keep = same_figures,
) -> None:
    """Score predicted mentions and entities of some runs; without `nil` both ways of handling it.

    `keep` is handed every figure before it is shown, and answers with the one to show.
    """
    from linkassay.cautions import result_cautions
    from linkassay.progress import told
    from linkassay.scoring.endtoend import MODES, endtoend_figures, rows_of, score_runs_end_to_end
    from linkassay.scoring.endtoend import preset as preset_of

    NoTorchForSpacy.install()
    judged_spans = preset_of(preset, spans).spans
    modes = (nil,) if nil else MODES
    terminal.one_of("--nil", modes[0], MODES)
    runs = list({(run.corpus, run.key): run for run in runs}.values())  # a run that is named twice is one
    tell = told()
    tell("looking at the data", 0, 3)
    found = result_cautions(runs, end_to_end=True)
    # what follows from documents that are absent depends on the preset: notes of the scores say it
    warned = terminal.warn([caution for caution in found if caution.kind != "absent-documents"], strict)
    tell("scoring", 1, 3)
    scores = score_runs_end_to_end(runs, preset=preset, spans=spans, by=by, scope=scope, options=options,
                                   sets=list(dict.fromkeys(sets)) or ["global"], cases=bool(hierarchy))  # fmt: skip
    for score in scores:
        if score.note:
            print(f"warning: {score.run.name}: {score.note}", file=sys.stderr)
    labels = terminal.labels_by_key(runs, within=lambda run: (run.corpus, run.split))

    def keep_labelled(figure: Figure) -> Figure:
        label = labels.get((figure.about["corpus"], figure.about["run"]), figure.about["system"])
        return keep(replace(figure, about=dict(figure.about) | {"system": label}))

    tell("figures of all", 2, 3)
    figures = endtoend_figures(scores, modes, keep=keep_labelled)
    every = rows_of(figures)
    rows = [row for key, row in every.items() if key[3] == "all"]
    slices = [row for key, row in every.items() if key[3] != "all" and any(row[f"all_{x}"].value for x in _OUTCOMES)]
    by_system: dict[str, list[EndToEndScore]] = {}
    for score in scores:
        by_system.setdefault(labels[score.run.corpus, score.run.key], []).append(score)
    averages = _averages(by_system, rows, modes, keep)
    related = _in_hierarchy(scores, hierarchy, modes, keep_labelled) if hierarchy else []
    figures += [*(figure for mean, _ in averages for figure in mean.values()), *related]
    if as_json:
        terminal.print_json(
            {"preset": preset, "spans": judged_spans, "rows": [wide_row(row, sets) for row in rows],
             "averages": [wide_row(row, sets) | {"profile": profile} for row, profile in averages]}
            | ({"groups": [_json_group(row, sets) for row in slices]} if by else {})
            | ({"hierarchy": [figure.row() for figure in related]} if hierarchy else {})
            | {"figures": [figure.row() for figure in figures],
               "notes": [{"run": score.run.key, "note": score.note} for score in scores if score.note],
               "warnings": warned}
        )  # fmt: skip
    elif form:
        from linkassay.tables import render

        print(render([figure.row() for figure in figures], form))
    else:
        _print(rows, averages, slices, preset, sets)
        if related:
            _print_hierarchy(related, sets)
        for line in leak_notes(runs):
            print(line)


def _in_hierarchy(scores: Sequence[EndToEndScore], hierarchy: str, modes: Sequence[str], keep: Keep) -> list[Figure]:
    """How wrong is wrong."""
    import linkassay
    from linkassay.scoring.endtoend import hierarchy_figures, relations_of
    from linkassay.scoring.hierarchy import HierarchyChoices

    choices = HierarchyChoices.parse(hierarchy)
    if choices.kb:
        linkassay.kb(choices.kb)  # obtains the embedded one
    return hierarchy_figures(scores, relations_of(scores, choices), choices, modes, keep=keep)


def _averages(
    by_system: Mapping[str, Sequence[EndToEndScore]],
    rows: Sequence[Row],
    modes: Sequence[str],
    keep: Keep,
) -> list[tuple[Row, str]]:
    """Means over benchmarks of each system, set and NIL handling, each with the system in words."""
    from linkassay.scoring.endtoend import describe_system, mean_intervals, means

    intervals = {
        system: mean_intervals(scores, modes) if len(scores) > 1 else {} for system, scores in by_system.items()
    }
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        about = row["all_f1"].about
        groups.setdefault((about["nil"], about["set"], about["system"]), []).append(row)
    averages = []
    for (_, _, system), group in sorted(groups.items(), key=lambda item: item[0][0]):  # NIL ignored, then required
        mean = means(group, intervals[system], keep)
        averages.append((mean, describe_system(row_values(mean), [row_values(row) for row in group])))
    return averages


def _json_group(row: Row, sets: Sequence[str]) -> dict[str, Any]:
    """The linking figures of a slice."""
    short = {name: row[f"all_{name}"] for name in (*_OUTCOMES, "p", "r", "f1")}
    group = row_head(row, sets) | {"group": row["all_f1"].about["slice"]}
    for name, figure in short.items():
        group[name] = figure.value
        if name not in _OUTCOMES:
            group |= {f"{name}_{end}": figure[end] for end in ("low", "high", "difference", "p", "p_holm")}
    return group | {"keys": {name: figure.key for name, figure in short.items()}} | row_leak(row)


def _print(
    rows: Sequence[Row], averages: Sequence[tuple[Row, str]], slices: Sequence[Row], preset: str, sets: Sequence[str]
) -> None:
    from linkassay.scoring.endtoend import CATEGORIES

    heads = [row_head(row, sets) for row in rows]
    several = len({head["benchmark"] for head in heads}) > 1
    everything = [*rows, *((mean for mean, _ in averages) if several else ())]
    shown_figures = _FIGURES | (_MACRO if preset.startswith("gerbil/") else {})
    modes = " and ".join(sorted({head["mode"].lower() for head in heads}))
    terminal.table(f"end to end, preset {preset} (NIL {modes}; 95 % intervals over documents)", [
        row_head(row, sets) | {shown: _with_interval(row[name]) for shown, name in shown_figures.items() if name in row}
        for row in everything
    ])  # fmt: skip
    categories = [c for c in CATEGORIES if any(f"{c.name}_total" in row and row[f"{c.name}_total"].value
                                               for row in rows)]  # fmt: skip
    for row in everything:
        shown = [
            {"error": c.kind, "category": c.words, "errors": rounded(row[f"{c.name}_errors"].value or 0, 1),
             "of": rounded(row[f"{c.name}_total"].value or 0, 1), "rate": _with_interval(row.get(f"{c.name}_rate"))}
            for c in categories if f"{c.name}_errors" in row
        ]  # fmt: skip
        if shown:
            print()
            terminal.table(" ".join(map(str, row_head(row, sets).values())), shown)
    if slices:
        print()
        terminal.table("by slice", [
            _slice_row(row, row[name], shown, sets) for row in slices for shown, name in list(_FIGURES.items())[:3]
        ])  # fmt: skip
        tested = sum(figure.p is not None for row in slices for figure in row.values())
        print(f"p: t-test over documents of the difference to all mentions; Holm over these {tested}")
    print()
    for row in {row["all_r"].note: row for row in (*rows, *slices) if row["all_r"].note}.values():
        print(f"{row['all_r'].about['set']}: {row['all_r'].note}")
    for what, ends in (("precision of slices and scopes", ("_p", "_f1")), ("shares of words", ("_total", "_rate"))):
        told = (f.note.removeprefix(row["all_r"].note).strip("; ")
                for row in (*rows, *slices) for name, f in row.items() if name.endswith(ends))  # fmt: skip
        for note in dict.fromkeys(filter(None, told)):
            print(f"{what}: {note}")
    for mean, profile in averages:
        head = row_head(mean, sets)
        print(f"{head['system']} (NIL {head['mode'].lower()}{', ' + head['set'] if sets else ''}): {profile}")


def _print_hierarchy(related: Sequence[Figure], sets: Sequence[str]) -> None:
    """Match types, then characteristics, then what is right if some types are accepted."""
    from linkassay.scoring.endtoend import rows_of
    from linkassay.scoring.hierarchy import CHARACTERISTICS

    rows = rows_of(related)
    measures = list(next(iter(rows.values())))
    counts = [m for m in measures if m.startswith("matches(")]
    parted = {
        "match types": {m.removeprefix("matches(").removesuffix(")"): m for m in counts},
        "characteristics (95 % intervals over documents)": {m: m for m in CHARACTERISTICS},
        "F1 if answers of these types are right": {
            m.removeprefix("f1(accepted=").removesuffix(")"): m for m in measures if m.startswith("f1(")
        },
    }
    for title, part in parted.items():
        print()
        terminal.table(title, [
            {"system": row[counts[0]].about["system"], "mode": key[4].upper()} | ({"set": key[2]} if sets else {})
            | {"slice": key[3]} | {shown: _with_interval(row[m]) for shown, m in part.items()}
            for key, row in rows.items()
        ])  # fmt: skip


def _slice_row(row: Row, figure: Figure, shown: str, sets: Sequence[str]) -> dict[str, Any]:
    return row_head(row, sets) | {
        "slice": figure.about["slice"], "measure": shown, "value": terminal.number(figure.value, 3),
        "95 %": terminal.interval(figure, 3), "n": terminal.number(figure.n, 1),
        "difference": terminal.difference(figure["difference"], 3), "p": terminal.chance(figure.p),
        "p (Holm)": terminal.chance(figure.p_holm),
    }  # fmt: skip


def _with_interval(figure: Figure | None) -> str:
    if figure is None:
        return "–"
    value = terminal.number(figure.value, 3)
    return value if figure.low is None else f"{value} ({terminal.interval(figure, 3)})"
