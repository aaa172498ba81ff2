"""The verb `compare`: pairs of runs, tests, what was fixed and broken."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import linkassay
from linkassay.cli import app, main


@pytest.fixture
def home(mini: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LINKASSAY_HOME", str(mini))
    return mini


def said(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_compare(home: Path) -> None:
    found = json.loads(said("compare", "mini/exact", "mini/tfidf", "--json", "--resamples", "200"))
    assert [row["system"] for row in found["systems"]] == ["exact", "tfidf"]
    [pair] = found["pairs"]
    whole = {run: linkassay.score(f"mini/{run}", "recall@1").rows()[0]["value"] for run in ("exact", "tfidf")}
    assert pair["difference"] == pytest.approx(whole["tfidf"] - whole["exact"])
    shown = said("compare", "mini/exact", "mini/tfidf", "--resamples", "200", "--protocol", "belb/lenient")
    assert "recall(protocol=belb/lenient)@1, 334 mentions" in shown
    assert "exact → tfidf, fixed: " in shown
    assert said("compare", "mini/exact", "mini/tfidf", "--resamples", "200", "--format", "tsv").startswith(
        "system\trun\tvalue"
    )
    effect = ("compare", "mini/exact", "mini/tfidf", "--abbreviation-effect", "--json", "--protocol", "belb/lenient")
    assert json.loads(said(*effect))["rows"][0]["measure"] == "recall(protocol=belb/lenient)@1"


def test_no_examples_are_not_said_to_be_none(home: Path) -> None:
    runs = ("compare", "mini/exact", "mini/tfidf", "--resamples", "100")
    assert "exact → tfidf, fixed: '" in said(*runs)
    assert "fixed" not in said(*runs, "--examples", "0")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare", "mini/exact"], "compare needs two runs or more"),
        (
            ["compare", "mini/exact", "mini/tfidf", "--measure", "recall@1,mrr"],
            "--measure recall@1,mrr: runs are compared",
        ),
        (
            ["compare", "mini/exact", "mini/tfidf", "mini/exact", "--abbreviation-effect"],
            "--abbreviation-effect takes pairs",
        ),
    ],
)
def test_bad_requests_exit_2_with_a_message(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.setattr("sys.argv", ["linkassay", *arguments])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith(f"error: {message}")
    assert "Traceback" not in said
