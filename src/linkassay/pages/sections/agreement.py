"""How alike systems answer: correlation of correctness, best possible ensemble, and every pair tested."""

from __future__ import annotations

from collections.abc import Mapping

from linkassay import charts
from linkassay.pages import blocks
from linkassay.pages.blocks import Block, behind, column
from linkassay.scoring.results import Cohort
from linkassay.tables import fixed

MOST_PAIRS = 15  # that are shown without being asked for


def section(cohort: Cohort, systems: Mapping[str, int]) -> Block | None:
    """A heat map of all systems and a table of all pairs; none where there is one system."""
    found, labels = cohort.comparison, cohort.labels
    if found is None:
        return None
    cells = [
        {"x": x, "y": y, "text": "–" if r is None else fixed(r, 2), "depth": abs(r or 0),
         "kind": "worse" if r is not None and r < 0 else "better", "open": behind(y, "differ", against=x),
         "tip": f"{y} and {x}: " + ("undefined, one never varies" if r is None else f"correlation {fixed(r, 2)}")}
        for y, line in zip(labels, found.correlation, strict=True) for x, r in zip(labels, line, strict=True) if x != y
    ]  # fmt: skip
    chart = charts.grid(cells, "Correlation of correctness between systems", x=labels, y=labels)
    best = found.oracle
    every = {"system": "every"}
    facts = blocks.facts([
        ("mentions compared", {"v": found.n, "key": f"{best['key']}#n", "form": "count",
                               "open": every | {"outcome": "any"}}),
        ("right for at least one system: best possible ensemble",
         {"v": best["value"], "key": best["key"], "form": "percent", "open": behind(outcome="credited")}),
        ("wrong for all", {"v": best["none_right"], "key": f"{best['key']}#none_right", "form": "weight",
                           "open": every | {"outcome": "missed"}}),
    ])  # fmt: skip
    columns = [column("first"), column("second"), column("second − first", "points", interval=True),
               column("p (Holm)", "chance"), column("only first right", "weight"), column("only second", "weight"),
               column("both", "weight"), column("neither", "weight"), column("correlation", "decimal"),
               column("both together", "percent")]  # fmt: skip
    place = {(a, b): None for a in labels for b in labels if labels.index(a) < labels.index(b)}
    rows = []
    for (first, second), pair in zip(place, found.pairs, strict=True):
        unlike = behind(second, "differ", against=first)
        shared = {key: behind(first, key, against=second) for key in ("both", "neither", "either")}
        opened = {
            "permutation_p_holm": unlike, "only_first": behind(first, "ahead", against=second),
            "only_second": behind(second, "ahead", against=first), "both": shared["both"],
            "neither": shared["neither"], "correlation": unlike, "oracle": shared["either"],
        }  # fmt: skip
        apart = {"v": pair["difference"], "key": pair["key"], "open": unlike}
        if pair["low"] is not None:
            apart |= {"low": pair["low"], "high": pair["high"]}
        rows.append([
            blocks.system(first), blocks.system(second), apart,
            *({"v": pair[name], "key": f"{pair['key']}#{name}", "open": of} if pair[name] is not None else None
              for name, of in opened.items()),
        ])  # fmt: skip
    table = blocks.table("Pairs of systems", columns, rows, kind="dense")
    if len(rows) > MOST_PAIRS:
        table = blocks.details(f"All {len(rows)} pairs of systems", [table])
    said = [blocks.text(f"{note}.") for note in dict.fromkeys(pair["note"] for pair in found.pairs if "note" in pair)]
    return blocks.section("agreement", [facts, chart, table, *said])
