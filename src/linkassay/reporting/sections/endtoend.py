"""End to end: figures and categories of errors of runs whose spans are predicted too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq

from linkassay import store
from linkassay.errors import LinkassayError
from linkassay.kbs.stored import Kb
from linkassay.reporting import blocks, charts
from linkassay.reporting.blocks import Block, behind, column
from linkassay.reporting.cases import examples
from linkassay.reporting.matter import Matter
from linkassay.runs import Run
from linkassay.scoring import bootstrap
from linkassay.scoring.endtoend import report
from linkassay.scoring.endtoend.matrix import MODES
from linkassay.scoring.endtoend.measures import Counts, prf
from linkassay.scoring.endtoend.runs import score
from linkassay.tables import percent

__all__ = ["CATEGORIES", "finds_mentions", "intervals", "section"]

NIL = "ignored"
SHOWN = 5  # examples of a category
MEASURES = {"F1": "all_f1", "precision": "all_p", "recall": "all_r", "NER F1": "ner_f1", "NER precision": "ner_p",
            "NER recall": "ner_r", "disambiguation": "disamb_accuracy"}  # fmt: skip
#: Categories of errors (SPEC §7): kind of error, name, count.
CATEGORIES = (
    ("mention missed", "lower-cased", "ner_fn_lowercased"),
    ("mention missed", "partially included", "ner_fn_partially_included"),
    ("mention missed", "partial overlap", "ner_fn_partial_overlap"),
    ("mention missed", "other", "ner_fn_other"),
    ("mention spurious", "lower-cased", "ner_fp_lowercased"),
    ("mention spurious", "gold is NIL", "ner_fp_groundtruth_unknown"),
    ("mention spurious", "other", "ner_fp_other"),
    ("mention spurious", "wrong span", "ner_fp_wrong_span"),
    ("wrong entity", "demonym", "disamb_demonym"),
    ("wrong entity", "metonym", "disamb_metonymy"),
    ("wrong entity", "partial name", "disamb_partial_name"),
    ("wrong entity", "rare", "disamb_rare"),
    ("wrong entity", "other", "disamb_other"),
    ("wrong entity", "gold not among candidates", "disamb_wrong_candidates"),
    ("wrong entity", "gold among several", "disamb_multiple_candidates"),
    ("wrong entity", "wrong species", "disamb_wrong_species"),
    ("wrong entity", "abbreviation", "disamb_abbreviation"),
)


def finds_mentions(run: Run) -> bool:
    """Whether a run has an answer on a span that is no gold mention's."""
    file = pq.read_table(store.whole(run.path / "predictions.parquet"), columns=["mention"])
    return bool(pc.any(pc.equal(file["mention"], "")).as_py())


def intervals(counts: Counts) -> dict[str, Any]:
    """Precision, recall and F1 of linking and NER, and disambiguation accuracy, with intervals over documents."""
    names = ("all_tp", "all_fp", "all_fn", "ner_tp", "ner_fp", "ner_fn", "disamb_errors", "disamb_total")
    nothing = np.zeros(len(counts.documents))
    table = np.column_stack([counts.values[n][MODES.index(NIL)] if n in counts.values else nothing for n in names])

    def figures(sums: Any) -> Any:
        linking, ner = (prf(*(sums[:, at + n] for n in range(3))) for at in (0, 3))
        with np.errstate(invalid="ignore", divide="ignore"):
            accuracy = np.where(sums[:, 7] > 0, 1 - sums[:, 6] / sums[:, 7], np.nan)
        return np.column_stack([linking[2], linking[0], linking[1], ner[2], ner[0], ner[1], accuracy])

    found = bootstrap.estimates(figures, [table])
    return dict(zip(MEASURES.values(), found, strict=True))


def section(matter: Matter, systems: Mapping[str, int]) -> Block | None:
    """Figures and categories of those systems that find mentions themselves; none without one."""
    mine = [at for at, s in enumerate(matter.scores) if finds_mentions(s.run)]
    if not mine:
        return None
    scored = {}
    try:
        for at in mine:
            scored[matter.labels[at]] = score(matter.scores[at].run)
    except LinkassayError as error:  # such as a corpus without places; the other sections do not need them
        return blocks.section("endtoend", [blocks.text(f"Not scored end to end: {error}.")])
    found = {label: intervals(each.counts) for label, each in scored.items()}
    rows = {label: report.row(each.counts, NIL, each.words) for label, each in scored.items()}
    columns = [column("system"), *(column(name, "percent", interval=True) for name in MEASURES)]
    lines = [
        [blocks.system(label), *({"v": e.value, "low": e.low, "high": e.high} if e.low is not None else e.value
                                 for e in of.values())]
        for label, of in found.items()
    ]  # fmt: skip
    dots = [
        {"group": name, "system": label, "value": found[label][key].value, "low": found[label][key].low,
         "high": found[label][key].high, "open": behind(label),
         "tip": f"{label}, {name}: {percent(found[label][key].value or 0)} %"}
        for name, key in MEASURES.items() for label in found
    ]  # fmt: skip
    chart = charts.dots(dots, "End-to-end figures of each system", systems, title="%", order=list(MEASURES))
    said = [blocks.text(f"{label}: {each.note}.") for label, each in scored.items() if each.note]
    return blocks.section("endtoend", [
        chart, blocks.table("End to end", columns, lines, kind="dense"), blocks.heading("Categories of errors"),
        _categories(rows), _examples(matter, mine, rows), *said,
    ])  # fmt: skip


def _categories(rows: Mapping[str, Mapping[str, Any]]) -> Block:
    columns = [column("error"), column("category"),
               *(c for label in rows for c in (column(f"{label}: errors", "count", system=label), column("of", "count"),
                                               column("rate", "percent")))]  # fmt: skip
    lines = [
        [kind, name, *(value for of in rows.values() for value in
                       (of.get(f"{count}_errors"), of.get(f"{count}_total"),
                        report.rate(of, count) if f"{count}_errors" in of else None))]
        for kind, name, count in CATEGORIES if any(of.get(f"{count}_total") for of in rows.values())
    ]  # fmt: skip
    return blocks.table("Categories of errors", columns, lines, kind="dense")


def _examples(matter: Matter, mine: Sequence[int], rows: Mapping[str, Mapping[str, Any]]) -> Block:
    """The cases behind the categories: a few of each, with the number that there are."""
    columns = [column("error"), column("category"), column("errors", "count"), column("document"),
               column("in its text"), column("gold"), column("answer")]  # fmt: skip
    options: dict[str, list[Block]] = {}
    for at in mine:
        label, run, kb = matter.labels[at], matter.scores[at].run, matter.scores[at].kb
        found = examples(run, kb, SHOWN)
        names = _names(kb, {i for cases in found.values() for case in cases for i in (*case.gold, *case.said)})
        told = {i: f"{name} ({i})" for i, name in names.items()}
        lines = [
            [kind, name, rows[label].get(f"{count}_errors"), case.document,
             {"v": "".join(text for text, _ in case.context), "pieces": case.context},
             *(", ".join(told.get(i, i) for i in ids) or "–" for ids in (case.gold, case.said))]
            for kind, name, count in CATEGORIES for case in found.get(count, [])
        ]  # fmt: skip
        options[label] = [blocks.table(f"Examples of errors: {label}", columns, lines, kind="dense")]
    return blocks.details(f"Examples of each category, at most {SHOWN}", [blocks.choice("System", options)])


def _names(kb: Kb | None, ids: set[str]) -> dict[str, str]:
    if kb is None or not ids:
        return {}
    return dict(kb.sql('select id, name from names where "primary" and id in (select unnest(?))', [sorted(ids)]))
