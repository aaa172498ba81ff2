"""BC5CDR: PubMed abstracts with chemical and disease mentions, linked to MeSH."""

from __future__ import annotations

from collections.abc import Iterator

from linkassay.corpora.corpus_spec import CorpusSpec
from linkassay.files import RawFile
from linkassay.formats import Reading
from linkassay.formats.documents import bioc, pubtator
from linkassay.ids import IdRule
from linkassay.model import Document, Span
from linkassay.problems import Fix
from linkassay.sources import Source, only_file

_STEMS = {"train": "CDR_TrainingSet", "dev": "CDR_DevelopmentSet", "test": "CDR_TestSet"}
_FILES = {split: f"{stem}.PubTator.txt|{stem}.BioC.xml" for split, stem in _STEMS.items()}


def _part(document: str, span: Span, text: str, *new_spans: Span) -> Fix:
    return Fix(document, span, text, "the spans of a composite mention's part are off (BioC)", new_spans)


def _read(files: list[RawFile], reading: Reading) -> Iterator[tuple[str, Document]]:
    for split, need in _FILES.items():
        file = only_file(files, need)
        if file.suffix == ".xml":
            documents = bioc.read([file], reading, id_keys=("MESH",))
        else:
            documents = pubtator.read([file], reading)
        for document in documents:
            yield split, document


SPEC = CorpusSpec(
    name="bc5cdr",
    title="BC5CDR",
    types=("chemical", "disease"),
    licence="public domain (work of the United States government, NCBI/NLM)",
    shares_text="full",
    citation=(
        "Li J, Sun Y, Johnson RJ, Sciaky D, Wei C-H, Leaman R, Davis AP, Mattingly CJ, Wiegers TC, Lu Z. "
        "BioCreative V CDR task corpus: a resource for chemical disease relation extraction. Database 2016:baw068, "
        "2016. doi:10.1093/database/baw068"
    ),
    homepage="https://biocreative.bioinformatics.udel.edu/tasks/biocreative-v/track-3-cdr/",
    kb="mesh",
    files=tuple(_FILES.values()),
    read=_read,
    sources=(
        Source(
            "https://biocreative.bioinformatics.udel.edu/media/store/files/2016/CDR_Data.zip",
            "CDR_Data.zip",
        ),
    ),
    how_to_obtain=(
        "Download CDR_Data.zip from https://biocreative.bioinformatics.udel.edu/resources/corpora/"
        "biocreative-v-cdr-corpus/ (the site may ask for a free registration)."
    ),
    rules={"": IdRule(prefix="mesh", composite="|")},
    source_types={"Chemical": "chemical", "Disease": "disease"},
    fixes=(
        _part("20722491", (187, 230), "colorectal cancers", (187, 197), (224, 231)),
        _part("11587867", (447, 489), "opistothonus dysfunction", (447, 459), (479, 490)),
        _part("15863244", (946, 966), "midline (MD) defects", (948, 968)),
        _part("6415512", (247, 301), "atypical absence seizures", (248, 264), (293, 301)),
    ),
    expected={
        "train": {"documents": 500, "annotations": 9385, "chemical": 5203, "disease": 4182},
        "dev": {"documents": 500, "annotations": 9591, "chemical": 5347, "disease": 4244},
        "test": {"documents": 500, "annotations": 9809, "chemical": 5385, "disease": 4424},
    },
    notes=(
        "`|` joins the ids of a composite mention, `-1` is none (chemical 44/43/30, disease 32/16/61 mentions "
        "without an id). Chemical–disease relations are left out, counted. The PubTator files are read where they "
        "are there, else the BioC files; these have the parts of composite mentions besides (486)."
    ),
)
