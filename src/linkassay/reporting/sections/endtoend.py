"""End to end: figures and categories of errors of runs whose spans are predicted too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq

from linkassay import store
from linkassay.errors import LinkassayError
from linkassay.reporting import blocks, charts
from linkassay.reporting.blocks import Block, behind_case, column
from linkassay.reporting.cases import COUNTS, find, sample, totals
from linkassay.runs import Run
from linkassay.scoring import bootstrap
from linkassay.scoring.cohort import Cohort
from linkassay.scoring.endtoend import report
from linkassay.scoring.endtoend.matrix import MODES
from linkassay.scoring.endtoend.measures import Counts, prf
from linkassay.scoring.endtoend.runs import score
from linkassay.scoring.figure import Figure
from linkassay.tables import percent

__all__ = ["CATEGORIES", "finds_mentions", "intervals", "section"]

NIL = "ignored"
SAMPLE = 600  # cases of a corpus that are put into the page
MEASURES = {"F1": "all_f1", "precision": "all_p", "recall": "all_r", "NER F1": "ner_f1", "NER precision": "ner_p",
            "NER recall": "ner_r", "disambiguation": "disamb_accuracy"}  # fmt: skip
#: Counts of linking.
OUTCOMES = {"TP": "all_tp", "FP": "all_fp", "FN": "all_fn"}
#: Categories whose rate is of words of the text, or of labels that are not cases.
OF_WORDS = {"ner_fp_lowercased", "ner_fp_other"}
#: Categories of errors (SPEC §7): kind of error, name, count.
CATEGORIES = (
    ("mention missed", "lower-cased", "ner_fn_lowercased"),
    ("mention missed", "partially included", "ner_fn_partially_included"),
    ("mention missed", "partial overlap", "ner_fn_partial_overlap"),
    ("mention missed", "other", "ner_fn_other"),
    ("mention spurious", "lower-cased", "ner_fp_lowercased"),
    ("mention spurious", "NIL or unlabelled", "ner_fp_groundtruth_unknown"),
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


_NOWHERE = {"corpus": "", "run": "", "measure": "", "slice": ""}


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


def section(cohort: Cohort, systems: Mapping[str, int]) -> Block | None:
    """Figures and categories of those systems that find mentions themselves, and their cases; none without one."""
    mine = [at for at, s in enumerate(cohort.scores) if finds_mentions(s.run)]
    if not mine:
        return None
    scored = {}
    try:
        for at in mine:
            scored[cohort.labels[at]] = score(cohort.scores[at].run)
    except LinkassayError as error:  # such as a corpus without places; the other sections do not need them
        return blocks.section("endtoend", [blocks.text(f"Not scored end to end: {error}.")])
    found = {label: intervals(each.counts) for label, each in scored.items()}
    rows = {label: report.row(each.counts, NIL, each.words) for label, each in scored.items()}
    columns = [column("system"), *(column(name, "percent", interval=True) for name in MEASURES),
               *(column(x, "count") for x in OUTCOMES)]  # fmt: skip
    lines = [
        [blocks.system(label),
         *(_cell({"value": e.value, "low": e.low, "high": e.high}, behind_case(label, key))
           for key, e in of.items()),
         *({"v": rows[label][key], "open": behind_case(label, key)} for key in OUTCOMES.values())]
        for label, of in found.items()
    ]  # fmt: skip
    dots = [
        {"group": name, "system": label, "value": found[label][key].value, "low": found[label][key].low,
         "high": found[label][key].high, "open": behind_case(label, key),
         "tip": f"{label}, {name}: {percent(found[label][key].value or 0)} %"}
        for name, key in MEASURES.items() for label in found
    ]  # fmt: skip
    chart = charts.dots(dots, "End-to-end figures of each system", systems, title="%", order=list(MEASURES))
    said = [blocks.text(f"{label}: {each.note}.") for label, each in scored.items() if each.note]
    return blocks.section("endtoend", [
        chart, blocks.table("End to end", columns, lines, kind="dense"), blocks.heading("Categories of errors"),
        _categories(rows), *said, _cases(cohort, mine),
    ])  # fmt: skip


def _cell(found: Mapping[str, Any], open_: Mapping[str, str] | None = None) -> Any:
    return blocks.figure(Figure(_NOWHERE, found["value"], None, found.get("low"), found.get("high")), open_)


def _categories(rows: Mapping[str, Mapping[str, Any]]) -> Block:
    columns = [column("error"), column("category"),
               *(c for label in rows for c in (column(f"{label}: errors", "count", system=label), column("of", "count"),
                                               column("rate", "percent")))]  # fmt: skip
    lines = [
        [kind, name, *(cell for label, of in rows.items() for cell in _category(label, of, count))]
        for kind, name, count in CATEGORIES if any(of.get(f"{count}_total") for of in rows.values())
    ]  # fmt: skip
    return blocks.table("Categories of errors", columns, lines, kind="dense")


def _category(label: str, of: Mapping[str, Any], count: str) -> list[Any]:
    """Errors, what they are of, and the rate; some are of words of the text, which are no cases."""
    if f"{count}_errors" not in of:
        return [None, None, None]
    errors = behind_case(label, f"{count}_errors")
    whole = None if count in OF_WORDS else behind_case(label, f"{count}_total")
    return [_cell({"value": of[f"{count}_errors"]}, errors),
            _cell({"value": of[f"{count}_total"]}, whole),
            _cell({"value": report.rate(of, count)}, whole or errors)]  # fmt: skip


def _cases(cohort: Cohort, mine: Sequence[int]) -> Block:
    """The labels and predictions behind these figures, to be looked at one by one."""
    index: dict[str, int] = {}

    def numbers(ids: list[str] | None) -> list[int] | None:
        return None if ids is None else [index.setdefault(i, len(index)) for i in ids]

    shown, counts = [], []
    for place, at in enumerate(mine):
        found = find(cohort.scores[at].run, cohort.scores[at].kb, NIL)
        counts += [[place, *row] for row in totals(found)]
        for entry in sample(found, SAMPLE // len(mine), cohort.corpus[cohort.split]):
            both = {side: numbers(entry[side]) for side in ("gold", "said")}
            shown.append(entry | both | {"system": place})
    held = {bit for _, bits, _ in counts for bit in range(len(COUNTS)) if bits >> bit & 1}
    filters = [[key, said, [COUNTS.index(n) for n in names]] for key, said, names in _filters()]
    return {
        "kind": "cases", "systems": [cohort.labels[at] for at in mine], "totals": counts, "sample": shown,
        "names": cohort.names(list(index)), "filters": [f for f in filters if held & set(f[2])],
        "errors": [[COUNTS.index(f"{count}_errors"), f"{kind}: {name}"] for kind, name, count in CATEGORIES],
    }  # fmt: skip


def _filters() -> Iterator[tuple[str, str, list[str]]]:
    """What can be asked for: its name in the address, in words, and the counts of which one must hold."""
    for task, said in (("all", "linking"), ("ner", "recognition")):
        yield f"{task}_f1", f"{said}: all that counts", [f"{task}_{x}" for x in ("tp", "fp", "fn")]
        yield f"{task}_p", f"{said}: predicted", [f"{task}_tp", f"{task}_fp"]
        yield f"{task}_r", f"{said}: gold", [f"{task}_tp", f"{task}_fn"]
        for x, name in (("tp", "true positives"), ("fp", "false positives"), ("fn", "false negatives")):
            yield f"{task}_{x}", f"{said}: {name}", [f"{task}_{x}"]
    yield "disamb_accuracy", "right spans", ["disamb_total"]
    yield "disamb_errors", "wrong entities on right spans", ["disamb_errors"]
    for kind, name, count in CATEGORIES:
        yield f"{count}_errors", f"{kind}: {name}", [f"{count}_errors"]
        if count not in OF_WORDS:
            yield f"{count}_total", f"{kind}: {name}, what it is of", [f"{count}_total"]
