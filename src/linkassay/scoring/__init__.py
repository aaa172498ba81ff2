"""Scoring: what counts as right, and how sure one can be of it.

`disambiguation` scores given mentions, `endtoend` predicted spans, `hierarchy` how wrong wrong is; `statistics` says
how sure a figure is, `results` keeps all figures of some runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import front_door

if TYPE_CHECKING:
    from linkassay.scoring.disambiguation.measures import AVERAGES
    from linkassay.scoring.figure import Figure, Keep, same_figures

__all__ = ["AVERAGES", "Figure", "Keep", "same_figures"]

__getattr__, __dir__ = front_door(__name__)
