"""The memory of a command is that of all its processes, and none of the process that started it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from bench import child

_FAMILY = """
import subprocess, sys, time
held = "x = bytearray(150_000_000); print(1, flush=True); input()"
pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
others = [subprocess.Popen([sys.executable, "-c", held], **pipes) for _ in range(2)]
print([each.stdout.readline() for each in others])
time.sleep(1)
print([each.communicate(b"ends") for each in others])
"""


def taken(tmp_path: Path, *command: str) -> tuple[int, dict[str, float]]:
    out = tmp_path / "taken.json"
    done = subprocess.run([sys.executable, child.__file__, str(out), *command], check=False, capture_output=True)
    return done.returncode, json.loads(out.read_text())


def test_processes_are_added_up(tmp_path: Path) -> None:
    code, found = taken(tmp_path, sys.executable, "-c", _FAMILY)
    assert code == 0
    assert 280 < found["memory"] < 450


def test_a_small_command_of_a_large_process_is_small(tmp_path: Path) -> None:
    large = bytearray(b"x") * 300_000_000
    code, found = taken(tmp_path, sys.executable, "-c", "raise SystemExit(7)")
    assert (code, len(large)) == (7, 300_000_000)
    assert found["memory"] < 60
    assert found["cpu"] <= found["wall"] + 0.5
