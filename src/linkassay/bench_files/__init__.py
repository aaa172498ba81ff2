"""`bench`: one TOML file (docs/bench.md). `plan` reads it, `perform` does it, `summary` makes a table of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import front_door

if TYPE_CHECKING:
    from linkassay.bench_files.plan import chosen_cells, read_plan
    from linkassay.bench_files.runner import BenchOutcome, plan_states, run_plan
    from linkassay.bench_files.summary_table import summary_page

__all__ = ["BenchOutcome", "chosen_cells", "plan_states", "read_plan", "run_plan", "summary_page"]

__getattr__, __dir__ = front_door(__name__)
