"""OSIRIS v1.2: PubMed abstracts with variant mentions, linked to dbSNP."""

from __future__ import annotations

from collections.abc import Iterator

from linkassay.corpora.corpus_spec import CorpusSpec
from linkassay.files import RawFile
from linkassay.formats import Reading
from linkassay.formats.documents import inline_xml
from linkassay.ids import IdRule
from linkassay.model import Document
from linkassay.sources import Source, only_file

#: The corrected edition that comes with SETH, else the original one.
_CORPUS = "*OSIRIS_corpus.xml|OSIRIS/corpus.xml|OSIRIScorpusv01.xml"


def _read(files: list[RawFile], reading: Reading) -> Iterator[tuple[str, Document]]:
    for document in inline_xml.read([only_file(files, _CORPUS)], reading):
        yield "test", document


SPEC = CorpusSpec(
    name="osiris",
    title="OSIRIS v1.2",
    types=("variant",),
    licence="CC BY 3.0",
    shares_text="full",
    citation=(
        "Furlong LI, Dach H, Hofmann-Apitius M, Sanz F. OSIRISv1.2: A named entity recognition system for sequence "
        "variants of genes in biomedical literature. BMC Bioinformatics 9:84, 2008. doi:10.1186/1471-2105-9-84"
    ),
    homepage="https://doi.org/10.1186/1471-2105-9-84",
    kb="dbsnp",
    files=(_CORPUS,),
    read=_read,
    sources=(
        Source(
            "https://raw.githubusercontent.com/rockt/SETH/master/resources/OSIRIS/corpus.xml",
            "OSIRIS_corpus.xml",
            "2c8f286eeef4d9f981b02b1ffc2355ec1ebb379d8cc2c2d135120acc9cac4056",
            66479,
        ),
    ),
    rules={"": IdRule(prefix="dbsnp", alternative=",", none=("No", "no"))},
    source_types={"variant": "variant"},
    expected={"test": {"documents": 105}},
    notes=(
        "Test only. `No` is no id, dbSNP numbers are written without `rs`. Genes are left out, counted. The original's "
        "web page is gone. The edition that comes with SETH has 563 variants, 261 of them with a dbSNP number, in 57 "
        "documents, as in BELB; the original (OSIRIScorpusv01.xml, read as well) has 554 and 253."
    ),
)
