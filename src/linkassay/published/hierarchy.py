"""Tables 1 and 2 of the hierarchical evaluation (Xu et al. 2025), and ours beside them.

The paper ran TaggerOne itself and took an ontology of MeSH of its own; our run is BELB's TaggerOne, our hierarchy the
tree numbers. BioSyn's predictions on BC5CDR are not at hand. `placed` is the paper's denominator.
"""

from __future__ import annotations

from typing import Any

from linkassay.errors import UsageError
from linkassay.published.our_figures import Reproduced
from linkassay.published.published_table import load_work
from linkassay.runs import LEAK, Run
from linkassay.scoring.disambiguation import score_run
from linkassay.scoring.hierarchy import CHARACTERISTICS, HierarchyChoices, profile_figures, profiles
from linkassay.tables import Rows, fixed, rounded

CORPUS = "bc5cdr/disease"


def _table(number: int) -> dict[tuple[str, str], tuple[float, ...]]:
    """(system, set) → its figures in per cent, in the order of `CHARACTERISTICS`."""
    found: dict[tuple[str, str], tuple[float, ...]] = {}
    for figure in load_work("hierarchy").tables[number].figures():
        key = figure.labels["system"].lower(), figure.labels["set"]
        found[key] = (*found.get(key, ()), figure.value)
    return found


TABLE_1 = _table(1)
TABLE_2 = _table(2)


def reproduce(kb: str = "mesh") -> Rows:
    """The two tables, a row for each figure: published, ours, and the difference; ours is None without such a run.

    Runs are those of the data home called `taggerone` and `biosyn` on BC5CDR disease, each scored on what it
    recognised, as the paper does; `note` says it where one was trained on what it linked (LINKER-12).
    """
    rows, ours = Rows(), {system: _ours(system, kb) for system in ("biosyn", "taggerone")}
    for table, published in (("table 1", TABLE_1), ("table 2", TABLE_2)):
        for (system, set_), values in published.items():
            for measure, value in zip(CHARACTERISTICS, values, strict=False):
                found = ours[system].get((set_, measure), {})
                mine = None if found.get("value") is None else float(fixed(found["value"], 2, shift=2))
                rows.append({
                    "table": table, "system": system, "set": set_, "measure": measure, "published": value,
                    "ours": mine, "difference": None if mine is None else rounded(mine - value, 2), "n": found.get("n"),
                    **({"note": found["leak"]} if found.get("leak") else {}),
                    **({"key": found["key"]} if found else {}),
                })  # fmt: skip
    return rows


def hierarchy_beside_ours() -> Reproduced:
    """A note on what is comparable, the rows, and how to get what is missing."""
    rows = reproduce()
    absent = dict.fromkeys(row["system"] for row in rows if row["ours"] is None)
    missing = [f"no run {CORPUS}/{system}: linkassay get bc5cdr mesh && linkassay import belb FILE --corpus {CORPUS} "
               f"--kb mesh --system {system} (linkassay ls importers: other formats)" for system in absent]  # fmt: skip
    return Reproduced("per cent; pairs with gold and prediction in the hierarchy; the paper has other runs and another "
                      "edition of MeSH", rows, missing)  # fmt: skip


def _ours(system: str, kb: str) -> dict[tuple[str, str], dict[str, Any]]:
    name = f"{CORPUS}/{system}"
    try:
        run = Run.open(f"{name}@test")
    except UsageError:
        return {}
    score = score_run(run, scope=[f"recognised({run.path})"], abbreviations="none")
    [profile] = profiles([score], HierarchyChoices(kb, denominator="placed"))
    leak = f"{LEAK} {run.leak}" if run.leak else ""
    return {(f.about["set"], f.about["measure"]): f.row() | {"leak": leak} for f in profile_figures(profile)}
