"""Files as people really have them: arrays, spreadsheets, other encodings and line breaks, all mistakes at once."""

from __future__ import annotations

import builtins
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import linkassay
from linkassay.cli import app
from linkassay.corpora import Corpus
from linkassay.errors import DataError
from linkassay.formats.syntax import json_items
from tests.helpers import raw
from tests.scoring_helpers import knowledge

DOCUMENTS = [{"id": f"d{n}", "text": "Ache.", "mentions": [{"spans": [[0, 4]], "type": "disease", "gold": [["t:1"]]}]}
             for n in range(6)]  # fmt: skip


def call(*words: object) -> Result:
    return CliRunner().invoke(app, [*map(str, words)])


def get(path: Path, format: str, *more: object) -> Result:
    return call("get", "--format", format, path, "--name", "own", "--replace", *more)


def mentions() -> list[Any]:
    return [mention for document in linkassay.corpus("own")["test"] for mention in document.mentions]


@pytest.mark.parametrize("indent", [None, 1])
def test_an_array_of_documents(indent: int | None, home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("\ufeff\n" + json.dumps(DOCUMENTS, indent=indent), encoding="utf-8")
    assert get(tmp_path / "a.json", "jsonl").exit_code == 0
    (tmp_path / "b.jsonl").write_text("\n".join(map(json.dumps, DOCUMENTS)), encoding="utf-8")
    whole = [*Corpus.open("own")["test"]]
    assert get(tmp_path / "b.jsonl", "jsonl").exit_code == 0
    assert [*Corpus.open("own")["test"]] == whole


def test_an_array_of_predictions(home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(DOCUMENTS), encoding="utf-8")
    get(tmp_path / "a.json", "jsonl")
    native = [{"document": d["id"], "spans": [[0, 4]], "candidates": [["t:1"]]} for d in DOCUMENTS]
    simple = [{"id": d["id"], "predictions": [{"entity_reference": "t:1", "start_char": 0, "end_char": 4}]}
              for d in DOCUMENTS]  # fmt: skip
    for format, rows in (("native", native), ("simple-jsonl", simple)):
        (tmp_path / "p.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")
        done = call("import", format, tmp_path / "p.json", "--corpus", "own", "--system", format)
        assert done.exit_code == 0, done.exception
        assert linkassay.score(f"own/{format}", "recall@1").table()[0]["value"] == 1.0


@pytest.mark.parametrize(("text", "line", "message"), [
    ('[{"a": 1},\n {"a": ]', 2, "is the array whole"), ('[{"a": 1}\n{"a": 2}]', 2, "a comma or the end"),
    ('[{"a": 1}', 1, "a comma or the end"), ('[{"a": 1},\n]', 2, "a comma stands before"), ("[" * 100_000, 1, "deeply"),
    ('[]\n{"a": 1}', 2, "behind the end"),
])  # fmt: skip
def test_a_broken_array(text: str, line: int, message: str) -> None:
    with pytest.raises(DataError, match=message) as error:
        list(json_items(raw("a.json", text)))
    assert error.value.line == line


def test_items_say_their_lines() -> None:
    assert list(json_items(raw("a.json", '[\n{"a": 1}, {"b":\n2}\n,3]'))) == [
        (2, '{"a": 1}'), (2, '{"b":\n2}'), (4, "3")
    ]  # fmt: skip
    assert list(json_items(raw("a.jsonl", '\n{"a": 1}\n\n{"b": 2}'))) == [(2, '{"a": 1}'), (4, '{"b": 2}')]
    assert list(json_items(raw("a.json", " [ ] "))) == list(json_items(raw("a.json", ""))) == []


HEADER = ["document", "start", "end", "text", "type", "ids"]
ROWS = [["d1", "0", "4", "Ache", "disease", "t:1"], ["d2", "", "", 'a "b", c;\nd', "disease", "t:2"]]


def table(delimiter: str, header: list[str], rows: list[list[str]]) -> str:
    quoted = [['"' + cell.replace('"', '""') + '"' for cell in row] for row in [header, *rows]]
    return "\r\n".join(delimiter.join(row) for row in quoted) + "\r\n"


@pytest.mark.parametrize("delimiter", ["\t", ",", ";"])
def test_tables_of_spreadsheets(delimiter: str, home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("\ufeff" + table(delimiter, HEADER, ROWS), encoding="utf-8", newline="")
    assert get(tmp_path / "a.csv", "mentions").exit_code == 0
    assert [m.text for m in mentions()] == ["Ache", 'a "b", c;\nd']


def test_columns_by_other_names(home: Path, tmp_path: Path) -> None:
    rows = [["d1", "Ache", "t:1", "x"], ["d2", "Pain", "t:2", "y"]]
    (tmp_path / "a.csv").write_text(table(";", ["document", "Term", "HPO ID", "text"], rows), encoding="utf-8")
    named = ("--columns", 'ids="HPO ID",text=Term', "--columns", "start=,end=,type=")
    assert get(tmp_path / "a.csv", "mentions", *named).exit_code == 0
    assert [(m.text, m.ids) for m in mentions()] == [("Ache", {"t:1"}), ("Pain", {"t:2"})]
    for words, message in (
        (("--columns", "ids=HPO_ID"), "no column 'HPO_ID'"), (("--columns", "idz=Term"), "did you mean 'ids'"),
        (("--columns", "ids"), "OURS=THEIRS"), ((), "--columns start=NAME or --columns start="),
    ):  # fmt: skip
        assert message in str(get(tmp_path / "a.csv", "mentions", *words).exception)
    assert "--columns is of --format mentions" in str(get(tmp_path / "a.csv", "jsonl", "--columns", "a=b").exception)


def workbook(path: Path, rows: list[list[Any]]) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)


def test_excel(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workbook(
        tmp_path / "a.xlsx", [HEADER, ["d1", 0, 4.0, "Ache", "disease", 118], [], ["d2", None, None, "b", "x", "t:2"]]
    )
    assert get(tmp_path / "a.xlsx", "mentions", "--kb", "hp").exit_code == 0
    assert [(m.spans, m.ids) for m in mentions()] == [(((0, 4),), {"hp:118"}), ((), {"t:2"})]
    workbook(tmp_path / "b.xlsx", [])
    assert "sheet is empty" in str(get(tmp_path / "b.xlsx", "mentions").exception)
    (tmp_path / "c.xlsx").write_bytes((tmp_path / "a.xlsx").read_bytes()[:900])
    assert "not a readable workbook" in str(get(tmp_path / "c.xlsx", "mentions").exception)
    real = builtins.__import__

    def without(name: str, *more: Any) -> Any:
        if name == "openpyxl":
            raise ImportError(name)
        return real(name, *more)

    monkeypatch.setattr(builtins, "__import__", without)
    assert "pip install 'linkassay[xlsx]'" in str(get(tmp_path / "a.xlsx", "mentions").exception)


def test_a_workbook_that_declares_entities(home: Path, tmp_path: Path) -> None:
    import zipfile

    workbook(tmp_path / "a.xlsx", [HEADER])
    with zipfile.ZipFile(tmp_path / "a.xlsx") as old, zipfile.ZipFile(tmp_path / "b.xlsx", "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name.endswith("sheet1.xml"):
                data = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]>' + data
            new.writestr(name, data)
    assert "declares a document type" in str(get(tmp_path / "b.xlsx", "mentions").exception)


def test_all_mistakes_at_once(home: Path, tmp_path: Path) -> None:
    bad = [f"{n}|t|Ache.\n{n}|a|\n{n}\t1\t4\tAche\tdisease\tt:1\n" for n in range(30)]
    (tmp_path / "a.txt").write_text("\n".join(bad), encoding="utf-8")
    said = str(get(tmp_path / "a.txt", "pubtator").exception)
    assert said.startswith("30 problems, nothing was stored: 30 × offset\n  a.txt:3: ")
    assert said.count("\n  a.txt:") == 20
    assert said.endswith("\n  and 10 more\nuse --skip-bad to leave such annotations out, counted")
    assert not (home / "corpora" / "own" / "current").exists()
    assert get(tmp_path / "a.txt", "pubtator", "--skip-bad").exit_code == 0


def test_lines_that_cannot_be_read_are_told_together(home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": 1, "text": "a"}\n{"id": 2\n{"id": 3, "txet": "a"}\n', encoding="utf-8")
    said = str(get(tmp_path / "a.jsonl", "jsonl").exception)
    assert said.startswith("2 problems, nothing was stored: 2 × unreadable\n  a.jsonl:2: ")
    assert "a.jsonl:3: " in said
    assert "--skip-bad" not in said
    (tmp_path / "a.csv").write_text(",".join(HEADER) + "\nd1,x,4,a,b,c\nd1,1\n,1,2,a,b,c\n", encoding="utf-8")
    said = str(get(tmp_path / "a.csv", "mentions").exception)
    assert [f"a.csv:{n}: " in said for n in (2, 3, 4)] == [True] * 3
    (tmp_path / "a.txt").write_text(
        "1|t|Ache.\n1|a|\n1\tx\t4\tAche\tdisease\tt:1\n1\t0\t9\tAche\td\tt:1\n1 2\n", "utf-8"
    )
    said = str(get(tmp_path / "a.txt", "pubtator").exception)
    assert "3 problems, nothing was stored" in said


@pytest.mark.parametrize(("text", "start", "why"), [
    ("One.\r\nTwo.\r\nAche.", 10, "its line breaks are two characters (CR LF)"),
    ("One.\nTwo.\nAche.", 12, "its line breaks are one character (LF)"),
    ("One.\nTwo.\nAche.", 11, ""),
])  # fmt: skip
def test_line_breaks_are_named_as_the_cause(text: str, start: int, why: str, home: Path, tmp_path: Path) -> None:
    mention = {"spans": [[start, start + 4]], "text": "Ache", "gold": []}
    (tmp_path / "a.jsonl").write_text(json.dumps({"id": 1, "text": text, "mentions": [mention]}), encoding="utf-8")
    said = str(get(tmp_path / "a.jsonl", "jsonl").exception)
    assert why in said
    assert ("line break" in said) is bool(why)


@pytest.mark.parametrize(("encoding", "told"), [("latin-1", "latin-1"), ("cp1252", "cp1252"), ("utf-16", "utf-16"),
                                                ("utf-16-le", "utf-16-le")])  # fmt: skip
def test_encodings_are_named_and_read(encoding: str, told: str, home: Path, tmp_path: Path) -> None:
    text = "1|t|Sjögren’s.\n1|a|\n1\t0\t7\tSjögren\tdisease\tt:1\n"
    text = text.replace("’", "'") if encoding == "latin-1" else text
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    if encoding != "utf-16-le":  # its bytes are UTF-8 up to the first letter with a dot
        assert f"re-encode it, or try --encoding {told}" in str(get(tmp_path / "a.txt", "pubtator").exception)
    assert get(tmp_path / "a.txt", "pubtator", "--encoding", encoding).exit_code == 0
    assert call("check", tmp_path / "a.txt", "--format", "pubtator", "--encoding", encoding).exit_code == 0
    again = ("import", "pubtator", tmp_path / "a.txt", "--corpus", "own", "--system", "s")
    assert call(*again).exit_code == 1 or encoding == "utf-16-le"
    assert call(*again, "--encoding", encoding).exit_code == 0
    assert "no encoding of texts is called" in str(call(*again, "--encoding", "no-such").exception)


def test_blocks_of_one_article(home: Path, tmp_path: Path) -> None:
    blocks = ["7|t|Ache β.\n7|a|And pain.\n7\t0\t4\tAche\td\tt:1\n", "8|t|Gout.\n8|a|\n8\t0\t4\tGout\td\tt:1\n",
              "7|t|Methods.\n7|a|Of gout.\n7\t12\t16\tgout\td\tt:2\n"]  # fmt: skip
    (tmp_path / "a.txt").write_text("\n".join(blocks), encoding="utf-8")
    assert "join the blocks of one article with --join-blocks" in str(get(tmp_path / "a.txt", "pubtator").exception)
    assert get(tmp_path / "a.txt", "pubtator", "--join-blocks").exit_code == 0
    [first, second] = Corpus.open("own")["test"]
    assert first.text == "Ache β. And pain. Methods. Of gout."
    assert [(m.text, first.text[m.start : m.end]) for m in first.mentions] == [("Ache", "Ache"), ("gout", "gout")]
    assert second.id == "8"
    assert "is of --format pubtator" in str(get(tmp_path / "a.txt", "jsonl", "--join-blocks").exception)


def test_alternatives_everywhere_are_worth_a_warning(home: Path, tmp_path: Path) -> None:
    for gold, said in (([["t:1"], ["t:2"]], True), ([["t:1", "t:2"]], False)):
        documents = [document | {"mentions": [{"spans": [[0, 4]], "gold": gold}]} for document in DOCUMENTS]
        (tmp_path / "a.json").write_text(json.dumps(documents), encoding="utf-8")
        done = get(tmp_path / "a.json", "jsonl")
        assert ("every mention has several alternatives" in done.stderr) is said


WRITTEN = [("d1", 0, 4, "Ache", "disease", "mesh:D1"), ("d2", 2, 6, "Pain", "disease", "mesh:D2")]


def rows_of(head: str, row: str = "{};{};{};{};{};{}") -> str:
    return head + "\n" + "".join(row.format(*cells) + "\n" for cells in WRITTEN)


HEAD = "document;start;end;text;type;ids"


@pytest.mark.parametrize("text", [
    rows_of(f"{HEAD};;", "{};{};{};{};{};{};;"), rows_of(HEAD, "{};{};{};{};{};{};;"), rows_of(f"sep=;\n{HEAD}"),
    rows_of("sep=|\n" + HEAD.replace(";", "|"), "{}|{}|{}|{}|{}|{}"), rows_of(HEAD, "{};{},0;{},0;{};{};{}\n;;;;;"),
    rows_of("Document, Start, End, Text, TYPE, Ids", "{}, {}, {}, {}, {}, {}"),
])  # fmt: skip
def test_tables_as_spreadsheets_write_them(text: str, home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    assert get(tmp_path / "a.csv", "mentions").exit_code == 0
    found = [(m.document, *m.spans[0], m.text, m.type, *m.ids) for m in mentions()]
    assert found == WRITTEN


def test_what_a_table_lacks_is_said_in_one_sentence(home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(rows_of("Doc ID,Begin,End,Term,Type,HPO", "{},{},{},{},{},{}"), encoding="utf-8")
    assert str(get(tmp_path / "a.csv", "mentions").exception) == (
        "a.csv:1: the table has no column 'document', 'start', 'text', 'ids'; it has 'Doc ID', 'Begin', 'Term', 'HPO': "
        "say what each is called, or that there is none, with --columns document=NAME or --columns document="
    )
    (tmp_path / "a.csv").write_text("", encoding="utf-8")
    assert str(get(tmp_path / "a.csv", "mentions").exception) == "a.csv: the file is empty"
    (tmp_path / "a.csv").write_text(
        rows_of("document;start;end;text;type;ids", "{};{};x;{};{};{};{}"), encoding="utf-8"
    )
    said = str(get(tmp_path / "a.csv", "mentions").exception)
    assert said.startswith("2 problems, nothing was stored: 2 × unreadable")
    assert "no document" not in said  # that none is left is no news


@pytest.mark.parametrize(("name", "odd"), [("2-Sep", True), ("Mar-01", True), ("SEPT2", False), ("IL-2", False)])
def test_dates_that_were_genes(name: str, odd: bool, home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"document,start,end,text,type,ids\nd1,0,5,{name},gene,4735\n", encoding="utf-8")
    done = get(tmp_path / "a.csv", "mentions", "--kb", "ncbi_gene")
    assert (done.exit_code, f"{name!r} looks like the date that spreadsheets make" in done.stderr) == (0, odd)


@pytest.mark.parametrize("count", [1, 2])
def test_objects_on_several_lines(count: int, home: Path, tmp_path: Path) -> None:
    text = "\n".join(json.dumps(each, indent=2) for each in DOCUMENTS[:count])
    (tmp_path / "a.json").write_text(text, encoding="utf-8")
    assert get(tmp_path / "a.json", "jsonl").exit_code == 0
    assert len(list(linkassay.corpus("own")["test"])) == count
    (tmp_path / "a.json").write_text(text + "\n{", encoding="utf-8")
    broken = text.count("\n") + 2
    assert f"a.json:{broken}: not valid JSON" in str(get(tmp_path / "a.json", "jsonl").exception)


def test_a_comma_too_many(home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(DOCUMENTS)[:-1] + ",\n]", encoding="utf-8")
    assert "a.json:2: not valid JSON (a comma stands before the end of the array)" in str(
        get(tmp_path / "a.json", "jsonl").exception
    )


@pytest.mark.parametrize("gold", ["t:1", ["t:1"], [[["t:1"]]], [["t:1"], "t:2"]])
def test_gold_that_is_nested_wrongly(gold: Any, home: Path, tmp_path: Path) -> None:
    document = {"id": 1, "text": "Ache", "mentions": [{"spans": [[0, 4]], "gold": gold}]}
    (tmp_path / "a.json").write_text(json.dumps([document]), encoding="utf-8")
    said = str(get(tmp_path / "a.json", "jsonl").exception)
    assert 'mentions[0].gold: expected alternatives, each a list of the ids that are meant together, as in [["' in said


def test_blocks_with_the_same_text_and_annotations_behind_a_blank_line(home: Path, tmp_path: Path) -> None:
    block = "7|t|Ache.\n7|a|And pain.\n"
    for text in (f"{block}7\t0\t4\tAche\td\tt:1\n\n7\t10\t14\tpain\td\tt:2\n",
                 f"{block}7\t0\t4\tAche\td\tt:1\n\n{block}7\t10\t14\tpain\td\tt:2\n"):  # fmt: skip
        (tmp_path / "a.txt").write_text(text, encoding="utf-8")
        assert get(tmp_path / "a.txt", "pubtator", "--join-blocks").exit_code == 0
        [document] = Corpus.open("own")["test"]
        assert document.text == "Ache. And pain."
        assert [m.text for m in document.mentions] == ["Ache", "pain"]


def test_blocks_are_joined_by_check_and_import_too(home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("7|t|Ache.\n7|a|\n7\t0\t4\tAche\td\tt:1\n\n7|t|Methods.\n7|a|Of gout.\n"
                                    "7\t12\t16\tgout\td\tt:2\n", encoding="utf-8")  # fmt: skip
    assert call("check", tmp_path / "a.txt").exit_code == 1
    assert call("check", tmp_path / "a.txt", "--join-blocks").exit_code == 0
    assert get(tmp_path / "a.txt", "pubtator", "--join-blocks").exit_code == 0
    words = ("import", "pubtator", tmp_path / "a.txt", "--corpus", "own", "--system", "s")
    assert call(*words).exit_code != 0
    assert call(*words, "--join-blocks").exit_code == 0
    assert linkassay.score("own/s", "recall@1").table()[0]["value"] == 1.0


def test_bad_predictions_are_told_together(home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(DOCUMENTS), encoding="utf-8")
    assert get(tmp_path / "a.json", "jsonl").exit_code == 0
    bad = [{"document": "d1", "spans": [[0, 99]], "candidates": [[f"t:{n}"]]} for n in range(30)]
    (tmp_path / "p.json").write_text(json.dumps(bad, indent=1), encoding="utf-8")
    said = str(call("import", "native", tmp_path / "p.json", "--corpus", "own", "--system", "s").exception)
    assert (said.count("outside the text"), "and 10 more" in said) == (20, True)


def test_ids_of_dbpedia_through_a_file_of_pairs(home: Path, tmp_path: Path) -> None:
    place = "http://dbpedia.org/resource/Paris"
    (tmp_path / "kb").mkdir()
    (tmp_path / "kb" / "entities.tsv").write_text("Q90\tParis\tQ515\nQ64\tBerlin\tQ515\n", encoding="utf-8")
    assert call("get", "wikidata", "--raw", tmp_path / "kb").exit_code == 0
    documents = [{"id": 1, "text": "Paris", "mentions": [{"spans": [[0, 5]], "gold": [[place]]}]}]
    (tmp_path / "a.json").write_text(json.dumps(documents), encoding="utf-8")
    done = get(tmp_path / "a.json", "jsonl", "--kb", "wikidata")
    assert "nothing can match ids of DBpedia or Wikipedia: get it again with --same-as FILE" in done.stderr
    for pairs in (f"<{place}>\t<http://www.wikidata.org/entity/Q90>\n", f'# pairs\n"{place}",wikidata:Q90\n'):
        (tmp_path / "same.tsv").write_text(pairs, encoding="utf-8")
        done = get(tmp_path / "a.json", "jsonl", "--kb", "wikidata", "--same-as", tmp_path / "same.tsv")
        assert (done.exit_code, done.stderr) == (0, "")
        assert [m.ids for m in mentions()] == [{"wikidata:Q90"}]
    (tmp_path / "p.json").write_text(json.dumps({"document": "1", "spans": [[0, 5]], "candidates": [[place]]}), "utf-8")
    words = (
        "import",
        "native",
        tmp_path / "p.json",
        "--corpus",
        "own",
        "--system",
        "s",
        "--same-as",
        tmp_path / "same.tsv",
    )
    assert call(*words).exit_code == 0
    assert linkassay.score("own/s", "recall@1").table()[0]["value"] == 1.0
    (tmp_path / "same.tsv").write_text("only-one\n", encoding="utf-8")
    assert "expected two columns" in str(call(*words).exception)


@pytest.mark.parametrize(("there", "pairs"), [
    ("http://www.wikidata.org/entity/Q90", ""), ("https://www.wikidata.org/wiki/Q90", ""),
    ("dbr:Paris", "dbr:Paris;Q90"),
    ("Paris", "Paris\tQ90"), ("https://en.wikipedia.org/wiki/Paris", "https://en.wikipedia.org/wiki/Paris,Q90"),
])  # fmt: skip
def test_ids_as_iris_and_bare_ids_in_pairs(there: str, pairs: str, home: Path, tmp_path: Path) -> None:
    documents = [{"id": 1, "text": "Paris", "mentions": [{"spans": [[0, 5]], "gold": [[there]]}]}]
    (tmp_path / "a.json").write_text(json.dumps(documents), encoding="utf-8")
    (tmp_path / "same.csv").write_text(pairs + "\n", encoding="utf-8")
    more = ("--same-as", tmp_path / "same.csv") if pairs else ()
    assert get(tmp_path / "a.json", "jsonl", "--kb", "wikidata", *more).exit_code == 0
    assert [m.ids for m in mentions()] == [{"wikidata:Q90"}]


def test_a_kb_as_an_array(home: Path) -> None:
    from linkassay.kbs.readers.json_lines import read_entities

    rows = [{"id": "t:1", "type": "d", "names": [["a"]]}, {"id": "t:2", "type": "d", "names": [["b"]]}]
    lines = raw("a.jsonl", "\n".join(map(json.dumps, rows)))
    assert list(read_entities(raw("a.json", json.dumps(rows, indent=1)), {})) == list(read_entities(lines, {}))
    assert knowledge({"t:1": ["a"]}).names_of("t:1") == ["a"]
