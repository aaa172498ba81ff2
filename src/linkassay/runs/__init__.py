"""Runs: what is asked of a linker, how it is run over a corpus, and what is stored of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import front_door

if TYPE_CHECKING:
    from linkassay.runs.execute import all_failed, find_run, link
    from linkassay.runs.given_run import GivenRun
    from linkassay.runs.identity import RunIdentity
    from linkassay.runs.model_training import TrainRequest, train_model
    from linkassay.runs.preparing import all_prepared, prepare, prepare_linker, prepared_rows
    from linkassay.runs.ready_linker import ReadyLinker
    from linkassay.runs.request import GIVEN, LinkRequest
    from linkassay.runs.stored_run import (
        LEAK,
        Facts,
        Run,
        all_runs,
        facts_of,
        labels,
        labels_by_facts,
        parameter_text,
    )

__all__ = [
    "GIVEN",
    "LEAK",
    "Facts",
    "GivenRun",
    "LinkRequest",
    "ReadyLinker",
    "Run",
    "RunIdentity",
    "TrainRequest",
    "all_failed",
    "all_prepared",
    "all_runs",
    "facts_of",
    "find_run",
    "labels",
    "labels_by_facts",
    "link",
    "parameter_text",
    "prepare",
    "prepare_linker",
    "prepared_rows",
    "train_model",
]

__getattr__, __dir__ = front_door(__name__)
