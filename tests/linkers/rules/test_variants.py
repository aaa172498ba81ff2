"""Variants: each spelling has one form; genes in context choose among variants of the same form."""

from __future__ import annotations

import re
import time
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkassay
import linkassay.text.variants as variants_of_texts
from linkassay.kbs.building.build import build_kb
from linkassay.kbs.readers.own_table import spec_from_toml
from linkassay.kbs.stored_kb import Kb
from linkassay.linkers.protocol import Query
from linkassay.linkers.rules.variants import Variants
from linkassay.text.variants import alleles, reversed_form, variant_forms

_SHORT = "Ala Arg Asn Asp Cys Gln Glu Gly His Ile Leu Lys Met Phe Pro Ser Thr Trp Tyr Val"
_LONG = (
    "alanine arginine asparagine aspartate cysteine glutamine glutamate glycine histidine isoleucine leucine lysine "
    "methionine phenylalanine proline serine threonine tryptophan tyrosine valine"
)
LETTERS = dict(zip("ARNDCQEGHILKMFPSTWYV", _SHORT.split(), strict=True))
WORDS = dict(zip("ARNDCQEGHILKMFPSTWYV", _LONG.split(), strict=True))

acids = st.sampled_from(sorted(LETTERS))
bases = st.sampled_from("ACGT")
places = st.integers(1, 5000)


@given(acids, acids, places)
def test_each_spelling_of_a_protein_change_has_one_form(first: str, last: str, place: int) -> None:
    a, b, long_a, long_b = LETTERS[first], LETTERS[last], WORDS[first], WORDS[last]
    form = f"p.{first}{place}{last}"
    for text in (
        f"p.{a}{place}{b}", f"{a}{place}{b}", f"p.({a}{place}{b})", f"{a}({place}){b}", f"{a}-{place}-{b}",
        f"{a}{place}→{b}", f"{a} {place} {b}", f"p.{first}{place}{last}", f"({a}{place}{b})",
        f"{a.upper()}{place}{b.upper()}", f"{place} {a}/{b}", f"{place}{a}>{b}",
        f"{long_a} to {long_b} at codon {place}", f"{long_a} to {long_b} substitution at residue {place}",
        f"{long_a} at position {place} by {long_b}", f"substitution of {long_a} by {long_b} at position {place}",
        f"{long_b} for {long_a} at codon {place}", f"{long_a.capitalize()} {place} is replaced by {long_b}",
        f"{a} to {b} change at amino acid {place}",
    ):  # fmt: skip
        assert variant_forms(text) == (form,), text
    assert form in variant_forms(f"{first}{place}{last}")
    assert form in variant_forms(f"{place}{first}>{last}")
    assert reversed_form(reversed_form(form)) == form
    for text in (f"{a}{place}", f"{place}{a}", f"{first}{place}", f"{place}{first}", f"p.{a}{place}", f"{place} {a}"):
        assert alleles(text) == (f"{place}{first}",), text
    assert set(alleles(form)) == {f"{place}{first}", f"{place}{last}"}


@given(acids, places)
def test_stops_frame_shifts_and_lost_residues(first: str, place: int) -> None:
    a = LETTERS[first]
    stops = (
        f"p.{a}{place}*",
        f"{a}{place}Ter",
        f"p.{first}{place}X",
        f"{a}{place}X",
        f"{a}{place}Stop",
        f"{first}{place}stop",
    )
    for text in (*stops, f"p.{first}{place}*"):
        assert f"p.{first}{place}*" in variant_forms(text), text
    for text in (f"p.{a}{place}fs", f"p.{a}{place}ProfsX12", f"{first}{place}fs", f"p.{a}{place}fs*5"):
        assert f"p.{first}{place}fs" in variant_forms(text), text
    lost = (f"p.{a}{place}del", f"{first}{place}del", f"del{first}{place}", f"Δ{first}{place}")
    for text in (*lost, f"delta{first}{place}"):
        assert f"p.{first}{place}del" in variant_forms(text), text
    assert variant_forms(f"p.{a}{place}=") == (f"p.{first}{place}{first}",)


@given(bases, bases, places, st.sampled_from(["", "-"]))
def test_each_spelling_of_a_change_of_one_base_has_one_form(ref: str, alt: str, number: int, sign: str) -> None:
    place = f"{sign}{number}"
    for text in (
        f"c.{place}{ref}>{alt}", f"{place}{ref}>{alt}", f"g.{place}{ref}>{alt}", f"{place}{ref}-->{alt}",
        f"{place} {ref}/{alt}", f"{place}{ref}→{alt}", f"{place} {ref} > {alt}", f"c. {place}{ref}>{alt}",
        f"{ref}({place}){alt}", f"{ref}{place}{alt}", f"{ref}>{alt} at position {place}", f"{ref} to {alt} at {place}",
    ):  # fmt: skip
        assert variant_forms(text)[0] == f"{place}{ref}>{alt}", text
    intron = f"{sign or '+'}{number}{ref}>{alt}"
    for text in (f"IVS3{intron}", f"IVS 3 {sign or '+'} {number}{ref}/{alt}", f"intron 3 {intron}"):
        assert variant_forms(text) == (f"IVS3{intron}",), text
    assert variant_forms(f"c.{number}+5{ref}>{alt}") == (f"{number}+5{ref}>{alt}",)


@given(places, st.text("ACGT", min_size=1, max_size=4), st.sampled_from(["del", "dup"]))
def test_each_spelling_of_lost_or_doubled_bases_has_one_form(place: int, lost: str, change: str) -> None:
    end = place + len(lost) - 1
    form = f"{place}_{end}{change}" if end > place else f"{place}{change}"
    spelled = [f"{place}{change}{lost}", f"c.{place}{change}{lost}", f"{place}{change}{len(lost)}"]
    if end > place:
        spelled += [f"c.{place}_{end}{change}", f"c.{place}_{end}{change}{lost}", f"{place}-{end}{change}"]
    for text in spelled:
        assert form in variant_forms(text), text
    assert variant_forms(f"{place}ins{lost}")[0] == f"{place}ins{lost}"


@given(st.integers(1, 10**9))
def test_numbers_of_dbsnp(number: int) -> None:
    for text in (f"rs{number}", f"RS{number}", f"rs {number}", f"rs#{number}", f"(rs{number})", f"A/G (rs{number})"):
        assert variant_forms(text)[0] == f"rs{number}", text


_PARTS = [
    *"ACGTVX*-+_>/ ()=Δ", "p.", "c.", "Ala", "Val", "Ter", "stop", "valine", "glutamic acid", "1", "600", "->", "del",
    "ins", "dup", "fs", "IVS", "rs", "codon ", " for ", " to ", "CCC", "position ",
]  # fmt: skip


@given(st.text(max_size=40) | st.lists(st.sampled_from(_PARTS), max_size=9).map("".join))
def test_any_text_is_read_without_an_error_and_forms_are_stable(text: str) -> None:
    for form in variant_forms(text):
        assert form in variant_forms(form), form
    alleles(text)


def test_more_forms() -> None:
    assert variant_forms("codon 325 (CCC --> CCG)") == ("p.P325P",)
    assert variant_forms("gout") == variant_forms("") == ()
    assert variant_forms("G2677T") == ("2677G>T", "p.G2677T")
    assert alleles("103I") == alleles("I103") == ("103I",)


KB = """
rs113488022	V600E|c.1799T>A	ncbigene:673	BRAF
rs121913	V600E	ncbigene:9999	XYZ1
rs1042522	P72R	ncbigene:7157	TP53
rs5	c.50A>G	ncbigene:5	ABC5
"""


@pytest.fixture
def linker(home: Path, tmp_path: Path) -> Variants:
    (tmp_path / "rs.tsv").write_text("id\tforms\tgene\tsymbol" + KB, encoding="utf-8")
    (tmp_path / "rs.toml").write_text(
        'name = "rs"\nprefix = "dbsnp"\ntype = "variant"\nfiles = "rs.tsv"\nid = "id"\nforeign = "gene"\n'
        'foreign_name = "symbol"\nnames = {column = "forms", separator = "|"}\n'
    )
    build_kb(spec_from_toml(tmp_path / "rs.toml"), tmp_path)
    made = Variants()
    made.prepare(Kb.open("rs"), ())
    return made


@pytest.mark.parametrize(
    ("text", "mention", "expected"),
    [
        ("BRAF valine to glutamate at codon 600.", "valine to glutamate at codon 600", "rs113488022"),
        ("XYZ1 has Val600Glu.", "Val600Glu", "rs121913"),
        ("XYZ1 was there. Much later BRAF had p.Val600Glu, they said.", "p.Val600Glu", "rs113488022"),  # the nearest
        ("TP53 Arg72Pro.", "Arg72Pro", "rs1042522"),  # the other way round
        ("TP53 72Pro.", "72P", "rs1042522"),
        ("Found rs1042522.", "rs1042522", "rs1042522"),
        ("Found rs77.", "rs77", ""),  # not in the knowledge base
        ("ABC5 50 A/G here.", "50 A/G", "rs5"),
        ("Nothing here.", "Nothing", ""),
    ],
)
def test_which_variant_is_meant(linker: Variants, text: str, mention: str, expected: str) -> None:
    start = text.find(mention) if mention in text else 0
    [answer] = linker.link([Query(mention, "variant", ((start, start + len(mention)),), "1", text)], 5)
    assert (answer[0][0] if answer else ()) == ((f"dbsnp:{expected}",) if expected else ())


def test_it_beats_looking_names_up(home: Path) -> None:
    found = {}
    for name in ("normalised", "variants"):
        [row] = linkassay.score(linkassay.link(name, "mini/variant"), "recall@1").rows()
        found[name] = row["value"]
    assert found["variants"] > found["normalised"] + 0.1


def _slowly_clean(text: str) -> str:
    """Arrows from each of their dashes in turn, as it was done first: in the square of the length."""
    text = unicodedata.normalize("NFKC", text).replace("−", "-").replace("–", "-").replace("—", "-")
    text = re.sub(r"\s?(?:-+>|=+>|→|⟶|➔|➝)\s?", ">", text)
    return " ".join(text.split()).strip("[](){} ,;")


@settings(max_examples=500)
@given(st.text(st.sampled_from("-=>–−→ \tAGCV1260pcd.*+()_"), max_size=40))
def test_quick_and_slow_find_the_same(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(variants_of_texts, "_clean", _slowly_clean)
        slow = variant_forms(text), alleles(text)
    assert (variant_forms(text), alleles(text)) == slow


@pytest.mark.parametrize("row", ["-", "=", "–", "- ", "-=", "1-", "-1", "A-", " -", "(-"])
def test_time_grows_with_the_length(row: str) -> None:
    text = row * 100_000
    begun = time.process_time()
    variant_forms(text)
    alleles(text)
    assert time.process_time() - begun < 5


@pytest.mark.parametrize("digits", [12, 4000, 4001, 4300, 5000, 50_000])
def test_numbers_of_any_length(digits: int) -> None:
    number = "0" + "9" * digits
    for text in ("V{}E", "IVS{}-{}G>A", "c.{}del{}", "{}_{}del", "codon {} ACG>ACT", "rs{}",
                 "valine to glutamate at {}", "p.Val{}fs", "-{}del", "del V{}", "{}dupA"):  # fmt: skip
        variant_forms(text.format(number, number))
        alleles(text.format(number, number))
