"""Figures kept beside a run, `figures.json`: what `linkassay score RUN --json` says where nothing else is asked for.

A run that finds mentions itself is scored end to end. The file names the predictions and the version that its figures
were computed from and by: where either is another one, it counts as not there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from linkassay import store
from linkassay.cautions import result_cautions
from linkassay.runs import Run, labels
from linkassay.scoring.figure import Figure
from linkassay.scoring.results.json_rows import leak_notes, wide_row

#: Where the figures of a run are, in its folder.
FIGURES = "figures.json"


def basis_of(about: Mapping[str, Any]) -> dict[str, Any]:
    """What figures of a run are computed from and by, as far as its `run.json` tells."""
    recorded = about.get("files") or {}
    return {"linkassay": version("linkassay"), "predictions": recorded.get("predictions.parquet"),
            "corpus": f"{about.get('corpus')}@{about.get('corpus_revision')}"}  # fmt: skip


def default_figures(run: Run) -> dict[str, Any]:
    """The figures of a run, its `task`, and the `basis` that they stand on."""
    from linkassay.scoring.results.found_mentions import finds_mentions

    found = finds_mentions(run)
    answer = _found(run) if found else _given(run)
    return {"basis": basis_of(run.about), "task": "found" if found else "given", **answer}


def _given(run: Run) -> dict[str, Any]:
    from linkassay.defaults import DEFAULT_MEASURES
    from linkassay.scoring.disambiguation.run_score import score_run
    from linkassay.scoring.results.result import Result

    score = score_run(run, DEFAULT_MEASURES)
    rows = [figure.row() for figure in Result([score]).asked()]
    return {"rows": rows, "notes": [*score.notes, *leak_notes([run])],
            "warnings": [caution.as_dict() for caution in result_cautions([run])]}  # fmt: skip


def _found(run: Run) -> dict[str, Any]:
    from linkassay.scoring.endtoend.figures import endtoend_figures, rows_of
    from linkassay.scoring.endtoend.presets import preset
    from linkassay.scoring.endtoend.run_score import score_runs_end_to_end
    from linkassay.scoring.results.found_mentions import FIRST

    [label] = labels([run])

    def labelled(figure: Figure) -> Figure:
        return replace(figure, about=dict(figure.about) | {"system": label})

    scores = score_runs_end_to_end([run], preset=FIRST.preset)
    rows = rows_of(endtoend_figures(scores, keep=labelled)).values()
    cautions = [c for c in result_cautions([run], end_to_end=True) if c.kind != "absent-documents"]
    return {"preset": FIRST.preset, "spans": preset(FIRST.preset).spans, "rows": [wide_row(row) for row in rows],
            "notes": [{"run": score.run.key, "note": score.note} for score in scores if score.note],
            "warnings": [caution.as_dict() for caution in cautions]}  # fmt: skip


def kept_figures(path: Path, about: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a file says of the run with this `run.json`; None where it is not there, damaged, or of something else."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        fits = found["basis"] == basis_of(about) and found["task"] in ("given", "found")
        return found if fits and all(isinstance(row, dict) for row in found["rows"]) else None
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def with_figures(made: tuple[Run, bool]) -> tuple[Run, bool]:
    """What `link` or `import_run` gave, its default figures beside it; where they cannot be had the run is as good."""
    run, _ = made
    target = run.path / FIGURES
    if os.access(run.path, os.W_OK) and kept_figures(target, run.about) is None:
        with suppress(Exception):  # figures are no part of the work: whoever asks for them later is told what is wrong
            store.write_text(target, figures_text(default_figures(run)))
    return made


def figures_text(figures: Mapping[str, Any]) -> str:
    """As they stand in a file."""
    return json.dumps(figures, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"
