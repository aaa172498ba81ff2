"""Tables 5 and 6 of BioWiC and the figures of its text (`biowic.toml`), and ours beside them.

Ours are results on the released test set that `wic baseline` and `wic score` left in the data home: a system of the
paper by its name, in any case, and below these every system of ours.
"""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

from linkassay.tables import Rows, rounded
from linkassay.wic import kept_figures

#: Column of table 6 → slice of our scores; what was trained on general WiC is a system of its own, `NAME-wic`.
_SLICES = {"all": "all", "seen": "seen", "unseen": "unseen", "wic": "all"}


def published() -> dict[str, Any]:
    """The paper's figures with citation, protocol and scope."""
    return tomllib.loads((files("linkassay.published") / "biowic.toml").read_text(encoding="utf-8"))


def biowic_beside_ours() -> tuple[str, Rows]:
    """A note on what is comparable, and the rows."""
    paper = published()
    kept = kept_figures(paper["test"])
    ours = {each["system"].lower(): {row["slice"]: row for row in each["rows"]} for each in kept}
    # What is seen depends on train: only who had BioWiC's own can be held against table 5.
    trained = [ours[each["system"].lower()] for each in kept if each["about"].get("train") == paper["train_pairs"]]
    rows, used = Rows(), set()
    for each in paper["seen"]:
        for name in ("seen", "unseen"):
            slice_ = name if each["group"] == "all" else f"{each['group']}, {name}"
            mine = next((own[slice_]["n"] for own in trained if slice_ in own), None)
            rows.append(_row("table 5", "", f"pairs, {slice_}", each[name], mine))
    for each in paper["accuracy"]:
        for column, slice_ in _SLICES.items():
            system = each["system"] + ("-wic" if column == "wic" else "")
            found = ours.get(system.lower(), {}).get(slice_)
            used.add(system.lower())
            rows.append(_row("table 6", system, f"accuracy, {slice_}", each[column], found and found["accuracy"]))
    for each in paper["text"]:
        found = ours.get(each["system"].lower(), {}).get("all") if each["measure"] == "accuracy" else None
        used.add(each["system"].lower())
        rows.append(_row(each["where"], each["system"], each["measure"], each["value"], found and found["accuracy"]))
    for system, own in ours.items():
        if system not in used:
            rows += [_row("ours", system, f"accuracy, {name}", None, row["accuracy"]) for name, row in own.items()
                     if row["n"]]  # fmt: skip
    return (f"{paper['scope']}; {paper['protocol']}. BioWiC's train is not at hand: our systems learn from dev or from "
            "other data, and what is seen is seen there", rows)  # fmt: skip


def _row(where: str, system: str, measure: str, value: float | None, mine: float | None) -> dict[str, Any]:
    difference = None if mine is None or value is None else rounded(mine - value, 4)
    return {"table": where, "system": system, "measure": measure, "published": value, "ours": mine,
            "difference": difference}  # fmt: skip
