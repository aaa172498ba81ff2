"""Entity types and slices: figures as differences to all mentions of the same system, tested (BioEL tables 5, 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from linkassay.reporting import blocks, charts, words
from linkassay.reporting.blocks import Block, behind, column
from linkassay.reporting.matter import LEADING, TRAINING, Matter
from linkassay.reporting.sections.leaderboard import ALPHA
from linkassay.scoring.significance import bioel_slice, holm
from linkassay.tables import points

__all__ = ["compared", "section", "sure", "type_name", "types"]

DRAWN = 6  # systems in the picture


def types(matter: Matter, systems: Mapping[str, int]) -> Block | None:
    """By entity type, where there is more than one."""
    names = matter.slices["types"]
    if len(names) < 2:
        return None
    options = {m: [compared(matter, f"By entity type: {m}", "type", names, m)] for m in LEADING}
    return blocks.section("types", [blocks.choice("Measure", options)])


def section(matter: Matter, systems: Mapping[str, int]) -> Block | None:
    """Named slices: as a chart of recall@1, as tables of each measure, and tested as in BioEL."""
    names = [name for name in matter.slices["named"] if name not in TRAINING]
    if not names:
        return None
    certain = sure(matter, names, LEADING[0])
    dots = []
    for name in names:
        for at, label in enumerate(matter.labels[:DRAWN]):
            if (found := matter.figures[at].get(name, {}).get(LEADING[0])) and found["difference"] is not None:
                dots.append({
                    "group": words.SLICES[name], "system": label, "value": found["difference"],
                    "low": found["difference_low"], "high": found["difference_high"], "sure": (at, name) in certain,
                    "open": behind(label, slice=name),
                    "tip": f"{label}, {words.SLICES[name]}: {points(found['difference'])} points, n {found['n']}",
                })  # fmt: skip
    chart = charts.dots(dots, "Differences of slices to all mentions, recall@1", systems, difference=True,
                        title="recall@1, points above or below all mentions",
                        order=[words.SLICES[name] for name in names])  # fmt: skip
    rest = len(matter.labels) - DRAWN
    note = [blocks.text(f"The picture is of the best {DRAWN} systems; the table has all.")] if rest > 0 else []
    options = {m: [compared(matter, f"By slice: {m}", "mentions", names, m)] for m in LEADING}
    tested = blocks.details("Tested as BioEL does", [_bioel(matter, names)])
    return blocks.section("slices", [chart, *note, blocks.choice("Measure", options), tested])


def type_name(slice_: str) -> str:
    """The type that a slice `type=…` is of; a dash stands for none."""
    return "" if slice_ == "type=–" else slice_.removeprefix("type=")


def compared(matter: Matter, caption: str, what: str, names: Sequence[str], measure: str) -> Block:
    """A table of one measure: a row for each slice, a column for each system."""
    certain = sure(matter, names, measure)
    columns = [column(what), column("n", "count"),
               *(column(label, "percent", interval=True, system=label) for label in matter.labels)]  # fmt: skip

    def row(name: str) -> list[Any]:
        found = [figures.get(name, {}).get(measure) for figures in matter.figures]
        is_type = name.startswith("type=")
        said = matter.type_name(type_name(name)) if is_type else words.SLICES[name]
        more: dict[str, str] = {"type": type_name(name)} if is_type else {"slice": name}
        cells = [
            blocks.figure(
                each, behind(label, **({} if name == "all" else more)),
                **({} if name == "all" or not each else {"difference": each["difference"]}),
                mark="*" if (at, name) in certain else "",
            )
            for at, (label, each) in enumerate(zip(matter.labels, found, strict=True))
        ]  # fmt: skip
        n, most = max(((each["n"], label) for label, each in zip(matter.labels, found, strict=True) if each),
                      key=lambda pair: pair[0], default=(0, matter.labels[0]))  # fmt: skip
        return [said, {"v": n, "open": behind(most, **({} if name == "all" else more))}, *cells]

    return blocks.table(caption, columns, [row(name) for name in names], foot=[row("all")], kind="tinted")


def sure(matter: Matter, names: Sequence[str], measure: str) -> set[tuple[int, str]]:
    """System and slice of the differences that chance does not explain: bootstrap over documents, Holm over all."""
    family = [
        (at, name, p)
        for at, figures in enumerate(matter.figures)
        for name in names
        if (p := figures.get(name, {}).get(measure, {}).get("p")) is not None
    ]
    corrected = holm([p for _, _, p in family])
    return {(at, name) for (at, name, _), p in zip(family, corrected, strict=True) if p < ALPHA}


def _bioel(matter: Matter, names: Sequence[str]) -> Block:
    """Z of each slice against the overall recall@1, p times the number of systems."""
    columns = [column("system"), column("mentions"), column("n", "count"), column("difference", "points"),
               column("z", "decimal"), column("p", "chance")]  # fmt: skip
    rows = []
    for label, figures in zip(matter.labels, matter.figures, strict=True):
        whole = figures["all"][LEADING[0]]
        for name in names:
            if each := figures.get(name, {}).get(LEADING[0]):
                z = bioel_slice(each["value"] * each["n"], each["n"], whole["value"] * whole["n"], whole["n"],
                                len(matter.labels))  # fmt: skip
                opened = behind(label, slice=name)
                rows.append([blocks.system(label), words.SLICES[name],
                             *({"v": v, "open": opened} for v in (each["n"], z.difference, z.z, z.p))])  # fmt: skip
    return blocks.table("Slices, z-test of BioEL", columns, rows)
