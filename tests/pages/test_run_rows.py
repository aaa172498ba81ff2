"""The rows of runs in a page are what `score` says of them."""

from __future__ import annotations

from pathlib import Path

import linkassay
from linkassay.pages.run_rows import run_rows
from linkassay.scoring.results import Result, default_figures
from tests.standins.name_spotter import spotted


def test_figures_of_a_run_are_those_of_score(home_with_mini: Path) -> None:
    runs = [linkassay.link("exact", "mini"), linkassay.link("tfidf", "mini"), spotted()]
    runs.append(linkassay.link("exact", "mini", split="dev"))
    found = run_rows(Result(map(linkassay.score, runs)).cohorts)
    rows = {row["run"] + row["split"]: row for row in found["rows"]}
    assert len(rows) == 4
    for run in runs:
        row, said = rows[run.key + run.split], default_figures(run)
        assert row["task"] == said["task"]
        assert row["figures"] == [{k: v for k, v in each.items() if k != "keys"} for each in said["rows"]]
        assert (row["name"], row["documents"], row["state"]) == (
            run.name,
            len(linkassay.corpus("mini")[run.split]),
            "ready",
        )
        if said["task"] == "given":
            (first,) = (each for each in said["rows"] if each["measure"] == "recall@1")
            assert row["leading"] == {key: first[key] for key in ("measure", "value", "low", "high", "n")}
        else:
            assert row["leading"]["value"] == said["rows"][0]["all_f1"]
            assert row["leading"]["n"] == said["rows"][0]["all_tp"] + said["rows"][0]["all_fn"]
    assert {row["task"] for row in found["rows"]} == {"given", "found"}
    assert [each["name"] for each in found["corpora"]] == ["mini"]
    assert found["kbs"][0]["entities"] == linkassay.kb("mini").manifest["counts"]["entities"]
