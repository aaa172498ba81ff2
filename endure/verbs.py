"""Every verb that writes, what each begins with, and what it leaves when nothing disturbs it."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from endure import commands
from endure.killing import tree, watched
from endure.readers import SAMPLES

#: Verb → its arguments. `{files}` are those that `prepare` writes, `{out}` is where results beside the home go.
VERBS: dict[str, tuple[str, ...]] = {
    "get": ("get", "mini"),
    "get-own": ("get", "--format", "jsonl", "{files}/many.jsonl", "--name", "own", "--kb", "mini"),
    "get-split": ("get", "--format", "pubtator", "{files}/second.txt", "--name", "mine", "--kb", "mesh"),
    "get-kb": ("get", "medic", "--raw", f"{SAMPLES}/kbs/medic", "--workers", "1"),
    "get-kb-workers": ("get", "ncbi_taxonomy", "--raw", f"{SAMPLES}/kbs/ncbi_taxonomy", "--workers", "2"),
    "kb-add": ("kb", "add", "{files}/aches.toml"),
    "prepare": ("prepare", "tfidf", "--kb", "mini"),
    "link": ("link", "normalised", "mini", "--split", "train"),
    "link-prepares": ("link", "fuzzy", "mini"),
    "link-workers": ("link", "normalised", "many", "--workers", "2"),
    "link-again": ("link", "exact", "mini", "--again"),
    "link-command": ("link", "command", "mini", "--cmd", "cat {input}", "--exchange", "pubtator"),
    "import": ("import", "native", "{files}/predictions.jsonl", "--corpus", "mini", "--system", "other"),
    "score": ("score", "mini/exact", "--by", "type"),
    "report": ("report", "mini/exact", "mini/normalised", "-o", "{out}/report.html"),
    "profile": ("profile", "mini/exact", "--hierarchy", "mini", "-o", "{out}/profile.html"),
    "bench": ("bench", "{files}/bench.toml", "-o", "{out}/bench.html", "--write", "{out}/bench.md"),
    "wic-build": ("wic", "build", "--corpora", "mini", "--kb", "mini", "-o", "{out}/wic", "--test-size", "20",
                  "--dev-size", "10"),
    "wic-baseline": ("wic", "baseline", "random", "--test", "{files}/pairs.json", "-o", "{out}/random.jsonl"),
    "wic-score": ("wic", "score", "{files}/labels.jsonl", "--data", "{files}/pairs.json"),
    "wic-sheet": ("wic", "sheet", "{files}/pairs.json", "-o", "{out}/sheets", "--size", "1", "--shared", "0"),
    "demo": ("demo", "-o", "{out}/demo.html"),
}  # fmt: skip
#: Those that begin with nothing; all others with the embedded benchmark, runs on it, and a corpus of five shards.
FROM_NOTHING = ("get", "get-kb", "kb-add", "demo", "bench")
#: Pages that show what the work cost: each is whole, and not the same twice.
_COSTED_PAGES = ("bench.html", "bench.md", "demo.html")
#: Kept by `score` beside a run, and made again where it is not there.
_COUNTED = "/counts.parquet"

_BENCH = """
[score]
measures = "recall@1"
resamples = 100
[[corpora]]
name = "mini"
[[linkers]]
linker = "exact"
[[linkers]]
linker = "normalised"
"""
_START = (
    ("get", "mini"),
    ("link", "exact", "mini"),
    ("link", "normalised", "mini"),
    ("score", "mini/exact", "mini/normalised"),
    ("get", "--format", "jsonl", "{files}/many.jsonl", "--name", "many", "--kb", "mini"),
    ("get", "--format", "pubtator", "{files}/first.txt", "--name", "mine", "--kb", "mesh", "--split", "train"),
)


@dataclass(frozen=True)
class Undisturbed:
    """What a verb leaves, in how many changes of its own process and in how long."""

    files: dict[str, str]
    changes: int
    first: float  # seconds until the first change
    seconds: float
    sizes: dict[str, int]


def prepare(verbs: Iterable[str], folder: Path) -> None:
    """Write the files, make the start, and run each verb once undisturbed; what that leaves is kept in `folder`."""
    _write_files(folder / "files")
    start = folder / "start"
    (start / "out").mkdir(parents=True)
    for arguments in _START:
        ended = commands.run(filled(arguments, start, folder), start)
        assert ended.code == 0, f"{arguments}: {ended.err}"
    (start / ".said.out").unlink(missing_ok=True)
    for verb in dict.fromkeys(verbs):
        place = fresh(verb, folder, f"whole-{verb}")
        notes = place.with_name(f"notes-{verb}.json")
        ended = commands.Running(_counted(verb, place, folder, notes), place).wait()
        assert ended.code == 0, f"{verb}: {ended.err}"
        noted = json.loads(notes.read_text(encoding="utf-8"))
        sizes = {str(path.relative_to(place)): path.stat().st_size for path in place.rglob("*") if path.is_file()}
        noted |= {"files": files_of(place), "seconds": ended.seconds, "sizes": sizes}
        notes.write_text(json.dumps(noted), encoding="utf-8")


def undisturbed(verb: str, folder: Path) -> Undisturbed:
    """What `prepare` found."""
    return Undisturbed(**json.loads((folder / f"notes-{verb}.json").read_text(encoding="utf-8")))


def _counted(verb: str, place: Path, folder: Path, notes: Path) -> Callable[[], int]:
    def work() -> int:
        begin, times = time.monotonic(), []
        commands.enter(place)
        with watched(place, lambda _: times.append(time.monotonic() - begin)):
            status = commands.call(filled(VERBS[verb], place, folder))
        notes.write_text(json.dumps({"changes": len(times), "first": times[0] if times else 0}), encoding="utf-8")
        return status

    return work


def fresh(verb: str, folder: Path, name: str) -> Path:
    """A folder as it is before the verb: a home, and `out` for other results."""
    place = folder / name
    shutil.rmtree(place, ignore_errors=True)
    fresh_in(verb, folder, place)
    return place


def fresh_in(verb: str, folder: Path, place: Path) -> None:
    """The same in a folder that may be there, and empty."""
    if verb in FROM_NOTHING:
        (place / "home").mkdir(parents=True)
        (place / "out").mkdir()
    else:
        shutil.copytree(folder / "start", place, dirs_exist_ok=True)


def filled(arguments: Iterable[str], place: Path, folder: Path) -> list[str]:
    """Arguments with the paths of one run."""
    return [a.replace("{files}", str(folder / "files")).replace("{out}", str(place / "out")) for a in arguments]


def files_of(place: Path, costed: Iterable[str] = ()) -> dict[str, str]:
    """All files below home and `out` by their contents, but for costs; of pages that show costs, if they are whole."""
    found = {f"home/{name}": digest for name, digest in tree(place / "home").items()}
    found |= {f"out/{name}": digest for name, digest in tree(place / "out").items()}
    for name in (*_COSTED_PAGES, *costed):
        if f"out/{name}" in found:
            text = (place / "out" / name).read_text(encoding="utf-8")
            found[f"out/{name}"] = "whole" if name.endswith(".md") or text.rstrip().endswith("</html>") else "cut off"
    return found


def without_counted(files: Mapping[str, str]) -> dict[str, str]:
    """Files but for what `score` keeps to save time."""
    return {name: digest for name, digest in files.items() if not name.endswith(_COUNTED)}


def differences(found: Mapping[str, str], expected: Mapping[str, str]) -> str:
    """What is missing, too much or other than expected; nothing if nothing is."""
    said = {
        "missing": sorted(expected.keys() - found.keys()),
        "left over": sorted(found.keys() - expected.keys()),
        "different": sorted(name for name in found.keys() & expected.keys() if found[name] != expected[name]),
    }
    return "; ".join(f"{what}: {', '.join(names[:5])}" for what, names in said.items() if names)


def _write_files(files: Path) -> None:
    files.mkdir(parents=True)
    mention = {"spans": [[0, 4]], "type": "disease", "gold": [["mesh:D006073"]]}
    lines = (json.dumps({"id": f"{n:03}", "text": "Gout.", "mentions": [mention]}) for n in range(130))
    (files / "many.jsonl").write_text("\n".join(lines), encoding="utf-8")
    for number, name in enumerate(("first.txt", "second.txt")):
        text = f"{number}|t|Gout again.\n{number}|a|\n{number}\t0\t4\tGout\tDisease\tD006073\n"
        (files / name).write_text(text, encoding="utf-8")
    (files / "aches.tsv").write_text("id\tname\n1\tPain\n2\tHeadache\n", encoding="utf-8")
    description = 'name = "aches"\nprefix = "ache"\ntype = "disease"\nfiles = "aches.tsv"\nid = "id"\nnames = "name"\n'
    (files / "aches.toml").write_text(description, encoding="utf-8")
    (files / "bench.toml").write_text(_BENCH, encoding="utf-8")
    shutil.copy(SAMPLES / "biowic" / "pairs.json", files / "pairs.json")
    count = len(json.loads((files / "pairs.json").read_text(encoding="utf-8")))
    labels = "".join(json.dumps({"item": n, "label": n % 2}) + "\n" for n in range(count))
    (files / "labels.jsonl").write_text(labels, encoding="utf-8")
    row = {"document": "mini-104", "spans": [[377, 379]], "type": "disease", "candidates": [["mesh:D003920"]]}
    (files / "predictions.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
