"""Runs of one corpus against each other: who is better and how sure that is, what one fixed and broke (STAT-13).

All comparisons are of the same mentions; the family over which p-values are corrected is what is printed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linkassay import store
from linkassay.defaults import RESAMPLES_COMPARED
from linkassay.errors import UsageError
from linkassay.runs import Run
from linkassay.runs import labels as labels_of
from linkassay.scoring.disambiguation.document_sums import ALL, about, as_count
from linkassay.scoring.disambiguation.measures import MEASURES, Measure
from linkassay.scoring.disambiguation.run_score import Score
from linkassay.scoring.disambiguation.support import unsupported
from linkassay.scoring.figure import Figure, Keep, leak_of_all, same_figures
from linkassay.scoring.figure_plot import plot_differences
from linkassay.scoring.results.across_runs import bioel_tests
from linkassay.scoring.statistics import intervals
from linkassay.scoring.statistics.agreement import oracle, overlap
from linkassay.scoring.statistics.bootstrap import drawn_differences
from linkassay.scoring.statistics.intervals import Difference, Estimate
from linkassay.scoring.statistics.significance import bioel_abbreviation, bonferroni, holm, mcnemar, permutation
from linkassay.tables import Rows, html_block

if TYPE_CHECKING:
    from linkassay.charts import Drawing

#: Why a pair has no McNemar's test (SUPPORT-5).
NO_MCNEMAR = "no McNemar's test: it counts mentions that are right or wrong, and here some count in part"
#: The slices of BioEL's tables.
BIOEL = ("abbreviation", "alias-match", "no-alias-match", "wrong-alias-match", "train-text-match", "train-entity-match",
         "zero-shot", "train-pair-match", "single-alias", "five-aliases-or-less", "no-definition")  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """What `compare_runs` found."""

    measure: str
    n: float
    systems: Rows  # each run's own figure
    pairs: Rows  # each pair of runs: difference, tests, corrected over all pairs
    correlation: list[list[float | None]]  # of correctness, in the order of `systems`
    oracle: dict[str, Any]  # the best possible choice among all runs, and what none gets right
    family: str  # over what p-values were corrected
    changed: dict[str, dict[str, list[dict[str, Any]]]]  # pair → fixed, broken mentions
    none_right: list[dict[str, Any]]  # STAGE-4

    def __str__(self) -> str:
        return f"{self.systems}\n\n{self.pairs}"

    def _repr_html_(self) -> str:
        notes = [f"p-values corrected over {self.family}"] if self.pairs else []
        return html_block(f"{self.measure}, {self.n:g} mentions", self.systems, self.pairs, notes=notes)

    def plot(self) -> Drawing:
        """The differences of all pairs as a chart; `.save("x.svg")` writes it."""
        return plot_differences(self.pairs, self.measure)

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self) | {"systems": list(self.systems), "pairs": list(self.pairs)}


def compare_runs(
    scores: Sequence[Score],
    measure: str | Measure = "recall@1",
    resamples: int = RESAMPLES_COMPARED,
    examples: int = 20,
    keep: Keep = same_figures,
) -> Comparison:
    """Compare runs of one corpus, revision and split under one measure; the second of a pair against the first.

    `keep` sees every figure before it is used.
    """
    refuse_incomparable([s.run for s in scores])
    parsed = _of_mentions(measure)
    mentions, values, document, count = _same_mentions(scores, parsed)
    sums = np.column_stack([np.bincount(document, weights=v, minlength=count) for v in values])
    table = np.column_stack([sums, np.bincount(document, minlength=count)])
    last = len(scores)
    chosen = list(combinations(range(last), 2))
    backwards = [(b, last, a, last) for a, b in chosen]
    return Paired(
        [s.run for s in scores], [about(s, str(parsed)) for s in scores], mentions, values, np.ones(len(mentions)),
        intervals.ratios([table], [(at, last) for at in range(last)]),
        intervals.differences([table], backwards),
        drawn_differences([table], backwards, resamples),
        [permutation(sums[:, b] - sums[:, a], resamples).p for a, b in chosen],
        notes=[unsupported(s, parsed, ALL) for s in scores],
    ).comparison(str(parsed), str(parsed), examples, keep)  # fmt: skip


@dataclass(frozen=True)
class Paired:
    """Runs side by side on the same mentions: what a `Comparison` is made of."""

    runs: Sequence[Run]
    about: Sequence[Mapping[str, Any]]  # what figures of each run are of
    mentions: Sequence[dict[str, Any]]
    values: Any  # runs × mentions, each from 0 (wrong) to 1 (right)
    weights: Any  # of the mentions
    estimates: Sequence[Estimate]  # of each run
    apart: Sequence[Difference]  # of each pair, the second minus the first
    drawn: Sequence[float | None]  # p of each pair, documents drawn (STAT-19)
    permuted: Sequence[float]  # p of each pair, documents swapped (STAT-6)
    note: str = ""  # of figures
    notes: Sequence[str] = ()  # of the figures of each run

    def comparison(self, name: str, title: str, examples: int, keep: Keep) -> Comparison:
        """All figures of a measure, handed to `keep`; `title` is its name with what else it is of."""
        labels, n = labels_of(self.runs), as_count(float(self.weights.sum()))
        # What they share depends on which they are.
        compared = f"{len(self.runs)} runs {store.fingerprint(sorted(run.key for run in self.runs))}"
        of = [dict(each) | {"compared": compared} for each in self.about]
        systems = [
            keep(Figure.of(mine | {"system": label}, estimate, n, note=own or self.note))
            for mine, label, estimate, own in zip(of, labels, self.estimates, self.notes or [""] * len(of), strict=True)
        ]
        chosen = list(combinations(range(len(self.runs)), 2))
        note = "; ".join(filter(None, (self.note, "" if self._counted else NO_MCNEMAR)))
        pairs = [
            keep(Figure.of(together([of[a], of[b]]) | {"first": labels[a], "second": labels[b]}, difference, n,
                           p=tests["permutation_p"], more=tests, note=note))
            for (a, b), difference, tests in zip(chosen, self.apart, self._tests(chosen), strict=True)
        ]  # fmt: skip
        best = oracle(self.values, self.weights)
        ensemble = keep(Figure(together(of) | {"measure": f"oracle of {of[0]['measure']}"}, best.value, n,
                               more={"none_right": as_count(best.none_right)}))  # fmt: skip
        return Comparison(
            title, n, Rows(map(system_row, systems)), Rows(map(pair_row, pairs)), self._correlations(pairs),
            {"value": ensemble.value, **ensemble.more, "n": ensemble.n, **ensemble.remarked, "key": ensemble.key},
            f"{len(pairs)} pair{'s' if len(pairs) > 1 else ''} of {len(self.runs)} runs, one measure ({name})",
            {f"{labels[a]} → {labels[b]}": {"fixed": self._listed(self.values[b] > self.values[a], examples),
                                            "broken": self._listed(self.values[b] < self.values[a], examples)}
             for a, b in chosen},
            self._listed(self.values.max(axis=0) == 0, examples),
        )  # fmt: skip

    @cached_property
    def _counted(self) -> bool:
        """Whether every mention is right or wrong, and weighs one (STAT-9)."""
        return bool(np.isin(self.values, (0, 1)).all() and np.isin(self.weights, (0, 1)).all())

    def _tests(self, chosen: Sequence[tuple[int, int]]) -> Rows:
        """What the runs of each pair have in common, and whether they differ, corrected over all pairs."""
        found = Rows()
        for (a, b), drawn, permuted in zip(chosen, self.drawn, self.permuted, strict=True):
            both = overlap(self.values[a], self.values[b], self.weights)
            found.append(
                {
                    "only_first": as_count(both.only_first),
                    "only_second": as_count(both.only_second),
                    "both": as_count(both.both),
                    "neither": as_count(both.neither),
                    "mcnemar_p": mcnemar(both.only_first, both.only_second).exact if self._counted else None,
                    "permutation_p": permuted,
                    "bootstrap_p": drawn,
                    "correlation": both.correlation,
                    "oracle": oracle(self.values[[a, b]], self.weights).value,
                }
            )
        _correct(found, "permutation_p")
        _correct(found, "mcnemar_p")
        return found

    def _correlations(self, pairs: Sequence[Figure]) -> list[list[float | None]]:
        """Of correctness, each run with each, in their order."""
        size = len(self.values)
        found: list[list[float | None]] = [[overlap(x, x, self.weights).correlation] * size for x in self.values]
        for (a, b), pair in zip(combinations(range(size), 2), pairs, strict=True):
            found[a][b] = found[b][a] = pair["correlation"]
        return found

    def _listed(self, which: Any, limit: int) -> list[dict[str, Any]]:
        return [self.mentions[n] for n in np.flatnonzero(which)[:limit]]


def refuse_incomparable(runs: Sequence[Run]) -> None:
    """Refuse runs that cannot be compared."""
    if len(runs) < 2:
        raise UsageError("compare needs two runs or more")
    data = {f"{run.corpus}@{run.about['corpus_revision']} {run.split}" for run in runs}
    if len(data) > 1:
        raise UsageError(
            f"runs of one corpus, revision and split can be compared; these are of {', '.join(sorted(data))}"
        )


def together(of: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What figures of several runs together are of."""
    return dict(of[0]) | {name: " → ".join(each[name] for each in of) for name in ("run", "system")} | leak_of_all(of)


def system_row(figure: Figure) -> dict[str, Any]:
    """A run's own figure, as `compare_runs` gives it."""
    names = ("value", "n", "low", "high", "key")
    row = {name: figure.about[name] for name in ("system", "run")} | {name: figure[name] for name in names}
    return row | figure.remarked


def pair_row(figure: Figure) -> dict[str, Any]:
    """Two runs against each other, as `compare_runs` gives it."""
    apart = {"difference": figure.value, "low": figure.low, "high": figure.high, "n": figure.n}
    row = {name: figure.about[name] for name in ("first", "second")} | apart | dict(figure.more) | figure.remarked
    return row | {"key": figure.key}


def abbreviation_effect(pairs: Sequence[tuple[Score, Score]], measure: str | Measure = "recall@1") -> list[Figure]:
    """Runs without and with abbreviations written out, on abbreviated mentions (ABBR-5; BioEL table 8).

    The z-test is that paper's: two proportions, unpooled, times the number of systems; beside it the paired
    tests over documents, which know that both runs saw the same mentions.
    """
    found = []
    parsed = _of_mentions(measure)
    for without, with_ in pairs:
        refuse_incomparable([without.run, with_.run])
        mentions, values, document, count = _same_mentions([without, with_], parsed, only="abbreviation")
        if not mentions:
            raise UsageError(f"no mention of {without.run.corpus} is an abbreviation; which do you know? "
                             "(--abbreviations schwartz-hearst, ab3p, or a file)")  # fmt: skip
        sums = np.column_stack([np.bincount(document, weights=v, minlength=count) for v in values])
        table = np.column_stack([sums, np.bincount(document, minlength=count)])
        (difference,) = intervals.differences([table], [(1, 2, 0, 2)])
        n = len(mentions)
        z = bioel_abbreviation(float(values[0].sum()), n, float(values[1].sum()), n, len(pairs))
        subject = together([about(score, str(parsed), "abbreviation") for score in (without, with_)])
        found.append(Figure.of(
            subject | {"without": without.run.name, "with": with_.run.name}, difference, n, more={
                "value_without": float(values[0].mean()), "value_with": float(values[1].mean()), "z": z.z, "z_p": z.p,
                "permutation_p": permutation(sums[:, 1] - sums[:, 0]).p,
            },
        ))  # fmt: skip
    return found


def effect_row(figure: Figure) -> dict[str, Any]:
    """The effect of abbreviations on a system, as `compare --abbreviation-effect` gives it."""
    subject = {name: figure.about[name] for name in ("corpus", "without", "with", "measure")}
    apart = {"difference": figure.value, "low": figure.low, "high": figure.high}
    return subject | {"n": figure.n} | apart | dict(figure.more) | figure.remarked | {"key": figure.key}


def bioel_slices(scores: Sequence[Score], by: Sequence[str] = ()) -> list[Figure]:
    """Each run's slices against all its mentions, tested as BioEL does (tables 5 and 6); all of its slices by default.

    Of the default ones those are left out that need what is not there: training data, or a knowledge base.
    """
    found: list[Figure] = []
    for score in scores:
        slices = list(by)
        for name in () if by else BIOEL:
            try:
                list(score.slices([name]))
            except UsageError:
                continue
            slices.append(name)
        found += score.figures(by=slices)
    return bioel_tests(found)


def _of_mentions(measure: str | Measure) -> Measure:
    """A measure by which runs can be compared mention by mention."""
    parsed = Measure.parse(measure) if isinstance(measure, str) else measure
    if parsed.average != "micro" or parsed.set != "global" or parsed.per != "mention":
        raise UsageError(f"{parsed}: runs are compared mention by mention; use a measure without set, average and per")
    if not MEASURES[parsed.name].additive:
        raise UsageError(f"{parsed}: its denominator differs from run to run; compare recall@k, mrr or coverage")
    return parsed


class _Listed(Sequence[dict[str, Any]]):
    """Mentions as rows of a table, each a dictionary when it is asked for."""

    def __init__(self, table: pa.Table, rows: Any) -> None:
        self._table, self._rows = table.select(["id", "document", "text", "type", "gold"]), rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, at: Any) -> Any:
        (row,) = self._table.take([int(self._rows[at])]).to_pylist()
        return {"mention": row.pop("id")} | row


def _same_mentions(scores: Sequence[Score], measure: Measure, only: str = "") -> tuple[_Listed, Any, Any, int]:
    """The mentions that all runs are scored on, what each is worth in each run, and their documents."""
    names = [_names(score, measure) for score in scores]
    kept = [_kept(score, measure, only) for score in scores]
    first, common, places = names[0], kept[0], []
    for mine, keep in zip(names, kept, strict=True):
        if mine.equals(first):
            place = np.arange(len(first))
        else:
            place = pc.index_in(first, value_set=mine).fill_null(-1).to_numpy(zero_copy_only=False)
        common = common & (place >= 0) & np.append(keep, False)[place]
        places.append(place)
    rows = np.flatnonzero(common)
    if not len(rows) and not only:
        raise UsageError("the runs have no scored mention in common")
    values = np.array([score.hits(measure)[place[rows]] for score, place in zip(scores, places, strict=True)])
    items = scores[0].items
    if measure.protocol.gold == "pairs":
        rows = items.gold.item[rows]
    return _Listed(items.table, rows), values, items.document[rows], len(items.documents)


def _names(score: Score, measure: Measure) -> Any:
    """What is compared: mentions by their ids, or for `gold=pairs` each with one of its gold ids."""
    ids = score.items.table["id"].combine_chunks()
    if measure.protocol.gold != "pairs":
        return ids
    gold = score.items.gold
    return pc.binary_join_element_wise(gold.ids, ids.take(pa.array(gold.item)), "\t")  # no id of an entity has a tab


def _kept(score: Score, measure: Measure, only: str) -> Any:
    """Which of them are in scope, and in the slice `only`."""
    keep = score.in_scope
    if only:
        keep = keep & dict(score.slices([only])).get(only, np.zeros(len(score.items), dtype=bool))
    return keep[score.items.gold.item] if measure.protocol.gold == "pairs" else keep


def _correct(rows: Rows, key: str) -> None:
    """Holm and Bonferroni over all rows that have the test."""
    family = [row for row in rows if row[key] is not None]
    ps = [row[key] for row in family]
    for row, by_holm, by_bonferroni in zip(family, holm(ps), bonferroni(ps), strict=True):
        row[f"{key}_holm"], row[f"{key}_bonferroni"] = by_holm, by_bonferroni
