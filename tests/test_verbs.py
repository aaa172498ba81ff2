"""The verbs in Python do what those of the command line do."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.testing import CliRunner

import linkassay
from linkassay.cli import app
from linkassay.errors import UsageError
from linkassay.scoring.disambiguation import Score
from linkassay.scoring.results import Result


def said(*arguments: str) -> object:
    return json.loads(CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False).stdout)


def test_the_version_is_looked_up_when_it_is_asked_for() -> None:
    assert linkassay.__version__ == version("linkassay")
    with pytest.raises(AttributeError, match="module 'linkassay' has no attribute 'versoin'"):
        linkassay.versoin  # type: ignore[attr-defined]  # noqa: B018
    code = "import sys, linkassay; print('importlib.metadata' in sys.modules, linkassay.__version__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split()[1] == version("linkassay")


def test_check_and_info_are_as_on_the_command_line(home: Path, tmp_path: Path) -> None:
    assert linkassay.check("mini")["ok"]
    assert linkassay.check("mini") == said("check", "mini")
    assert json.loads(json.dumps(linkassay.info("mini", kb="mini"))) == said("info", "mini", "--kb", "mini")
    file = tmp_path / "my.txt"
    file.write_text("1|t|BRCA1 again.\n1|a|\n1\t0\t4\tBRCA1\tGene\t672\n", encoding="utf-8")
    found = linkassay.check(file)
    assert not found["ok"]
    assert found == said("check", str(file))
    with pytest.raises(UsageError, match="against its corpus"):
        linkassay.check(file, format="predictions")
    with pytest.raises(UsageError, match="nothing to check"):
        linkassay.check([])
    with pytest.raises(UsageError, match="neither a corpus nor a knowledge base"):
        linkassay.info("nothing")


def test_predictions_are_imported_as_on_the_command_line(home: Path, tmp_path: Path) -> None:
    document = next(iter(linkassay.corpus("mini")["test"]))
    rows = [{"document": document.id, "mention": m.id, "candidates": sorted(m.ids)} for m in document.mentions]
    file = tmp_path / "mine.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    run = linkassay.import_predictions("native", file, corpus="mini", system="mine", types=())
    assert run.about["import"]["joined"] == len(rows)
    again = said("import", "native", str(file), "--corpus", "mini", "--system", "mine")
    assert isinstance(again, dict)
    assert not again["fresh"]
    with pytest.raises(UsageError, match="unknown option 'skipbad'; did you mean 'skip_bad'"):
        linkassay.import_predictions("native", [file], corpus="mini", system="mine", skipbad=True)


def test_one_run_gives_a_score_and_several_a_result(home: Path) -> None:
    runs = [linkassay.link(name, "mini") for name in ("exact", "normalised")]
    one = linkassay.score(runs[0], "recall@1", by=["type"])
    both = linkassay.score([runs[0], "mini/normalised"], "recall@1", by=["type"])
    assert isinstance(one, Score)
    assert isinstance(both, Result)
    assert len(both.scores) == 2
    assert [row["value"] for row in both.rows()][: len(one.rows())] == [row["value"] for row in one.rows()]
    assert said("score", "mini/exact", "mini/normalised", "--measures", "recall@1", "--by", "type") == {
        "rows": list(both.rows())
    }
