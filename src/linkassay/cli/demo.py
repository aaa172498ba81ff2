"""The verb `demo`: the whole flow on the embedded benchmark, offline, ending in a report with every section."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkassay.cli import terminal
from linkassay.cli.options import Json

if TYPE_CHECKING:
    from linkassay.model import Document
    from linkassay.runs import Run

#: Linker and where it takes abbreviations from.
LINKED = (("exact", "none"), ("normalised", "none"), ("tfidf", "none"), ("normalised", "schwartz-hearst"),
          ("tfidf", "schwartz-hearst"))  # fmt: skip
WORDS = 6  # of the longest name that is looked for


def demo(
    out: Annotated[Path, typer.Option("-o", "--out", help="Where to write the report.")] = Path(
        "linkassay-demo/report.html"
    ),
    as_json: Json = False,
) -> None:
    """Run the whole flow on the embedded benchmark: get, link, import, score, report."""
    import linkassay

    got = linkassay.get("mini")[0]
    terminal.say(f"mini@{got.revision}: {terminal.splits(got.manifest)}", as_json)
    scores = []
    for name, abbreviations in LINKED:
        run = linkassay.link(name, "mini", abbreviations=abbreviations)
        seconds = run.about["prepare_seconds"] + run.about["link_seconds"]
        written = "" if abbreviations == "none" else ", abbreviations written out,"
        terminal.say(f"linked {run.about['mentions']} mentions with {name}{written} in {seconds:.2f} s", as_json)
        scores.append(linkassay.score(run))
    run = _spotted()
    terminal.say(f"imported {run.about['mentions']} mentions that a spotter of names found by itself", as_json)
    scores.append(linkassay.score(run))
    from linkassay.pages import write_report
    from linkassay.scoring.results import Result

    result = Result(scores)
    path = write_report(result, out)
    if as_json:
        rows = [figure.row() for score in scores for figure in result.of(score)]
        terminal.print_json({"rows": rows, "report": str(path.resolve())})
        return
    terminal.leaderboard(result)
    print(f"report: {path.resolve()}")


def _spotted() -> Run:
    """An end-to-end system as an outside one would come: its answers in a file, imported."""
    import linkassay
    from linkassay.runs.importing import ImportOptions, import_run

    corpus, kb = linkassay.corpus("mini"), linkassay.kb("mini")
    names: dict[str, list[str]] = {}
    for identifier, name in kb.sql("select id, name from names order by id, name"):
        names.setdefault(name, []).append(identifier)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "spotter.jsonl"
        lines = [line for document in corpus["test"] for line in _spot(document, names)]
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return import_run("native", [file], corpus, "spotter", split="test", kb="mini", options=ImportOptions())[0]


def _spot(document: Document, names: dict[str, list[str]]) -> Iterator[dict[str, object]]:
    """From left to right the longest piece of the text that is a name."""
    words = [match.span() for match in re.finditer(r"[\w+-]+", document.text)]
    at = 0
    while at < len(words):
        for size in range(min(WORDS, len(words) - at), 0, -1):
            start, end = words[at][0], words[at + size - 1][1]
            if found := names.get(document.text[start:end]):
                yield {"document": document.id, "spans": [[start, end]], "candidates": [sorted(set(found))]}
                at += size
                break
        else:
            at += 1
