"""No input makes a reader raise anything but a `DataError`: the samples, mutated, and plain noise."""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linkassay.corpora.stored_corpus import SplitWriter
from linkassay.errors import DataError
from linkassay.files import RawFile, expand_paths, from_bytes
from linkassay.formats import DOCUMENT_FORMATS
from linkassay.formats.documents import inline_xml, iob, mutation_json
from linkassay.formats.predictions import belb, bioel, biosyn, native, simple_jsonl
from linkassay.formats.reading import Reading
from linkassay.ids import IdRule
from linkassay.model import STRAY, Document, join_text
from linkassay.problems import Problems
from linkassay.wic import pair_files
from tests.conftest import ROOT

SAMPLES = ROOT / "tests" / "samples"

Read = Callable[[list[RawFile], Reading], Iterable[object]]

#: Readers beyond the registry of formats, or with options, and their samples.
OTHERS: dict[str, tuple[str, Read]] = {
    "iob-aida": ("iob/aida.tsv", lambda files, reading: iob.read(files, reading, columns=iob.AIDA)),
    "inlinexml": ("inlinexml", inline_xml.read),
    "mutationjson": ("mutationjson", mutation_json.read),
    "predictions": ("predictions", lambda files, _: native.read(files)),
    "claims-native": ("predictions", native.read_claims),
    "claims-belb": ("belb", belb.read_claims),
    "claims-belb-gold": ("belb-gold", belb.read_claims),
    "claims-bioel": ("bioel", bioel.read_claims),
    "claims-biosyn": ("biosyn", biosyn.read_claims),
    "claims-simple": ("simplejsonl", simple_jsonl.read_claims),
    "biowic": ("biowic", lambda files, _: (pair for file in files for pair in pair_files.read_biowic(file))),
}
#: Folders of samples of which not all can be read without options.
PARTS = {"iob": "iob/tagged.tsv"}
NAMES = [*DOCUMENT_FORMATS, *OTHERS]

#: What formats are made of, so that mutations often stay close to sense.
PIECES = [
    b"\t", b"\n", b"\r\n", b"\r", b" ", b"|", b";", b",", b".", b":", b'"', b"'", b"<", b">", b"&", b"&#0;", b"/>",
    b"]]>", b"[", b"]", b"{", b"}", b"(", b"\\", b"\\ud800", b"\\u0000", b"\x00", b"\xff", b"\xef\xbb\xbf",
    b"0", b"-1", b"99999999999999999999", b"999999999999999", b"1e999", b"NaN", b"null", b"true", b"T1", b"#",
    b"@prefix ", b"B-", b"I-", "🙂".encode(), "\u2028".encode(), "e\u0301".encode(), b"[" * 3000, b"<a>" * 3000,
    b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"\x1c", b"\x1f", b"\x85", "\u3000".encode(), "\u0663".encode(), "²".encode(),
    b"9" * 5000, b"-0", b"0x1f", b"1_0", b"\xed\xa0\x80", b"\x1b[2J", b"x" * 140_000,
]  # fmt: skip


@cache
def samples(name: str) -> tuple[tuple[str, bytes], ...]:
    path = OTHERS[name][0] if name in OTHERS else PARTS.get(name, name)
    return tuple((file.name, file.bytes()) for file in expand_paths([SAMPLES / path]))


def read(name: str, files: list[RawFile], *, skip: bool) -> list[object]:
    reading = Reading(rules={"": IdRule(composite="|", alternative=";")}, problems=Problems(skip=skip))
    reader: Read = OTHERS[name][1] if name in OTHERS else DOCUMENT_FORMATS.load(name).read
    return list(reader(files, reading))


@st.composite
def mutated(draw: st.DrawFn, data: bytes) -> bytes:
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data)))
        to = min(len(data), at + draw(st.integers(0, 12)))
        kind = draw(st.sampled_from(["delete", "insert", "replace", "truncate", "repeat lines", "swap", "noise"]))
        if kind == "delete":
            data = data[:at] + data[to:]
        elif kind == "insert":
            data = data[:at] + draw(st.sampled_from(PIECES)) + data[at:]
        elif kind == "replace":
            data = data[:at] + draw(st.binary(max_size=12)) + data[to:]
        elif kind == "truncate":
            data = data[:at]
        elif kind == "repeat lines":
            lines = data.splitlines(keepends=True)
            first = draw(st.integers(0, len(lines)))
            data = b"".join(lines[:first] + lines[max(0, first - 3) :])
        elif kind == "swap":
            data = data[at:to] + data[:at] + data[to:]
        else:
            data = draw(st.binary(max_size=60))
    return data


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_bad_input_is_a_data_error(name: str, data: st.DataObject) -> None:
    files = list(samples(name))
    at = data.draw(st.integers(0, len(files) - 1))
    files[at] = files[at][0], data.draw(mutated(files[at][1]))
    for skip in (False, True):
        with contextlib.suppress(DataError):
            found = read(name, [from_bytes(*file) for file in files], skip=skip)
            check([document for document in found if isinstance(document, Document)])


def check(documents: list[Document]) -> None:
    """What holds of every document, however odd its source."""
    for document in documents:
        check_one(document)
    if documents:
        with tempfile.TemporaryDirectory() as folder, SplitWriter(Path(folder), "test") as writer:
            for document in documents:
                writer.add(document)


def check_one(document: Document) -> None:
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


@pytest.mark.parametrize("name", NAMES)
def test_samples_themselves_are_sound(name: str) -> None:
    found = read(name, [from_bytes(*file) for file in samples(name)], skip=False)
    assert found
    check([document for document in found if isinstance(document, Document)])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("odd", ["\x1c", "\x1f", "\x85", "\u3000", "9" * 5000, "\u0663"], ids=ascii)
def test_odd_characters_before_numbers(name: str, odd: str) -> None:
    """Blanks that Python's functions do not agree about, and digits that no number is made of."""
    files = list(samples(name))
    for at, (file, data) in enumerate(files):
        for found in list(re.finditer(rb"(?<![0-9])[0-9]", data))[:40]:
            broken = data[: found.start()] + odd.encode() + data[found.start() :]
            with contextlib.suppress(DataError):
                read(name, [from_bytes(*each) for each in [*files[:at], (file, broken), *files[at + 1 :]]], skip=True)
