"""Runs of one corpus against each other: who is better and how sure that is, what one fixed and broke (SPEC §5.7).

All comparisons are of the same mentions; the family over which p-values are corrected is what is printed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from linkassay import runs
from linkassay.errors import UsageError
from linkassay.scoring import bootstrap
from linkassay.scoring.agreement import oracle, overlap
from linkassay.scoring.defaults import RESAMPLES_COMPARED
from linkassay.scoring.figure import Figure
from linkassay.scoring.figures import bioel_tests
from linkassay.scoring.measures import MEASURES, Measure
from linkassay.scoring.score import Score
from linkassay.scoring.significance import bioel_abbreviation, bonferroni, holm, mcnemar, permutation
from linkassay.scoring.sums import about
from linkassay.tables import Rows

__all__ = ["Comparison", "abbreviation_effect", "bioel_slices", "compare", "correct", "correlations", "effect_row",
           "pair_row", "system_row"]  # fmt: skip

#: The slices of BioEL's tables.
BIOEL = ("abbreviation", "alias-match", "no-alias-match", "wrong-alias-match", "train-text-match", "train-entity-match",
         "zero-shot", "train-pair-match", "single-alias", "five-aliases-or-less", "no-definition")  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """What `compare` found."""

    measure: str
    n: int
    systems: Rows  # each run's own figure
    pairs: Rows  # each pair of runs: difference, tests, corrected over all pairs
    correlation: list[list[float | None]]  # of correctness, in the order of `systems`
    oracle: dict[str, Any]  # the best possible choice among all runs, and what none gets right
    family: str  # over what p-values were corrected
    changed: dict[str, dict[str, list[dict[str, Any]]]]  # pair → fixed, broken mentions
    none_right: list[dict[str, Any]]

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self) | {"systems": list(self.systems), "pairs": list(self.pairs)}


def compare(
    scores: Sequence[Score],
    measure: str | Measure = "recall@1",
    resamples: int = RESAMPLES_COMPARED,
    examples: int = 20,
    keep: Callable[[Figure], Figure] = lambda figure: figure,
) -> Comparison:
    """Compare runs of one corpus, revision and split under one measure; the second of a pair against the first.

    `keep` sees every figure before it is used.
    """
    if len(scores) < 2:
        raise UsageError("compare needs two runs or more")
    parsed = _of_mentions(measure)
    labels = runs.labels([s.run for s in scores])
    mentions, values, document, count = _same_mentions(scores, parsed)
    sums = np.column_stack([np.bincount(document, weights=v, minlength=count) for v in values])
    n = np.bincount(document, minlength=count).astype(float)
    table = np.column_stack([sums, n])
    last = len(scores)
    estimates = bootstrap.ratios([table], [(at, last) for at in range(last)], resamples)
    whole = {"measure": str(parsed), "slice": "all", "compared": f"{last} runs"}  # mentions that all of them share
    systems = [
        keep(Figure.of(_about([score]) | {"system": label} | whole, estimate, len(mentions)))
        for label, score, estimate in zip(labels, scores, estimates, strict=True)
    ]
    chosen = list(combinations(range(last), 2))
    apart = bootstrap.differences([table], [(b, last, a, last) for a, b in chosen], resamples)
    binary = bool(((values == 0) | (values == 1)).all())
    more, changed = Rows(), {}
    for (a, b), difference in zip(chosen, apart, strict=True):
        both = overlap(values[a], values[b])
        more.append({
            "only_first": _number(both.only_first), "only_second": _number(both.only_second),
            "both": _number(both.both), "neither": _number(both.neither),
            "mcnemar_p": mcnemar(both.only_first, both.only_second).exact if binary else None,
            "permutation_p": permutation(sums[:, b] - sums[:, a], resamples).p, "bootstrap_p": difference.p,
            "correlation": both.correlation, "oracle": oracle(values[[a, b]]).value,
        })  # fmt: skip
        changed[f"{labels[a]} → {labels[b]}"] = {
            "fixed": _listed(mentions, values[b] > values[a], examples),
            "broken": _listed(mentions, values[b] < values[a], examples),
        }
    correct(more, "permutation_p")
    correct(more, "mcnemar_p")
    pairs = [
        keep(Figure.of(_about([scores[a], scores[b]]) | {"first": labels[a], "second": labels[b]} | whole, difference,
                       len(mentions), p=of["permutation_p"], more=of))
        for (a, b), difference, of in zip(chosen, apart, more, strict=True)
    ]  # fmt: skip
    best = oracle(values)
    ensemble = keep(Figure(_about(scores) | whole | {"measure": f"oracle of {parsed}"}, best.value, best.n,
                           more={"none_right": _number(best.none_right)}))  # fmt: skip
    return Comparison(
        str(parsed), len(mentions), Rows(map(system_row, systems)), Rows(map(pair_row, pairs)),
        correlations(pairs, values), {"value": ensemble.value, **ensemble.more, "n": ensemble.n, "key": ensemble.key},
        f"{len(pairs)} pair{'s' if len(pairs) > 1 else ''} of {last} runs, one measure ({parsed})",
        changed, _listed(mentions, values.max(axis=0) == 0, examples),
    )  # fmt: skip


def system_row(figure: Figure) -> dict[str, Any]:
    """A run's own figure, as `compare` gives it."""
    names = ("value", "n", "low", "high", "key")
    return {name: figure.about[name] for name in ("system", "run")} | {name: figure[name] for name in names}


def pair_row(figure: Figure) -> dict[str, Any]:
    """Two runs against each other, as `compare` gives it."""
    apart = {"difference": figure.value, "low": figure.low, "high": figure.high, "n": figure.n}
    return {name: figure.about[name] for name in ("first", "second")} | apart | dict(figure.more) | {"key": figure.key}


def _about(scores: Sequence[Score]) -> dict[str, Any]:
    """What figures of several runs together are of."""
    joined = {"run": [s.run.key for s in scores], "system": [s.run.system for s in scores]}
    return about(scores[0], "") | {name: " → ".join(parts) for name, parts in joined.items()}


def correlations(pairs: Sequence[Figure], values: Any) -> list[list[float | None]]:
    """Of correctness, each run with each, in their order."""
    found: list[list[float | None]] = [[overlap(x, x).correlation] * len(values) for x in values]
    for (a, b), pair in zip(combinations(range(len(values)), 2), pairs, strict=True):
        found[a][b] = found[b][a] = pair["correlation"]
    return found


def abbreviation_effect(pairs: Sequence[tuple[Score, Score]], measure: str | Measure = "recall@1") -> list[Figure]:
    """Runs without and with abbreviations written out, on abbreviated mentions (BioEL table 8).

    The z-test is that paper's: two proportions, unpooled, times the number of systems; beside it the paired
    tests over documents, which know that both runs saw the same mentions.
    """
    found = []
    parsed = _of_mentions(measure)
    for without, with_ in pairs:
        mentions, values, document, count = _same_mentions([without, with_], parsed, only="abbreviation")
        if not mentions:
            raise UsageError(f"no mention of {without.run.corpus} is an abbreviation; which do you know? "
                             "(--abbreviations schwartz-hearst, ab3p, or a file)")  # fmt: skip
        sums = np.column_stack([np.bincount(document, weights=v, minlength=count) for v in values])
        table = np.column_stack([sums, np.bincount(document, minlength=count)])
        (difference,) = bootstrap.differences([table], [(1, 2, 0, 2)])
        n = len(mentions)
        z = bioel_abbreviation(float(values[0].sum()), n, float(values[1].sum()), n, len(pairs))
        told = _about([without, with_]) | {"measure": str(parsed), "slice": "abbreviation"}
        found.append(Figure.of(
            told | {"without": without.run.name, "with": with_.run.name}, difference, n, more={
                "value_without": float(values[0].mean()), "value_with": float(values[1].mean()), "z": z.z, "z_p": z.p,
                "permutation_p": permutation(sums[:, 1] - sums[:, 0]).p,
            },
        ))  # fmt: skip
    return found


def effect_row(figure: Figure) -> dict[str, Any]:
    """The effect of abbreviations on a system, as `compare --abbreviation-effect` gives it."""
    told = {name: figure.about[name] for name in ("corpus", "without", "with", "measure")}
    apart = {"difference": figure.value, "low": figure.low, "high": figure.high}
    return told | {"n": figure.n} | apart | dict(figure.more) | {"key": figure.key}


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


def _same_mentions(
    scores: Sequence[Score], measure: Measure, only: str = ""
) -> tuple[list[dict[str, Any]], Any, Any, int]:
    """The mentions that all runs are scored on, what each is worth in each run, and their documents."""
    data = {f"{s.run.corpus}@{s.run.about['corpus_revision']} {s.run.split}" for s in scores}
    if len(data) > 1:
        raise UsageError(
            f"runs of one corpus, revision and split can be compared; these are of {', '.join(sorted(data))}"
        )
    pairs = measure.protocol.gold == "pairs"
    keys, worth = [], []
    for score in scores:
        keep = score.in_scope
        if only:
            keep = keep & dict(score.slices([only])).get(only, np.zeros(len(score.items), dtype=bool))
        ids = score.items.table["id"].to_pylist()
        if pairs:
            gold = score.items.gold
            names = [(ids[i], g) for i, g in zip(gold.item.tolist(), gold.ids.to_pylist(), strict=True)]
            keep = keep[gold.item]
        else:
            names = [(i, "") for i in ids]
        found = score.hits(measure)
        worth.append({name: found[n] for n, name in enumerate(names) if keep[n]})
        keys.append(names)
    common = [name for name in keys[0] if all(name in each for each in worth)]
    if not common and not only:
        raise UsageError("the runs have no scored mention in common")
    items = scores[0].items
    at = {identifier: n for n, identifier in enumerate(items.table["id"].to_pylist())}
    rows = np.array([at[mention] for mention, _ in common], dtype=np.int64)
    columns = [items.table[c].take(rows).to_pylist() for c in ("id", "document", "text", "type", "gold")]
    mentions = [dict(zip(("mention", "document", "text", "type", "gold"), row, strict=True)) for row in zip(*columns)]
    values = np.array([[each[name] for name in common] for each in worth])
    return mentions, values, items.document[rows], len(items.documents)


def _listed(mentions: list[dict[str, Any]], keep: Any, limit: int) -> list[dict[str, Any]]:
    return [mentions[n] for n in np.flatnonzero(keep)[:limit]]


def correct(rows: Rows, key: str) -> None:
    """Holm and Bonferroni over all rows that have the test."""
    family = [row for row in rows if row[key] is not None]
    ps = [row[key] for row in family]
    for row, by_holm, by_bonferroni in zip(family, holm(ps), bonferroni(ps), strict=True):
        row[f"{key}_holm"], row[f"{key}_bonferroni"] = by_holm, by_bonferroni


def _number(value: float) -> int | float:
    return round(value) if abs(value - round(value)) < 1e-9 else value
