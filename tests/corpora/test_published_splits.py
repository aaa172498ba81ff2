"""Split lists, and what else the readers of corpora share."""

from __future__ import annotations

import pytest

from linkassay.corpora import published_splits
from linkassay.corpora.corpus_spec import EveryType, unique_documents
from linkassay.errors import DataError
from linkassay.model import Document
from linkassay.problems import Problems
from tests.helpers import raw, reading

LISTS = {"train": "train.txt", "dev": "devel.txt", "test": "test.txt"}


def documents(*ids: str) -> list[Document]:
    return [Document(id, f"text of {id}") for id in ids]


def test_json_lists() -> None:
    file = raw("x/splits.json", '{"test": ["c"], "train": ["a", 2]}')
    assert published_splits.json_lists([file], "splits.json") == {"a": "train", "2": "train", "c": "test"}
    assert published_splits.json_lists([], "splits.json") == {}


def test_the_list_in_the_folder_of_the_corpus_comes_first() -> None:
    files = [raw("meta/s800/splits.json", '{"test": ["a"]}'), raw("meta/bioid/splits.json", '{"train": ["a"]}')]
    assert published_splits.json_lists(files, "bioid/splits.json|splits.json") == {"a": "train"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"train": ["a"], "dev": ["a"]}', "splits.json: document a is in the lists of train and of dev"),
        ('{"valid": ["a"]}', "splits.json: unknown split 'valid'; known are: train, dev, test"),
        ("{", "splits.json:1: not valid JSON (Expecting property name enclosed in double quotes)"),
        ("[]", "splits.json: value: expected an object, found []"),
        ('{"train": "a"}', 'splits.json: train: expected a list, found "a"'),
    ],
)
def test_broken_json_lists(text: str, message: str) -> None:
    with pytest.raises(DataError) as error:
        published_splits.json_lists([raw("splits.json", text)], "splits.json")
    assert str(error.value) == message


def test_line_lists() -> None:
    files = [raw("train.txt", "pa\n\n pb \n"), raw("devel.txt", ""), raw("test.txt", "pc")]
    found = published_splits.line_lists(files, LISTS, lambda line: line.removeprefix("p"))
    assert found == {"a": "train", "b": "train", "c": "test"}
    assert published_splits.line_lists(files[:2], LISTS) == {}


def test_line_lists_that_contradict_each_other() -> None:
    files = [raw("train.txt", "a"), raw("devel.txt", ""), raw("test.txt", "a")]
    with pytest.raises(DataError) as error:
        published_splits.line_lists(files, LISTS)
    assert str(error.value) == "train.txt, devel.txt, test.txt: document a is in the lists of train and of test"


def test_documents_come_train_before_dev_before_test() -> None:
    lists = {"a": "test", "b": "dev", "c": "train", "d": "dev", "e": "train"}
    found = [(split, d.id) for split, d in published_splits.divide(documents(*"abcde"), lists, reading())]
    assert found == [("train", "c"), ("train", "e"), ("dev", "b"), ("dev", "d"), ("test", "a")]


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_without_lists_all_are_of_one_split(split: str) -> None:
    found = [(s, d.id) for s, d in published_splits.divide(documents("a", "b"), {}, reading(), split)]
    assert found == [(split, "a"), (split, "b")]


def test_a_document_in_no_list_is_a_problem() -> None:
    with pytest.raises(DataError) as error:
        list(published_splits.divide(documents("a"), {"b": "dev"}, reading()))
    hint = "(use --skip-bad to leave such annotations out, counted)"
    assert str(error.value) == f"the document is in none of the split lists; document a {hint}"
    lenient = reading(skip=True)
    assert list(published_splits.divide(documents("a"), {"b": "dev"}, lenient)) == []
    assert lenient.problems.counts == {"split": 1}


def test_only_known_repeats_are_left_out_and_listed() -> None:
    problems = Problems()
    found = list(unique_documents(documents("a", "b", "a", "b", "a"), problems, {"a"}, "it is known"))
    assert [d.id for d in found] == ["a", "b", "b"]
    assert [(fix.document, fix.why) for fix in problems.fixes] == [("a", "it is known")] * 2


def test_every_type_is_one_of_ours() -> None:
    types = EveryType("umls")
    assert types["T047"] == types[""] == "umls"
    assert "T116,T123" in types
    assert list(types) == []
