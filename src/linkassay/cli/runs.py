"""Verbs that make and judge runs: demo, link, score, report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkassay.cli import show
from linkassay.cli.show import Json

if TYPE_CHECKING:
    from linkassay.scoring.recall import Score

__all__ = ["demo", "link", "report", "score"]


def demo(
    out: Annotated[Path, typer.Option("-o", "--out", help="Where to write the report.")] = Path(
        "linkassay-demo/report.html"
    ),
    as_json: Json = False,
) -> None:
    """Run the whole flow on the embedded benchmark: get, link, score, report."""
    import linkassay

    got = linkassay.get("mini")[0]
    show.say(f"mini@{got.revision}: {show.splits(got.manifest)}", as_json)
    scores = []
    for name in ("exact", "normalised", "tfidf"):
        run = linkassay.link(name, "mini")
        seconds = run.about["prepare_seconds"] + run.about["link_seconds"]
        show.say(f"linked {run.about['mentions']} mentions with {name} in {seconds:.2f} s", as_json)
        scores.append(linkassay.score(run))
    from linkassay.reporting.page import write

    path = write(scores, out)
    rows = [row for score in scores for row in score.rows()]
    if as_json:
        show.print_json({"rows": rows, "report": str(path.resolve())})
        return
    show.leaderboard(scores)
    print(f"report: {path.resolve()}")


def link(
    linker: Annotated[str, typer.Argument(help="A linker (linkassay ls linkers).")],
    corpus: Annotated[str, typer.Argument(help="A corpus of the data home, or NAME/TYPE.")],
    kb: Annotated[str, typer.Option(help="Knowledge base; the corpus's default if not given.")] = "",
    split: Annotated[str, typer.Option(help="Which split to link.")] = "test",
    top: Annotated[int, typer.Option(help="How many ranks to keep.", min=1, max=1000)] = 10,
    again: Annotated[bool, typer.Option(help="Run it even if the same run is there.")] = False,
    as_json: Json = False,
) -> None:
    """Run a linker over a corpus and store the run."""
    import linkassay
    from linkassay import runs
    from linkassay.listing import coverage

    source = linkassay.corpus(corpus)
    knowledge = linkassay.kb(kb or source.manifest["kb"])
    if not any(
        type_["covered"] for by_type in coverage(source, knowledge)["splits"].values() for type_ in by_type.values()
    ):
        print(f"warning: no gold id of {source.name} is in {knowledge.name}; is it the right --kb?", file=sys.stderr)
    with show.progress(as_json) as progress:
        run, fresh = runs.link(linker, source, knowledge, split=split, top=top, again=again,
                               progress=lambda done, total: progress(f"link {linker}", done, total))  # fmt: skip
    if as_json:
        show.print_json(run.about | {"path": str(run.path), "fresh": fresh})
    else:
        print(f"{run.name}: {run.about['mentions']} mentions" + ("" if fresh else " (there already; nothing to do)"))


def score(
    names: Annotated[list[str], typer.Argument(metavar="RUN…", help="Runs: folders or corpus/system.")],
    as_json: Json = False,
) -> None:
    """Score runs with given mentions: coverage and recall@k, overall and by slice."""
    import linkassay

    scores = [linkassay.score(name) for name in names]
    if as_json:
        show.print_json({"rows": [row for s in scores for row in s.rows()]})
        return
    show.table("scores", [_score_row(s, r) for s in scores for r in s.rows()])


def _score_row(score: Score, row: dict[str, Any]) -> dict[str, Any]:
    found = {key: row[key] for key in ("system", "corpus")} | {"split": score.run.split}
    found |= {key: row[key] for key in ("slice", "measure")}
    return found | {"value": f"{row['value']:.4f}", "95 %": show.interval(row, 4), "n": row["n"]}


def report(
    names: Annotated[list[str], typer.Argument(metavar="RUN…", help="Runs of one corpus.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Where to write the page.")] = Path("report.html"),
    as_json: Json = False,
) -> None:
    """Write one self-contained HTML page about some runs."""
    import linkassay

    path = linkassay.report(names, out)
    if as_json:
        show.print_json({"report": str(path.resolve())})
    else:
        print(f"report: {path.resolve()}")
