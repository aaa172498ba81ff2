"""Scores of predictions for words in context (WIC-18 to WIC-22): accuracy by group, of seen and unseen, kappa, tests.

Intervals are over pairs: those of test share neither sentences nor pairs of terms.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkassay import store
from linkassay.defaults import RESAMPLES_COMPARED
from linkassay.errors import DataError, UsageError
from linkassay.files import RawFile
from linkassay.formats.syntax import parse_json
from linkassay.scoring.statistics import cohen_kappa, differences, drawn_differences, holm, mcnemar, ratios
from linkassay.tables import Rows
from linkassay.wic.groups import GROUPS
from linkassay.wic.pair_files import TermPair

#: Mean accuracy of two experts on 100 pairs each (WIC-22): what a system may hope for.
HUMAN_ACCURACY = 0.80

SystemLabels = NDArray[np.bool_]


def read_predictions(file: RawFile, pairs: Sequence[TermPair]) -> SystemLabels:
    """One JSON object a line: `{"item": place in the data from 0, "label": 0 or 1}`, `id` and `score` if wished."""
    found: dict[int, bool] = {}
    for line, content in file.lines():
        if not content.strip():
            continue
        value = parse_json(content, file.name, line)
        item, label = value["item"].integer(), value["label"].integer()
        if not 0 <= item < len(pairs):
            raise DataError(f"item {item}: the data have items 0 to {len(pairs) - 1}", file=file.name, line=line)
        if item in found:
            raise DataError(f"item {item} occurs twice", file=file.name, line=line)
        if label not in (0, 1):
            raise DataError(f"label of item {item}: expected 0 or 1, found {label}", file=file.name, line=line)
        if "id" in value and pairs[item].id and value["id"].string() != pairs[item].id:
            message = f"item {item} is {pairs[item].id}, not {value['id'].string()!r}: predictions of other data?"
            raise DataError(message, file=file.name, line=line)
        found[item] = label == 1
    if missing := [n for n in range(len(pairs)) if n not in found]:
        raise DataError(f"{len(missing)} of {len(pairs)} items have no prediction, the first is item {missing[0]}",
                        file=file.name)  # fmt: skip
    return np.array([found[n] for n in range(len(pairs))], dtype=bool)


def predictions_text(pairs: Sequence[TermPair], labels: Iterable[bool], scores: Iterable[float]) -> str:
    """Predictions as JSON lines, as `read_predictions` takes them."""
    lines = []
    for item, (pair, label, score) in enumerate(zip(pairs, labels, scores, strict=True)):
        row: dict[str, Any] = {"item": item} | ({"id": pair.id} if pair.id else {})
        lines.append(json.dumps(row | {"label": int(label), "score": round(float(score), 6)}) + "\n")
    return "".join(lines)


def seen(pairs: Sequence[TermPair], train: Sequence[TermPair]) -> list[bool]:
    """For each pair whether at least one of its terms, lower-cased, occurs in train (WIC-19)."""
    known = {term for pair in train for term in pair.terms}
    return [not known.isdisjoint(pair.terms) for pair in pairs]


def wic_figures(
    systems: Mapping[str, SystemLabels],
    pairs: Sequence[TermPair],
    train: Sequence[TermPair] = (),
) -> Rows:
    """One row for each system and slice: accuracy with its interval, kappa with the gold labels, distance to humans."""
    gold = np.array([pair.label for pair in pairs], dtype=bool)
    slices = _slices(pairs, train)
    rows = Rows()
    for system, labels in systems.items():
        right = labels == gold
        table = np.column_stack([column for mask in slices.values() for column in (right & mask, mask)])
        places = [(2 * n, 2 * n + 1) for n in range(len(slices))]
        for (name, mask), estimate in zip(slices.items(), ratios([table], places), strict=True):
            rows.append({
                "system": system, "slice": name, "accuracy": estimate.value, "low": estimate.low, "high": estimate.high,
                "right": int((right & mask).sum()), "n": int(mask.sum()), "kappa": kappa(labels[mask], gold[mask]),
                "to_human": None if estimate.value is None else estimate.value - HUMAN_ACCURACY,
            })  # fmt: skip
    return rows


def compare_systems(
    systems: Mapping[str, SystemLabels], pairs: Sequence[TermPair], resamples: int = RESAMPLES_COMPARED
) -> Rows:
    """Each two systems (WIC-21): difference of accuracy, McNemar's test with Holm over all pairs, kappa of labels."""
    gold = np.array([pair.label for pair in pairs], dtype=bool)
    rows = Rows()
    for (one, first), (two, second) in combinations(systems.items(), 2):
        a, b = first == gold, second == gold
        table = np.column_stack([a, b, np.ones(len(pairs))])
        [difference] = differences([table], [(1, 2, 0, 2)])
        [drawn] = drawn_differences([table], [(1, 2, 0, 2)], resamples)
        test = mcnemar(int((a & ~b).sum()), int((b & ~a).sum()))
        rows.append({
            "first": one, "second": two, "difference": difference.value, "low": difference.low, "high": difference.high,
            "only_first": test.only_first, "only_second": test.only_second, "mcnemar_p": test.exact,
            "bootstrap_p": drawn, "kappa": kappa(first, second), "n": len(pairs),
        })  # fmt: skip
    for row, p in zip(rows, holm([row["mcnemar_p"] for row in rows]), strict=True):
        row["mcnemar_p_holm"] = p
    return rows


def confusion(one: SystemLabels, two: SystemLabels) -> NDArray[np.float64]:
    """How often each label of the one meets each of the other."""
    counts = np.bincount(2 * one.astype(np.intp) + two, minlength=4)
    return counts.reshape(2, 2).astype(np.float64)


def kappa(one: SystemLabels, two: SystemLabels) -> float | None:
    """Cohen's kappa of two labellings (WIC-20); None where chance alone must agree."""
    value = float(cohen_kappa(confusion(one, two)))
    return None if math.isnan(value) else value


def data_name(pairs: Sequence[TermPair]) -> str:
    """A fingerprint of labelled pairs, by which results on the same data are found again."""
    return store.fingerprint([[p.term1, p.term2, p.sentence1, p.sentence2, *p.span1, *p.span2, p.label] for p in pairs])


def keep_figures(
    system: str, pairs: Sequence[TermPair], rows: Sequence[Mapping[str, Any]], about: Mapping[str, Any]
) -> None:
    """Keep a system's figures in the data home, for `reproduce`; the last ones of a name stay."""
    folder = store.home() / "wic" / data_name(pairs)
    name = store.valid_name(system, "system")
    content = {"system": system, "about": dict(about), "rows": [dict(row) for row in rows]}
    store.write_text(folder / f"{name}.json", json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def kept_figures(data: str) -> list[dict[str, Any]]:
    """What is known of systems on the data of this fingerprint, by name."""
    folder = store.home() / "wic" / data
    return [store.read_json(path) for path in sorted(folder.glob("*.json"))] if folder.is_dir() else []


def _slices(pairs: Sequence[TermPair], train: Sequence[TermPair]) -> dict[str, SystemLabels]:
    if not pairs:
        raise UsageError("no pairs to score")
    categories = np.array([pair.category for pair in pairs])
    slices = {"all": np.ones(len(pairs), dtype=bool)}
    known = [group.name for group in GROUPS]
    for name in [*known, *sorted({*categories.tolist()} - {*known})]:
        if (mask := categories == name).any():
            slices[name] = mask
    if train:
        is_seen = np.array(seen(pairs, train), dtype=bool)
        slices |= {"seen": is_seen, "unseen": ~is_seen}
        slices |= {f"{group}, {name}": slices[group] & mask for group in known if group in slices
                   for name, mask in (("seen", is_seen), ("unseen", ~is_seen))}  # fmt: skip
    return slices
