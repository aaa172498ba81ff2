"""`check`: what is wrong with a corpus or a predictions file, counted by kind, with examples.

Nothing is stored or changed. The result says `ok` only when nothing at all was found.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from linkassay.cautions import Caution, corpus_cautions, data_cautions, kb_cautions, run_cautions
from linkassay.corpora import (
    CORPORA,
    Corpus,
    canonical_name,
    corpus_names,
    ensure_mini,
    id_rules,
    unexpected_counts,
    with_corpus_types,
)
from linkassay.errors import DataError, UsageError
from linkassay.files import RawFile, expand_paths
from linkassay.formats import DOCUMENT_FORMATS, Reading, read_documents
from linkassay.formats.predictions import native
from linkassay.formats.syntax import parse_json
from linkassay.kbs import KBS, Kb, kb_names
from linkassay.model import STRAY, Document, Prediction, join_text
from linkassay.problems import Problem, Problems
from linkassay.runs import Run, all_runs
from linkassay.runs.importing import hold_to_corpus

__all__ = ["check", "check_corpus", "check_files", "check_kb", "check_predictions", "check_run", "guess_format"]


def check_corpus(corpus: Corpus) -> dict[str, Any]:
    """Verify a stored corpus: offsets, unique ids, parents, and its expected counts (also by type)."""
    problems = Problems(skip=True)
    for report in corpus.manifest["reports"].values():
        problems.counts.update({f"{kind} (left out when read)": n for kind, n in report["counts"].items()})
        problems.notes.update(report.get("notes", {}))
        problems.examples += [Problem(**each | {"spans": tuple(map(tuple, each["spans"]))})
                              for each in report["examples"] if each["kind"] in problems.notes]  # fmt: skip
    documents: set[str] = set()
    mentions: set[str] = set()
    for document in corpus:
        for problem in _document_problems(document, documents, mentions):
            problems.add(problem)
    for split, what, found, expected in unexpected_counts(corpus.manifest):
        problems.add(Problem("count", f"{split}: {what}", found=str(found), expected=str(expected)))
    counts = corpus.manifest["splits"]
    return _result("corpus", f"{corpus.name}@{corpus.revision}", problems, corpus_cautions(corpus, whole=True)) | {
        "splits": {split: {k: counts[split][k] for k in ("documents", "annotations")} for split in corpus.splits}
    }


def check_run(run: Run) -> dict[str, Any]:
    """What is doubtful about a stored run and the data that it was made with."""
    corpus, kb = run.open_corpus(), run.open_kb() if run.about["kb_revision"] else None
    cautions = [*data_cautions(corpus, kb, run.split), *run_cautions(run, whole=True)]
    return _result("run", f"{run.corpus}/{run.path.name}", Problems(), cautions) | {
        "predictions": run.about["mentions"]
    }


def check_kb(kb: Kb) -> dict[str, Any]:
    """What is doubtful about a stored knowledge base."""
    return _result("knowledge base", kb.pinned, Problems(), kb_cautions(kb, whole=True)) | {
        "counts": kb.manifest["counts"]
    }


def check(targets: Sequence[str | Path], format: str, corpus: str, reading: Reading) -> dict[str, Any]:
    """Check a corpus by its name, or files: predictions are held to their corpus, any others to their format."""
    paths = [Path(target) for target in targets]
    if not paths:
        raise UsageError("nothing to check: give the name of a corpus, or files")
    if not (format or corpus or len(paths) > 1 or paths[0].exists() or paths[0].suffix):
        return _check_stored(str(targets[0]))
    format = format or ("predictions" if corpus else guess_format(expand_paths(paths)))
    if format != "predictions":
        return check_files(paths, format, reading)
    if not corpus:
        raise UsageError("a predictions file is checked against its corpus: add --corpus NAME")
    return check_predictions(paths, _opened(corpus))


def _check_stored(name: str) -> dict[str, Any]:
    """A corpus by its name, else a knowledge base, else a run."""
    ensure_mini(name)
    bare = name.partition("@")[0]
    if canonical_name(bare.partition("/")[0]) not in {*CORPORA, *corpus_names()} and bare in {*KBS, *kb_names()}:
        return check_kb(Kb.open(name))
    runs = {
        each for run in all_runs() for each in (run.name, f"{run.name}@{run.split}", f"{run.corpus}/{run.path.name}")
    }
    if name in runs:
        return check_run(Run.open(name))
    return check_corpus(_opened(name))


def _opened(name: str) -> Corpus:
    ensure_mini(name)
    return Corpus.open(name)


def check_files(paths: Iterable[Path], format: str, reading: Reading) -> dict[str, Any]:
    """Read raw files of a corpus and report everything that is wrong with them."""
    reading.problems.skip = True
    documents = annotations = 0
    names: Counter[str] = Counter()
    mentions: Counter[str] = Counter()
    files = expand_paths(paths)
    try:
        for document in read_documents(format, files, reading):
            documents += 1
            annotations += len(document.mentions)
            names[document.id] += 1
            if names[document.id] == 2:
                reading.problems.add(Problem("document", f"document {document.id!r} occurs twice{reading.repeated}",
                                             document=document.id))  # fmt: skip
                continue
            mentions.update(m.id for m in document.annotations)
    except DataError as error:  # the rest of the file cannot be read
        reading.problems.add(Problem("file", error.message, error.file, error.line))
    for name, count in mentions.items():
        if count > 1:
            reading.problems.add(Problem("mention", f"mention id {name!r} occurs {count} times"))
    if not documents and not reading.problems.counts:
        reading.problems.add(Problem("empty", "there is no document in the files"))
    target = ", ".join(f.name for f in files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")
    return _result("corpus", target, reading.problems) | {
        "format": format, "documents": documents, "annotations": annotations,
        "read": dict(sorted(reading.read.items())),
    }  # fmt: skip


def check_predictions(paths: Iterable[Path], corpus: Corpus) -> dict[str, Any]:
    """Hold native predictions to the corpus they are for as `import` does, in all splits, and look at each closely."""
    problems = Problems(skip=True)
    files, claims = expand_paths(paths), []
    try:
        for claim in native.read_claims(files, Reading(rules=id_rules(corpus), problems=problems)):
            claims.append(claim)
            for kind, message in _doubts(claim.prediction):
                problems.add(Problem(kind, message, claim.file, claim.line, claim.prediction.document,
                                     claim.prediction.spans, type=claim.prediction.type))  # fmt: skip
    except DataError as error:  # the rest of the file cannot be read
        problems.add(Problem("file", error.message, error.file, error.line))
    if not claims and not problems.counts:
        problems.add(Problem("empty", "there is no prediction in the files"))
    found = hold_to_corpus(list(with_corpus_types(claims, corpus)), corpus, problems).as_dict()
    target = f"{', '.join(f.name for f in files)} against {corpus.name}@{corpus.revision}"
    return _result("predictions", target, problems) | {
        "predictions": found["claims"], "mentions": found["gold_mentions"], "covered": found["covered"],
        "not_joined": found["not_joined"], "unknown_mentions": found["unknown_mentions"],
    }  # fmt: skip


def _doubts(prediction: Prediction) -> Iterable[tuple[str, str]]:
    """(kind, message) of what can be stored but is hardly meant."""
    ids = [identifier for group in prediction.groups for identifier in group]
    if len(set(ids)) < len(ids):
        yield "candidate", "the same id is a candidate twice"
    for identifier in ids:
        if not re.fullmatch(r"[A-Za-z][\w.]*:\S+", identifier):
            yield "id", f"{identifier!r} is no id of the form prefix:local"
    if prediction.nil and ids:
        yield "nil", "NIL and candidates at once"
    if any(a < b for a, b in itertools.pairwise(prediction.scores)):
        yield "order", "the scores rise: the best candidate must come first"


def guess_format(files: list[RawFile]) -> str:
    """The format that the first file's name and first bytes suggest."""
    if not files:
        raise UsageError("no files to check")
    file = files[0]
    by_suffix = {".ann": "brat", ".ttl": "nif", ".nif": "nif", ".tsv": "mentions", ".parquet": "mentions",
                 ".iob": "iob", ".conll": "iob", ".xml": "bioc", ".pubtator": "pubtator"}  # fmt: skip
    if any(f.suffix == ".ann" for f in files):
        return "brat"
    with file.open() as stream:
        head = stream.read(4096)
    first = next((line for line in head.splitlines() if line.strip()), b"")
    if first.count(b"|") >= 2 and first.split(b"|")[1] in (b"t", b"a"):
        return "pubtator"
    if head.lstrip().startswith(b"<"):
        return "bioc"
    if first.lstrip().startswith(b"{"):
        number, line = next((n, text) for n, text in file.lines() if text.strip())
        keys = set(dict(parse_json(line, file.name, number).members())) if line.rstrip().endswith("}") else set()
        signs = {"candidates": "predictions", "labels": "elevant", "mentions": "jsonl", "text": "jsonl"}
        return next((format for sign, format in signs.items() if sign in keys), "bioc" if not keys else "jsonl")
    if file.suffix in by_suffix:
        return by_suffix[file.suffix]
    raise UsageError(f"cannot tell the format of {file.name}; say it with --format ({', '.join(DOCUMENT_FORMATS)})")


def _document_problems(document: Document, documents: set[str], mentions: set[str]) -> Iterable[Problem]:
    if document.id in documents:
        yield Problem("document", f"document {document.id!r} occurs twice", document=document.id)
    documents.add(document.id)
    ids = {m.id for m in document.annotations}
    for mention in document.annotations:
        if mention.id in mentions:
            yield Problem("mention", f"mention id {mention.id!r} occurs twice", document=document.id)
        mentions.add(mention.id)
        if mention.parent and mention.parent not in ids and mention.role != STRAY:
            yield Problem("parent", f"parent {mention.parent!r} is not in the document", document=document.id)
        found = join_text(document.text, mention.spans)
        if document.text and found != mention.text:
            yield Problem("offset", "the text at the span differs", document=document.id, spans=mention.spans,
                          found=found, expected=mention.text, type=mention.type)  # fmt: skip


def _result(kind: str, target: str, problems: Problems, cautions: Sequence[Caution] = ()) -> dict[str, Any]:
    changed = any(caution.kind == "changed-files" for caution in cautions)
    return {
        "kind": kind,
        "target": target,
        "ok": not problems.counts and not problems.notes and not changed,
        "warnings": [caution.as_dict() for caution in cautions],
        "problems": problems.as_dict(),
    }
