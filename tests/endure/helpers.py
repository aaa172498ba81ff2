"""A small part of `make endure`, as CI runs it."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.conftest import ROOT

#: CI tries the same each time, so that what lands is not a matter of luck; elsewhere it is new each time.
SEED = 1 if os.environ.get("CI") else random.randrange(10**6)


def tried(part: str, count: int, folder: Path) -> dict[str, Any]:
    """Try so many cases of a part: none may fail."""
    kept = folder / "endure.json"
    command = [sys.executable, "-m", "endure", part, "--count", str(count), "--seed", str(SEED), "--json", str(kept)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, capture_output=True, text=True, timeout=290, cwd=ROOT, env=environment, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))[part]
    assert (found["seed"], found["failed"]) == (SEED, 0)
    return found
