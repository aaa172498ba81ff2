"""Your own table as a knowledge base: the description, the rows, and what is wrong with either."""

from __future__ import annotations

import contextlib
import gzip
import json
import re
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import linkassay
from linkassay.cli import app
from linkassay.errors import DataError, UsageError
from linkassay.files import find
from linkassay.kbs.readers.json_lines import read_entities
from linkassay.kbs.readers.own_table import read_history, read_rows, spec_from_toml
from linkassay.kbs.schema import KbReader
from tests.conftest import ROOT
from tests.helpers import raw
from tests.kb_helpers import SAMPLES, Read, fuzzing, message, sample, survives
from tests.strategies import mutated

OWN = SAMPLES / "table" / "own.toml"
MINIMAL = 'name = "own"\nfiles = "own.tsv"\nid = "id"\nnames = "name"\n'


def options(tmp_path: Path, text: str) -> dict[str, object]:
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    return dict(spec_from_toml(path).options)


def test_the_description_becomes_a_spec() -> None:
    spec = spec_from_toml(OWN)
    assert (spec.name, spec.title, spec.prefix, spec.types, spec.licence) == (
        "own", "Aches", "ache", ("disease",), "CC0 1.0")  # fmt: skip
    assert [(p.files, p.read, p.lines, p.header) for p in spec.parts] == [
        ("own.csv", "linkassay.kbs.readers.own_table:read_rows", False, False),
        ("old.txt", "linkassay.kbs.readers.own_table:read_history", False, False),
    ]
    assert json.loads(json.dumps(spec.options)) == spec.options
    assert spec.packaged is not None
    assert [len(find(spec.packaged(), part.files)) for part in spec.parts] == [1, 1]


def test_rows() -> None:
    found = Read(read_rows, sample("table/own.csv"), spec_from_toml(OWN).options)
    aches, head, more = found.rows
    assert aches.id == "ache:1"
    assert aches.names == (("Aches, all", "label"), ("Pain", "synonym"), ('Sore "spot"', "synonym"))
    assert (aches.type, aches.definition, aches.foreign_id, aches.obsolete) == (
        "disease", "What hurts", "ncbitaxon:9606", False)  # fmt: skip
    assert aches.xrefs == ("mesh:D010146",)
    assert found.foreign == {("ncbitaxon:9606", "Homo sapiens")}
    assert (head.definition, head.parents, head.obsolete) == ("two\nlines", (("ache:1", "is_a"),), True)
    assert (more.id, more.primary, head.primary) == ("ache:2", False, True)
    assert found.history == [("ache:0", "ache:1"), ("ache:7", "ache:2"), ("ache:8", "ache:2")]


def test_history() -> None:
    found = Read(read_history, sample("table/old.txt"), spec_from_toml(OWN).options)
    assert found.history == [("ache:7", "ache:2"), ("ache:9", "")]


def test_defaults_are_a_tab_separated_file_with_a_header(tmp_path: Path) -> None:
    found = Read(read_rows, raw("own.tsv", 'id\tname\n\nx:1\t "A" \nx:2\n'), options(tmp_path, MINIMAL))
    assert found.entities["x:1"].names == ((' "A" ', "name"),)
    assert found.entities["x:2"].names == ()


def test_plain_tables_can_be_cut_and_quoted_ones_cannot(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"

    def cut(extra: str) -> tuple[bool, bool]:
        path.write_text(MINIMAL + extra, encoding="utf-8")
        [part] = spec_from_toml(path).parts
        return part.lines, part.header

    assert cut("") == (True, True)
    assert cut('columns = ["id", "name"]') == (True, False)
    assert cut('comment = "#"') == (False, False)
    assert cut("quote = '\"'") == (False, False)


def test_files_are_found_beside_the_description_compressed_or_not(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a[1]|b.tsv.gz").write_bytes(gzip.compress(b"id\tname\n1\tA\n"))
    (tmp_path / "own.toml").write_text(MINIMAL.replace("own.tsv", "in/a[1]|b.tsv.gz"), encoding="utf-8")
    spec = spec_from_toml(tmp_path / "own.toml")
    assert spec.packaged is not None
    [file] = find(spec.packaged(), spec.parts[0].files)
    assert Read(read_rows, file, spec.options).entities["1"].names == (("A", "name"),)


def test_json_lines(tmp_path: Path) -> None:
    text = 'name = "own"\nformat = "jsonl"\nfiles = ["a.jsonl", "b.jsonl"]\nprefix = "ache"\ntype = "disease"\n'
    (tmp_path / "own.toml").write_text(text, encoding="utf-8")
    spec = spec_from_toml(tmp_path / "own.toml")
    assert [(p.files, p.read, p.lines) for p in spec.parts] == [
        (name, "linkassay.kbs.readers.json_lines:read_entities", True) for name in ("a.jsonl", "b.jsonl")]  # fmt: skip
    assert spec.options == {"prefix": "ache", "type": "disease"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name = ", "own.toml: not valid TOML (Invalid value (at end of document))"),
        ("", "own.toml: 'name' is missing"),
        ('name = "My KB"', "own.toml: the name 'My KB' must be lower-case letters, digits, '_' and '-'"),
        ("name = 3", "own.toml: 'name' must be a text, not 3"),
        ('name = "a"\nformat = "xml"', "own.toml: unknown format 'xml'; known are: table, jsonl"),
        ('name = "a"\nformat = "tabel"', "own.toml: unknown format 'tabel'; did you mean 'table'?"),
        ('name = "a"\nformat = 3', "own.toml: 'format' must be a text, not 3"),
        ('name = "a"\nfiles = "a"\nid = ""\nnames = "n"', "own.toml: 'id' is missing"),
        ('name = "a"', "own.toml: 'files' is missing: the table, or a list of tables of the same columns"),
        (MINIMAL + 'defintion = "d"', "own.toml: unknown key 'defintion'; did you mean 'definition'?"),
        ('name = "a"\nformat = "jsonl"\nfiles = "a"\nid = "x"',
         "own.toml: unknown key 'id'; known are: name, title, prefix, type, files, licence, citation, homepage, "
         "history, format"),
        ('name = "a"\nfiles = "a"', "own.toml: 'id' is missing"),
        ('name = "a"\nfiles = "a"\nid = "x"',
         "own.toml: 'names' is missing: the columns with names, the primary one first"),
        ('name = "a"\nfiles = 1', "own.toml: 'files' must be a text or a list of texts, not 1"),
        (MINIMAL + "delimiter = '||'", "own.toml: 'delimiter' must be one character, not '||'"),
        (MINIMAL + 'quote = "\\t"',
         "own.toml: 'quote' must be one character other than the delimiter, not '\\t'"),
        (MINIMAL + "header = false", "own.toml: without a header the 'columns' must be listed"),
        (MINIMAL + "header = 1", "own.toml: 'header' must be true or false, not 1"),
        (MINIMAL + 'columns = ["id", "nam"]', "own.toml: no column 'name'; did you mean 'nam'?"),
        (MINIMAL + 'parents = {column = "up", seperator = "|"}',
         "own.toml: parents: unknown key 'seperator'; did you mean 'separator'?"),
        (MINIMAL + 'parents = {separator = "|"}', "own.toml: parents: 'column' is missing"),
        (MINIMAL + "parents = 3", "own.toml: 'parents' must be a column or {column = …}, not 3"),
        (MINIMAL + "history = 3", "own.toml: 'history' must be {file = …, old = …, new = …}, not 3"),
        (MINIMAL + 'history = {file = "h", old = "o"}', "own.toml: history: 'new' is missing"),
        (MINIMAL + 'history = {file = "own.tsv", old = "o", new = "n"}',
         "own.toml: two of its files have the same name; give them different ones"),
    ],
)  # fmt: skip
def test_broken_descriptions(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(DataError) as error:
        options(tmp_path, text)
    assert str(error.value) == expected


def test_a_description_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.toml: cannot be read \(No such file or directory\)"):
        spec_from_toml(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("extra", "text", "expected"),
    [
        ("", "", "own.tsv: no header line"),
        ("", "id\tnames\n", "own.tsv:1: no column 'name'; did you mean 'names'?"),
        ("", "id\tname\tname\n", "own.tsv:1: two columns are called 'name'"),
        ("", "id\tname\n \tA\n", "own.tsv:2: id is empty"),
        ("", "id\tname\n1\tA\tB\n", "own.tsv:2: 3 fields, but 2 columns"),
        ("quote = '\"'", 'id\tname\n1\t"A\nB\nC', "own.tsv:2: not readable as a quoted table (unexpected end of data)"),
        ("quote = '\"'", 'id\tname\n1\t"A"B\n',
         "own.tsv:2: not readable as a quoted table ('\t' expected after '\"')"),
    ],
)  # fmt: skip
def test_broken_tables(tmp_path: Path, extra: str, text: str, expected: str) -> None:
    assert message(read_rows, raw("own.tsv", text), options(tmp_path, MINIMAL + extra)) == expected


def test_an_empty_old_id() -> None:
    assert message(read_history, raw("old.txt", "1;2\n;3\n"), spec_from_toml(OWN).options) == "old.txt:2: old is empty"


@pytest.mark.parametrize(("reader", "path"), [(read_rows, "table/own.csv"), (read_history, "table/old.txt")])
@fuzzing
@given(data=st.data())
def test_bad_input_is_a_data_error(reader: KbReader, path: str, data: st.DataObject) -> None:
    survives(reader, path, data, spec_from_toml(OWN).options)


@fuzzing
@given(data=st.data())
def test_a_bad_description_is_a_data_error(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "mutated.toml"
    path.write_bytes(data.draw(mutated(OWN.read_bytes())))
    with contextlib.suppress(DataError):
        json.dumps(spec_from_toml(path).options)


def test_the_example_of_the_docs(tmp_path: Path) -> None:
    """Each block of docs/own-kb.md that names a file is that file; they are read as the page says."""
    page = (ROOT / "docs" / "own-kb.md").read_text(encoding="utf-8")
    for name, text in re.findall(r"^`([\w.]+)`:?\n+```\w*\n(.*?)```", page, re.S | re.M):
        (tmp_path / name).write_text(text, encoding="utf-8")
    spec = spec_from_toml(tmp_path / "aches.toml")
    assert len((tmp_path / "aches.toml").read_text("utf-8").strip().splitlines()) <= 10
    assert spec.packaged is not None
    files = {file.name: file for file in spec.packaged()}
    found = Read(read_rows, files["aches.csv"], spec.options)
    assert found.entities["ache:2"].names == (("Headache", "name"), ("Cephalgia", "synonym"), ("Head pain", "synonym"))
    assert found.entities["ache:2"].parents == (("ache:1", "is_a"),)
    assert found.entities["ache:1"].xrefs == ("mesh:D010146",)
    spec = spec_from_toml(tmp_path / "lines.toml")
    assert spec.packaged is not None
    [file] = spec.packaged()
    assert Read(read_entities, file, spec.options).entities["ache:2"].names[0] == ("Headache", "name")


def test_only_the_files_that_are_named_are_read(tmp_path: Path, home: Path) -> None:
    """Not one of the same name in a subfolder, and not what an archive beside it holds."""
    (tmp_path / "own.toml").write_text(MINIMAL, encoding="utf-8")
    (tmp_path / "own.tsv").write_text("id\tname\nx:1\tone\n", encoding="utf-8")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "own.tsv").write_text("id\tname\nx:2\ttwo\n", encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "backup.zip", "w") as archive:
        archive.writestr("own.tsv", "id\tname\nx:3\tthree\n")
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04 nothing that can be read")
    result = CliRunner().invoke(app, ["kb", "add", str(tmp_path / "own.toml")], catch_exceptions=False)
    assert result.exit_code == 0
    assert {row[0] for row in linkassay.kb("own").sql("select name from names")} == {"one"}


@pytest.mark.parametrize(
    ("lies_there", "expected"),
    [
        ("own.tsv.gz", r"own\.toml: no such file: .*own\.tsv; beside it lies own\.tsv\.gz"),
        ("own.tsv/table.tsv", r"own\.toml: a file is needed, and .*own\.tsv is a folder: name the file in it"),
        ("other.tsv", r"no such file or folder: .*own\.tsv"),
    ],
)
def test_a_named_file_is_that_file(tmp_path: Path, lies_there: str, expected: str) -> None:
    (tmp_path / "own.toml").write_text(MINIMAL, encoding="utf-8")
    (tmp_path / lies_there).parent.mkdir(exist_ok=True)
    (tmp_path / lies_there).write_bytes(gzip.compress(b"id\tname\nx:1\tone\n"))
    spec = spec_from_toml(tmp_path / "own.toml")
    assert spec.packaged is not None
    with pytest.raises(UsageError, match=expected):
        spec.packaged()


@pytest.mark.parametrize("files", [("own.tsv", "in/own.tsv.gz"), ("own.tsv", "OWN.tsv"), ("a|b.tsv", "a-b.tsv")])
def test_files_that_cannot_be_told_apart_are_refused(tmp_path: Path, files: tuple[str, str]) -> None:
    with pytest.raises(DataError, match="two of its files have the same name"):
        options(tmp_path, MINIMAL.replace('"own.tsv"', json.dumps(files)))
