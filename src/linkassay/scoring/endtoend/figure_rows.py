"""Rows of figures: one for each run and way of handling NIL, means over benchmarks, and a system in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from statistics import fmean
from typing import Any

from linkassay.scoring.endtoend.category_table import EVERY
from linkassay.scoring.endtoend.counts import Counts

PRF = ("all", "entity", "ner", "document")
#: Spurious mentions on gold NIL; in a benchmark without any, as in ELEVANT, all that is named and unlabelled, so that
#: its rate is then 1 whatever a system does.
_UNKNOWN = "ner_fp_groundtruth_unknown"


def figure_row(counts: Counts, nil: str, words: Mapping[str, int], **head: Any) -> dict[str, Any]:
    """All figures of one run; what a preset does not count is left out."""
    found: dict[str, Any] = dict(head) | {"mode": nil.upper()}
    for what in PRF:
        if f"{what}_tp" in counts.values:
            found |= {f"{what}_{x}": counts.total(f"{what}_{x}", nil) for x in ("tp", "fp", "fn")}
            found |= dict(zip((f"{what}_p", f"{what}_r", f"{what}_f1"), counts.micro(what, nil)))
    found |= {f"disamb_{x}": counts.total(f"disamb_{x}", nil) for x in ("errors", "total")}
    found["disamb_accuracy"] = counts.accuracy(nil)
    required, ignored = (sum(counts.total(f"all_{x}", mode) for x in ("tp", "fn")) for mode in ("required", "ignored"))
    found["gold_nil"] = required - ignored
    for name in (category.name for category in EVERY):
        if f"{name}_errors" in counts.values:
            found[f"{name}_errors"] = counts.total(f"{name}_errors", nil)
            total = words.get(f"{name}_total")
            found[f"{name}_total"] = counts.total(f"{name}_total", nil) if total is None else total
    for what in PRF:
        if f"{what}_tp" in counts.values:
            found |= dict(zip((f"{what}_macro_{x}" for x in ("p", "r", "f1")), counts.macro(what, nil)))
    return found


def rate(row: Mapping[str, Any], name: str) -> float | None:
    """Errors of a category over what it is counted against (CAT-16); None where there is nothing."""
    total = row.get(f"{name}_total") or 0
    return row[f"{name}_errors"] / total if total else None


def mean_row(rows: Iterable[Mapping[str, Any]], **head: Any) -> dict[str, Any]:
    """Means over benchmarks, each weighing the same; rates of categories over benchmarks that have any (E2E-14)."""
    rows = list(rows)
    found: dict[str, Any] = dict(head) | {"mode": rows[0]["mode"]}
    for name, value in rows[0].items():
        if name not in found and isinstance(value, int | float) and all(name in r for r in rows):
            found[name] = fmean(r[name] for r in rows)
    for name in (category.name for category in EVERY):
        mine = [r for r in rows if f"{name}_errors" in r and (name != _UNKNOWN or r.get("gold_nil"))]
        rates = [x for r in mine if (x := rate(r, name)) is not None]
        if rates:
            found[f"{name}_rate"] = fmean(rates)
    return found


#: A system in words (E2E-15): a figure of its averages, a condition, what is said; the first that holds of each figure.
#: Rates are of categories with at least ten cases (the sum over benchmarks).
RULES: tuple[tuple[str, Callable[[float], bool], str], ...] = (
    ("ner_r", lambda x: x >= 0.8, "high NER recall"),
    ("ner_r", lambda x: x < 0.6, "low NER recall"),
    ("ner_p", lambda x: x >= 0.9, "high NER precision"),
    ("ner_p", lambda x: x < 0.6, "often marks what is no mention"),
    ("disamb_accuracy", lambda x: x >= 0.85, "strong disambiguation"),
    ("disamb_accuracy", lambda x: x < 0.7, "weak disambiguation"),
    ("ner_fp_groundtruth_unknown_rate", lambda x: x >= 0.5, "often links what has no entity"),
    ("ner_fp_groundtruth_unknown_rate", lambda x: x < 0.1, "rarely links what has no entity"),
    ("ner_fn_lowercased_rate", lambda x: x >= 0.9, "leaves lower-cased mentions out"),
    ("ner_fn_partially_included_rate", lambda x: x >= 0.1, "spans often too short"),
    ("ner_fp_wrong_span_rate", lambda x: x >= 0.04, "right entities on wrong spans"),
    *(
        rule
        for name, words in (("demonym", "demonyms"), ("metonymy", "metonyms"), ("partial_name", "partial names"),
                            ("rare", "rare entities"))
        for rule in ((f"disamb_{name}_rate", lambda x: x >= 0.5, f"weak on {words}"),
                     (f"disamb_{name}_rate", lambda x: x < 0.15, f"strong on {words}"))
    ),
)  # fmt: skip
_ENOUGH = 10


def describe_system(mean: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> str:
    """A system in words, by `RULES`; nothing remarkable is said as such."""
    rows = list(rows)
    said: dict[str, str] = {}
    for figure, holds, words in RULES:
        cases = f"{figure.removesuffix('_rate')}_total"
        enough = not figure.endswith("_rate") or sum(r.get(cases, 0) for r in rows) >= _ENOUGH
        if figure in mean and enough and figure not in said and holds(mean[figure]):
            said[figure] = words
    return "; ".join(said.values()) or "nothing remarkable"
