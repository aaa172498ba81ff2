"""The command line: arguments in, tables or JSON out. What the verbs do lives in other modules.

Exit codes: 0 done; 1 the work found a failure (`check`); 2 bad usage or bad input.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkassay.errors import LinkassayError, UsageError

if TYPE_CHECKING:
    from linkassay.scoring.recall import Score

__all__ = ["app", "main"]

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Measure entity linkers: corpora and knowledge bases in one form, every figure open to its mentions.",
)

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="Leave out what is broken in the source, counted, instead of stopping.")
]


def main() -> None:
    """Entry point: expected errors become one message and exit code 2."""
    try:
        app()
    except LinkassayError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has left; nothing is wrong with the work
        sys.exit(0)


@app.command()
def demo(
    out: Annotated[Path, typer.Option("-o", "--out", help="Where to write the report.")] = Path(
        "linkassay-demo/report.html"
    ),
    as_json: Json = False,
) -> None:
    """Run the whole flow on the embedded benchmark: get, link, score, report."""
    import linkassay

    got = linkassay.get("mini")
    _say(f"mini@{got.revision}: {_splits(got.manifest)}", as_json)
    scores = []
    for name in ("exact", "normalised", "tfidf"):
        run = linkassay.link(name, "mini")
        seconds = run.about["prepare_seconds"] + run.about["link_seconds"]
        _say(f"linked {run.about['mentions']} mentions with {name} in {seconds:.2f} s", as_json)
        scores.append(linkassay.score(run))
    from linkassay.reporting.page import write

    path = write(scores, out)
    rows = [row for score in scores for row in score.rows()]
    if as_json:
        _print_json({"rows": rows, "report": str(path.resolve())})
        return
    _leaderboard(scores)
    print(f"report: {path.resolve()}")


@app.command("ls")
def list_(
    what: Annotated[str, typer.Argument(help="corpora, kbs, linkers, formats or runs; all by default.")] = "",
    as_json: Json = False,
) -> None:
    """List corpora, knowledge bases, linkers, formats and runs."""
    from linkassay import listing
    from linkassay.registry import near_miss

    if what and what not in listing.LISTINGS:
        raise UsageError(f"cannot list {what!r}; {near_miss(what, list(listing.LISTINGS))}")
    rows = {name: make() for name, make in listing.LISTINGS.items() if what in ("", name)}
    if as_json:
        _print_json(rows)
        return
    for name, listed in rows.items():
        _table(name, listed or [{"name": "none yet"}])


@app.command()
def get(
    targets: Annotated[list[str], typer.Argument(help="Names of corpora; with --format, files or folders.")],
    raw: Annotated[Path | None, typer.Option(help="Folder with the raw files, instead of the network.")] = None,
    format: Annotated[str, typer.Option(help="Convert own files of this format (linkassay ls formats).")] = "",
    name: Annotated[str, typer.Option(help="With --format: what to call the corpus.")] = "",
    split: Annotated[str, typer.Option(help="With --format: the split these files are.")] = "test",
    type: Annotated[
        list[str] | None, typer.Option(help="With --format: keep only mentions of this type (repeatable).")
    ] = None,
    kb: Annotated[str, typer.Option(help="With --format: knowledge base, and prefix of bare ids.")] = "",
    composite: Annotated[str, typer.Option(help="With --format: characters that join ids meant together.")] = "|+",
    alternative: Annotated[str, typer.Option(help="With --format: characters between alternative ids.")] = ";,",
    units: Annotated[
        str, typer.Option(help="With --format: what offsets count: codepoint, byte, utf16.")
    ] = "codepoint",
    encoding: Annotated[str, typer.Option(help="With --format: encoding of the files.")] = "utf-8",
    composites: Annotated[str, typer.Option(help="keep or drop mentions that stand for several ids.")] = "keep",
    deduplicate: Annotated[bool, typer.Option(help="Keep only the first of documents with the same text.")] = False,
    sentences: Annotated[bool, typer.Option(help="Make each sentence a document.")] = False,
    skip_bad: SkipBad = False,
    as_json: Json = False,
) -> None:
    """Obtain and convert corpora: from the network, from raw files, or your own."""
    from linkassay.corpora.get import Own, get_own
    from linkassay.corpora.get import get as get_corpus
    from linkassay.corpora.prepare import Preparation
    from linkassay.kbs import KBS

    _one_of("--composites", composites, ("keep", "drop"))
    _one_of("--units", units, ("codepoint", "byte", "utf16"))
    try:
        "".encode(encoding)
    except LookupError:
        raise UsageError(f"--encoding: no encoding is called {encoding!r}; try utf-8 or latin-1") from None

    def prepare() -> Preparation:
        return Preparation(composites, deduplicate, sentences)  # type: ignore[arg-type]

    results = []
    if format:
        if not name:
            raise UsageError("own files need a name: add --name NAME")
        own = Own(name, format, tuple(map(Path, targets)), split, tuple(type or ()), kb, composite, alternative,
                  units, encoding)  # type: ignore[arg-type]  # fmt: skip
        results.append(get_own(own, skip_bad=skip_bad, prepare=prepare()))
    else:
        if name or type:
            raise UsageError("--name and --type describe own files: add --format FORMAT")
        with _progress(as_json) as progress:
            for target in targets:
                results.append(get_corpus(target, raw, skip_bad=skip_bad, prepare=prepare(), progress=progress))
                if results[-1].name in KBS:
                    from linkassay.kbs.build import build

                    build(KBS.load(results[-1].name)())
    if as_json:
        _print_json([
            {"name": r.name, "revision": r.revision, "path": str(r.path), "fresh": r.fresh,
             "splits": r.manifest["splits"], "reports": r.manifest["reports"]} for r in results
        ])  # fmt: skip
        return
    for got in results:
        if got.fresh:
            print(f"{got.name}@{got.revision}: {_splits(got.manifest)}")
            print(f"  licence: {got.manifest['licence']}")
            _reports(got.manifest["reports"])
        else:
            print(f"{got.name}@{got.revision} is there already; nothing to do")


@app.command()
def info(
    name: Annotated[str, typer.Argument(help="A corpus or knowledge base.")],
    as_json: Json = False,
) -> None:
    """Show statistics, licence, citation, revision and checksums."""
    from linkassay import listing

    about = listing.describe(name)
    if as_json:
        _print_json(about)
        return
    splits, reports, inputs = (about.pop(key, {}) for key in ("splits", "reports", "inputs"))
    _facts(about)
    for given in inputs.values():
        _facts({f"read from {source['file']}": f"sha256 {source['sha256']}" for source in given["sources"]})
        _facts({f"option {key}": value for key, value in given["options"].items()})
    _reports(reports)
    _table("splits", [
        {"split": split} | {k: v for k, v in counts.items() if not isinstance(v, dict)}
        for split, counts in splits.items()
    ])  # fmt: skip
    _table("types", [
        {"split": split, "type": type_} | counts
        for split, row in splits.items() for type_, counts in row.get("types", {}).items()
    ])  # fmt: skip


@app.command()
def check(
    target: Annotated[list[str], typer.Argument(help="A corpus by name, or files.")],
    format: Annotated[str, typer.Option(help="Format of the files; guessed if not given.")] = "",
    corpus: Annotated[str, typer.Option(help="The corpus that a predictions file is for.")] = "",
    units: Annotated[str, typer.Option(help="What offsets count: codepoint, byte, utf16.")] = "codepoint",
    as_json: Json = False,
) -> None:
    """Validate a corpus or a predictions file; exit code 1 if anything is wrong."""
    import linkassay
    from linkassay import checks
    from linkassay.files import expand
    from linkassay.formats.base import Reading

    _one_of("--units", units, ("codepoint", "byte", "utf16"))
    paths = [Path(t) for t in target]
    if len(target) == 1 and not paths[0].exists() and not format:
        result = checks.check_corpus(linkassay.corpus(target[0]))
    else:
        format = format or checks.guess_format(expand(paths))
        if format == "predictions":
            if not corpus:
                raise UsageError("a predictions file is checked against its corpus: add --corpus NAME")
            result = checks.check_predictions(paths, linkassay.corpus(corpus))
        else:
            result = checks.check_files(paths, format, Reading(units=units))  # type: ignore[arg-type]
    if as_json:
        _print_json(result)
    else:
        head = {k: v for k, v in result.items() if k not in ("problems", "ok")}
        print("; ".join(f"{k}: {json.dumps(v) if isinstance(v, dict) else v}" for k, v in head.items()))
        _problems(result["problems"])
        print("ok: nothing wrong found" if result["ok"] else "not ok")
    if not result["ok"]:
        raise typer.Exit(1)


@app.command()
def link(
    linker: Annotated[str, typer.Argument(help="A linker (linkassay ls linkers).")],
    corpus: Annotated[str, typer.Argument(help="A corpus of the data home, or NAME/TYPE.")],
    kb: Annotated[str, typer.Option(help="Knowledge base; the corpus's default if not given.")] = "",
    split: Annotated[str, typer.Option(help="Which split to link.")] = "test",
    top: Annotated[int, typer.Option(help="How many ranks to keep.", min=1, max=1000)] = 10,
    as_json: Json = False,
) -> None:
    """Run a linker over a corpus and store the run."""
    import linkassay
    from linkassay import runs

    source = linkassay.corpus(corpus)
    knowledge = linkassay.kb(kb or source.manifest["kb"])
    with _progress(as_json) as progress:
        run, fresh = runs.link(linker, source, knowledge, split=split, top=top,
                               progress=lambda done, total: progress(f"link {linker}", done, total))  # fmt: skip
    if as_json:
        _print_json(run.about | {"path": str(run.path), "fresh": fresh})
    else:
        print(f"{run.name}: {run.about['mentions']} mentions" + ("" if fresh else " (there already; nothing to do)"))


@app.command()
def score(
    names: Annotated[list[str], typer.Argument(metavar="RUN…", help="Runs: folders or corpus/system.")],
    as_json: Json = False,
) -> None:
    """Score runs with given mentions: coverage and recall@k, overall and by slice."""
    import linkassay

    scores = [linkassay.score(name) for name in names]
    if as_json:
        _print_json({"rows": [row for s in scores for row in s.rows()]})
        return
    _table("scores", [
        {"system": r["system"], "corpus": r["corpus"], "slice": r["slice"], "measure": r["measure"],
         "value": f"{r['value']:.4f}", "95 %": f"{r['low']:.4f}–{r['high']:.4f}", "n": r["n"]}
        for s in scores for r in s.rows()
    ])  # fmt: skip


@app.command()
def report(
    names: Annotated[list[str], typer.Argument(metavar="RUN…", help="Runs of one corpus.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Where to write the page.")] = Path("report.html"),
    as_json: Json = False,
) -> None:
    """Write one self-contained HTML page about some runs."""
    import linkassay

    path = linkassay.report(names, out)
    if as_json:
        _print_json({"report": str(path.resolve())})
    else:
        print(f"report: {path.resolve()}")


def _leaderboard(scores: list[Score]) -> None:
    rows = []
    for score in scores:
        found = {r["measure"]: r for r in score.rows() if r["slice"] == "all"}
        cells = {m: f"{r['value']:.3f} ({r['low']:.3f}–{r['high']:.3f})" for m, r in found.items()}
        rows.append({"system": score.run.system, **cells, "n": found["recall@1"]["n"]})
    _table("mini, test split (95 % intervals over documents)", rows)


def _table(title: str, rows: list[dict[str, Any]]) -> None:
    """A table on the terminal; columns of numbers are aligned to the right."""
    from rich.console import Console
    from rich.table import Table

    if not rows:
        return
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for key in rows[0]:
        numeric = all(isinstance(r.get(key), int | float) for r in rows)
        table.add_column(key.replace("_", " "), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_cell(row.get(key)) for key in rows[0]))
    Console(markup=False, highlight=False, emoji=False, width=None if sys.stdout.isatty() else 160).print(table)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _facts(about: dict[str, Any], indent: str = "") -> None:
    """Names and values, one a line, nested ones indented; what is empty is left out."""
    for key, value in about.items():
        name = f"{indent}{key.replace('_', ' ')}:"
        if isinstance(value, dict):
            print(name)
            _facts(value, indent + "  ")
        elif isinstance(value, list):
            print(
                name, "; ".join(f"{v['file']} sha256 {v['sha256']}" if isinstance(v, dict) else str(v) for v in value)
            )
        elif value not in ("", None):
            print(name, _cell(value))


def _splits(manifest: dict[str, Any]) -> str:
    from linkassay.corpora.stored import ordered

    counts = manifest["splits"]
    return ", ".join(
        f"{split} {counts[split]['documents']} documents / {counts[split]['annotations']} mentions"
        for split in ordered(list(counts))
    )


def _reports(reports: dict[str, Any]) -> None:
    for report in reports.values():
        _problems(report)
        for what, n in report.get("prepared", {}).items():
            print(f"  prepared: {n} {what}")
        if report.get("left_out"):
            print(f"  left out by type: {json.dumps(report['left_out'], ensure_ascii=False)}")


def _problems(report: dict[str, Any]) -> None:
    for fix in report["fixes"]:
        print(f"  repaired: document {fix['document']}: {fix['why']}")
    for kind, n in report["counts"].items():
        print(f"  {n} × {kind}")
        for example in [e for e in report["examples"] if e["kind"] == kind][:3]:
            at = " ".join(f"{s}-{e}" for s, e in example["spans"])
            compared = f": found {example['found']!r}, expected {example['expected']!r}" if example["expected"] else ""
            where = f"{example['file']}:{example['line']} " if example["line"] else ""
            print(f"    {where}document {example['document'] or '–'} {at} {example['message']}{compared}")


def _progress(quiet: bool) -> Any:
    from linkassay.progress import bars

    return bars(quiet)


def _one_of(option: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise UsageError(f"{option} is one of {', '.join(allowed)}, not {value!r}")


def _say(text: str, quiet: bool) -> None:
    if not quiet:
        print(text)


def _print_json(value: Any) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=1))
