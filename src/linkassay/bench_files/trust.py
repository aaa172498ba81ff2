"""What a bench file can do beyond measuring, and whether its user has agreed to that (SAFE-13).

Who runs a file from elsewhere is asked once. What was agreed to is kept by checksum in the user's own data home, never
in one that `LINKASSAY_HOME` names, which others may have filled. Nothing of the file is loaded or run here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from linkassay import store
from linkassay.bench_files.plan import LinkerEntry, Plan
from linkassay.errors import UsageError
from linkassay.linkers import linker_file

#: The file of the user's own home that has the checksums.
_TRUSTED = "trusted-bench-files.json"


def powers(plan: Plan) -> list[str]:
    """What running the file does beyond measuring: commands, services, code of other files."""
    return list(dict.fromkeys(said for linker in plan.linkers for said in _power(linker)))


def _power(linker: LinkerEntry) -> Iterator[str]:
    request = linker.request
    given = {**request.options, **request.running}
    if file := linker_file(request.linker):
        yield f"runs the code of {file.path}"
    elif request.linker == "command":
        yield f"runs the command {str(given.get('cmd', ''))!r}"
    elif request.linker == "http":
        yield f"sends texts of the corpora to {str(given.get('url', ''))!r}"


def require_trust(plan: Plan, trusted: bool, ask: Callable[[str], bool] | None = None) -> None:
    """Refuse a file that does more than to measure, unless its user agrees, or has agreed before to just this file."""
    found = powers(plan)
    if not found:
        return
    mark, kept = _mark(plan), _kept()
    if mark in kept:
        return
    what = f"{plan.file.name} does more than to measure: it " + "; it ".join(found)
    if not trusted and not (ask and ask(f"{what}. Do you trust it?")):
        raise UsageError(f"{what}. Read the file; if you trust it, --trust runs it and remembers that (docs/bench.md)")
    store.write_text(store.user_home() / _TRUSTED, json.dumps(kept | {mark: str(plan.file)}, indent=1) + "\n")


def _mark(plan: Plan) -> str:
    """A checksum of the file, where it lies, and the code that it names."""
    found = hashlib.sha256(str(plan.file).encode("utf-8", "surrogateescape"))
    code = [file.path for linker in plan.linkers if (file := linker_file(linker.request.linker))]
    for path in (plan.file, *code):
        found.update(hashlib.sha256(path.read_bytes() if path.is_file() else b"").digest())
    return found.hexdigest()


def _kept() -> dict[str, Any]:
    try:
        kept = json.loads((store.user_home() / _TRUSTED).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}


def report_place(plan: Plan, out: Path | None) -> Path:
    """Where the report goes: where the user says, else where the file does, which is at or below its own folder."""
    if out is not None:
        return out
    target = plan.report.resolve()
    if plan.file.parent not in target.parents:
        raise UsageError(f"{plan.file.name}: the report {plan.report} would lie outside of the folder of the file; "
                         "-o FILE says that it may")  # fmt: skip
    if target.exists() and target.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"{plan.file.name}: the report would take the place of {target.name}, which is no page; "
                         "-o FILE says that it may")  # fmt: skip
    return target
