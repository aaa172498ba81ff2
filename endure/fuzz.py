"""Noise for every reader: mutated samples are read, or refused with an error of ours, in bounded time and memory."""

from __future__ import annotations

import contextlib
import io
import json
import mmap
import os
import resource
import signal
import time
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq

from endure import commands
from endure.cases import Result, drawn
from endure.mutations import mutate
from endure.readers import Reader, all_readers, check_stored
from linkassay.errors import LinkassayError

PROMISE = (
    "No input makes a reader end in anything but a sound result or an error of ours: documents, corpora, predictions, "
    "answers of services, knowledge bases, descriptions in TOML, bench files, scenarios, words in context, archives."
)
COUNT, UNIT = 1_000_000, "mutated inputs"
LANES = 2

#: Inputs of one process, seconds of processor time for one input, and bytes beyond what a process has.
BLOCK, SECONDS, MEMORY = 2_000, 10.0, 1 << 30
#: Of so many inputs one is stored too, which takes much longer than reading it.
_STORED = 40


def cases(count: int, seed: int) -> list[str]:
    """Blocks of inputs, `reader/block` or `reader/block/from-to` for less than a whole one; readers in turn."""
    names = list(all_readers())
    each = -(-count // len(names))
    found = []
    for block in range(-(-each // BLOCK)):
        size = min(BLOCK, each - block * BLOCK)
        found += [f"{name}/{block}" + (f"/0-{size}" if size < BLOCK else "") for name in names]
    return found


def prepare(cases: Sequence[str], folder: Path) -> None:
    """The readers and their samples."""
    all_readers()


def attempt(case: str, seed: int, folder: Path) -> Result:
    """A block in a process of its own; after an input that ended it the rest goes on in another one."""
    name, block, *part = case.split("/")
    first, _, last = part[0].partition("-") if part else ("0", "", str(BLOCK))
    at, end = int(first), int(last or int(first) + 1)
    result = Result()
    place = folder / f"fuzz-{os.getpid()}"
    place.mkdir(exist_ok=True)
    begun = mmap.mmap(-1, 8)  # shared with the process: the input that it is at
    while at < end:
        work = partial(_block, name, block, range(at, end), seed, begun)
        ended = commands.Running(work, place).wait(60 + (end - at) * SECONDS / 10)
        done = end if ended.code == 0 else int.from_bytes(begun[:8], "little") + 1
        if ended.code:
            result.failed(f"{name}/{block}/{done - 1}", f"its process ended with {ended.code}: {ended.err[-300:]}")
        for line in map(json.loads, ended.out.splitlines()):
            result.used(line["seconds"])
            if line["wrong"]:
                result.failed(f"{name}/{block}/{line['at']}", line["wrong"])
        result.used(0, ended.memory)
        result.tried[all_readers()[name].kind] += done - at
        at = done
    return result


def _block(name: str, block: str, numbers: Iterable[int], seed: int, begun: mmap.mmap) -> int:
    """Try inputs one after the other; what is wrong with one, and what the slowest took, is printed."""
    reader = all_readers()[name]
    pq.write_table(pa.table({"a": [""]}), io.BytesIO())  # for its first table Arrow sets a gigabyte of addresses aside
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, resource.RLIM_INFINITY))
    signal.signal(signal.SIGPROF, _late)
    slowest = 0.0
    for at in numbers:
        begun[:8] = at.to_bytes(8, "little")
        random = drawn(seed, f"{name}/{block}/{at}")
        files = list(reader.samples)
        which = random.randrange(len(files))
        files[which] = files[which][0], mutate(files[which][1], random)
        begin = time.process_time()
        wrong = _wrong(reader, files, random)
        taken = time.process_time() - begin
        if wrong or taken > slowest:
            print(json.dumps({"at": at, "seconds": taken, "wrong": wrong}), flush=True)
        slowest = max(slowest, taken)
    return 0


class _LateError(BaseException):
    """No reader of ours catches this."""


def _late(*_: object) -> None:
    raise _LateError


def _wrong(reader: Reader, files: list[tuple[str, bytes]], random: Random) -> str:
    skip, stored = random.random() < 0.5, random.randrange(_STORED) == 0
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        with contextlib.suppress(LinkassayError):
            found = reader.read(files, skip)
            if stored:
                check_stored(found)
    except _LateError:
        return f"takes longer than {SECONDS:g} s"
    except MemoryError:
        return f"takes more than {MEMORY:,} bytes"
    except BaseException as error:
        at = error.__traceback__
        while at is not None and at.tb_next is not None:
            at = at.tb_next
        where = f"{Path(at.tb_frame.f_code.co_filename).name}:{at.tb_lineno}" if at else ""
        return f"{type(error).__name__} at {where}: {str(error)[:200]}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return ""
