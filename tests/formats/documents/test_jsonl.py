"""Our own JSON lines: everything survives, errors say file, line and path."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given, settings

from linkassay.errors import DataError
from linkassay.files import expand_paths
from linkassay.formats.documents import jsonl
from linkassay.formats.reading import Reading
from linkassay.ids import IdRule
from linkassay.model import Document, Passage
from tests.conftest import ROOT
from tests.helpers import raw, reading
from tests.strategies import documents

SAMPLES = ROOT / "tests" / "samples" / "jsonl"


def written(docs: list[Document]) -> str:
    out = io.StringIO()
    jsonl.write(docs, out)
    return out.getvalue()


def test_sample_holds_every_field() -> None:
    note, empty, textless = jsonl.read(expand_paths([SAMPLES]), reading())
    assert [p.kind for p in note.passages] == ["title", "abstract"]
    assert note.title == "A short note"
    assert note.evaluation_spans == ((0, 40), (45, 74))
    assert note.hyperlinks[0].target == "Berlin"
    asthma, ocular, part, carotene = note.annotations
    assert asthma.gold == (frozenset({"mesh:D001249"}), frozenset({"omim:600807"}))
    assert ocular.gold == (frozenset({"mesh:D005128", "mesh:D064420"}),)
    assert (ocular.text, ocular.source_type, ocular.raw) == ("Ocular toxicity", "CompositeMention", "D005128|D064420")
    assert (part.parent, part.role, part.gold) == ("b", "part", ())
    assert (carotene.id, carotene.text) == ("1001:54-64:chemical", "β-carotene")
    assert carotene.gold == (frozenset({"mesh:D019207"}),)
    assert (carotene.optional, carotene.coreference) == (True, False)
    assert note.mentions == (asthma, ocular, carotene)
    assert (empty.id, empty.text, empty.annotations) == ("2", "Nothing here.", ())
    assert (textless.text, textless.passages) == ("", ())
    assert (textless.annotations[0].text, textless.annotations[0].kind) == ("1843", "datetime")


def test_sample_round_trip() -> None:
    docs = list(jsonl.read(expand_paths([SAMPLES]), reading()))
    assert list(jsonl.read([raw("again.jsonl", written(docs))], reading())) == docs


@settings(max_examples=150, deadline=None)
@given(documents(rich=True))
def test_round_trip(document: Document) -> None:
    line = written([document])
    assert line.count("\n") == 1
    assert list(jsonl.read([raw("x.jsonl", line)], Reading(merge=False))) == [document]


def test_ids_follow_the_rule_of_the_reading() -> None:
    line = '{"id": 1, "text": "ab", "mentions": [{"spans": [[0, 1]], "type": "t", "ids": "D1|D2"}]}'
    (document,) = jsonl.read([raw("x.jsonl", line)], reading(prefix="mesh", composite="|"))
    assert document.annotations[0].gold == (frozenset({"mesh:D1", "mesh:D2"}),)
    line = '{"id": 1, "text": "ab", "mentions": [{"spans": [[0, 1]], "type": "t", "gold": [["d1"]]}]}'
    (document,) = jsonl.read([raw("x.jsonl", line)], reading(prefix="mesh"))
    assert document.annotations[0].gold == (frozenset({"mesh:D1"}),)


def test_the_rule_is_that_of_the_mapped_type() -> None:
    line = '{"id": 1, "text": "ab", "mentions": [{"spans": [[0, 1]], "type": "D", "gold": [["d1"]]}]}'
    how = Reading(rules={"disease": IdRule(prefix="mesh")}, types={"D": "disease"})
    (document,) = jsonl.read([raw("x.jsonl", line)], how)
    assert document.annotations[0].gold == (frozenset({"mesh:D1"}),)


def test_types_map_the_type_and_source_type_stays() -> None:
    mention = {"spans": [[0, 1]], "type": "Disease", "source_type": "DiseaseClass"}
    line = json.dumps({"id": 1, "text": "ab", "mentions": [mention, {"spans": [[1, 2]], "type": "Other"}]})
    how = reading(types={"Disease": "disease"})
    (document,) = jsonl.read([raw("x.jsonl", line)], how)
    assert [(m.type, m.source_type) for m in document.annotations] == [("disease", "DiseaseClass")]
    assert how.left_out == {"Other": 1}


def test_document_without_passages_reads_as_one() -> None:
    (document,) = jsonl.read([raw("x.jsonl", '{"id": "a", "text": "abc"}')], reading())
    assert document.passages == (Passage("", 0, "abc"),)


KNOWN = "id, title, text, passages, evaluation_spans, hyperlinks, mentions"
BAD = [
    ('{"id": "a", "text": "b", "labels": []}', f"x.jsonl:1: value: unknown member 'labels'; known are: {KNOWN}"),
    ('{"id": "a", "text": "b", "mention": null}', "x.jsonl:1: value: unknown member 'mention'; did you mean "
     "'mentions'?"),
    ('{"id": "a", "text": "b", "mentions": [{"spans": [[0, 1]]}, {"source": "t"}]}',
     "x.jsonl:1: mentions[1]: unknown member 'source'; did you mean 'source_type'?"),
    ('{"id": "a", "text": "b", "\\ud800": 1}', 'x.jsonl:1: value: a lone surrogate is no character, found "\\ud800"'),
    ('{"id": "a", "text": "abc", "mentions": [{"spans": [[0, 1]], "gold": [["D1", ""]]}]}',
     "x.jsonl:1: an id in `gold` is empty; NIL is `[]`"),
    ('{"id": "a", "text": "abc", "mentions": [{"spans": [[0, 1]], "gold": [[" "]]}]}',
     "x.jsonl:1: an id in `gold` is empty; NIL is `[]`"),
    ("{", "x.jsonl:1: not valid JSON (Expecting property name enclosed in double quotes)"),
    ("[[]]", "x.jsonl:1: value: expected an object, found []"),
    ("[" * 200_000, "x.jsonl:1: not valid JSON (nested too deeply)"),
    ('{"text": "a"}', "x.jsonl:1: value: 'id' is missing, found {\"text\": \"a\"}"),
    ('{"id": 1.5, "text": "a"}', "x.jsonl:1: id: expected a text, found 1.5"),
    ('{"id": true, "text": "a"}', "x.jsonl:1: id: expected a text, found true"),
    ('{"id": " ", "text": "a"}', "x.jsonl:1: document without an id"),
    ('{"id": "a"}', "x.jsonl:1: value: 'text' is missing, found {\"id\": \"a\"}"),
    ('{"id": "a", "text": 3}', "x.jsonl:1: text: expected a text, found 3"),
    ('\n\n{"id": "a", "text": "\\ud83d"}', 'x.jsonl:3: text: a lone surrogate is no character, found "\\ud83d"'),
    ('{"id": "a", "passages": {"kind": "x"}}', 'x.jsonl:1: passages: expected a list, found {"kind": "x"}'),
    ('{"id": "a", "passages": [{"offset": 0}]}',
     'x.jsonl:1: passages[0]: \'text\' is missing, found {"offset": 0}'),
    ('{"id": "a", "passages": [{"offset": 1e3, "text": ""}]}',
     "x.jsonl:1: passages[0].offset: expected a whole number, found 1000.0"),
    ('{"id": "a", "passages": [{"offset": 0, "text": "abc"}, {"kind": "p", "offset": 2, "text": "d"}]}',
     "x.jsonl:1: document a: passage 'p' at offset 2 begins before the last one ends (3)"),
    ('{"id": "a", "passages": [{"kind": "p", "offset": 99999999, "text": "d"}]}',
     "x.jsonl:1: document a: passage 'p' at offset 99999999 is 99,999,999 characters after the last one"),
    ('{"id": "a", "text": "abc", "mentions": [{"type": "t"}]}',
     "x.jsonl:1: mentions[0]: 'spans' is missing, found {\"type\": \"t\"}"),
    ('{"id": "a", "text": "abc", "mentions": [{"spans": [[0]]}]}',
     "x.jsonl:1: mentions[0].spans[0]: expected [start, end], found [0]"),
    ('{"id": "a", "text": "abc", "mentions": [{"spans": [[0, 9007199254740993]]}]}',
     "x.jsonl:1: mentions[0].spans[0][1]: expected a whole number, found 9007199254740993"),
    ('{"id": "a", "text": "abc", "mentions": [{"spans": [[0, 1]], "gold": [[]]}]}',
     "x.jsonl:1: an alternative of `gold` is empty; NIL is `[]`"),
    ('{"id": "a", "text": "abc", "mentions": [{"spans": [[0, 1]], "optional": 1}]}',
     "x.jsonl:1: mentions[0].optional: expected true or false, found 1"),
    ('{"id": "a", "text": "abc", "mentions": [{"id": "m", "spans": [[0, 1]]}, {"id": "m", "spans": [[1, 2]]}]}',
     "x.jsonl: document a: annotation id 'm' occurs twice"),
    ('{"id": "a", "text": "abc", "mentions": [{"id": "m", "parent": "n", "spans": [[0, 1]]}, '
     '{"id": "n", "parent": "m", "spans": [[1, 2]]}]}',
     "x.jsonl: document a: the parents of annotation 'm' form a circle"),
    ('{"id": "a", "text": "abc", "evaluation_spans": [[0, 4]]}',
     "x.jsonl:1: document a: evaluation span 0-4 lies outside the text of 3 characters"),
    ('{"id": "a", "text": "abc", "hyperlinks": [[[2, 1], "x"]]}',
     "x.jsonl:1: document a: hyperlink 2-1 lies outside the text of 3 characters"),
    ('{"id": "a", "text": "abc", "hyperlinks": [[[0, 1]]]}',
     "x.jsonl:1: hyperlinks[0]: 1 is missing, found [[0, 1]]"),
]  # fmt: skip


@pytest.mark.parametrize("skip", [False, True])
@pytest.mark.parametrize(("text", "message"), BAD)
def test_broken_lines(text: str, message: str, skip: bool) -> None:
    with pytest.raises(DataError) as error:
        list(jsonl.read([raw("x.jsonl", text)], reading(skip=skip)))
    assert str(error.value) == message


HINT = " (use --skip-bad to leave such annotations out, counted)"
PROBLEMS = [
    ('{"spans": [[0, 4]], "type": "t"}', "span",
     "the span lies outside the text of 3 characters; document a, span 0-4"),
    ('{"spans": [[-1, 1]], "type": "t"}', "span",
     "the span lies outside the text of 3 characters; document a, span -1-1"),
    ('{"spans": [[1, 1]], "type": "t"}', "span", "the span is empty or reversed; document a, span 1-1"),
    ('{"spans": [], "type": "t"}', "span", "the annotation has no span; document a"),
    ('{"spans": [[0, 2], [1, 3]], "type": "t"}', "span",
     "the spans overlap or are out of order; document a, span 0-2 1-3"),
    ('{"spans": [[0, 1]], "type": "t", "text": "b"}', "offset",
     "the text at the span differs from the annotation's; document a, span 0-1; found 'a', expected 'b'"),
    ('{"spans": [[1, 2]], "type": "t"}', "empty", "the mention is empty; document a, span 1-2"),
]  # fmt: skip


@pytest.mark.parametrize(("mention", "kind", "message"), PROBLEMS)
def test_problems_stop_or_are_counted(mention: str, kind: str, message: str) -> None:
    line = f'{{"id": "a", "text": "a c", "mentions": [{mention}, {{"spans": [[2, 3]]}}]}}'
    with pytest.raises(DataError) as error:
        list(jsonl.read([raw("x.jsonl", line)], reading()))
    assert str(error.value) == f"x.jsonl:1: {message}{HINT}"
    how = reading(skip=True)
    (document,) = jsonl.read([raw("x.jsonl", line)], how)
    assert [m.text for m in document.annotations] == ["c"]
    assert how.problems.counts == {kind: 1}
