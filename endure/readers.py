"""Every reader of files that others wrote, with samples to begin from, and what holds of all that it yields."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

from linkassay.bench_files import read_plan
from linkassay.corpora import CORPORA, spec_of
from linkassay.corpora.id_spelling import read_id_file, read_same_as
from linkassay.corpora.stored_corpus import SplitWriter
from linkassay.files import RawFile, expand_paths, find, from_bytes
from linkassay.formats import DOCUMENT_FORMATS
from linkassay.formats.documents import inline_xml, iob, mutation_json
from linkassay.formats.predictions import native, services
from linkassay.formats.reading import Reading
from linkassay.ids import IdRule
from linkassay.kbs import KBS, spec_from_toml
from linkassay.kbs.readers import json_lines, own_table
from linkassay.kbs.schema import batches
from linkassay.model import STRAY, Document, join_text
from linkassay.problems import Problems
from linkassay.runs.importing import IMPORTERS
from linkassay.scoring.hierarchy import load_scenario
from linkassay.text import alleles, name_key, split_sentences, variant_forms
from linkassay.text.abbreviations.schwartz_hearst import expansions
from linkassay.text.abbreviations.sources import FromFile
from linkassay.wic import pair_files, read_predictions, read_sheet
from linkassay.wic.baselines.vectors import read_vectors
from linkassay.wic.scores import data_name

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "tests" / "samples"

File = tuple[str, bytes]
#: Reads named bytes; whether what is broken is left out, where there is a choice.
Read = Callable[[list[File], bool], object]


@dataclass(frozen=True)
class Reader:
    """A reader, whose `kind` is a line of the page, and files that it reads without complaint."""

    kind: str
    samples: tuple[File, ...]
    read: Read


def sample(*paths: str) -> tuple[File, ...]:
    """Files of the samples by their names."""
    return tuple((file.name, file.bytes()) for file in expand_paths([SAMPLES / path for path in paths]))


def _reading(skip: bool) -> Reading:
    return Reading(rules={"": IdRule(composite="|", alternative=";")}, problems=Problems(skip=skip))


def _raw(files: Iterable[File]) -> list[RawFile]:
    return [from_bytes(*file) for file in files]


# --- documents and predictions --------------------------------------------------------------------------------------


def _documents(read: Callable[[list[RawFile], Reading], Iterable[object]], files: list[File], skip: bool) -> object:
    found = list(read(_raw(files), _reading(skip)))
    for document in found:
        if isinstance(document, Document):
            check_document(document)
    return found


def check_document(document: Document) -> None:
    """What holds of every document, however odd its source."""
    assert document.id.strip()
    ids = {m.id for m in document.annotations}
    assert len(ids) == len(document.annotations)
    for mention in document.annotations:
        assert mention.text.strip() or (mention.spans and not document.passages)
        assert mention.document == document.id
        assert not mention.parent or mention.parent in ids or mention.role == STRAY
        assert all(mention.gold)
        assert all(identifier.strip() for identifier in mention.ids)
        if document.passages:
            assert mention.text == join_text(document.text, mention.spans)
            assert 0 <= mention.start < mention.end <= len(document.text)
    str(document).encode()


def check_stored(found: object) -> None:
    """Documents can be stored, whatever they hold."""
    documents = [each for each in found if isinstance(each, Document)] if isinstance(found, list) else []
    if documents:
        with tempfile.TemporaryDirectory() as folder, SplitWriter(Path(folder), "test") as writer:
            for document in documents:
                writer.add(document)


#: Formats whose samples lie in a folder of another name, or of which not all can be read without options.
_FOLDERS = {"iob": "iob/tagged.tsv", "native": "predictions", "simple-jsonl": "simplejsonl"}
#: Answers of services: format → an answer about one document.
_SERVICES = {
    "bern2": {"annotations": [{"id": ["MESH:D006073"], "is_neural_normalized": True, "mention": "Gout", "prob": 0.9,
                               "obj": "disease", "span": {"begin": 0, "end": 4}}], "text": "Gout again."},
    "rel": [[0, 4, "Gout", "Gout", 0.5, 0.9, "DISEASE"]],
    "spotlight": {"@text": "Gout again.", "Resources": [{"@URI": "http://dbpedia.org/resource/Gout", "@offset": "0",
                                                         "@surfaceForm": "Gout", "@similarityScore": "0.9"}]},
}  # fmt: skip


def _of_documents() -> dict[str, Reader]:
    readers = {
        name: (_FOLDERS.get(name, name), lambda *given, name=name: DOCUMENT_FORMATS.load(name).read(*given))
        for name in DOCUMENT_FORMATS
    } | {
        "iob-aida": ("iob/aida.tsv", lambda files, reading: iob.read(files, reading, columns=iob.AIDA)),
        "inlinexml": ("inlinexml", inline_xml.read),
        "mutationjson": ("mutationjson", mutation_json.read),
    }  # fmt: skip
    return {
        name: Reader("documents", sample(path), partial(_documents, read)) for name, (path, read) in readers.items()
    }


def _of_predictions() -> dict[str, Reader]:
    found = {
        f"claims-{name}": Reader("predictions", sample(_FOLDERS.get(name, name)),
                                 partial(_documents, lambda *given, name=name: IMPORTERS.load(name)(*given)))
        for name in IMPORTERS
    }  # fmt: skip
    found["predictions"] = Reader("predictions", sample("predictions"), lambda files, _: list(native.read(_raw(files))))
    found["claims-belb-gold"] = Reader(
        "predictions", sample("belb-gold"), partial(_documents, lambda *given: IMPORTERS.load("belb")(*given))
    )
    for name, answer in _SERVICES.items():
        read = getattr(services, name)
        found[f"service-{name}"] = Reader(
            "predictions", ((f"{name}.json", json.dumps(answer).encode()),),
            partial(_documents, lambda files, reading, read=read: (c for f in files for c in read(f, reading, "1"))),
        )  # fmt: skip
    return found


#: Corpora whose samples lie in a folder of another name; those without any are in formats that others have too.
_CORPORA = {"medmentions_full": "medmentions", "medmentions_st21pv": "medmentions"}


def _corpus(name: str, files: list[File], skip: bool) -> object:
    spec = spec_of(name)
    raw = _raw(files)
    found = [document for _, document in spec.read(spec.used(raw), spec.reading(Problems(skip=skip)))]
    for document in found:
        check_document(document)
    return found


def _of_corpora() -> dict[str, Reader]:
    folders = {name: _CORPORA.get(name, name) for name in CORPORA}
    return {
        f"corpus-{name}": Reader("corpora", sample(f"corpora/{folder}"), partial(_corpus, name))
        for name, folder in folders.items()
        if (SAMPLES / "corpora" / folder).is_dir()
    }


# --- knowledge bases ------------------------------------------------------------------------------------------------

#: Columns of tables that are never empty.
_FILLED = {"entities": ("id",), "names": ("id", "name"), "parents": ("child", "parent", "relation"),
           "history": ("old",), "xrefs": ("id", "other"), "foreign": ("id", "name")}  # fmt: skip


def read_kb(reader: Callable[..., Any], options: Mapping[str, Any], files: list[File], _: bool = False) -> None:
    """Read one file of a knowledge base, and hold its tables to what holds of all."""
    for tables in batches(reader(_raw(files)[0], options)):
        for name, table in tables.items():
            for column in _FILLED[name]:
                assert all(value.strip() for value in table[column].to_pylist())


def _of_kbs() -> dict[str, Reader]:
    readers: dict[str, Reader] = {}
    files = expand_paths([SAMPLES / "kbs"])
    for kb in KBS:
        spec = KBS.load(kb)
        for part in spec.parts:
            module, _, function = part.read.partition(":")
            read = getattr(import_module(module), function)
            for pattern in part.files.split("|"):
                for file in find(files, pattern):
                    name = f"kb-{module.rpartition('.')[2]}-{function}-{Path(file.name).name}"
                    read_it = partial(read_kb, read, dict(spec.options) | {"prefix": ""})
                    readers.setdefault(name, Reader("knowledge bases", ((file.name, file.bytes()),), read_it))
    own = spec_from_toml(SAMPLES / "kbs" / "table" / "own.toml").options
    for name, path, read, options in (
        ("kb-own-rows", "kbs/table/own.csv", own_table.read_rows, own),
        ("kb-own-history", "kbs/table/old.txt", own_table.read_history, own),
        ("kb-lines", "kbs/jsonl/own.jsonl", json_lines.read_entities, {"prefix": "own", "type": "thing"}),
    ):
        readers[name] = Reader("knowledge bases", sample(path), partial(read_kb, read, options))
    return readers


# --- what users write -----------------------------------------------------------------------------------------------


def _on_disk(read: Callable[[Path], object], files: list[File], _: bool) -> object:
    """For readers that take a path."""
    name, data = files[0]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(name).name
        path.write_bytes(data)
        return read(path)


_BENCH = """
title = "Two on two"
report = "out/page.html"
[score]
measures = "recall@1,mrr"
by = ["zero-shot", "type"]
resamples = 100
exclude_ids = ["mesh:D1"]
[[kbs]]
name = "mini"
[[corpora]]
name = "mini"
splits = ["dev", "test"]
[[corpora]]
name = "mine"
format = "pubtator"
files = { test = "mine.txt" }
kb = "mini"
[[linkers]]
linker = "exact"
top = 5
[[linkers]]
linker = "command"
name = "mute"
workers = 2
timeout = 3.5
options = { cmd = "false", exchange = "jsonl" }
train_on = ["mini:train"]
[[imports]]
format = "native"
files = "run.jsonl"
corpus = "mini"
system = "other"
"""


def _scenario(path: Path) -> object:
    return load_scenario(f"{path}:branch", "mesh:D009369")


def _of_descriptions() -> dict[str, Reader]:
    scenarios = (ROOT / "src" / "linkassay" / "scoring" / "hierarchy" / "scenarios.toml").read_bytes()
    own = sample("kbs/table/own.toml")
    return {
        "toml-kb": Reader("descriptions", own, partial(_on_disk, lambda at: json.dumps(spec_from_toml(at).options))),
        "toml-bench": Reader("descriptions", (("bench.toml", _BENCH.encode()),), partial(_on_disk, read_plan)),
        "toml-scenario": Reader("descriptions", (("uses.toml", scenarios),), partial(_on_disk, _scenario)),
        "ids": Reader("descriptions", (("ids.json", b'{"1": "mesh:D1", "2": ["mesh:D2", "omim:2"]}'),),
                      partial(_on_disk, lambda path: read_id_file(path, "native", "mesh"))),
        "same-as": Reader("descriptions", (("same.tsv", b"http://dbpedia.org/resource/Gout\tQ133087\nGota\tQ1\n"),),
                          partial(_on_disk, lambda path: read_same_as(path, "wikidata"))),
        "abbreviations-json": Reader("descriptions", (("short.json", b'{"1": {"DM": "diabetes mellitus"}, "2": {}}'),),
                                     lambda files, _: FromFile(_raw(files)[0]).of("1", "DM")),
        "abbreviations-ab3p": Reader("descriptions", (("short.txt", b"1\n  DM|diabetes mellitus|0.99\n\n2\n"),),
                                     lambda files, _: FromFile(_raw(files)[0]).of("1", "DM")),
    }  # fmt: skip


# --- words in context -----------------------------------------------------------------------------------------------


def _of_words_in_context() -> dict[str, Reader]:
    biowic = sample("biowic")
    pairs = list(pair_files.read_biowic(_raw(biowic)[0]))
    labels = "".join(f'{{"item": {n}, "label": {n % 2}, "score": 0.5}}\n' for n in range(len(pairs))).encode()
    rows = "".join(f"{n}\t{data_name(pairs)}\t{n % 2}\n" for n in range(len(pairs)))
    superglue = (b'{"word": "flu", "sentence1": "The flu.", "sentence2": "Flu!", "start1": 4, "end1": 7, "start2": 0, '
                 b'"end2": 3, "label": true}\n')  # fmt: skip
    tables = (("a.data.txt", b"flu\tN\t1-0\tThe flu .\tFlu again\n"), ("a.gold.txt", b"T\n"))
    vectors = b"2 3\nflu 0.1 0.2 0.3\nagain 1 2 3\n"
    kind = "words in context"
    return {
        "biowic": Reader(kind, biowic, lambda files, _: pair_files.read_pairs(_raw(files))),
        "superglue": Reader(kind, (("a.jsonl", superglue),), lambda files, _: pair_files.read_pairs(_raw(files))),
        "wic": Reader(kind, tables, lambda files, _: pair_files.read_pairs(_raw(files))),
        "wic-labels": Reader(kind, (("labels.jsonl", labels),),
                             lambda files, _: read_predictions(_raw(files)[0], pairs)),
        "wic-sheet": Reader(kind, (("sheet.tsv", f"item\tdata\tlabel\n{rows}".encode()),),
                            lambda files, _: read_sheet(_raw(files)[0], pairs)),
        "vectors": Reader(kind, (("a.vec", vectors),), lambda files, _: read_vectors(_raw(files)[0], {"flu"})),
    }  # fmt: skip


# --- texts ----------------------------------------------------------------------------------------------------------

_TEXT = """A missense variant (V600E; p.Val600Glu, c.1799T>A, rs113488022) of B-Raf proto-oncogene (BRAF) was found.
Tumor necrosis factor (TNF) and IVS2-1G>A, 185delAG, codon 12 GGT>GAT: Dr. Smith et al. saw 3.5 mg.
Diabetes mellitus (DM).
"""


def _text(work: Callable[[str], object], files: list[File], _: bool) -> None:
    text = files[0][1].decode("utf-8", "replace")
    work(text)


def _of_texts() -> dict[str, Reader]:
    tools: dict[str, Callable[[str], object]] = {
        "variants": lambda text: (variant_forms(text), alleles(text)),
        "sentences": split_sentences,
        "schwartz-hearst": expansions,
        "key": name_key,
    }
    sample = (("text.txt", _TEXT.encode()),)
    return {f"text-{name}": Reader("texts", sample, partial(_text, work)) for name, work in tools.items()}


# --- compressed files and archives ----------------------------------------------------------------------------------


def _tar(name: str, data: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        about = tarfile.TarInfo(f"folder/{name}")
        about.size = len(data)
        archive.addfile(about, io.BytesIO(data))
    return out.getvalue()


def _zip(name: str, data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(f"folder/{name}"), data)
    return out.getvalue()


def _unpacked(path: Path) -> object:
    return _documents(lambda files, reading: DOCUMENT_FORMATS.load("pubtator").read(files, reading),
                      [(file.name, file.bytes()) for file in expand_paths([path])], True)  # fmt: skip


def _of_archives() -> dict[str, Reader]:
    [(name, data), *_] = sample("pubtator/small.PubTator.txt")
    packed = {
        "gz": gzip.compress(data, mtime=0), "bz2": bz2.compress(data), "xz": lzma.compress(data),
        "tar.gz": _tar(name, data), "zip": _zip(name, data),
    }  # fmt: skip
    return {
        f"packed-{suffix}": Reader("archives", ((f"{name}.{suffix}" if "." not in suffix and suffix != "zip" else
                                                 f"a.{suffix}", content),), partial(_on_disk, _unpacked))
        for suffix, content in packed.items()
    }  # fmt: skip


@cache
def all_readers() -> dict[str, Reader]:
    """Every reader by its name."""
    parts = (
        _of_documents,
        _of_corpora,
        _of_predictions,
        _of_kbs,
        _of_descriptions,
        _of_words_in_context,
        _of_texts,
        _of_archives,
    )
    return {name: reader for part in parts for name, reader in part().items()}
