"""How sure a figure is: intervals over documents, tests, agreement between systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import front_door

if TYPE_CHECKING:
    from linkassay.scoring.statistics.agreement import cohen_kappa
    from linkassay.scoring.statistics.bootstrap import drawn_differences
    from linkassay.scoring.statistics.intervals import differences, ratios
    from linkassay.scoring.statistics.significance import ALPHA, holm, mcnemar

__all__ = ["ALPHA", "cohen_kappa", "differences", "drawn_differences", "holm", "mcnemar", "ratios"]

__getattr__, __dir__ = front_door(__name__)
