"""What `link` says to a person: speed, failures, warnings, and options that are not of the linker."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

import linkassay
from linkassay.cli import app
from linkassay.errors import UsageError


def link(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, ["link", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


@pytest.fixture
def stumbling(home_with_mini: Path, tmp_path: Path) -> tuple[object, ...]:
    """A tool that fails on documents with "gene" in them, unless a file is there, as arguments of `link`."""
    tool = tmp_path / "tool.py"
    tool.write_text(
        "import pathlib, sys\n"
        "text = pathlib.Path(sys.argv[1]).read_text()\n"
        "if 'gene' in text and not pathlib.Path(sys.argv[3]).exists():\n"
        "    sys.exit('too hard')\n"
        "pathlib.Path(sys.argv[2]).write_text(text)\n"
    )
    cmd = shlex.join([sys.executable, str(tool), "{input}", "{output}", str(tmp_path / "mended")])
    return "command", "mini", "--give", "mentions", "--exchange", "pubtator", "--cmd", cmd


def test_failures_of_a_run_that_is_there_are_told_and_how_to_repeat_it(
    stumbling: tuple[object, ...], tmp_path: Path
) -> None:
    for further in ((), (), ("--json",)):
        said = link(*stumbling, *further).stderr
        assert " documents failed and are without answers" in said
        assert said.splitlines()[0].endswith("; make it again: linkassay link command mini --again")
    (tmp_path / "mended").touch()
    assert "failed" not in link(*stumbling, "--again").stderr


@pytest.mark.usefixtures("home_with_mini")
@pytest.mark.parametrize("give", ["mentions", "text"])
def test_no_answer_at_all_is_worth_a_warning(give: str) -> None:
    silent = ("command", "mini", "--cmd", sys.executable + " -c pass", "--exchange", "jsonl", "--give", give)
    for further in ((), ("--json",)):
        said = link(*silent, *further)
        assert said.stderr.startswith("warning: mini/command: it answered nothing at all: no mention has a candidate;")
    assert json.loads(said.stdout)["answered"] == 0
    assert link("exact", "mini").stderr == ""
    about = json.loads(link("exact", "mini", "--json").stdout)
    predicted = list(linkassay.run(about["path"]).predictions())
    assert about["answered"] == sum(bool(p.groups) for p in predicted) < len(predicted)


@pytest.mark.usefixtures("home_with_mini")
def test_the_speed_is_told() -> None:
    for _ in range(2):
        assert " mentions, " in (said := link("exact", "mini").stdout)
        assert " a second by one worker" in said
    assert said.endswith(" (there already; nothing to do)\n")


@pytest.mark.usefixtures("home_with_mini")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["exact", "mini", "--rate", "3"], "--rate is of the linker http, not of 'exact'"),
        (
            ["command", "mini", "--cmd", "true", "--exchange", "jsonl", "--retries", "0"],
            "--retries is of the linker http",
        ),
        (
            ["exact", "mini", "--address", "ray://here:1"],
            "--address ray://here:1 is that of a Ray cluster: add",
        ),
    ],
)
def test_what_would_be_ignored_is_an_error(arguments: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=f"^{re.escape(message)}"):
        link(*arguments)


@pytest.mark.usefixtures("home_with_mini")
@pytest.mark.parametrize("top", [0, -1, 2.5, "3", True])
def test_ranks_to_keep_from_python(top: Any) -> None:
    with pytest.raises(UsageError, match="a whole number from 1 on"):
        linkassay.link("exact", "mini", top=top)


@pytest.mark.usefixtures("home_with_mini")
def test_abbreviations_of_other_documents_are_worth_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "pairs.json"
    trained = next(iter(linkassay.corpus("mini")["train"])).id
    for name, said in (("nobody", True), (trained, False)):
        file.write_text(json.dumps({name: {"CF": "cystic fibrosis"}}))
        heard = link("exact", "mini", "--abbreviations", file).stderr
        assert heard.startswith(f"warning: mini: --abbreviations {file} has none of any of its documents;") is said
    assert heard == ""
    assert link("exact", "mini", "--abbreviations", "schwartz-hearst").stderr == ""


@pytest.mark.usefixtures("home_with_mini")
def test_train_is_short_for_train_on() -> None:
    whole, short = (
        json.loads(link("genes", "mini", flag, "none", "--json").stdout) for flag in ("--train-on", "--train")
    )
    assert (short["path"], short["fresh"], short["trained_on"]) == (whole["path"], False, [])
