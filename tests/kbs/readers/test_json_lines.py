"""Knowledge bases as JSON lines, and the table of replaced ids beside them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkassay.kbs.catalog import mini
from linkassay.kbs.readers.json_lines import read_entities, read_history
from linkassay.kbs.schema import Entity, KbReader
from linkassay.registry import Registry
from tests.helpers import raw
from tests.kb_helpers import Read, fuzzing, message, sample, survives


def test_entities() -> None:
    pain, old = Read(read_entities, sample("jsonl/own.jsonl")).rows
    assert pain == Entity(
        id="mesh:D010146", type="disease", names=(("Pain", "name"), ("Aches", "synonym")), category="symptom",
        definition="What hurts.", foreign_id="ncbitaxon:9606", parents=(("mesh:D009461", "is_a"),),
        xrefs=("umls:C0030193",),
    )  # fmt: skip
    assert (old.id, old.obsolete) == ("7", True)


def test_prefix_and_type_of_the_whole_knowledge_base() -> None:
    line = '{"id": 7, "names": [["Ache"]], "parents": [["3", "part_of"]]}'
    [entity] = Read(read_entities, raw("a.jsonl", line), {"prefix": "ache", "type": "disease"}).rows
    assert (entity.id, entity.type, entity.parents) == ("ache:7", "disease", (("ache:3", "part_of"),))


def test_history() -> None:
    found = Read(read_history, sample("jsonl/history.tsv"), {"prefix": "mesh"})
    assert found.history == [("mesh:D1", "mesh:D2"), ("mesh:D3", ""), ("mesh:D4", "")]


ENTITY = {"id": "x:1", "type": "disease", "names": [["a", "name"]]}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"names": []}, "a.jsonl:1: an entity needs at least one name"),
        ({"names": [[" "]]}, "a.jsonl:1: an entity needs at least one name"),
        ({"names": ["a"]}, 'a.jsonl:1: names[0]: expected a list, found "a"'),
        ({"id": " "}, "a.jsonl:1: an entity needs an id"),
        ({"id": 1.5}, "a.jsonl:1: id: expected a text, found 1.5"),
        ({"type": None}, "a.jsonl:1: type: expected a text, found nothing"),
        ({"obsolete": "no"}, 'a.jsonl:1: obsolete: expected true or false, found "no"'),
        ({"parents": [[]]}, "a.jsonl:1: parents[0]: 0 is missing, found []"),
        ({"xrefs": {}}, "a.jsonl:1: xrefs: expected a list, found {}"),
    ],
)
def test_broken_entities(change: dict[str, object], expected: str) -> None:
    assert message(read_entities, raw("a.jsonl", json.dumps(ENTITY | change))) == expected


@pytest.mark.parametrize("line", ["\tb", "a\tb\tc"])
def test_broken_history(line: str) -> None:
    assert message(read_history, raw("h.tsv", f"# fine\n{line}")) == (
        "h.tsv:2: expected: old id, tab, new id (or nothing)")  # fmt: skip


@pytest.mark.parametrize(("reader", "path"), [(read_entities, "jsonl/own.jsonl"), (read_history, "jsonl/history.tsv")])
@fuzzing
@given(data=st.data())
def test_bad_input_is_a_data_error(reader: KbReader, path: str, data: st.DataObject) -> None:
    survives(reader, path, data)


def test_every_packaged_file_of_mini_has_a_part_that_reads_it() -> None:
    files = {file.name: file for file in mini.packaged_files()}
    assert {part.files for part in mini.SPEC.parts} == set(files)
    for part in mini.SPEC.parts:
        reader = Registry("reader", {"": part.read}).load("")
        found = Read(reader, files[part.files], mini.SPEC.options)
        assert found.history if part.files == "history.tsv" else {e.type for e in found.rows} == {part.files[:-6]}
