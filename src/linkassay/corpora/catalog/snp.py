"""SNP (Thomas 2011): variant mentions in PubMed abstracts, linked to dbSNP; offsets without texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from linkassay.corpora.corpus_spec import CorpusSpec
from linkassay.files import RawFile
from linkassay.formats import Reading
from linkassay.formats.documents import mutation_json, standoff
from linkassay.ids import IdRule
from linkassay.model import Document
from linkassay.sources import Source, matching_files, only_file

_TABLE = "thomas2011_corpus.txt|thomas2011/corpus.txt|annotations.txt|normalization-variation-corpus*"
_TEXTS = "thomas.json|[0-9]*.txt"
_COLUMNS = standoff.Columns(document=0, start=3, end=4, text=1, type=6, ids=5)


def _read(files: list[RawFile], reading: Reading) -> Iterator[tuple[str, Document]]:
    table = only_file(files, _TABLE)
    texts, sources = None, matching_files(files, _TEXTS)
    if matching_files(files, "thomas.json"):
        alone = replace(reading, types={}, left_out={}, read={})  # its annotations repeat the table's
        texts = {document.id: document.text for document in mutation_json.read(sources, alone)}
    documents = standoff.read([table, *sources], reading, columns=_COLUMNS, table=table, texts=texts, quote="'")
    for document in documents:
        yield "test", document


SPEC = CorpusSpec(
    name="snp",
    title="SNP (Thomas et al. 2011)",
    types=("variant",),
    licence="free for research; commercial use is forbidden (Fraunhofer SCAI). Texts: Medline",
    citation=(
        "Thomas PE, Klinger R, Furlong LI, Hofmann-Apitius M, Friedrich CM. Challenges in the association of human "
        "single nucleotide polymorphism mentions with unique database identifiers. BMC Bioinformatics 12(Suppl 4):S4, "
        "2011. doi:10.1186/1471-2105-12-S4-S4"
    ),
    homepage="https://www.scai.fraunhofer.de/snp-normalization-corpus.html",
    kb="dbsnp",
    files=(_TABLE, _TEXTS),
    read=_read,
    sources=(
        Source(
            "https://raw.githubusercontent.com/rockt/SETH/master/resources/thomas2011/corpus.txt",
            "thomas2011_corpus.txt",
            "421aff80e5eb3a0f39a8fe539407997cbf019df16b7c571f5355a4f1c61c32d9",
            25432,
        ),
        Source(
            "https://raw.githubusercontent.com/Erechtheus/mutationCorpora/master/corpora/json/linking/thomas.json",
            "thomas.json",
            "167e8a724014aec954687774bf694c6d1f650481960a5926d660f71e26a1bc34",
        ),
    ),
    rules={"": IdRule(prefix="dbsnp", alternative=",; ")},
    source_types={"PSM": "variant", "NSM": "variant"},
    expected={"test": {"documents": 296, "annotations": 527}},
    notes=(
        "Test only. The corpus itself has offsets but no texts; these come from thomas.json, or from one text file "
        "for each abstract named by its PubMed number (title, two line breaks, abstract). PSM is a protein, NSM a "
        "nucleotide mutation. BELB has 292 documents and 517 mentions: its texts of some abstracts differ."
    ),
)
