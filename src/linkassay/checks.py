"""`check`: what is wrong with a corpus or a predictions file, counted by kind, with examples.

Nothing is stored or changed. The result says `ok` only when nothing at all was found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from linkassay import formats
from linkassay.corpora.stored import Corpus
from linkassay.errors import DataError, UsageError
from linkassay.files import RawFile, expand
from linkassay.formats import predictions
from linkassay.formats.base import Reading
from linkassay.model import Document, join_text
from linkassay.problems import Problem, Problems

__all__ = ["check_corpus", "check_files", "check_predictions", "guess_format"]


def check_corpus(corpus: Corpus) -> dict[str, Any]:
    """Verify a stored corpus: offsets, unique ids, parents, and its expected counts (also by type)."""
    problems = Problems(skip=True)
    for report in corpus.manifest["reports"].values():
        problems.counts.update({f"{kind} (left out when read)": n for kind, n in report["counts"].items()})
    seen: set[str] = set()
    for document in corpus:
        for problem in _document_problems(document, seen):
            problems.add(problem)
    counts = corpus.manifest["splits"]
    for split, expected in corpus.manifest["expected"].items():
        for what, n in expected.items():
            here = counts.get(split, {"types": {}})
            found = here.get(what, here["types"].get(what))
            if found != n:
                problems.add(Problem("count", f"{split}: {what}", found=str(found), expected=str(n)))
    return _result("corpus", f"{corpus.name}@{corpus.revision}", problems) | {
        "splits": {split: {k: counts[split][k] for k in ("documents", "annotations")} for split in corpus.splits}
    }


def check_files(paths: Iterable[Path], format: str, reading: Reading) -> dict[str, Any]:
    """Read raw files of a corpus and report everything that is wrong with them."""
    reading.problems.skip = True
    documents = annotations = 0
    names: Counter[str] = Counter()
    files = expand(paths)
    try:
        for document in formats.read(format, files, reading):
            documents += 1
            annotations += len(document.mentions)
            names[document.id] += 1
            if names[document.id] == 2:
                reading.problems.add(Problem("document", f"document {document.id!r} occurs twice",
                                             document=document.id))  # fmt: skip
    except DataError as error:  # the rest of the file cannot be read
        reading.problems.add(Problem("file", str(error)))
    target = ", ".join(f.name for f in files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")
    return _result("corpus", target, reading.problems) | {
        "format": format, "documents": documents, "annotations": annotations,
        "read": dict(sorted(reading.read.items())),
    }  # fmt: skip


def check_predictions(paths: Iterable[Path], corpus: Corpus) -> dict[str, Any]:
    """Hold native predictions against the corpus they are for."""
    problems = Problems(skip=True)
    lengths: dict[str, int] = {}
    mentions: set[str] = set()
    for document in corpus:
        lengths[document.id] = len(document.text)
        mentions.update(m.id for m in document.annotations)
    seen: set[object] = set()
    covered: set[str] = set()
    count = 0
    try:
        for prediction in predictions.read(expand(paths)):
            count += 1
            where = {"document": prediction.document, "spans": prediction.spans, "type": prediction.type}
            if prediction.document not in lengths:
                problems.add(Problem("document", "the corpus has no such document", **where))  # type: ignore[arg-type]
                continue
            length = lengths[prediction.document]
            if length and any(not 0 <= s < e <= length for s, e in prediction.spans):
                problems.add(Problem("span", f"outside the text of {length} characters", **where))  # type: ignore[arg-type]
            if prediction.mention and prediction.mention not in mentions:
                problems.add(Problem("mention", f"no mention {prediction.mention!r}", **where))  # type: ignore[arg-type]
            identity = prediction.mention or (prediction.document, prediction.spans, prediction.type)
            if identity in seen:
                problems.add(Problem("duplicate", "predicted before", **where))  # type: ignore[arg-type]
            seen.add(identity)
            covered.add(prediction.mention)
    except DataError as error:
        problems.add(Problem("file", str(error)))
    target = f"{', '.join(str(p) for p in paths)} against {corpus.name}@{corpus.revision}"
    return _result("predictions", target, problems) | {"predictions": count, "mentions_named": len(covered - {""})}


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
        if b'"candidates"' in head:
            return "predictions"
        return "elevant" if b'"labels"' in head or b'"evaluation_span"' in head else (
            "bioc" if b'"infons"' in head else "jsonl")  # fmt: skip
    if file.suffix in by_suffix:
        return by_suffix[file.suffix]
    raise UsageError(f"cannot tell the format of {file.name}; say it with --format ({', '.join(formats.FORMATS)})")


def _document_problems(document: Document, seen: set[str]) -> Iterable[Problem]:
    if document.id in seen:
        yield Problem("document", f"document {document.id!r} occurs twice", document=document.id)
    seen.add(document.id)
    ids = {m.id for m in document.annotations}
    for mention in document.annotations:
        if mention.id in seen:
            yield Problem("mention", f"mention id {mention.id!r} occurs twice", document=document.id)
        seen.add(mention.id)
        if mention.parent and mention.parent not in ids:
            yield Problem("parent", f"parent {mention.parent!r} is not in the document", document=document.id)
        found = join_text(document.text, mention.spans)
        if document.text and found != mention.text:
            yield Problem("offset", "the text at the span differs", document=document.id, spans=mention.spans,
                          found=found, expected=mention.text, type=mention.type)  # fmt: skip


def _result(kind: str, target: str, problems: Problems) -> dict[str, Any]:
    return {"kind": kind, "target": target, "ok": not problems.counts, "problems": problems.as_dict()}
