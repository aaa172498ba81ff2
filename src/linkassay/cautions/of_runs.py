"""Cautions about runs: what they were made of, what they answered, and what is asked of them now."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from linkassay import store
from linkassay.cautions.caution import Caution, named
from linkassay.cautions.of_data import changed, few_documents, gold_cautions, kb_cautions, type_cautions
from linkassay.corpora import Corpus
from linkassay.kbs import Kb
from linkassay.runs import Run

_NONE = pa.scalar(0, pa.int32())
_ROWS = 5_000  # predictions looked at together: most often the first few have every type
#: A type of fewer mentions may well be answered for none of them.
_FEW_MENTIONS = 5


def result_cautions(runs: Iterable[Run], *, end_to_end: bool | None = False) -> list[Caution]:
    """What is doubtful about figures of some runs: each caution once, those about data first.

    `end_to_end` says how they are scored, None that they are not.
    """
    found: dict[Caution, None] = {}
    of_runs: dict[Caution, None] = {}
    for run in runs:
        corpus, kb = run.open_corpus(), _kb(run)
        found.update(dict.fromkeys(data_cautions(corpus, kb, run.split)))
        if end_to_end is not None:
            found.update(dict.fromkeys(few_documents(corpus, run.split)))
        of_runs.update(dict.fromkeys(run_cautions(run, end_to_end=end_to_end)))
    return [*found, *of_runs]


def data_cautions(corpus: Corpus, kb: Kb | None, split: str) -> list[Caution]:
    """What is doubtful about the data of a run."""
    corpus[split]  # an unknown one is refused
    cautions = changed(corpus.path, corpus.manifest, f"corpus {corpus.name}", "remove its folder and get it again")
    if kb is not None:
        cautions += kb_cautions(kb) + gold_cautions(corpus, kb, split) + type_cautions(corpus, kb)
    return cautions


def run_cautions(run: Run, *, end_to_end: bool | None = None, whole: bool = False) -> list[Caution]:
    """What is doubtful about a run; `end_to_end` says how it is scored, if it is."""
    cautions = changed(run.path, run.about, run.name, f"make it again: {run.command}", whole=whole)
    cautions += [*_of_revisions(run), *_of_making(run), *_of_ids(run), *_of_import(run), *_of_answers(run)]
    if end_to_end is False:
        cautions += _found_mentions(run)
    return cautions


def _kb(run: Run) -> Kb | None:
    """The knowledge base of a run, if it has one."""
    return run.open_kb() if run.about["kb_revision"] else None


def _of_revisions(run: Run) -> list[Caution]:
    """Where what a run was made with has been replaced since (WARN-3)."""
    cautions = []
    for kind, name, used in (
        ("corpora", run.corpus.partition("/")[0], run.about["corpus_revision"]),
        ("kbs", run.about["kb"], run.about["kb_revision"]),
    ):
        now = store.current(store.home() / kind / name.partition("@")[0]) if name and used else None
        if now and now != used:
            cautions.append(Caution("other-revision", run.name, f"made with {name}@{used}, and scored on that; the "
                                    f"current revision is {now}", f"make it again: {run.command}"))  # fmt: skip
    return cautions


def _of_making(run: Run) -> list[Caution]:
    """What went wrong while a linker ran, and what it had seen before (LINKER-12)."""
    cautions = []
    if failed := run.about.get("failures", []):
        cautions.append(Caution("failed-documents", run.name, f"{len(failed)} documents failed and are without "
                                f"answers; the first is {failed[0]['document']}: {failed[0]['error']}",
                                f"make it again: {run.command}"))  # fmt: skip
    if run.leak:
        cautions.append(Caution("trained-on-test", run.name, f"{run.leak}: its figures say nothing of texts that are "
                                "new to it", "train on something else (--train-on)"))  # fmt: skip
    return cautions


def _of_ids(run: Run) -> list[Caution]:
    """Predicted ids that nothing can be said of, and those that cannot be right (WARN-2)."""
    about, imported = run.about, run.about.get("import", {})
    cautions = []
    if (unknown := about.get("unknown_ids", {})) and unknown["count"]:
        cautions.append(Caution("predicted-not-in-kb", run.name, f"{unknown['count']:,} predicted ids are not in "
                                f"{about['kb']}: {named(unknown['examples'])}", _OTHER_KB))  # fmt: skip
    for key, kind, says, cure in (
        ("undecoded_ids", "undecoded-ids",
         "ids are the source's own, which nothing here can decode: not wrong, but they cannot be judged",
         "import with --ids FILE"),
        ("malformed_ids", "malformed-ids", "ids have no form of their knowledge base", "mend them in the files"),
        ("unknown_ids", "predicted-not-in-kb", f"predicted ids are not in {about['kb']}", _OTHER_KB),
    ):  # fmt: skip
        found = imported.get(key)
        if found and found["ids"]:
            cautions.append(Caution(kind, run.name, f"{found['ids']:,} {says}, in {found['predictions']:,} "
                                    f"predictions: {named(found['examples'], found['ids'])}", cure))  # fmt: skip
    return cautions


_OTHER_KB = "is it the knowledge base (--kb) and the prefix (--prefix) that the system used?"


def _of_import(run: Run) -> list[Caution]:
    """What does not fit between imported files and their corpus (IMPORT-5, IMPORT-6)."""
    report: dict[str, Any] = run.about.get("import", {})
    cautions = []
    if shift := report.get("shift"):
        cautions.append(Caution("shifted-offsets", run.name, f"only {report['joined']:,} predictions join a gold "
                                f"mention, and {shift['would_join']:,} would if all offsets moved by {shift['by']}",
                                f"add --shift {shift['by']}"))  # fmt: skip
    if run.absent:
        cautions.append(Caution("absent-documents", run.name, run.absence(
            f"{named(run.absent)}; their mentions count as missed, but with --task end-to-end --preset elevant, which "
            "leaves them out")))  # fmt: skip
    return cautions


def _of_answers(run: Run) -> list[Caution]:
    """Where a system answered nothing, at all or for a type (WARN-5)."""
    if run.about.get("failures") and len(run.about["failures"]) == run.about.get("documents"):
        return []  # that is said already
    corpus = run.open_corpus()
    types = corpus.manifest["splits"][run.split].get("types", {})
    wanted = {type_: n for type_, n in types.items() if type_ and corpus.type in (None, type_) and n >= _FEW_MENTIONS}
    answered = _answered_types(run, wanted.keys())
    if not answered:
        return [Caution("no-answer", run.name, "it answered nothing at all: no mention has a candidate",
                        "is it the right --kb for the corpus?")]  # fmt: skip
    silent = [type_ for type_ in wanted if type_ not in answered]
    if silent:  # predictions may have no types, or those of what was predicted
        silent = _unanswered(run, corpus, silent)
    if silent := sorted(silent, key=lambda each: -wanted[each]):
        told = [f"{type_} ({wanted[type_]:,} mentions)" for type_ in silent]
        return [Caution("no-answer-for-type", run.name, f"it answered nothing for {named(told)}",
                        "score a corpus of what it is made for (CORPUS/TYPE), or see --by type")]  # fmt: skip
    return []


def _answered_types(run: Run, wanted: Set[str]) -> set[str]:
    """The types of mentions with an answer, NIL being one; each of several. Once all those wanted are there it ends."""
    found: set[str] = set()
    for batch in run.batches(["type", "groups", "nil"], _ROWS):
        said = pc.or_(pc.greater(pc.list_value_length(batch["groups"]), _NONE), batch["nil"])
        types = pc.unique(batch["type"].filter(said)).to_pylist()
        found.update(part for type_ in types for part in (type_ or "").split("|"))
        if found and found >= wanted:
            break
    return found


def _unanswered(run: Run, corpus: Corpus, types: list[str]) -> list[str]:
    """Those of some types of gold mentions of which no mention, by its id or its place, has an answer."""
    connection = corpus.connect()
    rows = connection.execute(
        "with said as (select mention, document, spans from read_parquet(?) where len(groups) > 0 or nil), "
        "gold as (select id, document, spans, unnest(string_split(type, '|')) as type from mentions "
        "where split = ? and parent = '') "
        "select distinct type from gold where id in (select mention from said) "
        "or (document, spans) in (select (document, spans) from said)",
        [str(run.path / "predictions.parquet"), run.split],
    ).fetchall()
    found = {type_ for (type_,) in rows}
    return [type_ for type_ in types if type_ not in found]


def _found_mentions(run: Run) -> list[Caution]:
    """A system that finds mentions itself, scored as if these were given (WARN-6)."""
    report = run.about.get("import", {})
    if run.about["parameters"].get("give") == "text":
        found = "it was given texts and found its mentions itself"
    elif report.get("other_spans"):
        found = f"{report['other_spans']:,} of its predictions stand on no gold mention"
    else:
        return []
    return [Caution("found-mentions", run.name, f"{found}: here only those on gold mentions count, and what it did not "
                    "find is wrong", f"score it with: linkassay score {run.name} --task end-to-end")]  # fmt: skip
