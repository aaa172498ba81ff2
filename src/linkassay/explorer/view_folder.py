"""View folders: what can be looked at of some runs of one corpus, made once and kept in the data home."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from linkassay import store
from linkassay.errors import UsageError
from linkassay.explorer.exploration import Exploration, Progress, silent
from linkassay.explorer.view import View
from linkassay.explorer.view_files import FORMAT, write_view
from linkassay.runs import Run
from linkassay.scoring.disambiguation import score_run
from linkassay.scoring.results import cohorts

_RECORDED = "view.json"


def view_fingerprint(runs: Sequence[Run]) -> str:
    """Twelve digits that stand for what a view of these runs holds, whatever their order."""
    mine = {run.key: run for run in runs}
    return store.fingerprint({
        "format": FORMAT, "linkassay": version("linkassay"),
        "runs": [[key, run.corpus, run.split, run.about["corpus_revision"], run.kb, _predictions(run)]
                 for key, run in sorted(mine.items())],
    })  # fmt: skip


def _predictions(run: Run) -> list[Any]:
    """What tells the predictions of a run from others: what was recorded of the file, and how large it is."""
    name = "predictions.parquet"
    return [run.about.get("files", {}).get(name, {}).get("sha256", ""), (run.path / name).stat().st_size]


def build_view(runs: Sequence[Run], progress: Progress | None = None, *, folder: Path | None = None) -> Path:
    """The folder of the view of these runs of one corpus, made if it is not there yet.

    It lies in `views/<fingerprint>/` of the data home, or in `<folder>/<fingerprint>/`.
    """
    target = _target(runs, folder)
    if (target / _RECORDED).exists():
        return target
    told, runs = progress or silent, list({run.key: run for run in runs}.values())
    steps = len(runs) + 4
    scores = []
    for at, run in enumerate(runs):
        told(at, steps, f"scoring {run.name}")
        scores.append(score_run(run))
    told(len(runs), steps, "comparing systems")
    (cohort,) = cohorts(scores)
    found = Exploration(cohort)
    told(len(runs) + 1, steps, "judging mentions")
    assert found.columns.combinations
    told(len(runs) + 2, steps, "judging cases end to end")
    assert found.cases is not None
    told(len(runs) + 3, steps, "storing the view")
    with store.new_folder(target, lasting=False) as temporary:
        write_view(temporary, found)
        told(steps, steps, "done")
    return target


def open_view(runs: Sequence[Run], connection: Any = None, *, folder: Path | None = None) -> View | None:
    """The view of these runs, or None if it has not been built. This is cheap: nothing is scored."""
    target = _target(runs, folder)
    return View(target, runs, connection) if (target / _RECORDED).exists() else None


def _target(runs: Sequence[Run], folder: Path | None) -> Path:
    if not runs:
        raise UsageError("nothing to look at: name at least one run")
    about = {(run.corpus, run.about["corpus_revision"], run.split) for run in runs}
    if len(about) > 1:
        names = ", ".join(sorted(f"{corpus}@{revision} {split}" for corpus, revision, split in about))
        raise UsageError(f"these runs are not of one corpus, revision and split: {names}")
    return (folder or store.home() / "views") / view_fingerprint(runs)
