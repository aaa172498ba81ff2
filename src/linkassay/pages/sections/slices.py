"""Entity types and slices: figures as differences to all mentions of the same system, tested (BioEL tables 5, 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from linkassay import charts
from linkassay.pages import blocks, explanations
from linkassay.pages.blocks import Block, behind, column
from linkassay.scoring.results import LEADING, SEEN_AND_UNSEEN, Cohort
from linkassay.tables import points

DRAWN = 6  # systems in the picture
#: Types that are shown however small they are, and mentions below which others are shown on request only.
MOST_TYPES, FEW_MENTIONS = 8, 20
#: Terms that only these slices need.
_TERMS = {"alias match": {"alias-match", "no-alias-match", "wrong-alias-match"}, "zero-shot": {"zero-shot"}}


def types(cohort: Cohort, systems: Mapping[str, int]) -> Block | None:
    """By entity type, the most frequent one first, where there is more than one."""
    size = {name: max(f[name][LEADING[0]].n or 0 for f in cohort.figures if name in f)
            for name in cohort.slices["types"] if any(name in f for f in cohort.figures)}  # fmt: skip
    names = sorted(size, key=lambda name: -size[name])
    if len(names) < 2:
        return None
    large, small = folded(names, size)
    options = {}
    for m in LEADING:
        options[m] = [compared(cohort, f"By entity type: {m}", "type", large, m, names)]
        if small:
            rest = compared(cohort, f"By rare entity type: {m}", "type", small, m, names)
            options[m].append(blocks.details(fold_words(len(small)), [rest]))
    return blocks.section("types", [blocks.choice("Measure", options)])


def folded(names: Sequence[str], size: Mapping[str, float]) -> tuple[Sequence[str], Sequence[str]]:
    """Types, the largest first, in those that are shown and those that are shown on request."""
    large = [name for at, name in enumerate(names) if at < MOST_TYPES or size[name] >= FEW_MENTIONS]
    return large, names[len(large) :]


def fold_words(number: int) -> str:
    """What stands for types that are shown on request."""
    return f"{number} further type{'s' * (number > 1)} of fewer than {FEW_MENTIONS} mentions"


def section(cohort: Cohort, systems: Mapping[str, int]) -> Block | None:
    """Named slices: as a chart of recall@1, as tables of each measure, and tested as in BioEL."""
    names = [name for name in cohort.slices["named"] if name not in SEEN_AND_UNSEEN]
    said = [blocks.text(f"{explanations.SLICES[name]}: {why}.") for name, why in cohort.not_sliced.items()]
    if not names:
        return blocks.section("slices", said, absent=("difference to all", *_TERMS)) if said else None
    certain = cohort.sure(names, LEADING[0])
    dots = []
    for name in names:
        for at, label in enumerate(cohort.labels[:DRAWN]):
            if (found := cohort.figures[at].get(name, {}).get(LEADING[0])) and found.difference is not None:
                dots.append({
                    "group": explanations.SLICES[name], "system": label, "value": found["difference"],
                    "low": found["difference_low"], "high": found["difference_high"], "sure": (at, name) in certain,
                    "open": behind(label, slice=name),
                    "tip": f"{label}, {explanations.SLICES[name]}: {points(found['difference'])} points, "
                           f"n {found['n']}",
                })  # fmt: skip
    chart = charts.dots(dots, "Differences of slices to all mentions, recall@1", systems, difference=True,
                        title="recall@1, points above or below all mentions",
                        order=[explanations.SLICES[name] for name in names])  # fmt: skip
    rest = len(cohort.labels) - DRAWN
    note = [blocks.text(f"The picture is of the best {DRAWN} systems; the table has all.")] if rest > 0 else []
    options = {m: [compared(cohort, f"By slice: {m}", "mentions", names, m)] for m in LEADING}
    tested = blocks.details("Tested as BioEL does", [_bioel(cohort, names)])
    remarks = blocks.remarks(figures.get(name, {}).get(LEADING[0]) for figures in cohort.figures for name in names)
    absent = [term for term, of in _TERMS.items() if not of & set(names)]
    shown = [chart, *note, blocks.choice("Measure", options), *said, *remarks, tested]
    return blocks.section("slices", shown, absent=absent)


def type_name(slice_: str) -> str:
    """The type that a slice `type=…` is of; a dash stands for none."""
    return "" if slice_ == "type=–" else slice_.removeprefix("type=")


def compared(
    cohort: Cohort, caption: str, what: str, names: Sequence[str], measure: str, family: Sequence[str] = ()
) -> Block:
    """A table of one measure: a row for each slice, a column for each system; `family`: slices tested together."""
    certain = cohort.sure(family or names, measure)
    columns = [column(what), column("n", "count"),
               *(column(label, "percent", interval=True, system=label) for label in cohort.labels)]  # fmt: skip

    def row(name: str) -> list[Any]:
        found = [figures.get(name, {}).get(measure) for figures in cohort.figures]
        is_type = name.startswith("type=")
        said = cohort.type_name(type_name(name)) if is_type else explanations.SLICES[name]
        more: dict[str, str] = {"type": type_name(name)} if is_type else {"slice": name}
        cells = [
            blocks.figure(
                each, behind(label, **({} if name == "all" else more)),
                **({} if name == "all" or not each else {"difference": each["difference"]}),
                mark="*" if (at, name) in certain else "",
            )
            for at, (label, each) in enumerate(zip(cohort.labels, found, strict=True))
        ]  # fmt: skip
        sizes = [each.n or 0 if each else 0 for each in found]
        largest = found[most := sizes.index(max(sizes))]
        opened = behind(cohort.labels[most], **({} if name == "all" else more))
        return [said, blocks.number(largest, "n", opened) if largest else {"v": 0, "open": opened}, *cells]

    return blocks.table(caption, columns, [row(name) for name in names], foot=[row("all")], kind="tinted")


def _bioel(cohort: Cohort, names: Sequence[str]) -> Block:
    """Z of each slice against the overall recall@1, p times the number of systems."""
    columns = [column("system"), column("mentions"), column("n", "count"), column("difference", "points"),
               column("z", "decimal"), column("p", "chance")]  # fmt: skip
    rows = [
        [
            blocks.system(label),
            explanations.SLICES[name],
            *(blocks.number(figure, key, behind(label, slice=name)) for key in ("n", "difference", "z", "p")),
        ]
        for label, tested in zip(cohort.labels, cohort.bioel(names), strict=True)
        for figure in tested
        for name in [figure.about["slice"]]
    ]
    return blocks.table("Slices, z-test of BioEL", columns, rows)
