"""Damage to a data home: bits flipped, files cut, swapped, emptied, removed; figures are right, or it is said."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from endure import commands, verbs
from endure.cases import Result, drawn, spread

PROMISE = (
    "What is damaged in a data home ends in an error of ours or in a warning, never in a traceback; no figure is wrong "
    "without a word where a checksum was recorded."
)
COUNT, UNIT = 400, "commands on a damaged data home"
LANES = 2

#: What reads the home, and in what rooms of it the file lies that is damaged.
COMMANDS: dict[str, tuple[str, ...]] = {
    "score": ("score", "mini/exact", "--by", "type,zero-shot", "--json"),
    "score-end-to-end": ("score", "mini/exact", "--task", "end-to-end", "--json"),
    "compare": ("compare", "mini/exact", "mini/normalised", "--json"),
    "profile": ("profile", "mini/exact", "--hierarchy", "mini", "--json"),
    "scenario": ("scenario", "coverage-first", "mini/exact", "mini/normalised", "--hierarchy", "mini", "--json"),
    "report": ("report", "mini/exact", "mini/normalised", "--format", "tsv"),
    "info-corpus": ("info", "mini", "--json"),
    "info-kb": ("info", "mini", "--kb", "mini", "--json"),
    "check-corpus": ("check", "mini", "--json"),
    "check-run": ("check", "mini/exact", "--json"),
    "ls-runs": ("ls", "runs", "--json"),
    "ls-corpora": ("ls", "corpora", "--json"),
    "link": ("link", "exact", "mini", "--split", "dev", "--json"),
    "link-prepared": ("link", "tfidf", "mini", "--split", "dev", "--json"),
    "ground": ("ground", "DM", "--kb", "mini", "--linker", "tfidf", "--json"),
    "wic-build": ("wic", "build", "--corpora", "mini", "--kb", "mini", "-o", "{out}/wic", "--test-size", "20",
                  "--dev-size", "10", "--json"),
    "reproduce": ("reproduce", "bioel", "--json"),
}  # fmt: skip
#: What most of them read; these files are hit more often than others.
_READ = (
    "runs/mini/exact-*/*", "corpora/mini/*/*.test.parquet", "corpora/mini/*/mentions.*.parquet", "kbs/mini/*/names.*",
    "kbs/mini/*/entities.*", "kbs/mini/*/parents.*", "linkers/tfidf-*/*", "*/manifest.json", "home.json",
)  # fmt: skip
#: Rows of outputs that tell what the work cost, or when.
_COSTS = ("seconds", "finished", "per_second", "memory", "path")


def cases(count: int, seed: int) -> list[str]:
    """Each command with each damage in turn: `score-flip/0`."""
    return spread([f"{command}:{damage}" for command in COMMANDS for damage in _DAMAGE], count)


def prepare(cases: Sequence[str], folder: Path) -> None:
    """A home with a prepared linker too, and what each command says of it."""
    verbs.prepare([], folder)
    start = folder / "start"
    ended = commands.run(("prepare", "tfidf", "--kb", "mini"), start)
    assert ended.code == 0, ended.err
    for name in {case.partition(":")[0] for case in cases}:
        place = verbs.fresh("link", folder, "store-whole")
        ended = commands.run(verbs.filled(COMMANDS[name], place, folder), place)
        assert ended.code in (0, 1), f"{name}: {ended.err}"
        (folder / f"said-{name}.json").write_text(json.dumps([ended.code, ended.out, ended.err]), encoding="utf-8")
        shutil.rmtree(place)


def attempt(case: str, seed: int, folder: Path) -> Result:
    """Damage a file, and run a command that may read it."""
    name, _, damage = case.partition("/")[0].partition(":")
    random, result = drawn(seed, case), Result()
    place = verbs.fresh("link", folder, f"store-{os.getpid()}")
    home = place / "home"
    files = sorted(path for path in home.rglob("*") if path.is_file())
    read = [path for path in files if any(path.match(pattern) for pattern in _READ)]
    hit = random.choice(read if random.random() < 0.7 else files)
    covered = damage != "remove-folder" and _covered(hit)  # what is not there at all is simply missing
    _DAMAGE[damage](hit, files, random)
    ended = commands.run(verbs.filled(COMMANDS[name], place, folder), place)
    result.used(ended.seconds, ended.memory)
    code, out, err = json.loads((folder / f"said-{name}.json").read_text(encoding="utf-8"))
    wrong = ended.wrong()
    same = _lasting(ended.out, place) == _lasting(out, folder / "store-whole")
    if ended.code == 2:
        result.notes["refused"] += 1
    elif same:
        result.notes["the same as before"] += 1
    elif ended.code != code or set(_lasting(ended.err, place)) - set(_lasting(err, folder / "store-whole")):
        result.notes["something else, with a warning"] += 1
    elif covered:
        wrong = wrong or f"something else is said, without a warning: {_first_difference(ended.out, out)}"
    else:
        result.notes["something else, of a file without checksum"] += 1
    result.tried[damage] += 1
    if wrong:
        result.failed(case, f"{hit.relative_to(home)}: {wrong}")
    shutil.rmtree(place)
    return result


def _covered(path: Path) -> bool:
    """Whether a checksum of the file is recorded beside it."""
    for name in ("manifest.json", "run.json"):
        about = path.parent / name
        if about.exists() and about != path:
            return path.name in json.loads(about.read_text(encoding="utf-8")).get("files", {})
    return False


def _lasting(out: str, place: Path) -> list[str]:
    """What is said, line by line, but for costs and places."""
    lines = out.replace(str(place), "").splitlines()
    return [line for line in lines if not any(word in line for word in _COSTS)]


def _first_difference(one: str, two: str) -> str:
    for a, b in zip(one.splitlines(), two.splitlines()):
        if a != b:
            return f"{a.strip()[:120]} where it was {b.strip()[:120]}"
    return f"{len(one.splitlines())} lines where there were {len(two.splitlines())}"


# --- damage ---------------------------------------------------------------------------------------------------------


def _flip(path: Path, _: list[Path], random: Random) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(random.choice((1, 1, 8))):
        if data:
            data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    path.write_bytes(data)


def _cut(path: Path, _: list[Path], random: Random) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: random.randrange(len(data) or 1)])


def _noise(path: Path, _: list[Path], random: Random) -> None:
    path.write_bytes(random.randbytes(random.randrange(1, 5000)))


def _swap(path: Path, files: list[Path], random: Random) -> None:
    """With another file of its kind."""
    other = random.choice([file for file in files if file.suffix == path.suffix])
    one, two = path.read_bytes(), other.read_bytes()
    path.write_bytes(two)
    other.write_bytes(one)


def _remove(path: Path, _: list[Path], random: Random) -> None:
    path.unlink()


def _remove_folder(path: Path, _: list[Path], random: Random) -> None:
    shutil.rmtree(path.parent)


def _folder(path: Path, _: list[Path], random: Random) -> None:
    """A folder where a file was."""
    path.unlink()
    path.mkdir()


def _empty_json(path: Path, _: list[Path], random: Random) -> None:
    """Sound, and not what was promised; a Parquet file is emptied."""
    path.write_text(random.choice(("{}", "[]", "null", "1", '{"format": "x"}')) if path.suffix != ".parquet" else "")


_DAMAGE: dict[str, Callable[[Path, list[Path], Random], None]] = {
    "flip": _flip, "cut": _cut, "noise": _noise, "swap": _swap, "remove": _remove, "remove-folder": _remove_folder,
    "folder": _folder, "other-json": _empty_json,
}  # fmt: skip
