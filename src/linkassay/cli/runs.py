"""Verbs that make and judge runs: link, score, compare, report."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkassay.cli import hierarchy as in_hierarchy
from linkassay.cli import terminal
from linkassay.cli.terminal import Json
from linkassay.defaults import DEFAULT_MEASURES, RESAMPLES, RESAMPLES_COMPARED
from linkassay.errors import UsageError
from linkassay.tables import fixed

if TYPE_CHECKING:
    from linkassay.corpora import Corpus

RECALL = "recall@1"
_EXCHANGES = "pubtator, bioc, jsonl or nif; over HTTP also bern2, rel or spotlight."


def link(
    linker: Annotated[str, typer.Argument(help="A linker (linkassay ls linkers).")],
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
    from linkassay.listing import coverage
    from linkassay.runs import LinkRequest, all_failed, link

    given = {"cmd": cmd, "url": url, "exchange": exchange, "prefix": prefix, "ids": str(ids or "")}
    patience = {"rate": rate, "retries": retries}
    source = linkassay.corpus(corpus)
    knowledge = linkassay.kb(kb or source.manifest["kb"])
    request = LinkRequest(
        linker, source.pinned, knowledge.pinned, split=split, top=top, abbreviations=abbreviations,
        synonyms=tuple(synonyms or ()), give=give, system=system, strict=strict, timeout=timeout,
        options={name: value for name, value in given.items() if value},
        running={name: value for name, value in patience.items() if value is not None},
    ).pinned()  # fmt: skip
    if not any(
        type_["covered"] for by_type in coverage(source, knowledge)["splits"].values() for type_ in by_type.values()
    ):
        _warn(f"no gold id of {source.name} is in {knowledge.name}; is it the right --kb?")
    if _expands_nothing(abbreviations, source):
        _warn(f"--abbreviations {abbreviations} has none of any document of {source.name}; are its ids others?")
    with terminal.progress(as_json) as progress:
        run, fresh = link(request, again=again, engine=Engine(engine, workers, address),
                               progress=lambda done, total: progress(f"link {linker}", done, total))  # fmt: skip
    if as_json:
        terminal.print_json(run.about | {"path": str(run.path), "fresh": fresh})
    else:
        recorded = run.about.get("mentions_per_second")
        speed = f", {recorded:,.0f} a second by one worker" if recorded else ""
        there = "" if fresh else " (there already; nothing to do)"
        print(f"{run.name}: {run.about['mentions']} mentions{speed}{there}")
    for line in _trouble(run.about, fresh):
        _warn(line)
    if all_failed(run.about):
        raise typer.Exit(1)


def _expands_nothing(abbreviations: str, corpus: Corpus) -> bool:
    """Whether a file of abbreviations has none of any document of a corpus."""
    from linkassay.corpora import document_ids
    from linkassay.text.abbreviations import FromFile
    from linkassay.text.abbreviations import abbreviation_source as source_of

    given = None if abbreviations in ("", "none") else source_of(abbreviations)
    if not isinstance(given, FromFile):
        return False
    return not any(given.of(name, "") for split in corpus.splits for name in document_ids(corpus.path, split))


def _warn(line: str) -> None:
    print(f"warning: {line}", file=sys.stderr)


def _trouble(about: dict[str, Any], fresh: bool) -> list[str]:
    """What went wrong in a run that went on all the same; one that is not fresh can be repeated."""
    lines = []
    if failed := about.get("failures", []):
        first = f"the first is {failed[0]['document']}: {failed[0]['error']}"
        then = "" if fresh else ". Run it again with --again"
        lines.append(f"{len(failed)} documents failed and are without answers; {first}{then}")
    asked = about["mentions"] or about["parameters"].get("give") == "text"
    if asked and about.get("answered") == 0 and len(failed) < about["documents"]:  # old runs do not say it
        lines.append("the linker answered nothing at all: no mention has a candidate")
    if (unknown := about.get("unknown_ids", {})) and unknown["count"]:
        examples = ", ".join(unknown["examples"][:3])
        lines.append(f"{unknown['count']} predicted ids are not in {about['kb']}, e.g. {examples}")
    return lines


Runs = Annotated[list[str], typer.Argument(metavar="RUN…", help="Runs: folders or corpus/system.")]
Slices = Annotated[
    list[str] | None, typer.Option("--by", help="Slices, with commas between (ls slices), or an SQL condition.")
]
Protocol = Annotated[str, typer.Option(help="Protocol where a measure names none (linkassay ls protocols).")]
Scope = Annotated[list[str] | None, typer.Option(help="Only mentions inside of recognised(RUN); repeat to intersect.")]
Abbreviations = Annotated[
    str, typer.Option(help="Writes out abbreviations for slices: schwartz-hearst, ab3p, a file, or none.")
]
Exclude = Annotated[str, typer.Option(help="Gold ids that do not count: with commas between, or a file of them.")]
Fold = Annotated[bool, typer.Option("--fold-case", help="Compare texts lower-cased.")]
Resamples = Annotated[int, typer.Option(help="Resamples of documents for intervals.", min=100, max=1_000_000)]
Form = Annotated[str, typer.Option("--format", help="Table as plain, tsv, md or latex.")]


def score(
    names: Runs,
    measures: Annotated[
        str, typer.Option(help="e.g. recall@1,recall(protocol=belb/strict)@5,mrr (linkassay ls measures).")
    ] = DEFAULT_MEASURES,
    by: Slices = None,
    protocol: Protocol = "",
    sets: Annotated[str, typer.Option("--set", help="Evaluation sets, with commas between (ls sets).")] = "",
    scope: Scope = None,
    abbreviations: Abbreviations = "schwartz-hearst",
    exclude_ids: Exclude = "",
    fold: Fold = False,
    resamples: Resamples = RESAMPLES,
    preset: Annotated[
        str,
        typer.Option(help="bioel: slices tested as in that paper; end to end: fair, elevant, gerbil/strong or /weak."),
    ] = "",
    task: Annotated[
        str, typer.Option(help="disambiguation (mentions given), or end-to-end (spans predicted too).")
    ] = "",
    nil: Annotated[str, typer.Option(help="End to end: NIL ignored or required; both if not said.")] = "",
    spans: Annotated[str, typer.Option(help="End to end, preset fair: spans exact, words or overlap.")] = "",
    failures: Annotated[int, typer.Option(help="Also why mentions fail, at this K.", min=0)] = 0,
    hierarchy: Annotated[str, typer.Option(help="How wrong is wrong. " + in_hierarchy.HIERARCHY)] = "",
    form: Form = "",
    as_json: Json = False,
) -> None:
    """Score runs: with given mentions by any measure, protocol, set and slice, or end to end."""
    import linkassay

    terminal.one_of("--task", task, ("", "disambiguation", "end-to-end"))
    if task == "end-to-end":
        from linkassay.cli import endtoend
        from linkassay.scoring.results import Result

        endtoend.refuse({
            "--measures": measures != DEFAULT_MEASURES, "--protocol": protocol, "--exclude-ids": exclude_ids,
            "--failures": failures,
        })  # fmt: skip
        endtoend.score_end_to_end(
            [linkassay.run(name) for name in names], preset=preset or "fair", nil=nil, by=_slices(by), spans=spans,
            sets=[s.strip() for s in sets.split(",") if s.strip()], scope=scope or (),
            options=endtoend.texts(abbreviations, fold), resamples=resamples, hierarchy=hierarchy, form=form,
            as_json=as_json, keep=Result().figures.keep,
        )  # fmt: skip
        return
    if nil or spans:
        raise UsageError("--nil and --spans are of --task end-to-end")
    from linkassay.scoring.disambiguation import Protocol as Policies
    from linkassay.scoring.disambiguation import parse_measures
    from linkassay.scoring.results import Result, store_counts
    from linkassay.tables import Rows

    terminal.one_of("--preset", preset, ("", "bioel"))
    if hierarchy:
        if protocol or preset or failures:
            raise UsageError("--hierarchy takes the first rank as it is: leave out --protocol, --preset and --failures")
        in_hierarchy.score(
            names, hierarchy, sets=sets, by=_slices(by), measures="" if measures == DEFAULT_MEASURES else measures,
            form=form, as_json=as_json, scope=scope or (), abbreviations=abbreviations, exclude_ids=exclude_ids,
            fold=fold, resamples=resamples,
        )  # fmt: skip
        return
    standard = Policies.parse(protocol) if protocol else None
    chosen = [s.strip() for s in sets.split(",") if s.strip()] or ["global"]
    wanted = list(dict.fromkeys(m for each in chosen for m in parse_measures(measures, standard, each)))
    runs = {(run.corpus, run.key): run for run in map(linkassay.run, names)}  # a run that is named twice is one
    scores = [
        linkassay.score(run, wanted, by=_slices(by), scope=scope or (), abbreviations=abbreviations,
                        exclude_ids=exclude_ids, fold=fold, resamples=resamples)
        for run in runs.values()
    ]  # fmt: skip
    result = Result(scores)
    rows = Rows(figure.row() for figure in result.asked(preset))
    if failures:
        rows += [figure.row() for figure in result.failures(failures, protocol)]
    store_counts(scores)
    if as_json:
        terminal.print_json({"rows": list(rows)})
    elif form:
        print(rows.text(form))
    else:
        called = terminal.names(runs.values())
        terminal.table(
            "scores", [_score_row(row, called.get((row["corpus"], row["run"]), row["system"])) for row in rows]
        )
        for line in terminal.score_notes(scores, rows, preset):
            print(line)


def compare(
    names: Runs,
    measure: Annotated[str, typer.Option(help="What is compared.")] = RECALL,
    protocol: Protocol = "",
    scope: Scope = None,
    preset: Annotated[
        str, typer.Option(help="bioel: each run's slices against all mentions, z-tests; end to end: as of score.")
    ] = "",
    task: Annotated[str, typer.Option(help="disambiguation, or end-to-end: --measure f1, ner-f1 …")] = "",
    nil: Annotated[str, typer.Option(help="End to end: NIL ignored (if not said) or required.")] = "",
    spans: Annotated[str, typer.Option(help="End to end, preset fair: spans exact, words or overlap.")] = "",
    set_: Annotated[str, typer.Option("--set", help="End to end: the evaluation set (ls sets).")] = "",
    fold: Fold = False,
    by: Slices = None,
    effect: Annotated[
        bool, typer.Option("--abbreviation-effect", help="Pairs of runs, without and with abbreviations written out.")
    ] = False,
    abbreviations: Abbreviations = "schwartz-hearst",
    exclude_ids: Exclude = "",
    resamples: Resamples = RESAMPLES_COMPARED,
    examples: Annotated[int, typer.Option(help="Mentions listed as fixed, broken, right for none.", min=0)] = 5,
    form: Form = "",
    as_json: Json = False,
) -> None:
    """Compare runs of one corpus: paired tests, what was fixed and broken, correlation, best possible ensemble."""
    import linkassay
    from linkassay.scoring.disambiguation import abbreviation_effect, bioel_slices, compare_runs, effect_row
    from linkassay.scoring.results import Result
    from linkassay.tables import Rows

    terminal.one_of("--task", task, ("", "disambiguation", "end-to-end"))
    if task == "end-to-end":
        from linkassay.cli import endtoend

        endtoend.refuse({"--protocol": protocol, "--exclude-ids": exclude_ids, "--abbreviation-effect": effect})
        endtoend.compare_end_to_end(
            [linkassay.run(name) for name in names], "f1" if measure == RECALL else measure, preset=preset or "fair",
            spans=spans, nil=nil, by=_slices(by), set_=set_ or "global", scope=scope or (),
            options=endtoend.texts(abbreviations, fold), resamples=resamples, examples=examples, form=form,
            as_json=as_json, keep=Result().figures.keep,
        )  # fmt: skip
        return
    if nil or spans or set_ or fold:
        raise UsageError("--nil, --spans, --set and --fold-case are of --task end-to-end")
    if by and not preset:
        raise UsageError("--by is of --preset bioel and of --task end-to-end; `score --by` shows slices of each run")
    terminal.one_of("--preset", preset, ("", "bioel"))
    scores = [
        linkassay.score(name, [measure], protocol=protocol, scope=scope or (), abbreviations=abbreviations,
                        exclude_ids=exclude_ids)
        for name in names
    ]  # fmt: skip
    if len(scores[0].measures) > 1:
        raise UsageError(f"--measure {measure}: runs are compared under one measure")
    if effect:
        if len(scores) % 2:
            raise UsageError("--abbreviation-effect takes pairs of runs: without, with, without, with …")
        pairs = list(zip(scores[::2], scores[1::2], strict=True))
        found = Result().keep(abbreviation_effect(pairs, scores[0].measures[0]))
        rows = Rows(map(effect_row, found))
        if as_json:
            terminal.print_json({"rows": list(rows)})
        else:
            print(rows.text(form or "plain"))
        return
    if preset:
        rows = Rows(figure.row() for figure in Result().keep(bioel_slices(scores, _slices(by))))
        if as_json:
            terminal.print_json({"rows": list(rows)})
        else:
            print(rows.text(form or "plain"))
        return
    compared = compare_runs(scores, scores[0].measures[0], resamples, examples, Result().figures.keep)
    terminal.comparison(compared, form, as_json)


def _slices(by: list[str] | None) -> list[str]:
    """Each name between commas is a slice; a text with a colon, blank or sign in it is one SQL condition."""
    found: list[str] = []
    for text in by or []:
        plain = all(re.fullmatch(r"\s*[\w-]+\s*", part) for part in text.split(","))
        found += [part.strip() for part in text.split(",")] if plain else [text]
    return found


def _score_row(row: dict[str, Any], system: str) -> dict[str, Any]:
    """A row as a person reads it: what is the same for all is left to the notes."""
    found = {"system": system} | {key: row[key] for key in ("corpus", "slice", "measure")}
    found |= {
        "value": terminal.number(row["value"], 4),
        "95 %": terminal.interval(row, 4),
        "n": terminal.number(row["n"], 1),
    }
    if "difference" in row:
        apart = row["difference"]
        found |= {"difference": "–" if apart is None else fixed(apart, 4, sign=True), "p": terminal.chance(row["p"]),
                  "p (Holm)": terminal.chance(row.get("p_holm"))}  # fmt: skip
    if "tie_sd" in row:
        found["sd of ties"] = terminal.number(row["tie_sd"], 4)
    return found


def report(
    names: Annotated[list[str], typer.Argument(metavar="RUN…", help="Runs, of one corpus or several.")],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Where to write the page.")] = None,
    form: Annotated[str, typer.Option("--format", help="Only the tables, as plain, tsv, md or latex.")] = "",
    as_json: Json = False,
) -> None:
    """Write one self-contained HTML page about some runs (report.html), or only its tables as text."""
    import linkassay

    if form:
        from linkassay import store
        from linkassay.pages import gather_page, tables_as_text, without_charts
        from linkassay.tables import TABLE_FORMATS

        terminal.one_of("--format", form, tuple(TABLE_FORMATS))
        with without_charts():
            text = tables_as_text(gather_page([linkassay.score(name) for name in names]), form)
        if out is None:
            if as_json:
                raise UsageError("--json with --format needs -o FILE: the tables are the output")
            print(text, end="")
            return
        path = out
        store.write_text(path, text)
    else:
        path = linkassay.report(names, out or Path("report.html"))
    if as_json:
        terminal.print_json({"report": str(path.resolve())})
    else:
        print(f"report: {path.resolve()}")
