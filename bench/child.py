"""Runs one command and writes what it took, as JSON: `python child.py FILE COMMAND…`.

It is a small process of its own: the peak memory of a process is no less than that of the one that started it.
"""

import contextlib
import json
import os
import sys
import threading
import time

#: Seconds between two looks at the memory of all processes.
EVERY = 0.1


def family(pid: int) -> list[int]:
    """A process and all that it started and they did."""
    found = [pid]
    for each in found:
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{each}/task"):
                with open(f"/proc/{each}/task/{task}/children", encoding="ascii") as file:
                    found += map(int, file.read().split())
    return found


def together(pids: list[int]) -> int:
    """Kilobytes of some processes; what they share counts once (PSS)."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError), open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
            total += sum(int(line.split()[1]) for line in file if line.startswith("Pss:"))
    return total


def main() -> int:
    """Run, watch, write; answers what the command answered."""
    out, *command = sys.argv[1:]
    begin, over, peak = time.perf_counter(), threading.Event(), [0]
    pid = os.posix_spawnp(command[0], command, os.environ)

    def watch() -> None:
        while not over.wait(EVERY):
            if len(pids := family(pid)) > 1:
                peak[0] = max(peak[0], together(pids))

    watcher = threading.Thread(target=watch)
    watcher.start()
    _, status, used = os.wait4(pid, 0)
    wall = time.perf_counter() - begin
    over.set()
    watcher.join()
    taken = {"cpu": used.ru_utime + used.ru_stime, "wall": wall, "memory": max(used.ru_maxrss, peak[0]) / 1024}
    with open(out, "w", encoding="ascii") as file:
        json.dump(taken, file)
    return os.waitstatus_to_exitcode(status) & 255


if __name__ == "__main__":
    sys.exit(main())
