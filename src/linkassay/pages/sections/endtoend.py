"""End to end: figures and categories of errors of runs whose spans are predicted too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from linkassay import charts
from linkassay.errors import LinkassayError
from linkassay.pages import blocks
from linkassay.pages.blocks import Block, Cell, behind_case, column
from linkassay.pages.sections.leaderboard import explained, level
from linkassay.pages.sections.slices import fold_words, folded, type_name
from linkassay.scoring import Figure
from linkassay.scoring.endtoend import CATEGORIES, Category, Row
from linkassay.scoring.results import FIRST, Cohort, FoundMentions, Way
from linkassay.tables import percent

MEASURES = {"F1": "all_f1", "precision": "all_p", "recall": "all_r", "NER F1": "ner_f1", "NER precision": "ner_p",
            "NER recall": "ner_r", "disambiguation": "disamb_accuracy"}  # fmt: skip
#: Counts of linking.
OUTCOMES = {"TP": "all_tp", "FP": "all_fp", "FN": "all_fn"}
#: Measures by entity type and kind of mention.
BY_GROUP = ("F1", "precision", "recall")


def section(cohort: Cohort, systems: Mapping[str, int]) -> Block | None:
    """Figures and categories of those systems that find mentions themselves; none without one."""
    try:
        found = cohort.found_mentions
    except LinkassayError as error:  # such as a corpus without places; the other sections do not need them
        return blocks.section("endtoend", [blocks.text(f"Not scored end to end: {error}.")])
    if found is None:
        return None
    rows = dict(zip(found.labels, found.figures[FIRST], strict=True))
    dots = [
        {"group": name, "system": label, **blocks.dot(row[measure]), "open": behind_case(label, measure),
         "tip": f"{label}, {name}: {percent(row[measure].value or 0)} %"}
        for name, measure in MEASURES.items() for label, row in rows.items()
    ]  # fmt: skip
    chart = charts.dots(dots, "End-to-end figures of each system", systems, title="%", order=list(MEASURES))
    tested = found.against_best if cohort.all_find_mentions else []
    ways = {str(way): _figures(way, found.labels, each, tested if way == FIRST else ())
            for way, each in found.figures.items()}  # fmt: skip
    said = [blocks.text(f"{label}: {each.note}.") for label, each in zip(found.labels, found.scored, strict=True)
            if each.note]  # fmt: skip
    said += [blocks.text(f"Of words: {note}.") for note in {each.words_note for each in found.scored} if note]
    first = explained(cohort) if cohort.all_find_mentions else []
    return blocks.section("endtoend", [
        blocks.choice("How cases are counted", ways), *first, chart, *_groups(cohort, found),
        blocks.heading("Categories of errors"), _categories(rows), *said,
    ])  # fmt: skip


def _figures(way: Way, labels: Sequence[str], rows: Sequence[Row], tested: Sequence[Figure | None]) -> list[Block]:
    """A row for each system; `tested` is the best against each."""
    several, opens = len(tested) > 1, way.preset == FIRST.preset
    columns = [column("system"), *(column(name, "percent", interval=True) for name in MEASURES),
               *([column("p against best", "chance")] if several else []),
               *(column(x, "count") for x in OUTCOMES)]  # fmt: skip
    lines = []
    for at, (label, row) in enumerate(zip(labels, rows, strict=True)):
        against = tested[at] if tested else None
        lead = {"strip": label, "mark": "≈" if level(against) else "", "strong": at == 0}
        nil = "" if way == FIRST else way.nil
        cells = {m: _cell(row[m], behind_case(label, m, nil) if opens else None, **(lead if m == "all_f1" else {}))
                 for m in (*MEASURES.values(), *OUTCOMES.values())}  # fmt: skip
        lines.append([
            blocks.system(label), *(cells[m] for m in MEASURES.values()),
            *([blocks.number(against, "p") if against else None] if several else []),
            *(cells[m] for m in OUTCOMES.values()),
        ])  # fmt: skip
    table = blocks.table(f"End to end, {way}", columns, lines, sort=(1, True), kind="dense")
    return [table] if opens else [table, blocks.text(f"The cases are shown as {FIRST.preset} counts them.")]


def _groups(cohort: Cohort, found: FoundMentions) -> list[Block]:
    """By entity type, the most frequent first, small ones on request, and by kind of mention; where there are two."""
    gold = {name: max((row["all_r"] for row in rows if row), key=lambda recall: recall.n or 0)
            for name, rows in found.groups.items()}  # fmt: skip
    size = {name: recall.n or 0 for name, recall in gold.items()}
    types = sorted((name for name in gold if name.startswith("type=")), key=lambda name: -size[name])
    kinds = [name for name in gold if not name.startswith("type=")]
    large, small = folded(types, size)
    shown: list[Block] = []
    for title, names, rest in (("By entity type", large, small), ("By kind of mention", kinds, [])):
        if len(names) < 2:
            continue
        options = {name: [_by_group(cohort, found, f"End to end, {title.lower()}: {name}", names, gold, measure)]
                   for name in BY_GROUP for measure in [MEASURES[name]]}  # fmt: skip
        if rest:
            for name, made in options.items():
                caption = f"End to end, by rare entity type: {name}"
                table = _by_group(cohort, found, caption, rest, gold, MEASURES[name])
                made.append(blocks.details(fold_words(len(rest)), [table]))
        shown += [blocks.heading(f"{title} ({FIRST})"), blocks.choice("Measure", options)]
    return shown


def _by_group(
    cohort: Cohort, found: FoundMentions, caption: str, names: Sequence[str], gold: Mapping[str, Figure], measure: str
) -> Block:
    columns = [column("mentions"), column("gold", "count"),
               *(column(label, "percent", interval=True, system=label) for label in found.labels)]  # fmt: skip
    lines = []
    for name in names:
        kind, _, of = name.partition("=")
        said = cohort.type_name(type_name(name)) if kind == "type" else of
        cells = [_cell(row[measure], behind_case(label, measure) | {"group": name}) if row else None
                 for label, row in zip(found.labels, found.groups[name], strict=True)]  # fmt: skip
        opened = behind_case(found.labels[0], "all_r") | {"group": name}
        lines.append([said, blocks.number(gold[name], "n", opened), *cells])
    return blocks.table(caption, columns, lines, kind="dense")


def _cell(figure: Figure, open_: Mapping[str, str] | None, **more: Any) -> Cell:
    """A figure with its interval, its key and the cases behind it; a share of nothing is no figure."""
    return None if figure.n == 0 else blocks.figure(figure, open_, **more)


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
