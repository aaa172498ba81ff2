"""The views of mentions and cases alone, over a feed that a test sets up: `list_views.js` stands in for the rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from linkassay.explorer import MISMATCHES, OUTCOMES, SLICE_NAMES
from linkassay.pages import front_end
from linkassay.pages.report_page import _hash, embed
from linkassay.scoring.hierarchy import DISTANCES, LOCATION_BINS
from tests.browser import resize, settle

SYSTEMS = ["exact", "tfidf", "house"]
#: Words that views take from the page.
WORDS = {
    "systems": SYSTEMS, "looks": [[0, "circle"], [1, "square"], [2, "triangle-up"]], "corpora": [],
    "outcomes": OUTCOMES, "mismatches": MISMATCHES, "distances": DISTANCES,
    "locations": LOCATION_BINS, "slices": SLICE_NAMES, "types": {}, "definitions": {},
    "version": "", "title": "",
}  # fmt: skip
COHORT = {
    "key": "mini@test", "title": "mini", "split": "test", "systems": SYSTEMS, "given": SYSTEMS, "found": SYSTEMS[:2],
    "types": ["disease", "gene"], "slices": ["zero-shot"], "sets": [], "slice_names": {"zero-shot": "zero-shot"},
    "width": 3, "places": [[], [0]], "hierarchy": True, "nil": ["ignored", "required"],
    "filters": [["all_f1", "linking: all that counts", [0, 1, 2]], ["all_fp", "linking: false positives", [1]],
                ["ner_fn", "recognition: false negatives", [5]],
                ["ner_lower_errors", "mention missed: lower-cased", [6]],
                ["ner_lower_total", "mention missed: lower-cased, what it is of", [7]]],
    "errors": [[6, "mention missed: lower-cased"]],
    "groups": [["mention-kind=named", "named"], ["type=gene", "gene"]], "of_answer": [1, 4],
}  # fmt: skip
NAMES = {"t:1": "disease", "t:2": "diabetes mellitus", "t:3": "type 2 diabetes", "t:4": "infection", "t:5": None}


def _answer(verdict: str, *ids: str, right: int = 0, **more: Any) -> dict[str, Any]:
    groups = [{"rank": at + 1, "size": 1, "score": 1 / (at + 1), "ids": [each], "right": int(at == 0 and right > 0)}
              for at, each in enumerate(ids)]  # fmt: skip
    return {
        "verdict": verdict, "stage": "-", "places": [], "why": "Because.", "hits": [0, 0], "candidates": len(ids),
        "rank": None, "groups": groups, **more,
    }  # fmt: skip


#: What is said of every mention, but for what the list says as well.
ENTRY = {
    "spans": [[0, 4]], "gold": [["t:3"]], "changed": [["t:9", ["t:3"]]], "names": NAMES,
    "answers": [_answer("r", "t:3", "t:5", right=1), _answer("w", "t:2", candidates=7, places=[0]),
                _answer("w", "t:4")],
    "tree": {
        "nodes": [{"id": "t:1", "depth_from_top": 0, "gold": False, "said": []},
                  {"id": "t:2", "depth_from_top": 1, "gold": False, "said": [1]},
                  {"id": "t:4", "depth_from_top": 1, "gold": False, "said": [2]},
                  {"id": "t:3", "depth_from_top": 2, "gold": True, "said": []}],
        "edges": [["t:2", "t:1"], ["t:3", "t:2"], ["t:4", "t:1"]],
    },
}  # fmt: skip
#: The same of a case: a wrong entity on a right span, lower-cased.
CASE = {"spans": [[0, 4]], "gold": ["t:3"], "said": ["t:2", "t:5"], "why": "The span is right.", "names": NAMES}


def open_list(
    driver: Any, folder: Path, view: str, address: str = "", *, size: int = 250, entry: Any = None, **more: Any
) -> None:
    """Open a view of `size` mentions or cases; `more` are further things that the feed is to know."""
    setup = {
        "view": view, "size": size, "cohort": COHORT, "codes": ["r-0", "wd1", "ng0", "pd0"], "texts": {},
        "bits": [6 + 8 + 128, 9 + 128, 36 + 64 + 128, 0], "entry": entry or (ENTRY if view == "mentions" else CASE),
    } | more  # fmt: skip
    script = _script()
    policy = f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(front_end.style())}'; img-src data:"
    path = folder / "list.html"
    path.write_text(
        f"<!doctype html><html lang=en><head><meta charset=utf-8><meta http-equiv=Content-Security-Policy "
        f'content="{policy}"><meta name=viewport content="width=device-width"><title>list</title>'
        f"<link rel=icon href=data:,><style>{front_end.style()}</style></head>"
        "<body><main id=main></main><div id=status></div>"
        f"<script type=application/json id=data>{embed(WORDS)}</script>"
        f"<script type=application/json id=setup>{embed(setup)}</script><script>{script}</script></body></html>",
        encoding="utf-8",
    )
    resize(driver, 1280, 900)
    driver.get("about:blank")
    driver.get(path.as_uri() + address)
    settle(driver)


def asked(page: Any, name: str) -> list[dict[str, str]]:
    """The requests of a name so far."""
    found: list[list[Any]] = json.loads(page.execute_script("return JSON.stringify(control.asked)"))
    return [params for each, params in found if each == name]


def _script() -> str:
    """The views, joined as in the page, and the stand-in behind them."""
    stand_in = (Path(__file__).parent / "list_views.js").read_text(encoding="utf-8")
    return front_end.script("views.js").removesuffix("}\n") + stand_in + "}\n"
