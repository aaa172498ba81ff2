"""What tests read in the blocks of a section."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from linkassay.explorer.mention_columns import MentionColumns
from linkassay.scoring.disambiguation.mention_outcomes import mention_outcomes_of
from linkassay.scoring.disambiguation.run_score import Score
from linkassay.scoring.hierarchy.mismatches import place_of
from linkassay.scoring.results.cohort import Cohort

LABELS = ["tfidf + abbreviations", "tfidf", "exact", "spotter"]
HUES = {label: at for at, label in enumerate(LABELS)}


def hits_of(score: Score, k: int = 1) -> dict[str, float]:
    return {j.id: j.hits[k - 1] for j in mention_outcomes_of(score)}


def tables_in(blocks: Any) -> Iterator[dict[str, Any]]:
    return (block for block in blocks_in(blocks) if block["kind"] == "table")


def blocks_in(blocks: Any) -> Iterator[dict[str, Any]]:
    for block in blocks:
        yield block
        yield from blocks_in(block.get("blocks", []))
        for _, inner in block.get("options", []):
            yield from blocks_in(inner)


def table_of(section: Any, caption: str = "") -> dict[str, Any]:
    return next(table for table in tables_in(section["blocks"]) if table["caption"].startswith(caption))


def value_of(cell: Any) -> Any:
    return cell["v"] if isinstance(cell, dict) else cell


def browsed(cohort: Cohort) -> dict[str, Any]:
    """What filters of mentions go by: how many mentions there are of each kind, and of which kind each of them is."""
    columns = MentionColumns(cohort)
    kinds, which = columns.combinations
    mentions = [{"id": id_, **kinds[at]._asdict()}
                for id_, at in zip(columns.ids.to_pylist(), which.tolist(), strict=True)]  # fmt: skip
    return {"types": columns.types, "slices": columns.slices, "width": columns.width, "places": columns.places,
            "totals": columns.totals(), "mentions": mentions}  # fmt: skip


def opened(open_: dict[str, str], data: dict[str, Any], labels: list[str]) -> int:
    return sum(n for *codes, n in data["totals"] if passes(open_, data, labels, *codes))


def codes_of(mention: dict[str, Any]) -> tuple[int, int, str]:
    return mention["type"], mention["slices"], mention["codes"]


def passes(open_: dict[str, str], data: dict[str, Any], labels: list[str], type_: int, bits: int, codes: str) -> bool:
    """The filters of the page, from the data that it has."""
    at = data["width"] * labels.index(open_["system"][1:])
    code, outcome = codes[at : at + data["width"]], open_["outcome"]
    if "type" in open_ and data["types"][type_] != open_["type"][1:]:
        return False
    if "slice" in open_ and not bits >> data["slices"].index(open_["slice"]) & 1:
        return False
    wanted = {"any": "rpwn", "none": "n", "credited": "rp"}
    if outcome in wanted:
        return code[0] in wanted[outcome]
    within = ("orthogonal", "virtual root") if outcome == "orthogonal" else (outcome,)
    return any(
        kind in within
        and open_.get("distance", distance) == distance
        and open_.get("location", location) == location
        for kind, distance, location in map(place_of, data["places"][int(code[2:], 36)])
    )  # fmt: skip
