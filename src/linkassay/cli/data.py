"""Verbs about data: ls, get, info, check."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from linkassay.cli import terminal
from linkassay.cli.terminal import Json
from linkassay.errors import UsageError

SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="Leave out what is broken in the source, counted, instead of stopping.")
]


def list_(
    what: Annotated[
        str, typer.Argument(help="corpora, kbs, linkers, formats, importers or runs; all by default.")
    ] = "",
    as_json: Json = False,
) -> None:
    """List corpora, knowledge bases, linkers, formats and runs."""
    from linkassay import listing
    from linkassay.registry import near_miss

    if what and what not in listing.LISTINGS:
        raise UsageError(f"cannot list {what!r}; {near_miss(what, list(listing.LISTINGS))}")
    rows = {name: make() for name, make in listing.LISTINGS.items() if what in ("", name)}
    if as_json:
        terminal.print_json(rows)
        return
    for name, listed in rows.items():
        terminal.table(name, listed or [{"name": "none yet"}])


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
    sync: Annotated[str, typer.Option(help="Replace gold ids by the current ones of this KB[@REVISION].")] = "",
    abbreviations: Annotated[
        str, typer.Option(help="Write out mentions in the text: none, schwartz-hearst, ab3p, or a file.")
    ] = "none",
    option: Annotated[list[str] | None, typer.Option(help="KEY=VALUE for the reader of a KB (repeatable).")] = None,
    engine: Annotated[str, typer.Option(help="Where KBs are built: local or ray.")] = "local",
    workers: Annotated[int, typer.Option(help="Local processes; 0: one per core.", min=0)] = 0,
    address: Annotated[str, typer.Option(help="Address of a running Ray cluster.")] = "",
    skip_bad: SkipBad = False,
    as_json: Json = False,
) -> None:
    """Obtain and convert corpora and knowledge bases: from the network, from raw files, or your own."""
    from linkassay.corpora import CORPORA, OwnCorpus, Preparation, canonical_name, get_corpus, get_own_corpus
    from linkassay.engine import Engine
    from linkassay.kbs import KBS, build_kb
    from linkassay.registry import near_miss

    terminal.one_of("--composites", composites, ("keep", "drop"))
    terminal.one_of("--units", units, ("codepoint", "byte", "utf16"))
    try:
        "".encode(encoding)
    except (LookupError, UnicodeError):
        raise UsageError(f"--encoding: no encoding is called {encoding!r}; try utf-8 or latin-1") from None
    if sync:
        from linkassay.kbs import Kb

        knowledge = Kb.open(sync)
        sync = f"{knowledge.name}@{knowledge.revision}"

    def prepare() -> Preparation:
        source = "" if abbreviations == "none" else abbreviations
        return Preparation(composites, deduplicate, sentences, sync, source)  # type: ignore[arg-type]

    results: list[Any] = []
    try:
        if format:
            if not name:
                raise UsageError("own files need a name: add --name NAME")
            if raw:
                raise UsageError("--raw is for corpora by name; give the files themselves with --format")
            own = OwnCorpus(name, format, tuple(map(Path, targets)), split, tuple(type or ()), kb, composite,
                            alternative, units, encoding)  # type: ignore[arg-type]  # fmt: skip
            results.append(get_own_corpus(own, skip_bad=skip_bad, prepare=prepare()))
            return
        own_only = {"--name": name, "--type": type, "--kb": kb, "--split": split != "test", "--composite": composite
                    != "|+", "--alternative": alternative != ";,", "--units": units != "codepoint",
                    "--encoding": encoding != "utf-8"}  # fmt: skip
        if given := [flag for flag, value in own_only.items() if value]:
            raise UsageError(f"{', '.join(given)}: for own files only; add --format FORMAT")
        options, where = _options(option or []), Engine(engine, workers, address)
        with terminal.progress(as_json) as progress:
            for target in targets:
                if Path(target).exists() and target not in CORPORA and target not in KBS:
                    raise UsageError(f"{target} is a file or folder, not a name: add --format FORMAT --name NAME")
                known = canonical_name(target.partition("/")[0]) in CORPORA
                if not known and target not in KBS:
                    raise UsageError(f"neither a corpus nor a knowledge base: {target!r}; "
                                     f"{near_miss(target, sorted({*CORPORA, *KBS}))}")  # fmt: skip
                if known:
                    results.append(
                        get_corpus(target, raw or None, skip_bad=skip_bad, prepare=prepare(), progress=progress)
                    )
                if target in KBS:
                    built = build_kb(KBS.load(target), raw or None, options=options, engine=where, progress=progress)
                    results.append(built)
    finally:  # what is done is shown even if something later failed
        _show_results(results, as_json)


def _show_results(results: list[Any], as_json: bool) -> None:
    from linkassay.corpora import unexpected_counts
    from linkassay.kbs import BuiltKb

    if as_json:
        terminal.print_json([terminal.built_dict(r) if isinstance(r, BuiltKb) else _got_dict(r) for r in results])
        return
    for got in results:
        if isinstance(got, BuiltKb):
            terminal.kb_built(got, as_json)
            continue
        if got.fresh:
            print(f"{got.name}@{got.revision}: {terminal.splits(got.manifest)}")
            print(f"  licence: {got.manifest['licence']}")
            terminal.reports(got.manifest["reports"])
        else:
            print(f"{got.name}@{got.revision} is there already; nothing to do")
        for part, what, found, expected in unexpected_counts(got.manifest):
            print(f"  WARNING: {part} has {found or 0} {what}, not the {expected} it is known to have; "
                  "are the raw files whole?")  # fmt: skip


def _got_dict(got: Any) -> dict[str, Any]:
    from linkassay.corpora import unexpected_counts

    different = [{"split": s, "what": w, "found": f, "expected": e} for s, w, f, e in unexpected_counts(got.manifest)]
    return {"name": got.name, "revision": got.revision, "path": str(got.path), "fresh": got.fresh,
            "unexpected": different, "splits": got.manifest["splits"], "reports": got.manifest["reports"]}  # fmt: skip


def _options(given: list[str]) -> dict[str, Any]:
    """KEY=VALUE pairs; a value that is JSON is taken as such, any other as text."""
    options: dict[str, Any] = {}
    for pair in given:
        key, equals, value = pair.partition("=")
        if not equals:
            raise UsageError(f"--option takes KEY=VALUE, not {pair!r}")
        try:
            options[key] = json.loads(value)
        except ValueError:
            options[key] = value
    return options


def info(
    name: Annotated[str, typer.Argument(help="A corpus or knowledge base.")],
    kb: Annotated[str, typer.Option(help="Also show how many gold ids of the corpus this KB has.")] = "",
    abbreviations: Annotated[
        str, typer.Option(help="Also count abbreviated mentions: schwartz-hearst, ab3p, or a file.")
    ] = "",
    critique: Annotated[bool, typer.Option(help="Also look at it as an end-to-end benchmark.")] = False,
    as_json: Json = False,
) -> None:
    """Show statistics, licence, citation, revision and checksums."""
    import linkassay
    from linkassay import listing

    about = listing.describe(name)
    if kb:
        about["coverage"] = listing.coverage(linkassay.corpus(name), linkassay.kb(kb))
    if critique or about.get("kb") == "wikidata":
        from linkassay.scoring.endtoend import critique_corpus

        about["critique"] = critique_corpus(linkassay.corpus(name))
    if abbreviations:
        from linkassay.corpora import count_abbreviations
        from linkassay.text.abbreviations import abbreviation_source as known

        about["abbreviations"] = count_abbreviations(linkassay.corpus(name), known(abbreviations))
    if as_json:
        terminal.print_json(about)
        return
    splits, reports, inputs = (about.pop(key, {}) for key in ("splits", "reports", "inputs"))
    terminal.facts(about)
    for given in inputs.values():
        for source in given["sources"]:
            print(f"read from {source['file']}: sha256 {source['sha256']}")
        terminal.facts({f"option {key}": value for key, value in given["options"].items()})
    terminal.reports(reports)
    terminal.table("splits", [
        {"split": split} | {k: v for k, v in counts.items() if not isinstance(v, dict)}
        for split, counts in splits.items()
    ])  # fmt: skip
    terminal.table("types", [
        {"split": split, "type": type_} | counts
        for split, row in splits.items() for type_, counts in row.get("types", {}).items()
    ])  # fmt: skip


def check(
    target: Annotated[list[str], typer.Argument(help="A corpus by name, or files.")],
    format: Annotated[str, typer.Option(help="Format of the files; guessed if not given.")] = "",
    corpus: Annotated[str, typer.Option(help="The corpus that a predictions file is for.")] = "",
    units: Annotated[str, typer.Option(help="What offsets count: codepoint, byte, utf16.")] = "codepoint",
    encoding: Annotated[str, typer.Option(help="Encoding of the files.")] = "utf-8",
    as_json: Json = False,
) -> None:
    """Validate a corpus or a predictions file; exit code 1 if anything is wrong."""
    import linkassay
    from linkassay import checks
    from linkassay.files import expand
    from linkassay.formats import Reading

    terminal.one_of("--units", units, ("codepoint", "byte", "utf16"))
    paths = [Path(t) for t in target]
    file_like = bool(format or corpus or len(target) > 1 or paths[0].exists() or paths[0].suffix)
    if not file_like:
        result = checks.check_corpus(linkassay.corpus(target[0]))
    else:
        format = format or ("predictions" if corpus else checks.guess_format(expand(paths)))
        if format == "predictions":
            if not corpus:
                raise UsageError("a predictions file is checked against its corpus: add --corpus NAME")
            result = checks.check_predictions(paths, linkassay.corpus(corpus))
        else:
            result = checks.check_files(paths, format, Reading(units=units, encoding=encoding))  # type: ignore[arg-type]
    if as_json:
        terminal.print_json(result)
    else:
        head = {k: v for k, v in result.items() if k not in ("problems", "ok")}
        print("; ".join(f"{k}: {json.dumps(v) if isinstance(v, dict) else v}" for k, v in head.items()))
        terminal.problems(result["problems"])
        print("ok: nothing wrong found" if result["ok"] else "not ok")
    if not result["ok"]:
        raise typer.Exit(1)
