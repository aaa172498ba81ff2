"""The verbs in Python do what those of the command line do."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

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
    found = said("score", "mini/exact", "mini/normalised", "--measures", "recall@1", "--by", "type")
    assert isinstance(found, dict)
    assert found["rows"] == list(both.rows())
    assert found["notes"][:2] == both.notes


def test_a_figure_has_one_interval_in_every_verb(home: Path, tmp_path: Path) -> None:
    """To the last digit in `score`, `compare`, `report`, `bench`; `evaluate` may add up mentions in another order."""
    runs = [linkassay.link(name, "mini") for name in ("exact", "tfidf")]
    names = ("value", "low", "high")

    def of(row: dict[str, Any]) -> tuple[float, ...]:
        return tuple(row[name] for name in names)

    expected = {run.system: of(linkassay.score(run, "recall@1").rows()[0]) for run in runs}
    for resamples in (100, 900):
        compared = linkassay.compare(runs, resamples=resamples).systems
        assert {row["system"]: of(row) for row in compared} == expected
    for by in ([], ["type", "zero-shot"]):
        rows = linkassay.score(runs, "recall@1,recall@5,mrr", by=by).rows()
        whole = [row for row in rows if (row["measure"], row["slice"]) == ("recall@1", "all")]
        assert {row["system"]: of(row) for row in whole} == expected
    page = Result([linkassay.score(run) for run in runs])
    figures = {s.run.system: whole["all"]["recall@1"] for c in page.cohorts for s, whole in zip(c.scores, c.figures)}
    assert {system: (f.value, f.low, f.high) for system, f in figures.items()} == expected
    plan = 'title = "one"\n[score]\nmeasures = ["recall@1", "recall@3"]\n[[corpora]]\nname = "mini"\n'
    plan += "".join(f'[[linkers]]\nlinker = "{system}"\n' for system in expected)
    (tmp_path / "plan.toml").write_text(plan, encoding="utf-8")
    benched = [row for row in linkassay.bench(tmp_path / "plan.toml").rows() if row["measure"] == "recall@1"]
    assert {row["system"]: of(row) for row in benched} == expected
    gold = [{"mention": m.id, "document": m.document, "ids": [list(ids) for ids in m.gold]}
            for document in linkassay.corpus("mini")["test"] for m in document.mentions]  # fmt: skip
    for run in runs:
        (row,) = linkassay.evaluate(gold, run.path / "predictions.parquet", "recall@1", kb="mini").rows()
        assert of(row) == pytest.approx(expected[run.system], rel=1e-12)
