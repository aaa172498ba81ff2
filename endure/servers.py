"""Hostile servers on the loopback interface, for downloads and for linkers that are services."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from endure import commands, verbs
from endure.cases import Result, drawn
from endure.hostile import BODY, GOOD, GROUPS
from endure.httpserver import Behaviour, running
from linkassay import fetch
from linkassay.errors import LinkassayError
from linkassay.fetch import Patience, download

PROMISE = (
    "Whatever a server does, a download ends in the right bytes or in an error of ours, and a linker that is a service "
    "in answers or in documents that are recorded as failed: in bounded time and memory, without half a file."
)
COUNT, UNIT = sum(map(len, GROUPS.values())), "meetings with a server that misbehaves"
#: Most of the time nothing happens.
LANES = 8

#: Seconds without an answer that are borne, bytes a second, and all that a meeting may take with its second try.
PATIENCE, LEAST_RATE, LONGEST = 2.0, 1_000, 45.0
MOST_MEMORY = 700_000_000
#: In place of the 200 GB that a download may have, so that the limit is met.
MOST_BYTES = 50_000_000


def cases(count: int, seed: int) -> list[str]:
    """Each server once, then again with another chance: `download/NAME/0`; all kinds come before any repeats."""
    names = [f"{who}/{name}" for who, group in GROUPS.items() for name in group]
    drawn(seed, "order").shuffle(names)
    return [f"{names[n % len(names)]}/{n // len(names)}" for n in range(count)]


def prepare(cases: Sequence[str], folder: Path) -> None:
    """A data home with a corpus of one document."""
    verbs.prepare([], folder)


def attempt(case: str, seed: int, folder: Path) -> Result:
    """Meet one server."""
    who, name, _ = case.split("/")
    place = folder / f"server-{os.getpid()}"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    result = Result()
    with _served(GROUPS[who][name], place) as url:
        meet = _download if who == "download" else _link
        wrong = meet(url, name, place, drawn(seed, case).random() < 0.5, folder, result)
    result.tried[f"{who}s"] += 1
    if wrong:
        result.failed(case, wrong)
    return result


@contextmanager
def _served(behaviour: Behaviour, place: Path) -> Iterator[str]:
    """The server in a process of its own, so that ours has no threads when it forks."""
    said = place / "url"

    def serve() -> int:
        with running() as site:
            site.serve("/a", behaviour)
            said.with_suffix(".new").write_text(site.url)
            said.with_suffix(".new").rename(said)
            while True:
                time.sleep(1)

    server = commands.Running(serve, place, "server")
    try:
        limit = time.monotonic() + 30
        while not said.exists():
            assert time.monotonic() < limit
            time.sleep(0.005)
        yield said.read_text() + "/a"
    finally:
        server.kill(group=True)
        server.wait()


def _download(url: str, name: str, place: Path, known: bool, folder: Path, result: Result) -> str:
    """`known`: by its checksum. What is not known by one need not be the right bytes where an answer is whole."""
    target = place / "got" / "data.bin"

    def work() -> int:
        os.environ["no_proxy"] = "*"
        fetch.MAX_SIZE = MOST_BYTES
        try:
            checksum = hashlib.sha256(BODY).hexdigest() if known else ""
            download(url, target, sha256=checksum, patience=Patience(PATIENCE, LEAST_RATE), retries=1)
        except LinkassayError as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
        return 0

    ended = commands.Running(work, place).wait(LONGEST)
    result.used(ended.seconds, ended.memory)
    if wrong := _bounded(ended):
        return wrong
    if name in GOOD and ended.code:
        return f"a server that does nothing wrong: {ended.err.strip()}"
    if (ended.code == 0) != target.exists():
        return "an error, and a file all the same" if ended.code else "no error, and no file"
    if ended.code == 0 and known and target.read_bytes() != BODY:
        return "other bytes than the checksum is of"
    if ended.code == 0 and name not in GOOD and b"<html" in target.read_bytes():
        return "a web page was taken for the file"
    return ""


def _link(url: str, name: str, place: Path, known: bool, folder: Path, result: Result) -> str:
    shutil.copytree(folder / "start" / "home", place / "home")
    arguments = ["link", "http", "mine", "--split", "train", "--kb", "mini", "--url", url, "--exchange", "jsonl",
                 "--timeout", str(PATIENCE), "--retries", "1", "--train-on", "none", "--json"]  # fmt: skip
    ended = commands.Running(commands.command(arguments, place), place).wait(LONGEST)
    result.used(ended.seconds, ended.memory)
    if wrong := _bounded(ended):
        return wrong
    if name in GOOD and ended.code:
        return f"a server that does nothing wrong: {ended.err.strip() or ended.out}"
    if name not in GOOD and ended.code == 0:
        result.notes[f"answers that were taken: {name}"] += 1
    return ""


def _bounded(ended: commands.Ended) -> str:
    if ended.hung:
        return f"did not end within {LONGEST:g} s"
    if ended.memory > MOST_MEMORY:
        return f"{ended.memory:,} bytes of memory"
    return ended.wrong((0, 1, 2))
