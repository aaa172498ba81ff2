"""S800: 800 PubMed abstracts of eight fields with species mentions, linked to NCBI Taxonomy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from linkassay.corpora import published_splits
from linkassay.corpora.corpus_spec import CorpusSpec
from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.formats import Reading
from linkassay.formats.documents import pubtator, standoff
from linkassay.ids import IdRule
from linkassay.model import Document
from linkassay.sources import Source, matching_files, only_file

_TABLE = "S800.tsv|SPECIES_Train.PubTator"
_NUMBERS = "pubmedid.tsv|SPECIES_Test.PubTator"
_TEXTS = "abstracts/*.txt|SPECIES_Train.PubTator"
_JSON = "s800/splits.json|splits.json"
_LINES = {"train": "split/train.txt|train.txt", "dev": "split/devel.txt|devel.txt", "test": "split/test.txt|test.txt"}
_COLUMNS = standoff.Columns(document=1, start=2, end=3, text=4, type=None, ids=0, constant_type="species")


def _read(files: list[RawFile], reading: Reading) -> Iterator[tuple[str, Document]]:
    lists = published_splits.json_lists(files, _JSON) or published_splits.line_lists(files, _LINES)
    return published_splits.divide(_documents(files, reading), lists, reading)


def _documents(files: list[RawFile], reading: Reading) -> Iterator[Document]:
    if not matching_files(files, "S800.tsv"):
        # The re-release counts characters, unlike the original.
        return pubtator.read(
            [only_file(files, _TABLE), only_file(files, _NUMBERS)], replace(reading, units="codepoint")
        )
    numbers = _pubmed(only_file(files, "pubmedid.tsv"))
    used = [only_file(files, _TABLE), *matching_files(files, _TEXTS)]
    return standoff.read(
        used,
        reading,
        columns=_COLUMNS,
        table="S800.tsv",
        inclusive_end=True,
        text_of=lambda cell: cell.partition(":")[0],
        document_id=lambda name: numbers.get(name, name),
    )


def _pubmed(file: RawFile) -> dict[str, str]:
    """Name of a text → its PubMed number."""
    numbers = {}
    for line, text in file.lines():
        if text.strip():
            name, tab, rest = text.partition("\t")
            if not tab:
                raise DataError(
                    "expected the name of a text, a tab and `PMID:` with a number", file=file.name, line=line
                )
            numbers[name.strip()] = rest.partition("\t")[0].strip().removeprefix("PMID:")
    return numbers


SPEC = CorpusSpec(
    name="s800",
    title="S800 (Species-800)",
    types=("species",),
    licence="texts subject to Medline's restrictions (abstracts); no licence is named for the annotations",
    citation=(
        "Pafilis E, Frankild SP, Fanini L, Faulwetter S, Pavloudi C, Vasileiadou A, Arvanitidis C, Jensen LJ. The "
        "SPECIES and ORGANISMS Resources for Fast and Accurate Identification of Taxonomic Names in Text. PLoS ONE "
        "8(6):e65390, 2013. doi:10.1371/journal.pone.0065390"
    ),
    homepage="https://species.jensenlab.org/",
    kb="ncbi_taxonomy",
    files=(_TABLE, _NUMBERS, _TEXTS),
    read=_read,
    optional=(_JSON, *_LINES.values()),
    sources=(
        Source("https://species.jensenlab.org/files/S800-1.0.tar.gz", "S800-1.0.tar.gz"),
        published_splits.belb("s800", "0e8d3307ba816a911a06a2b90c0062f6be88715ab311721263a7fbfb5faa6b83", 11244),
    ),
    rules={"": IdRule(prefix="ncbitaxon", alternative="| ", none=("0",))},
    source_types={"species": "species", "Species": "species"},
    units="byte",
    notes=(
        "End offsets are inclusive and count bytes. The source has no splits: those of BELB (560/80/160 abstracts, "
        "from S. Pyysalo's lists) are used where splits.json or train.txt, devel.txt and test.txt are there, else "
        "all abstracts are test. BELB's 437/63/125 documents are those with mentions. Documents go by their PubMed "
        "number (pubmedid.tsv). The re-release as SPECIES_Train.PubTator and SPECIES_Test.PubTator is read as well; "
        "its white space is collapsed, one abstract is missing (799), and it has 3 792 mentions."
    ),
)
