"""What `prepare` says to a person and to a program."""

from __future__ import annotations

import json

import pytest
from click.testing import Result
from typer.testing import CliRunner

from linkassay.cli import app
from linkassay.errors import UsageError

pytestmark = pytest.mark.usefixtures("home_with_mini")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False)


def test_a_line_for_a_person_rows_for_a_program() -> None:
    first = run("prepare", "fuzzy", "--kb", "mini").stdout
    assert first.startswith("fuzzy-")
    assert ": index, 0.3 MB, made in " in first
    assert "there already; nothing to do" not in first
    assert "there already; nothing to do" in run("prepare", "fuzzy", "--kb", "mini").stdout
    [row] = json.loads(run("prepare", "fuzzy", "--kb", "mini", "--json").stdout)["prepared"]
    assert (row["stage"], row["linker"], row["fresh"]) == ("index", "fuzzy", False)
    assert row["name"] in run("ls", "prepared").stdout
    assert json.loads(run("link", "fuzzy", "mini", "--json").stdout)["prepared"] == [row["name"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["exact", "--kb", "mini"], "'exact' keeps nothing that could be prepared"),
        (["fuzy", "--kb", "mini"], "did you mean 'fuzzy'"),
        (["fuzzy", "--kb", "minni"], "unknown knowledge base 'minni'"),
        (["fuzzy", "--kb", "mini", "--train-on", "mini"], "--train-on is for linkers that learn"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(arguments: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        run("prepare", *arguments)
