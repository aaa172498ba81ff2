"""`score` and `compare` with `--task end-to-end`: runs in, tables or JSON out. All is counted in `scoring.endtoend`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from linkassay.cli import terminal
from linkassay.defaults import RESAMPLES
from linkassay.errors import UsageError
from linkassay.scoring import Figure, Keep, same_figures
from linkassay.tables import fixed, rounded

if TYPE_CHECKING:
    from linkassay.runs import Run
    from linkassay.scoring.disambiguation import ScoringOptions
    from linkassay.scoring.endtoend import EndToEndScore, Row

_FIGURES = {
    "F1": "all_f1", "P": "all_p", "R": "all_r", "NER F1": "ner_f1", "disamb.": "disamb_accuracy",
    "document F1": "document_f1",
}  # fmt: skip
#: Options of other tasks that would change nothing here, and why.
_FOREIGN = {
    "--measures": "all measures are printed",
    "--protocol": "an answer is right if it shares an id with the gold",
    "--exclude-ids": "what was predicted for them could not be told from what is wrong",
    "--failures": "see the categories of errors",
    "--abbreviation-effect": "run the linker both ways and compare the two runs",
}
_OUTCOMES = ("tp", "fp", "fn")
#: How measures of shares end; these have intervals in the rows of JSON.
_SHARES = ("_p", "_r", "_f1", "_accuracy")


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
    resamples: int = RESAMPLES,
    hierarchy: str = "",
    form: str = "",
    as_json: bool = False,
    keep: Keep = same_figures,
) -> None:
    """Score predicted mentions and entities of some runs; without `nil` both ways of handling it.

    `keep` is handed every figure before it is shown, and answers with the one to show.
    """
    from linkassay.scoring.endtoend import MODES, endtoend_figures, rows_of, score_run
    from linkassay.scoring.endtoend import preset as named

    chosen = named(preset, spans)
    modes = MODES if not nil else (nil,)
    terminal.one_of("--nil", modes[0], MODES)
    given = {(run.corpus, run.key): run for run in runs}  # a run that is named twice is one
    wanted = list(dict.fromkeys(sets)) or ["global"]
    scored = [score_run(run, preset=preset, spans=spans, by=by, sets=wanted, scope=scope, options=options,
                    cases=bool(hierarchy)) for run in given.values()]  # fmt: skip
    for each in scored:
        if each.note:
            print(f"warning: {each.note}", file=sys.stderr)
    called = _called(list(given.values()))

    def by_name(figure: Figure) -> Figure:
        label = called.get((figure.about["corpus"], figure.about["run"]), figure.about["system"])
        return keep(replace(figure, about=dict(figure.about) | {"system": label}))

    found = endtoend_figures(scored, modes, resamples=resamples, keep=by_name)
    every = rows_of(found)
    rows = [row for key, row in every.items() if key[3] == "all"]
    slices = [row for key, row in every.items() if key[3] != "all" and any(row[f"all_{x}"].value for x in _OUTCOMES)]
    systems: dict[str, list[EndToEndScore]] = {}
    for each in scored:
        systems.setdefault(called[each.run.corpus, each.run.key], []).append(each)
    averages = _averages(systems, rows, modes, resamples, keep)
    related = _in_hierarchy(scored, hierarchy, modes, resamples, by_name) if hierarchy else []
    found += [*(figure for mean, _ in averages for figure in mean.values()), *related]
    if as_json:
        terminal.print_json(
            {"preset": preset, "spans": chosen.spans, "rows": [_json_row(row, sets) for row in rows],
             "averages": [_json_row(row, sets) | {"profile": said} for row, said in averages]}
            | ({"groups": [_json_group(row, sets) for row in slices]} if by else {})
            | ({"hierarchy": [figure.row() for figure in related]} if hierarchy else {})
            | {"figures": [figure.row() for figure in found]}
        )  # fmt: skip
    elif form:
        from linkassay.tables import render

        print(render([figure.row() for figure in found], form))
    else:
        _print(rows, averages, slices, preset, sets)
        if related:
            _print_hierarchy(related, sets)


def compare_end_to_end(
    runs: Sequence[Run], measure: str, *, by: Sequence[str], nil: str, form: str, as_json: bool, **choices: Any
) -> None:
    """Compare runs that find mentions themselves."""
    from linkassay.scoring.endtoend import MODES, compare_runs

    terminal.one_of("--nil", nil or MODES[0], MODES)
    if len(by) > 1:
        raise UsageError(f"--by {', '.join(by)}: runs are compared on one slice")
    found = compare_runs(runs, measure, nil=nil or MODES[0], by=by[0] if by else "", **choices)
    terminal.comparison(found, form, as_json)


def refuse(given: Mapping[str, Any]) -> None:
    """Refuse options that cannot apply, rather than to leave them without effect."""
    for option, value in given.items():
        if value:
            raise UsageError(f"{option} is not of --task end-to-end: {_FOREIGN[option]}")


def texts(abbreviations: str, fold: bool) -> ScoringOptions:
    """How slices and sets compare texts."""
    from linkassay.scoring.disambiguation import ScoringOptions

    return ScoringOptions.of(abbreviations, fold=fold)


def _in_hierarchy(
    scored: Sequence[EndToEndScore], hierarchy: str, modes: Sequence[str], resamples: int, keep: Keep
) -> list[Figure]:
    """How wrong is wrong."""
    import linkassay
    from linkassay.scoring.endtoend import hierarchy_figures, relations_of
    from linkassay.scoring.hierarchy import HierarchyChoices

    choices = HierarchyChoices.parse(hierarchy)
    if choices.kb:
        linkassay.kb(choices.kb)  # obtains the embedded one
    return hierarchy_figures(scored, relations_of(scored, choices), choices, modes, resamples=resamples, keep=keep)


def _called(runs: Sequence[Run]) -> dict[tuple[str, str], str]:
    """(corpus, key of a run) → what it is called among the runs on the same benchmark."""
    from linkassay.runs import labels

    found: dict[tuple[str, str], str] = {}
    for place in dict.fromkeys((run.corpus, run.split) for run in runs):
        mine = [run for run in runs if (run.corpus, run.split) == place]
        found |= {(run.corpus, run.key): label for run, label in zip(mine, labels(mine), strict=True)}
    return found


def _averages(
    systems: Mapping[str, Sequence[EndToEndScore]],
    rows: Sequence[Row],
    modes: Sequence[str],
    resamples: int,
    keep: Keep,
) -> list[tuple[Row, str]]:
    """Means over benchmarks of each system, set and NIL handling, each with the system in words."""
    from linkassay.scoring.endtoend import describe_system, mean_intervals, means

    intervals = {
        system: mean_intervals(own, modes, resamples=resamples) if len(own) > 1 else {}
        for system, own in systems.items()
    }

    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        about = row["all_f1"].about
        groups.setdefault((about["nil"], about["set"], about["system"]), []).append(row)
    found = []
    for (_, _, system), own in sorted(groups.items(), key=lambda group: group[0][0]):  # NIL ignored, then required
        mean = means(own, intervals[system], keep)
        said = describe_system(_values(mean), [_values(row) for row in own])
        found.append((mean, said))
    return found


def _head(row: Row, sets: Sequence[str]) -> dict[str, Any]:
    """What a row is of; the set only where some were asked for."""
    from linkassay.scoring.endtoend import benchmark_name

    about = row["all_f1"].about
    return {"system": about["system"], "benchmark": benchmark_name(about["corpus"]), "mode": about["nil"].upper()} | (
        {"set": about["set"]} if sets else {}
    )


def _values(row: Row) -> dict[str, Any]:
    return {measure: figure.value for measure, figure in row.items() if figure.value is not None}


def _json_row(row: Row, sets: Sequence[str]) -> dict[str, Any]:
    """All values of a run by their measures, the intervals of shares, and the keys of all."""
    bounds = {f"{measure}_{end}": figure[end] for measure, figure in row.items() if measure.endswith(_SHARES)
              for end in ("low", "high")}  # fmt: skip
    return _head(row, sets) | _values(row) | bounds | {"keys": {name: figure.key for name, figure in row.items()}}


def _json_group(row: Row, sets: Sequence[str]) -> dict[str, Any]:
    """The linking figures of a slice."""
    short = {name: row[f"all_{name}"] for name in (*_OUTCOMES, "p", "r", "f1")}
    found = _head(row, sets) | {"group": row["all_f1"].about["slice"]}
    for name, figure in short.items():
        found[name] = figure.value
        if name not in _OUTCOMES:
            found |= {f"{name}_{end}": figure[end] for end in ("low", "high", "difference", "p", "p_holm")}
    return found | {"keys": {name: figure.key for name, figure in short.items()}}


def _print(
    rows: Sequence[Row], averages: Sequence[tuple[Row, str]], slices: Sequence[Row], preset: str, sets: Sequence[str]
) -> None:
    from linkassay.scoring.endtoend import CATEGORIES

    heads = [_head(row, sets) for row in rows]
    several = len({head["benchmark"] for head in heads}) > 1
    everything = [*rows, *((mean for mean, _ in averages) if several else ())]
    modes = " and ".join(sorted({head["mode"].lower() for head in heads}))
    terminal.table(f"end to end, preset {preset} (NIL {modes}; 95 % intervals over documents)", [
        _head(row, sets) | {shown: _with_interval(row[name]) for shown, name in _FIGURES.items() if name in row}
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
            terminal.table(" ".join(map(str, _head(row, sets).values())), shown)
    if slices:
        print()
        terminal.table("by slice", [_slice(row, row[name], shown, sets) for row in slices
                                for shown, name in list(_FIGURES.items())[:3]])  # fmt: skip
        tested = sum(figure.p is not None for row in slices for figure in row.values())
        print(f"p: document bootstrap of the difference to all mentions; Holm over these {tested}")
    print()
    for note in dict.fromkeys(figure.note for row in (*rows, *slices) for figure in row.values() if figure.note):
        print(f"precision of slices and scopes: {note}")
    for mean, said in averages:
        head = _head(mean, sets)
        print(f"{head['system']} (NIL {head['mode'].lower()}{', ' + head['set'] if sets else ''}): {said}")


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


def _slice(row: Row, figure: Figure, shown: str, sets: Sequence[str]) -> dict[str, Any]:
    found = _head(row, sets) | {"slice": figure.about["slice"], "measure": shown,
                                "value": terminal.number(figure.value, 3), "95 %": _interval(figure),
                                "n": terminal.number(figure.n, 1)}  # fmt: skip
    apart = figure["difference"]
    return found | {"difference": "–" if apart is None else fixed(apart, 3, sign=True), "p": terminal.chance(figure.p),
                    "p (Holm)": terminal.chance(figure.p_holm)}  # fmt: skip


def _with_interval(figure: Figure | None) -> str:
    if figure is None:
        return "–"
    value = terminal.number(figure.value, 3)
    return value if figure.low is None else f"{value} ({_interval(figure)})"


def _interval(figure: Figure) -> str:
    return terminal.interval({"low": figure.low, "high": figure.high}, 3)
