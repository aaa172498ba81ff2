"""GNormPlus: PubMed abstracts with gene mentions, linked to NCBI Gene (BioCreative II GN and Citation GIA)."""

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

#: The re-release for a tagger has train and GIA in one file.
_RELEASED_TRAIN, _RELEASED_TEST = "GNormPlus_Train.PubTator", "GNormPlus_Test.PubTator"
_FILES = {
    "train": f"BC2GNtrain.PubTator.txt|BC2GNtrain.BioC.xml|{_RELEASED_TRAIN}",
    "dev": f"NLMIAT.PubTator.txt|NLMIAT.BioC.xml|{_RELEASED_TRAIN}",
    "test": f"BC2GNtest.PubTator.txt|BC2GNtest.BioC.xml|{_RELEASED_TEST}",
}
#: In the re-release the documents of GIA follow those of BioCreative II; this is their first.
_FIRST_OF_GIA = "9857230"


def _read(files: list[RawFile], reading: Reading) -> Iterator[tuple[str, Document]]:
    for split in ("train", "dev", "test"):
        file = only_file(files, _FILES[split])
        released = file.name.lower().endswith(_RELEASED_TRAIN.lower())
        if released and split == "dev":
            continue  # came with train
        here = split
        for document in _documents(file, reading):
            if released and document.id == _FIRST_OF_GIA:
                here = "dev"
            yield here, document


def _documents(file: RawFile, reading: Reading) -> Iterator[Document]:
    if file.suffix == ".xml":
        return bioc.read([file], reading, id_keys=("Gene", "NCBI Gene", "identifier"))
    return pubtator.read([file], reading)


def _moved(document: str, start: int, text: str) -> Fix:
    """All offsets of the document's later part are one too high."""
    why = "the offsets are one too high"
    span: Span = (start, start + len(text))
    return Fix(document, span, text, why, new_spans=((span[0] - 1, span[1] - 1),))


def _longer(document: str, span: Span, text: str) -> Fix:
    return Fix(document, span, text, "the span ends too early", new_spans=((span[0], span[0] + len(text)),))


def _respelled(document: str, span: Span, text: str, new_text: str) -> Fix:
    return Fix(document, span, text, "the annotation's text is not spelled as in the document", new_text=new_text)


_FIXES = (
    _longer("10880510", (15, 24), "2P domain mechano-sensitive K+ channel"),
    *(_moved("7520377", start, "Ge-1") for start in (507, 563, 790, 1372)),
    *(_moved("7649249", start, text)
      for start, text in ((406, "ZNF133"), (417, "ZNF140"), (500, "ZNF136"), (604, "ZNF133"), (615, "ZNF140"),
                          (756, "ZNF136"), (898, "ZNF10"), (905, "KOX1"))),
    _moved("8248204", 1224, "140-kDa subunit of RFC"),
    _respelled("14576168", (1077, 1085), "intersex", "Intersex"),
    _longer("15280356", (676, 703), "Fas-associated death domain (FADD) protein"),
    _respelled("9149941", (934, 988), "52-kD Ro/SSA lupus and Sjogren''s syndrome auto-antigen",
               "52-kD Ro/SSA lupus and Sjogren's syndrome auto-antigen"),
)  # fmt: skip

SPEC = CorpusSpec(
    name="gnormplus",
    title="GNormPlus",
    types=("gene",),
    licence="public domain (work of the United States government, NCBI/NLM)",
    shares_text="full",
    citation=(
        "Wei C-H, Kao H-Y, Lu Z. GNormPlus: An Integrative Approach for Tagging Genes, Gene Families, and Protein "
        "Domains. BioMed Research International 2015:918710, 2015. doi:10.1155/2015/918710"
    ),
    homepage="https://www.ncbi.nlm.nih.gov/research/bionlp/Tools/gnormplus/",
    kb="ncbi_gene",
    files=tuple(_FILES.values()),
    read=_read,
    sources=(
        Source(
            "https://www.ncbi.nlm.nih.gov/CBBresearch/Lu/Demo/tmTools/download/GNormPlus/GNormPlusCorpus.zip",
            "GNormPlusCorpus.zip",
        ),
    ),
    rules={"": IdRule(prefix="ncbigene", composite=",;", strip=r"(?i)\(Tax:\d+\)")},
    source_types={"Gene": "gene"},
    fixes=_FIXES,
    expected={"train": {"documents": 281}, "dev": {"documents": 151}, "test": {"documents": 262}},
    notes=(
        "Train and test are those of BioCreative II gene normalisation; dev is the Citation GIA collection (NLMIAT), "
        "as in BELB. Only `Gene` is kept, FamilyName and DomainMotif have no id. `(Tax:…)` after an id, the species, "
        "is taken off; several ids are meant together. Some mentions have no id. BELB's 279/137/254 documents are "
        "those with linked mentions. The re-release as GNormPlus_Train.PubTator and GNormPlus_Test.PubTator is read "
        "as well."
    ),
)
