"""NLM-Gene: PubMed abstracts of many species with gene mentions, linked to NCBI Gene."""

from __future__ import annotations

import re
from collections.abc import Iterator

from linkassay.corpora import published_splits
from linkassay.corpora.corpus_spec import CorpusSpec
from linkassay.files import RawFile
from linkassay.formats import Reading
from linkassay.formats.documents import bioc
from linkassay.ids import IdRule
from linkassay.model import Document
from linkassay.sources import Source, matching_files

_ARTICLES = "FINAL/*.BioC.XML|*.BioC.XML"
_LISTS = {"train": "Pmidlist.Train.txt", "test": "Pmidlist.Test.txt"}
_JSON = "nlm_gene/splits.json|splits.json"

#: Documents in which the texts of some annotations are not spelled as in the document (BELB).
_RESPELLED = frozenset(
    {"23648511", "23934545", "27798105", "28112366", "28112376", "28138708", "28259970"}
)  # fmt: skip
_GREEK = re.compile("[α-ωß]")


def _read(files: list[RawFile], reading: Reading) -> Iterator[tuple[str, Document]]:
    lists = published_splits.line_lists(files, _LISTS) | published_splits.json_lists(files, _JSON)
    return published_splits.divide(bioc.read(matching_files(files, _ARTICLES), reading), lists, reading)


def _span_is_right(document: str, written: str, found: str) -> str:
    """Why an annotation stands although its text differs from the document's; "" if it does not."""
    if written.replace("\xa0", " ") == found.replace("\xa0", " "):
        return "white space is written differently"
    if _spelled_out(written, found):
        return "Greek letters are written differently"
    return "the annotation's text is not spelled as in the document" if document in _RESPELLED else ""


def _spelled_out(written: str, found: str) -> bool:
    """Whether the two differ in Greek letters only, however `written` has these."""
    pieces = _GREEK.split(found)
    if not 2 <= len(pieces) <= 4:
        return False
    return re.fullmatch(r"\w{0,7}".join(map(re.escape, pieces)), written) is not None


SPEC = CorpusSpec(
    name="nlm_gene",
    title="NLM-Gene",
    types=("gene",),
    licence="CC0 1.0",
    shares_text="full",
    citation=(
        "Islamaj R, Wei C-H, Cissel D, Miliaras N, Printseva O, Rodionov O, Sekiya K, Ward J, Lu Z. NLM-Gene, a richly "
        "annotated gold standard dataset for gene entities that addresses ambiguity and multi-species gene "
        "recognition. Journal of Biomedical Informatics 118:103779, 2021. doi:10.1016/j.jbi.2021.103779"
    ),
    homepage="https://zenodo.org/record/5089049",
    kb="ncbi_gene",
    files=(_ARTICLES, *_LISTS.values()),
    read=_read,
    optional=(_JSON,),
    sources=(
        Source("https://zenodo.org/record/5089049/files/NLM-Gene-Corpus.zip", "NLM-Gene-Corpus.zip"),
        published_splits.belb("nlm_gene", "bef8ef465a68afc42636cb2158f4500836b8ffe2ec4bcd48d691382b7ad64aed", 7745),
    ),
    rules={
        "": IdRule(
            prefix="ncbigene",
            composite=",;|",
            none=("000", "-000", "-111", "-222"),
        )
    },
    source_types=dict.fromkeys(("Gene", "GENERIF", "STARGENE"), "gene"),
    span_is_right=_span_is_right,
    notes=(
        "Ids are separated by `,`, `;` or `|`; `-`, `-1`, `-000`, `-111` and `-222` are none. Domain and Other have no "
        "gene and are left out; GENERIF and STARGENE are genes that the abstract is about. The source has train "
        "(450) and test (100); with BELB's splits.json 50 abstracts of train are dev (400/50/100). Annotations whose "
        "text is spelled otherwise than the document (Greek letters, no-break spaces, seven documents named by "
        "BELB) keep their span, counted as fixes."
    ),
)
