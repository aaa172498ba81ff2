"""End to end: figures and categories of errors of runs whose spans are predicted too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pyarrow.compute as pc
import pyarrow.parquet as pq

from linkassay import charts, store
from linkassay.errors import LinkassayError
from linkassay.pages import blocks
from linkassay.pages.blocks import Block, Cell, behind_case, column
from linkassay.pages.endtoend_cases import COUNTS, find, sample, totals
from linkassay.runs import Run
from linkassay.scoring import Figure
from linkassay.scoring.endtoend import CATEGORIES, Category, Row, endtoend_figures, rows_of, score_runs_end_to_end
from linkassay.scoring.results import Cohort
from linkassay.tables import percent

NIL = "ignored"
SAMPLE = 600  # cases of a corpus that are put into the page
MEASURES = {"F1": "all_f1", "precision": "all_p", "recall": "all_r", "NER F1": "ner_f1", "NER precision": "ner_p",
            "NER recall": "ner_r", "disambiguation": "disamb_accuracy"}  # fmt: skip
#: Counts of linking.
OUTCOMES = {"TP": "all_tp", "FP": "all_fp", "FN": "all_fn"}


def finds_mentions(run: Run) -> bool:
    """Whether a run has an answer on a span that is no gold mention's."""
    file = pq.read_table(store.checked_parquet(run.path / "predictions.parquet"), columns=["mention"])
    return bool(pc.any(pc.equal(file["mention"], "")).as_py())


def section(cohort: Cohort, systems: Mapping[str, int]) -> Block | None:
    """Figures and categories of those systems that find mentions themselves, and their cases; none without one."""
    mine = [at for at, s in enumerate(cohort.scores) if finds_mentions(s.run)]
    if not mine:
        return None
    try:
        found = score_runs_end_to_end([cohort.scores[at].run for at in mine])
    except LinkassayError as error:  # such as a corpus without places; the other sections do not need them
        return blocks.section("endtoend", [blocks.text(f"Not scored end to end: {error}.")])
    scored = dict(zip((cohort.labels[at] for at in mine), found, strict=True))
    rows = dict(
        zip(scored, rows_of(endtoend_figures(list(scored.values()), [NIL], keep=cohort.keep)).values(), strict=True)
    )
    columns = [column("system"), *(column(name, "percent", interval=True) for name in MEASURES),
               *(column(x, "count") for x in OUTCOMES)]  # fmt: skip
    lines = [
        [blocks.system(label), *(_cell(row[measure], behind_case(label, measure))
                                 for measure in (*MEASURES.values(), *OUTCOMES.values()))]
        for label, row in rows.items()
    ]  # fmt: skip
    dots = [
        {"group": name, "system": label, **blocks.dot(row[measure]), "open": behind_case(label, measure),
         "tip": f"{label}, {name}: {percent(row[measure].value or 0)} %"}
        for name, measure in MEASURES.items() for label, row in rows.items()
    ]  # fmt: skip
    chart = charts.dots(dots, "End-to-end figures of each system", systems, title="%", order=list(MEASURES))
    said = [blocks.text(f"{label}: {each.note}.") for label, each in scored.items() if each.note]
    said += [blocks.text(f"Of words: {note}.") for note in {each.words_note for each in scored.values()} if note]
    return blocks.section("endtoend", [
        chart, blocks.table("End to end", columns, lines, kind="dense"), blocks.heading("Categories of errors"),
        _categories(rows), *said, _cases(cohort, mine),
    ])  # fmt: skip


def _cell(figure: Figure, open_: Mapping[str, str]) -> Cell:
    """A figure with its interval, its key and the cases behind it; a share of nothing is no figure."""
    return None if figure.n == 0 else blocks.figure(figure, open_)


def _categories(rows: Mapping[str, Row]) -> Block:
    columns = [column("error"), column("category"),
               *(c for label in rows for c in (column(f"{label}: errors", "count", system=label), column("of", "count"),
                                               column("rate", "percent")))]  # fmt: skip
    lines = [
        [c.kind, c.words, *(cell for label, row in rows.items() for cell in _category(label, row, c))]
        for c in CATEGORIES if any(f"{c.name}_total" in row and row[f"{c.name}_total"].value for row in rows.values())
    ]  # fmt: skip
    return blocks.table("Categories of errors", columns, lines, kind="dense")


def _category(label: str, row: Row, category: Category) -> list[Cell]:
    """Errors, what they are of, and the rate; some are of words of the text, which are no cases."""
    name = category.name
    if f"{name}_errors" not in row:
        return [None, None, None]
    errors = behind_case(label, f"{name}_errors")
    whole = None if category.of == "words" else behind_case(label, f"{name}_total")
    found = ((row[f"{name}_errors"], errors), (row[f"{name}_total"], whole), (row[f"{name}_rate"], whole or errors))
    return [blocks.figure(replace(figure, low=None, high=None), open_) for figure, open_ in found]


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
        "errors": [[COUNTS.index(f"{c.name}_errors"), f"{c.kind}: {c.words}"] for c in CATEGORIES],
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
    for category in CATEGORIES:
        said, name = f"{category.kind}: {category.words}", category.name
        yield f"{name}_errors", said, [f"{name}_errors"]
        if category.of != "words":
            yield f"{name}_total", f"{said}, what it is of", [f"{name}_total"]
