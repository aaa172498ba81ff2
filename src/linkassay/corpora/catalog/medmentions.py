"""MedMentions: PubMed abstracts with mentions of UMLS concepts, whole and as the ST21pv subset."""

from __future__ import annotations

from collections.abc import Iterator

from linkassay.corpora import published_splits
from linkassay.corpora.corpus_spec import CorpusSpec, EveryType
from linkassay.files import RawFile
from linkassay.formats import Reading
from linkassay.formats.documents import pubtator
from linkassay.ids import IdRule
from linkassay.model import Document
from linkassay.sources import Source, only_file

_LISTS = {
    "train": "corpus_pubtator_pmids_trng.txt",
    "dev": "corpus_pubtator_pmids_dev.txt",
    "test": "corpus_pubtator_pmids_test.txt",
}
_RAW = "https://github.com/chanzuckerberg/MedMentions/raw/master"
_LIST_SOURCES = tuple(
    Source(f"{_RAW}/full/data/{_LISTS[split]}", _LISTS[split], sha256, size)
    for split, sha256, size in (
        ("train", "ab037fc5606588b4294fa1ead987a66652fe8f3c81e7832e6a02d0c1cdb1c7e6", 23715),
        ("dev", "d03508c74df795000599509b997b7280c0ff5bc53b064547e98b29be8b616abd", 7902),
        ("test", "fece5bcb8c61edf8de73884980b80daf274132ef6d69f0d195c0114acbfdd4ab", 7911),
    )
)


def _spec(subset: str, title: str, notes: str) -> CorpusSpec:
    corpus = f"{subset}/data/corpus_pubtator.txt|corpus_pubtator.txt"  # a clone of the repository has both

    def read(files: list[RawFile], reading: Reading) -> Iterator[tuple[str, Document]]:
        lists = published_splits.line_lists(files, _LISTS)
        return published_splits.divide(pubtator.read([only_file(files, corpus)], reading), lists, reading)

    return CorpusSpec(
        name=f"medmentions_{subset}",
        title=title,
        types=("umls",),
        licence="CC0 1.0",
        shares_text="full",
        citation=(
            "Mohan S, Li D. MedMentions: A Large Biomedical Corpus Annotated with UMLS Concepts. Automated "
            "Knowledge Base Construction (AKBC) 2019. arXiv:1902.09476"
        ),
        homepage="https://github.com/chanzuckerberg/MedMentions",
        kb="umls",
        files=(corpus, *_LISTS.values()),
        read=read,
        sources=(
            Source(f"{_RAW}/{subset}/data/corpus_pubtator.txt.gz", "corpus_pubtator.txt.gz"),
            *_LIST_SOURCES,
        ),
        rules={"": IdRule(prefix="umls", alternative=",")},
        source_types=EveryType("umls"),
        expected={"train": {"documents": 2635}, "dev": {"documents": 878}, "test": {"documents": 879}},
        notes=notes,
    )


FULL = _spec(
    "full",
    "MedMentions (full)",
    "The source type of a mention is its UMLS semantic types (T-codes, joined by `,`, or UnknownType). Linked to "
    "UMLS 2017AA. Its authors count 352 496 mentions of 34 724 concepts.",
)
ST21PV = _spec(
    "st21pv",
    "MedMentions ST21pv",
    "The subset of 21 semantic types and preferred vocabularies; the source type of a mention is its semantic type. "
    "Ids are written `UMLS:C…`; splits are those of the full corpus. Its authors count 203 282 mentions of 25 419 "
    "concepts.",
)
