"""End-to-end benchmarks with Wikidata entities, as ELEVANT distributes them: JSON lines, test only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from linkassay.corpora.corpus_spec import CorpusSpec, SharedText
from linkassay.files import RawFile
from linkassay.formats import Reading
from linkassay.formats.documents import elevant
from linkassay.ids import IdRule
from linkassay.model import Document
from linkassay.sources import Source, only_file

_RAW = "https://raw.githubusercontent.com/ad-freiburg/elevant/b9d07cf8ced11ee404f4bb7ec28307ef645c7363/benchmarks"
_FAIR = (
    "Bast H, Hertel M, Prange N. A Fair and In-Depth Evaluation of Existing End-to-End Entity Linking Systems. EMNLP "
    "2023. doi:10.18653/v1/2023.emnlp-main.411"
)
_AIDA = (
    "Hoffart J, Yosef MA, Bordino I, Fürstenau H, Pinkal M, Spaniol M, Taneva B, Thater S, Weikum G. Robust "
    "Disambiguation of Named Entities in Text. EMNLP 2011:782–792"
)
_KORE = (
    "Hoffart J, Seufert S, Nguyen DB, Theobald M, Weikum G. KORE: Keyphrase Overlap Relatedness for Entity "
    "Disambiguation. CIKM 2012. doi:10.1145/2396761.2396832"
)
_MSNBC = "Cucerzan S. Large-Scale Named Entity Disambiguation Based on Wikipedia Data. EMNLP-CoNLL 2007:708–716"
_UPDATED = (
    "Guo Z, Barbosa D. Robust named entity disambiguation with random walks. Semantic Web 9(4):459–479, 2018. "
    "doi:10.3233/SW-170273"
)
_OKE_2015 = (
    "Nuzzolese AG, Gentile AL, Presutti V, Gangemi A, Garigliotti D, Navigli R. Open Knowledge Extraction Challenge. "
    "SemWebEval 2015. doi:10.1007/978-3-319-25518-7_1"
)
_OKE_2016 = (
    "Nuzzolese AG, Gentile AL, Presutti V, Gangemi A, Meusel R, Paulheim H. The Second Open Knowledge Extraction "
    "Challenge. SemWebEval 2016. doi:10.1007/978-3-319-46565-4_1"
)

_LICENCE = "Apache-2.0 (annotations as ELEVANT distributes them); the texts belong to their publishers"
_WIKIPEDIA: SharedText = "full"  # texts under CC BY-SA, which lets them be passed on
_REUTERS = "texts: Reuters corpus RCV1, licensed by NIST; annotations: CC BY-SA 3.0"
_HOW_AIDA = (
    "The texts are licensed. Obtain CoNLL-2003 and the AIDA-CoNLL annotations (https://www.mpi-inf.mpg.de/departments/"
    "databases-and-information-systems/research/ambiverse-nlu/aida/downloads), then let ELEVANT "
    "(https://github.com/ad-freiburg/elevant) make the benchmark file from them."
)


def _benchmark(
    name: str,
    title: str,
    citation: str,
    notes: str,
    expected: Mapping[str, int] | None = None,
    licence: str = _LICENCE,
    how_to_obtain: str = "",
    shares_text: SharedText = "snippet",
) -> CorpusSpec:
    file = f"{name}.benchmark.jsonl"

    def read(files: list[RawFile], reading: Reading) -> Iterator[tuple[str, Document]]:
        for document in elevant.read([only_file(files, file)], reading):
            yield "test", document

    return CorpusSpec(
        name=name.replace("-", "_"),
        title=title,
        types=("entity",),
        licence=licence,
        shares_text=shares_text,
        citation=citation,
        homepage="https://github.com/ad-freiburg/elevant",
        kb="wikidata",
        files=(file,),
        read=read,
        sources=() if how_to_obtain else (Source(f"{_RAW}/{file}", file),),
        how_to_obtain=how_to_obtain,
        rules={"": IdRule(prefix="wikidata")},
        merge=False,  # labels on one span have their own places in a tree of alternatives
        expected={"test": expected} if expected else {},
        notes=f"{notes} The type of a mention is ELEVANT's: Wikidata classes joined by `|`.",
    )


WIKI_FAIR = _benchmark(
    "wiki-fair", "Wiki-Fair", _FAIR,
    "80 Wikipedia articles, three consecutive paragraphs of each annotated and evaluated, with coreference, NIL, "
    "optional and alternative labels. Of the 1 761 mentions 152 are NIL, 455 optional (quantities and datetimes "
    "included), 120 have alternatives.",
    {"documents": 80, "annotations": 1761, "labels": 1961}, shares_text=_WIKIPEDIA,
)  # fmt: skip
NEWS_FAIR = _benchmark(
    "news-fair", "News-Fair", _FAIR,
    "40 news articles, three consecutive paragraphs of each annotated and evaluated, like Wiki-Fair. Of the 507 "
    "mentions 90 are NIL, 89 optional, 23 have alternatives.",
    {"documents": 40, "annotations": 507, "labels": 545},
)  # fmt: skip
WIKI_FAIR_NO_COREF = _benchmark(
    "wiki-fair-no-coref", "Wiki-Fair without coreference", _FAIR, "Wiki-Fair without coreference labels.",
    {"documents": 80, "annotations": 1481, "labels": 1677}, shares_text=_WIKIPEDIA,
)  # fmt: skip
NEWS_FAIR_NO_COREF = _benchmark(
    "news-fair-no-coref", "News-Fair without coreference", _FAIR, "News-Fair without coreference labels.",
    {"documents": 40, "annotations": 359, "labels": 395},
)  # fmt: skip
KORE50 = _benchmark(
    "kore50",
    "KORE50",
    _KORE,
    "50 sentences made to be hard, mostly partial names of people.",
    {"documents": 50, "annotations": 144},
)
MSNBC = _benchmark("msnbc", "MSNBC", _MSNBC, "20 news articles of 2007.")
MSNBC_UPDATED = _benchmark(
    "msnbc-updated", "MSNBC updated", _UPDATED,
    "MSNBC without entities that Wikipedia no longer has; several articles differ from the original's.",
    {"documents": 20, "annotations": 739},
)  # fmt: skip
AIDA_CONLL_DEV = _benchmark(
    "aida-conll-dev", "AIDA-CoNLL (dev)", _AIDA, "News articles of 1996, testa of CoNLL-2003.",
    licence=_REUTERS, how_to_obtain=_HOW_AIDA,
)  # fmt: skip
AIDA_CONLL_TEST = _benchmark(
    "aida-conll-test", "AIDA-CoNLL (test)", _AIDA,
    "News articles of 1996, testb of CoNLL-2003; much sport, so many demonyms and metonyms.",
    licence=_REUTERS, how_to_obtain=_HOW_AIDA,
)  # fmt: skip
OKE_2015_TRAIN = _benchmark(
    "oke-2015-train", "OKE 2015 (train)", _OKE_2015,
    "Sentences of Wikipedia biographies; persons, places, organisations and roles, with coreference.",
    shares_text=_WIKIPEDIA,
)  # fmt: skip
OKE_2015_EVAL = _benchmark(
    "oke-2015-eval", "OKE 2015 (evaluation)", _OKE_2015,
    "Sentences of Wikipedia biographies; persons, places, organisations and roles, with coreference.",
    shares_text=_WIKIPEDIA,
)  # fmt: skip
OKE_2016_TRAIN = _benchmark(
    "oke-2016-train", "OKE 2016 (train)", _OKE_2016, "Like OKE 2015, with more sentences.", shares_text=_WIKIPEDIA
)
OKE_2016_EVAL = _benchmark(
    "oke-2016-eval", "OKE 2016 (evaluation)", _OKE_2016, "Like OKE 2015, other sentences.", shares_text=_WIKIPEDIA
)
