"""The verb `link`: a linker over a corpus becomes a run; what may have gone wrong in it is told."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkassay.cli import terminal
from linkassay.cli.options import (
    CandidatesOf,
    Device,
    Json,
    LinkerOptions,
    Model,
    Rerank,
    Spot,
    between_commas,
    linker_options,
)

if TYPE_CHECKING:
    from linkassay.corpora import Corpus

_EXCHANGES = "pubtator, bioc, jsonl or nif; over HTTP also bern2, rel or spotlight."


def link(
    linker: Annotated[str, typer.Argument(help="A linker (ls linkers), or FILE.py:CLASS.")],
    corpus: Annotated[str, typer.Argument(help="A corpus of the data home, or NAME/TYPE.")],
    kb: Annotated[str, typer.Option(help="Knowledge base; the corpus's default if not given.")] = "",
    split: Annotated[str, typer.Option(help="Which split to link.")] = "test",
    top: Annotated[int, typer.Option(help="How many ranks to keep.", min=1, max=1000)] = 10,
    abbreviations: Annotated[
        str, typer.Option(help="Write out abbreviations first: schwartz-hearst, ab3p, a file, or none.")
    ] = "none",
    synonyms: Annotated[
        list[str] | None, typer.Option(help="A knowledge base that lends its names for the same entities. Repeatable.")
    ] = None,
    cmd: Annotated[str, typer.Option(help="Linker command: what to run, e.g. 'mytool {input} {output}'.")] = "",
    url: Annotated[str, typer.Option(help="Linker http: the address of the service.")] = "",
    exchange: Annotated[str, typer.Option(help="Format of an outside system: " + _EXCHANGES)] = "",
    prefix: Annotated[str, typer.Option(help="Outside: prefix of ids without one; the corpus's if not given.")] = "",
    ids: Annotated[Path | None, typer.Option(help="Outside: JSON object from its own ids to public ones.")] = None,
    rate: Annotated[
        float | None, typer.Option(help="Linker http: most requests a second, of all workers; 0 (default): any.", min=0)
    ] = None,
    retries: Annotated[
        int | None, typer.Option(help="Linker http: how often what may pass is tried again; 4 if not given.", min=0)
    ] = None,
    max_output: Annotated[
        int | None, typer.Option(help="Outside: most bytes that one call may give back; 256 MB if not given.", min=1)
    ] = None,
    candidates: CandidatesOf = "",
    rerank: Rerank = "",
    spot: Spot = "",
    model: Model = "",
    device: Device = "",
    option: LinkerOptions = None,
    system: Annotated[str, typer.Option(help="What to call the run; the linker's name if not given.")] = "",
    train_on: Annotated[
        list[str] | None,
        typer.Option(
            "--train-on",
            "--train",
            metavar="CORPUS[:SPLIT+SPLIT]",
            help="What to learn from, with commas between, or none; the corpus's train split if not given.",
        ),
    ] = None,
    allow_leak: Annotated[
        bool, typer.Option("--allow-leak", help="Link documents that were learned from; every figure is marked.")
    ] = False,
    give: Annotated[str, typer.Option(help="What the linker is given: mentions, or text (end to end).")] = "",
    strict: Annotated[
        bool, typer.Option(help="Stop at documents that fail, unknown ids and any other warning.")
    ] = False,
    timeout: Annotated[float, typer.Option(help="Seconds for one call of the linker; 0: no limit.", min=0)] = 600,
    engine: Annotated[str, typer.Option(help="Where documents are linked: local or ray.")] = "local",
    workers: Annotated[int, typer.Option(help="Local processes, each with its own linker; 0: per core.", min=0)] = 1,
    address: Annotated[str, typer.Option(help="With --engine ray: the cluster; else one is started here.")] = "",
    again: Annotated[bool, typer.Option(help="Run it even if the same run is there.")] = False,
    as_json: Json = False,
) -> None:
    """Run a linker over a corpus and store the run; a killed run goes on where it was."""
    import linkassay
    from linkassay.cautions import Caution, data_cautions, kb_of_corpus, run_cautions
    from linkassay.engine import Engine
    from linkassay.runs import LinkRequest, all_failed, link
    from linkassay.scoring.results import with_figures

    outside = {"cmd": cmd, "url": url, "exchange": exchange, "prefix": prefix, "ids": str(ids or "")}
    parts = {"spot": spot, "candidates": candidates, "rerank": rerank}
    patience = {"rate": rate, "retries": retries, "max_output": max_output, "device": device}
    source = linkassay.corpus(corpus)
    knowledge = kb_of_corpus(source, kb)
    request = LinkRequest(
        linker, source.pinned, knowledge.pinned, split=split, top=top, abbreviations=abbreviations,
        synonyms=tuple(synonyms or ()), give=give, system=system, strict=strict, timeout=timeout,
        train_on=tuple(name for text in train_on or [] for name in between_commas(text)), allow_leak=allow_leak,
        options=linker_options(option, **parts, model=model, **outside),
        running={name: value for name, value in patience.items() if value is not None and value != ""},
    ).pinned()  # fmt: skip
    before = data_cautions(source, knowledge, split)
    if _expands_nothing(abbreviations, source):
        before.append(Caution("unused-abbreviations", source.name, f"--abbreviations {abbreviations} has none of any "
                              "of its documents", "are their ids others?"))  # fmt: skip
    warned = terminal.warn(before, strict)
    with terminal.progress(as_json) as progress:
        run, fresh = with_figures(link(
            request, again=again, engine=Engine(engine, workers, address),
            progress=lambda done, total: progress(f"link {linker}", done, total), preparing=progress,
        ))  # fmt: skip
    warned += terminal.warn(run_cautions(run), strict)
    if as_json:
        terminal.print_json(run.about | {"path": str(run.path), "fresh": fresh, "warnings": warned})
    else:
        per_second = run.about.get("mentions_per_second")
        speed = f", {per_second:,.0f} a second by one worker" if per_second else ""
        there = "" if fresh else " (there already; nothing to do)"
        print(f"{run.name}: {run.about['mentions']} mentions{speed}{there}")
    if all_failed(run.about):
        raise typer.Exit(1)


def _expands_nothing(abbreviations: str, corpus: Corpus) -> bool:
    """Whether a file of abbreviations has none of any document of a corpus."""
    from linkassay.corpora import document_ids
    from linkassay.text.abbreviations import FromFile, abbreviation_source

    source = None if abbreviations in ("", "none") else abbreviation_source(abbreviations)
    if not isinstance(source, FromFile):
        return False
    return not any(source.of(name, "") for split in corpus.splits for name in document_ids(corpus.path, split))
