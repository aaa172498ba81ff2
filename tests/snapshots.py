"""Golden snapshots: what commands, runs and pages said when they were frozen, so that work below them shows itself.

`check(name, value)` holds a JSON-ready value to `tests/snapshots/<name>.json`. What differs from machine to machine or
from edit to edit (fingerprints, hashes of code, times, paths) is masked; figures are kept to twelve digits. With
LINKASSAY_SNAPSHOTS=write the files are made anew: look at the difference before it is committed. With
LINKASSAY_SNAPSHOTS=grow they may only gain keys, and a plain value of the page may become a cell (`v`): everything that
was there is still there and equal.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import tempfile
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from linkassay.cli import app
from tests.conftest import ROOT

FOLDER = Path(__file__).parent / "snapshots"

#: Values that no two runs of the same thing share, by the names of their keys.
_VOLATILE = re.compile(
    r"(.*_)?seconds|finished|mentions_per_second|peak_memory_bytes|host|packages|software|code|libraries|version"
)
_MASKS = (
    (re.compile(r"\b[0-9a-f]{64}\b"), "<sha256>"),
    (re.compile(r"(?<![0-9A-Za-z])(?=[0-9a-f]*[a-f])(?=[0-9a-f]*[0-9])[0-9a-f]{12}(?![0-9A-Za-z])"), "<fingerprint>"),
    (re.compile(r"(?<![0-9A-Za-z.])[0-9]{12}(?![0-9A-Za-z])"), "<fingerprint>"),
    (re.compile(r"http://127\.0\.0\.1:\d+"), "<site>"),
    (re.compile(rf"(?:{re.escape(str(ROOT))}|{re.escape(tempfile.gettempdir())})[^\s'\",;]*"), "<path>"),
)

#: Figures as tables have them to be copied: their last digits depend on the processor.
_LONG = re.compile(r"(?<![\w.])-?\d+\.\d{12,}(?:e-?\d+)?(?![\w.])")


def check(name: str, value: Any, *, real: bool = False) -> None:
    """Hold a value to its snapshot; of `real` data no text is kept, only its hash."""
    found = json.loads(json.dumps(masked(value, real=real)))
    path = FOLDER / f"{name}.json"
    how = os.environ.get("LINKASSAY_SNAPSHOTS", "")
    if how != "write":
        kept = json.loads(path.read_text(encoding="utf-8"))
        apart = [said for said in differences(kept, found, cells=how == "grow")
                 if how != "grow" or not said.endswith(" is new")]  # fmt: skip
        assert not apart, f"{path.name}, {len(apart)} differences: {'; '.join(apart[:5])}"
    if how:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")


def differences(kept: Any, found: Any, at: str = "$", *, cells: bool = False) -> Any:
    """Where two JSON values differ, in words; with `cells` a value and a cell that has it are the same."""
    if cells and not isinstance(kept, dict) and isinstance(found, dict) and "v" in found:
        found = found["v"]
    if isinstance(kept, dict) and isinstance(found, dict):
        for key in kept.keys() | found.keys():
            if key not in found or key not in kept:
                yield f"{at}: {key!r} is {'new' if key in found else 'gone'}"
            else:
                yield from differences(kept[key], found[key], f"{at}.{key}", cells=cells)
    elif isinstance(kept, list) and isinstance(found, list) and len(kept) == len(found):
        for number, pair in enumerate(zip(kept, found, strict=True)):
            yield from differences(*pair, f"{at}[{number}]", cells=cells)
    elif kept != found:
        yield f"{at}: was {kept!r:.200}, is {found!r:.200}"


def masked(value: Any, key: str = "", *, real: bool = False) -> Any:
    """A value without what changes from time to time."""
    if key and _VOLATILE.fullmatch(key) and not isinstance(value, bool):
        return "*"
    if isinstance(value, dict):
        return {_text(str(k)): masked(v, str(k), real=real) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [masked(each, real=real) for each in value]
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if isinstance(value, str):
        text = _text(value)
        return f"#{hashlib.sha256(text.encode()).hexdigest()[:8]}" if real else text
    return value


def _text(text: str) -> str:
    for pattern, mask in _MASKS:
        text = pattern.sub(mask, text)
    return _LONG.sub(lambda found: f"{float(found[0]):.12g}", text)


#: Verbs whose JSON says only where a page was written; what is in it is frozen in `test_snapshots`.
_PAGES = ("report", "bench", "demo")


def run_documented(command: str, name: str, *, real: bool = False) -> Any:
    """A command of the docs as it stands, then once more for its JSON, which is held to the snapshot of that name."""
    words = shlex.split(command)
    result = CliRunner().invoke(app, words, catch_exceptions=False)
    assert result.exit_code == 0, (command, result.output)
    if "--json" in words or words[0] not in _PAGES:
        again = result if "--json" in words else CliRunner().invoke(app, [*words, "--json"], catch_exceptions=False)
        assert again.exit_code == 0, (command, again.output)
        check(name, {"command": command, "json": json.loads(again.stdout)}, real=real)
    return result
