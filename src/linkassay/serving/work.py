"""What processes of jobs do: a view of some runs, the report of them, the default figures of one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from linkassay import store
from linkassay.progress import told
from linkassay.runs import Run


def make_view(runs: Sequence[str], folder: str) -> None:
    """Build the view of these runs in a folder."""
    from linkassay.explorer import build_view

    tell = told()
    build_view([Run(Path(path)) for path in runs], lambda done, of, what: tell(what, done, of), folder=Path(folder))


def make_report(runs: Sequence[str], target: str) -> None:
    """Write the data of the report of these runs, without their mentions, as JSON."""
    from linkassay.defaults import DEFAULT_MEASURES
    from linkassay.pages import gather_page
    from linkassay.scoring.disambiguation import score_run
    from linkassay.scoring.results import Result

    tell, result = told(), Result()
    for at, path in enumerate(runs):
        run = Run(Path(path))
        tell(f"scoring {run.name}", at, len(runs) + 1)
        result.add(score_run(run, DEFAULT_MEASURES))
    tell("the report", len(runs), len(runs) + 1)
    data = gather_page(result)
    data["corpora"] = [{key: value for key, value in each.items() if key != "mentions"} for each in data["corpora"]]
    store.write_text(Path(target), json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")))


def make_default_figures(run: str, target: str) -> None:
    """Compute what is kept beside new runs, for one that has none."""
    from linkassay.scoring.results import default_figures, figures_text

    store.write_text(Path(target), figures_text(default_figures(Run(Path(run)))))
