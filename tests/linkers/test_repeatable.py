"""Contract of every built-in linker: the same predictions, to the last byte, in every process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.linkers.neural.models import tiny_model

#: Outside systems are as repeatable as they are.
PROGRAM = """
import hashlib
import os
import linkassay
from linkassay.linkers import LINKERS

for name in LINKERS:
    if name not in ("command", "http"):
        made_with = {"model": os.environ["MODEL"]} if LINKERS.load(name).capabilities.wants_model else {}
        run = linkassay.link(name, "mini", **made_with)
        print(name, hashlib.sha256((run.path / "predictions.parquet").read_bytes()).hexdigest())
"""


def test_the_same_predictions_whatever_the_order_of_sets(tmp_path: Path) -> None:
    """Python goes through a set of texts in another order in each process; nothing of that may be seen."""
    model = tiny_model(tmp_path / "model")
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True,
            env=os.environ | {"PYTHONHASHSEED": str(seed), "LINKASSAY_HOME": str(tmp_path / str(seed)),
                              "MODEL": str(model), "OMP_NUM_THREADS": "1"},
        )
        for seed in (1, 2)
    ]  # fmt: skip
    said = [process.communicate(timeout=600)[0].splitlines() for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert len(said[0]) >= 10
    assert said[0] == said[1]
