"""Do intervals hold? Documents are made up from a known truth, and it is counted how often a 95 % interval has it.

python -m bench.coverage                     the table of docs/intervals.md, printed
python -m bench.coverage --sets 500          sooner, and less exact: 10 000 sets are known to ± 0.4 %
python -m bench.coverage --write docs/intervals.md      also written into that page

Beside ours stand what one would try first: Student's t with the cluster-robust variance, percentiles of a bootstrap
over documents, and Wilson's interval as if mentions had nothing to do with each other.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from bench.measure import ROOT
from linkassay.scoring.statistics.bootstrap import resampled_sums
from linkassay.scoring.statistics.intervals import Estimate, differences, estimates, mean_of_units, ratios
from linkassay.scoring.statistics.student import quantile

SETS, DOCUMENTS = 10_000, (25, 100, 500)
#: Sets made at once, resamples of the bootstrap, and on how many of these sets that is tried for means over units.
BLOCK, RESAMPLES, FEW = 500, 1_000, 20
COLUMNS = ("figure and documents", "documents", "ours", "wanted", "held", "robust t", "bootstrap", "independent")

Array = np.ndarray


@dataclass(frozen=True)
class Made:
    """A block of sets: our intervals, the truth, and what other ways make of them (low, high of each set)."""

    ours: Sequence[Estimate]
    truth: float | None  # None: the mean of what all sets have
    others: dict[str, tuple[Array, Array]]


@dataclass(frozen=True)
class Setting:
    """A kind of figure on a kind of documents."""

    name: str
    make: Callable[[np.random.Generator, int, int], Made]  # documents, sets
    near_one: bool = False
    macro: bool = False
    open: bool = False  # shown, with nothing promised

    def wanted(self, documents: int) -> tuple[float, float] | None:
        """What the share that holds the truth must lie between."""
        if self.open:
            return None
        if self.macro:
            return 0.93, 1.0
        return (0.93, 0.97) if self.near_one or documents < 100 else (0.94, 0.96)


# --- documents


def fixed(random: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Twenty mentions in each."""
    return np.full(shape, 20)


def skewed(random: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Half of them have 12 mentions or fewer, one in forty more than 85."""
    return np.ceil(random.lognormal(np.log(12), 1, shape)).astype(int)


def ease(random: np.random.Generator, shape: tuple[int, int], mean: float, alike: float) -> Array:
    """How easy each document is; `alike` is the correlation of its mentions."""
    if not alike:
        return np.full(shape, mean)
    weight = 1 / alike - 1
    return random.beta(mean * weight, (1 - mean) * weight, shape)


# --- figures


def share(size: Callable[..., Array], mean: float, alike: float) -> Callable[..., Made]:
    """Recall and the like: right mentions of all."""

    def make(random: np.random.Generator, documents: int, sets: int) -> Made:
        n = size(random, (documents, sets))
        right = random.binomial(n, ease(random, n.shape, mean, alike))
        seed = int(random.integers(1 << 30))
        return Made(ratios([_beside(right, n)], _places(sets, 2)), mean, _others(right, n, seed))

    return make


def mean_of_documents(random: np.random.Generator, documents: int, sets: int) -> Made:
    """Each document weighs the same."""
    n = skewed(random, (documents, sets))
    right, ones = random.binomial(n, ease(random, n.shape, 0.75, 0.1)) / n, np.ones(n.shape)
    others = _others(right, ones, int(random.integers(1 << 30)))
    del others["independent"]  # of mentions, which weigh differently here
    return Made(ratios([_beside(right, ones)], _places(sets, 2)), 0.75, others)


def f1(random: np.random.Generator, documents: int, sets: int) -> Made:
    """End to end: some of the mentions are found, and others that are none."""
    n = skewed(random, (documents, sets))
    right = random.binomial(n, ease(random, n.shape, 0.7, 0.1))
    false = random.poisson(0.3 * n * ease(random, n.shape, 0.5, 0.1))
    table = _beside(right, false, n - right)

    def of(sums: Array) -> Array:
        tp, fp, fn = (sums[:, at::3] for at in range(3))
        return 2 * tp / (2 * tp + fp + fn)

    truth = 2 * 0.7 / (2 * 0.7 + 0.15 + 0.3)
    return Made(estimates(of, [table], [n + false]), truth,
                _others(2 * right, right + n + false, int(random.integers(1 << 30))))  # fmt: skip


def two_systems(random: np.random.Generator, documents: int, sets: int) -> Made:
    """The second is better by 0.05, on the same documents."""
    n = skewed(random, (documents, sets))
    easy = ease(random, n.shape, 0.75, 0.1)
    first, second = random.binomial(n, easy * 0.70 / 0.75), random.binomial(n, easy)
    places = [(3 * at + 1, 3 * at + 2, 3 * at, 3 * at + 2) for at in range(sets)]
    return Made(differences([_beside(first, second, n)], places), 0.05, {})


def slice_and_all(random: np.random.Generator, documents: int, sets: int) -> Made:
    """A slice of a third of the mentions that is like all of them."""
    n = skewed(random, (documents, sets))
    easy, inside = ease(random, n.shape, 0.75, 0.1), random.binomial(n, 1 / 3)
    right = random.binomial(inside, easy)
    table = _beside(right, inside, right + random.binomial(n - inside, easy), n)
    return Made(differences([table], [(4 * at, 4 * at + 1, 4 * at + 2, 4 * at + 3) for at in range(sets)]), 0.0, {})


def units(count: int) -> Callable[..., Made]:
    """The mean over entities (or types): the rarer, the harder; half of a document's mentions repeat the one before.

    The truth is what as many documents have on average. No sample tells of entities that it does not have.
    """
    share_of = 1 / np.arange(1, count + 1)
    edges = np.cumsum(share_of / share_of.sum())
    harder = np.linspace(1.5, -1, count)

    def make(random: np.random.Generator, documents: int, sets: int) -> Made:
        found: list[Estimate] = []
        drawn: list[tuple[float, float]] = []
        for _ in range(sets):
            document = np.repeat(np.arange(documents), skewed(random, (documents, 1))[:, 0])
            unit = np.searchsorted(edges, random.random(len(document)) * edges[-1])
            again = (random.random(len(document)) < 0.5) & (np.diff(document, prepend=-1) == 0)
            unit = unit[np.maximum.accumulate(np.where(again, 0, np.arange(len(document))))]
            logit = harder[unit] + random.normal(0, 0.7, documents)[document]
            right = (random.random(len(document)) < 1 / (1 + np.exp(-logit))).astype(float)
            found.append(mean_of_units(document, unit, right, np.ones(len(document))))
            if len(drawn) < FEW:
                drawn.append(_drawn_units(document, unit, right, documents))
        return Made(found, None, {"bootstrap": tuple(np.array(drawn).T)})  # type: ignore[dict-item]

    return make


SETTINGS = [
    Setting("share, documents of one size", share(fixed, 0.75, 0.1)),
    Setting("share, skewed sizes", share(skewed, 0.75, 0.1)),
    Setting("share, no document effect", share(fixed, 0.75, 0)),
    Setting("share, no document effect, skewed sizes", share(skewed, 0.75, 0)),
    Setting("share near 1 (0.98), one size", share(fixed, 0.98, 0.1), near_one=True),
    Setting("share near 1 (0.98), skewed sizes", share(skewed, 0.98, 0.1), near_one=True),
    Setting("share near 1 (0.98), no document effect", share(fixed, 0.98, 0), near_one=True),
    Setting("mean over documents, skewed sizes", mean_of_documents),
    Setting("F1, skewed sizes", f1),
    Setting("difference of two systems, skewed sizes", two_systems),
    Setting("difference of a slice to all, skewed sizes", slice_and_all),
    Setting("mean over 1 000 entities, the rarer the harder", units(1_000), macro=True),
    Setting("mean over 6 types, the rarer the harder", units(6), macro=True),
    Setting("share near 1, documents wrong almost as a whole", share(skewed, 0.98, 0.3), open=True),
]


# --- what else one could do


def _others(right: Array, n: Array, seed: int) -> dict[str, tuple[Array, Array]]:
    documents, all_ = len(n), n.sum(axis=0)
    p = right.sum(axis=0) / all_
    error = np.sqrt(documents / (documents - 1) * ((right - p * n) ** 2).sum(axis=0)) / all_
    half = float(quantile(0.95, documents - 1)) * error
    sums = np.concatenate(list(resampled_sums(np.hstack([right, n]), RESAMPLES, seed)))
    low, high = np.percentile(sums[:, : n.shape[1]] / sums[:, n.shape[1] :], [2.5, 97.5], axis=0)
    width = 1.96**2 / all_
    centre, spread = (p + width / 2) / (1 + width), np.sqrt(width * p * (1 - p) + width**2 / 4) / (1 + width)
    return {
        "robust t": (p - half, p + half),
        "bootstrap": (low, high),
        "independent": (centre - spread, centre + spread),
    }


def _drawn_units(document: Array, unit: Array, right: Array, documents: int) -> tuple[float, float]:
    """Percentiles where units that are not drawn are left out."""
    _, unit = np.unique(unit, return_inverse=True)
    width = int(unit.max()) + 1
    at = document * width + unit
    columns = [np.bincount(at, weights=w, minlength=documents * width).reshape(documents, width)
               for w in (right, np.ones(len(right)))]  # fmt: skip
    sums = np.concatenate(list(resampled_sums(np.hstack(columns), RESAMPLES)))
    x, n = sums[:, :width], sums[:, width:]
    values = np.divide(x, n, out=np.zeros_like(x), where=n > 0).sum(axis=1) / (n > 0).sum(axis=1)
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def _beside(*columns: Array) -> Array:
    """The columns of each set side by side."""
    return np.stack(columns, axis=2).reshape(len(columns[0]), -1).astype(float)


def _places(sets: int, width: int) -> list[tuple[int, int]]:
    return [(width * at, width * at + 1) for at in range(sets)]


# --- counting


def measured(setting: Setting, documents: int, sets: int) -> dict[str, Any]:
    """How often intervals hold the truth, by the way they are made."""
    random = np.random.default_rng([documents, SETTINGS.index(setting)])
    blocks = [setting.make(random, documents, min(BLOCK, sets - begin)) for begin in range(0, sets, BLOCK)]
    ours = [each for block in blocks for each in block.ours]
    truth = blocks[0].truth
    if truth is None:
        truth = float(np.mean([each.value for each in ours]))
    ends = {"ours": (np.array([each.low for each in ours]), np.array([each.high for each in ours]))}
    for name in blocks[0].others:
        ends[name] = tuple(np.concatenate([b.others[name][at] for b in blocks]) for at in (0, 1))  # type: ignore[assignment]
    found = {
        name: float(np.mean((low <= truth + 1e-12) & (truth <= high + 1e-12))) for name, (low, high) in ends.items()
    }
    wanted = setting.wanted(documents)
    held = None if wanted is None else wanted[0] <= round(found["ours"], 3) <= wanted[1]
    return {"name": setting.name, "documents": documents, "wanted": wanted, "held": held} | found


def measure(sets: int) -> Iterator[dict[str, Any]]:
    """Every setting with every number of documents."""
    return (measured(setting, documents, sets) for setting in SETTINGS for documents in DOCUMENTS)


def _bounds(wanted: tuple[float, float]) -> str:
    return f"≥ {wanted[0]:.2f}" if wanted[1] == 1 else f"{wanted[0]:.2f}–{wanted[1]:.2f}"


def cells(each: dict[str, Any]) -> list[str]:
    """A line of the table."""
    shares = [f"{each[name]:.3f}" if name in each else "" for name in ("ours", *COLUMNS[5:])]
    held = {True: "yes", False: "NO", None: ""}[each["held"]]
    wanted = "" if each["wanted"] is None else _bounds(each["wanted"])
    return [each["name"], str(each["documents"]), shares[0], wanted, held, *shares[1:]]


def markdown(found: Sequence[dict[str, Any]], sets: int) -> str:
    """The table for the page, and what it was made with."""
    few = min(sets, FEW * -(-sets // BLOCK))
    said = (
        f"{sets:,} sets of documents for each line; the bootstrap of means over entities and types on {few:,} of "
        f"them. Written by `python -m bench.coverage --sets {sets} --write docs/intervals.md`."
    ).replace(",000", " 000")
    lines = [f"| {' | '.join(COLUMNS)} |", "|---|---:|---:|---:|---|---:|---:|---:|"]
    return "\n".join([said, "", *lines, *(f"| {' | '.join(cells(each))} |" for each in found)])


def write(page: Path, table: str) -> None:
    """Put the table between its marks in a page."""
    text = page.read_text(encoding="utf-8")
    new, count = re.subn(
        r"(<!-- coverage -->\n).*?(\n<!-- end -->)", lambda m: m[1] + table + m[2], text, flags=re.DOTALL
    )
    if count != 1:
        raise SystemExit(f"{page} has no place for the table: <!-- coverage --> and <!-- end --> on lines of their own")
    page.write_text(new, encoding="utf-8")


def main() -> None:
    """Count, print, and write the page if asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=SETS, help="sets of documents for each line")
    parser.add_argument("--write", type=Path, metavar="FILE.md", help="also write the table into a page")
    parser.add_argument("--only", type=int, metavar="N", help="only the first so many lines")
    options = parser.parse_args()
    begin, found = time.process_time(), []
    widths = [50, 9, 6, 10, 4, 8, 9, 11]
    print("  ".join(f"{text:{width}}" for text, width in zip(COLUMNS, widths, strict=True)), flush=True)
    for each in islice(measure(options.sets), options.only):
        found.append(each)
        print("  ".join(f"{text:{width}}" for text, width in zip(cells(each), widths, strict=True)), flush=True)
    print(f"{time.process_time() - begin:.0f} s of CPU")
    if options.write:
        write(options.write if options.write.is_absolute() else ROOT / options.write, markdown(found, options.sets))


if __name__ == "__main__":
    main()
