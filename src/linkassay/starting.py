"""The first thing that the program does: Ctrl-C while it is still being loaded ends it with one line, too (SAFE-10).

It imports nothing that Python has not loaded by then, so that nothing comes before it.
"""

import _signal  # type: ignore[import-not-found]  # `signal` would load ten modules
import os
import sys

__all__ = ["guard"]


def guard() -> None:
    """From here on Ctrl-C is heeded, if this process is our program: whoever imports the package sees to it himself."""
    name = os.path.basename((getattr(sys, "argv", None) or [""])[0])
    ours = name in ("linkassay", "linkassay.exe", "-m")  # the last while Python looks for what `-m` names
    if ours and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _leave)


def _leave(number: int, _: object) -> None:
    """Nothing is begun yet, so nothing is left."""
    os.write(2, b"stopped (Ctrl-C)\n")
    os._exit(128 + number)


guard()
