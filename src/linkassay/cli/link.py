"""The verb `link`: a linker over a corpus becomes a run; what may have gone wrong in it is told."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkassay.cli import terminal
from linkassay.cli.options import Json, between_commas

if TYPE_CHECKING:
    from linkassay.corpora import Corpus
    from linkassay.kbs import Kb

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
    strict: Annotated[bool, typer.Option(help="Stop at the first document that fails, and at unknown ids.")] = False,
    timeout: Annotated[float, typer.Option(help="Seconds for one call of the linker; 0: no limit.", min=0)] = 600,
    engine: Annotated[str, typer.Option(help="Where documents are linked: local or ray.")] = "local",
    workers: Annotated[int, typer.Option(help="Local processes, each with its own linker; 0: per core.", min=0)] = 1,
    address: Annotated[str, typer.Option(help="With --engine ray: the cluster; else one is started here.")] = "",
    again: Annotated[bool, typer.Option(help="Run it even if the same run is there.")] = False,
    as_json: Json = False,
) -> None:
    """Run a linker over a corpus and store the run; a killed run goes on where it was."""
    import linkassay
    from linkassay.engine import Engine
    from linkassay.runs import LinkRequest, all_failed, link

    outside = {"cmd": cmd, "url": url, "exchange": exchange, "prefix": prefix, "ids": str(ids or "")}
    patience = {"rate": rate, "retries": retries}
    source = linkassay.corpus(corpus)
    knowledge = linkassay.kb(kb or source.manifest["kb"])
    request = LinkRequest(
        linker, source.pinned, knowledge.pinned, split=split, top=top, abbreviations=abbreviations,
        synonyms=tuple(synonyms or ()), give=give, system=system, strict=strict, timeout=timeout,
        train_on=tuple(name for text in train_on or [] for name in between_commas(text)), allow_leak=allow_leak,
        options={name: value for name, value in outside.items() if value},
        running={name: value for name, value in patience.items() if value is not None},
    ).pinned()  # fmt: skip
    if _covers_nothing(knowledge, source):
        _warn(f"no gold id of {source.name} is in {knowledge.name}; is it the right --kb?")
    if _expands_nothing(abbreviations, source):
        _warn(f"--abbreviations {abbreviations} has none of any document of {source.name}; are its ids others?")
    with terminal.progress(as_json) as progress:
        run, fresh = link(
            request, again=again, engine=Engine(engine, workers, address),
            progress=lambda done, total: progress(f"link {linker}", done, total), preparing=progress,
        )  # fmt: skip
    if as_json:
        terminal.print_json(run.about | {"path": str(run.path), "fresh": fresh})
    else:
        per_second = run.about.get("mentions_per_second")
        speed = f", {per_second:,.0f} a second by one worker" if per_second else ""
        there = "" if fresh else " (there already; nothing to do)"
        print(f"{run.name}: {run.about['mentions']} mentions{speed}{there}")
    for line in _run_warnings(run.about, fresh):
        _warn(line)
    if all_failed(run.about):
        raise typer.Exit(1)


def _covers_nothing(kb: Kb, corpus: Corpus) -> bool:
    """Whether no gold id of a corpus is in a knowledge base."""
    from linkassay.listing import coverage

    by_split = coverage(corpus, kb)["splits"]
    return not any(type_["covered"] for by_type in by_split.values() for type_ in by_type.values())


def _expands_nothing(abbreviations: str, corpus: Corpus) -> bool:
    """Whether a file of abbreviations has none of any document of a corpus."""
    from linkassay.corpora import document_ids
    from linkassay.text.abbreviations import FromFile, abbreviation_source

    source = None if abbreviations in ("", "none") else abbreviation_source(abbreviations)
    if not isinstance(source, FromFile):
        return False
    return not any(source.of(name, "") for split in corpus.splits for name in document_ids(corpus.path, split))


def _warn(line: str) -> None:
    print(f"warning: {line}", file=sys.stderr)


def _run_warnings(about: dict[str, Any], fresh: bool) -> list[str]:
    """What went wrong in a run that went on all the same; one that is not fresh can be repeated."""
    lines = []
    if failed := about.get("failures", []):
        first = f"the first is {failed[0]['document']}: {failed[0]['error']}"
        then = "" if fresh else ". Run it again with --again"
        lines.append(f"{len(failed)} documents failed and are without answers; {first}{then}")
    if leak := about.get("leak"):
        lines.append(f"the linker was trained on {leak['documents']} of these {about['documents']} documents; every "
                     "figure of the run is marked")  # fmt: skip
    asked = about["mentions"] or about["parameters"].get("give") == "text"
    if asked and about.get("answered") == 0 and len(failed) < about["documents"]:  # old runs do not say it
        lines.append("the linker answered nothing at all: no mention has a candidate")
    if (unknown := about.get("unknown_ids", {})) and unknown["count"]:
        examples = ", ".join(unknown["examples"][:3])
        lines.append(f"{unknown['count']} predicted ids are not in {about['kb']}, e.g. {examples}")
    return lines
