"""Figures of runs whose spans are predicted too: every measure of every set, slice and way of handling NIL.

Values are those of `figure_rows`; intervals and tests are over documents, for all figures of a run at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from linkassay.scoring.disambiguation.document_sums import ALL, as_count, under
from linkassay.scoring.endtoend import figure_rows
from linkassay.scoring.endtoend.category_table import EVERY
from linkassay.scoring.endtoend.counts import Counts, prf
from linkassay.scoring.endtoend.decision_matrix import MODES
from linkassay.scoring.endtoend.presets import PRESETS
from linkassay.scoring.endtoend.run_score import EndToEndScore
from linkassay.scoring.endtoend.slices_and_sets import CountedSlice
from linkassay.scoring.figure import Figure, Keep, leak_of, leak_of_all, same_figures
from linkassay.scoring.results.across_runs import corrected
from linkassay.scoring.statistics import intervals
from linkassay.scoring.statistics.intervals import Difference, Estimate

#: The figures of one run, set, slice and way of handling NIL by their measures.
Row = dict[str, Figure]

#: Measures of which a slice is tested against all mentions (E2E-12).
TESTED = ("all_f1", "all_p", "all_r")
_ENDS = ("p", "r", "f1")
#: What each of these is a share of, of true positives, false positives and missed ones (0, 1, 2).
SHARE_OF = {"p": (0, 1), "r": (0, 2), "f1": (0, 1, 2)}
_ACCURACY = "disamb_accuracy"
#: Measures that are of words (CAT-14).
_OF_WORDS = frozenset(
    f"{category.name}_{end}" for category in EVERY if category.of == "words" for end in ("total", "rate")
)
#: A count has no interval.
_COUNT = Estimate(None, None, None, 0)
#: Number of the cut, NIL handling, measure.
_Place = tuple[int, str, str]
#: Set, NIL handling, measure.
Place = tuple[str, str, str]


def endtoend_figures(
    scored: Sequence[EndToEndScore],
    nil: Sequence[str] = MODES,
    *,
    keep: Keep = same_figures,
) -> list[Figure]:
    """All figures of some runs; the tests of their slices are corrected by Holm over all of them."""
    found = [figure for each in scored for figure in _of_run(each, nil)]
    return [keep(figure) for figure in corrected(found)]


def about(scored: EndToEndScore, cut: CountedSlice, measure: str, nil: str) -> dict[str, Any]:
    """What a figure of a run is of."""
    run, preset = scored.run, scored.preset
    found = {"corpus": run.corpus, "run": run.key, "system": run.system, "measure": measure, "slice": cut.slice,
             "set": cut.set, "preset": preset.name, "nil": nil}  # fmt: skip
    if preset.spans != PRESETS[preset.name].spans:
        found["spans"] = preset.spans
    return found | leak_of([run]) | under(scored.scope, scored.options, cut.slice)


def rows_of(found: Sequence[Figure]) -> dict[tuple[str, ...], Row]:
    """Figures by corpus, run, set, slice and NIL handling, and there by measure, in their order."""
    rows: dict[tuple[str, ...], Row] = {}
    for figure in found:
        key = tuple(figure.about[name] for name in ("corpus", "run", "set", "slice", "nil"))
        rows.setdefault(key, {})[figure.about["measure"]] = figure
    return rows


def means(rows: Sequence[Row], intervals: Mapping[Place, Estimate] | None = None, keep: Keep = same_figures) -> Row:
    """Means over the benchmarks of one system, set and NIL handling, each weighing the same.

    `intervals` are those of `mean_intervals`; one benchmark has its own.
    """
    counted = [{name: figure.value for name, figure in row.items() if not name.endswith("_rate")} for row in rows]
    values = figure_rows.mean_row([{"mode": "", **each} for each in counted])
    first = next(iter(rows[0].values())).about
    runs = " ".join(next(iter(row.values())).about["run"] for row in rows)
    leak = leak_of_all(next(iter(row.values())).about for row in rows)
    head = dict(first) | {"corpus": f"mean of {len(rows)}", "run": runs} | leak
    found: Row = {}
    for name in [name for name in values if name != "mode"]:
        known = rows[0].get(name) if len(rows) == 1 else (intervals or {}).get((first["set"], first["nil"], name))
        low, high = (known.low, known.high) if known else (None, None)
        notes = dict.fromkeys(row[name].note for row in rows if name in row and row[name].note)
        found[name] = keep(Figure(head | {"measure": name}, values[name], None, low, high, note="; ".join(notes)))
    return found


def mean_intervals(scored: Sequence[EndToEndScore], nil: Sequence[str] = MODES) -> dict[Place, Estimate]:
    """The means of precision, recall, F1 and accuracy over benchmarks, of which each has documents of its own."""
    tables = [_Table(each, nil) for each in scored]
    places = [table.places() for table in tables]
    names = [place for place in places[0] if all(place in each for each in places[1:])]
    columns = [[each[name] for name in names] for each in places]

    def mean(*sums: Any) -> Any:
        parts = zip(tables, columns, sums, strict=True)
        return np.mean([table.figures(each)[:, mine] for table, mine, each in parts], axis=0)

    sizes = [table.sizes[:, mine] for table, mine in zip(tables, columns, strict=True)]
    found = intervals.estimates(mean, [table.array for table in tables], sizes)
    return dict(zip(names, found, strict=True))


def _note(scored: EndToEndScore, cut: Any, measure: str) -> str:
    """What must be said of a measure of a part of a run."""
    if measure in _OF_WORDS and cut.whole:
        return scored.words_note
    return str(cut.note) if measure.endswith(("_p", "_f1")) else ""


def _of_run(scored: EndToEndScore, modes: Sequence[str]) -> Iterator[Figure]:
    table = _Table(scored, modes)
    estimates, differences = table.estimates(), table.differences()
    for number, cut in enumerate(scored.cuts):
        for nil in modes:
            values = _values(scored, cut, nil)
            for measure, value in values.items():
                place = number, nil, measure
                found = estimates.get(place, _COUNT)
                difference = differences.get(place)
                yield Figure(
                    about(scored, cut, measure, nil), value,
                    _denominator(measure, values, len(cut.counts.documents)),
                    found.low, found.high, difference=difference, p=None if difference is None else difference.p,
                    note="; ".join(filter(None, (cut.lacking, _note(scored, cut, measure)))),
                )  # fmt: skip


def _values(scored: EndToEndScore, cut: CountedSlice, nil: str) -> dict[str, Any]:
    """Values by measure; means over documents and categories only of all cases, for a slice leaves most out of them."""
    found = figure_rows.figure_row(cut.counts, nil, scored.words if cut.whole else {})
    del found["mode"]
    if not cut.whole:
        return {name: value for name, value in found.items() if "_macro_" not in name and name != "gold_nil"}
    names = [category.name for category in EVERY if f"{category.name}_errors" in found]
    return found | {f"{name}_rate": figure_rows.rate(found, name) for name in names}


def _denominator(measure: str, values: dict[str, Any], documents: int) -> Any:
    """What a figure is a share of; nothing for counts."""
    what, _, end = measure.rpartition("_")
    if what.endswith("_macro"):
        return documents
    if end in _ENDS:
        counted = {"p": ("tp", "fp"), "r": ("tp", "fn"), "f1": ("tp", "fp", "fn")}[end]
        return as_count(sum(values[f"{what}_{x}"] for x in counted))
    return values[f"{what}_total"] if end in ("rate", "accuracy") else None


class _Table:
    """Sums per document of all figures of a run, and how figures are made of them."""

    def __init__(self, scored: EndToEndScore, modes: Sequence[str]) -> None:
        self._columns: list[np.ndarray] = [np.ones(len(scored.counts.documents))]
        self._prf: dict[_Place, tuple[int, float]] = {}  # the first of three columns, and the figures of nothing
        self._ratios: dict[_Place, int] = {}  # the first of two
        self._cuts = scored.cuts
        for number, cut in enumerate(scored.cuts):
            for nil in modes:
                self._add(number, cut, nil, scored)

    def _add(self, number: int, cut: CountedSlice, nil: str, scored: EndToEndScore) -> None:
        def column(name: str) -> np.ndarray:
            return _column(cut.counts, name, nil)

        for what in figure_rows.PRF:
            if f"{what}_tp" in cut.counts.values:
                counted = [column(f"{what}_{x}") for x in ("tp", "fp", "fn")]
                self._prf[number, nil, what] = len(self._columns), cut.empty
                self._columns += counted
                if cut.whole:
                    for end, each in zip(_ENDS, prf(*counted, empty=cut.empty), strict=True):
                        self._ratio((number, nil, f"{what}_macro_{end}"), each, self._columns[0])
        self._ratio((number, nil, _ACCURACY), column("disamb_errors"), column("disamb_total"))
        for name in (c.name for c in EVERY if cut.whole and f"{c.name}_errors" in cut.counts.values):
            of = scored.words_of.get(f"{name}_total")
            self._ratio((number, nil, f"{name}_rate"), column(f"{name}_errors"),
                        column(f"{name}_total") if of is None else of)  # fmt: skip

    def _ratio(self, key: _Place, *columns: np.ndarray) -> None:
        self._ratios[key] = len(self._columns)
        self._columns += columns

    def places(self) -> dict[Place, int]:
        """Where shares of all mentions of each set stand among the figures, those that enough documents have."""
        return {
            (self._cuts[key[0]].set, *key[1:]): at
            for at, key in enumerate(self._names)
            if self._cuts[key[0]].slice == ALL and not key[2].endswith("_rate") and self._supported(key)
        }

    def figures(self, sums: Any) -> Any:
        """All figures of some sums, in the order of `_names`."""
        tp = np.array([at for at, _ in self._prf.values()], dtype=np.intp)
        empty = np.array([value for _, value in self._prf.values()])
        above = np.array(list(self._ratios.values()), dtype=np.intp)
        shares = np.where(sums[:, above + 1] > 0, sums[:, above] / sums[:, above + 1], np.nan)
        of_errors = np.array([measure == _ACCURACY for *_, measure in self._ratios], dtype=bool)
        shares[:, of_errors] = 1 - shares[:, of_errors]
        return np.hstack([*prf(sums[:, tp], sums[:, tp + 1], sums[:, tp + 2], empty=empty), shares])

    @property
    def _names(self) -> list[_Place]:
        named = [(number, nil, f"{what}_{end}") for end in _ENDS for number, nil, what in self._prf]
        return named + list(self._ratios)

    @property
    def array(self) -> np.ndarray:
        """Documents × columns."""
        return np.column_stack(self._columns)

    @cached_property
    def sizes(self) -> np.ndarray:
        """What each figure is a share of in each document: documents × figures, in the order of `_names`."""
        return np.column_stack([self._size(key) for key in self._names])

    def _size(self, key: _Place) -> np.ndarray:
        number, nil, measure = key
        if key in self._ratios:
            return self._columns[self._ratios[key] + 1]
        what, _, end = measure.rpartition("_")
        at, _ = self._prf[number, nil, what]
        return np.asarray(np.sum([self._columns[at + n] for n in SHARE_OF[end]], axis=0))

    def estimates(self) -> dict[_Place, Estimate]:
        """By number of the cut, NIL handling and measure; no interval from fewer than two documents with counts."""
        found = intervals.estimates(self.figures, [self.array], [self.sizes])
        return dict(zip(self._names, found, strict=True))

    def _supported(self, key: _Place) -> bool:
        number, nil, measure = key
        if key in self._ratios:
            return int(np.count_nonzero(self._size(key))) >= 2
        at, _ = self._prf[number, nil, measure.rpartition("_")[0]]
        return int(np.count_nonzero(np.any(self._columns[at : at + 3], axis=0))) >= 2

    def differences(self) -> dict[_Place, Difference]:
        """Of slices to all mentions of their set."""
        place = {key: at for at, key in enumerate(self._names)}
        all_ = {cut.set: number for number, cut in enumerate(self._cuts) if cut.slice == ALL}
        asked = [key for key in place if key[2] in TESTED and self._cuts[key[0]].slice != ALL and self._supported(key)]
        pairs = [(place[key], place[all_[self._cuts[key[0]].set], key[1], key[2]]) for key in asked]
        if not pairs:
            return {}
        found = intervals.paired(self.figures, [self.array], pairs, [self.sizes])
        return dict(zip(asked, found, strict=True))


def _column(counts: Counts, name: str, nil: str) -> np.ndarray:
    found = counts.values.get(name)
    return np.zeros(len(counts.documents)) if found is None else found[MODES.index(nil)]
