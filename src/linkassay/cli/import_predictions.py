"""The verb `import`: predictions made elsewhere become a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from linkassay.cli import terminal
from linkassay.cli.options import JoinBlocks, Json, SameAs, SkipBad, Strict, require_encoding
from linkassay.tables import fixed


def import_(
    format: Annotated[str, typer.Argument(help="How the files are written (linkassay ls importers).")],
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Files or folders of predictions.")],
    corpus: Annotated[str, typer.Option(help="The corpus that they are for.")],
    system: Annotated[str, typer.Option(help="What to call the system that made them.")],
    split: Annotated[str, typer.Option(help="Which split they are for.")] = "test",
    kb: Annotated[str, typer.Option(help="Knowledge base; the corpus's default if not given.")] = "",
    map: Annotated[str, typer.Option(help="FROM:TO: predicted ids through cross-references, e.g. umls:mesh.")] = "",
    prefix: Annotated[str, typer.Option(help="Prefix of ids without one; the corpus's if not given.")] = "",
    ids: Annotated[Path | None, typer.Option(help="JSON object from the source's own ids to public ones.")] = None,
    type: Annotated[list[str] | None, typer.Option(help="Keep only predictions of this type (repeatable).")] = None,
    shift: Annotated[int, typer.Option(help="Added to all offsets, where those of the files are off.")] = 0,
    encoding: Annotated[str, typer.Option(help="Encoding of the files.")] = "utf-8",
    same_as: SameAs = None,
    join_blocks: JoinBlocks = False,
    skip_bad: SkipBad = False,
    strict: Strict = False,
    as_json: Json = False,
) -> None:
    """Store predictions of an outside system as a run, joined with a corpus by mention or span."""
    import linkassay
    from linkassay.cautions import result_cautions
    from linkassay.runs.importing import ImportOptions, import_run
    from linkassay.scoring.results import with_figures

    require_encoding(encoding)
    options = ImportOptions(prefix, map, ids, tuple(type or ()), skip_bad, shift, encoding, same_as, join_blocks)
    made = import_run(format, files, linkassay.corpus(corpus), system, split=split, kb=kb, options=options)
    run, fresh = with_figures(made)
    warned = terminal.warn(result_cautions([run], end_to_end=None), strict)
    if as_json:
        terminal.print_json(run.about | {"path": str(run.path), "fresh": fresh, "warnings": warned})
        return
    print(f"{run.name}: {run.path.name}" + ("" if fresh else " (there already; nothing to do)"))
    _show(run.about["import"])


def _show(report: dict[str, Any]) -> None:
    names = ("claims", "joined", "by_mention", "by_span", "not_joined", "outside", "unknown_mentions", "other_spans")
    terminal.table("predictions", [{"what": name.replace("_", " "), "count": report[name]} for name in names
                               if report[name] or name in names[:2]])  # fmt: skip
    print(
        f"coverage: {report['covered']:,} of {report['gold_mentions']:,} gold mentions ({fixed(report['coverage'], 4)})"
    )
    if any(report["ids"].values()):
        print("ids: " + ", ".join(f"{fate.replace('_', ' ')} {n:,}" for fate, n in report["ids"].items()))
    for type_, n in report["left_out_types"].items():
        print(f"left out: {n:,} of type {type_ or '(none)'}")
    terminal.problems(report["problems"])
