"""Splits that are published apart from the texts: lists of document ids.

Either `splits.json` ({"train": [ids], "dev": [ids], "test": [ids]}, as BELB publishes them) or a
text file with an id a line for each split.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.formats import Reading
from linkassay.formats.syntax import parse_json
from linkassay.model import Document
from linkassay.problems import Problem
from linkassay.sources import Source, matching_files, only_file

SPLIT_ORDER = ("train", "dev", "test")


def belb(corpus: str, sha256: str, size: int) -> Source:
    """BELB's split list of `corpus` as a file to obtain."""
    commit = "18a90f8a51d8ba6219daa38a79a4330fa51e58af"
    url = f"https://raw.githubusercontent.com/sg-wbi/belb/{commit}/belb/metadata/{corpus}/splits.json"
    return Source(url, "splits.json", sha256, size)


def json_lists(files: list[RawFile], need: str, document_id: Callable[[str], str] = str) -> dict[str, str]:
    """Document id → split as the JSON file `need` has it; nothing if there is no such file."""
    if not matching_files(files, need):
        return {}
    file = only_file(files, need)
    value = parse_json(file.bytes(), file.name)
    lists = {split: [i.identifier() for i in ids.items()] for split, ids in value.members()}
    if unknown := sorted(set(lists) - set(SPLIT_ORDER)):
        raise DataError(f"unknown split {unknown[0]!r}; known are: {', '.join(SPLIT_ORDER)}", file=file.name)
    return _turned({split: lists.get(split, []) for split in SPLIT_ORDER}, file.name, document_id)


def line_lists(
    files: list[RawFile], globs: Mapping[str, str], document_id: Callable[[str], str] = str
) -> dict[str, str]:
    """Document id → split from one list for each split; nothing if any of the lists is not there."""
    if not all(matching_files(files, glob) for glob in globs.values()):
        return {}
    lists = {split: only_file(files, glob) for split, glob in globs.items()}
    ids = {split: [line.strip() for _, line in file.lines() if line.strip()] for split, file in lists.items()}
    return _turned(ids, ", ".join(file.name for file in lists.values()), document_id)


def divide(
    documents: Iterable[Document], lists: Mapping[str, str], reading: Reading, otherwise: str = "test"
) -> Iterator[tuple[str, Document]]:
    """(split, document), train before dev before test. Without lists all are of split `otherwise`.

    Only dev and test are held in memory. With lists, a document in none of them is a problem.
    """
    later: dict[str, list[Document]] = {split: [] for split in SPLIT_ORDER[1:]}
    for document in documents:
        split = lists.get(document.id, "") if lists else otherwise
        if split in later:
            later[split].append(document)
        elif split:
            yield split, document
        else:
            reading.problems.add(Problem("split", "the document is in none of the split lists", document=document.id))
    for split, held in later.items():
        for document in held:
            yield split, document


def _turned(lists: Mapping[str, list[str]], file: str, document_id: Callable[[str], str]) -> dict[str, str]:
    splits: dict[str, str] = {}
    for split, ids in lists.items():
        for given in ids:
            document = document_id(given)
            if splits.setdefault(document, split) != split:
                raise DataError(f"document {document} is in the lists of {splits[document]} and of {split}", file=file)
    return splits
