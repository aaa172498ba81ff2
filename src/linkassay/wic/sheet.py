"""Annotation sheets: random subsets for people to label, and how far these agree with each other and with the gold.

A sheet never holds a label of the data. Sentences are data, never formulas: what a spreadsheet would compute is quoted.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from linkassay import store
from linkassay.errors import DataError, UsageError
from linkassay.files import MAX_LINE, RawFile
from linkassay.wic.pair_files import TermPair
from linkassay.wic.scores import SystemLabels, confusion, data_name, kappa
from linkassay.wic.settings import draw

COLUMNS = ("item", "data", "term1", "sentence1", "term2", "sentence2", "label")
_YES_NO = {"1": True, "t": True, "true": True, "yes": True, "y": True, "0": False, "f": False, "false": False,
           "no": False, "n": False}  # fmt: skip
GUIDE = """Words in context: how to label

Each row has two sentences; in each one a term is marked with ** on both sides. Decide from the sentences alone whether
both terms mean the same there. Write 1 into the column "label" if they do, 0 if they do not. Leave no row without a
label, change nothing else, and look nothing up.

same (1):      The **flu** came early.        Vaccines prevent **influenza** in most children.
different (0): He caught a **cold** in May.   The **cold** of the room slowed the reaction.
"""


def subsets(n: int, size: int, shared: int, annotators: int, seed: int) -> list[list[int]]:
    """Places of the pairs of each annotator: `shared` that all get, the others of one annotator only; each shuffled."""
    needed = shared + annotators * (size - shared)
    if not (0 <= shared <= size and size > 0 and annotators > 0):
        raise UsageError(f"--shared {shared} must be from 0 to --size {size}, and there must be an annotator")
    if needed > n:
        raise UsageError(f"{annotators} subsets of {size} with {shared} in common need {needed} pairs, there are {n}")
    order = sorted(range(n), key=lambda place: draw(seed, "sheet", str(place)))
    own = size - shared
    parts = [order[:shared] + order[shared + a * own : shared + (a + 1) * own] for a in range(annotators)]
    return [sorted(part, key=lambda place: draw(seed, "row", str(a), str(place))) for a, part in enumerate(parts)]


def export_sheets(
    pairs: Sequence[TermPair], folder: Path, *, size: int = 100, shared: int = 50, annotators: int = 2, seed: int = 42
) -> list[Path]:
    """Write a TSV for each annotator and a short guide; the folder must not be there yet."""
    if folder.exists():
        raise UsageError(f"{folder} is there already, maybe with labels in it: give another --out")
    parts = subsets(len(pairs), size, shared, annotators, seed)
    data = data_name(pairs)
    with store.new_folder(folder) as temporary:
        (temporary / "guide.txt").write_text(GUIDE, encoding="utf-8")
        for number, places in enumerate(parts, start=1):
            out = io.StringIO()
            writer = csv.writer(out, delimiter="\t", lineterminator="\n")
            writer.writerow(COLUMNS)
            for place in places:
                p = pairs[place]
                sides = (p.term1, _marked(p.sentence1, p.span1), p.term2, _marked(p.sentence2, p.span2))
                writer.writerow([place, data, *map(_harmless, sides), ""])
            (temporary / f"annotator{number}.tsv").write_text(out.getvalue(), encoding="utf-8")
    return [folder / f"annotator{number}.tsv" for number in range(1, annotators + 1)]


def read_sheet(file: RawFile, pairs: Sequence[TermPair]) -> dict[int, bool]:
    """The labels of a sheet, by place in the data; every row must have one."""
    csv.field_size_limit(MAX_LINE)  # by default a cell of 131,072 characters is an error
    rows = csv.DictReader(io.StringIO(file.text().removeprefix("\ufeff"), newline=""), delimiter="\t")
    try:
        return _labels(rows, file, pairs)
    except csv.Error as error:
        raise DataError(f"not a sheet ({error})", file=file.name, line=rows.line_num) from error


def _labels(rows: csv.DictReader[str], file: RawFile, pairs: Sequence[TermPair]) -> dict[int, bool]:
    if not {"item", "data", "label"} <= set(rows.fieldnames or ()):
        raise DataError("expected a sheet with the columns item, data and label", file=file.name)
    data, labels = data_name(pairs), dict[int, bool]()
    for row in rows:
        line = rows.line_num
        if row["data"] != data:
            raise DataError("the sheet was made from other data than these", file=file.name, line=line)
        label = _YES_NO.get((row["label"] or "").strip().lower())
        if label is None:
            raise DataError(f"label {(row['label'] or '')[:40]!r} of item {(row['item'] or '')[:40]}: expected 1 or 0",
                            file=file.name, line=line)  # fmt: skip
        place = int(row["item"]) if re.fullmatch("[0-9]{1,9}", row["item"] or "") else len(pairs)
        if place >= len(pairs) or place in labels:
            raise DataError(f"item {(row['item'] or '')[:40]!r} is no place in the data, or occurs twice",
                            file=file.name, line=line)  # fmt: skip
        labels[place] = label
    if not labels:
        raise DataError("the sheet has no rows", file=file.name)
    return labels


def annotator_agreement(
    annotators: Mapping[str, Mapping[int, bool]],
    pairs: Sequence[TermPair],
    systems: Mapping[str, SystemLabels] | None = None,
) -> dict[str, Any]:
    """Accuracy of each annotator and its mean (the human ceiling), kappa between annotators, and with systems."""
    gold = np.array([pair.label for pair in pairs], dtype=bool)
    people = []
    for name, labels in annotators.items():
        places = np.array(sorted(labels))
        said = np.array([labels[place] for place in sorted(labels)], dtype=bool)
        with_systems = {f"kappa_{system}": kappa(said, each[places]) for system, each in (systems or {}).items()}
        people.append({"annotator": name, "n": len(places), "accuracy": float((said == gold[places]).mean()),
                       "kappa": kappa(said, gold[places])} | with_systems)  # fmt: skip
    between = []
    for (one, first), (two, second) in combinations(annotators.items(), 2):
        common = sorted(first.keys() & second.keys())
        a, b = (np.array([labels[place] for place in common], dtype=bool) for labels in (first, second))
        both = confusion(a, b)
        between.append({"first": one, "second": two, "n": len(common), "agreed": int(np.trace(both)),
                        "kappa": kappa(a, b) if common else None}
                       | {f"kappa_{system}": (kappa(a, s[common]), kappa(b, s[common]))
                          for system, s in (systems or {}).items() if common})  # fmt: skip
    return {"annotators": people, "between": between,
            "human_ceiling": float(np.mean([row["accuracy"] for row in people]))}  # fmt: skip


def _marked(sentence: str, span: tuple[int, int]) -> str:
    start, end = span
    return f"{sentence[:start]}**{sentence[start:end]}**{sentence[end:]}"


def _harmless(text: str) -> str:
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
