"""Linnaeus: full-text articles with species mentions, linked to NCBI Taxonomy."""

from __future__ import annotations

from collections.abc import Iterator

from linkassay.corpora import published_splits
from linkassay.corpora.corpus_spec import CorpusSpec
from linkassay.files import RawFile
from linkassay.formats import Reading
from linkassay.formats.documents import pubtator, standoff
from linkassay.ids import IdRule
from linkassay.model import Document
from linkassay.sources import Source, matching_files

_TAGS = "tags.tsv|Linnaeus_Train.PubTator"
_TEXTS = "pmcA*.txt|Linnaeus_Test.PubTator"
_JSON = "linnaeus/splits.json|splits.json"
_LINES = {"train": "split/train.txt|train.txt", "dev": "split/devel.txt|devel.txt", "test": "split/test.txt|test.txt"}
_COLUMNS = standoff.Columns(document=1, start=2, end=3, text=4, type=None, ids=0, constant_type="species")


def _article(name: str) -> str:
    """The number in PubMed Central without the source's `pmcA`."""
    return name.removeprefix("pmcA")


def _read(files: list[RawFile], reading: Reading) -> Iterator[tuple[str, Document]]:
    lists = published_splits.json_lists(files, _JSON, _article) or published_splits.line_lists(files, _LINES, _article)
    return published_splits.divide(_documents(files, reading), lists, reading)


def _documents(files: list[RawFile], reading: Reading) -> Iterator[Document]:
    used = [*matching_files(files, _TAGS), *matching_files(files, _TEXTS)]
    if matching_files(files, "tags.tsv"):
        return standoff.read(used, reading, columns=_COLUMNS, table="tags.tsv", document_id=_article)
    return pubtator.read(used, reading)


SPEC = CorpusSpec(
    name="linnaeus",
    title="Linnaeus",
    types=("species",),
    licence="CC BY (open-access articles of PubMed Central; their own licences apply to the texts)",
    citation=(
        "Gerner M, Nenadic G, Bergman CM. LINNAEUS: a species name identification system for biomedical literature. "
        "BMC Bioinformatics 11:85, 2010. doi:10.1186/1471-2105-11-85"
    ),
    homepage="https://linnaeus.sourceforge.net/",
    kb="ncbi_taxonomy",
    files=(_TAGS, _TEXTS),
    read=_read,
    optional=(_JSON, *_LINES.values()),
    sources=(
        Source(
            "https://sourceforge.net/projects/linnaeus/files/Corpora/manual-corpus-species-1.0.tar.gz/download",
            "manual-corpus-species-1.0.tar.gz",
        ),
        published_splits.belb("linnaeus", "5bfc5420b99d431279da26d53f91bbd8f9aa343bbac3e2fc288c729ada9aeed8", 1325),
    ),
    rules={"": IdRule(prefix="ncbitaxon", alternative="| ", none=("0",), strip=r"^species:ncbi:")},
    source_types={"species": "species", "Species": "species"},
    notes=(
        "Full text. The id 0 is none. The source has no splits: those of BELB (50/17/33 articles, from S. Pyysalo's "
        "lists) are used where splits.json or train.txt, devel.txt and test.txt are there, else all articles are "
        "test. BELB's 47/17/31 documents are those with linked mentions. Documents go by their number in PubMed "
        "Central, without the source's `pmcA`. The re-release as Linnaeus_Train.PubTator and Linnaeus_Test.PubTator "
        "is read as well; it has other texts (white space) and fewer mentions (2 897)."
    ),
)
