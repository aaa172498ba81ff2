"""NCBI Disease: PubMed abstracts with disease mentions, linked to MeSH and OMIM (MEDIC)."""

from __future__ import annotations

from collections.abc import Iterator

from linkassay.corpora.corpus_spec import CorpusSpec, unique_documents
from linkassay.files import RawFile
from linkassay.formats import Reading
from linkassay.formats.documents import pubtator
from linkassay.ids import IdRule
from linkassay.model import Document
from linkassay.problems import Fix
from linkassay.sources import Source, only_file

_FILES = {
    "train": "NCBItrainset_corpus.txt",
    "dev": "NCBIdevelopset_corpus.txt",
    "test": "NCBItestset_corpus.txt",
}
_HOME = "https://www.ncbi.nlm.nih.gov/CBBresearch/Dogan/DISEASE/"


def _read(files: list[RawFile], reading: Reading) -> Iterator[tuple[str, Document]]:
    for split, name in _FILES.items():
        documents = pubtator.read([only_file(files, name)], reading)
        why = "the abstract occurs twice in train; the first occurrence is kept"
        for document in unique_documents(documents, reading.problems, {"8528200"}, why):
            yield split, document


SPEC = CorpusSpec(
    name="ncbi_disease",
    title="NCBI Disease",
    types=("disease",),
    licence="public domain (work of the United States government, NCBI/NLM)",
    shares_text="full",
    citation=(
        "Doğan RI, Leaman R, Lu Z. NCBI disease corpus: a resource for disease name recognition and concept "
        "normalization. Journal of Biomedical Informatics 47:1–10, 2014. doi:10.1016/j.jbi.2013.12.006"
    ),
    homepage=_HOME,
    kb="ctd_diseases",
    files=tuple(_FILES.values()),
    read=_read,
    sources=tuple(
        Source(f"{_HOME}{name}", name)
        for name in ("NCBItrainset_corpus.zip", "NCBIdevelopset_corpus.zip", "NCBItestset_corpus.zip")
    ),
    rules={"": IdRule(prefix="mesh", composite="|+")},
    source_types=dict.fromkeys(("SpecificDisease", "DiseaseClass", "CompositeMention", "Modifier"), "disease"),
    fixes=(
        Fix(
            "10923035",
            (711, 761),
            'generalized epilepsy and febrile seizures " plus "  ',
            "the annotation's text has two spaces too many at its end; its span is right",
            new_text='generalized epilepsy and febrile seizures " plus "',
        ),
    ),
    expected={
        "train": {"documents": 592, "annotations": 5134},
        "dev": {"documents": 100, "annotations": 787},
        "test": {"documents": 100, "annotations": 960},
    },
    notes=(
        "PMID 8528200 occurs twice in train; the second occurrence is left out (BELB does so too). Ids are bare "
        "MeSH, `MESH:` or `OMIM:`; `|` and `+` both join the ids of a composite mention. The source's four kinds "
        "of mention (SpecificDisease, DiseaseClass, CompositeMention, Modifier) are kept as the source type."
    ),
)
