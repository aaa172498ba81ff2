"""Commands on disks that are full or read-only: what fails is what the system refuses, nothing is made to fail here."""

from __future__ import annotations

import os
import resource
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = [sys.executable, "-m", "linkassay"]


def run(
    arguments: list[str], home: Path, *, folder: Path, largest: int | None = None, read_only: Path | None = None,
    program: list[str] | None = None, **environment: str,
) -> subprocess.CompletedProcess[str]:  # fmt: skip
    """Run a command; no file it writes is larger than `largest` bytes, and nothing is written in `read_only`.

    A file that reaches the limit fails as on a full disk, but for the number of the error. A read-only disk needs a
    system that lets us mount; elsewhere the test is skipped.
    """
    command = [*(program or PROGRAM), *arguments]
    if read_only is not None:
        command = ["unshare", *_mounting(), "sh", "-c", _read_only(read_only, command)]

    def limit() -> None:
        if largest is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))

    own = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "LINKASSAY_HOME": str(home)} | environment
    return subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True, timeout=120, preexec_fn=limit)


def tiny_disk(command: list[str], disk: Path, size: str, *, folder: Path, home: Path) -> tuple[int, str, list[str]]:
    """Run a command with a disk of so many bytes at `disk`: its exit status, what it said, and what is left there."""
    words = f"mount -t tmpfs -o size={size} none {shlex.quote(str(disk))} || exit 99; {shlex.join(command)}; code=$?"
    script = f"{words}; echo; echo LEFT; find {shlex.quote(str(disk))} -mindepth 1; exit $code"
    own = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "LINKASSAY_HOME": str(home)}
    done = subprocess.run(["unshare", *_mounting(), "sh", "-c", script], cwd=folder, env=own, capture_output=True,
                          text=True, timeout=120)  # fmt: skip
    return done.returncode, done.stderr, done.stdout.rpartition("LEFT\n")[2].split()


def _read_only(path: Path, command: list[str]) -> str:
    place = shlex.quote(str(path))
    return f"mount --bind {place} {place} && mount -o remount,ro,bind {place} && exec {shlex.join(command)}"


def _mounting() -> list[str]:
    """How a process gets disks of its own."""
    for options in (["-m"], ["-r", "-m"]):
        try:
            done = subprocess.run(["unshare", *options, "mount", "-t", "tmpfs", "none", "/tmp"], capture_output=True)
        except OSError:
            break
        if not done.returncode:
            return options
    pytest.skip("nothing can be mounted here")
