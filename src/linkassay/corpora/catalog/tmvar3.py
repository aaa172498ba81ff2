"""tmVar 3: PubMed abstracts with variant mentions; those linked to dbSNP have gold ids."""

from __future__ import annotations

from collections.abc import Iterator

from linkassay.corpora.corpus_spec import CorpusSpec
from linkassay.files import RawFile
from linkassay.formats import Reading
from linkassay.formats.documents import pubtator
from linkassay.ids import IdRule
from linkassay.model import Document
from linkassay.sources import Source, matching_files

#: The official file; or the re-release for a tagger, in two parts.
_FILES = ("tmVar3Corpus.txt|tmVar3_Train.PubTator", "tmVar3Corpus.txt|tmVar3_Test.PubTator")


def _read(files: list[RawFile], reading: Reading) -> Iterator[tuple[str, Document]]:
    parts = {file.name: file for need in _FILES for file in matching_files(files, need)}
    for document in pubtator.read(parts.values(), reading):
        yield "test", document


SPEC = CorpusSpec(
    name="tmvar3",
    title="tmVar 3",
    types=("variant",),
    licence="public domain (work of the United States government, NCBI/NLM)",
    shares_text="full",
    citation=(
        "Wei C-H, Allot A, Riehle K, Milosavljevic A, Lu Z. tmVar 3.0: an improved variant concept recognition and "
        "normalization tool. Bioinformatics 38(18):4449–4451, 2022. doi:10.1093/bioinformatics/btac537"
    ),
    homepage="https://www.ncbi.nlm.nih.gov/research/bionlp/Tools/tmvar/",
    kb="dbsnp",
    files=_FILES,
    read=_read,
    sources=(Source("https://ftp.ncbi.nlm.nih.gov/pub/lu/tmVar3/tmVar3Corpus.txt", "tmVar3Corpus.txt"),),
    # An id is a list such as c|SUB|G|35|A;HGVS:…;Gene:…;RS#:…: all but the dbSNP number is taken off.
    rules={"": IdRule(prefix="dbsnp", alternative=";", strip=r"^(?!\s*(?:RS#:|rs)\s*\d+\s*$).*")},
    source_types=dict.fromkeys(
        ("DNAMutation", "ProteinMutation", "SNP", "AcidChange", "ProteinAllele", "DNAAllele"), "variant"
    ),
    expected={"test": {"documents": 500}},
    notes=(
        "Test only. An annotation carries several ids; only the dbSNP number (`RS#:` or `rs…`) is kept, mentions "
        "without one are NIL. 214 documents have 1 018 mentions with a dbSNP number, as in BELB. OtherMutation, "
        "genes, diseases, species and cell lines are left out. The re-release in two parts (tmVar3_Train.PubTator, "
        "tmVar3_Test.PubTator) is read as well."
    ),
)
