"""The verb `get`: corpora and knowledge bases from the network, from raw files, or from files of one's own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkassay.cli import terminal
from linkassay.cli.options import JoinBlocks, Json, SameAs, SkipBad, Strict, between_commas, require_encoding
from linkassay.defaults import DOWNLOAD_MIN_RATE, DOWNLOAD_TIMEOUT
from linkassay.errors import UsageError

if TYPE_CHECKING:
    from linkassay.corpora import GotCorpus
    from linkassay.kbs import BuiltKb


def get(
    targets: Annotated[list[str], typer.Argument(help="Names of corpora; with --format, files or folders.")],
    raw: Annotated[
        list[Path] | None, typer.Option(help="Folder with the raw files, instead of the network (repeatable).")
    ] = None,
    format: Annotated[str, typer.Option(help="Convert own files of this format (linkassay ls formats).")] = "",
    name: Annotated[str, typer.Option(help="With --format: what to call the corpus.")] = "",
    split: Annotated[str, typer.Option(help="With --format: the split these files are.")] = "test",
    type: Annotated[
        list[str] | None, typer.Option(help="With --format: keep only mentions of this type (repeatable).")
    ] = None,
    types: Annotated[
        list[str] | None, typer.Option(metavar="OLD=NEW", help="With --format: call a type otherwise (repeatable).")
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="With --format: in place of the split there is.")] = False,
    add: Annotated[bool, typer.Option("--add", help="With --format: add to the split that there is.")] = False,
    columns: Annotated[
        list[str] | None,
        typer.Option(metavar="OURS=THEIRS", help="With --format mentions: what columns are called (repeatable)."),
    ] = None,
    join_blocks: JoinBlocks = False,
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
    same_as: SameAs = None,
    sync: Annotated[str, typer.Option(help="Replace gold ids by the current ones of this KB[@REVISION].")] = "",
    abbreviations: Annotated[
        str, typer.Option(help="Write out mentions in the text: none, schwartz-hearst, ab3p, or a file.")
    ] = "none",
    option: Annotated[list[str] | None, typer.Option(help="KEY=VALUE for the reader of a KB (repeatable).")] = None,
    engine: Annotated[str, typer.Option(help="Where KBs are built: local or ray.")] = "local",
    workers: Annotated[int, typer.Option(help="Local processes; 0: one per core.", min=0)] = 0,
    address: Annotated[str, typer.Option(help="Address of a running Ray cluster.")] = "",
    timeout: Annotated[
        float, typer.Option(help="Downloads: seconds for an answer, and for each piece of it; 0: no limit.", min=0)
    ] = DOWNLOAD_TIMEOUT,
    min_rate: Annotated[
        float, typer.Option(help="Downloads: fewest bytes a second, over --timeout seconds; 0: any.", min=0)
    ] = DOWNLOAD_MIN_RATE,
    skip_bad: SkipBad = False,
    strict: Strict = False,
    as_json: Json = False,
) -> None:
    """Obtain and convert corpora and knowledge bases: from the network, from raw files, or your own."""
    from linkassay.corpora import OwnCorpus, Preparation, get_corpus, get_own_corpus
    from linkassay.engine import Engine, keep_freed_memory
    from linkassay.fetch import Patience
    from linkassay.kbs import KBS, Kb, build_kb

    terminal.one_of("--composites", composites, ("keep", "drop"))
    terminal.one_of("--units", units, ("codepoint", "byte", "utf16"))
    require_encoding(encoding)
    sync = Kb.open(sync).pinned if sync else ""

    def prepare() -> Preparation:  # a new one for each corpus, since it counts
        source = "" if abbreviations == "none" else abbreviations
        return Preparation(composites, deduplicate, sentences, sync, source, str(same_as or ""))  # type: ignore[arg-type]

    if replace and add:
        raise UsageError("--replace and --add exclude each other")
    with _shown_at_the_end(as_json, strict) as results:
        if format:
            if not name:
                raise UsageError("own files need a name: add --name NAME")
            if raw:
                raise UsageError("--raw is for corpora by name; give the files themselves with --format")
            own = OwnCorpus(
                name, format, tuple(map(Path, targets)), split, tuple(type or ()), kb, composite, alternative,
                units, encoding, rename=_renamed(types or []),  # type: ignore[arg-type]
                options=_reading_options(format, columns or [], join_blocks),
            )  # fmt: skip
            results.append(get_own_corpus(own, skip_bad=skip_bad, prepare=prepare(),
                                          existing="replace" if replace else "add" if add else "refuse"))  # fmt: skip
            return
        _refuse_without_format({
            "--name": name, "--type": type, "--types": types, "--replace": replace, "--add": add,
            "--join-blocks": join_blocks, "--columns": columns, "--kb": kb,
            "--split": split != "test", "--composite": composite != "|+",
            "--alternative": alternative != ";,", "--units": units != "codepoint", "--encoding": encoding != "utf-8",
        })  # fmt: skip
        options, where = _reader_options(option or []), Engine(engine, workers, address)
        patience = Patience(timeout, min_rate)
        with terminal.progress(as_json) as progress:
            for target in targets:
                is_corpus, is_kb = _kinds_of(target)
                if is_corpus:
                    results.append(
                        get_corpus(
                            target,
                            raw or None,
                            skip_bad=skip_bad,
                            prepare=prepare(),
                            progress=progress,
                            patience=patience,
                        )
                    )
                if is_kb:
                    keep_freed_memory()
                    results.append(
                        build_kb(
                            KBS.load(target),
                            raw or None,
                            options=options,
                            engine=where,
                            progress=progress,
                            patience=patience,
                        )
                    )


def _reading_options(format: str, columns: list[str], join_blocks: bool) -> dict[str, Any]:
    """What only the readers of some formats take."""
    if join_blocks and format != "pubtator":
        raise UsageError("--join-blocks is of --format pubtator")
    if columns and format != "mentions":
        raise UsageError("--columns is of --format mentions")
    named = {}
    for pair in [pair for text in columns for pair in _cells(text)]:
        ours, equals, theirs = (part.strip() for part in pair.partition("="))
        if not (ours and equals):
            raise UsageError(f'--columns takes OURS=THEIRS, e.g. ids="HPO ID",text=Term, not {pair!r}')
        named[ours] = theirs.strip('"')
    return ({"columns": named} if named else {}) | ({"join_blocks": True} if join_blocks else {})


def _cells(text: str) -> list[str]:
    """What stands between commas that are not within quotation marks."""
    return [pair for pair in re.findall(r'(?:[^",]|"[^"]*")+', text) if pair.strip()]


def _renamed(given: list[str]) -> dict[str, str]:
    """OLD=NEW pairs, with commas between or one by one."""
    renamed = {}
    for pair in [pair for text in given for pair in between_commas(text)]:
        old, equals, new = (part.strip() for part in pair.partition("="))
        if not (old and equals and new):
            raise UsageError(f"--types takes OLD=NEW, e.g. DiseaseOrPhenotypicFeature=disease, not {pair!r}")
        renamed[old] = new
    return renamed


def _refuse_without_format(given: Mapping[str, object]) -> None:
    """Refuse options of own files, rather than to leave them without effect."""
    if flags := [flag for flag, value in given.items() if value]:
        raise UsageError(f"{', '.join(flags)}: for own files only; add --format FORMAT")


def _kinds_of(target: str) -> tuple[bool, bool]:
    """Whether a name is that of a corpus, and whether that of a knowledge base; one that is neither is refused."""
    from linkassay.corpora import CORPORA, canonical_name
    from linkassay.kbs import KBS
    from linkassay.registry import near_miss

    if Path(target).exists() and target not in CORPORA and target not in KBS:
        raise UsageError(f"{target} is a file or folder, not a name: add --format FORMAT --name NAME")
    kinds = canonical_name(target.partition("/")[0]) in CORPORA, target in KBS
    if not any(kinds):
        raise UsageError(f"neither a corpus nor a knowledge base: {target!r}; "
                         f"{near_miss(target, sorted({*CORPORA, *KBS}))}")  # fmt: skip
    return kinds


def _reader_options(given: list[str]) -> dict[str, Any]:
    """KEY=VALUE pairs; a value that is JSON is taken as such, any other as text."""
    options: dict[str, Any] = {}
    for pair in given:
        key, equals, value = pair.partition("=")
        if not equals:
            raise UsageError(f"--option takes KEY=VALUE, not {pair!r}")
        try:
            options[key] = json.loads(value)
        except (ValueError, RecursionError):
            options[key] = value
    return options


@contextmanager
def _shown_at_the_end(as_json: bool, strict: bool) -> Iterator[list[GotCorpus | BuiltKb]]:
    """A list to fill; what is in it is shown when the block ends, even if something failed by then.

    With `strict` what is doubtful about it is an error in the end; it is stored all the same.
    """
    from linkassay.cautions import corpus_cautions, refuse_cautions
    from linkassay.corpora import Corpus
    from linkassay.kbs import BuiltKb

    results: list[GotCorpus | BuiltKb] = []
    try:
        yield results
    finally:
        found = [[] if isinstance(got, BuiltKb) else corpus_cautions(Corpus(got.name, got.path)) for got in results]
        if as_json:
            terminal.print_json([
                (terminal.built_dict(got) if isinstance(got, BuiltKb) else _corpus_dict(got))
                | {"warnings": [caution.as_dict() for caution in cautions]}
                for got, cautions in zip(results, found, strict=True)
            ])  # fmt: skip
        else:
            for got in results:
                if isinstance(got, BuiltKb):
                    terminal.kb_built(got, as_json)
                else:
                    _print_corpus(got)
        every = [caution for cautions in found for caution in cautions]
        if not strict:
            terminal.warn(every)
    if strict:
        refuse_cautions(every)


def _print_corpus(got: GotCorpus) -> None:
    if got.fresh:
        print(f"{got.name}@{got.revision}: {terminal.splits(got.manifest)}")
        print(f"  licence: {got.manifest['licence']}")
        terminal.reports(got.manifest["reports"])
    else:
        print(f"{got.name}@{got.revision} is there already; nothing to do")


def _corpus_dict(got: GotCorpus) -> dict[str, Any]:
    from linkassay.corpora import unexpected_counts

    unexpected = [{"split": s, "what": w, "found": f, "expected": e} for s, w, f, e in unexpected_counts(got.manifest)]
    return {"name": got.name, "revision": got.revision, "path": str(got.path), "fresh": got.fresh,
            "unexpected": unexpected, "splits": got.manifest["splits"], "reports": got.manifest["reports"]}  # fmt: skip
