"""The verb `ground` shows what `ground` and `explain` give in Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

import linkassay
from linkassay.cli import app
from linkassay.errors import UsageError


def ground(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, ["ground", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


@pytest.mark.usefixtures("home_with_mini")
def test_candidates_and_reasons_are_those_of_python() -> None:
    asked = ("DM", "--kb", "mini", "--linker", "normalised")
    rows = linkassay.ground("DM", kb="mini", linker="normalised")
    assert json.loads(ground(*asked, "--json").stdout) == {"rows": rows}
    assert ground(*asked).stdout == f"{rows}\n"
    why = linkassay.explain("DM", kb="mini", linker="normalised")
    assert json.loads(ground(*asked, "--explain", "--json").stdout) == {"rows": rows, "explanation": why}
    assert ground(*asked, "--explain", "--format", "md").stdout == f"{rows.text('md')}\n\n{why.text('md')}\n"
    told = json.loads(ground(*asked, "--second", "MESH:D003924", "--json").stdout)["explanation"]
    assert told == linkassay.explain("DM", kb="mini", linker="normalised", second="mesh:D003924")


@pytest.mark.usefixtures("home_with_mini")
def test_what_narrows_it_down_is_handed_on() -> None:
    every = json.loads(ground("DM", "--kb", "mini", "--linker", "fuzzy", "--top", 2, "--json").stdout)["rows"]
    assert {row["rank"] for row in every} == {1, 2}
    assert any(row["id"].startswith("ncbigene:") for row in every)
    of_type = ("--type", "disease", "--context", "with DM", "--json")
    diseases = json.loads(ground("DM", "--kb", "mini", "--linker", "fuzzy", *of_type).stdout)["rows"]
    assert {row["id"].partition(":")[0] for row in diseases} == {"mesh"}


def test_no_candidate_is_no_error(home_with_mini: Path) -> None:
    assert ground("no such name", "--kb", "mini", "--linker", "exact").stdout == "no candidate\n"
    with pytest.raises(UsageError, match="the context does not have 'DM'"):
        ground("DM", "--kb", "mini", "--context", "other")
    assert "--kb" in ground("DM", code=2).output
