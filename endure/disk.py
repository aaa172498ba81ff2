"""Disks that are full, files that may not grow, homes that cannot be written: nothing is lost, and it goes on later."""

from __future__ import annotations

import ctypes
import os
import resource
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random

from endure import commands, verbs
from endure.cases import Result, drawn, spread

PROMISE = (
    "On a full disk, under a limit of file sizes and in a home that cannot be written a command ends in an error of "
    "ours; nothing that was stored is changed, and the same command ends well when there is room."
)
COUNT, UNIT = 150, "commands on a full disk, under a limit of file sizes, or in a home that cannot be written"
LANES = 2

#: What reads a home that cannot be written, and is done all the same.
READERS: dict[str, tuple[str, ...]] = {
    "ls": ("ls", "runs"),
    "info": ("info", "mini"),
    "check": ("check", "mini"),
    "score": ("score", "mini/exact", "--json"),
    "compare": ("compare", "mini/exact", "mini/normalised"),
    "report": ("report", "mini/exact", "-o", "{out}/report.html"),
    "ground": ("ground", "DM", "--kb", "mini", "--linker", "exact"),
    "ground-unprepared": ("ground", "DM", "--kb", "mini", "--linker", "tfidf"),
}
_NEWNS = 0x20000


@cache
def can_mount() -> bool:
    """Whether this process may mount file systems in a name space of its own."""
    return os.geteuid() == 0 and subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0


def cases(count: int, seed: int) -> list[str]:
    """Each verb with each trouble in turn; where nothing can be mounted, only under a limit of file sizes."""
    kinds = [f"limit-{verb}" for verb in verbs.VERBS]
    if can_mount():
        kinds = [f"{what}-{verb}" for verb in verbs.VERBS for what in ("full", "limit")]
        kinds += [f"locked-{verb}" for verb in (*verbs.VERBS, *(f"read-{reader}" for reader in READERS))]
    drawn(seed, "order").shuffle(kinds)
    return spread(kinds, count)


def prepare(cases: Sequence[str], folder: Path) -> None:
    """The verbs undisturbed."""
    told = [case.partition("/")[0].partition("-")[2] for case in cases]
    verbs.prepare([verb for verb in told if verb in verbs.VERBS], folder)


def attempt(case: str, seed: int, folder: Path) -> Result:
    """Run a verb in trouble, look at what it left, and run it again without."""
    kind, _, verb = case.partition("/")[0].partition("-")
    random, result = drawn(seed, case), Result()
    trouble = {"full": _full, "limit": _limited, "locked": _locked}[kind]
    wrong = trouble(verb, folder, random, result)
    result.tried[{"full": "full disk", "limit": "file sizes", "locked": "read-only home"}[kind]] += 1
    if wrong:
        result.failed(case, wrong)
    return result


_MESSAGE = 500  # bytes that an error needs in the file where it is kept


def _limited(verb: str, folder: Path, random: Random, result: Result) -> str:
    """No file grows beyond a size that at least one of its files has."""
    whole = verbs.undisturbed(verb, folder)
    place = verbs.fresh(verb, folder, f"disk-{os.getpid()}")
    before = verbs.files_of(place)
    new = [size for name, size in whole.sizes.items() if before.get(name) != whole.files.get(name)]
    largest = max(new or whole.sizes.values())
    most = random.randint(min(_MESSAGE, largest), largest)

    def work() -> int:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
        return commands.command(verbs.filled(verbs.VERBS[verb], place, folder), place)()

    ended = commands.Running(work, place).wait()
    said = _after(verb, ended, place, folder, result)
    shutil.rmtree(place)
    return f"files of {most} bytes at most: {said}" if said else ""


def _full(verb: str, folder: Path, random: Random, result: Result) -> str:
    """A disk with room for some of what the verb writes."""
    before, after = (folder / "start" if verb not in verbs.FROM_NOTHING else None), folder / f"whole-{verb}"
    least = _room(before) if before else 16
    room = least + random.randint(0, max(4, _room(after) - least))
    place = folder / f"disk-{os.getpid()}"
    with _mounted(place, room):
        verbs.fresh_in(verb, folder, place)
        ended = commands.Running(
            commands.command(verbs.filled(verbs.VERBS[verb], place, folder), place), folder, f"said-{os.getpid()}"
        ).wait()
        subprocess.run(["mount", "-o", f"remount,size={room + 200_000}k", str(place)], check=True)
        said = _after(verb, ended, place, folder, result)
    return f"a disk of {room} kB: {said}" if said else ""


def _after(verb: str, ended: commands.Ended, place: Path, folder: Path, result: Result) -> str:
    """What is wrong with an end in trouble, with what it left, or with the same command afterwards."""
    result.used(ended.seconds, ended.memory)
    if wrong := ended.wrong((0, 1, 2)):
        return wrong
    result.notes["done all the same" if ended.code == 0 else "refused"] += 1
    whole = verbs.undisturbed(verb, folder)
    if ended.code == 0:
        found, expected = verbs.without_counted(verbs.files_of(place)), verbs.without_counted(whole.files)
        wrong = verbs.differences(found, expected)
        return f"said to be done: {wrong}" if wrong else ""
    again = commands.run(verbs.filled(verbs.VERBS[verb], place, folder), place)
    if wrong := again.wrong((0,)) or verbs.differences(verbs.files_of(place), whole.files):
        return f"{ended.err.strip()[-200:]}; then with room: {wrong}"
    return ""


def _locked(verb: str, folder: Path, random: Random, result: Result) -> str:
    """A home that can be read and not written."""
    reader = READERS[verb.removeprefix("read-")] if verb.startswith("read-") else None
    place = verbs.fresh("link" if reader else verb, folder, f"disk-{os.getpid()}")
    before = verbs.files_of(place)
    with _read_only(place / "home"):
        ended = commands.run(verbs.filled(reader or verbs.VERBS[verb], place, folder), place)
    result.used(ended.seconds, ended.memory)
    after = verbs.files_of(place)
    shutil.rmtree(place)
    if wrong := ended.wrong((0,) if reader else (0, 1, 2)):
        return wrong
    if changed := verbs.differences({n: d for n, d in after.items() if n.startswith("home/")},
                                    {n: d for n, d in before.items() if n.startswith("home/")}):  # fmt: skip
        return f"the home was changed: {changed}"
    return ""


def _room(folder: Path) -> int:
    """Kilobytes that a folder takes on a disk of pages."""
    return sum(4 + -(-path.stat().st_size // 4096) * 4 for path in folder.rglob("*"))


@contextmanager
def _mounted(place: Path, kilobytes: int) -> Iterator[None]:
    _own_mounts()
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "endure", str(place)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)
        place.rmdir()


@contextmanager
def _read_only(home: Path) -> Iterator[None]:
    _own_mounts()
    subprocess.run(["mount", "--bind", str(home), str(home)], check=True)
    subprocess.run(["mount", "-o", "remount,ro,bind", str(home)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(home)], check=True)


@cache
def _own_mounts() -> None:
    """What this process mounts is seen by no other, and ends with it."""
    if ctypes.CDLL(None, use_errno=True).unshare(_NEWNS):
        raise OSError(ctypes.get_errno(), "no name space for mounts")
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
