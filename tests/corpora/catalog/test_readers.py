"""Each corpus in its true raw format, on small files of our own with the quirks of the real ones."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import pytest

from linkassay.corpora import spec_of
from linkassay.errors import DataError, LinkassayError
from linkassay.files import RawFile, expand_paths
from linkassay.formats.reading import Reading
from linkassay.model import Document, Gold
from linkassay.problems import Problems
from tests.conftest import ROOT
from tests.helpers import raw

SAMPLES = ROOT / "tests" / "samples" / "corpora"
#: Corpus and folder of its sample.
SAMPLED = [
    ("ncbi_disease", "ncbi_disease"), ("nlm_chem", "nlm_chem"), ("nlm_chem", "nlm_chem_first"), ("bioid", "bioid"),
    ("linnaeus", "linnaeus"), ("s800", "s800"), ("gnormplus", "gnormplus"), ("nlm_gene", "nlm_gene"), ("snp", "snp"),
    ("tmvar3", "tmvar3"), ("medmentions_full", "medmentions"), ("medmentions_st21pv", "medmentions"),
    ("oke_2015_eval", "oke_2015_eval"),
]  # fmt: skip


def load(name: str, files: list[RawFile], *, skip: bool = False) -> tuple[list[tuple[str, Document]], Reading]:
    corpus = spec_of(name)
    reading = corpus.reading(Problems(skip=skip))
    assert corpus.missing(files) == []
    return list(corpus.read(corpus.used(files), reading)), reading


def sample(name: str, folder: str = "") -> tuple[dict[tuple[str, str], Document], Reading]:
    found, reading = load(name, expand_paths([SAMPLES / (folder or name)]))
    return {(split, document.id): document for split, document in found}, reading


def gold(document: Document) -> dict[str, list[list[str]]]:
    return {mention.text: alternatives(mention.gold) for mention in document.mentions}


def alternatives(given: Gold) -> list[list[str]]:
    return [sorted(ids) for ids in given]


def without(folder: str, *names: str) -> list[RawFile]:
    return [f for f in expand_paths([SAMPLES / folder]) if f.name.rpartition("/")[2] not in names]


@pytest.mark.parametrize(("name", "folder"), SAMPLED)
def test_mentions_are_the_text_at_their_spans(name: str, folder: str) -> None:
    documents, reading = sample(name, folder)
    assert documents
    assert reading.problems.counts == {}
    order = [split for split, _ in documents]
    assert order == sorted(order, key=("train", "dev", "test").index)
    for document in documents.values():
        for mention in document.mentions:
            assert document.text[mention.start : mention.end] == mention.text


def test_ncbi_disease() -> None:
    documents, reading = sample("ncbi_disease")
    assert list(documents) == [("train", "110001"), ("train", "8528200"), ("dev", "110002"), ("test", "110003")]
    assert gold(documents["train", "110001"]) == {
        "Gout": [["mesh:D006073"]],
        "breast and ovarian cancer": [["mesh:D001943", "mesh:D010051"]],
        "gout": [["mesh:D006073"]],
    }
    assert gold(documents["dev", "110002"]) == {"Rickets": [["mesh:D012279", "omim:193100"]]}
    assert [m.source_type for m in documents["train", "110001"].mentions] == [
        "SpecificDisease", "CompositeMention", "Modifier",
    ]  # fmt: skip
    assert [fix.document for fix in reading.problems.fixes] == ["8528200"]


@pytest.mark.parametrize("folder", ["nlm_chem", "nlm_chem_first"])
def test_nlm_chem(folder: str) -> None:
    documents, reading = sample("nlm_chem", folder)
    assert list(documents) == [("train", "900001"), ("dev", "900002"), ("test", "900003")]
    article = documents["train", "900001"]
    assert gold(article) == {
        "Aspirin": [["mesh:D001241"]],
        "β-carotene": [["mesh:D019207"]],
        "aspirin": [["mesh:D001241"]],
        "RPMI-1640": [],
        "sodium or potassium chloride": [["mesh:D011189", "mesh:D012965"]],
    }
    assert [p.kind for p in article.passages] == ["front", "paragraph"]
    assert reading.left_out == {"OTHER": 1, "MeSH_Indexing_Chemical": 3}


def test_bioid() -> None:
    documents, reading = sample("bioid")
    assert list(documents) == [("train", "600001"), ("dev", "600002"), ("test", "3988959")]
    article = documents["train", "600001"]
    assert [p.kind for p in article.passages] == ["Figure_1-A", "Figure_1-B"]
    assert [(m.text, alternatives(m.gold)) for m in article.mentions] == [
        ("HeLa", [["cellosaurus:0030"]]),
        ("HeLa", [["cellosaurus:0030"], ["cellosaurus:0058"]]),
        ("U\u20102OS", [["cellosaurus:0042"]]),  # the table has a plain hyphen
        ("MCF7", [["cellosaurus:0031"]]),  # the table has an id of another kind besides
    ]
    assert [m.text for m in documents["test", "3988959"].mentions] == ["HEK293"]
    assert [(f.document, f.why) for f in reading.problems.fixes] == [
        ("3988959", "the span ends one character too late")
    ]
    assert reading.left_out == {"CellLine without a caption": 1}


def test_bioid_without_lists_is_all_train() -> None:
    found, _ = load("bioid", without("bioid", "splits.json"))
    assert [split for split, _ in found] == ["train"] * 3


def test_bioid_re_release_is_joined_by_article() -> None:
    blocks = "47728491017|t|Jurkat cells\n47728491017|a|of one\n47728491017\t0\t6\tJurkat\tCellLine\tCVCL_0065\n"
    more = "47728491002|t|A first HeLa\n47728491002|a|\n47728491002\t8\t12\tHeLa\tCellLine\tCVCL_0030\n"
    files = [raw("BioID_Train_revision.PubTator", f"{blocks}\n{more}\n"), raw("BioID_Test_revision.PubTator", "")]
    [(split, document)], reading = load("bioid", files)
    assert (split, document.id, document.text) == ("train", "4772849", "A first HeLa  Jurkat cells of one")
    assert [(m.text, m.start) for m in document.mentions] == [("HeLa", 8), ("Jurkat", 14)]
    assert reading.read == {"cell_line": 2}


def test_linnaeus() -> None:
    documents, _ = sample("linnaeus")
    assert list(documents) == [("train", "500001"), ("dev", "500003"), ("test", "500002")]
    assert gold(documents["train", "500001"]) == {
        "Mules": [],
        "mouse": [["ncbitaxon:10090"]],
        "Mus musculus": [["ncbitaxon:10090"]],
        "farmer": [["ncbitaxon:9606"]],
    }
    assert documents["dev", "500003"].mentions == ()
    found, _ = load("linnaeus", without("linnaeus", "train.txt"))
    assert {split for split, _ in found} == {"test"}


def test_s800() -> None:
    documents, _ = sample("s800")
    assert list(documents) == [("train", "400001"), ("dev", "400002"), ("test", "400003")]
    # Ends are inclusive; offsets count bytes, and a dash of three bytes precedes the alder.
    assert gold(documents["train", "400001"]) == {
        "Quercus robur": [["ncbitaxon:38942"]],
        "Alnus glutinosa": [["ncbitaxon:3517"]],
    }
    found, _ = load("s800", without("s800", "splits.json"))
    assert {split for split, _ in found} == {"test"}


def test_gnormplus() -> None:
    documents, reading = sample("gnormplus")
    assert list(documents) == [("train", "700001"), ("dev", "700002"), ("test", "700003")]
    assert gold(documents["train", "700001"]) == {
        "HRAS": [["ncbigene:3265"]],
        "Kras": [["ncbigene:16653"]],
        "SMAD1, 5 and 8": [["ncbigene:4086", "ncbigene:4090", "ncbigene:4093"]],
    }
    assert [alternatives(m.gold) for m in documents["test", "700003"].mentions] == [
        [["ncbigene:13649", "ncbigene:1956"]], [], [["ncbigene:1956"]],
    ]  # fmt: skip
    assert reading.left_out == {"FamilyName": 1, "DomainMotif": 1}


def test_gnormplus_prefers_pubtator() -> None:
    text = "1|t|HRAS\n1|a|again\n1\t0\t4\tHRAS\tGene\t3265\n"
    files = [*expand_paths([SAMPLES / "gnormplus"]), raw("BC2GNtest.PubTator.txt", text)]
    found, _ = load("gnormplus", files)
    assert [d.id for split, d in found if split == "test"] == ["1"]


def test_nlm_gene() -> None:
    documents, reading = sample("nlm_gene")
    assert list(documents) == [("train", "800001"), ("dev", "800002"), ("test", "800003")]
    assert gold(documents["train", "800001"]) == {
        "BRCA1": [["ncbigene:672"]],
        "TGF-β": [["ncbigene:7040"]],
        "p38": [["ncbigene:1432", "ncbigene:5600", "ncbigene:5603"]],
        "Brca2": [["ncbigene:12190"]],
        "cytokines": [],
        "AKT": [["ncbigene:207", "ncbigene:208"]],
    }
    assert reading.left_out == {"Domain": 1, "Other": 1}
    assert [(f.text, f.new_text, f.why) for f in reading.problems.fixes] == [
        ("TGF-beta", "TGF-β", "Greek letters are written differently"),
        ("sonic hedgehog", "sonic\xa0hedgehog", "white space is written differently"),
    ]
    found, _ = load("nlm_gene", without("nlm_gene", "splits.json"))
    assert Counter(split for split, _ in found) == {"train": 2, "test": 1}


@pytest.mark.parametrize(
    ("document", "written", "found", "why"),
    [
        ("1", "IFN-gamma", "IFN-γ", "Greek letters are written differently"),
        ("1", "IFN-", "IFN-γ", "Greek letters are written differently"),
        ("1", "IL-2", "IFN-γ", ""),
        ("1", "IFN-g", "IFN-x", ""),
        ("1", "IFN-alphabetically", "IFN-α", ""),
        ("28259970", "E cadherin", "E-cadherin", "the annotation's text is not spelled as in the document"),
        ("1", "E cadherin", "E-cadherin", ""),
    ],
)
def test_nlm_gene_trusts_only_known_spellings(document: str, written: str, found: str, why: str) -> None:
    check = spec_of("nlm_gene").span_is_right
    assert check is not None
    assert check(document, written, found) == why


def test_snp() -> None:
    documents, _ = sample("snp")
    assert [(key, gold(d)) for key, d in documents.items()] == [
        (("test", "300001"), {"35G>A": [["dbsnp:rs121913529"]]}),
        (("test", "300002"), {"V600E": [["dbsnp:rs113488022"]]}),
    ]


def test_snp_in_a_folder_whose_name_reads_like_a_pattern() -> None:
    found, _ = load("snp", [replace(f, name=f"raw [1]/{f.name}") for f in expand_paths([SAMPLES / "snp"])])
    assert [document.id for _, document in found] == ["300001", "300002"]


def test_osiris() -> None:
    variants = '<variant v_id="No" v_lex="A">A1G</variant> and <variant v_id="4680" v_lex="V">V158M</variant>'
    article = f"<Article><Pmid>1</Pmid><Title>Two</Title><Abstract><gene g_id='1'>COMT</gene> {variants}</Abstract>"
    text = f"<Articles>{article}</Article></Articles>"
    for name in ("SETH_OSIRIS_corpus.xml", "OSIRIS/corpus.xml", "OSIRIScorpusv01.xml"):
        [(split, document)], reading = load("osiris", [raw(name, text)])
        assert split == "test"
        assert gold(document) == {"A1G": [], "V158M": [["dbsnp:rs4680"]]}
        assert reading.left_out == {"gene": 1}


def test_tmvar3() -> None:
    documents, reading = sample("tmvar3")
    assert gold(documents["test", "200001"]) == {
        "V600E": [["dbsnp:rs113488022"]],
        "c.35G>A": [["dbsnp:rs121913529"]],
        "rs121913529": [["dbsnp:rs121913529"]],
        "E17K": [],
    }
    assert documents["test", "200002"].mentions == ()
    assert reading.left_out == {"Gene": 2, "OtherMutation": 1}


@pytest.mark.parametrize(
    ("written", "ids"),
    [
        ("rs121434568", ["dbsnp:rs121434568"]),
        ("rs121434568;Disease:D001943;VariantGroup:0", ["dbsnp:rs121434568"]),
        ("p|SUB|L|858|R;Gene:1956;RS#:121434568;;Disease:D001943;VariantGroup:0", ["dbsnp:rs121434568"]),
        ("c|DEL|5_6|TT;Gene:3845;Disease:C535702", []),
        ("-", []),
        ("", []),
    ],
)
def test_tmvar3_keeps_only_dbsnp_numbers(written: str, ids: list[str]) -> None:
    assert [sorted(a) for a in spec_of("tmvar3").rules[""].gold(written)] == ([ids] if ids else [])


@pytest.mark.parametrize(("name", "mentions"), [("medmentions_full", 4), ("medmentions_st21pv", 2)])
def test_medmentions(name: str, mentions: int) -> None:
    documents, _ = sample(name, "medmentions")
    assert list(documents) == [("train", "100001"), ("dev", "100003"), ("test", "100002")]
    first = documents["train", "100001"]
    assert len(first.mentions) == mentions
    assert {m.type for m in first.mentions} == {"umls"}
    assert gold(first)["fever"] == [["umls:C0015967"]]
    sources = {"clerks": "T097,T098", "ledger": "UnknownType", "Fever": "T184", "fever": "T184"}
    assert all(m.source_type == sources[m.text] for m in first.mentions)


def test_elevant() -> None:
    documents, _ = sample("oke_2015_eval")
    document = documents["test", "0"]
    assert gold(document) == {
        "Ada Lovelace": [["wikidata:Q7259"]], "Derby": [["wikidata:Q43475"]], "She": [["wikidata:Q7259"]],
    }  # fmt: skip
    assert document.evaluation_spans == ((0, 53),)


HEADER = "don_article,figure,first left,last right,text,obj\n"
CAPTION = "<collection><document><id>1</id><passage><text>HeLa</text></passage></document></collection>"
HINT = "(use --skip-bad to leave such annotations out, counted)"


@pytest.mark.parametrize(
    ("name", "files", "message"),
    [
        ("bioid", {"annotations.csv": "a,b\n", "caption_bioc/1.xml": CAPTION},
         "annotations.csv:1: the table has no column 'don_article'"),
        ("bioid", {"annotations.csv": HEADER + "1,Figure_1,x,4,HeLa,CVCL_0030\n", "caption_bioc/1.xml": CAPTION},
         "annotations.csv:2: expected whole numbers in 'first left' and 'last right', found 'x' and '4'"),
        ("bioid", {"annotations.csv": HEADER + "1,,0,4,Hela,CVCL_0030\n", "caption_bioc/1.xml": CAPTION},
         "annotations.csv:2: the text at the span differs from the annotation's; document 1, span 0-4; "
         f"found 'HeLa', expected 'Hela' {HINT}"),
        ("bioid", {"annotations.csv": HEADER, "caption_bioc/1.xml": "<collection><document/></collection>"},
         "caption_bioc/1.xml:1: a caption must have one passage with a text"),
        ("s800", {"S800.tsv": "", "pubmedid.tsv": "botany001\n", "abstracts/botany001.txt": "Oak"},
         "pubmedid.tsv:1: expected the name of a text, a tab and `PMID:` with a number"),
        ("linnaeus", {"tags.tsv": "#\nspecies:ncbi:1\tpmcA1\t0\t3\tOak\t\n", "pmcA2.txt": "Oak"},
         f"tags.tsv:2: no text is named 'pmcA1'; document pmcA1, span 0-3 {HINT}"),
        ("snp", {"annotations.txt": "1\t'V1M'\tV1M\t0\t3\trs1\n", "1.txt": "V1M"},
         "annotations.txt:1: expected at least 7 columns separated by tabs, found 6"),
        ("nlm_gene", {"FINAL/3.BioC.XML": "<collection><document><id>3</id></document></collection>",
                      "Pmidlist.Train.txt": "1\n", "Pmidlist.Test.txt": "2\n"},
         f"the document is in none of the split lists; document 3 {HINT}"),
        ("gnormplus", {"a/BC2GNtrain.PubTator.txt": "", "b/BC2GNtrain.PubTator.txt": "", "NLMIAT.PubTator.txt": "",
                       "BC2GNtest.PubTator.txt": ""},
         "several files match 'BC2GNtrain.PubTator.txt|BC2GNtrain.BioC.xml|GNormPlus_Train.PubTator': "
         "a/BC2GNtrain.PubTator.txt, b/BC2GNtrain.PubTator.txt; keep one of them in the raw folder"),
    ],
)  # fmt: skip
def test_broken_files(name: str, files: dict[str, str], message: str) -> None:
    with pytest.raises(DataError) as error:
        load(name, [raw(file, text) for file, text in files.items()])
    assert str(error.value) == message


def damaged(folder: str, seed: int) -> Iterator[RawFile]:
    """The sample with one of its files truncated, or some bytes of it replaced."""
    chance = random.Random(seed)
    files = expand_paths([SAMPLES / folder])
    victim = chance.randrange(len(files))
    for number, file in enumerate(files):
        data = bytearray(file.bytes())
        if number == victim and data:
            if chance.random() < 0.3:
                del data[chance.randrange(len(data)) :]
            for _ in range(chance.randrange(4)):
                if data:
                    data[chance.randrange(len(data))] = chance.choice(b'\x00\xff\n\t|,:<>"09aA -')
        yield raw(file.name, bytes(data))


@pytest.mark.parametrize(("name", "folder"), SAMPLED)
def test_damage_raises_nothing_but_our_errors(name: str, folder: str) -> None:
    for seed in range(40):
        with suppress(LinkassayError):
            load(name, list(damaged(folder, seed)), skip=True)
