"""A page with the view Documents alone, fed with answers that a test makes up."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

from linkassay.pages import front_end
from linkassay.pages.report_page import _hash, embed

#: Stands in for the application around the view.
_SHELL = Path(__file__).with_name("documents_page.js")


def write_documents_page(folder: Path, answers: dict[str, Any]) -> Path:
    """Write the page; `answers` has `cohort`, the `rows` of the list and `documents` by their ids."""
    systems = answers["cohort"]["systems"]
    shapes = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
    data = {"systems": systems, "looks": [[at % 8, shapes[at % 6]] for at in range(len(systems))], "types": {},
            "corpora": []}  # fmt: skip
    names = dict.fromkeys(
        name for entry in ("documents.js", "address.js", "waiting.js") for name in front_end.modules(entry)
    )
    style, script = (
        front_end.style(),
        '"use strict";\n{\n' + "\n".join(map(_joined, names)) + _SHELL.read_text(encoding="utf-8") + "}\n",
    )
    policy = f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:"
    path = folder / "documents.html"
    path.write_text(
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Documents</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{html.escape(policy)}">'
        f'<meta name="viewport" content="width=device-width"><style>{style}</style></head><body>'
        f'<div class="bar"><div class="bar-inner"><span class="brand">linkassay</span></div></div>'
        f'<div id="jobs"></div><main id="main"></main><p id="status" class="hidden" role="status"></p>'
        f'<script id="data" type="application/json">{embed(data)}</script>'
        f'<script id="answers" type="application/json">{embed(answers)}</script>'
        f"<script>{script}</script></body></html>",
        encoding="utf-8",
    )
    return path


def _joined(name: str) -> str:
    return front_end._EXPORT.sub("", front_end._IMPORT.sub("", front_end.module(name)))


def mark(
    text: str, spans: list[list[int]], answers: list[dict[str, Any] | None], gold: list[list[str]] | None = None,
    **more: Any,
) -> dict[str, Any]:  # fmt: skip
    """A mark with an id made of its place; without gold it is a prediction alone."""
    number = ",".join(f"{start}-{end}" for start, end in spans)
    return {"id": f"{number}{' alone' if gold is None else ''}", "spans": spans, "text": text, "type": "disease",
            "gold": gold, "flags": [], "parent": None, "answers": answers} | more  # fmt: skip


def answer(verdict: str, *said: str, **more: Any) -> dict[str, Any]:
    """What a system said of a mark."""
    ids = None if verdict == "missed" else list(said)
    return {"verdict": verdict, "said": ids, "why": f"Why it is {verdict}.", "categories": [],
            "at": {"part": "cases", "system": "=one", "nil": "ignored", "at": "x 1-2"}} | more  # fmt: skip


def cohort(*systems: str, found: bool = True) -> dict[str, Any]:
    """The cohort of some systems that found mentions, or were given them."""
    return {"systems": list(systems), "runs": list(systems), "found": list(systems) if found else [],
            "given": [] if found else list(systems), "nil": ["ignored", "required"]}  # fmt: skip


def row(id_: str, *systems: dict[str, Any] | None, title: str = "", mentions: int = 3) -> dict[str, Any]:
    """A document in the list."""
    return {"id": id_, "title": title, "chars": 100, "mentions": mentions, "systems": list(systems)}


def document(text: str, marks: list[dict[str, Any]], names: dict[str, str | None] | None = None, **more: Any) -> Any:
    """A document with all its text, but for what is said otherwise."""
    return {"length": len(text), "pieces": [[0, text]], "passages": [["", 0, len(text)]], "marks": marks,
            "names": names or {}} | more  # fmt: skip
