"""What was tried, as a line for the terminal, as a record that is kept, and as the page docs/reliability.md."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from bench.measure import machine

from endure.cases import Part, Result

#: A page lists so many failures; the terminal shows them all.
_SHOWN = 20

_HEAD = """# Reliability

What is promised about bad input, interruptions and hostile input is [SAFE-1 to SAFE-13](definitions/reliability.md);
what is trusted and what is not says [SECURITY.md](../SECURITY.md). `make endure` tries it, within an hour on two cores,
and writes this page; `make test` tries a small part of the same. Chance is drawn from a seed: the same seed tries the
same, and each failure is printed with the command that repeats it.
"""
_TAIL = """
## Try it

```
make endure                                            # all of it; this page is written anew
python -m endure fuzz --count 20000 --seed 7           # a part of it, as this page has them
python -m endure kills --seconds 60                    # for a minute
python -m endure kills --seed 1 --case link-workers/3  # one case again, as a failure names it
```

- A kill, or a signal, comes at a random moment: some time after one of the changes to the file system, or some time
  after the start; to the process alone, or with all that it has started (Ctrl-C always). A fifth of the commands is
  killed twice.
- *The same files* means the same bytes; of `run.json` and `costs.json` all but times and memory; of a page that shows
  times that it is whole.
- An input is a sample with one to four changes, of bytes, lines or pieces that formats are made of. It may take 10 s of
  processor time and 1 GiB of memory beyond what the process has; most take a millisecond.
- Servers are on the loopback interface: silent, slow, endless, broken, lying, redirecting. Whoever asks bears 2 s of
  silence and tries twice; a meeting may take 45 s and 700 MB. The limit of 200 GB for a download is 50 MB here, so that
  it is met.
- A full disk is a small file system in memory with room for a part of what a command writes. It needs the right to
  mount, as a read-only home does; without it only the limit of file sizes is tried, and there is no line for these.
- Damage to a data home is to one file of it: bits flipped, cut off, noise, swapped with another, removed, a folder in
  its place, other JSON. A checksum is recorded of every table; of small records that are JSON there is none, so that
  figures may change where one of these is changed into another one that makes sense.
"""


def line(name: str, part: Part, result: Result, seconds: float) -> str:
    """One part for the terminal."""
    kinds = "".join(f"\n  {count:>9,}  {what}" for what, count in sorted(result.tried.items()))
    notes = "".join(f"\n  {count:>9,}  ({what})" for what, count in sorted(result.notes.items()))
    tried = sum(result.tried.values())
    return (f"{name}: {tried:,} {part.UNIT}, {len(result.failures)} failed, in {seconds:.0f} s; the "
            f"longest took {result.seconds:.1f} s, the largest {result.memory / 1e6:.0f} MB{kinds}{notes}")  # fmt: skip


def record(result: Result, seed: int, seconds: float) -> dict[str, Any]:
    """What is kept of a part."""
    return {
        "date": datetime.now(UTC).date().isoformat(), "machine": machine(), "seed": seed, "seconds": round(seconds),
        "tried": dict(sorted(result.tried.items())), "notes": dict(sorted(result.notes.items())),
        "failures": [list(failure) for failure in result.failures[:_SHOWN]], "failed": len(result.failures),
        "longest": round(result.seconds, 1), "megabytes": round(result.memory / 1e6),
    }  # fmt: skip


def page(kept: Mapping[str, Any], parts: Mapping[str, Part]) -> str:
    """All that is kept as a page."""
    text = _HEAD
    for name, part in parts.items():
        if name in kept:
            text += _section(name, part, kept[name])
    return text + _TAIL


def _section(name: str, part: Part, told: Mapping[str, Any]) -> str:
    about = told["machine"]
    tried = sum(told["tried"].values())
    where = f"{about['cores']} cores, {about['memory_gb']} GB, {about['system']}, Python {about['python']}"
    rows = "".join(f"| {what} | {count:,} |\n" for what, count in told["tried"].items())
    notes = "; ".join(f"{what}: {count:,}" for what, count in told["notes"].items())
    failures = "".join(f"- `{case}`: {what}\n" for case, what in told["failures"])
    return (
        f"\n## {name}\n\n{part.PROMISE}\n\n**{tried:,}** {part.UNIT}; **{told['failed']:,}** not as promised. "
        f"The longest took {told['longest']} s, the largest process {told['megabytes']} MB.\n"
        f"{told['date']}, seed {told['seed']}, {told['seconds']} s, {where}.\n\n| tried | times |\n|---|---|\n{rows}"
        + (f"\n{notes[0].upper() + notes[1:]}.\n" if notes else "")
        + (f"\n{failures}" if failures else "")
    )
