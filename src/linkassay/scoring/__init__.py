"""Scoring: what counts as right, and how sure one can be of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import front_door

if TYPE_CHECKING:
    from linkassay.scoring.defaults import DEFAULT_MEASURES, RESAMPLES, RESAMPLES_COMPARED
    from linkassay.scoring.figure import Figure, Keep, same_figures

__all__ = ["DEFAULT_MEASURES", "RESAMPLES", "RESAMPLES_COMPARED", "Figure", "Keep", "same_figures"]

__getattr__, __dir__ = front_door(__name__)
