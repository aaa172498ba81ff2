"""`bench`: one TOML file of corpora × linkers × measures (docs/bench.md).

`plan_file` reads it into a `plan`, `plan_checks` refuses what cannot be meant, `trust` what its user has
not agreed to, `runner` does what is asked for, and
`summary_table` makes one table of the outcome.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import front_door

if TYPE_CHECKING:
    from linkassay.bench_files.plan import chosen_cells
    from linkassay.bench_files.plan_file import read_plan
    from linkassay.bench_files.runner import BenchOutcome, plan_states, run_plan
    from linkassay.bench_files.summary_table import summary_page
    from linkassay.bench_files.trust import require_trust

__all__ = ["BenchOutcome", "chosen_cells", "plan_states", "read_plan", "require_trust", "run_plan", "summary_page"]

__getattr__, __dir__ = front_door(__name__)
