"""What the process of a job does: `python -m linkassay.serving.child PARENT score …`, or `… PARENT FUNCTION JSON`.

It ends when the server does, leaves the processor to others where they need it, and is the first to go when memory is
short. An error of ours is a line and exit code 2, as on the command line.
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import signal
import sys
from contextlib import suppress

from linkassay import stopping
from linkassay.errors import LinkassayError


def _be_modest(parent: int) -> None:
    with suppress(OSError, AttributeError):
        os.nice(5)
    with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("800")
    with suppress(OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if os.name == "posix" and os.getppid() != parent:
        os._exit(1)


def main(parent: str, what: str, *arguments: str) -> None:
    """Do the work."""
    _be_modest(int(parent))
    if what == "score":
        sys.argv = ["linkassay", what, *arguments]
        runpy.run_module("linkassay", run_name="__main__", alter_sys=True)
        return
    module, _, name = what.partition(":")
    with stopping.heeded(0.3, quiet=True):
        try:
            getattr(importlib.import_module(module), name)(**json.loads(arguments[0]))
        except LinkassayError as error:
            print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
            sys.exit(2)


if __name__ == "__main__":
    main(*sys.argv[1:])
