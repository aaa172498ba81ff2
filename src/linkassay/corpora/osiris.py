"""OSIRIS v1.2: PubMed abstracts with variant mentions, linked to dbSNP; in two editions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from linkassay.corpora.base import CorpusSpec, Source, one
from linkassay.files import RawFile
from linkassay.formats import inlinexml
from linkassay.formats.base import Reading
from linkassay.ids import IdRule
from linkassay.model import Document

__all__ = ["ORIGINAL", "SPEC"]


def _spec(need: str, **about: Any) -> CorpusSpec:
    def read(files: list[RawFile], reading: Reading) -> Iterator[tuple[str, Document]]:
        for document in inlinexml.read([one(files, need)], reading):
            yield "test", document

    return CorpusSpec(
        types=("variant",),
        licence="CC BY 3.0",
        citation=(
            "Furlong LI, Dach H, Hofmann-Apitius M, Sanz F. OSIRISv1.2: A named entity recognition system for sequence "
            "variants of genes in biomedical literature. BMC Bioinformatics 9:84, 2008. doi:10.1186/1471-2105-9-84"
        ),
        homepage="https://doi.org/10.1186/1471-2105-9-84",
        kb="dbsnp",
        files=(need,),
        read=read,
        rules={"": IdRule(prefix="dbsnp", alternative=",", none=("", "No", "no", "-", "-1"))},
        source_types={"variant": "variant"},
        **about,
    )


_BOTH = (
    "Test only. `No` is no id, dbSNP numbers are written without `rs`. Genes are left out, counted. The original's web "
    "page is gone; "
)

SPEC = _spec(
    "*OSIRIS_corpus.xml|OSIRIS/corpus.xml",
    name="osiris",
    title="OSIRIS v1.2",
    sources=(
        Source(
            "https://raw.githubusercontent.com/rockt/SETH/master/resources/OSIRIS/corpus.xml",
            "OSIRIS_corpus.xml",
            "2c8f286eeef4d9f981b02b1ffc2355ec1ebb379d8cc2c2d135120acc9cac4056",
            66479,
        ),
    ),
    expected={"test": {"documents": 105, "annotations": 563}},
    notes=_BOTH + "this is the corrected edition that comes with SETH: 261 mentions in 57 documents have a dbSNP "
    "number, as in BELB. The original edition is `osiris_original`.",
)
ORIGINAL = _spec(
    "OSIRIScorpusv01.xml",
    name="osiris_original",
    title="OSIRIS v1.2, original edition",
    sources=(
        Source(
            "https://raw.githubusercontent.com/Erechtheus/mutationCorpora/master/corpora/original/Osiris/"
            "OSIRIScorpusv01.xml",
            "OSIRIScorpusv01.xml",
            "69cc44b5603f8a446acac574d9b1e9b91ece921d381d87282e0e1ac08a753765",
            64795,
        ),
    ),
    expected={"test": {"documents": 105, "annotations": 554}},
    notes=_BOTH
    + "this is its file as others keep it: 253 mentions have a dbSNP number. BELB uses the edition `osiris`.",
)
