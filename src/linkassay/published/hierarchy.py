"""Tables 1 and 2 of the hierarchical evaluation (Xu et al. 2025), and ours beside them.

The paper ran TaggerOne itself and took an ontology of MeSH of its own; our run is BELB's TaggerOne, our hierarchy the
tree numbers. BioSyn's predictions on BC5CDR are not at hand. `placed` is the paper's denominator.
"""

from __future__ import annotations

from typing import Any

import linkassay
from linkassay.errors import UsageError
from linkassay.runs import Run
from linkassay.scoring.hierarchical.choices import Choices
from linkassay.scoring.hierarchical.figures import figures
from linkassay.scoring.hierarchical.measures import CHARACTERISTICS
from linkassay.scoring.hierarchical.profile import profiles
from linkassay.tables import Rows

__all__ = ["CORPUS", "TABLE_1", "TABLE_2", "beside", "reproduce"]

CORPUS = "bc5cdr/disease"

#: (system, set) → accuracy in percent.
TABLE_1 = {
    ("biosyn", "global"): 90.43, ("biosyn", "global-unique"): 86.82,
    ("biosyn", "novel"): 80.53, ("biosyn", "novel-unique"): 80.04,
    ("taggerone", "global"): 95.27, ("taggerone", "global-unique"): 90.76,
    ("taggerone", "novel"): 81.13, ("taggerone", "novel-unique"): 81.03,
}  # fmt: skip

#: (system, set) → the six characteristics in percent. Table 2 gives 81.02 where table 1 has 81.03.
TABLE_2 = {
    ("biosyn", "global"): (90.43, 92.04, 92.13, 17.60, 16.82, 65.58),
    ("biosyn", "novel-unique"): (80.04, 83.48, 83.48, 17.17, 17.17, 65.66),
    ("taggerone", "global"): (95.27, 96.67, 95.73, 9.61, 29.29, 61.10),
    ("taggerone", "novel-unique"): (81.02, 87.44, 83.59, 13.51, 33.78, 52.71),
}


def reproduce(kb: str = "mesh") -> Rows:
    """The two tables, a row for each figure: published, ours, and the difference; ours is None without such a run.

    Runs are those of the data home called `taggerone` and `biosyn` on BC5CDR disease, each scored on what it
    recognised, as the paper does.
    """
    rows, ours = Rows(), {system: _ours(system, kb) for system in ("biosyn", "taggerone")}
    tables: list[tuple[str, dict[tuple[str, str], tuple[float, ...]]]] = [
        ("table 1", {key: (value,) for key, value in TABLE_1.items()}),
        ("table 2", dict(TABLE_2)),
    ]
    for table, published in tables:
        for (system, set_), values in published.items():
            for measure, value in zip(CHARACTERISTICS, values, strict=False):
                found = ours[system].get((set_, measure), {})
                mine = None if found.get("value") is None else round(100 * found["value"], 2)
                rows.append({
                    "table": table, "system": system, "set": set_, "measure": measure, "published": value,
                    "ours": mine, "difference": None if mine is None else round(mine - value, 2), "n": found.get("n"),
                })  # fmt: skip
    return rows


def beside() -> tuple[str, Rows]:
    """A note on what is comparable, and the rows."""
    return ("percent; pairs with gold and prediction in the hierarchy; the paper has other runs and another edition of "
            "MeSH", reproduce())  # fmt: skip


def _ours(system: str, kb: str) -> dict[tuple[str, str], dict[str, Any]]:
    name = f"{CORPUS}/{system}"
    try:
        run = Run.open(name)
    except UsageError:
        return {}
    score = linkassay.score(run, scope=[f"recognised({run.path})"], abbreviations="none", resamples=100)
    [profile] = profiles([score], Choices(kb, denominator="placed"))
    return {(row["set"], row["measure"]): row for row in figures(profile)}
