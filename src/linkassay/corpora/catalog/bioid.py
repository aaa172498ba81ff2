"""BioID (BioCreative VI): figure captions with cell line mentions, linked to Cellosaurus.

The captions of one article form a document. Annotations come from the track's table, not from the
BioC files, whose offsets are known to be wrong.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from linkassay.corpora import published_splits
from linkassay.corpora.corpus_spec import CorpusSpec
from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.formats import Annotation, Reading
from linkassay.formats.documents import pubtator
from linkassay.formats.syntax import Element, iterate
from linkassay.ids import IdRule
from linkassay.model import Document
from linkassay.problems import Fix
from linkassay.sources import Source, matching_files, only_file

_TABLE = "annotations.csv|BioID_Train_revision.PubTator"
_CAPTIONS = "caption_bioc/*.xml|BioID_Test_revision.PubTator"
_JSON = "bioid/splits.json|splits.json"
_CELL_LINE = re.compile(r"(?i)\s*CVCL_\w{4}\s*")
_DASHES = str.maketrans({"\u2010": "-", "\u2212": "-"})
#: Articles in which one annotation ends one character too late (BELB).
_TOO_LONG = frozenset({"3988959", "3746197"})


@dataclass(frozen=True)
class _Row:
    """An annotation of one caption, with offsets in it."""

    start: int
    end: int
    text: str
    ids: str
    line: int


@dataclass(frozen=True)
class _Caption:
    figure: str
    text: str
    annotations: tuple[Annotation, ...]


def _read(files: list[RawFile], reading: Reading) -> Iterator[tuple[str, Document]]:
    documents = _original(files, reading) if matching_files(files, "annotations.csv") else _released(files, reading)
    return published_splits.divide(documents, published_splits.json_lists(files, _JSON), reading, otherwise="train")


def _original(files: list[RawFile], reading: Reading) -> Iterator[Document]:
    table = only_file(files, "annotations.csv")
    rows = _rows(table, reading.encoding)
    for file in matching_files(files, _CAPTIONS):
        captions, article = [], ""
        for element in iterate(file, "document", ("collection", "document")):
            infons = {infon.attributes.get("key", ""): infon.text.strip() for infon in element.children("infon")}
            article = article or infons.get("pmc_id") or file.stem
            figure = infons.get("sourcedata_figure_dir") or infons.get("figure", "")
            text = _caption_text(element, file.name)
            found = rows.pop((article, _figure(figure)), [])
            captions.append(_Caption(figure, text, tuple(_annotation(r, article, text, reading) for r in found)))
        if captions:
            yield _joined(article, captions, reading, table.name)
    if astray := sum(map(len, rows.values())):
        reading.left_out["CellLine without a caption"] = astray


def _released(files: list[RawFile], reading: Reading) -> Iterator[Document]:
    """The re-release for a tagger: one caption a block, its id being the article's and four digits."""
    alone = replace(reading, merge=False, read={})  # counted again when the captions are joined
    parts = [only_file(files, _TABLE), only_file(files, _CAPTIONS)]
    articles: dict[str, list[_Caption]] = {}
    for block in sorted(pubtator.read(parts, alone), key=lambda block: (len(block.id), block.id)):
        annotations = (Annotation(m.spans, m.text, m.source_type, m.raw) for m in block.annotations)
        articles.setdefault(block.id[:-4], []).append(_Caption(block.id[-4:], block.text, tuple(annotations)))
    for article, captions in articles.items():
        yield _joined(article, captions, replace(reading, fixes=()), parts[0].name)


def _joined(article: str, captions: Iterable[_Caption], reading: Reading, file: str) -> Document:
    """One document of all captions, one character apart."""
    passages: list[tuple[str, int | None, str]] = []
    moved: list[Iterator[Annotation]] = []
    offset = 0
    for caption in captions:
        passages.append((caption.figure, offset, caption.text))
        moved.append(_moved(caption.annotations, offset))
        offset += len(caption.text) + 1
    return reading.document(article, passages, chain.from_iterable(moved), file=file)


def _moved(annotations: Iterable[Annotation], by: int) -> Iterator[Annotation]:
    return (a._replace(spans=tuple((start + by, end + by) for start, end in a.spans)) for a in annotations)


def _annotation(row: _Row, article: str, caption: str, reading: Reading) -> Annotation:
    end, found = row.end, caption[row.start : row.end]
    if article in _TOO_LONG and found[:-1].translate(_DASHES) == row.text.translate(_DASHES):
        fix = Fix(article, (row.start, end), row.text, "the span ends one character too late", ((row.start, end - 1),))
        reading.problems.fixes.append(fix)
        end, found = end - 1, found[:-1]
    # The table writes hyphens and minus signs as `-`, whatever the caption has.
    same = found.translate(_DASHES) == row.text.translate(_DASHES)
    return Annotation(((row.start, end),), found if same else row.text, "CellLine", row.ids, line=row.line)


def _rows(file: RawFile, encoding: str) -> dict[tuple[str, str], list[_Row]]:
    """The table's cell lines by article and figure."""
    needed = ("don_article", "figure", "first left", "last right", "text", "obj")
    rows: dict[tuple[str, str], list[_Row]] = {}
    reader = csv.DictReader(line + "\n" for _, line in file.lines(encoding))
    try:
        if missing := [name for name in needed if name not in (reader.fieldnames or ())]:
            raise DataError(f"the table has no column {missing[0]!r}", file=file.name, line=1)
        for row in reader:
            article, figure, left, right, text, ids = (row[name] or "" for name in needed)
            lines = [i for i in ids.split("|") if _CELL_LINE.fullmatch(i)]
            if not lines:
                continue  # another kind of entity
            if not re.fullmatch(r"[0-9]{1,9},[0-9]{1,9}", f"{left},{right}"):
                raise DataError(f"expected whole numbers in 'first left' and 'last right', found {left[:20]!r} and "
                                f"{right[:20]!r}", file=file.name, line=reader.line_num)  # fmt: skip
            made = _Row(int(left), int(right), text, "|".join(lines), reader.line_num)
            rows.setdefault((article.strip(), _figure(figure)), []).append(made)
    except csv.Error as error:
        raise DataError(f"not a table of comma-separated values ({error})", file=file.name,
                        line=reader.line_num) from error  # fmt: skip
    return rows


def _figure(name: str) -> str:
    """The table writes `Figure_1-A`, the captions this or `Figure 1-A`."""
    return name.strip().replace("_", " ")


def _caption_text(element: Element, file: str) -> str:
    passages = list(element.children("passage"))
    text = passages[0].first("text") if len(passages) == 1 else None
    if text is None:
        raise DataError("a caption must have one passage with a text", file=file, line=element.line)
    return text.text


SPEC = CorpusSpec(
    name="bioid",
    title="BioID (cell lines)",
    types=("cell_line",),
    licence="no licence is named; captions of open-access articles, each under its own licence",
    citation=(
        "Arighi C, Hirschman L, Lemberger T, Bayer S, Liechti R, Comeau D, Wu C. Bio-ID track overview. Proceedings of "
        "the BioCreative VI Workshop, 2017"
    ),
    homepage="https://biocreative.bioinformatics.udel.edu/tasks/biocreative-vi/track-1/",
    kb="cellosaurus",
    files=(_TABLE, _CAPTIONS),
    read=_read,
    optional=(_JSON,),
    sources=(
        Source(
            "https://biocreative.bioinformatics.udel.edu/media/store/files/2017/BioIDtraining_2.tar.gz",
            "BioIDtraining_2.tar.gz",
        ),
        published_splits.belb("bioid", "c7de5cf794035968a1fff4cabfc496ad361e443e668aaf0ec642a400797bb210", 7453),
    ),
    rules={"": IdRule(prefix="cellosaurus", alternative="|")},
    source_types={"CellLine": "cell_line"},
    fixes=(
        Fix(
            "47728491017",
            (186, 194),
            "Jurkat ",
            "the annotation's text breaks off; its span is right (re-release)",
            new_text="Jurkat T",
        ),
    ),
    notes=(
        "The captions of one article form a document, named by its number in PubMed Central. Annotations are those of "
        "annotations.csv; only cell lines (CVCL_…) are kept, `|` separates alternatives. The track released its "
        "training set only: with BELB's splits.json it is divided 400/85/85 (BELB's 231/59/60 documents are those with "
        "cell lines), without it all is train. The re-release as BioID_Train_revision.PubTator and "
        "BioID_Test_revision.PubTator is read as well; its annotations were revised (5 590)."
    ),
)
