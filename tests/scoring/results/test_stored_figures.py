"""What is kept beside a run is what `score --json` says of it, and what does not belong to it counts as not there."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import linkassay
from linkassay import store
from linkassay.cli import app
from linkassay.runs import Run
from linkassay.scoring.results import kept_figures, stored_figures, with_figures

pytestmark = pytest.mark.usefixtures("home_with_mini")


def said(*arguments: str) -> dict[str, Any]:
    done = CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False)
    assert done.exit_code == 0
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def kept(run: Run) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((run.path / "figures.json").read_text(encoding="utf-8"))
    return found


def test_given_mentions() -> None:
    run = linkassay.link("exact", "mini")
    found = kept(run)
    told = said("score", "mini/exact")
    assert found["task"] == "given"
    assert {key: found[key] for key in told} == told
    assert found["basis"]["predictions"] == run.about["files"]["predictions.parquet"]


def test_found_mentions_are_scored_end_to_end() -> None:
    run = linkassay.link("spotter", "mini", give="text")
    found = kept(run)
    told = said("score", "mini/spotter", "--task", "end-to-end")
    assert found["task"] == "found"
    assert len(found["rows"]) == 2
    same = ("preset", "spans", "rows", "notes", "warnings")
    assert {key: found[key] for key in same} == {key: told[key] for key in same}


def test_a_run_that_has_seen_what_it_linked_says_so() -> None:
    run = linkassay.link("genes", "mini", split="dev", train_on="mini:dev", allow_leak=True)
    assert run.leak
    found, told = kept(run), said("score", str(run.path))
    assert {key: found[key] for key in told} == told
    assert "trained on" in json.dumps(found["notes"])


def test_every_verb_that_makes_a_run_keeps_them(tmp_path: Path) -> None:
    linkassay.link("exact", "mini")
    [exact] = (Path(os.environ["LINKASSAY_HOME"]) / "runs" / "mini").iterdir()
    imported = linkassay.import_predictions("native", exact / "predictions.parquet", corpus="mini", system="again")
    runs = [imported.path, Path(said("link", "normalised", "mini")["path"])]
    file = str(exact / "predictions.parquet")
    runs.append(Path(said("import", "native", file, "--corpus", "mini", "--system", "third")["path"]))
    plan = tmp_path / "bench.toml"
    linked = '[[corpora]]\nname = "mini"\n[[linkers]]\nlinker = "exact"\ntop = 3\n'
    imported_too = f'[[imports]]\nformat = "native"\nfiles = ["{file}"]\nsystem = "fourth"\ncorpus = "mini"\n'
    plan.write_text(linked + imported_too, encoding="utf-8")
    outcome = linkassay.bench(plan, out=tmp_path / "page.html")
    assert {cell["state"] for cell in outcome.cells} == {"done"}
    runs += [score.run.path for score in outcome.scores]  # type: ignore[union-attr]
    assert len({*runs}) == 5
    assert all((path / "figures.json").exists() for path in runs)


def test_they_are_no_part_of_the_run() -> None:
    """Nor does a run that is there already do without them, as after a kill between the two."""
    run = linkassay.link("exact", "mini")
    before = (run.path / "run.json").read_bytes()
    whole = (run.path / "figures.json").read_bytes()
    (run.path / "figures.json").unlink()
    again = linkassay.link("exact", "mini")
    assert again.path == run.path
    assert (run.path / "run.json").read_bytes() == before
    assert (run.path / "figures.json").read_bytes() == whole
    assert linkassay.check("mini")["ok"]


@pytest.mark.parametrize("spoilt", ["predictions", "version", "damaged", "rows", "nothing"])
def test_what_is_of_something_else_counts_as_not_there(spoilt: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run = linkassay.link("exact", "mini")
    path = run.path / "figures.json"
    assert kept_figures(path, run.about) == kept(run)
    about = dict(run.about)
    if spoilt == "predictions":
        about["files"] = {"predictions.parquet": about["files"]["predictions.parquet"] | {"sha256": "0" * 64}}
    elif spoilt == "version":
        monkeypatch.setattr(stored_figures, "version", lambda _: "99")
    elif spoilt == "damaged":
        path.write_text(path.read_text(encoding="utf-8")[:-20], encoding="utf-8")
    elif spoilt == "rows":
        path.write_text(json.dumps(kept(run) | {"rows": ["x"]}), encoding="utf-8")
    else:
        path.unlink()
    assert kept_figures(path, about) is None
    if spoilt in ("damaged", "nothing"):
        with_figures((run, False))
        assert kept_figures(path, about) == kept(run)


def test_a_run_is_as_good_without_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is full, or an error of scoring, is no error of linking."""

    def full(path: Path, text: str) -> None:
        raise OSError(28, "No space left on device", str(path))

    with monkeypatch.context() as patch:
        patch.setattr(store, "write_text", full)
        run = linkassay.link("exact", "mini")
    assert not (run.path / "figures.json").exists()

    def broken(run: Run) -> dict[str, Any]:
        raise ZeroDivisionError(run)

    with monkeypatch.context() as patch:
        patch.setattr(stored_figures, "default_figures", broken)
        assert linkassay.link("normalised", "mini").about["mentions"] == 343
