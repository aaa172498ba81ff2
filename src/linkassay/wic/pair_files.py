"""Words in context: pairs of terms in sentences, and whether both mean the same entity.

BioWiC's JSON is read and written, with further members of our own; WiC's tables and SuperGLUE's JSON lines are read.
Not a corpus format: it yields pairs for the words-in-context task, not documents.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.formats.syntax import JsonValue, parse_json
from linkassay.model import Span

#: Members beside BioWiC's own, of each side; BioWiC leaves them out.
FURTHER = ("entity", "document", "corpus", "mention", "type")


@dataclass(frozen=True, slots=True)
class TermPair:
    """Two terms, each at its span of its sentence. `label` is true if they mean the same.

    The rest is "" where the file does not say: BioWiC's own has neither ids nor documents.
    """

    term1: str
    term2: str
    sentence1: str
    sentence2: str
    span1: Span
    span2: Span
    category: str
    label: bool
    id: str = ""
    entity1: str = ""
    entity2: str = ""
    document1: str = ""
    document2: str = ""
    corpus1: str = ""
    corpus2: str = ""
    mention1: str = ""
    mention2: str = ""
    type1: str = ""
    type2: str = ""

    @property
    def terms(self) -> tuple[str, str]:
        """Both terms, lower-cased and in alphabetical order: what counts as the same pair of terms."""
        one, two = self.term1.lower(), self.term2.lower()
        return (one, two) if one <= two else (two, one)


def read_biowic(file: RawFile, *, verify: bool = True) -> Iterator[TermPair]:
    """Yield the pairs of a JSON file; each term is checked against its sentence, unless that is left to the caller."""
    for value in parse_json(file.text(), file.name).items():
        (term1, sentence1, span1), (term2, sentence2, span2) = (_side(value, side, verify) for side in "12")
        label = value["label"].integer()
        if label not in (0, 1):
            raise DataError(f"{value.path}.label: expected 0 or 1, found {label}", file=file.name)
        further = {key + side: value.get(key + side).string("") for key in FURTHER for side in "12"}
        yield TermPair(term1, term2, sentence1, sentence2, span1, span2, value["cat"].string(), label == 1,
                   value.get("id").string(""), **further)  # fmt: skip


def pairs_text(pairs: Iterable[TermPair]) -> str:
    """Pairs as BioWiC's JSON; members that are "" are left out, so that what was read from BioWiC is written as it is.

    >>> print(pairs_text([TermPair("flu", "Flu", "The flu.", "Flu!", (4, 7), (0, 3), "term_identity", True)]))
    [
        {
            "term1": "flu",
            "term2": "Flu",
            "sentence1": "The flu.",
            "sentence2": "Flu!",
            "start1": 4,
            "start2": 0,
            "end1": 7,
            "end2": 3,
            "cat": "term_identity",
            "label": 1
        }
    ]
    <BLANKLINE>
    """
    return json.dumps([_members(pair) for pair in pairs], ensure_ascii=False, indent=4) + "\n"


def read_pairs(files: Sequence[RawFile]) -> list[TermPair]:
    """The pairs of some files: BioWiC's JSON, SuperGLUE's JSON lines, or WiC's `*.data.txt` with its `*.gold.txt`."""
    pairs: list[TermPair] = []
    gold = {file.name: file for file in files if file.name.endswith(".gold.txt")}
    used = set()
    for file in files:
        if file.name.endswith(".jsonl"):
            pairs += read_superglue(file)
        elif file.name.endswith(".data.txt"):
            beside = file.name.removesuffix(".data.txt") + ".gold.txt"
            if beside not in gold:
                raise DataError(f"its labels are missing: give {beside} as well", file=file.name)
            used.add(beside)
            pairs += read_wic(file, gold[beside])
        elif file.name not in gold:
            pairs += read_biowic(file)
    if unused := sorted(gold.keys() - used):
        raise DataError("labels without their pairs: give the *.data.txt as well", file=unused[0])
    return pairs


def read_superglue(file: RawFile) -> Iterator[TermPair]:
    """WiC as SuperGLUE has it: one object a line, with the word as it stands in no sentence, and both places."""
    for line, content in file.lines():
        if content.strip():
            value = parse_json(content, file.name, line)
            sides = []
            for side in "12":
                sentence = value["sentence" + side].string()
                span = value["start" + side].integer(), value["end" + side].integer()
                _within(span, sentence, side, value)
                sides.append((sentence[slice(*span)], sentence, span))
            (term1, sentence1, span1), (term2, sentence2, span2) = sides
            yield TermPair(term1, term2, sentence1, sentence2, span1, span2, "wic", value["label"].boolean(False))


def read_wic(file: RawFile, gold: RawFile) -> Iterator[TermPair]:
    """WiC's own tables: lemma, part of speech, the two places as numbers of white-space tokens, two sentences."""
    labels = [content.strip() for _, content in gold.lines() if content.strip()]
    rows = [(line, content.rstrip("\r\n")) for line, content in file.lines() if content.strip()]
    if len(labels) != len(rows):
        raise DataError(f"{len(labels)} labels for {len(rows)} pairs", file=gold.name)
    for (line, content), label in zip(rows, labels, strict=True):
        cells = content.split("\t")
        if len(cells) != 5 or label not in ("T", "F"):
            raise DataError("expected word, part of speech, places and two sentences, and T or F for each",
                            file=file.name, line=line)  # fmt: skip
        places = cells[2].split("-")
        if len(places) != 2 or not all(re.fullmatch("[0-9]{1,9}", place) for place in places):
            raise DataError(f"expected two places such as 3-7, found {cells[2][:40]!r}", file=file.name, line=line)
        one, two = (_token(sentence, int(place)) for sentence, place in zip(cells[3:], places, strict=True))
        if one is None or two is None:
            raise DataError(f"a sentence has no token at place {cells[2]}", file=file.name, line=line)
        yield TermPair(cells[3][slice(*one)], cells[4][slice(*two)], cells[3], cells[4], one, two, "wic", label == "T")


def _members(pair: TermPair) -> dict[str, Any]:
    own = {
        "term1": pair.term1, "term2": pair.term2, "sentence1": pair.sentence1, "sentence2": pair.sentence2,
        "start1": pair.span1[0], "start2": pair.span2[0], "end1": pair.span1[1], "end2": pair.span2[1],
        "cat": pair.category, "label": int(pair.label),
    }  # fmt: skip
    names = ["id", *(key + side for key in FURTHER for side in "12")]
    return own | {name: value for name in names if (value := getattr(pair, name))}


def _token(sentence: str, place: int) -> Span | None:
    at = 0
    for number, token in enumerate(sentence.split(" ")):
        if number == place and token:
            return at, at + len(token)
        at += len(token) + 1
    return None


def _side(value: JsonValue, side: str, verify: bool) -> tuple[str, str, Span]:
    term, sentence = value["term" + side].string(), value["sentence" + side].string()
    start, end = value["start" + side].integer(), value["end" + side].integer()
    if verify:
        _within((start, end), sentence, side, value)
        if sentence[start:end] != term:
            found = sentence[start:end]
            raise DataError(f"{value.path}: sentence{side} has {found!r} at {start}-{end}, expected {term!r}",
                            file=value.file)  # fmt: skip
    return term, sentence, (start, end)


def _within(span: Span, sentence: str, side: str, value: JsonValue) -> None:
    start, end = span
    if not 0 <= start < end <= len(sentence):
        where = f"{value.path}: " if value.path else ""
        raise DataError(f"{where}span {start}-{end} lies outside sentence{side} of {len(sentence)} characters",
                        file=value.file, line=value.line)  # fmt: skip
