"""Genes by rule: which species a mention is of, and which gene of it (LINKER-7)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import linkassay
from linkassay.kbs.building.build import build_kb
from linkassay.kbs.readers.own_table import spec_from_toml
from linkassay.kbs.stored_kb import Kb
from linkassay.linkers.protocol import Query
from linkassay.linkers.rules.genes import PREFIXES, Genes
from linkassay.model import Document, Mention
from tests.linkers.stored import opened, prepared

HUMAN, MOUSE, FISH, FLY = "ncbitaxon:9606", "ncbitaxon:10090", "ncbitaxon:7955", "ncbitaxon:7227"
GENES = f"""
1	TP53	p53|tumor protein p53	{HUMAN}
2	Trp53	p53|transformation related protein 53	{MOUSE}
3	tp53	p53	{FISH}
4	p53		{FLY}
5	MTOR	mTOR	{HUMAN}
6	Mtor	mTOR	{MOUSE}
7	TERT	telomerase reverse transcriptase	{HUMAN}
8	Tert	telomerase reverse transcriptase	{MOUSE}
9	IL2RA	interleukin-2 receptor subunit alpha	{HUMAN}
10	Il2ra	Ly-43	{MOUSE}
11	SS18	SYT|synovial sarcoma translocation	{HUMAN}
12	SYT1	SYT|synaptotagmin of neurons	{HUMAN}
"""


@pytest.fixture
def kb(home: Path, tmp_path: Path) -> Kb:
    (tmp_path / "genes.tsv").write_text("id\tsymbol\tsynonyms\ttaxon" + GENES, encoding="utf-8")
    (tmp_path / "genes.toml").write_text(
        'name = "genes"\nprefix = "gene"\ntype = "gene"\nfiles = "genes.tsv"\nid = "id"\nforeign = "taxon"\n'
        'names = [{column = "symbol", kind = "symbol"}, {column = "synonyms", kind = "synonym", separator = "|"}]\n'
    )
    build_kb(spec_from_toml(tmp_path / "genes.toml"), tmp_path)
    return Kb.open("genes")


def first(linker: Genes, text: str, mention: str, which: int = 0) -> str:
    start = -1
    for _ in range(which + 1):
        start = text.index(mention, start + 1)
    [answer] = linker.link([Query(mention, "gene", ((start, start + len(mention)),), "1", text)], 10)
    return " ".join(i.removeprefix("gene:").removeprefix("ncbigene:") for i in answer[0][0]) if answer else ""


@pytest.mark.parametrize(
    ("text", "mention", "which", "expected"),
    [
        ("Expression of p53 in zebrafish embryos.", "p53", 0, "3"),  # the only one in the sentence
        ("In mice, unlike human cells, p53 acts.", "p53", 0, "1"),  # the nearest before it
        ("In mice p53 acts as in humans.", "p53", 0, "2"),
        ("Mice were bred. Then mice died. One human cell had none. Loss of p53 was seen.", "p53", 0, "2"),  # most often
        ("The fly was studied. In human cells p53 acts.", "p53", 0, "1"),  # the sentence before the document
        ("Zebrafish embryos. The human p53 protein.", "human p53 protein", 0, "1"),  # in the mention itself
        ("In C57BL/6 animals p53 was lost.", "p53", 0, "2"),  # a strain
        ("HeLa was used. p53 was lost.", "p53", 0, "1"),  # a cell line
        ("Nothing is said about the organism: p53.", "p53", 0, "1"),  # usually human
        ("Nothing is said: Trp53 was lost.", "Trp53", 0, "2"),  # a name that only one has
        ("Zebrafish and mTOR.", "mTOR", 0, "5"),  # a species without such a gene does not matter
        ("In mice hTERT was put.", "hTERT", 0, "7"),  # the prefix says it
        ("We saw mTERT here.", "mTERT", 0, "8"),
        ("Human telomerase reverse transcriptase (TRT) is long. TRT grew.", "TRT", 1, "7"),  # written out
        ("The subunit alpha receptor, interleukin 2.", "subunit alpha receptor, interleukin 2", 0, "9"),  # other order
        ("We saw HsTERT here.", "HsTERT", 0, "7"),
        ("In human cells Ly-43 was seen.", "Ly-43", 0, "9"),  # a name of the mouse's; the symbol is the same
        ("In mice Ly-43 was seen.", "Ly-43", 0, "10"),
        ("In synovial sarcoma SYT is fused.", "SYT", 0, "11"),  # words of its other names
        ("Neurons need SYT.", "SYT", 0, "12"),
        ("The interleukin-2 (IL-2) receptor subunit alpha.", "interleukin-2 (IL-2) receptor subunit alpha", 0, "9"),
        ("It binds IL2R alpha.", "IL2R alpha", 0, "9"),  # IL2RA
        ("We saw hIL2R alpha.", "hIL2R alpha", 0, "9"),
        ("Loss of TERT and 2.", "TERT and 2", 0, "7"),
        ("The TERT enzyme.", "TERT enzyme", 0, "7"),
        ("No such thing as ABC1.", "ABC1", 0, ""),
    ],
)
def test_which_gene_is_meant(kb: Kb, text: str, mention: str, which: int, expected: str) -> None:
    linker = Genes()
    linker.prepare(kb, ())
    assert first(linker, text, mention, which) == expected


def test_training_says_what_is_usual(kb: Kb) -> None:
    gold = (frozenset(["gene:3"]),)
    train = [Document("1", "p53", annotations=(Mention("a", "1", ((0, 3),), "p53", "gene", gold),))]
    linker = Genes()
    linker.prepare(kb, ())
    linker.train(train)
    assert first(linker, "Nothing is said about the organism: p53.", "p53") == "3"
    assert first(linker, "In mice p53 was lost.", "p53") == "2"


def test_what_is_stored_answers_as_what_was_made(kb: Kb, tmp_path: Path) -> None:
    texts = [
        "Nothing is said: {}.",
        "In mice {} was lost.",
        "Zebrafish and {}.",
        "Human synovial {}.",
    ]
    mentions = sorted({name for line in GENES.strip().splitlines() for name in re.split(r"[\t|]", line)[1:-1] if name})
    mentions += ["hTERT", "IL2R alpha", "receptor subunit alpha, interleukin 2", "ABC1", "\ud800", "p53 protein"]
    queries = [
        Query(mention, "gene", ((text.index("{"), text.index("{") + len(mention)),), "1", text.format(mention))
        for text in texts
        for mention in mentions
    ]
    gold = [Mention(str(n), "1", ((0, 3),), "p53", "gene", (frozenset([f"gene:{n}"]),)) for n in (3, 3, 2, 99)]
    for train in ([], [Document("1", "p53", annotations=tuple(gold))]):
        made = prepared(Genes(), kb, train)
        found = opened(made, Genes(), kb, tmp_path / "files")
        answers = made.link(queries, 10)
        assert found.link(queries, 10) == answers
        assert sum(map(bool, answers)) > len(texts) * 20


def test_prefixes_are_taxa() -> None:
    assert all(prefix.islower() and taxon.startswith("ncbitaxon:") for prefix, taxon in PREFIXES.items())


def test_it_beats_looking_names_up(home: Path) -> None:
    found = {}
    for name in ("exact", "normalised", "genes"):
        [row] = linkassay.score(linkassay.link(name, "mini/gene"), "recall@1").rows()
        found[name] = row["value"]
    assert found["genes"] > max(found["exact"], found["normalised"]) + 0.05
