"""The verb `demo`: the whole flow on the embedded benchmark, offline, ending in a report with every section."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linkassay.cli import terminal
from linkassay.cli.options import Json

#: Linker and where it takes abbreviations from.
LINKED = (("exact", "none"), ("normalised", "none"), ("tfidf", "none"), ("normalised", "schwartz-hearst"),
          ("tfidf", "schwartz-hearst"))  # fmt: skip


def demo(
    out: Annotated[Path, typer.Option("-o", "--out", help="Where to write the report.")] = Path(
        "linkassay-demo/report.html"
    ),
    as_json: Json = False,
) -> None:
    """Run the whole flow on the embedded benchmark: get, link, score, report."""
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
    run = linkassay.link("spotter", "mini", give="text")
    terminal.say(f"spotter found {run.about['mentions']} mentions by itself", as_json)
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
