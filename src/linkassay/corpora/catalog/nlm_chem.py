"""NLM-Chem: full-text articles with chemical mentions, linked to MeSH."""

from __future__ import annotations

from collections.abc import Iterator

from linkassay.corpora import published_splits
from linkassay.corpora.corpus_spec import CorpusSpec
from linkassay.files import RawFile
from linkassay.formats import Reading
from linkassay.formats.documents import bioc
from linkassay.ids import IdRule
from linkassay.model import Document
from linkassay.sources import Source, matching_files, only_file

#: The BioCreative VII release has one file for each split; the first one a file for each article.
_TRACK = {split: f"BC7T2-NLMChem-corpus-{split}.BioC.xml" for split in published_splits.SPLIT_ORDER}
_LISTS = {split: f"pmcids_{split}.txt" for split in published_splits.SPLIT_ORDER}
_ARTICLES = "ALL/*.xml"


def _read(files: list[RawFile], reading: Reading) -> Iterator[tuple[str, Document]]:
    if matching_files(files, _TRACK["train"]):
        for split, name in _TRACK.items():
            for document in bioc.read([only_file(files, name)], reading):
                yield split, document
        return
    lists = published_splits.line_lists(files, _LISTS, lambda line: line.removeprefix("PMC"))
    lists |= {f"PMC{article}": split for article, split in lists.items()}
    yield from published_splits.divide(bioc.read(matching_files(files, _ARTICLES), reading), lists, reading)


SPEC = CorpusSpec(
    name="nlm_chem",
    title="NLM-Chem",
    types=("chemical",),
    licence="CC0 1.0",
    shares_text="full",
    citation=(
        "Islamaj R, Leaman R, Kim S, Kwon D, Wei C-H, Comeau DC, Peng Y, Cissel D, Coss C, Fisher C, et al. NLM-Chem, "
        "a new resource for chemical entity recognition in PubMed full text literature. Scientific Data 8:91, 2021. "
        "doi:10.1038/s41597-021-00875-1"
    ),
    homepage="https://biocreative.bioinformatics.udel.edu/tasks/biocreative-vii/track-2/",
    kb="ctd_chemicals",
    files=(
        f"{_TRACK['train']}|{_ARTICLES}",
        *(f"{_TRACK[split]}|{_LISTS[split]}" for split in published_splits.SPLIT_ORDER),
    ),
    read=_read,
    # The file is a tar archive in spite of its name, and is stored as such.
    sources=(
        Source(
            "https://ftp.ncbi.nlm.nih.gov/pub/lu/BC7-NLM-Chem-track/BC7T2-NLMChem-corpus_v2.BioC.xml.gz",
            "BC7T2-NLMChem-corpus_v2.BioC.tar.gz",
        ),
    ),
    rules={"": IdRule(prefix="mesh", composite=",;")},
    source_types={"Chemical": "chemical"},
    expected={"train": {"documents": 80}, "dev": {"documents": 20}, "test": {"documents": 50}},
    notes=(
        "Full text. `,` joins the ids of a composite mention, `-` is none. MeSH_Indexing_Chemical (ids of the whole "
        "article) and OTHER are left out. BELB keeps only mentions whose id is in CTD Chemicals (20 796/5 234/11 514 "
        "mentions): synchronise with that KB for the same. Read is the release for BioCreative VII, or the first "
        "release: ALL/*.xml with pmcids_train.txt, pmcids_dev.txt and pmcids_test.txt. In article 5600090 one "
        "annotation is known to be one character off; --skip-bad leaves it out."
    ),
)
